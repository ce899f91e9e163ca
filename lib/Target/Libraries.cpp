//===- Libraries.cpp - Figures of several libraries -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libraries.h"
#include "FieldTable.h"
#include "llm/Diagnostics/Spelling.h"

namespace mlir::llm {

StringRef libraryOf(StringRef kernel) {
  return kernel.split('@').second.split('#').first;
}

bool isOfLibrary(const Link &link) {
  return StringRef(link.name).contains('@');
}

/// Whether a part of this name, which may name a library, is the default of
/// another one.
static bool isDefaultOf(StringRef full, std::optional<int64_t> isDefault,
                        StringRef name) {
  auto [own, library] = full.split('@');
  return own == name && !library.empty() && isDefault == 1;
}

bool isDefaultOf(const Link &link, StringRef name) {
  return isDefaultOf(link.name, link.isDefault, name);
}

bool isDefaultOf(const KernelFigures &figures, StringRef kernel) {
  return isDefaultOf(figures.kernel, figures.isDefault, kernel);
}

/// Replaces every figure that `given` has. What says how a link is built, or
/// which library counts, stays.
static void overwrite(Link &link, const Link &given) {
  for (const NumberField<Link> &number : linkNumbers())
    if (number.optional && number.optional != &Link::isDefault &&
        number.get(given))
      number.set(link, *number.get(given));
}

Link Target::withDefaultLibrary(const Link &link) const {
  Link whole = link;
  for (const Link &other : links)
    if (isDefaultOf(other, link.name))
      overwrite(whole, other);
  return whole;
}

/// Replaces every number that `given` has, and tiles. Which library counts
/// stays.
static void overwrite(KernelFigures &figures, const KernelFigures &given) {
  if (!given.tiles.empty())
    figures.tiles = given.tiles;
  for (const NumberField<KernelFigures> &number : kernelNumbers())
    if (std::optional<int64_t> value = number.get(given);
        value && number.optional != &KernelFigures::isDefault)
      number.set(figures, *value);
}

bool haveFormat(const KernelFigures &figures, StringRef format) {
  return figures.formats.empty() || llvm::is_contained(figures.formats, format);
}

KernelFigures Engine::kernelFigures(StringRef opClass, StringRef opName,
                                    StringRef format) const {
  auto isOf = [](const KernelFigures &given, StringRef name) {
    return StringRef(given.kernel).split('@').first == name;
  };
  // What is given for steps stands over what is given for the op.
  SmallVector<StringRef, 3> all = opClassesFor(opClass);
  all.insert(all.begin() + 1, opName);
  // A library that was chosen for the class or for the op replaces the default.
  bool isChosen = llvm::any_of(kernels, [&](const KernelFigures &given) {
    return llvm::any_of(all,
                        [&](StringRef name) { return isOf(given, name); }) &&
           given.isDefault == 0 && haveFormat(given, format);
  });
  KernelFigures figures;
  for (StringRef name : all) {
    for (const KernelFigures &given : kernels)
      if (given.kernel == name)
        overwrite(figures, given);
    // Figures for some formats stand over those for all.
    for (bool ofSomeFormats : {false, true})
      for (const KernelFigures &given : kernels)
        if (StringRef(given.kernel).contains('@') && isOf(given, name) &&
            given.isDefault == (isChosen ? 0 : 1) &&
            given.formats.empty() != ofSomeFormats && haveFormat(given, format))
          overwrite(figures, given);
  }
  return figures;
}

/// Selects links by library, too: "nvlink@custom" is "nvlink" as that library
/// drives it. A library that has no figures of its own has those of the link.
static void selectLinks(Target &target, ArrayRef<StringRef> libraries) {
  std::vector<Link> selected;
  for (const Link &link : target.links)
    if (!isOfLibrary(link))
      selected.push_back(libraries.empty() ? target.withDefaultLibrary(link)
                                           : link);
  for (StringRef library : libraries)
    for (const Link &link : target.links)
      if (auto [name, of] = StringRef(link.name).split('@'); of == library)
        for (Link &base : selected)
          if (base.name == name)
            overwrite(base, link);
  target.links = std::move(selected);
}

/// Of several libraries, the last one that has a figure counts. Where there are
/// default libraries, they stay beside, and what was chosen is marked as none,
/// as is what was chosen for some formats.
static void selectEngineKernels(Engine &engine, ArrayRef<StringRef> libraries,
                                bool replayed) {
  std::vector<KernelFigures> selected;
  auto find = [&](StringRef name) -> KernelFigures & {
    for (KernelFigures &figures : selected)
      if (figures.kernel == name)
        return figures;
    selected.emplace_back().kernel = name.str();
    return selected.back();
  };
  for (const KernelFigures &figures : engine.kernels)
    if (!StringRef(figures.kernel).contains('@') || figures.isDefault == 1) {
      KernelFigures &own = find(figures.kernel);
      overwrite(own, figures);
      own.isDefault = figures.isDefault;
      own.formats = figures.formats;
    }
  bool hasDefault = llvm::any_of(selected, [](const KernelFigures &figures) {
    return figures.isDefault == 1;
  });
  for (StringRef library : libraries)
    for (const KernelFigures &figures : engine.kernels)
      if (libraryOf(figures.kernel) == library) {
        // What counts for some formats stays apart.
        StringRef name = figures.kernel;
        KernelFigures &own =
            find(figures.formats.empty() ? name.split('@').first : name);
        overwrite(own, figures);
        own.formats = figures.formats;
        if (hasDefault || !figures.formats.empty())
          own.isDefault = 0;
      }
  if (replayed)
    for (KernelFigures &figures : selected)
      if (figures.replayNanoseconds)
        figures.launchNanoseconds = figures.replayNanoseconds;
  engine.kernels = std::move(selected);
}

void selectKernels(Target &target, StringRef library, bool replayed) {
  SmallVector<StringRef, 1> libraries;
  if (!library.empty())
    libraries.push_back(library);
  selectLinks(target, libraries);
  for (Engine &engine : target.engines)
    selectEngineKernels(engine, libraries, replayed);
}

std::vector<std::string> kernelLibraries(const Target &target) {
  std::vector<std::string> libraries;
  auto add = [&](StringRef name) {
    if (StringRef library = libraryOf(name);
        !library.empty() && !llvm::is_contained(libraries, library))
      libraries.push_back(library.str());
  };
  for (const Engine &engine : target.engines)
    for (const KernelFigures &figures : engine.kernels)
      add(figures.kernel);
  for (const Link &link : target.links)
    add(link.name);
  return libraries;
}

LogicalResult selectLibrary(Target &target, StringRef library,
                            EmitError emitError) {
  std::vector<std::string> libraries = kernelLibraries(target);
  SmallVector<StringRef> known(libraries.begin(), libraries.end()), named;
  library.split(named, ',');
  for (StringRef each : named) {
    if (llvm::is_contained(libraries, each))
      continue;
    Refusal diagnostic = emitError();
    diagnostic << "target '" << target.name << "' has no figures of library '"
               << each << "'" << didYouMean(each, known);
    if (known.empty())
      return diagnostic << " (it has none of any library)";
    return diagnostic << " (libraries: " << llvm::join(known, ", ") << ")";
  }
  // The library of a kernel says nothing of how chips exchange values.
  bool isOfLinks = llvm::any_of(target.links, [&](const Link &link) {
    return llvm::is_contained(named, StringRef(link.name).split('@').second);
  });
  if (isOfLinks)
    selectLinks(target, named);
  for (Engine &engine : target.engines)
    selectEngineKernels(engine, named, /*replayed=*/false);
  return success();
}

} // namespace mlir::llm
