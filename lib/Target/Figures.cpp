//===- Figures.cpp - The numbers of a target, by path ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Target/Figures.h"
#include "FieldTable.h"
#include "Fields.h"
#include "Libraries.h"
#include "llm/Support/Units.h"

#include <cmath>

namespace mlir::llm {

/// Calls `visit` with the part and its field at a path. Returns false if there
/// is none. Names may have dots, so the path is compared, and not split.
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

/// Returns the rate of the datasheet for a field that is its sustained part;
/// nothing for other fields.
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

//===----------------------------------------------------------------------===//
// Energies
//===----------------------------------------------------------------------===//

static const Engine *findComputeEngine(const Target &target) {
  auto engine = ::llvm::find_if(target.engines,
                                [](const Engine &e) { return e.isCompute(); });
  return engine == target.engines.end() ? nullptr : &*engine;
}

/// Makes the path of a figure that an engine has for each type of products.
static std::string typePath(const Engine &engine, StringRef key,
                            StringRef type) {
  return (keys::engines + "." + engine.name + "." + key + "." + type).str();
}

bool isEnergyFigure(StringRef path) {
  return path.rsplit('.').first.ends_with(("." + keys::macEnergies).str());
}

/// Finds the engine and the rate that have the figure of this key at a path, or
/// null.
static std::pair<const Engine *, const MacRate *>
findOfType(const Target &target, StringRef key, StringRef path) {
  for (const Engine &engine : target.engines)
    for (const MacRate &rate : engine.macRates)
      if (path == typePath(engine, key, rate.elementType))
        return {&engine, &rate};
  return {nullptr, nullptr};
}

/// Returns the energy with which all units at the datasheet's clock draw what
/// the limit leaves them. It is rounded down, so that they stay within the
/// limit.
static std::optional<int64_t> leastLimitingFemtojoules(const Target &target,
                                                       const Engine &engine,
                                                       const MacRate &rate) {
  constexpr double perJoule = 1e15;
  double watts = double(target.powerLimitWatts.value_or(0)) -
                 double(target.idleWatts.value_or(0)),
         macsPerSecond = double(rate.macsPerCycle) * double(engine.units) *
                         double(engine.count) * double(target.clockHz),
         femtojoules = std::floor(perJoule * watts / macsPerSecond);
  if (femtojoules < 1 || femtojoules > double(maxCount))
    return std::nullopt;
  return int64_t(femtojoules);
}

std::optional<std::string> energyFigure(const Target &target, Type macType) {
  const Engine *engine = findComputeEngine(target);
  std::string usedType;
  if (!engine || !macType || !Target::macsPerCycle(*engine, macType, usedType))
    return std::nullopt;
  std::string path = typePath(*engine, keys::macEnergies, usedType);
  return getFigure(target, path) ? std::optional(path) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// By path
//===----------------------------------------------------------------------===//

std::optional<int64_t> getFigure(const Target &target, StringRef path) {
  if (auto [engine, rate] = findOfType(target, keys::macs, path); engine)
    return rate->macsPerCycle;
  if (auto [engine, rate] = findOfType(target, keys::macEnergies, path);
      engine) {
    for (const MacEnergy &energy : engine->macEnergies)
      if (energy.elementType == rate->elementType)
        return energy.femtojoules;
    return leastLimitingFemtojoules(target, *engine, *rate);
  }
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
    using Part = std::decay_t<decltype(part)>;
    limit = datasheetRate(target, part, number);
    if constexpr (std::is_same_v<Part, Engine>) {
      if (limit)
        limit = std::max(*limit, part.boostClockHz.value_or(*limit));
    } else if constexpr (std::is_same_v<Part, Link>) {
      if (number.optional && number.unit == "bytes per second")
        limit = part.bytesPerSecond;
    } else if (number.unit == "percent" && number.most < maxCount) {
      limit = number.most;
    }
  });
  return limit;
}

/// Sets an energy, which may be missing so far.
static void setEnergy(Engine &engine, StringRef type, int64_t femtojoules) {
  for (MacEnergy &energy : engine.macEnergies)
    if (energy.elementType == type) {
      energy.femtojoules = femtojoules;
      return;
    }
  engine.macEnergies.push_back({type.str(), femtojoules});
}

bool setFigure(Target &target, StringRef path, int64_t value) {
  if (auto [found, rate] = findOfType(target, keys::macs, path); found) {
    Engine &engine = target.engines[size_t(found - target.engines.data())];
    engine.macRates[size_t(rate - found->macRates.data())].macsPerCycle = value;
    return true;
  }
  if (auto [found, rate] = findOfType(target, keys::macEnergies, path); found) {
    setEnergy(target.engines[size_t(found - target.engines.data())],
              rate->elementType, value);
    return true;
  }
  return visitFigure(target, path, [&](auto &part, const auto &number) {
    number.set(part, value);
  });
}

/// Adds the paths of the fitted figures of one kernel.
static void addKernelFigures(const Engine &engine, StringRef kernel,
                             std::vector<std::string> &paths) {
  for (const KernelFigures &figures : engine.kernels)
    for (const NumberField<KernelFigures> &number : kernelNumbers())
      if (figures.kernel == kernel && number.isFitted && number.get(figures))
        paths.push_back((keys::engines + "." + engine.name + "." +
                         keys::kernels + "." + kernel + "." + number.key)
                            .str());
}

/// Adds the paths of the fitted figures of the first link, or of those that the
/// library has for it: of experts' rows, or all others.
static void addLinkFigures(const Target &target, StringRef library,
                           bool areOfExperts, std::vector<std::string> &paths) {
  auto add = [&](const Link &link) {
    for (const NumberField<Link> &number : linkNumbers())
      if (number.optional && number.isFitted && number.get(link) &&
          number.key.starts_with("expert_") == areOfExperts)
        paths.push_back(
            (keys::links + "." + link.name + "." + number.key).str());
  };
  if (target.links.empty())
    return;
  const Link &first = target.links.front();
  for (const Link &link : target.links)
    if (link.name == first.name + "@" + library.str())
      add(link);
  if (paths.empty())
    add(first);
}

std::vector<std::string> figuresOfGroup(const Target &target, StringRef group,
                                        StringRef library) {
  std::vector<std::string> paths;
  const Engine *engine = findComputeEngine(target);
  if (!engine)
    return paths;
  if (group == "device")
    return {(keys::engines + "." + engine->name + ".sustained_clock_hz").str(),
            (keys::memories + "." + target.dram().name +
             ".sustained_bytes_per_second")
                .str()};
  if (group == "collective" || group == "experts") {
    addLinkFigures(target, library, group == "experts", paths);
    return paths;
  }
  if (!library.empty())
    for (const KernelFigures &figures : engine->kernels)
      if (StringRef name = StringRef(figures.kernel).split('@').first;
          libraryOf(figures.kernel) == library &&
          llvm::is_contained(opClassesFor(name), group))
        addKernelFigures(*engine, figures.kernel, paths);
  if (paths.empty())
    addKernelFigures(*engine, group, paths);
  return paths;
}

std::vector<std::string> figuresOfDefault(const Target &target,
                                          StringRef kernel, StringRef format) {
  std::vector<std::string> paths;
  const Engine *engine = findComputeEngine(target);
  if (!engine)
    return paths;
  for (const KernelFigures &figures : engine->kernels)
    if (isDefaultOf(figures, kernel) && haveFormat(figures, format))
      addKernelFigures(*engine, figures.kernel, paths);
  return paths;
}

} // namespace mlir::llm
