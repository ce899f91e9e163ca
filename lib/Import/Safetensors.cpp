//===- Safetensors.cpp - Models from checkpoints of Hugging Face ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearWeights.h"
#include "llm/Files/InputFile.h"
#include "llm/Files/SafetensorsHeader.h"
#include "llm/Import/Checkpoints.h"
#include "llm/Import/DecoderBuilder.h"
#include "llm/Import/HfConfig.h"
#include "llm/Import/WeightNames.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// The headers of all files of a checkpoint.
class Checkpoint {
public:
  explicit Checkpoint(Location location) : location(location) {}
  LogicalResult read(StringRef folder);

  const SafetensorsTensor *find(const Twine &name) const {
    return tensorOfName.lookup(name.str());
  }
  const llvm::StringMap<const SafetensorsTensor *> &tensors() const {
    return tensorOfName;
  }

private:
  LogicalResult readShard(StringRef folder, StringRef name);
  LogicalResult readIndex(StringRef folder, StringRef path);

  Location location;
  std::vector<std::unique_ptr<SafetensorsHeader>> headers;
  llvm::StringMap<const SafetensorsTensor *> tensorOfName;
};
} // namespace

static std::string pathIn(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

LogicalResult Checkpoint::readShard(StringRef folder, StringRef name) {
  std::string path = pathIn(folder, name);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file =
      readInputFile(path);
  if (!file)
    return mlir::emitError(location) << llvm::toString(file.takeError());
  FailureOr<SafetensorsHeader> header = SafetensorsHeader::parse(
      (*file)->getBuffer(), path, location.getContext());
  if (failed(header))
    return failure();
  headers.push_back(std::make_unique<SafetensorsHeader>(std::move(*header)));
  for (const SafetensorsTensor &tensor : headers.back()->tensors())
    if (!tensorOfName.try_emplace(tensor.name, &tensor).second)
      return mlir::emitError(tensor.loc)
             << "tensor '" << tensor.name << "' is in another file, too";
  return success();
}

LogicalResult Checkpoint::readIndex(StringRef folder, StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file =
      readInputFile(path);
  if (!file)
    return mlir::emitError(location) << llvm::toString(file.takeError());
  FailureOr<SafetensorsIndex> index = SafetensorsIndex::parse(
      (*file)->getBuffer(), path, location.getContext());
  if (failed(index))
    return failure();
  for (const std::string &shard : index->shards())
    if (failed(readShard(folder, shard)))
      return failure();
  for (const auto &[tensor, shard] : index->tensors())
    if (!find(tensor))
      return mlir::emitError(index->loc())
             << "tensor '" << tensor << "' is not in '" << shard << "'";
  return success();
}

LogicalResult Checkpoint::read(StringRef folder) {
  std::string index = pathIn(folder, "model.safetensors.index.json");
  if (llvm::sys::fs::exists(index))
    return readIndex(folder, index);
  if (llvm::sys::fs::exists(pathIn(folder, "model.safetensors")))
    return readShard(folder, "model.safetensors");
  return mlir::emitError(location)
         << "there is no 'model.safetensors' and no "
            "'model.safetensors.index.json' beside the config";
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
/// Compares the weights of a model with the tensors of its checkpoint.
class CheckpointReader {
public:
  CheckpointReader(const Checkpoint &checkpoint, ModelConfig &model)
      : checkpoint(checkpoint), model(model) {}

  LogicalResult takeAll();

private:
  LogicalResult take(const NamedWeight &weight);
  LogicalResult takeExperts(const NamedWeight &weight, StringRef path,
                            StringRef module);
  /// Returns the element type of the weight in `tensor`, where `format` is that
  /// of the config. Returns null after an error.
  Type typeOf(Type format, ArrayRef<int64_t> shape,
              const SafetensorsTensor &tensor) const;
  /// Checks the order of experts in one weight. Plain types have them
  /// transposed, which the sizes do not always tell.
  LogicalResult checkTurned(const NamedWeight &weight,
                            const SafetensorsTensor &tensor) const;
  const SafetensorsTensor *findTensor(StringRef name);
  Type formatOf(StringRef name) const;
  void setType(StringRef name, Type type);
  LogicalResult checkRest() const;
  bool isBesideTheWeights(StringRef name) const;

  const Checkpoint &checkpoint;
  ModelConfig &model;
  llvm::StringSet<> taken;
  llvm::StringSet<> modules; ///< of the tensors
  /// Whether names are those of the text part of a larger model.
  bool hasPrefix = false;
};
} // namespace

static Type plainType(StringRef dtype, MLIRContext *context) {
  return llvm::StringSwitch<Type>(dtype)
      .Case("BF16", BFloat16Type::get(context))
      .Case("F16", Float16Type::get(context))
      .Case("F32", Float32Type::get(context))
      .Default(nullptr);
}

/// Finds the tensor with this name, or with this name in the text part of a
/// larger model.
const SafetensorsTensor *CheckpointReader::findTensor(StringRef name) {
  for (const std::string &full : namesInLargerModels(name))
    if (const SafetensorsTensor *tensor = checkpoint.find(full)) {
      hasPrefix |= tensor->name != name;
      taken.insert(tensor->name);
      for (StringRef module = tensor->name; module.contains('.');) {
        module = module.rsplit('.').first;
        if (!modules.insert(module).second)
          break;
      }
      return tensor;
    }
  return nullptr;
}

/// Returns the format that the config gives a weight; null if it gives none.
Type CheckpointReader::formatOf(StringRef name) const {
  auto split = splitLayerName(name);
  if (!split || !model.formats.weights)
    return {};
  const LayerConfig &layer = model.layers[split->first];
  std::string part = split->second.str();
  std::vector<std::string> linear = linearWeightsOf(layer);
  bool isPlain = layer.weightTypes.count(part) != 0;
  return llvm::is_contained(linear, part) && !isPlain ? model.formats.weights
                                                      : Type();
}

void CheckpointReader::setType(StringRef name, Type type) {
  auto split = splitLayerName(name);
  if (!split)
    model.weightTypes[name.str()] = type;
  else if (type != formatOf(name))
    model.layers[split->first].weightTypes[split->second.str()] = type;
}

/// Returns the bits of all elements of the tensor; -1 if they cannot be
/// counted.
static int64_t countBits(ArrayRef<int64_t> shape, int64_t bits) {
  std::optional<int64_t> count = bits;
  for (int64_t size : shape)
    count = count ? checkedMul(*count, size) : count;
  return count.value_or(-1);
}

Type CheckpointReader::typeOf(Type format, ArrayRef<int64_t> shape,
                              const SafetensorsTensor &tensor) const {
  Type plain = plainType(tensor.dtype, model.location.getContext());
  if (!plain && !format) {
    mlir::emitError(tensor.loc)
        << "tensor '" << tensor.name << "' is of type " << tensor.dtype
        << ", but the config says nothing of a format of this weight";
    return {};
  }
  // Packed values are only counted, because formats pack them along several
  // dimensions.
  bool isPacked = !plain && !StringRef(tensor.dtype).starts_with("F8");
  Type value = plain ? plain : valueTypeOf(format);
  bool fits = isPacked ? countBits(tensor.shape,
                                   *safetensorsElementBits(tensor.dtype)) ==
                             countBits(shape, value.getIntOrFloatBitWidth())
                       : ArrayRef(tensor.shape) == shape;
  bool isE4M3 = tensor.dtype == "F8_E4M3" && isa<Float8E4M3FNType>(value);
  if (fits && (plain || isPacked || isE4M3))
    return plain ? plain : format;
  InFlightDiagnostic diagnostic = mlir::emitError(tensor.loc);
  diagnostic << "tensor '" << tensor.name << "' must be "
             << describeShape(shape);
  if (isPacked)
    diagnostic << " values of " << value.getIntOrFloatBitWidth() << " bits";
  diagnostic << " by the config, got " << tensor.dtype << " "
             << describeShape(tensor.shape);
  return {};
}

/// Takes experts that have a tensor each, all of one type.
LogicalResult CheckpointReader::takeExperts(const NamedWeight &weight,
                                            StringRef path, StringRef module) {
  Type format = formatOf(weight.name), type;
  for (int64_t expert = 0; expert < weight.shape.front(); ++expert) {
    std::string prefix = (path + ".experts." + Twine(expert) + ".").str();
    const SafetensorsTensor *tensor = nullptr;
    for (StringRef suffix : {".weight", ".weight_packed", ".qweight"})
      for (StringRef name : {module, mixtralName(module)})
        if (!tensor)
          tensor = findTensor((prefix + name + suffix).str());
    if (!tensor)
      return mlir::emitError(model.location)
             << "tensor '" << prefix << module
             << ".weight' is missing in the checkpoint";
    Type ofExpert =
        typeOf(format, ArrayRef(weight.shape).drop_front(), *tensor);
    if (!ofExpert)
      return failure();
    if (type && ofExpert != type)
      return mlir::emitError(tensor->loc)
             << "tensor '" << tensor->name
             << "' is of another type than that of the expert before: not "
                "supported";
    type = ofExpert;
  }
  setType(weight.name, type);
  return success();
}

LogicalResult
CheckpointReader::checkTurned(const NamedWeight &weight,
                              const SafetensorsTensor &tensor) const {
  auto split = splitLayerName(weight.name);
  if (!split || !split->second.contains(".experts.") ||
      !model.layers[split->first].feedForward.experts.isTransposed ||
      !formatOf(weight.name) ||
      !plainType(tensor.dtype, model.location.getContext()))
    return success();
  return mlir::emitError(tensor.loc)
         << "tensor '" << tensor.name << "' is " << tensor.dtype << " "
         << describeShape(tensor.shape) << ", and the config says "
         << model.formats.weights
         << " of these experts ('quantization_config'), which are '"
         << weight.name
         << "_blocks' and '_scales' then; expected a checkpoint of this "
            "config, "
            "or a config without it";
}

LogicalResult CheckpointReader::take(const NamedWeight &weight) {
  StringRef name = weight.name, base = name;
  bool isMatrix = base.consume_back(".weight");
  const SafetensorsTensor *tensor = findTensor(name);
  for (StringRef suffix : {".weight", ".weight_packed", ".qweight", "_blocks"})
    if (!tensor)
      tensor = findTensor((base + suffix).str());
  if (!tensor && isMatrix && base.contains(".experts.")) {
    auto [path, module] = base.split(".experts.");
    return takeExperts(weight, path, module);
  }
  if (!tensor)
    return mlir::emitError(model.location)
           << "tensor '" << name << "' is missing in the checkpoint";
  if (failed(checkTurned(weight, *tensor)))
    return failure();
  Type type = typeOf(formatOf(name), weight.shape, *tensor);
  if (!type)
    return failure();
  setType(name, type);
  return success();
}

/// Whether a tensor is no weight of the model: scales and the like, which
/// belong to a weight, layers behind the last that predict further tokens, and
/// other parts of a larger model.
bool CheckpointReader::isBesideTheWeights(StringRef name) const {
  static constexpr llvm::StringLiteral suffixes[] = {
      "_scale",
      "_scale_inv",
      "_scales",
      ".scales",
      ".qzeros",
      ".g_idx",
      "_zero_point",
      "_shape",
      "_scale_2",
      ".absmax",
      "_quant_state.bitsandbytes__nf4",
      ".inv_freq",
      "quant_map",
      "_g_idx",
      "_global_scale",
      "nested_absmax",
      "_scale_ub"};
  StringRef text = name;
  bool isText = !hasPrefix || text.consume_front("language_model.") ||
                text.consume_front("model.language_model.");
  auto split = splitLayerName(text);
  return !isText || (split && split->first >= model.layers.size()) ||
         (llvm::any_of(suffixes,
                       [&](StringRef each) { return name.ends_with(each); }) &&
          (name.ends_with(".inv_freq") ||
           modules.contains(name.rsplit('.').first)));
}

LogicalResult CheckpointReader::checkRest() const {
  SmallVector<const SafetensorsTensor *> rest;
  for (const auto &entry : checkpoint.tensors())
    if (!taken.contains(entry.getKey()) &&
        !isBesideTheWeights(entry.getKey()) &&
        !(model.hasTiedHead && entry.getKey() == "lm_head.weight"))
      rest.push_back(entry.getValue());
  if (rest.empty())
    return success();
  const SafetensorsTensor *first = *llvm::min_element(
      rest, [](const auto *a, const auto *b) { return a->name < b->name; });
  return mlir::emitError(first->loc)
         << "tensor '" << first->name
         << "' is no weight of the model that the config describes";
}

LogicalResult CheckpointReader::takeAll() {
  FailureOr<std::vector<NamedWeight>> weights = listWeights(model);
  if (failed(weights))
    return failure();
  for (const NamedWeight &weight : *weights) {
    // Scales of activations are beside weights, as other scales are.
    bool isScale = StringRef(weight.name).ends_with(".input_scale");
    if (!isScale && failed(take(weight)))
      return failure();
  }
  return checkRest();
}

FailureOr<OwningOpRef<ModuleOp>> importSafetensors(StringRef configText,
                                                   StringRef configPath,
                                                   const ImportOptions &options,
                                                   MLIRContext *context) {
  if (options.predictsFurther)
    return emitError(UnknownLoc::get(context))
           << "--mtp is for --import-hf-config: weights of what predicts "
              "further tokens are not looked for in checkpoints";
  FailureOr<LocatedJson> config = LocatedJson::parse(
      configText, configPath, context, JsonNumbers::AsPython);
  if (failed(config))
    return failure();
  FailureOr<ModelConfig> model = readHfConfig(*config, configPath);
  if (failed(model))
    return failure();
  Checkpoint checkpoint(model->location);
  if (failed(checkpoint.read(llvm::sys::path::parent_path(configPath))) ||
      failed(CheckpointReader(checkpoint, *model).takeAll()))
    return failure();
  return buildDecoder(*model, options);
}

} // namespace mlir::llm
