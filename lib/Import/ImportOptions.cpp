//===- ImportOptions.cpp - Which program to make of a model ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/ImportOptions.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/Twine.h"

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

/// Whether the bytes of a tensor of these dimensions can be counted.
static bool isCountable(ArrayRef<int64_t> dims) {
  constexpr int64_t widestElementBytes = 4;
  std::optional<int64_t> bytes = widestElementBytes;
  for (int64_t dim : dims)
    if (bytes)
      bytes = checkedMul(*bytes, dim);
  return bytes.has_value();
}

/// Attributes and ops abort on numbers that they refuse: all are checked here.
static LogicalResult checkSizes(const ModelConfig &m, int64_t batch,
                                int64_t seq, int64_t kvLen) {
  auto check = [&](StringRef what, ArrayRef<int64_t> dims) -> LogicalResult {
    if (isCountable(dims))
      return success();
    return emitError(m.location)
           << what
           << " of this model is too large to count with --batch=" << batch
           << " --seq=" << seq << " --kv-len=" << kvLen;
  };
  const LayerConfig *checked = nullptr;
  for (const LayerConfig &layer : m.layers) {
    if (checked && *checked == layer)
      continue;
    checked = &layer;
    const AttentionConfig &a = layer.attention;
    int64_t inner = layer.feedForward.intermediate;
    const ExpertsConfig &e = layer.feedForward.experts;
    if (e.count &&
        (failed(check("a weight", {e.count, inner, m.hidden})) ||
         failed(check("the rows of experts", {batch, seq, e.topK, inner})) ||
         failed(check("the rows of experts", {batch, seq, e.topK, m.hidden})) ||
         failed(check("the scores of experts", {batch, seq, e.count}))))
      return failure();
    // A fused projection has three or two of these side by side.
    if (failed(check("a weight", {3, a.heads, a.headDim, m.hidden})) ||
        failed(check("a weight", {2, inner, m.hidden})) ||
        failed(check("an activation", {batch, seq, 2, inner})) ||
        failed(check("an activation", {batch, seq, 3, a.heads, a.headDim})) ||
        failed(check("the attention", {batch, a.heads, seq, kvLen})) ||
        failed(check("the cache", {2, batch, kvLen, a.kvHeads, a.headDim})))
      return failure();
  }
  return failure(failed(check("a weight", {m.vocabulary, m.hidden})) ||
                 failed(check("an activation", {batch, seq, m.hidden})) ||
                 failed(check("the logits", {batch, seq, m.vocabulary})));
}

/// What only the whole model needs, and what contradicts its layers.
static LogicalResult checkOptions(const ModelConfig &model,
                                  const ImportOptions &options) {
  if (!options.layers && model.vocabulary == 0)
    return emitError(model.location)
           << "'vocab_size' is missing: --layers=all builds embedding and head";
  bool hasWindow = llvm::any_of(model.layers, [](const LayerConfig &layer) {
    return layer.attention.window != 0;
  });
  if (hasWindow && options.mask == MaskKind::Full)
    return emitError(UnknownLoc::get(model.location.getContext()))
           << "--mask=full contradicts the sliding window of the model";
  return success();
}

/// New tokens of a sequence where the options do not say how many.
static int64_t newTokensOf(Phase phase) {
  switch (phase) {
  case Phase::Decode:
    return 1;
  case Phase::Prefill:
    return 512;
  case Phase::Verify:
    return 5; // four drafts, as speculative decoders often have
  }
  return 1;
}

FailureOr<ProgramAttr> resolveProgram(const ModelConfig &model,
                                      const ImportOptions &options) {
  bool isPrompt = options.phase == Phase::Prefill;
  int64_t seq = options.seq.value_or(newTokensOf(options.phase));
  int64_t kvLen = options.kvLen.value_or(isPrompt ? seq : 512);
  int64_t modelLayers = model.layers.size();
  int64_t layers = options.layers.value_or(modelLayers);
  MLIRContext *context = model.location.getContext();
  if (failed(checkPositive(context, "--batch", options.batch)) ||
      failed(checkPositive(context, "--seq", seq)) ||
      failed(checkPositive(context, "--kv-len", kvLen)) ||
      failed(checkPositive(context, "--layers", layers)))
    return failure();
  if (kvLen < seq)
    return emitError(UnknownLoc::get(context))
           << "--kv-len=" << kvLen << (options.kvLen ? "" : " (the default)")
           << " is less than --seq=" << seq << ": it counts the new tokens too";
  if (layers > modelLayers)
    return emitError(model.location)
           << "--layers=" << layers
           << " is more than the model has: " << modelLayers;
  if (failed(checkOptions(model, options)) ||
      failed(checkSizes(model, options.batch, seq, kvLen)))
    return failure();
  return ProgramAttr::get(context, StringAttr::get(context, model.family),
                          options.phase, options.batch, seq, kvLen, layers,
                          modelLayers, /*isWhole=*/!options.layers);
}

} // namespace mlir::llm
