//===- GgufHeader.cpp - What a GGUF file says of its model ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/GgufHeader.h"
#include "GgufReader.h"

#include <cmath>

namespace mlir::llm {

namespace endian = llvm::support::endian;

// These arrays have one number for each layer.
static constexpr uint64_t mostWholeNumbers = uint64_t(1) << 20;

uint64_t numberSizeBytes(GgufValueType type) {
  switch (type) {
  case GgufValueType::Uint8:
  case GgufValueType::Int8:
  case GgufValueType::Boolean:
    return 1;
  case GgufValueType::Uint16:
  case GgufValueType::Int16:
    return 2;
  case GgufValueType::Uint32:
  case GgufValueType::Int32:
  case GgufValueType::Float32:
    return 4;
  case GgufValueType::Uint64:
  case GgufValueType::Int64:
  case GgufValueType::Float64:
    return 8;
  case GgufValueType::String:
  case GgufValueType::Array:
    return 0;
  }
  return 0;
}

StringRef stringify(GgufValueType type) {
  static constexpr const char *names[] = {
      "u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
      "bool", "string", "array", "u64", "i64", "f64"};
  return names[static_cast<uint32_t>(type)];
}

/// Whether the values are integers. Truth values are not.
static bool isInteger(GgufValueType type) {
  return type != GgufValueType::Boolean && type != GgufValueType::Float32 &&
         type != GgufValueType::Float64 && numberSizeBytes(type) != 0;
}

/// Returns the integer at `data`; nothing if it does not fit.
static std::optional<int64_t> readInteger(GgufValueType type,
                                          const char *data) {
  switch (type) {
  case GgufValueType::Uint8:
    return static_cast<uint8_t>(*data);
  case GgufValueType::Int8:
    return static_cast<int8_t>(*data);
  case GgufValueType::Uint16:
    return endian::read16le(data);
  case GgufValueType::Int16:
    return static_cast<int16_t>(endian::read16le(data));
  case GgufValueType::Uint32:
    return endian::read32le(data);
  case GgufValueType::Int32:
    return static_cast<int32_t>(endian::read32le(data));
  default:
    break;
  }
  uint64_t bits = endian::read64le(data);
  if (type == GgufValueType::Uint64 && bits > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(bits);
}

FailureOr<GgufHeader> GgufHeader::parseFile(StringRef bytes, StringRef fileName,
                                            MLIRContext *context) {
  return GgufReader(bytes, StringAttr::get(context, fileName)).read();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Location GgufHeader::loc() const { return locateByte(fileName, 0); }

Location GgufHeader::loc(const GgufTensor &tensor) const {
  return locateByte(tensor.part ? parts[tensor.part - 1].fileName : fileName,
                    tensor.infoOffsetBytes);
}

Location GgufHeader::loc(StringRef key) const {
  const Entry *entry = findEntry(key);
  return locateByte(fileName, entry ? entry->offsetBytes : 0);
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

const GgufHeader::Entry *GgufHeader::findEntry(StringRef key) const {
  auto found = entryOfKey.find(key);
  return found == entryOfKey.end() ? nullptr : &entries[found->second];
}

std::vector<StringRef> GgufHeader::keys() const {
  std::vector<StringRef> all;
  for (const Entry &entry : entries)
    all.push_back(entry.key);
  return all;
}

bool GgufHeader::isArray(StringRef key) const {
  const Entry *entry = findEntry(key);
  return entry && entry->value.type == GgufValueType::Array;
}

/// Describes a value in messages: `u32 4096`, `string "llama"`, `array of 32
/// i32`.
std::string GgufHeader::describe(const Value &value) {
  std::string shown = stringify(value.type).str();
  if (value.type == GgufValueType::Array)
    return shown + " of " + std::to_string(value.count) + " " +
           stringify(value.elementType).str();
  if (value.type == GgufValueType::String)
    return shown + " " + quoteBytes(value.payload);
  if (value.type == GgufValueType::Boolean)
    return shown + (value.payload.front() ? " true" : " false");
  if (value.type == GgufValueType::Float32 ||
      value.type == GgufValueType::Float64)
    return shown + " " + std::to_string(readReal(value));
  std::optional<int64_t> whole = readInteger(value.type, value.payload.data());
  return shown + " " +
         (whole ? std::to_string(*whole)
                : std::to_string(endian::read64le(value.payload.data())));
}

InFlightDiagnostic GgufHeader::emitWrongValue(const Entry &entry,
                                              StringRef wanted) const {
  return emitErrorAtByte(fileName, entry.offsetBytes)
         << quoteBytes(entry.key) << " must be " << wanted << ", found "
         << describe(entry.value);
}

FailureOr<std::optional<int64_t>>
GgufHeader::findWholeNumber(StringRef key) const {
  const Entry *entry = findEntry(key);
  if (!entry)
    return std::optional<int64_t>();
  std::optional<int64_t> whole;
  if (isInteger(entry->value.type))
    whole = readInteger(entry->value.type, entry->value.payload.data());
  if (!whole)
    return emitWrongValue(*entry, "a whole number of 63 bits and a sign");
  return whole;
}

/// Reads a value, which must have type f32 or f64.
double GgufHeader::readReal(const Value &value) {
  if (value.type == GgufValueType::Float32)
    return llvm::bit_cast<float>(endian::read32le(value.payload.data()));
  return llvm::bit_cast<double>(endian::read64le(value.payload.data()));
}

FailureOr<std::optional<double>> GgufHeader::findNumber(StringRef key) const {
  const Entry *entry = findEntry(key);
  if (!entry)
    return std::optional<double>();
  std::optional<double> number;
  if (entry->value.type == GgufValueType::Float32 ||
      entry->value.type == GgufValueType::Float64)
    number = readReal(entry->value);
  else if (isInteger(entry->value.type))
    number = readInteger(entry->value.type, entry->value.payload.data());
  if (!number || !std::isfinite(*number))
    return emitWrongValue(*entry, "a finite number");
  return number;
}

FailureOr<std::optional<bool>> GgufHeader::findBoolean(StringRef key) const {
  std::optional<bool> value;
  const Entry *entry = findEntry(key);
  if (!entry)
    return value;
  if (entry->value.type != GgufValueType::Boolean)
    return emitWrongValue(*entry, "a truth value");
  value = entry->value.payload.front() != 0;
  return value;
}

FailureOr<std::optional<StringRef>>
GgufHeader::findString(StringRef key) const {
  const Entry *entry = findEntry(key);
  if (!entry)
    return std::optional<StringRef>();
  if (entry->value.type != GgufValueType::String)
    return emitWrongValue(*entry, "a string");
  return std::optional<StringRef>(entry->value.payload);
}

FailureOr<std::optional<std::vector<int64_t>>>
GgufHeader::findWholeNumbers(StringRef key) const {
  const Entry *entry = findEntry(key);
  if (!entry)
    return std::optional<std::vector<int64_t>>();
  const Value &array = entry->value;
  if (array.type != GgufValueType::Array || !isInteger(array.elementType) ||
      array.count > mostWholeNumbers)
    return emitWrongValue(*entry, "an array of at most 1048576 whole numbers");
  std::vector<int64_t> numbers;
  uint64_t elementBytes = numberSizeBytes(array.elementType);
  for (uint64_t i = 0; i < array.count; ++i) {
    std::optional<int64_t> number =
        readInteger(array.elementType, array.payload.data() + i * elementBytes);
    if (!number)
      return emitWrongValue(*entry,
                            "an array of whole numbers of 63 bits and a sign");
    numbers.push_back(*number);
  }
  return std::optional<std::vector<int64_t>>(std::move(numbers));
}

FailureOr<std::optional<uint64_t>>
GgufHeader::findArrayLength(StringRef key) const {
  const Entry *entry = findEntry(key);
  if (!entry)
    return std::optional<uint64_t>();
  if (entry->value.type != GgufValueType::Array)
    return emitWrongValue(*entry, "an array");
  return std::optional<uint64_t>(entry->value.count);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

const GgufTensor *GgufHeader::findTensor(StringRef name) const {
  auto found = tensorOfName.find(name);
  return found == tensorOfName.end() ? nullptr : &allTensors[found->second];
}

} // namespace mlir::llm
