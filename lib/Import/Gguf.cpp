//===- Gguf.cpp - Models from GGUF files ----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are those of ggml's docs/gguf.md. Models of which all layers are alike
// are read here, others in GgufFamilies.cpp.
//
//===----------------------------------------------------------------------===//

#include "GgufConfig.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Import/Checkpoints.h"
#include "llm/Import/DecoderBuilder.h"
#include "llm/Import/GgmlNames.h"
#include "llm/Import/WeightNames.h"
#include "llm/Support/GgmlTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

namespace {
/// Makes a model of a GGUF header. The first error ends the import.
class GgufModelReader : GgufFields {
public:
  explicit GgufModelReader(const GgufHeader &header)
      : GgufFields(header), model(header.loc()) {}

  FailureOr<ModelConfig> read();

private:
  LogicalResult readArchitecture();
  LogicalResult checkKeys();
  LogicalResult readSizes();
  LogicalResult readFamily();
  LogicalResult readAttention(AttentionConfig &attention);
  LogicalResult readFeedForward(FeedForwardConfig &feedForward);
  LogicalResult readVocabulary();
  LogicalResult takeTensors();
  LogicalResult takeTensor(const NamedWeight &weight);
  /// Returns the tensors that hold a weight.
  FailureOr<SmallVector<const GgufTensor *, 2>>
  findTensors(const NamedWeight &weight);
  LogicalResult checkShape(const NamedWeight &weight,
                           ArrayRef<const GgufTensor *> tensors);
  bool isLeftOut(StringRef tensor) const;

  /// What reads a model whose layers differ; null: this class does.
  const GgufFamily *family = nullptr;
  ModelConfig model;
  llvm::StringSet<> taken; ///< tensors
};
} // namespace

LogicalResult GgufModelReader::readArchitecture() {
  StringRef key = "general.architecture";
  auto name = header.findString(key);
  if (failed(name))
    return failure();
  if (!*name)
    return refuse(key) << "is missing";
  architecture = (*name)->str();
  model.family = architecture;
  family = findGgufFamily(architecture);
  if (family || llvm::is_contained(knownGgufArchitectures(), architecture))
    return success();
  if (StringRef why = refusalOfGguf(architecture); !why.empty())
    return refuse(key) << "\"" << architecture << "\" is not supported: " << why
                       << "; import the config.json of the model";
  ArrayRef<llvm::StringLiteral> all = knownGgufArchitectures();
  SmallVector<StringRef> known(all.begin(), all.end());
  for (const GgufFamily &each : ggufFamilies())
    known.push_back(each.architecture);
  return refuse(key) << "\"" << architecture << "\" is not supported"
                     << didYouMean(architecture, known)
                     << " (supported: " << llvm::join(known, ", ") << ")";
}

LogicalResult GgufModelReader::readAttention(AttentionConfig &attention) {
  FailureOr<int64_t> heads = size("attention.head_count");
  if (failed(heads))
    return failure();
  FailureOr<int64_t> kvHeads = size("attention.head_count_kv", *heads);
  FailureOr<int64_t> keyLength =
      size("attention.key_length", std::max<int64_t>(1, model.hidden / *heads));
  if (failed(kvHeads) || failed(keyLength))
    return failure();
  FailureOr<int64_t> valueLength = size("attention.value_length", *keyLength);
  FailureOr<double> theta = number("rope.freq_base", 10000);
  if (failed(valueLength) || failed(theta))
    return failure();
  if (*valueLength != *keyLength)
    return refuse(keyOf("attention.value_length"))
           << *valueLength << " is not the key_length " << *keyLength
           << ": not supported";
  if (*heads % *kvHeads)
    return refuse(keyOf("attention.head_count_kv"))
           << *kvHeads << " does not divide the head_count " << *heads;
  if (*keyLength % 2)
    return refuse(keyOf("attention.key_length"))
           << *keyLength << " must be even: rotary embedding turns pairs";
  FailureOr<int64_t> rotated = size("rope.dimension_count", *keyLength);
  if (failed(rotated))
    return failure();
  if (*rotated != *keyLength)
    return refuse(keyOf("rope.dimension_count"))
           << *rotated << " is not the key_length " << *keyLength
           << ": the whole head is rotated";
  attention.heads = *heads;
  attention.kvHeads = *kvHeads;
  attention.headDim = *keyLength;
  attention.rope.theta = *theta;
  attention.rope.isInterleaved = storesInterleavedRows(architecture);
  if (failed(readGgufRopeScaling(*this, *keyLength / 2, attention.rope)))
    return failure();
  attention.qkNorm = architecture == "qwen3" || architecture == "qwen3moe";
  attention.qkvBias = hasTensor("blk.0.attn_q.bias");
  attention.outBias = hasTensor("blk.0.attn_output.bias");
  if (header.has(keyOf("attention.sliding_window"))) {
    FailureOr<int64_t> window = size("attention.sliding_window");
    if (failed(window))
      return failure();
    attention.window = *window;
  }
  return success();
}

LogicalResult GgufModelReader::readFeedForward(FeedForwardConfig &feedForward) {
  // Models without experts may have the number 0.
  std::string countKey = keyOf("expert_count");
  auto written = header.findWholeNumber(countKey);
  if (failed(written))
    return failure();
  bool hasExperts = written->value_or(0) != 0;
  FailureOr<int64_t> width =
      hasExperts && header.has(keyOf("expert_feed_forward_length"))
          ? size("expert_feed_forward_length")
          : size("feed_forward_length");
  if (failed(width))
    return failure();
  feedForward.intermediate = *width;
  feedForward.hasBias = hasTensor("blk.0.ffn_gate.bias");
  if (!hasExperts)
    return success();
  FailureOr<int64_t> count = size("expert_count"),
                     used = size("expert_used_count");
  if (failed(count) || failed(used))
    return failure();
  constexpr int64_t most = 65536;
  if (*count > most || *used > *count)
    return refuse(keyOf("expert_count"))
           << "must be in [" << *used << ", " << most << "], got " << *count;
  ExpertsConfig &experts = feedForward.experts;
  experts.count = *count;
  experts.topK = *used;
  experts.normalizes = true;
  experts.router = "gate";
  if (architecture == "llama")
    feedForward.path = "block_sparse_moe";
  return success();
}

LogicalResult GgufModelReader::readVocabulary() {
  const GgufTensor *embedding = header.findTensor("token_embd.weight");
  if (!embedding)
    return mlir::emitError(header.loc())
           << "tensor 'token_embd.weight' is missing";
  if (embedding->shape.size() != 2)
    return mlir::emitError(header.loc(*embedding))
           << "tensor 'token_embd.weight' must have two dimensions";
  model.vocabulary = embedding->shape.front();
  StringRef key = "tokenizer.ggml.tokens";
  auto tokens = header.findArrayLength(key);
  if (failed(tokens))
    return failure();
  if (*tokens && **tokens != static_cast<uint64_t>(model.vocabulary))
    return refuse(key) << "has " << **tokens
                       << " tokens, but 'token_embd.weight' "
                       << model.vocabulary << " rows";
  model.hasTiedHead = !hasTensor("output.weight");
  return success();
}

/// Checks keys of the architecture. These are read, or nothing depends on them.
/// Any other key may change the work.
LogicalResult GgufModelReader::checkKeys() {
  static constexpr llvm::StringLiteral known[] = {
      "block_count",
      "context_length",
      "embedding_length",
      "feed_forward_length",
      "vocab_size",
      "attention.head_count",
      "attention.head_count_kv",
      "attention.key_length",
      "attention.value_length",
      "attention.layer_norm_rms_epsilon",
      "attention.sliding_window",
      "expert_count",
      "expert_used_count",
      "expert_feed_forward_length",
      "rope.dimension_count",
      "rope.freq_base"};
  for (StringRef key : header.keys()) {
    StringRef rest = key;
    if (!rest.consume_front(architecture + ".") ||
        (family
             ? isGgufFamilyKey(*family, rest)
             : isGgufRopeScalingKey(rest) || llvm::is_contained(known, rest)))
      continue;
    return refuse(key) << "is unknown and may change the work";
  }
  return success();
}

LogicalResult GgufModelReader::readSizes() {
  FailureOr<int64_t> layers = size("block_count"),
                     hidden = size("embedding_length");
  if (failed(layers) || failed(hidden))
    return failure();
  if (*layers > ModelConfig::maxLayers)
    return refuse(keyOf("block_count"))
           << "must be at most " << ModelConfig::maxLayers << ", got "
           << *layers;
  model.hidden = *hidden;
  FailureOr<double> epsilon = number("attention.layer_norm_rms_epsilon", 1e-5);
  LayerConfig layer;
  if (failed(epsilon) || failed(readAttention(layer.attention)) ||
      failed(readFeedForward(layer.feedForward)))
    return failure();
  model.epsilon = *epsilon;
  model.layers.assign(*layers, layer);
  return readVocabulary();
}

LogicalResult GgufModelReader::readFamily() {
  FailureOr<ModelConfig> read = readGgufFamily(*this, *family);
  if (failed(read))
    return failure();
  model = std::move(*read);
  std::string further = keyOf("nextn_predict_layers");
  if (header.has(further))
    mlir::emitRemark(header.loc(further))
        << "'" << further
        << "': what predicts further tokens behind the last layer is left out";
  return readVocabulary();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<const GgufTensor *, 2>>
GgufModelReader::findTensors(const NamedWeight &weight) {
  SmallVector<std::string, 2> names = {ggmlTensorName(weight.name)};
  if (family)
    names = ggmlTensorNames(architecture, weight.name);
  SmallVector<const GgufTensor *, 2> tensors;
  for (const std::string &name : names) {
    const GgufTensor *tensor = header.findTensor(name);
    if (!tensor)
      return mlir::emitError(header.loc())
             << "tensor '" << name << "' is missing";
    if (!tensors.empty() && tensors.front()->type != tensor->type)
      return mlir::emitError(header.loc(*tensor))
             << "tensor '" << name << "' is of another type than '"
             << tensors.front()->name
             << "', with which it is one weight: not supported";
    tensors.push_back(tensor);
    taken.insert(name);
  }
  if (tensors.empty())
    return mlir::emitError(header.loc())
           << "no tensor is known for '" << weight.name << "'";
  return tensors;
}

/// The same shape without dimensions of one element.
static SmallVector<int64_t, 4> squeeze(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> sizes;
  llvm::copy_if(shape, std::back_inserter(sizes),
                [](int64_t size) { return size != 1; });
  return sizes;
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Whether these are the halves of kv_b_proj, [heads, nope_dim + value_dim,
/// rank]: [heads, rank, nope_dim] and [heads, value_dim, rank].
static bool areHalvesOfLatents(const GgufTensor &keys, const GgufTensor &values,
                               ArrayRef<int64_t> whole) {
  if (keys.shape.size() != 3 || values.shape.size() != 3)
    return false;
  return keys.shape[0] == values.shape[0] && keys.shape[1] == whole.back() &&
         values.shape[2] == whole.back() &&
         keys.shape[0] * (keys.shape[2] + values.shape[1]) == whole.front();
}

/// Converters leave out dimensions of one element or add some, write the norm
/// of Mamba-2 group by group, and take rows apart.
LogicalResult
GgufModelReader::checkShape(const NamedWeight &weight,
                            ArrayRef<const GgufTensor *> tensors) {
  const GgufTensor &first = *tensors.front();
  bool fits = ArrayRef(first.shape) == ArrayRef(weight.shape);
  if (family && tensors.size() == 1)
    fits = squeeze(first.shape) == squeeze(weight.shape) ||
           (StringRef(first.name).ends_with("ssm_norm.weight") &&
            countElements(first.shape) == countElements(weight.shape));
  SmallVector<int64_t, 4> joined(first.shape);
  for (const GgufTensor *other : tensors.drop_front())
    joined[0] += other->shape.front();
  if (tensors.size() > 1)
    fits = ArrayRef(joined) == ArrayRef(weight.shape) ||
           areHalvesOfLatents(first, *tensors[1], weight.shape);
  if (fits)
    return success();
  return mlir::emitError(header.loc(first))
         << "tensor '" << first.name << "' must be "
         << describeShape(weight.shape) << " by the metadata, got "
         << describeShape(joined);
}

LogicalResult GgufModelReader::takeTensor(const NamedWeight &weight) {
  auto tensors = findTensors(weight);
  if (failed(tensors) || failed(checkShape(weight, *tensors)))
    return failure();
  const GgufTensor &tensor = *tensors->front();
  Type type = getGgmlElementType(*tensor.type, model.location.getContext());
  if (!type)
    return mlir::emitError(header.loc(tensor))
           << "tensor '" << tensor.name << "' is of type "
           << StringRef(tensor.type->name.data(), tensor.type->name.size())
           << ", which is not supported";
  // Vectors, and what convolves, are no operands of products.
  StringRef name = tensor.name;
  bool isVector = squeeze(weight.shape).size() <= 1 ||
                  name.ends_with("conv1d.weight") ||
                  name.ends_with(".conv.weight");
  if (isVector && isa<BlockScaledType>(type))
    return mlir::emitError(header.loc(tensor))
           << "tensor '" << tensor.name << "' is of type "
           << StringRef(tensor.type->name.data(), tensor.type->name.size())
           << ", and must be f32, f16 or bf16: it is no operand of a product";
  if (auto split = splitLayerName(weight.name))
    model.layers[split->first].weightTypes[split->second.str()] = type;
  else
    model.weightTypes[weight.name] = type;
  return success();
}

/// Whether the tensor is of a module that predicts further tokens. These stand
/// behind the last layer.
bool GgufModelReader::isLeftOut(StringRef tensor) const {
  size_t layer;
  return family && has("nextn_predict_layers") &&
         tensor.consume_front("blk.") && !tensor.consumeInteger(10, layer) &&
         layer >= model.layers.size();
}

LogicalResult GgufModelReader::takeTensors() {
  FailureOr<std::vector<NamedWeight>> weights = listWeights(model);
  if (failed(weights))
    return failure();
  for (const NamedWeight &weight : *weights)
    if (failed(takeTensor(weight)))
      return failure();
  for (const GgufTensor &tensor : header.tensors())
    if (!taken.contains(tensor.name) && tensor.name != ggufRopeFactors &&
        !isLeftOut(tensor.name))
      return mlir::emitError(header.loc(tensor))
             << "tensor '" << tensor.name << "' is no weight of architecture "
             << architecture << " as its metadata describe it";
  return success();
}

FailureOr<ModelConfig> GgufModelReader::read() {
  model.elementType = Float16Type::get(model.location.getContext());
  if (failed(readArchitecture()) || failed(checkKeys()) ||
      failed(family ? readFamily() : readSizes()) || failed(takeTensors()))
    return failure();
  return model;
}

FailureOr<ModelConfig> readGguf(const GgufHeader &header) {
  loadDecoderDialects(header.loc().getContext());
  return GgufModelReader(header).read();
}

FailureOr<OwningOpRef<ModuleOp>> importGguf(StringRef bytes, StringRef fileName,
                                            const ImportOptions &options,
                                            MLIRContext *context) {
  FailureOr<GgufHeader> header = GgufHeader::parse(bytes, fileName, context);
  if (failed(header))
    return failure();
  FailureOr<ModelConfig> model = readGguf(*header);
  if (failed(model))
    return failure();
  return buildDecoder(*model, options);
}

} // namespace mlir::llm
