//===- TargetCheck.cpp - What cannot be in a target -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldTable.h"
#include "Fields.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::llm {

/// Finds the element type that is meant: by its name elsewhere, or by its
/// spelling.
static std::string findMeantType(StringRef name) {
  StringRef spoken = llvm::StringSwitch<StringRef>(name.lower())
                         .Case("fp4", "f4E2M1FN")
                         .Cases({"fp8", "float8", "fp8_e4m3"}, "f8E4M3FN")
                         .Case("fp8_e5m2", "f8E5M2")
                         .Cases({"fp16", "float16", "half"}, "f16")
                         .Case("bfloat16", "bf16")
                         .Cases({"fp32", "float32", "float"}, "f32")
                         .Cases({"fp64", "float64", "double"}, "f64")
                         .Case("int4", "i4")
                         .Case("int8", "i8")
                         .Default("");
  return spoken.empty() ? didYouMean(name, knownElementTypes())
                        : ("; did you mean '" + spoken + "'?").str();
}

namespace {
class Checker {
public:
  explicit Checker(const Target &target) : target(target) {}

  std::vector<TargetProblem> run() {
    if (target.name.empty())
      add(keys::name, "must not be empty");
    checkRange(keys::clockHz.str(), target.clockHz, 1, maxCount);
    checkNumbers("", targetNumbers(), target);
    if (target.powerLimitWatts &&
        target.idleWatts.value_or(0) >= *target.powerLimitWatts)
      add("idle_watts", "must be below power_limit_watts");
    checkEngines();
    checkMemories();
    checkLinks();
    return std::move(problems);
  }

private:
  void add(const Twine &path, const Twine &reason) {
    problems.push_back({path.str(), reason.str()});
  }

  void checkRange(const Twine &path, int64_t value, int64_t least,
                  int64_t most) {
    if (value < least || value > most)
      add(path, "must be between " + Twine(least) + " and " +
                    withThousandsSeparators(most) + ", got " + Twine(value));
  }

  /// Checks that each number is in its range. A number that equals its default
  /// counts as not given, and may be 0.
  template <typename Part>
  void checkNumbers(const std::string &path,
                    ArrayRef<NumberField<Part>> numbers, const Part &part) {
    for (const NumberField<Part> &number : numbers) {
      bool isAbsent = number.get(part) == number.get(Part());
      if (std::optional<int64_t> value = number.get(part); value && !isAbsent)
        checkRange(path + number.key, *value, number.least, number.most);
    }
  }

  /// Checks that the rate of a unit is small enough for that of all units to be
  /// counted.
  void checkUnitRate(const Twine &path, std::optional<int64_t> rate,
                     int64_t units) {
    if (rate && units > 0 && *rate > 0 && !checkedMul(*rate, units))
      add(path, "times the " + Twine(units) + " units is above " +
                    withThousandsSeparators(maxCount));
  }

  /// Checks that the names of a group can be keys: none is empty, and none
  /// occurs twice.
  template <typename Range>
  void checkNames(StringRef path, const Range &range) {
    llvm::StringSet<> seen;
    for (const auto &item : range) {
      if (item.name.empty())
        add(path, "must not hold an empty name");
      else if (!seen.insert(item.name).second)
        add(path + "." + item.name, "is there twice");
    }
  }

  void checkEngines() {
    checkNames(keys::engines, target.engines);
    for (const Engine &engine : target.engines)
      checkEngine(engine, (keys::engines + "." + engine.name).str());
    if (llvm::none_of(target.engines,
                      [](const Engine &e) { return e.isCompute(); }))
      add(keys::engines,
          "must hold an engine of kind \"matrix\" or \"vector\"");
  }

  void checkEngine(const Engine &engine, const std::string &path) {
    if (engine.kinds.empty())
      add(path + "." + keys::kinds, "must name at least one kind");
    checkNumbers(path + ".", engineNumbers(), engine);
    for (const NumberField<Engine> &number : engineNumbers())
      if (number.key.ends_with("_per_unit"))
        checkUnitRate(path + "." + number.key, number.get(engine),
                      engine.units);
    if (engine.boostClockHz && *engine.boostClockHz < target.clockHz)
      add(path + ".boost_clock_hz",
          "is below clock_hz, " + withThousandsSeparators(target.clockHz));
    checkMacRates(engine, path);
    checkMacEnergies(engine, path);
    checkKernels(engine, path);
    checkCostModel(engine, path);
    checkPrivateMemory(engine, path);
    checkPorts(engine, path);
  }

  void checkMacRates(const Engine &engine, const std::string &path) {
    std::string macsPath = (path + "." + keys::macs).str();
    if (engine.macRates.empty() && engine.kinds.contains(EngineKind::Matrix))
      add(macsPath,
          "is missing or empty: an engine of kind \"matrix\" needs it");
    checkElementTypes(macsPath, engine.macRates);
    for (const MacRate &rate : engine.macRates) {
      std::string ratePath = macsPath + "." + rate.elementType;
      checkRange(ratePath, rate.macsPerCycle, 1, maxCount);
      checkUnitRate(ratePath, rate.macsPerCycle, engine.units);
    }
  }

  void checkMacEnergies(const Engine &engine, const std::string &path) {
    std::string energiesPath = (path + "." + keys::macEnergies).str();
    checkElementTypes(energiesPath, engine.macEnergies);
    for (const MacEnergy &energy : engine.macEnergies)
      checkRange(energiesPath + "." + energy.elementType, energy.femtojoules, 0,
                 maxCount);
  }

  template <typename Range>
  void checkElementTypes(const std::string &path, const Range &range) {
    llvm::StringSet<> seen;
    for (const auto &item : range) {
      std::string itemPath = path + "." + item.elementType;
      if (!llvm::is_contained(knownElementTypes(), item.elementType))
        add(itemPath,
            "is not a known element type" + findMeantType(item.elementType) +
                " (known: " + llvm::join(knownElementTypes(), ", ") + ")");
      else if (!seen.insert(item.elementType).second)
        add(itemPath, "is there twice");
    }
  }

  void checkKernels(const Engine &engine, const std::string &path) {
    std::string kernelsPath = (path + "." + keys::kernels).str();
    llvm::StringSet<> seen;
    for (const KernelFigures &figures : engine.kernels) {
      std::string figuresPath = kernelsPath + "." + figures.kernel;
      StringRef name = StringRef(figures.kernel).split('@').first,
                library = libraryOf(figures.kernel);
      bool hasWord = StringRef(figures.kernel).contains('#');
      if (library.empty() && name != figures.kernel)
        add(figuresPath, "names no library behind @");
      else if (hasWord && figures.formats.empty())
        add(figuresPath,
            "has a word behind #, which tells kernels of a library "
            "for different formats apart, and no formats");
      else if (library.contains('@'))
        add(figuresPath, "has more than one @: only one library may follow it");
      else if (!name.contains('.') && !llvm::is_contained(opClassNames(), name))
        add(figuresPath, "is no class of ops" +
                             didYouMean(name, opClassNames()) +
                             " (classes: " + llvm::join(opClassNames(), ", ") +
                             "; or an op, as llm.add; either may be followed "
                             "by @ and a library)");
      else if (!seen.insert(figures.kernel).second)
        add(figuresPath, "is there twice");
      if (llvm::none_of(kernelNumbers(),
                        [&](const NumberField<KernelFigures> &number) {
                          return number.get(figures).has_value();
                        }) &&
          figures.tiles.empty())
        add(figuresPath, "has no figures");
      checkNumbers(figuresPath + ".", kernelNumbers(), figures);
      if (!figures.formats.empty() && library.empty())
        add(figuresPath + "." + keys::formats,
            "are of the figures of a library, as in '" + name + "@vllm'");
      checkTiles(engine, figures, (figuresPath + "." + keys::tiles).str());
      checkSpread(figuresPath, figures);
      checkDefault(engine.kernels, &KernelFigures::kernel, figures,
                   figuresPath, "vllm");
    }
  }

  /// Checks that tiles belong to products, that each has a size that fits, and
  /// that those for fewer rows come first.
  void checkTiles(const Engine &engine, const KernelFigures &figures,
                  const std::string &path) {
    StringRef name = StringRef(figures.kernel).split('@').first;
    if (!figures.tiles.empty() && name != "contraction" && !name.contains('.'))
      add(path, "are those of products, and not of class \"" + name + "\"");
    std::optional<int64_t> before = 0;
    for (auto [index, tile] : llvm::enumerate(figures.tiles)) {
      std::string place = (path + "[" + Twine(index) + "]").str();
      checkNumbers(place + ".", productTileNumbers(), tile);
      if (tile.rows == 0 || tile.columns == 0)
        add(place + (tile.rows == 0 ? ".rows" : ".columns"), "is missing");
      if (tile.mostRows && (!before || *tile.mostRows < *before))
        add(place, "is for no more rows than the tile before it: tiles for "
                   "fewer rows (most_rows) come first");
      before = tile.mostRows;
      checkRoomForSums(engine, tile, place);
    }
    if (!figures.tiles.empty() && before)
      add(path, "have none for more than " + Twine(*before) +
                    " rows: the last tile has no most_rows");
  }

  void checkRoomForSums(const Engine &engine, const ProductTile &tile,
                        const std::string &path) {
    constexpr int64_t sumBytes = 4;
    int64_t elements = checkedMul(tile.rows, tile.columns).value_or(maxCount),
            sums = checkedMul(elements, sumBytes).value_or(maxCount);
    if (engine.accumulatorBytes && sums > *engine.accumulatorBytes)
      add(path, "has " + withThousandsSeparators(sums) +
                    " bytes of sums, and accumulator_bytes_per_unit is " +
                    withThousandsSeparators(*engine.accumulatorBytes));
  }

  void checkLinks() {
    checkNames(keys::links, target.links);
    for (const Link &link : target.links) {
      std::string path = (keys::links + "." + link.name).str();
      checkNumbers(path + ".", linkNumbers(), link);
      checkSpread(path, link);
      if (link.bytesPerSecond == 0)
        add(path + ".bytes_per_second_per_direction", "is missing");
      else
        checkLinkRates(link, path);
      checkShape(link, path);
      checkDefault(target.links, &Link::name, link, path, "nccl");
    }
  }

  void checkLinkRates(const Link &link, const std::string &path) {
    for (const NumberField<Link> &number : linkNumbers())
      if (number.optional && number.unit == "bytes per second")
        checkSustained(path, number.get(link), link.bytesPerSecond,
                       "bytes_per_second_per_direction", number.key);
  }

  /// Checks what joins the devices of a link.
  void checkShape(const Link &link, const std::string &path) {
    bool isTorus = link.torusX || link.torusY || link.torusZ,
         isConnected = link.fullyConnected.value_or(0) != 0;
    if (!isTorus && !isConnected)
      return;
    std::string key = path + (isConnected ? ".fully_connected" : ".torus_x");
    if (&link != &target.links.front())
      add(key, "is of the first link, '" + target.links.front().name +
                   "', whose devices are neighbours");
    if (isTorus && isConnected)
      add(key, "contradicts torus_x: a link is one or the other");
    if (!isTorus)
      return;
    if (!link.torusX || (link.torusZ && !link.torusY))
      add(path + (link.torusX ? ".torus_y" : ".torus_x"),
          "is missing: the dimensions of a torus are x, y and z in this order");
    std::optional<int64_t> plane =
        checkedMul(link.torusX.value_or(1), link.torusY.value_or(1));
    std::optional<int64_t> all =
        plane ? checkedMul(*plane, link.torusZ.value_or(1)) : std::nullopt;
    if (all != link.devices)
      add(path + ".devices",
          "must be torus_x x torus_y x torus_z" +
              (all ? ", " + withThousandsSeparators(*all) : std::string()));
  }

  /// Checks that a default is one library of `all`, links or kernels.
  template <typename Part>
  void checkDefault(const std::vector<Part> &all, std::string Part::*nameOf,
                    const Part &part, const std::string &path,
                    StringRef example) {
    if (part.isDefault != 1)
      return;
    auto [name, library] = StringRef(part.*nameOf).split('@');
    if (library.empty())
      add(path + ".is_default",
          "is of the figures of a library, as in '" + name + "@" + example +
              "'; those without one count where no library has others");
    for (const Part &other : all)
      if (&other < &part && other.isDefault == 1 &&
          StringRef(other.*nameOf).split('@').first == name &&
          areOfOneFormat(other, part))
        add(path + ".is_default", "is 1 in '" + other.*nameOf +
                                      "', too; one library is the default");
  }

  static bool areOfOneFormat(const Link &, const Link &) { return true; }
  /// Figures for all formats stand under those for some.
  static bool areOfOneFormat(const KernelFigures &one,
                             const KernelFigures &other) {
    if (one.formats.empty() || other.formats.empty())
      return one.formats.empty() && other.formats.empty();
    return llvm::any_of(one.formats, [&](StringRef format) {
      return llvm::is_contained(other.formats, format);
    });
  }

  /// Checks that streams are not faster than the datasheet's rate.
  void checkSustained(const std::string &path, std::optional<int64_t> sustained,
                      int64_t rate, StringRef rateKey,
                      StringRef key = "sustained_bytes_per_second") {
    if (sustained && rate > 0 && *sustained > rate)
      add(path + "." + key.str(),
          "is above " + rateKey + ", " + withThousandsSeparators(rate));
  }

  /// Checks `accumulatorBytes`, which once made an engine one of kernels. Now
  /// the cost model does.
  void checkCostModel(const Engine &engine, const std::string &path) {
    if (engine.accumulatorBytes && !engine.hasUnitTiles())
      add((path + "." + keys::accumulatorBytes).str(),
          "is read by cost_model \"kernels\" alone, which the engine does not "
          "have: give it \"cost_model\": \"kernels\"");
  }

  void checkPrivateMemory(const Engine &engine, const std::string &path) {
    if (engine.privateMemory.empty())
      return;
    std::string fieldPath = (path + "." + keys::privateMemory).str();
    const Memory *memory = target.findMemory(engine.privateMemory);
    if (!memory)
      add(fieldPath, noSuchMemory(engine.privateMemory));
    else if (target.isShared(*memory))
      add(fieldPath, "names '" + memory->name +
                         "', the last memory with bytes_per_second, where "
                         "values live between ops: that is a shared memory");
    else if (memory->bytesPerSecond > 0 &&
             engine.costModel != CostModelKind::Tiles)
      add(fieldPath,
          "names '" + memory->name +
              "', whose bytes_per_second is read by cost_model \"tiles\" "
              "alone, which the engine does not have");
  }

  void checkPorts(const Engine &engine, const std::string &path) {
    llvm::StringSet<> seen;
    for (const Port &port : engine.ports) {
      std::string portPath =
          (path + "." + keys::ports + "." + port.memory).str();
      if (!seen.insert(port.memory).second)
        add(portPath, "is there twice");
      checkRange(portPath, port.bytesPerSecond, 1, maxCount);
      const Memory *memory = target.findMemory(port.memory);
      if (!memory)
        add(portPath, noSuchMemory(port.memory));
      else if (!target.isShared(*memory))
        add(portPath, "is a port to a private memory, of which each engine "
                      "has one of its own");
      else if (port.bytesPerSecond > memory->bytesPerSecond)
        add(portPath, "is above the memory's own " +
                          withThousandsSeparators(memory->bytesPerSecond) +
                          " bytes per second");
      else if (memory->lanes > 0 &&
               !checkedMul(port.bytesPerSecond, memory->lanes))
        continue;
      else if (port.bytesPerSecond * memory->lanes <
               memory->usableBytesPerSecond())
        add(portPath, "is below one of the memory's " +
                          withThousandsSeparators(memory->lanes) +
                          " lanes; give the memory more lanes");
    }
  }

  void checkMemories() {
    checkNames(keys::memories, target.memories);
    for (const Memory &memory : target.memories)
      checkMemory(memory, (keys::memories + "." + memory.name).str());
    if (target.sharedMemories().empty())
      add(keys::memories,
          "must hold a shared memory, one with bytes_per_second: "
          "where values live between ops");
  }

  void checkMemory(const Memory &memory, const std::string &path) {
    checkNumbers(path + ".", memoryNumbers(), memory);
    checkRoomOfEngines(memory, path + "." + keys::bytesPerEngine.str());
    if (memory.bytesPerSecond > 0)
      checkSustained(path, memory.sustainedBytesPerSecond,
                     memory.bytesPerSecond, "bytes_per_second");
    else if (memory.sustainedBytesPerSecond)
      add(path + ".sustained_bytes_per_second",
          "is of a rate, and this memory has no bytes_per_second");
    if (target.isShared(memory))
      return;
    if (memory.lanes != Memory::defaultLanes)
      add(path + "." + keys::lanes,
          "cuts a rate that engines share into lanes, and this memory is a "
          "private one");
    bool isUsed = llvm::any_of(target.engines, [&](const Engine &engine) {
      return engine.privateMemory == memory.name;
    });
    if (!isUsed)
      add(path, "has no bytes_per_second, and no engine names it as its "
                "private_memory");
    else if (memory.capacityBytes == 0)
      add(path + "." + keys::capacityBytes,
          "is missing: tiles are cut for a private memory");
  }

  void checkRoomOfEngines(const Memory &memory, const std::string &path) {
    if (!memory.bytesPerEngine)
      return;
    SmallVector<const Memory *> shared = target.sharedMemories();
    if (!shared.empty() && !llvm::is_contained(llvm::drop_end(shared), &memory))
      add(path, "is for a shared memory between engines and the last one, '" +
                    shared.back()->name +
                    "': tiles that come back are kept nearer than that");
    else if (!target.hasRoomForEngines(memory))
      add(path, "times the target's " +
                    withThousandsSeparators(target.countComputeEngines()) +
                    " engines that compute is above the memory's capacity, " +
                    withThousandsSeparators(memory.capacityBytes) + " bytes");
  }

  /// A tenth stays below less than nine tenths stay below.
  template <typename Part>
  void checkSpread(const std::string &path, const Part &part) {
    if (part.p10Percent && part.p90Percent &&
        *part.p10Percent > *part.p90Percent)
      add(path + ".p10_percent", "is above p90_percent");
  }

  std::string noSuchMemory(StringRef name) {
    SmallVector<StringRef> names;
    for (const Memory &memory : target.memories)
      names.push_back(memory.name);
    return "names no memory of the target" + didYouMean(name, names) +
           " (its memories: " + llvm::join(names, ", ") + ")";
  }

  const Target &target;
  std::vector<TargetProblem> problems;
};
} // namespace

std::vector<TargetProblem> Target::findProblems() const {
  return Checker(*this).run();
}

std::vector<std::string> Target::check() const {
  std::vector<std::string> texts;
  for (const TargetProblem &problem : findProblems())
    texts.push_back("'" + problem.path + "' " + problem.reason);
  return texts;
}

} // namespace mlir::llm
