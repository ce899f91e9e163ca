//===- SafetensorsWeights.cpp - Weights of a checkpoint -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SafetensorsWeights.h"
#include "ScaledTensors.h"
#include "llm/Files/InputFile.h"
#include "llm/Import/WeightNames.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

LogicalResult
SafetensorsWeights::addFile(std::shared_ptr<llvm::MemoryBuffer> file,
                            StringRef path, Location loc) {
  FailureOr<SafetensorsHeader> header =
      SafetensorsHeader::parse(file->getBuffer(), path, loc.getContext());
  if (failed(header))
    return failure();
  headers.push_back(std::make_unique<SafetensorsHeader>(std::move(*header)));
  for (const SafetensorsTensor &tensor : headers.back()->tensors())
    if (!entries.try_emplace(tensor.name, Entry{&tensor, file}).second)
      return emitError(tensor.loc)
             << "tensor '" << tensor.name << "' is in another file, too";
  return success();
}

FailureOr<std::unique_ptr<WeightFiles>>
SafetensorsWeights::openFile(std::shared_ptr<llvm::MemoryBuffer> file,
                             StringRef path, Location loc) {
  auto weights = std::make_unique<SafetensorsWeights>();
  if (failed(weights->addFile(std::move(file), path, loc)))
    return failure();
  return std::unique_ptr<WeightFiles>(std::move(weights));
}

FailureOr<std::unique_ptr<WeightFiles>>
SafetensorsWeights::openIndex(StringRef text, StringRef path, Location loc) {
  FailureOr<SafetensorsIndex> index =
      SafetensorsIndex::parse(text, path, loc.getContext());
  if (failed(index))
    return failure();
  auto weights = std::make_unique<SafetensorsWeights>();
  for (const std::string &shard : index->shards()) {
    SmallString<128> shardPath(llvm::sys::path::parent_path(path));
    llvm::sys::path::append(shardPath, shard);
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file =
        readInputFile(shardPath);
    if (!file)
      return emitError(loc) << llvm::toString(file.takeError());
    if (failed(weights->addFile(std::move(*file), shardPath, loc)))
      return failure();
  }
  return std::unique_ptr<WeightFiles>(std::move(weights));
}

std::optional<StoredTensor> SafetensorsWeights::find(StringRef name) const {
  for (const std::string &full : namesInLargerModels(name)) {
    auto it = entries.find(full);
    if (it == entries.end())
      continue;
    const SafetensorsTensor &tensor = *it->second.tensor;
    const std::shared_ptr<llvm::MemoryBuffer> &file = it->second.file;
    return StoredTensor{tensor.name,
                        tensor.shape,
                        tensor.dtype,
                        tensor.loc,
                        file->getBufferStart() + tensor.beginBytes,
                        file};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Null for what no program has.
static Type typeOf(StringRef dtype, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(dtype)
      .Case("F64", b.getF64Type())
      .Case("F32", b.getF32Type())
      .Case("F16", b.getF16Type())
      .Case("BF16", b.getBF16Type())
      .Case("F8_E4M3", Float8E4M3FNType::get(context))
      .Case("F8_E5M2", Float8E5M2Type::get(context))
      .Case("F8_E8M0", Float8E8M0FNUType::get(context))
      .Cases({"I8", "U8"}, b.getI8Type())
      .Cases({"I16", "U16"}, b.getI16Type())
      .Cases({"I32", "U32"}, b.getI32Type())
      .Cases({"I64", "U64"}, b.getI64Type())
      .Default(nullptr);
}

/// Bytes are also elements of fewer bits, as writeSafetensors() writes them.
static FailureOr<HostTensor> readAs(const StoredTensor &stored,
                                    RankedTensorType type) {
  if (failed(stored.checkShape(type.getShape())))
    return failure();
  Type element = type.getElementType();
  bool isBytes = stored.type == "I8" && element.getIntOrFloatBitWidth() < 8;
  return stored.readPlain(
      isBytes ? element : typeOf(stored.type, element.getContext()), element);
}

/// Values beside the scales of each layer, under the names of the program.
FailureOr<WeightParts>
SafetensorsWeights::readSaved(StringRef name,
                              ArrayRef<RankedTensorType> parts) const {
  WeightParts result;
  for (auto [n, type] : llvm::enumerate(parts)) {
    std::string part = n ? (name + ".scales" + Twine(n - 1)).str() : name.str();
    std::optional<StoredTensor> stored = find(part);
    if (!stored)
      return emitError(find(name)->loc)
             << "tensor '" << name << "' has no scales '" << part << "', "
             << describeShape(type.getShape()) << ", beside it";
    FailureOr<HostTensor> tensor = readAs(*stored, type);
    if (failed(tensor))
      return failure();
    result.push_back(*tensor);
  }
  return result;
}

FailureOr<std::optional<WeightParts>>
SafetensorsWeights::readWhole(StringRef name,
                              ArrayRef<RankedTensorType> parts) const {
  auto wrap =
      [](FailureOr<WeightParts> read) -> FailureOr<std::optional<WeightParts>> {
    if (failed(read))
      return failure();
    return std::optional<WeightParts>(std::move(*read));
  };
  MLIRContext *context = parts.front().getContext();
  std::optional<StoredTensor> values = find(name);
  if (values) {
    std::optional<StoredTensor> scales;
    for (StringRef suffix : {"_scale_inv", "_scale"})
      if (!scales && values->type.starts_with("F8"))
        scales = find((name + suffix).str());
    if (!scales)
      return wrap(readSaved(name, parts));
    return wrap(readFp8(*values, typeOf(values->type, context), *scales,
                        typeOf(scales->type, context), parts));
  }
  values = find((name + "_blocks").str());
  std::optional<StoredTensor> scales = find((name + "_scales").str());
  if (values && scales)
    return wrap(readMxfp4(*values, *scales, parts));
  return std::optional<WeightParts>();
}

/// Stacks the tensors of experts.
FailureOr<WeightParts> SafetensorsWeights::readExperts(
    StringRef name, ArrayRef<RankedTensorType> parts, Location loc) const {
  auto [path, part] = name.split(".experts.");
  StringRef module = part;
  module.consume_back(".weight");
  WeightParts all;
  SmallVector<RankedTensorType> ofOne;
  for (RankedTensorType type : parts) {
    all.emplace_back(type.getElementType(), type.getShape());
    ofOne.push_back(RankedTensorType::get(type.getShape().drop_front(),
                                          type.getElementType()));
  }
  int64_t experts = parts.front().getDimSize(0);
  for (int64_t expert = 0; expert < experts; ++expert) {
    std::string prefix = (path + ".experts." + Twine(expert) + ".").str();
    auto one = readWhole(prefix + part.str(), ofOne);
    if (succeeded(one) && !*one)
      one = readWhole(prefix + mixtralName(module).str() + ".weight", ofOne);
    if (failed(one))
      return failure();
    if (!*one)
      return emitError(loc) << "weight '" << prefix << part << "', "
                            << describeShape(ofOne.front().getShape())
                            << ", is missing in the checkpoint";
    for (auto [whole, slice] : llvm::zip_equal(all, **one))
      std::memcpy(whole.getData() + expert * slice.getSizeBytes(),
                  slice.getData(), slice.getSizeBytes());
  }
  return all;
}

FailureOr<WeightParts>
SafetensorsWeights::read(StringRef name, ArrayRef<RankedTensorType> parts,
                         Location loc) const {
  auto whole = readWhole(name, parts);
  if (failed(whole))
    return failure();
  if (*whole)
    return std::move(**whole);
  // A scale for all experts would belong to none of them.
  if (name.contains(".experts.") &&
      llvm::all_of(parts, [](RankedTensorType type) { return type.getRank(); }))
    return readExperts(name, parts, loc);
  return emitError(loc) << "weight '" << name << "', "
                        << describeShape(parts.front().getShape())
                        << ", is missing in the checkpoint";
}
