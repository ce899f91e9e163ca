//===- SafetensorsHeader.cpp - Names and shapes of a checkpoint -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/SafetensorsHeader.h"
#include "ByteReader.h"
#include "llm/Files/LocatedJson.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace mlir::llm {

// The first is the limit of the reference implementation (MAX_HEADER_SIZE),
// which has no limit of ranks.
static constexpr uint64_t mostHeaderBytes = 100000000;
static constexpr size_t mostDimensions = 16;

// enum Dtype and its bitsize() in safetensors/src/tensor.rs.
std::optional<int64_t> safetensorsElementBits(StringRef dtype) {
  return llvm::StringSwitch<std::optional<int64_t>>(dtype)
      .Case("F4", 4)
      .Cases({"F6_E2M3", "F6_E3M2"}, 6)
      .Cases({"BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"}, 8)
      .Cases({"I16", "U16", "F16", "BF16"}, 16)
      .Cases({"I32", "U32", "F32"}, 32)
      .Cases({"I64", "U64", "F64", "C64"}, 64)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// One tensor
//===----------------------------------------------------------------------===//

/// Checks that the members are exactly "dtype", "shape" and "data_offsets".
static LogicalResult checkMembers(const LocatedJson &json) {
  if (failed(json.require("dtype")) || failed(json.require("shape")) ||
      failed(json.require("data_offsets")))
    return failure();
  for (const auto &[key, member] : json.members())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      return member.emitError()
             << "expected dtype, shape and data_offsets of a tensor, found "
             << quoteBytes(key);
  return success();
}

static LogicalResult readShape(const LocatedJson &json,
                               SafetensorsTensor &tensor) {
  if (failed(json.expectArray()))
    return failure();
  if (json.elements().size() > mostDimensions)
    return json.emitError()
           << "tensor " << quoteBytes(tensor.name) << " has "
           << json.elements().size() << " dimensions, expected at most "
           << mostDimensions;
  for (const LocatedJson &element : json.elements()) {
    FailureOr<int64_t> size = element.asNonNegative();
    if (failed(size))
      return failure();
    tensor.shape.push_back(*size);
  }
  return success();
}

static LogicalResult readOffsets(const LocatedJson &json,
                                 SafetensorsTensor &tensor) {
  if (failed(json.expectArray()))
    return failure();
  if (json.elements().size() != 2)
    return json.emitError()
           << "tensor " << quoteBytes(tensor.name)
           << " must have two data_offsets, found " << json.elements().size();
  FailureOr<int64_t> begin = json.elements()[0].asNonNegative();
  if (failed(begin))
    return failure();
  FailureOr<int64_t> end = json.elements()[1].asNonNegative();
  if (failed(end))
    return failure();
  if (*begin > *end)
    return json.emitError()
           << "tensor " << quoteBytes(tensor.name) << " ends at offset " << *end
           << ", before it begins at offset " << *begin;
  tensor.beginBytes = static_cast<uint64_t>(*begin);
  tensor.endBytes = static_cast<uint64_t>(*end);
  return success();
}

/// Checks that the shape's elements take the bytes between the offsets.
static LogicalResult checkSize(const LocatedJson &json,
                               const SafetensorsTensor &tensor) {
  std::optional<int64_t> bits = safetensorsElementBits(tensor.dtype);
  if (!bits)
    return json.find("dtype")->emitError()
           << "tensor " << quoteBytes(tensor.name) << " has the unknown dtype "
           << quoteBytes(tensor.dtype);
  for (int64_t size : tensor.shape)
    if (bits)
      bits = checkedMul(*bits, size);
  if (!bits)
    return json.find("shape")->emitError()
           << "tensor " << quoteBytes(tensor.name) << " has more bits than "
           << maxCount;
  if (*bits % 8 != 0)
    return json.find("shape")->emitError()
           << "tensor " << quoteBytes(tensor.name) << " has " << *bits
           << " bits, which are no whole bytes";
  uint64_t foundBytes = tensor.endBytes - tensor.beginBytes;
  if (foundBytes != static_cast<uint64_t>(*bits) / 8)
    return json.find("data_offsets")->emitError()
           << "tensor " << quoteBytes(tensor.name) << " must have " << *bits / 8
           << " bytes by its dtype and shape, found " << foundBytes
           << " between its data_offsets";
  return success();
}

static LogicalResult readTensor(const LocatedJson &json,
                                SafetensorsTensor &tensor) {
  if (failed(checkMembers(json)))
    return failure();
  FailureOr<std::string> dtype = json.find("dtype")->asString();
  if (failed(dtype))
    return failure();
  tensor.dtype = std::move(*dtype);
  if (failed(readShape(*json.find("shape"), tensor)) ||
      failed(readOffsets(*json.find("data_offsets"), tensor)))
    return failure();
  return checkSize(json, tensor);
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

static LogicalResult readMetadata(const LocatedJson &json,
                                  llvm::StringMap<std::string> &metadata) {
  if (failed(json.expectObject()))
    return failure();
  for (const auto &[key, member] : json.members()) {
    FailureOr<std::string> text = member.asString();
    if (failed(text))
      return failure();
    metadata[key] = std::move(*text);
  }
  return success();
}

/// Takes the JSON between the length and the data.
static FailureOr<StringRef> takeJson(ByteReader &reader) {
  FailureOr<uint64_t> lengthBytes =
      reader.take<uint64_t>("the length of the header");
  if (failed(lengthBytes))
    return failure();
  if (*lengthBytes > mostHeaderBytes)
    return reader.emitErrorAt(0)
           << "the header has " << *lengthBytes << " bytes, expected at most "
           << mostHeaderBytes;
  FailureOr<StringRef> json = reader.takeBytes(*lengthBytes, "the header");
  if (succeeded(json) && !json->starts_with("{"))
    return reader.emitErrorAt(sizeof(uint64_t))
           << "expected the header to start with {, found "
           << quoteBytes(json->take_front(1));
  return json;
}

/// Checks that every byte of the data belongs to one tensor, and that tensors
/// end where it ends.
static LogicalResult checkCover(ArrayRef<SafetensorsTensor> tensors,
                                uint64_t dataBytes, Location end) {
  std::vector<const SafetensorsTensor *> order;
  for (const SafetensorsTensor &tensor : tensors)
    order.push_back(&tensor);
  llvm::stable_sort(order, [](const auto *a, const auto *b) {
    return std::pair(a->beginBytes, a->endBytes) <
           std::pair(b->beginBytes, b->endBytes);
  });
  uint64_t covered = 0;
  for (const SafetensorsTensor *tensor : order) {
    if (tensor->beginBytes != covered)
      return mlir::emitError(tensor->loc)
             << "tensor " << quoteBytes(tensor->name) << " begins at offset "
             << tensor->beginBytes << ", expected " << covered
             << ", where the data before it ends";
    if (tensor->endBytes > dataBytes)
      return mlir::emitError(tensor->loc)
             << "tensor " << quoteBytes(tensor->name) << " ends at offset "
             << tensor->endBytes << ", but the data of the file has "
             << dataBytes << " bytes";
    covered = tensor->endBytes;
  }
  if (covered != dataBytes)
    return mlir::emitError(end)
           << "the data of the file has " << dataBytes << " bytes, expected "
           << covered << " by its tensors";
  return success();
}

FailureOr<SafetensorsHeader> SafetensorsHeader::parse(StringRef bytes,
                                                      StringRef fileName,
                                                      MLIRContext *context) {
  auto name = StringAttr::get(context, fileName);
  ByteReader reader(bytes, name);
  FailureOr<StringRef> text = takeJson(reader);
  if (failed(text))
    return failure();
  FailureOr<LocatedJson> json = LocatedJson::parse(*text, fileName, context);
  if (failed(json))
    return failure();
  SafetensorsHeader header(locateByte(name, 0));
  for (const auto &[key, member] : json->members()) {
    if (key == "__metadata__") {
      if (failed(readMetadata(member, header.metadata)))
        return failure();
      continue;
    }
    SafetensorsTensor tensor{key, "", {}, 0, 0, member.loc()};
    if (failed(readTensor(member, tensor)))
      return failure();
    header.tensorOfName.try_emplace(key, header.allTensors.size());
    header.allTensors.push_back(std::move(tensor));
  }
  if (failed(checkCover(header.allTensors, reader.bytesLeft(),
                        locateByte(name, reader.at()))))
    return failure();
  for (SafetensorsTensor &tensor : header.allTensors) {
    tensor.beginBytes += reader.at();
    tensor.endBytes += reader.at();
  }
  return header;
}

const SafetensorsTensor *SafetensorsHeader::find(StringRef name) const {
  auto found = tensorOfName.find(name);
  return found == tensorOfName.end() ? nullptr : &allTensors[found->second];
}

std::optional<StringRef> SafetensorsHeader::findMetadata(StringRef key) const {
  auto found = metadata.find(key);
  if (found == metadata.end())
    return std::nullopt;
  return StringRef(found->second);
}

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

FailureOr<SafetensorsIndex> SafetensorsIndex::parse(StringRef text,
                                                    StringRef fileName,
                                                    MLIRContext *context) {
  FailureOr<LocatedJson> json = LocatedJson::parse(text, fileName, context);
  if (failed(json))
    return failure();
  if (failed(json->expectObject()))
    return failure();
  const LocatedJson *map = json->find("weight_map");
  if (!map)
    return json->emitError() << "'weight_map' is missing: an index of "
                                "safetensors (model.safetensors.index.json) "
                                "has the file of each tensor there";
  if (failed(map->expectObject()))
    return failure();
  SafetensorsIndex index(json->loc());
  for (const auto &[tensor, member] : map->members()) {
    FailureOr<std::string> shard = member.asString();
    if (failed(shard))
      return failure();
    // This keeps the author of an index from choosing files of other folders.
    if (shard->empty() || shard->front() == '.' ||
        StringRef(*shard).find_first_of(StringRef("/\\\0", 3)) !=
            StringRef::npos)
      return member.emitError() << "expected the name of a file beside the "
                                   "index, found "
                                << quoteBytes(*shard);
    index.indexOfTensor.try_emplace(tensor, index.shardOfTensor.size());
    index.shardOfTensor.emplace_back(tensor, *shard);
    index.sortedShards.push_back(std::move(*shard));
  }
  llvm::sort(index.sortedShards);
  index.sortedShards.erase(llvm::unique(index.sortedShards),
                           index.sortedShards.end());
  return index;
}

std::optional<StringRef> SafetensorsIndex::findShard(StringRef tensor) const {
  auto found = indexOfTensor.find(tensor);
  if (found == indexOfTensor.end())
    return std::nullopt;
  return StringRef(shardOfTensor[found->second].second);
}

} // namespace mlir::llm
