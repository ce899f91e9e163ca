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
  return failure(
      failed(check("the number of layers", {m.layers})) ||
      failed(check("a weight", {m.heads, m.headDim, m.hidden})) ||
      failed(check("a weight", {m.intermediate, m.hidden})) ||
      failed(check("an activation", {batch, seq, m.hidden})) ||
      failed(check("an activation", {batch, seq, m.intermediate})) ||
      failed(check("an activation", {batch, seq, m.heads, m.headDim})) ||
      failed(check("the attention", {batch, m.heads, seq, kvLen})) ||
      failed(check("the cache", {2, batch, kvLen, m.kvHeads, m.headDim})));
}

FailureOr<ProgramAttr> resolveProgram(const ModelConfig &model,
                                      const ImportOptions &options) {
  bool decode = options.phase == Phase::Decode;
  int64_t seq = options.seq.value_or(decode ? 1 : 512);
  int64_t kvLen = options.kvLen.value_or(decode ? 512 : seq);
  int64_t layers = options.layers.value_or(model.layers);
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
  if (layers > model.layers)
    return emitError(model.location)
           << "--layers=" << layers
           << " is more than the model has: " << model.layers;
  if (failed(checkSizes(model, options.batch, seq, kvLen)))
    return failure();
  return ProgramAttr::get(context, StringAttr::get(context, model.family),
                          options.phase, options.batch, seq, kvLen, layers,
                          model.layers);
}

} // namespace mlir::llm
