//===- Sequences.cpp - The sequences that options describe ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sequences.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace mlir::llm {

LogicalResult checkPositive(MLIRContext *context, StringRef option,
                            int64_t value) {
  if (value > 0)
    return success();
  return emitError(UnknownLoc::get(context))
         << option << " must be a positive whole number, got " << value;
}

InFlightDiagnostic emitOptionError(MLIRContext *context) {
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
static std::vector<Sequences> groupByTokens(bool hasExpandedLatents,
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

/// Warns of keys of a prompt without its new tokens, which are then few: all of
/// a prompt was probably meant.
static void warnOfOldKeys(const ImportOptions &options, int64_t newTokens,
                          MLIRContext *context) {
  if (options.phase != Phase::Prefill || !options.seq.empty() ||
      options.kvLen.size() != 1 || options.kvLen.front() <= newTokens)
    return;
  emitWarning(UnknownLoc::get(context))
      << "--kv-len=" << options.kvLen.front()
      << " without --seq: the last " << newTokens
      << " of these keys are new; a prompt of that length is --seq="
      << options.kvLen.front();
}

/// Lists the sequences that the options describe.
static FailureOr<std::vector<Sequences>>
listSequences(const ImportOptions &options, MLIRContext *context) {
  std::vector<int64_t> seqs = options.seq, kvLens = options.kvLen;
  if (seqs.empty()) {
    seqs = {newTokensOf(options.phase)};
    warnOfOldKeys(options, seqs.front(), context);
  }
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
  return groupByTokens(hasExpandedLatents, seqs, kvLens);
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

FailureOr<std::vector<Sequences>> groupSequences(const ModelConfig &model,
                                                 const ImportOptions &options) {
  MLIRContext *context = model.location.getContext();
  FailureOr<std::vector<Sequences>> groups = listSequences(options, context);
  if (succeeded(groups))
    groups = addChunk(options, std::move(*groups), context);
  if (succeeded(groups))
    groups = splitByWindows(model, std::move(*groups));
  return groups;
}

} // namespace mlir::llm
