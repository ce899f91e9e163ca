//===- SafetensorsWeights.cpp - Weights of a checkpoint -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SafetensorsWeights.h"
#include "PackedTensors.h"
#include "ScaledTensors.h"
#include "llm/Files/InputFile.h"
#include "llm/Files/LocatedJson.h"
#include "llm/Import/GgmlNames.h"
#include "llm/Import/WeightNames.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
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
  folder = llvm::sys::path::parent_path(path);
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

/// Returns the type of a tensor in the file; null if programs do not have it.
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
      .Case("BOOL", b.getI1Type())
      .Cases({"I8", "U8"}, b.getI8Type())
      .Cases({"I16", "U16"}, b.getI16Type())
      .Cases({"I32", "U32"}, b.getI32Type())
      .Cases({"I64", "U64"}, b.getI64Type())
      .Default(nullptr);
}

/// Reads a tensor as it stands. Bytes may be elements of fewer bits, as
/// writeSafetensors() writes them.
static FailureOr<HostTensor> readAs(const StoredTensor &stored,
                                    RankedTensorType type) {
  if (failed(stored.checkShape(type.getShape())))
    return failure();
  Type element = type.getElementType();
  bool isBytes = stored.type == "I8" && element.getIntOrFloatBitWidth() < 8;
  return stored.readPlain(
      isBytes ? element : typeOf(stored.type, element.getContext()), element);
}

/// Reads values, and beside them the scales of each layer, under the names of
/// the program.
FailureOr<WeightParts>
SafetensorsWeights::readSaved(StringRef name,
                              ArrayRef<RankedTensorType> parts) const {
  std::optional<StoredTensor> values = find(name);
  auto plain =
      dyn_cast_or_null<FloatType>(typeOf(values->type, parts[0].getContext()));
  if (parts.size() > 1 && plain && plain.getWidth() > 8)
    return values->refuse(parts.front().getElementType())
           << " with scales: the program's config says a format of this "
              "weight, and the checkpoint has it in none; import the program "
              "with --weights=f32 (or f16, bf16)";
  std::string more = (name + ".scales" + Twine(parts.size() - 1)).str();
  if (find(more))
    return values->refuse(parts[0].getElementType())
           << (parts.size() > 1 ? " with fewer layers of scales"
                                : " without scales")
           << ": '" << more << "' scales it, too; import the program as that "
           << "was imported which wrote the file with --save-weights";
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

static FailureOr<std::optional<WeightParts>> wrap(FailureOr<WeightParts> read) {
  if (failed(read))
    return failure();
  return std::optional<WeightParts>(std::move(*read));
}

FailureOr<std::optional<WeightParts>>
SafetensorsWeights::readWhole(StringRef name,
                              ArrayRef<RankedTensorType> parts) const {
  MLIRContext *context = parts.front().getContext();
  std::optional<StoredTensor> values = find(name);
  if (!values) {
    StringRef base = name;
    base.consume_back(".weight");
    return readPacked(base, parts);
  }
  std::optional<StoredTensor> scales;
  bool hasBytes = values->type.starts_with("F8") || values->type == "I8" ||
                  values->type == "U8";
  for (StringRef suffix : {"_scale_inv", "_scale"})
    if (!scales && hasBytes)
      scales = find((name + suffix).str());
  if (!scales)
    return wrap(readSaved(name, parts));
  if (values->type == "U8")
    return wrap(readNvfp4({*values, *scales, find((name + "_scale_2").str()),
                           /*isDivisor=*/false},
                          parts));
  return wrap(readScaledBytes(*values, typeOf(values->type, context), *scales,
                              typeOf(scales->type, context), parts));
}

FailureOr<int64_t> SafetensorsWeights::findGptqOffset() const {
  if (gptqOffset)
    return *gptqOffset;
  gptqOffset = 1;
  MLIRContext *context = headers.front()->loc().getContext();
  for (StringRef name : {"quantize_config.json", "config.json"}) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    if (!llvm::sys::fs::exists(path))
      continue;
    FailureOr<LocatedJson> config =
        LocatedJson::parseFile(path, context, JsonNumbers::AsPython);
    if (failed(config))
      return failure();
    const LocatedJson *quantization = config->find("quantization_config");
    const LocatedJson *format =
        (quantization ? *quantization : *config).find("checkpoint_format");
    if (format && format->describe() == "\"gptq_v2\"")
      gptqOffset = 0;
  }
  return *gptqOffset;
}

FailureOr<std::optional<WeightParts>>
SafetensorsWeights::readPacked(StringRef base,
                               ArrayRef<RankedTensorType> parts) const {
  MLIRContext *context = parts.front().getContext();
  auto beside = [&](StringRef suffix) { return find((base + suffix).str()); };
  auto missing = [&](const StoredTensor &values, StringRef suffix) {
    return emitError(values.loc) << "tensor '" << values.name << "' has no '"
                                 << base << suffix << "' beside it";
  };
  if (auto values = beside(".qweight")) {
    auto scales = beside(".scales"), zeros = beside(".qzeros");
    if (!scales || !zeros)
      return missing(*values, scales ? ".qzeros" : ".scales");
    FailureOr<int64_t> offset = findGptqOffset();
    if (failed(offset))
      return failure();
    return wrap(readGptqOrAwq({*values, *scales, typeOf(scales->type, context),
                               zeros, beside(".g_idx")},
                              *offset, parts));
  }
  if (auto values = beside(".weight_packed")) {
    auto scales = beside(".weight_scale");
    if (!scales)
      return missing(*values, ".weight_scale");
    if (values->type == "U8")
      return wrap(readNvfp4({*values, *scales, beside(".weight_global_scale"),
                             /*isDivisor=*/true},
                            parts));
    return wrap(readPackQuantized(
        {*values, *scales, typeOf(scales->type, context),
         beside(".weight_zero_point"), beside(".weight_g_idx")},
        parts));
  }
  auto values = beside("_blocks"), scales = beside("_scales");
  if (values && scales)
    return wrap(readMxfp4(*values, *scales, parts));
  return std::optional<WeightParts>();
}

//===----------------------------------------------------------------------===//
// Scales of activations and caches
//===----------------------------------------------------------------------===//

/// Returns the only number of a tensor.
static FailureOr<double> readNumber(const StoredTensor &stored) {
  HostTensor number;
  MLIRContext *context = stored.loc.getContext();
  if (Type type = typeOf(stored.type, context))
    number = HostTensor(type, stored.shape, const_cast<char *>(stored.data),
                        stored.file);
  if (!number.getData() || number.getNumElements() != 1)
    return emitError(stored.loc)
           << "tensor '" << stored.name << "' is "
           << describeShape(stored.shape) << " of " << stored.type
           << "; expected one number, which scales all elements";
  return number.get(0);
}

static HostTensor makeNumber(double number, Type type) {
  HostTensor tensor(type, {});
  tensor.set(0, number);
  return tensor;
}

/// Lists the linear layers that read the same as this one, by the last parts of
/// their names.
static SmallVector<StringRef> listReaders(StringRef module) {
  static constexpr llvm::StringLiteral ofHidden[] = {
      "q_proj", "k_proj", "v_proj", "q_a_proj", "kv_a_proj_with_mqa"};
  static constexpr llvm::StringLiteral ofExperts[] = {"gate_proj", "up_proj",
                                                      "w1", "w3"};
  if (llvm::is_contained(ofHidden, module))
    return llvm::to_vector_of<StringRef>(ofHidden);
  if (llvm::is_contained(ofExperts, module))
    return llvm::to_vector_of<StringRef>(ofExperts);
  if (module == "down_proj")
    return {"down_proj", "w2"};
  return {module};
}

FailureOr<WeightParts> SafetensorsWeights::readInputScale(StringRef name,
                                                          RankedTensorType type,
                                                          Location loc) const {
  StringRef full = name;
  full.consume_back(".input_scale");
  auto [path, module] = full.rsplit('.');
  std::optional<double> largest;
  // Experts are looked at one after the other. Other layers have a single path.
  for (int64_t expert = 0;; ++expert) {
    std::string prefix = path.str();
    bool isOfExperts = path.ends_with(".experts");
    if (isOfExperts)
      prefix += "." + std::to_string(expert);
    bool isThere = false;
    for (StringRef reader : listReaders(module)) {
      auto stored = find((prefix + "." + reader + ".input_scale").str());
      if (!stored)
        continue;
      FailureOr<double> number = readNumber(*stored);
      if (failed(number))
        return failure();
      isThere = true;
      largest = std::max(largest.value_or(*number), *number);
    }
    if (!isOfExperts || !isThere)
      break;
  }
  if (!largest)
    return emitError(loc) << "weight '" << name
                          << "', the scale of what goes into this layer, is "
                             "missing in the checkpoint";
  return WeightParts{makeNumber(*largest, type.getElementType())};
}

FailureOr<std::optional<HostTensor>>
SafetensorsWeights::readCacheScale(StringRef cache, bool isOfKeys,
                                   Type type) const {
  std::string letter = isOfKeys ? "k" : "v";
  // Tools write one of these names.
  for (const std::string &suffix :
       {letter + "_scale", "attn." + letter + "_scale",
        letter + "_proj." + letter + "_scale", letter + "_proj.output_scale",
        std::string("kv_scale"), std::string("attn.kv_scale")}) {
    std::optional<StoredTensor> stored = find((cache + "." + suffix).str());
    if (!stored)
      continue;
    FailureOr<double> number = readNumber(*stored);
    if (failed(number))
      return failure();
    return std::optional<HostTensor>(makeNumber(*number, type));
  }
  return std::optional<HostTensor>();
}

std::optional<bool>
SafetensorsWeights::hasInterleavedRows(StringRef family) const {
  if (auto said = headers.front()->findMetadata(interleavedRowsKey))
    return *said == "true";
  if (storesInterleavedRows(family))
    return false;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

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
  if (name.ends_with(".input_scale") && parts.front().getRank() == 0)
    return readInputScale(name, parts.front(), loc);
  auto whole = readWhole(name, parts);
  if (failed(whole))
    return failure();
  if (*whole)
    return std::move(**whole);
  // Experts are stacked unless a part is a single number, which would belong to
  // none of them.
  if (name.contains(".experts.") &&
      llvm::all_of(parts, [](RankedTensorType type) { return type.getRank(); }))
    return readExperts(name, parts, loc);
  return emitError(loc) << "weight '" << name << "', "
                        << describeShape(parts.front().getShape())
                        << ", is missing in the checkpoint";
}
