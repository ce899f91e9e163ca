//===- Figures.cpp - The numbers of a target, by path ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Target/Figures.h"
#include "FieldTable.h"
#include "Fields.h"

namespace mlir::llm {

/// Calls `visit` with the part and its field at a path; false where there is
/// none. Names may hold dots, so that they are compared, not cut out.
template <typename Part, typename Visit>
static bool
visitNumber(Part &part,
            ArrayRef<NumberField<std::remove_const_t<Part>>> numbers,
            StringRef key, Visit visit) {
  for (const auto &number : numbers)
    if (number.key == key) {
      visit(part, number);
      return true;
    }
  return false;
}

static bool consumeName(StringRef &path, StringRef name) {
  StringRef rest = path;
  if (!rest.consume_front(name) || !rest.consume_front("."))
    return false;
  path = rest;
  return true;
}

template <typename EngineRef, typename Visit>
static bool visitEngineFigure(EngineRef &engine, StringRef path, Visit visit) {
  StringRef rest = path;
  if (!consumeName(rest, keys::kernels))
    return visitNumber(engine, engineNumbers(), path, visit);
  for (auto &figures : engine.kernels) {
    StringRef key = rest;
    if (consumeName(key, figures.kernel) &&
        visitNumber(figures, kernelNumbers(), key, visit))
      return true;
  }
  return false;
}

template <typename TargetRef, typename Visit>
static bool visitFigure(TargetRef &target, StringRef path, Visit visit) {
  StringRef rest = path;
  if (consumeName(rest, keys::engines)) {
    for (auto &engine : target.engines) {
      StringRef key = rest;
      if (consumeName(key, engine.name) &&
          visitEngineFigure(engine, key, visit))
        return true;
    }
  } else if (consumeName(rest, keys::memories)) {
    for (auto &memory : target.memories) {
      StringRef key = rest;
      if (consumeName(key, memory.name) &&
          visitNumber(memory, memoryNumbers(), key, visit))
        return true;
    }
  }
  if (rest = path; consumeName(rest, keys::links)) {
    for (auto &link : target.links) {
      StringRef key = rest;
      if (consumeName(key, link.name) &&
          visitNumber(link, linkNumbers(), key, visit))
        return true;
    }
  }
  return false;
}

/// The rate of the datasheet that a field says the sustained part of; nothing
/// for other fields.
template <typename Part>
static std::optional<int64_t> datasheetRate(const Target &target,
                                            const Part &part,
                                            const NumberField<Part> &number) {
  if constexpr (std::is_same_v<Part, Engine>) {
    if (number.optional == &Engine::sustainedClockHz)
      return target.clockHz;
  } else if constexpr (std::is_same_v<Part, Memory>) {
    if (number.optional == &Memory::sustainedBytesPerSecond)
      return part.bytesPerSecond;
  } else if constexpr (std::is_same_v<Part, Link>) {
    if (number.optional == &Link::sustainedBytesPerSecond)
      return part.bytesPerSecond;
  }
  return std::nullopt;
}

std::optional<int64_t> getFigure(const Target &target, StringRef path) {
  std::optional<int64_t> value;
  visitFigure(target, path, [&](const auto &part, const auto &number) {
    value = number.get(part);
    if (!value)
      value = datasheetRate(target, part, number);
  });
  return value;
}

std::optional<int64_t> figureLimit(const Target &target, StringRef path) {
  std::optional<int64_t> limit;
  visitFigure(target, path, [&](const auto &part, const auto &number) {
    // Clocks boost above what the datasheet promises.
    if (!std::is_same_v<std::decay_t<decltype(part)>, Engine>)
      limit = datasheetRate(target, part, number);
  });
  return limit;
}

bool setFigure(Target &target, StringRef path, int64_t value) {
  return visitFigure(target, path, [&](auto &part, const auto &number) {
    number.set(part, value);
  });
}

/// The paths of what is fitted of one kernel.
static void addKernelFigures(const Engine &engine, StringRef kernel,
                             std::vector<std::string> &paths) {
  for (const KernelFigures &figures : engine.kernels)
    for (const NumberField<KernelFigures> &number : kernelNumbers())
      if (figures.kernel == kernel && number.isFitted && number.get(figures))
        paths.push_back((keys::engines + "." + engine.name + "." +
                         keys::kernels + "." + kernel + "." + number.key)
                            .str());
}

std::vector<std::string> figuresOfGroup(const Target &target, StringRef group,
                                        StringRef library) {
  std::vector<std::string> paths;
  auto engine = ::llvm::find_if(target.engines,
                                [](const Engine &e) { return e.isCompute(); });
  if (engine == target.engines.end())
    return paths;
  if (group == "device")
    return {(keys::engines + "." + engine->name + ".sustained_clock_hz").str(),
            (keys::memories + "." + target.dram().name +
             ".sustained_bytes_per_second")
                .str()};
  if (group == "collective" && !target.links.empty()) {
    const Link &link = target.links.front();
    for (const NumberField<Link> &number : linkNumbers())
      if (number.optional && number.get(link))
        paths.push_back(
            (keys::links + "." + link.name + "." + number.key).str());
    return paths;
  }
  if (!library.empty())
    addKernelFigures(*engine, (group + "@" + library).str(), paths);
  if (paths.empty())
    addKernelFigures(*engine, group, paths);
  return paths;
}

} // namespace mlir::llm
