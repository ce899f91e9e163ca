//===- JsonSchema.cpp - The JSON form of targets as a schema --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schema says what each field may be. The loader checks what depends on
// several fields.
//
//===----------------------------------------------------------------------===//

#include "FieldTable.h"
#include "Fields.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace mlir::llm {

using ::llvm::json::OStream;

/// Makes a title: "clock_hz" as "Clock hz".
static std::string titleOf(StringRef key) {
  std::string title = key.str();
  std::replace(title.begin(), title.end(), '_', ' ');
  title.front() = ::llvm::toUpper(title.front());
  return title;
}

/// Removes the marks of the README from the prose of a field.
static std::string plain(StringRef text) {
  std::string result = text.str();
  ::llvm::erase(result, '`');
  return result;
}

namespace {
class SchemaWriter {
public:
  explicit SchemaWriter(raw_ostream &os) : json(os, /*IndentSize=*/2) {}

  void write() {
    json.object([&] {
      json.attribute("$schema", "https://json-schema.org/draft/2020-12/schema");
      json.attribute("title", "Target of llm-opt");
      json.attribute("description",
                     "A machine that programs are scheduled on. What fields "
                     "say of each other, llm-opt checks when it reads them.");
      writeObject([&] {
        writeOthers(targetOthers());
        writeNumbers(targetNumbers());
      });
      writeRequired(targetOthers());
      json.attributeObject("$defs", [&] { writeDefinitions(); });
    });
  }

private:
  void writeDefinitions() {
    writeDefinition("engine", [&] {
      writeObject([&] {
        writeOthers(engineOthers());
        writeNumbers(engineNumbers());
      });
      writeRequired(engineOthers());
      writeMatrixNeedsRates();
    });
    writeDefinition(
        "memory", [&] { writeObject([&] { writeNumbers(memoryNumbers()); }); });
    writeDefinition("link", [&] {
      writeObject([&] { writeNumbers(linkNumbers()); });
      writeRequired(linkNumbers());
    });
    writeDefinition("kernel", [&] {
      writeObject([&] {
        writeOthers(kernelOthers());
        writeNumbers(kernelNumbers());
      });
      json.attribute("minProperties", 1);
    });
    writeDefinition("tile", [&] {
      writeObject([&] { writeNumbers(productTileNumbers()); });
      writeRequired(productTileNumbers());
    });
    writeDefinition("calibration", [&] {
      writeObject([&] { writeCalibration(); });
      writeRequired(calibrationOthers());
    });
    writeDefinition("calibrated_engine", [&] {
      writeObject([&] {
        writeReferences("engine",
                        {keys::macs, keys::macEnergies, keys::kernels},
                        engineNumbers());
      });
    });
    writeDefinition("calibrated_link", [&] {
      writeObject([&] { writeReferences("link", {}, linkNumbers()); });
    });
    writeDefinition("element_type",
                    [&] { writeEnumeration(knownElementTypes()); });
  }

  void writeDefinition(StringRef name, function_ref<void()> write) {
    json.attributeObject(name, write);
  }

  /// Writes the members of a map whose keys are known.
  void writeObject(function_ref<void()> writeProperties) {
    json.attribute("type", "object");
    json.attributeObject("properties", writeProperties);
    json.attribute("additionalProperties", false);
  }

  template <typename Range>
  void writeRequired(const Range &fields) {
    json.attributeArray("required", [&] {
      for (const auto &field : fields)
        if (field.absent == "required")
          json.value(field.key);
    });
  }

  template <typename Part>
  void writeNumbers(ArrayRef<NumberField<Part>> numbers) {
    for (const NumberField<Part> &number : numbers)
      json.attributeObject(number.key, [&] {
        writeProse(number.key, number.unit, number.absent, number.meaning);
        writeRange(number.least, number.most);
      });
  }

  void writeOthers(ArrayRef<OtherField> fields) {
    for (const OtherField &field : fields)
      json.attributeObject(field.key, [&] {
        writeProse(field.key, field.unit, field.absent, field.meaning);
        writeShape(field.key);
      });
  }

  /// Writes title, description and unit, and the default if it is a number.
  void writeProse(StringRef key, StringRef unit, StringRef absent,
                  StringRef meaning) {
    json.attribute("title", titleOf(key));
    int64_t number = 0;
    bool isNumber = ::llvm::to_integer(absent, number, 10);
    std::string text = plain(meaning);
    if (!isNumber && absent != "required")
      text += ". Not given: " + plain(absent);
    json.attribute("description", text);
    if (!unit.empty())
      json.attribute("unit", unit);
    if (isNumber)
      json.attribute("default", number);
  }

  void writeRange(int64_t least, int64_t most) {
    json.attribute("type", "integer");
    json.attribute("minimum", least);
    json.attribute("maximum", most);
  }

  /// Writes the type of a field that is more than an optional whole number.
  void writeShape(StringRef key) {
    if (key == keys::clockHz)
      return writeRange(1, maxCount);
    if (key == keys::clockIsGiven)
      return json.attribute("type", "boolean");
    if (key == keys::kinds)
      return writeKinds();
    if (key == keys::costModel)
      return writeCostModels();
    if (key == keys::macs)
      return writeRates(1, /*byType=*/true);
    if (key == keys::macEnergies)
      return writeRates(0, /*byType=*/true);
    if (key == keys::ports)
      return writeRates(1, /*byType=*/false);
    if (key == keys::engines)
      return writeParts("engine");
    if (key == keys::memories)
      return writeParts("memory");
    if (key == keys::links)
      return writeParts("link");
    if (key == keys::kernels)
      return writeKernels();
    if (key == keys::formats)
      return writeFormats();
    if (key == keys::tiles)
      return writeTiles();
    if (key == keys::calibration)
      return writeReference("calibration");
    if (key == keys::measured)
      return writeMeasured();
    writeText(/*mayBeEmpty=*/key != keys::name);
  }

  void writeText(bool mayBeEmpty) {
    json.attribute("type", "string");
    if (!mayBeEmpty)
      json.attribute("minLength", 1);
  }

  void writeReference(StringRef definition) {
    json.attribute("$ref", ("#/$defs/" + definition).str());
  }

  void writeEnumeration(ArrayRef<StringRef> values) {
    json.attributeArray("enum", [&] {
      for (StringRef value : values)
        json.value(value);
    });
  }

  void writeKinds() {
    json.attribute("type", "array");
    json.attribute("minItems", 1);
    json.attributeObject("items", [&] {
      std::vector<StringRef> names;
      for (EngineKind kind : allEngineKinds)
        names.push_back(stringify(kind));
      writeEnumeration(names);
    });
  }

  void writeCostModels() {
    std::vector<StringRef> names;
    for (CostModelKind kind : allCostModelKinds)
      names.push_back(stringify(kind));
    writeEnumeration(names);
  }

  /// Writes a map to whole numbers, from element types or any names.
  void writeRates(int64_t least, bool byType) {
    json.attribute("type", "object");
    if (byType)
      json.attributeObject("propertyNames",
                           [&] { writeReference("element_type"); });
    json.attributeObject("additionalProperties",
                         [&] { writeRange(least, maxCount); });
  }

  /// Writes a map from names to parts.
  void writeParts(StringRef definition) {
    json.attribute("type", "object");
    json.attributeObject("propertyNames",
                         [&] { json.attribute("minLength", 1); });
    json.attributeObject("additionalProperties",
                         [&] { writeReference(definition); });
  }

  /// Writes a map whose keys are a class or an op, of one library or of any.
  void writeKernels() {
    json.attribute("type", "object");
    json.attributeObject("propertyNames", [&] {
      json.attribute("pattern", "^(" + ::llvm::join(opClassNames(), "|") +
                                    "|[^@]*\\.[^@]*)(@.*)?$");
    });
    json.attributeObject("additionalProperties",
                         [&] { writeReference("kernel"); });
  }

  void writeFormats() {
    json.attribute("type", "array");
    json.attributeObject("items", [&] { writeEnumeration(knownFormats()); });
  }

  void writeTiles() {
    json.attribute("type", "array");
    json.attributeObject("items", [&] { writeReference("tile"); });
  }

  /// Writes a map from forms of ops to lists of lists of numbers.
  void writeMeasured() {
    json.attribute("type", "object");
    json.attributeObject("propertyNames", [&] {
      json.attribute("pattern", "^[^ ]+ [^ ]+ [^ ]+$");
    });
    json.attributeObject("additionalProperties", [&] {
      json.attribute("type", "array");
      json.attributeObject("items", [&] {
        json.attribute("type", "array");
        constexpr int64_t fewest = 4; // with one size
        json.attribute("minItems", fewest);
        json.attributeObject("items", [&] { writeRange(0, maxCount); });
      });
    });
  }

  void writeMatrixNeedsRates() {
    json.attributeObject("if", [&] {
      json.attributeObject("properties", [&] {
        json.attributeObject(keys::kinds, [&] {
          json.attributeObject("contains", [&] {
            json.attribute("const", StringRef(stringify(EngineKind::Matrix)));
          });
        });
      });
    });
    json.attributeObject("then", [&] {
      json.attributeObject("properties", [&] {
        json.attributeObject(keys::macs,
                             [&] { json.attribute("minProperties", 1); });
      });
      json.attributeArray("required", [&] { json.value(keys::macs); });
    });
  }

  void writeCalibration() {
    for (const OtherField &field : calibrationOthers())
      json.attributeObject(field.key, [&] {
        writeProse(field.key, field.unit, field.absent, field.meaning);
        if (field.key == keys::fittedOn)
          writeText(/*mayBeEmpty=*/false);
        else
          writeParts(field.key == keys::engines ? "calibrated_engine"
                     : field.key == keys::links ? "calibrated_link"
                                                : "memory");
      });
  }

  /// Writes the fields of a part, none of which is required.
  template <typename Part>
  void writeReferences(StringRef part, std::vector<StringRef> keys,
                       ArrayRef<NumberField<Part>> numbers) {
    for (const NumberField<Part> &number : numbers)
      keys.push_back(number.key);
    for (StringRef key : keys)
      json.attributeObject(
          key, [&] { writeReference((part + "/properties/" + key).str()); });
  }

  OStream json;
};
} // namespace

void writeTargetSchema(raw_ostream &os) {
  SchemaWriter(os).write();
  os << "\n";
}

} // namespace mlir::llm
