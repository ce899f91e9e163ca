//===- GgufReader.cpp - Reading the header of a GGUF file -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgufReader.h"
#include "llm/Support/Units.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

namespace mlir::llm {

// The shortest metadata entry has the length of its key, one letter, the type,
// and a value of one byte. The shortest description of a tensor has a length, a
// letter, the rank, one dimension, the type, and the offset.
static constexpr uint64_t leastEntryBytes = 8 + 1 + 4 + 1;
static constexpr uint64_t leastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;

static constexpr uint64_t mostNameBytes = 65535;
static constexpr unsigned mostDepth = 4;
static constexpr unsigned mostDimensions = 4; // ggml's GGML_MAX_DIMS

// Without this limit, a sparse file of a terabyte could have an array of very
// many empty strings at no cost to its maker. A vocabulary has less than a
// million.
static constexpr uint64_t mostWalkedElements = uint64_t(1) << 26;

FailureOr<GgufHeader> GgufReader::read() {
  if (failed(readMagicAndVersion()) || failed(readCounts()))
    return failure();
  for (uint64_t i = 0; i < entryCount; ++i)
    if (failed(readEntry()))
      return failure();
  if (failed(readAlignment()))
    return failure();
  if (failed(reader.checkCount(tensorCount, leastTensorBytes, "tensors",
                               /*countOffsetBytes=*/8)))
    return failure();
  for (uint64_t i = 0; i < tensorCount; ++i)
    if (failed(readTensor()))
      return failure();
  if (failed(placeTensors()) || failed(checkOverlaps()))
    return failure();
  return std::move(header);
}

LogicalResult GgufReader::readMagicAndVersion() {
  FailureOr<StringRef> magic = reader.takeBytes(4, "\"GGUF\"");
  if (failed(magic))
    return failure();
  if (*magic != "GGUF")
    return reader.emitErrorAt(0)
           << "expected \"GGUF\", found " << quoteBytes(*magic);
  FailureOr<uint32_t> version = reader.take<uint32_t>("the version");
  if (failed(version))
    return failure();
  if (*version == 2 || *version == 3)
    return success();
  uint32_t swapped = llvm::byteswap(*version);
  InFlightDiagnostic diagnostic = reader.emitErrorAt(4);
  diagnostic << "expected version 2 or 3, found ";
  if (*version == 1)
    diagnostic << "version 1, which llama.cpp reads no longer either";
  else if (swapped > 0 && swapped <= UINT16_MAX)
    diagnostic << "version " << swapped
               << " in big-endian byte order: only little-endian files are "
                  "supported";
  else
    diagnostic << "version " << *version;
  return diagnostic;
}

LogicalResult GgufReader::readCounts() {
  FailureOr<uint64_t> tensors = reader.take<uint64_t>("the number of tensors");
  if (failed(tensors))
    return failure();
  FailureOr<uint64_t> entries =
      reader.take<uint64_t>("the number of metadata entries");
  if (failed(entries))
    return failure();
  tensorCount = *tensors;
  entryCount = *entries;
  if (failed(reader.checkCount(tensorCount, leastTensorBytes, "tensors",
                               /*countOffsetBytes=*/8)))
    return failure();
  return reader.checkCount(entryCount, leastEntryBytes, "metadata entries",
                           /*countOffsetBytes=*/16);
}

/// Reads a key or a tensor's name.
FailureOr<StringRef> GgufReader::readName(StringRef what) {
  uint64_t start = reader.at();
  FailureOr<uint64_t> lengthBytes = reader.take<uint64_t>(what);
  if (failed(lengthBytes))
    return failure();
  if (*lengthBytes == 0)
    return reader.emitErrorAt(start) << what << " is empty";
  if (*lengthBytes > mostNameBytes)
    return reader.emitErrorAt(start)
           << what << " has " << *lengthBytes << " bytes, expected at most "
           << mostNameBytes;
  return reader.takeBytes(*lengthBytes, what);
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

LogicalResult GgufReader::readEntry() {
  uint64_t start = reader.at();
  FailureOr<StringRef> key = readName("a metadata key");
  if (failed(key))
    return failure();
  if (!header.entryOfKey.try_emplace(*key, header.entries.size()).second)
    return reader.emitErrorAt(start)
           << "the metadata key " << quoteBytes(*key) << " is there twice";
  uint64_t valueStart = reader.at();
  FailureOr<GgufHeader::Value> value = readValue();
  if (failed(value))
    return failure();
  header.entries.push_back({*key, *value, valueStart});
  return success();
}

FailureOr<GgufValueType> GgufReader::readType() {
  uint64_t start = reader.at();
  FailureOr<uint32_t> type = reader.take<uint32_t>("the type of a value");
  if (failed(type))
    return failure();
  if (*type > static_cast<uint32_t>(GgufValueType::Float64))
    return reader.emitErrorAt(start)
           << "expected the type of a value (0 to 12), found " << *type;
  return static_cast<GgufValueType>(*type);
}

FailureOr<GgufHeader::Value> GgufReader::readValue() {
  FailureOr<GgufValueType> type = readType();
  if (failed(type))
    return failure();
  GgufHeader::Value value;
  value.type = *type;
  if (value.type == GgufValueType::Array) {
    if (failed(readArray(value, /*depth=*/1)))
      return failure();
    return value;
  }
  FailureOr<StringRef> payload;
  if (value.type == GgufValueType::String) {
    payload = readString();
  } else {
    if (value.type == GgufValueType::Boolean && failed(checkTruthValue()))
      return failure();
    payload = reader.takeBytes(numberSizeBytes(value.type), "a number");
  }
  if (failed(payload))
    return failure();
  value.payload = *payload;
  return value;
}

FailureOr<StringRef> GgufReader::readString() {
  FailureOr<uint64_t> lengthBytes =
      reader.take<uint64_t>("the length of a string");
  if (failed(lengthBytes))
    return failure();
  return reader.takeBytes(*lengthBytes, "a string");
}

/// Checks the next byte, without taking it.
LogicalResult GgufReader::checkTruthValue() {
  ByteReader ahead = reader;
  FailureOr<uint8_t> value = ahead.take<uint8_t>("a truth value");
  if (failed(value))
    return failure();
  if (*value <= 1)
    return success();
  return reader.emitErrorAt(reader.at())
         << "expected a truth value (0 or 1), found "
         << static_cast<unsigned>(*value);
}

LogicalResult GgufReader::readArray(GgufHeader::Value &array, unsigned depth) {
  uint64_t start = reader.at();
  if (depth > mostDepth)
    return reader.emitErrorAt(start)
           << "arrays are nested deeper than " << mostDepth;
  FailureOr<GgufValueType> elementType = readType();
  if (failed(elementType))
    return failure();
  uint64_t countOffset = reader.at();
  FailureOr<uint64_t> count = reader.take<uint64_t>("the length of an array");
  if (failed(count))
    return failure();
  array.elementType = *elementType;
  array.count = *count;
  // A string takes at least its length, and an array its type and length.
  uint64_t leastBytes = numberSizeBytes(*elementType);
  if (*elementType == GgufValueType::String)
    leastBytes = 8;
  else if (*elementType == GgufValueType::Array)
    leastBytes = 4 + 8;
  if (failed(
          reader.checkCount(*count, leastBytes, "array elements", countOffset)))
    return failure();
  uint64_t payloadStart = reader.at();
  if (failed(skipElements(array, depth)))
    return failure();
  array.payload = reader.takenSince(payloadStart);
  return success();
}

LogicalResult GgufReader::skipElements(const GgufHeader::Value &array,
                                       unsigned depth) {
  GgufValueType type = array.elementType;
  if (type != GgufValueType::Boolean && type != GgufValueType::String &&
      type != GgufValueType::Array)
    return reader.takeBytes(array.count * numberSizeBytes(type), "an array");
  if (array.count > mostWalkedElements - walkedElements)
    return reader.emitErrorAt(reader.at())
           << "expected at most " << mostWalkedElements
           << " strings, truth values and inner arrays in all arrays";
  walkedElements += array.count;
  for (uint64_t i = 0; i < array.count; ++i)
    if (failed(skipElement(type, depth)))
      return failure();
  return success();
}

LogicalResult GgufReader::skipElement(GgufValueType type, unsigned depth) {
  if (type == GgufValueType::String)
    return readString();
  if (type == GgufValueType::Array) {
    GgufHeader::Value inner;
    return readArray(inner, depth + 1);
  }
  if (failed(checkTruthValue()))
    return failure();
  return reader.takeBytes(1, "a truth value");
}

LogicalResult GgufReader::readAlignment() {
  const GgufHeader::Entry *entry = header.findEntry("general.alignment");
  if (!entry)
    return success();
  if (entry->value.type != GgufValueType::Uint32)
    return header.emitWrongValue(*entry, "u32");
  uint32_t alignment =
      llvm::support::endian::read32le(entry->value.payload.data());
  if (!llvm::isPowerOf2_32(alignment))
    return reader.emitErrorAt(entry->offsetBytes)
           << "\"general.alignment\" must be a power of two, found "
           << alignment;
  alignmentBytes = alignment;
  return success();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

LogicalResult GgufReader::readTensor() {
  GgufTensor tensor;
  tensor.infoOffsetBytes = reader.at();
  FailureOr<StringRef> name = readName("a tensor's name");
  if (failed(name))
    return failure();
  if (!header.tensorOfName.try_emplace(*name, header.allTensors.size()).second)
    return reader.emitErrorAt(tensor.infoOffsetBytes)
           << "the tensor " << quoteBytes(*name) << " is there twice";
  tensor.name = name->str();
  if (failed(readShape(tensor)) || failed(readTensorType(tensor)) ||
      failed(countBytes(tensor)))
    return failure();
  uint64_t start = reader.at();
  FailureOr<uint64_t> offset = reader.take<uint64_t>("a tensor's offset");
  if (failed(offset))
    return failure();
  if (*offset % alignmentBytes != 0)
    return reader.emitErrorAt(start)
           << "the offset of tensor " << quoteBytes(*name)
           << " must be a multiple of " << alignmentBytes << ", found "
           << *offset;
  tensor.offsetBytes = *offset; // placeTensors() adds the start of the data
  header.allTensors.push_back(std::move(tensor));
  return success();
}

LogicalResult GgufReader::readShape(GgufTensor &tensor) {
  uint64_t start = reader.at();
  FailureOr<uint32_t> rank = reader.take<uint32_t>("a tensor's rank");
  if (failed(rank))
    return failure();
  if (*rank == 0 || *rank > mostDimensions)
    return reader.emitErrorAt(start)
           << "the rank of tensor " << quoteBytes(tensor.name)
           << " must be 1 to " << mostDimensions << ", found " << *rank;
  for (uint32_t i = 0; i < *rank; ++i) {
    start = reader.at();
    FailureOr<uint64_t> size = reader.take<uint64_t>("a tensor's dimension");
    if (failed(size))
      return failure();
    if (*size == 0 || *size > static_cast<uint64_t>(maxCount))
      return reader.emitErrorAt(start)
             << "dimension " << i << " of tensor " << quoteBytes(tensor.name)
             << " must be 1 to " << maxCount << ", found " << *size;
    tensor.shape.push_back(static_cast<int64_t>(*size));
  }
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  return success();
}

LogicalResult GgufReader::readTensorType(GgufTensor &tensor) {
  uint64_t start = reader.at();
  FailureOr<uint32_t> id = reader.take<uint32_t>("a tensor's type");
  if (failed(id))
    return failure();
  tensor.type = findGgmlType(*id);
  if (!tensor.type)
    return reader.emitErrorAt(start)
           << "tensor " << quoteBytes(tensor.name) << " has type " << *id
           << ", which is none of ggml's";
  if (tensor.shape.back() % tensor.type->blockElements == 0)
    return success();
  return reader.emitErrorAt(tensor.infoOffsetBytes)
         << "tensor " << quoteBytes(tensor.name) << " has rows of "
         << tensor.shape.back() << " elements, expected a multiple of "
         << tensor.type->blockElements << ", the block of "
         << StringRef(tensor.type->name);
}

LogicalResult GgufReader::countBytes(GgufTensor &tensor) const {
  std::optional<int64_t> sizeBytes = 1;
  for (int64_t size : tensor.shape)
    if (sizeBytes)
      sizeBytes = checkedMul(*sizeBytes, size);
  if (sizeBytes)
    sizeBytes = checkedMul(*sizeBytes / tensor.type->blockElements,
                           tensor.type->blockBytes);
  if (!sizeBytes)
    return reader.emitErrorAt(tensor.infoOffsetBytes)
           << "tensor " << quoteBytes(tensor.name)
           << " has more elements or bytes than " << maxCount;
  tensor.sizeBytes = *sizeBytes;
  return success();
}

LogicalResult GgufReader::placeTensors() {
  if (header.allTensors.empty())
    return success();
  uint64_t headerEnd = reader.at();
  uint64_t dataStart = llvm::alignTo(headerEnd, alignmentBytes);
  if (dataStart > fileBytes)
    return reader.emitErrorAt(headerEnd)
           << "expected the tensors' data from byte " << dataStart
           << ", found the end of the file at byte " << fileBytes;
  uint64_t dataBytes = fileBytes - dataStart;
  for (GgufTensor &tensor : header.allTensors) {
    uint64_t sizeBytes = static_cast<uint64_t>(tensor.sizeBytes);
    if (tensor.offsetBytes > dataBytes ||
        sizeBytes > dataBytes - tensor.offsetBytes)
      return reader.emitErrorAt(tensor.infoOffsetBytes)
             << "tensor " << quoteBytes(tensor.name) << " has " << sizeBytes
             << " bytes at offset " << tensor.offsetBytes
             << ", but the data of the file has " << dataBytes << " bytes";
    tensor.offsetBytes += dataStart;
  }
  return success();
}

LogicalResult GgufReader::checkOverlaps() const {
  std::vector<const GgufTensor *> order;
  for (const GgufTensor &tensor : header.allTensors)
    order.push_back(&tensor);
  llvm::stable_sort(order, [](const GgufTensor *a, const GgufTensor *b) {
    return a->offsetBytes < b->offsetBytes;
  });
  // No tensor is empty, so one that overlaps any overlaps its neighbour.
  for (size_t i = 1; i < order.size(); ++i) {
    const GgufTensor &before = *order[i - 1], &tensor = *order[i];
    uint64_t endBytes = before.offsetBytes + before.sizeBytes;
    if (tensor.offsetBytes < endBytes)
      return reader.emitErrorAt(tensor.infoOffsetBytes)
             << "the data of tensor " << quoteBytes(tensor.name)
             << " starts at byte " << tensor.offsetBytes
             << ", inside that of tensor " << quoteBytes(before.name)
             << ", which ends at byte " << endBytes;
  }
  return success();
}

} // namespace mlir::llm
