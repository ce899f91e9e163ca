//===- FurtherTokens.cpp - Modules that predict further tokens ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FurtherTokens.h"
#include "SequenceGroups.h"

namespace mlir::llm {

/// Returns the tokens behind those of a group, whose sequences stand at
/// `firstSequence` among the sampled ones.
static Value tokensBehind(OpsBuilder &ops, const SequenceGroup &group,
                          Value tokens, Value sampled, int64_t firstSequence) {
  int64_t batch = group.sequences.getBatch(), seq = group.sequences.getSeq();
  Value last = ops.slice(sampled, 0, firstSequence, batch);
  if (seq == 1)
    return last;
  Value known = ops.expand(rowsOf(ops, group, tokens), {group.batch, group.seq},
                           {{0, 1}});
  last = ops.expand(last, {group.batch, ops.number(1)}, {{0, 1}});
  return ops.collapse(ops.concat(1, {ops.slice(known, 1, 1, seq - 1), last}),
                      {{0, 1}});
}

Value tokensBehind(OpsBuilder &ops, Value tokens, Value sampled) {
  if (ops.program.getPhase() == Phase::Verify)
    return sampled;
  SmallVector<Value> behind;
  int64_t firstSequence = 0;
  for (const SequenceGroup &group : groupsOf(ops)) {
    behind.push_back(tokensBehind(ops, group, tokens, sampled, firstSequence));
    firstSequence += group.sequences.getBatch();
  }
  return ops.concat(0, behind);
}

Value buildFurtherModule(OpsBuilder &ops, const ImportOptions &options,
                         int64_t number, Value hidden, Value embedded) {
  const FurtherConfig &config = ops.model.further;
  int64_t first = config.firstLayer +
                  number * static_cast<int64_t>(config.layers.size()),
          last = first + static_cast<int64_t>(config.layers.size()) - 1,
          size = ops.model.hidden;
  auto nameOf = [&](StringRef part, int64_t layer) {
    std::string own = config.stem + std::to_string(layer) + ".";
    return (config.isShared ? config.sharedStem : own) + part.str();
  };
  auto norm = [&](const std::string &name, Value x) {
    return ops.norm(name, x, ops.modelWeight(name + ".weight", {size}));
  };
  Value joined =
      ops.concat(1, {norm(nameOf(config.embeddingNorm, first), embedded),
                     norm(nameOf(config.hiddenNorm, first), hidden)});
  std::string projection = nameOf(config.projection, first);
  Value x =
      ops.matmul(projection, joined,
                 ops.modelWeight(projection + ".weight", {size, 2 * size}),
                 /*bias=*/Value());
  for (auto [index, layer] : llvm::enumerate(config.layers)) {
    LayerIndex place = {std::to_string(first + static_cast<int64_t>(index)),
                        Value(), config.stem};
    x = buildLayer(ops, layer, options, place, x);
  }
  return norm(nameOf(config.lastNorm, last), x);
}

} // namespace mlir::llm
