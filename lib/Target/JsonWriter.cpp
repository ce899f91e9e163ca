//===- JsonWriter.cpp - Targets as JSON -----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldTable.h"
#include "Fields.h"
#include "llvm/Support/JSON.h"

namespace mlir::llm {

using ::llvm::json::OStream;

/// Writes the numbers of `part` that `base` does not have, or not with this
/// value.
template <typename Part>
static void writeNumbers(OStream &json, ArrayRef<NumberField<Part>> numbers,
                         const Part &part, const Part &base = Part()) {
  for (const NumberField<Part> &number : numbers)
    if (number.get(part) != number.get(base))
      json.attribute(number.key, *number.get(part));
}

template <typename Part>
static bool haveOtherNumbers(ArrayRef<NumberField<Part>> numbers,
                             const Part &part, const Part &base) {
  return ::llvm::any_of(numbers, [&](const NumberField<Part> &number) {
    return number.get(part) && number.get(part) != number.get(base);
  });
}

static void writeMap(OStream &json, StringRef key,
                     ArrayRef<std::pair<std::string, int64_t>> entries) {
  if (entries.empty())
    return;
  json.attributeObject(key, [&] {
    for (const auto &[name, value] : entries)
      json.attribute(name, value);
  });
}

static void writeMacRates(OStream &json, const Engine &engine) {
  std::vector<std::pair<std::string, int64_t>> macs;
  for (const MacRate &rate : engine.macRates)
    macs.push_back({rate.elementType, rate.macsPerCycle});
  writeMap(json, keys::macs, macs);
}

static void writeEnergies(OStream &json, const Engine &engine) {
  std::vector<std::pair<std::string, int64_t>> energies;
  for (const MacEnergy &energy : engine.macEnergies)
    energies.push_back({energy.elementType, energy.femtojoules});
  writeMap(json, keys::macEnergies, energies);
}

static void writeFormats(OStream &json, ArrayRef<std::string> formats) {
  if (formats.empty())
    return;
  json.attributeArray(keys::formats, [&] {
    for (StringRef format : formats)
      json.value(format);
  });
}

static void writeTiles(OStream &json, ArrayRef<ProductTile> tiles) {
  if (tiles.empty())
    return;
  json.attributeArray(keys::tiles, [&] {
    for (const ProductTile &tile : tiles)
      json.object([&] { writeNumbers(json, productTileNumbers(), tile); });
  });
}

static void writeKernels(OStream &json, const Engine &engine) {
  if (engine.kernels.empty())
    return;
  json.attributeObject(keys::kernels, [&] {
    for (const KernelFigures &figures : engine.kernels)
      json.attributeObject(figures.kernel, [&] {
        writeNumbers(json, kernelNumbers(), figures);
        writeFormats(json, figures.formats);
        writeTiles(json, figures.tiles);
      });
  });
}

static void writeEngine(OStream &json, const Engine &engine) {
  json.attributeArray(keys::kinds, [&] {
    for (EngineKind kind : allEngineKinds)
      if (engine.kinds.contains(kind))
        json.value(StringRef(stringify(kind)));
  });
  if (engine.costModel != CostModelKind::Tiles)
    json.attribute(keys::costModel, StringRef(stringify(engine.costModel)));
  writeNumbers(json, engineNumbers(), engine);
  std::vector<std::pair<std::string, int64_t>> ports;
  for (const Port &port : engine.ports)
    ports.push_back({port.memory, port.bytesPerSecond});
  writeMacRates(json, engine);
  if (!engine.privateMemory.empty())
    json.attribute(keys::privateMemory, engine.privateMemory);
  writeMap(json, keys::ports, ports);
  writeEnergies(json, engine);
  writeKernels(json, engine);
}

template <typename Part>
static void writeParts(OStream &json, StringRef key,
                       const std::vector<Part> &parts,
                       function_ref<void(const Part &)> write) {
  if (parts.empty())
    return;
  json.attributeObject(key, [&] {
    for (const Part &part : parts)
      json.attributeObject(part.name, [&] { write(part); });
  });
}

static void writeMeasured(OStream &json, ArrayRef<MeasuredForm> measured) {
  if (measured.empty())
    return;
  json.attributeObject(keys::measured, [&] {
    for (const MeasuredForm &form : measured)
      json.attributeArray(form.form, [&] {
        for (const MeasuredTime &time : form.times)
          json.array([&] {
            for (int64_t number : numbersOf(time))
              json.value(number);
          });
      });
  });
}

static void writeDatasheet(OStream &json, const Target &target) {
  json.attribute(keys::name, target.name);
  if (!target.description.empty())
    json.attribute(keys::description, target.description);
  json.attribute(keys::clockHz, target.clockHz);
  if (!target.clockIsGiven)
    json.attribute(keys::clockIsGiven, false);
  writeNumbers(json, targetNumbers(), target);
  writeParts<Engine>(json, keys::engines, target.engines,
                     [&](const Engine &engine) { writeEngine(json, engine); });
  writeParts<Memory>(json, keys::memories, target.memories,
                     [&](const Memory &memory) {
                       writeNumbers(json, memoryNumbers(), memory);
                     });
  writeParts<Link>(json, keys::links, target.links, [&](const Link &link) {
    writeNumbers(json, linkNumbers(), link);
  });
  writeMeasured(json, target.measured);
}

/// Writes for each part the numbers that differ from its datasheet.
template <typename Part>
static void writeFittedNumbers(OStream &json, StringRef key,
                               ArrayRef<NumberField<Part>> numbers,
                               const std::vector<Part> &parts,
                               const std::vector<Part> &datasheet) {
  json.attributeObject(key, [&] {
    for (auto [part, base] : ::llvm::zip_equal(parts, datasheet))
      if (haveOtherNumbers(numbers, part, base))
        json.attributeObject(part.name, [&, &part = part, &base = base] {
          writeNumbers(json, numbers, part, base);
        });
  });
}

/// Writes what the target has beyond its datasheet.
static void writeCalibration(OStream &json, const Target &target,
                             const Target &datasheet) {
  json.attribute(keys::fittedOn, target.fittedOn);
  json.attributeObject(keys::engines, [&] {
    for (auto [engine, base] :
         ::llvm::zip_equal(target.engines, datasheet.engines)) {
      if (engine == base)
        continue;
      json.attributeObject(engine.name, [&, &engine = engine, &base = base] {
        writeNumbers(json, engineNumbers(), engine, base);
        if (engine.macRates != base.macRates)
          writeMacRates(json, engine);
        if (engine.macEnergies != base.macEnergies)
          writeEnergies(json, engine);
        if (engine.kernels != base.kernels)
          writeKernels(json, engine);
      });
    }
  });
  writeFittedNumbers(json, keys::memories, memoryNumbers(), target.memories,
                     datasheet.memories);
  writeFittedNumbers(json, keys::links, linkNumbers(), target.links,
                     datasheet.links);
}

void writeTargetJson(raw_ostream &os, const Target &target,
                     const Target &datasheet) {
  OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    writeDatasheet(json, datasheet);
    if (target.fittedOn != datasheet.fittedOn)
      json.attributeObject(keys::calibration,
                           [&] { writeCalibration(json, target, datasheet); });
  });
  os << "\n";
}

} // namespace mlir::llm
