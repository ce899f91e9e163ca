//===- ImportOptions.cpp - Which program to make of a model ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/ImportOptions.h"
#include "LinearWeights.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Import/Formats.h"
#include "llm/Support/Units.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <set>

namespace mlir::llm {

FailureOr<std::optional<int64_t>> parseLayers(StringRef text,
                                              MLIRContext *context) {
  if (text == "all")
    return std::optional<int64_t>();
  int64_t layers;
  if (!text.getAsInteger(10, layers) && layers > 0)
    return std::optional<int64_t>(layers);
  return emitError(UnknownLoc::get(context))
         << "--layers must be 'all' or a positive whole number, got '" << text
         << "'";
}

static LogicalResult checkPositive(MLIRContext *context, StringRef option,
                                   int64_t value) {
  if (value > 0)
    return success();
  return emitError(UnknownLoc::get(context))
         << option << " must be a positive whole number, got " << value;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

namespace {
/// Sequences that become a `#llm.sequences` once all numbers are checked.
struct Sequences {
  int64_t batch = 1, seq = 1;
  std::vector<int64_t> kvLens;
};
} // namespace

static InFlightDiagnostic emitOptionError(MLIRContext *context) {
  return emitError(UnknownLoc::get(context));
}

/// Returns the new tokens of a sequence if the options do not say how many.
static int64_t newTokensOf(Phase phase) {
  switch (phase) {
  case Phase::Decode:
  case Phase::Mixed:
    return 1;
  case Phase::Prefill:
    return 512;
  case Phase::Verify:
    return 5; // four drafts, as speculative decoders often have
  }
  return 1;
}

static LogicalResult checkNumbers(MLIRContext *context, StringRef option,
                                  ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    if (number != openSize && failed(checkPositive(context, option, number)))
      return failure();
  return success();
}

static LogicalResult checkKeys(MLIRContext *context, StringRef keysOption,
                               int64_t keys, bool isDefault,
                               StringRef tokensOption, int64_t tokens) {
  if (keys >= tokens || keys == openSize)
    return success();
  return emitOptionError(context)
         << keysOption << "=" << keys << (isDefault ? " (the default)" : "")
         << " is less than " << tokensOption << "=" << tokens
         << ": it counts the new tokens too";
}

/// Groups sequences with the same number of new tokens, as one op does the
/// attention of a group. If keys are expanded from latents, a group also has
/// the same number of keys, because the keys that a shorter sequence lacks
/// would be computed, too.
static std::vector<Sequences> groupSequences(bool hasExpandedLatents,
                                             ArrayRef<int64_t> seqs,
                                             ArrayRef<int64_t> kvLens) {
  std::vector<Sequences> groups;
  std::map<std::pair<int64_t, int64_t>, size_t> groupOf;
  for (auto [seq, kvLen] : llvm::zip_equal(seqs, kvLens)) {
    int64_t key = hasExpandedLatents ? kvLen : 0;
    auto [known, isNew] = groupOf.try_emplace({seq, key}, groups.size());
    if (isNew)
      groups.push_back({0, seq, {}});
    Sequences &group = groups[known->second];
    ++group.batch;
    group.kvLens.push_back(kvLen);
  }
  for (Sequences &group : groups)
    if (llvm::all_equal(group.kvLens))
      group.kvLens.resize(1);
  return groups;
}

/// Warns of "16,384", which may be meant as a number with a separator of
/// thousands. The number of sequences says what is meant.
static void warnOfSeparators(MLIRContext *context, StringRef option,
                             ArrayRef<int64_t> numbers) {
  auto isGroup = [](int64_t number) { return number >= 100 && number < 1000; };
  if (numbers.size() < 2 || numbers.front() > 999 ||
      !llvm::all_of(numbers.drop_front(), isGroup))
    return;
  std::string together;
  for (int64_t number : numbers)
    together += std::to_string(number);
  emitWarning(UnknownLoc::get(context))
      << option << " lists " << numbers.size()
      << " sequences; if one number was meant, write " << option << "="
      << together << ", and if not, --batch=" << numbers.size() << " beside it";
}

/// Lists the sequences that the options describe.
static FailureOr<std::vector<Sequences>>
listSequences(const ImportOptions &options, MLIRContext *context) {
  std::vector<int64_t> seqs = options.seq, kvLens = options.kvLen;
  if (seqs.empty())
    seqs = {newTokensOf(options.phase)};
  if (kvLens.empty())
    kvLens = options.phase == Phase::Prefill ? seqs : std::vector<int64_t>{512};
  if (options.phase == Phase::Prefill && options.kvLen.empty() &&
      llvm::is_contained(seqs, openSize))
    return emitOptionError(context)
           << "--seq=? needs --kv-len beside it, a number or '?'";
  size_t count = std::max(seqs.size(), kvLens.size());
  int64_t batch = options.batch.value_or(count);
  if (!options.batch) {
    warnOfSeparators(context, "--seq", options.seq);
    warnOfSeparators(context, "--kv-len", options.kvLen);
  }
  if (failed(checkNumbers(context, "--batch", batch)) ||
      failed(checkNumbers(context, "--seq", seqs)) ||
      failed(checkNumbers(context, "--kv-len", kvLens)))
    return failure();
  if (std::min(seqs.size(), kvLens.size()) > 1 && seqs.size() != kvLens.size())
    return emitOptionError(context)
           << "--seq has " << seqs.size() << " numbers and --kv-len "
           << kvLens.size() << ": give one for all sequences, or one for each";
  if (count > 1 && batch != static_cast<int64_t>(count))
    return emitOptionError(context)
           << "--batch=" << batch << " contradicts the " << count
           << " sequences that --seq or --kv-len list";
  if (count > 1 && (llvm::is_contained(seqs, openSize) ||
                    llvm::is_contained(kvLens, openSize)))
    return emitOptionError(context)
           << "a size in a list of sequences cannot be left open";
  seqs.resize(count, seqs.front());
  kvLens.resize(count, kvLens.front());
  for (auto [seq, kvLen] : llvm::zip_equal(seqs, kvLens))
    if (failed(checkKeys(context, "--kv-len", kvLen, options.kvLen.empty(),
                         "--seq", seq)))
      return failure();
  if (count == 1)
    return std::vector<Sequences>{{batch, seqs.front(), kvLens}};
  bool hasExpandedLatents =
      options.phase == Phase::Prefill ||
      options.latentAttention == LatentAttention::Expanded;
  return groupSequences(hasExpandedLatents, seqs, kvLens);
}

namespace {
/// What a group of sequences has in common beside their tokens: of each ratio,
/// how many windows the step closes, and whether any are closed behind it.
using ClosedWindows = std::vector<std::pair<int64_t, bool>>;
} // namespace

static ClosedWindows countWindows(const std::set<int64_t> &ratios, int64_t seq,
                                  int64_t kvLen) {
  ClosedWindows windows;
  for (int64_t ratio : ratios)
    windows.emplace_back(kvLen / ratio - (kvLen - seq) / ratio,
                         kvLen / ratio > 0);
  return windows;
}

/// Sequences whose windows close at once, of models that compress keys.
static std::vector<Sequences> splitByWindows(const ModelConfig &model,
                                             std::vector<Sequences> groups) {
  std::set<int64_t> ratios;
  for (const LayerConfig &layer : model.layers)
    if (int64_t ratio = layer.attention.compressed.ratio)
      ratios.insert(ratio);
  std::vector<Sequences> split;
  for (const Sequences &group : groups) {
    if (ratios.empty() || group.kvLens.size() == 1) {
      split.push_back(group);
      continue;
    }
    std::map<ClosedWindows, Sequences> parts;
    for (int64_t kvLen : group.kvLens) {
      Sequences &part = parts[countWindows(ratios, group.seq, kvLen)];
      part.batch = part.kvLens.size() + 1;
      part.seq = group.seq;
      part.kvLens.push_back(kvLen);
    }
    for (auto &[windows, part] : parts) {
      if (llvm::all_equal(part.kvLens))
        part.kvLens.resize(1);
      split.push_back(part);
    }
  }
  return split;
}

/// The chunk of a prompt that runs beside sequences that decode.
static FailureOr<std::vector<Sequences>> addChunk(const ImportOptions &options,
                                                  std::vector<Sequences> groups,
                                                  MLIRContext *context) {
  if (options.phase != Phase::Mixed) {
    if (options.chunk || options.chunkKvLen)
      return emitOptionError(context)
             << (options.chunk ? "--chunk" : "--chunk-kv-len")
             << " is for --phase=mixed only";
    return groups;
  }
  if (!options.seq.empty())
    return emitOptionError(context)
           << "--seq is not for --phase=mixed: its sequences decode one token "
              "each, and --chunk says how many the prompt has";
  for (const Sequences &group : groups)
    if (group.batch == openSize || llvm::is_contained(group.kvLens, openSize))
      return emitOptionError(context)
             << "sizes cannot be left open with --phase=mixed";
  int64_t chunk = options.chunk.value_or(512);
  int64_t kvLen = options.chunkKvLen.value_or(chunk);
  if (failed(checkPositive(context, "--chunk", chunk)) ||
      failed(checkPositive(context, "--chunk-kv-len", kvLen)) ||
      failed(checkKeys(context, "--chunk-kv-len", kvLen, /*isDefault=*/false,
                       "--chunk", chunk)))
    return failure();
  groups.push_back({1, chunk, {kvLen}});
  return groups;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Can the bytes of a tensor of these dimensions be counted?
static bool isCountable(ArrayRef<int64_t> dims) {
  constexpr int64_t widestElementBytes = 4;
  std::optional<int64_t> bytes = widestElementBytes;
  for (int64_t dim : dims)
    if (bytes)
      bytes = checkedMul(*bytes, dim);
  return bytes.has_value();
}

namespace {
/// Checks all sizes, because attributes and ops abort on numbers that they
/// refuse.
class SizeCheck {
public:
  SizeCheck(const ModelConfig &model, ArrayRef<Sequences> groups)
      : model(model), groups(groups) {}
  LogicalResult run();

private:
  LogicalResult check(StringRef what, ArrayRef<int64_t> dims) const;
  LogicalResult checkLayer(const LayerConfig &layer) const;
  LogicalResult checkLatent(const AttentionConfig &attention,
                            const Sequences &group) const;
  LogicalResult checkCompressed(const AttentionConfig &attention,
                                const Sequences &group) const;
  LogicalResult checkExperts(const FeedForwardConfig &feedForward) const;

  const ModelConfig &model;
  ArrayRef<Sequences> groups;
  int64_t tokens = 0; ///< of all sequences
};
} // namespace

LogicalResult SizeCheck::check(StringRef what, ArrayRef<int64_t> dims) const {
  if (isCountable(dims))
    return success();
  const Sequences &first = groups.front();
  return emitError(model.location)
         << what
         << " of this model is too large to count with --batch=" << first.batch
         << " --seq=" << first.seq << " --kv-len=" << first.kvLens.front();
}

LogicalResult
SizeCheck::checkExperts(const FeedForwardConfig &feedForward) const {
  const ExpertsConfig &e = feedForward.experts;
  int64_t inner = feedForward.intermediate;
  return failure(
      e.count &&
      (failed(check("a weight", {2, e.count, inner, model.hidden})) ||
       failed(check("a weight", {2, e.sharedWidth, model.hidden})) ||
       failed(check("the rows of experts", {2, tokens, e.topK, inner})) ||
       failed(check("the rows of experts", {tokens, e.topK, model.hidden})) ||
       failed(check("an activation", {2, tokens, e.sharedWidth})) ||
       failed(check("the scores of experts", {tokens, e.count})) ||
       // Shares of rows are fractions, and their sums are exact below 2^53.
       failed(check("the rows of experts", {tokens, e.topK, 1 << 6}))));
}

LogicalResult SizeCheck::checkLatent(const AttentionConfig &attention,
                                     const Sequences &group) const {
  const LatentConfig &l = attention.latent;
  int64_t keys = *llvm::max_element(group.kvLens);
  return failure(
      l.rank &&
      (failed(check("a weight", {attention.heads, l.nopeDim, l.rank})) ||
       failed(check("a weight", {attention.heads, l.valueDim, l.rank})) ||
       failed(check("a weight", {l.queryRank, model.hidden})) ||
       failed(check("the queries", {group.batch, group.seq, attention.heads,
                                    l.rank + l.ropeDim})) ||
       failed(check("the keys", {group.batch, keys, attention.heads,
                                 2 * l.nopeDim + 2 * l.ropeDim})) ||
       failed(check("the values",
                    {group.batch, keys, attention.heads, 2 * l.valueDim}))));
}

LogicalResult SizeCheck::checkCompressed(const AttentionConfig &attention,
                                         const Sequences &group) const {
  const CompressedConfig &c = attention.compressed;
  const IndexerConfig &i = attention.indexer;
  return failure(
      c.queryRank &&
      (failed(check("a weight",
                    {attention.heads, attention.headDim, c.queryRank})) ||
       failed(check("a weight", {c.outGroups, c.outRank, model.hidden})) ||
       failed(check("a weight",
                    {attention.heads, attention.headDim, c.outRank})) ||
       failed(check("a weight", {i.heads, i.headDim, c.queryRank})) ||
       failed(check("a weight", {2, attention.headDim, model.hidden})) ||
       failed(check("the output", {tokens, c.outGroups, c.outRank})) ||
       failed(check("the index queries", {tokens, i.heads, i.headDim})) ||
       failed(check("a state", {group.batch, 4, c.ratio + group.seq, 2,
                                std::max(attention.headDim, i.headDim)}))));
}

LogicalResult SizeCheck::checkLayer(const LayerConfig &layer) const {
  const AttentionConfig &a = layer.attention;
  int64_t inner = layer.feedForward.intermediate,
          features = std::max(a.headDim, a.valueDim);
  if (failed(checkExperts(layer.feedForward)))
    return failure();
  for (const Sequences &group : groups) {
    int64_t keys = *llvm::max_element(group.kvLens);
    if (failed(checkLatent(a, group)) || failed(checkCompressed(a, group)) ||
        failed(
            check("the attention", {group.batch, a.heads, group.seq, keys})) ||
        failed(check("the cache", {2, group.batch, keys, a.kvHeads, features})))
      return failure();
  }
  // A fused projection has two or three of these side by side.
  return failure(
      failed(check("a weight", {3, a.heads, features, model.hidden})) ||
      failed(check("a weight", {2, inner, model.hidden})) ||
      failed(check("an activation", {tokens, 2, inner})) ||
      failed(check("an activation", {tokens, 3, a.heads, features})));
}

LogicalResult SizeCheck::run() {
  for (const Sequences &group : groups) {
    std::optional<int64_t> ofGroup = checkedMul(group.batch, group.seq);
    std::optional<int64_t> sum =
        ofGroup ? checkedAdd(tokens, *ofGroup) : std::nullopt;
    if (!sum) // this product cannot be counted, either
      return check("an activation", {group.batch, group.seq, maxCount});
    tokens = *sum;
  }
  if (failed(check("an activation", {tokens, model.hidden})))
    return failure();
  const LayerConfig *checked = nullptr;
  for (const LayerConfig &layer : model.layers) {
    if (checked && *checked == layer)
      continue;
    checked = &layer;
    if (failed(checkLayer(layer)))
      return failure();
  }
  for (const LayerConfig &layer : model.further.layers)
    if (failed(checkLayer(layer)) ||
        failed(check("a weight", {2, model.hidden, model.hidden})))
      return failure();
  const LayerInputsConfig &inputs = model.layerInputs;
  auto layers = static_cast<int64_t>(model.layers.size());
  if (inputs.features &&
      (failed(
           check("a weight", {inputs.vocabulary, layers, inputs.features})) ||
       failed(check("a weight", {layers, inputs.features, model.hidden})) ||
       failed(check("the inputs of layers",
                    {2, tokens, layers, inputs.features}))))
    return failure();
  int64_t streams = model.streams.count;
  return failure(
      failed(check("a weight", {model.vocabulary, model.hidden})) ||
      failed(
          check("a weight", {2 + streams, streams, streams, model.hidden})) ||
      failed(check("the residual", {tokens, streams + 1, model.hidden})) ||
      failed(check("an activation", {tokens, model.hidden})) ||
      failed(check("the logits", {tokens, model.vocabulary})));
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Sets `type` to the format `name`. The name of the model's element type sets
/// it back to null.
static LogicalResult applyFormat(StringRef option, StringRef name,
                                 Stored stored, const ModelConfig &model,
                                 Type &type) {
  if (name.empty())
    return success();
  MLIRContext *context = model.location.getContext();
  Type named = findFormat(name, stored, context);
  if (!named)
    return emitOptionError(context)
           << option << " must be one of " << describeFormats() << "; got '"
           << name << "'" << didYouMean(name, formatNames());
  type = named == model.elementType ? Type() : named;
  return success();
}

/// Stores weights of such types in the type of the model. They keep an entry,
/// because linear layers without one have the format of the others.
static void makePlain(ModelConfig &model, function_ref<bool(Type)> isSuch) {
  auto change = [&](WeightTypes &types) {
    for (auto &[name, type] : types)
      if (isSuch(type))
        type = model.elementType;
  };
  change(model.weightTypes);
  for (LayerConfig &layer : model.layers)
    change(layer.weightTypes);
}

/// Finds the name that is meant: PyTorch has other names for the same types,
/// and formats of weights belong to another option.
static std::string findMeantDtype(StringRef name) {
  StringRef meant = llvm::StringSwitch<StringRef>(name)
                        .Cases({"float32", "float", "fp32"}, "f32")
                        .Cases({"float16", "half", "fp16"}, "f16")
                        .Case("bfloat16", "bf16")
                        .Default("");
  if (!meant.empty())
    return ("; did you mean '" + meant + "'?").str();
  if (llvm::is_contained(formatNames(), name))
    return "; a format of weights is --weights=" + name.str();
  return didYouMean(name, {"f32", "f16", "bf16"});
}

static LogicalResult applyDtype(ModelConfig &model, StringRef name) {
  if (name.empty())
    return success();
  Builder b(model.location.getContext());
  Type type = llvm::StringSwitch<Type>(name)
                  .Case("f32", b.getF32Type())
                  .Case("f16", b.getF16Type())
                  .Case("bf16", b.getBF16Type())
                  .Default(nullptr);
  if (!type)
    return emitOptionError(b.getContext())
           << "--dtype must be one of f32, f16, bf16; got '" << name << "'"
           << findMeantDtype(name);
  model.elementType = type;
  makePlain(model, [](Type each) { return isa<FloatType>(each); });
  return success();
}

LogicalResult applyFormats(ModelConfig &model, const ImportOptions &options) {
  if (failed(applyDtype(model, options.dtype)))
    return failure();
  NumberFormats &formats = model.formats;
  if (!options.weights.empty()) {
    // The format holds for all linear layers of decoder layers, and activations
    // stay as they are.
    formats.weights = formats.activations = Type();
    formats.isStatic = false;
    for (LayerConfig &layer : model.layers)
      for (const std::string &weight : linearWeightsOf(layer))
        layer.weightTypes.erase(weight);
  }
  // If a plain type is named, no weight is in a format, also not embedding and
  // head.
  Type named =
      findFormat(options.weights, Stored::Weight, model.location.getContext());
  if (named && isa<FloatType>(named))
    makePlain(model, [](Type each) { return !isa<FloatType>(each); });
  if (!options.activations.empty())
    formats.isStatic = false;
  if (failed(applyFormat("--weights", options.weights, Stored::Weight, model,
                         formats.weights)) ||
      failed(applyFormat("--activations", options.activations,
                         Stored::Activation, model, formats.activations)) ||
      failed(
          applyFormat("--kv", options.kv, Stored::Cache, model, formats.cache)))
    return failure();
  formats.isCacheNamed = formats.cache || !options.kv.empty();
  if (formats.activations && !formats.weights)
    return emitOptionError(model.location.getContext())
           << "--activations=" << options.activations
           << " needs weights in a format, too: add --weights, other than the "
              "model's own type";
  return success();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Checks what only the whole model needs, and what contradicts its layers.
static LogicalResult checkOptions(const ModelConfig &model,
                                  const ImportOptions &options) {
  if (!options.layers && model.vocabulary == 0)
    return emitError(model.location)
           << "'vocab_size' is missing: the whole model has embedding and head";
  auto hasWindow = [](const LayerConfig &layer) {
    return layer.attention.window != 0 || layer.attention.chunk != 0;
  };
  if (options.mask == MaskKind::Full && llvm::any_of(model.layers, hasWindow))
    return emitOptionError(model.location.getContext())
           << "--mask=full contradicts the sliding window of the model";
  auto hasLatents = [](const LayerConfig &layer) {
    return layer.attention.latent.rank != 0;
  };
  if (options.latentAttention != LatentAttention::Auto &&
      llvm::none_of(model.layers, hasLatents))
    return emitOptionError(model.location.getContext())
           << "--mla is for models with multi-head latent attention";
  auto isRecurrent = [](const LayerConfig &layer) {
    return layer.recurrent.kind != RecurrentKind::None;
  };
  if (options.linearAttention != LinearAttentionForm::Auto &&
      llvm::none_of(model.layers, isRecurrent))
    return emitOptionError(model.location.getContext())
           << "--linear-attn is for models with linear attention";
  return success();
}

/// Checks that further tokens can be predicted.
static LogicalResult checkFurther(const ModelConfig &model,
                                  const ImportOptions &options,
                                  ArrayRef<Sequences> groups) {
  if (!options.predictsFurther)
    return success();
  MLIRContext *context = model.location.getContext();
  const FurtherConfig &further = model.further;
  if (options.layers)
    return emitOptionError(context)
           << "--mtp needs --layers=all: what predicts further tokens reads "
              "the output of the last layer";
  if (further.field.empty())
    return emitError(model.location)
           << "--mtp: the model has no layers that predict further tokens";
  if (further.layers.empty())
    return emitError(model.location)
           << "--mtp is not supported for the '" << further.field
           << "' of model_type \"" << model.family << "\"";
  if (further.modules > ProgramAttr::maxFurtherTokens)
    return emitError(model.location)
           << "--mtp: '" << further.field << "' " << further.modules
           << " is more than " << ProgramAttr::maxFurtherTokens;
  auto isOpen = [](const Sequences &group) {
    return group.batch == openSize || group.seq == openSize ||
           llvm::is_contained(group.kvLens, openSize);
  };
  if (llvm::any_of(groups, isOpen))
    return emitOptionError(context)
           << "--mtp needs --batch, --seq and --kv-len that are numbers";
  return success();
}

/// Models that compress keys need sizes that are known.
static LogicalResult checkCompression(const ModelConfig &model,
                                      ArrayRef<Sequences> groups) {
  MLIRContext *context = model.location.getContext();
  auto isCompressed = [](const LayerConfig &layer) {
    return layer.attention.compressed.ratio != 0;
  };
  auto isOpen = [](const Sequences &group) {
    return group.batch == openSize || group.seq == openSize ||
           llvm::is_contained(group.kvLens, openSize);
  };
  if (llvm::any_of(model.layers, isCompressed) && llvm::any_of(groups, isOpen))
    return emitOptionError(context)
           << "--batch, --seq and --kv-len must be numbers: which windows of "
              "keys a step closes depends on them";
  return success();
}

/// Sizes that are open are at least 1.
static std::vector<Sequences> leastSizes(std::vector<Sequences> groups) {
  auto close = [](int64_t &size) { size = size == openSize ? 1 : size; };
  for (Sequences &group : groups) {
    close(group.batch);
    close(group.seq);
    llvm::for_each(group.kvLens, close);
  }
  return groups;
}

FailureOr<ProgramAttr> resolveProgram(const ModelConfig &model,
                                      const ImportOptions &options) {
  MLIRContext *context = model.location.getContext();
  int64_t modelLayers = model.layers.size();
  int64_t layers = options.layers.value_or(modelLayers);
  FailureOr<std::vector<Sequences>> groups = listSequences(options, context);
  if (succeeded(groups))
    groups = addChunk(options, std::move(*groups), context);
  if (succeeded(groups))
    groups = splitByWindows(model, std::move(*groups));
  if (failed(groups) || failed(checkPositive(context, "--layers", layers)))
    return failure();
  if (layers > modelLayers)
    return emitError(model.location)
           << "--layers=" << layers
           << " is more than the model has: " << modelLayers;
  if (failed(checkOptions(model, options)) ||
      failed(checkCompression(model, *groups)) ||
      failed(checkFurther(model, options, *groups)) ||
      failed(SizeCheck(model, leastSizes(*groups)).run()))
    return failure();
  SmallVector<SequencesAttr> sequences;
  for (const Sequences &group : *groups)
    sequences.push_back(
        SequencesAttr::get(context, group.batch, group.seq, group.kvLens));
  return ProgramAttr::get(context, StringAttr::get(context, model.family),
                          options.phase, sequences, layers, modelLayers,
                          /*isWhole=*/!options.layers,
                          options.predictsFurther ? model.further.modules : 0);
}

} // namespace mlir::llm
