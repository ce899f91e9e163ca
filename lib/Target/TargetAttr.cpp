//===- TargetAttr.cpp - Targets as DLTI attributes ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldTable.h"
#include "Fields.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

static constexpr StringRef specName = DLTIDialect::kTargetSystemDescAttrName;

bool hasTarget(ModuleOp module) { return module->hasAttr(specName); }

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Collects entries in order. Leaves out empty maps, because DLTI refuses them.
class MapWriter {
public:
  explicit MapWriter(MLIRContext *context) : builder(context) {}

  void add(StringRef key, Attribute value) {
    entries.push_back(
        DataLayoutEntryAttr::get(builder.getStringAttr(key), value));
  }
  void add(StringRef key, int64_t value) {
    add(key, builder.getI64IntegerAttr(value));
  }
  void add(StringRef key, std::optional<int64_t> value) {
    if (value)
      add(key, *value);
  }
  void add(StringRef key, StringRef text) {
    if (!text.empty())
      add(key, builder.getStringAttr(text));
  }
  void add(StringRef key, const MapWriter &map) {
    if (!map.entries.empty())
      add(key, MapAttr::get(builder.getContext(), map.entries));
  }

  Builder builder;
  SmallVector<DataLayoutEntryInterface> entries;
};
} // namespace

/// Adds the whole numbers that are given or have a default.
template <typename Part>
static void addNumbers(MapWriter &map, ArrayRef<NumberField<Part>> numbers,
                       const Part &part) {
  for (const NumberField<Part> &number : numbers)
    if (number.get(part).value_or(-1) >= number.least)
      map.add(number.key, number.get(part));
}

static void addTiles(MapWriter &map, ArrayRef<ProductTile> tiles) {
  SmallVector<Attribute> maps;
  for (const ProductTile &tile : tiles) {
    MapWriter numbers(map.builder.getContext());
    addNumbers(numbers, productTileNumbers(), tile);
    maps.push_back(MapAttr::get(map.builder.getContext(), numbers.entries));
  }
  if (!maps.empty())
    map.add(keys::tiles, map.builder.getArrayAttr(maps));
}

static MapWriter writeEngine(const Engine &engine, MLIRContext *context) {
  MapWriter map(context), macs(context), energies(context), ports(context),
      kernels(context);
  SmallVector<StringRef> kinds;
  for (EngineKind kind : allEngineKinds)
    if (engine.kinds.contains(kind))
      kinds.push_back(stringify(kind));
  for (const MacRate &rate : engine.macRates)
    macs.add(rate.elementType, rate.macsPerCycle);
  for (const MacEnergy &energy : engine.macEnergies)
    energies.add(energy.elementType, energy.femtojoules);
  for (const Port &port : engine.ports)
    ports.add(port.memory, port.bytesPerSecond);
  for (const KernelFigures &figures : engine.kernels) {
    MapWriter numbers(context);
    addNumbers(numbers, kernelNumbers(), figures);
    SmallVector<StringRef> formats(figures.formats.begin(),
                                   figures.formats.end());
    if (!formats.empty())
      numbers.add(keys::formats, numbers.builder.getStrArrayAttr(formats));
    addTiles(numbers, figures.tiles);
    kernels.add(figures.kernel, numbers);
  }
  map.add(keys::kinds, map.builder.getStrArrayAttr(kinds));
  if (engine.costModel != CostModelKind::Tiles)
    map.add(keys::costModel, StringRef(stringify(engine.costModel)));
  addNumbers(map, engineNumbers(), engine);
  map.add(keys::macs, macs);
  map.add(keys::macEnergies, energies);
  map.add(keys::privateMemory, StringRef(engine.privateMemory));
  map.add(keys::ports, ports);
  map.add(keys::kernels, kernels);
  return map;
}

static MapWriter writeMemory(const Memory &memory, bool isShared,
                             MLIRContext *context) {
  MapWriter map(context);
  for (const NumberField<Memory> &number : memoryNumbers())
    if (number.get(memory).value_or(-1) >= number.least &&
        (isShared || number.key != keys::lanes))
      map.add(number.key, number.get(memory));
  return map;
}

static MapWriter writeLink(const Link &link, MLIRContext *context) {
  MapWriter map(context);
  addNumbers(map, linkNumbers(), link);
  return map;
}

static ArrayAttr writeTimes(const MeasuredForm &form, Builder builder) {
  SmallVector<Attribute> times;
  for (const MeasuredTime &time : form.times)
    times.push_back(builder.getDenseI64ArrayAttr(numbersOf(time)));
  return builder.getArrayAttr(times);
}

static TargetDeviceSpecAttr toDevice(const Target &target,
                                     MLIRContext *context) {
  context->getOrLoadDialect<DLTIDialect>();
  MapWriter device(context), engines(context), memories(context),
      links(context), measured(context);
  for (const Engine &engine : target.engines)
    if (!engine.isLink) // it follows from the links
      engines.add(engine.name, writeEngine(engine, context));
  for (const Memory &memory : target.memories)
    memories.add(memory.name,
                 writeMemory(memory, target.isShared(memory), context));
  for (const Link &link : target.links)
    links.add(link.name, writeLink(link, context));
  for (const MeasuredForm &form : target.measured)
    measured.add(form.form, writeTimes(form, measured.builder));

  device.add(keys::description, StringRef(target.description));
  device.add(keys::clockHz, target.clockHz);
  if (!target.clockIsGiven)
    device.add(keys::clockIsGiven, device.builder.getBoolAttr(false));
  device.add(keys::engines, engines);
  device.add(keys::memories, memories);
  device.add(keys::links, links);
  device.add(keys::fittedOn, StringRef(target.fittedOn));
  device.add(keys::measured, measured);
  addNumbers(device, targetNumbers(), target);
  return TargetDeviceSpecAttr::get(context, device.entries);
}

void writeTarget(ModuleOp module, const Target &target) {
  MLIRContext *context = module.getContext();
  MapWriter system(context);
  system.add(target.name, toDevice(target, context));
  module->setAttr(specName, TargetSystemSpecAttr::get(context, system.entries));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Prints an attribute for a message. One of another dialect may be long.
static std::string printed(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  constexpr size_t most = 80;
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

static std::string spell(DataLayoutEntryKey key) {
  if (auto name = dyn_cast<StringAttr>(key))
    return name.str();
  std::string text;
  llvm::raw_string_ostream(text) << cast<Type>(key);
  return text;
}

static Field toField(Attribute attribute, const Field &parent, StringRef path);

static void addMembers(Field &map, DataLayoutEntryListRef entries) {
  map.kind = Field::Kind::Map;
  for (DataLayoutEntryInterface entry : entries) {
    std::string key = spell(entry.getKey());
    map.members.emplace_back(key,
                             toField(entry.getValue(), map, map.pathOf(key)));
  }
}

static Field toField(Attribute attribute, const Field &parent, StringRef path) {
  Field field(path.str(), parent.location, parent.context);
  if (auto map = dyn_cast<MapAttr>(attribute)) {
    addMembers(field, map.getEntries());
  } else if (auto boolean = dyn_cast<BoolAttr>(attribute)) {
    field.kind = Field::Kind::Boolean;
    field.boolean = boolean.getValue();
  } else if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    field.kind = Field::Kind::Number;
    field.text = llvm::toString(integer.getValue(), 10,
                                !integer.getType().isUnsignedInteger());
  } else if (auto text = dyn_cast<StringAttr>(attribute)) {
    field.kind = Field::Kind::String;
    field.text = text.str();
  } else if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    field.kind = Field::Kind::List;
    for (auto [at, element] : llvm::enumerate(list))
      field.members.emplace_back(
          "", toField(element, parent, (path + "[" + Twine(at) + "]").str()));
  } else if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    field.kind = Field::Kind::List;
    for (auto [at, number] : llvm::enumerate(numbers.asArrayRef())) {
      Field &element =
          field.members
              .emplace_back("", Field((path + "[" + Twine(at) + "]").str(),
                                      parent.location, parent.context))
              .second;
      element.kind = Field::Kind::Number;
      element.text = std::to_string(number);
    }
  } else {
    field.text = printed(attribute);
  }
  return field;
}

Field targetToFields(const Target &target, Location location,
                     std::string context) {
  Field root("", location, std::move(context));
  addMembers(root, toDevice(target, location.getContext()).getEntries());
  return root;
}

InFlightDiagnostic emitInnerTarget(ModuleOp inner) {
  return emitError(inner.getLoc())
         << "a module within the module has a target of its own, but one is "
            "taken for all functions; put it on the outer module";
}

LogicalResult checkInnerModules(ModuleOp module) {
  WalkResult result = module.walk([&](ModuleOp inner) -> WalkResult {
    if (inner == module || !hasTarget(inner))
      return WalkResult::advance();
    return emitInnerTarget(inner);
  });
  return failure(result.wasInterrupted());
}

FailureOr<Target> readTarget(ModuleOp module) {
  if (failed(checkInnerModules(module)))
    return failure();
  return readOwnTarget(module);
}

/// A program over several chips runs its collectives on the links.
static FailureOr<Target> connectToGrid(ModuleOp module, Target target) {
  GridAttr grid = GridAttr::ofModule(module);
  std::string problem = grid ? target.connect(grid.countChips()) : "";
  if (problem.empty())
    return target;
  return emitError(module.getLoc()) << problem;
}

FailureOr<Target> readOwnTarget(ModuleOp module) {
  Attribute attribute = module->getAttr(specName);
  if (!attribute)
    return emitError(module.getLoc())
           << "the module has no target: no '" << specName
           << "'; run --llm-target first";
  auto system = dyn_cast<TargetSystemSpecAttr>(attribute);
  if (!system)
    return emitError(module.getLoc())
           << "'" << specName << "' must be a #dlti.target_system_spec";
  if (system.getEntries().size() != 1)
    return emitError(module.getLoc())
           << "'" << specName << "' must hold one device, got "
           << system.getEntries().size();
  DataLayoutEntryInterface entry = system.getEntries().front();
  auto device = dyn_cast<TargetDeviceSpecAttr>(entry.getValue());
  if (!device)
    return emitError(module.getLoc())
           << "'" << specName << "' must hold a #dlti.target_device_spec";
  std::string name = spell(entry.getKey());
  Field root("", module.getLoc(), "target '" + name + "': ");
  addMembers(root, device.getEntries());
  FailureOr<Target> target = readTargetFields(root, StringRef(name));
  if (failed(target))
    return failure();
  return connectToGrid(module, std::move(*target));
}

} // namespace mlir::llm
