//===- Target.cpp - Typed view of the hardware description ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Target/Target.h"
#include "FieldTable.h"
#include "Fields.h"
#include "Libraries.h"
#include "llm/Support/Units.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <tuple>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

const Memory *Target::findMemory(StringRef name) const {
  auto found = llvm::find_if(
      memories, [&](const Memory &memory) { return memory.name == name; });
  return found == memories.end() ? nullptr : &*found;
}

bool Target::isShared(const Memory &memory) const {
  if (memory.bytesPerSecond == 0)
    return false;
  const Memory *last = nullptr;
  for (const Memory &other : memories)
    if (other.bytesPerSecond > 0)
      last = &other;
  return memory.name == last->name ||
         llvm::none_of(engines, [&](const Engine &engine) {
           return engine.privateMemory == memory.name;
         });
}

SmallVector<const Memory *> Target::sharedMemories() const {
  SmallVector<const Memory *> shared;
  for (const Memory &memory : memories)
    if (isShared(memory))
      shared.push_back(&memory);
  return shared;
}

SmallVector<const Memory *> Target::sharedResources() const {
  SmallVector<const Memory *> shared = sharedMemories();
  for (const Memory &link : network)
    shared.push_back(&link);
  return shared;
}

const Memory *Target::findSharedResource(StringRef name) const {
  for (const Memory *resource : sharedResources())
    if (resource->name == name)
      return resource;
  return nullptr;
}

std::string Target::connect(int64_t chips) {
  auto isDone = [&] { return chips <= 1; };
  for (const Link &link : links) {
    if (isDone() || isOfLibrary(link))
      continue;
    bool isTaken = findMemory(link.name) ||
                   llvm::any_of(engines, [&](const Engine &engine) {
                     return engine.name == link.name;
                   });
    if (isTaken)
      return "'links." + link.name +
             "' has the name of an engine or a memory: with several chips, a "
             "link needs a name of its own";
    Memory shared;
    shared.name = link.name;
    shared.bytesPerSecond = link.bytesPerSecond;
    shared.sustainedBytesPerSecond = link.sustainedBytesPerSecond;
    network.push_back(std::move(shared));
    Engine engine;
    engine.name = link.name;
    engine.kinds = EngineKind::Network;
    engine.isLink = true;
    engines.push_back(std::move(engine));
    if (link.devices >= chips)
      chips = 1;
  }
  if (isDone())
    return {};
  int64_t most = 1;
  StringRef last;
  for (const Link &link : links)
    if (!isOfLibrary(link)) {
      most = std::max(most, link.devices);
      last = link.name;
    }
  std::string count = std::to_string(chips);
  std::string start = "the program's grid has " + count + " chips, and ";
  if (links.empty())
    return start + "target '" + name +
           "' has no links: write \"links\": {\"ring\": "
           "{\"bytes_per_second_per_direction\": 100e9, \"devices\": " +
           count +
           "}} into its file, or take a preset with links "
           "(llm-opt --llm-list-targets)";
  return start + "the links of target '" + name + "' join " +
         std::to_string(most) + ": set=links." + last.str() +
         ".devices=" + count + " asks what if one joined so many";
}

const Link *Target::findLink(int64_t devices) const {
  for (const Link &link : links)
    if (link.devices >= devices && !isOfLibrary(link))
      return &link;
  return nullptr;
}

const Memory &Target::dram() const { return *sharedMemories().back(); }

int64_t Target::countComputeEngines() const {
  int64_t count = 0;
  for (const Engine &engine : engines)
    count += engine.isCompute() ? engine.count : 0;
  return count;
}

bool Target::hasRoomForEngines(const Memory &memory) const {
  return memory.capacityBytes == 0 ||
         memory.bytesPerEngine.value_or(0) <=
             memory.capacityBytes / std::max<int64_t>(1, countComputeEngines());
}

const Memory *Target::privateMemoryOf(const Engine &engine) const {
  return engine.privateMemory.empty() ? nullptr
                                      : findMemory(engine.privateMemory);
}

int64_t Target::portBytesPerSecond(const Engine &engine,
                                   const Memory &memory) const {
  int64_t rate = memory.usableBytesPerSecond();
  for (const Port &port : engine.ports)
    if (port.memory == memory.name)
      rate = std::min(rate, port.bytesPerSecond);
  return rate;
}

int64_t Target::portLanes(const Engine &engine, const Memory &memory) const {
  // This is at most the number of lanes, as the port's rate is at most the
  // memory's.
  return *ceilMulDiv(memory.lanes, portBytesPerSecond(engine, memory), 1,
                     memory.usableBytesPerSecond());
}

int64_t Target::countMemoryEngines() const {
  int64_t count = 0;
  for (const Engine &engine : engines)
    if (engine.kinds.contains(EngineKind::Memory))
      count += engine.count;
  return count;
}

SmallVector<const Engine *, 1> Target::findEngines(EngineKindSet kinds) const {
  if (const Engine *engine = findEngine(kinds))
    return {engine};
  if (kinds.contains(EngineKind::Memory) || kinds.contains(EngineKind::Network))
    return {};
  SmallVector<const Engine *, 1> together;
  for (EngineKind kind : allEngineKinds) {
    if (!kinds.contains(kind))
      continue;
    const Engine *engine = findEngine(kind);
    if (!engine || engine->costModel == CostModelKind::Kernels)
      return {};
    together.push_back(engine);
  }
  return together;
}

const Engine *Target::findEngine(EngineKindSet kinds) const {
  auto found = llvm::find_if(engines, [&](const Engine &engine) {
    return engine.kinds.containsAll(kinds);
  });
  return found == engines.end() ? nullptr : &*found;
}

//===----------------------------------------------------------------------===//
// Rates
//===----------------------------------------------------------------------===//

namespace {
/// An element type in the search for a rate. A wider type of the same class can
/// do its work.
struct ElementClass {
  bool isFloat;
  unsigned width;
};

struct KnownElementType {
  StringRef name;
  ElementClass elementClass;
};
} // namespace

static constexpr KnownElementType elementTypeTable[] = {
    {"f4E2M1FN", {true, 4}},      {"f6E2M3FN", {true, 6}},
    {"f6E3M2FN", {true, 6}},      {"f8E5M2", {true, 8}},
    {"f8E4M3", {true, 8}},        {"f8E4M3FN", {true, 8}},
    {"f8E5M2FNUZ", {true, 8}},    {"f8E4M3FNUZ", {true, 8}},
    {"f8E4M3B11FNUZ", {true, 8}}, {"f8E3M4", {true, 8}},
    {"bf16", {true, 16}},         {"f16", {true, 16}},
    {"tf32", {true, 19}},         {"f32", {true, 32}},
    {"f64", {true, 64}},          {"i1", {false, 1}},
    {"i2", {false, 2}},           {"i4", {false, 4}},
    {"i8", {false, 8}},           {"i16", {false, 16}},
    {"i32", {false, 32}},         {"i64", {false, 64}},
};

ArrayRef<StringRef> knownElementTypes() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> names;
    for (const KnownElementType &type : elementTypeTable)
      names.push_back(type.name);
    return names;
  }();
  return names;
}

static std::optional<ElementClass> classify(StringRef name) {
  for (const KnownElementType &type : elementTypeTable)
    if (type.name == name)
      return type.elementClass;
  return std::nullopt;
}

/// Finds the class of a type, and its name in a table of rates, where signs do
/// not matter.
static std::optional<ElementClass> classify(Type type, std::string &name) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    name = "i" + std::to_string(integer.getWidth());
    return ElementClass{false, integer.getWidth()};
  }
  auto floating = dyn_cast<FloatType>(type);
  if (!floating)
    return std::nullopt;
  // Printing a type is slow, and each way to cut an op asks. The name of a
  // builtin type is its keyword behind a prefix.
  StringRef keyword = type.getAbstractType().getName();
  if (keyword.consume_front("builtin."))
    name = keyword.str();
  else
    llvm::raw_string_ostream(name) << type;
  return ElementClass{true, floating.getWidth()};
}

static const MacRate *findRate(ArrayRef<MacRate> rates, StringRef name) {
  for (const MacRate &rate : rates)
    if (rate.elementType == name)
      return &rate;
  return nullptr;
}

/// That of the narrowest type that is wide enough.
static const MacRate *findWidened(ArrayRef<MacRate> rates,
                                  ElementClass wanted) {
  const MacRate *best = nullptr;
  unsigned bestWidth = 0;
  for (const MacRate &rate : rates) {
    std::optional<ElementClass> given = classify(rate.elementType);
    if (!given || given->isFloat != wanted.isFloat ||
        given->width < wanted.width)
      continue;
    if (!best || given->width < bestWidth)
      best = &rate, bestWidth = given->width;
  }
  return best;
}

std::optional<int64_t> Target::macsPerCycle(const Engine &engine,
                                            Type elementType,
                                            std::string &usedType) {
  std::string name;
  std::optional<ElementClass> wanted = classify(elementType, name);
  if (!wanted)
    return std::nullopt;
  // The best rate is that of the type itself, or else of the narrowest type
  // that is wide enough. Among equals it is the first.
  const MacRate *best = findRate(engine.macRates, name);
  if (!best)
    best = findWidened(engine.macRates, *wanted);
  if (!best)
    return std::nullopt;
  usedType = best->elementType;
  return checkedMul(best->macsPerCycle, engine.units);
}

std::optional<int64_t> Target::macFemtojoules(const Engine &engine,
                                              Type elementType) {
  std::string usedType;
  if (!elementType || !macsPerCycle(engine, elementType, usedType))
    return std::nullopt;
  // Arrays multiply both 16-bit floats alike.
  StringRef twin = usedType == "bf16" ? "f16" : usedType == "f16" ? "bf16" : "";
  for (StringRef type : {StringRef(usedType), twin})
    for (const MacEnergy &energy : engine.macEnergies)
      if (energy.elementType == type)
        return energy.femtojoules;
  return std::nullopt;
}

static std::optional<int64_t> ratePerUnit(const Engine &engine, WorkKind kind) {
  switch (kind) {
  case WorkKind::Mac:
    return std::nullopt; // it depends on the element type
  case WorkKind::Alu:
    return engine.aluPerCycle;
  case WorkKind::Special:
    return engine.specialPerCycle;
  case WorkKind::Compare:
    return engine.comparePerCycle;
  }
  return std::nullopt;
}

std::optional<int64_t> Target::opsPerCycle(const Engine &engine,
                                           WorkKind kind) {
  if (std::optional<int64_t> rate = ratePerUnit(engine, kind))
    return checkedMul(*rate, engine.units);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Changing the count of engines
//===----------------------------------------------------------------------===//

std::string describeSharedDram(const Target &target, const Engine &engine) {
  std::string count = withThousandsSeparators(engine.count);
  return count + " x '" + engine.name + "' (" +
         withThousandsSeparators(engine.units) + " units each) share one '" +
         target.dram().name +
         "', whose rate and capacity are those of one device: this is no "
         "machine of " +
         count + " chips; --llm-shard=tp=" + std::to_string(engine.count) +
         " and --llm-partition, or tp=" + std::to_string(engine.count) +
         " of --llm-pipeline, cut a program over chips";
}

static LogicalResult setCount(Target &target, Engine &engine, int64_t count,
                              EmitError emitError, std::string &remark) {
  if (count < 1 || count > Target::maxEngines)
    return emitError() << "the number of "
                       << (engine.isCompute() ? "compute" : "memory")
                       << " engines must be between 1 and "
                       << withThousandsSeparators(Target::maxEngines)
                       << ", got " << count;
  int64_t before = std::exchange(engine.count, count);
  for (const Memory &memory : target.memories)
    if (!target.hasRoomForEngines(memory)) {
      engine.count = before;
      return emitError() << "'" << memory.name << "' has "
                         << withThousandsSeparators(memory.capacityBytes)
                         << " bytes, too few for "
                         << withThousandsSeparators(*memory.bytesPerEngine)
                         << " (bytes_per_engine) of each engine with "
                         << withThousandsSeparators(count) << " '"
                         << engine.name << "'";
    }
  if (engine.units > 1 && count > 1)
    remark = describeSharedDram(target, engine);
  return success();
}

LogicalResult setComputeEngines(Target &target, int64_t count,
                                EmitError emitError, std::string &remark) {
  remark.clear();
  SmallVector<Engine *> groups;
  for (Engine &engine : target.engines)
    if (engine.isCompute())
      groups.push_back(&engine);
  if (groups.empty())
    return emitError() << "target '" << target.name
                       << "' has no compute engines to set the number of";
  if (groups.size() > 1) {
    Refusal diagnostic = emitError();
    diagnostic << "target '" << target.name
               << "' has several groups of compute engines (";
    llvm::interleaveComma(groups, diagnostic,
                          [&](Engine *engine) { diagnostic << engine->name; });
    return diagnostic << "): name those to set the number of, as in '"
                      << groups.front()->name << ":" << count << "'";
  }
  return setCount(target, *groups.front(), count, emitError, remark);
}

LogicalResult setEngines(Target &target, StringRef group, int64_t count,
                         EmitError emitError, std::string &remark) {
  remark.clear();
  auto engine = llvm::find_if(target.engines,
                              [&](const Engine &e) { return e.name == group; });
  if (engine != target.engines.end())
    return setCount(target, *engine, count, emitError, remark);
  SmallVector<StringRef> known;
  for (const Engine &each : target.engines)
    known.push_back(each.name);
  return emitError() << "target '" << target.name << "' has no engines '"
                     << group << "'" << didYouMean(group, known)
                     << " (engines: " << llvm::join(known, ", ")
                     << "; --llm-list-targets shows other targets)";
}

//===----------------------------------------------------------------------===//
// Text and comparison
//===----------------------------------------------------------------------===//

/// Writes " key=value" for each number that is given.
template <typename Part>
static void describeNumbers(llvm::raw_ostream &os,
                            ArrayRef<NumberField<Part>> numbers,
                            const Part &part, StringRef except = "") {
  for (const NumberField<Part> &number : numbers)
    if (std::optional<int64_t> value = number.get(part);
        value && number.key != except)
      os << " " << number.key << "=" << *value;
}

void Target::forgetMeasuredTimes() {
  for (MeasuredForm &form : measured)
    for (MeasuredTime &time : form.times)
      time.picoseconds = 0;
}

/// Returns one number for a table, which may be long.
static uint64_t hashOf(ArrayRef<MeasuredForm> measured) {
  std::string text;
  ::llvm::raw_string_ostream os(text);
  for (const MeasuredForm &form : measured) {
    os << form.form << "\n";
    for (const MeasuredTime &time : form.times) {
      ::llvm::interleave(numbersOf(time), os, ",");
      os << "\n";
    }
  }
  return ::llvm::xxh3_64bits(text);
}

std::string describeForCost(const Target &target, const Engine &engine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "clock_hz=" << target.clockHz << " kinds=";
  for (EngineKind kind : allEngineKinds)
    if (engine.kinds.contains(kind))
      os << StringRef(stringify(kind)) << ",";
  if (engine.costModel != CostModelKind::Tiles)
    os << " cost_model=" << StringRef(stringify(engine.costModel));
  describeNumbers(os, targetNumbers(), target);
  describeNumbers(os, engineNumbers(), engine, /*except=*/keys::count);
  for (const MacRate &rate : engine.macRates)
    os << " mac." << rate.elementType << "=" << rate.macsPerCycle;
  for (const MacEnergy &energy : engine.macEnergies)
    os << " energy." << energy.elementType << "=" << energy.femtojoules;
  for (const KernelFigures &figures : engine.kernels) {
    os << " " << figures.kernel << ":";
    describeNumbers(os, kernelNumbers(), figures);
    if (!figures.formats.empty())
      os << " formats=" << ::llvm::join(figures.formats, ",");
    for (const ProductTile &tile : figures.tiles) {
      os << " tile:";
      describeNumbers(os, productTileNumbers(), tile);
    }
  }
  if (const Memory *memory = target.privateMemoryOf(engine)) {
    os << " private=" << memory->capacityBytes;
    if (memory->bytesPerSecond > 0)
      os << " at=" << memory->usableBytesPerSecond();
    if (memory->femtojoulesPerByte)
      os << " energy=" << *memory->femtojoulesPerByte;
  }
  for (const Memory *memory :
       engine.isLink ? target.sharedResources() : target.sharedMemories()) {
    os << " " << memory->name << ":";
    describeNumbers(os, memoryNumbers(), *memory);
    os << " port_lanes=" << target.portLanes(engine, *memory);
  }
  for (const Link &link : target.links) {
    os << " " << link.name << ":";
    describeNumbers(os, linkNumbers(), link);
  }
  if (!target.measured.empty())
    os << " measured=" << ::llvm::utohexstr(hashOf(target.measured));
  return text;
}

bool MacRate::operator==(const MacRate &other) const {
  return elementType == other.elementType && macsPerCycle == other.macsPerCycle;
}

bool MacEnergy::operator==(const MacEnergy &other) const {
  return elementType == other.elementType && femtojoules == other.femtojoules;
}

bool Memory::operator==(const Memory &other) const {
  return name == other.name && haveEqualNumbers(memoryNumbers(), *this, other);
}

bool Link::operator==(const Link &other) const {
  return name == other.name && haveEqualNumbers(linkNumbers(), *this, other);
}

bool ProductTile::operator==(const ProductTile &other) const {
  return haveEqualNumbers(productTileNumbers(), *this, other);
}

bool KernelFigures::operator==(const KernelFigures &other) const {
  return kernel == other.kernel && formats == other.formats &&
         tiles == other.tiles &&
         haveEqualNumbers(kernelNumbers(), *this, other);
}

bool Port::operator==(const Port &other) const {
  return memory == other.memory && bytesPerSecond == other.bytesPerSecond;
}

bool Engine::operator==(const Engine &other) const {
  auto tie = [](const Engine &e) {
    return std::tie(e.name, e.kinds, e.costModel, e.macRates, e.macEnergies,
                    e.kernels, e.privateMemory, e.ports);
  };
  return tie(*this) == tie(other) &&
         haveEqualNumbers(engineNumbers(), *this, other);
}

bool Target::operator==(const Target &other) const {
  auto tie = [](const Target &t) {
    return std::tie(t.name, t.description, t.clockHz, t.clockIsGiven, t.engines,
                    t.memories, t.links, t.fittedOn, t.measured);
  };
  return tie(*this) == tie(other) &&
         haveEqualNumbers(targetNumbers(), *this, other);
}

} // namespace mlir::llm
