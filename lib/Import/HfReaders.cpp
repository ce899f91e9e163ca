//===- HfReaders.cpp - What several families share ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"
#include "llm/Support/Units.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// Returns the size of a head if the config does not give it.
static int64_t deriveHeadDim(HfFields &fields, int64_t hidden, int64_t heads) {
  if (hidden % heads == 0 || fields.hasFailed())
    return hidden / heads;
  fields.refuse("num_attention_heads")
      << heads << " does not divide 'hidden_size' " << hidden
      << ", and 'head_dim' is missing";
  return 1;
}

bool checkHeads(HfFields &fields, const AttentionConfig &attention,
                const HeadKeys &keys) {
  if (attention.heads % attention.kvHeads)
    fields.refuse(keys.kvHeads) << attention.kvHeads << " does not divide '"
                                << keys.heads << "' " << attention.heads;
  if (!attention.latent.rank && attention.headDim % 2)
    fields.refuse(keys.headDim)
        << attention.headDim << " must be even: rotary embedding turns pairs";
  return !fields.hasFailed();
}

void readDerivedHeads(HfFields &fields, const ModelConfig &model,
                      AttentionConfig &attention, int64_t absentKvHeads) {
  int64_t heads = attention.heads;
  attention.kvHeads = fields.positive("num_key_value_heads",
                                      absentKvHeads ? absentKvHeads : heads);
  attention.headDim = fields.find("head_dim")
                          ? fields.positive("head_dim")
                          : deriveHeadDim(fields, model.hidden, heads);
}

int64_t readFeatures(HfFields &fields, StringRef key) {
  constexpr int64_t most = 1 << 20;
  int64_t features = fields.positive(key);
  if (features <= most)
    return features;
  fields.refuse(key) << "must be at most " << most << ", got " << features;
  return most;
}

int64_t readFeatures(HfFields &fields, StringRef key, int64_t absent) {
  return fields.find(key) ? readFeatures(fields, key) : absent;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

std::vector<bool> readMarks(HfFields &fields, StringRef key, size_t layers) {
  std::vector<int64_t> marks = fields.wholeNumbers(key);
  if (marks.size() == layers &&
      llvm::all_of(marks, [](int64_t mark) { return mark <= 1; }))
    return std::vector<bool>(marks.begin(), marks.end());
  fields.refuse(key) << "must be a list of 0 or 1 for each of the " << layers
                     << " layers";
  return std::vector<bool>(layers);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

std::vector<bool> readLayerTypes(HfFields &fields, size_t layers,
                                 StringRef kind) {
  const LocatedJson *types = fields.find("layer_types");
  std::vector<bool> areOfKind;
  if (!types)
    return areOfKind;
  if (failed(types->expectArray())) {
    fields.markFailed();
    return areOfKind;
  }
  for (const LocatedJson &type : types->elements()) {
    std::string text = type.describe();
    areOfKind.push_back(!kind.empty() && text == ("\"" + kind + "\"").str());
    if (areOfKind.back() || text == "\"full_attention\"")
      continue;
    type.emitError() << "'" << type.path() << "' must be \"full_attention\""
                     << (kind.empty() ? "" : (" or \"" + kind + "\"").str())
                     << ", got " << text;
    fields.markFailed();
    return {};
  }
  if (areOfKind.size() == layers)
    return areOfKind;
  fields.refuse("layer_types") << "must have one entry for each of the "
                               << layers << " layers, got " << areOfKind.size();
  return {};
}

void readWindows(HfFields &fields, ModelConfig &model, int64_t absentWindow,
                 llvm::function_ref<bool(size_t layer)> slides) {
  int64_t window = fields.isNull("sliding_window")
                       ? 0
                       : fields.positive("sliding_window", absentWindow);
  std::vector<bool> sliding =
      readLayerTypes(fields, model.layers.size(), "sliding_attention");
  for (auto [index, layer] : llvm::enumerate(model.layers))
    if (sliding.empty() ? slides(index) : sliding[index])
      layer.attention.window = window;
  if (!window && llvm::is_contained(sliding, true))
    fields.refuse("layer_types")
        << "has sliding attention, but 'sliding_window' is missing";
}

void readWindowOfAll(HfFields &fields, ModelConfig &model,
                     int64_t absentWindow) {
  readWindows(fields, model, absentWindow, [](size_t) { return true; });
}

void readOptionalWindows(HfFields &fields, ModelConfig &model,
                         StringRef firstKey) {
  bool isUsed = fields.boolean("use_sliding_window", false);
  size_t firstSliding = isUsed ? 0 : model.layers.size();
  if (isUsed && !firstKey.empty() && !fields.find("layer_types"))
    firstSliding = fields.nonNegative(firstKey, 28);
  if (fields.find("sliding_window") && !fields.find("use_sliding_window"))
    fields.refuse("sliding_window")
        << "needs 'use_sliding_window', true or false, beside it";
  readWindows(fields, model, /*absentWindow=*/isUsed ? 4096 : 0,
              [&](size_t layer) { return layer >= firstSliding; });
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

void readExperts(HfFields &fields, StringRef countKey, ExpertsConfig &experts,
                 StringRef selectedKey) {
  constexpr int64_t most = 65536; // each op has a number for each expert
  experts.count = fields.positive(countKey);
  experts.topK = fields.positive(selectedKey);
  if (experts.count > most)
    fields.refuse(countKey)
        << "must be at most " << most << ", got " << experts.count;
  else if (experts.topK > experts.count)
    fields.refuse(selectedKey) << experts.topK << " is more than '" << countKey
                               << "' " << experts.count;
}

FeedForwardConfig readQwenExperts(HfFields &fields, bool absentNormalizes) {
  FeedForwardConfig sparse;
  sparse.intermediate = fields.positive("moe_intermediate_size");
  readExperts(fields, "num_experts", sparse.experts);
  sparse.experts.router = "gate";
  sparse.experts.normalizes =
      fields.boolean("norm_topk_prob", absentNormalizes);
  return sparse;
}

std::vector<bool> readQwenSparseLayers(HfFields &fields, size_t layers) {
  int64_t step = fields.positive("decoder_sparse_step", 1);
  std::vector<bool> areSparse(layers);
  for (size_t layer = 0; layer < layers; ++layer)
    areSparse[layer] = (layer + 1) % step == 0;
  for (int64_t layer : fields.wholeNumbers("mlp_only_layers"))
    if (layer < static_cast<int64_t>(layers))
      areSparse[layer] = false;
  return areSparse;
}

ExpertScoring readScoring(HfFields &fields, StringRef key, StringRef absent) {
  std::string scoring = fields.string(key, absent);
  if (scoring != "softmax" && scoring != "sigmoid")
    fields.refuse(key) << "must be \"softmax\" or \"sigmoid\", got \""
                       << scoring << "\"";
  return scoring == "sigmoid" ? ExpertScoring::Sigmoid : ExpertScoring::Softmax;
}

double readShareScale(HfFields &fields, double absent) {
  double scale = fields.number("routed_scaling_factor", absent);
  if (!(scale > 0))
    fields.refuse("routed_scaling_factor") << "must be positive";
  return scale;
}

void readSharedByCount(HfFields &fields, int64_t absent,
                       FeedForwardConfig &sparse) {
  setSharedByCount(fields, "n_shared_experts",
                   fields.positive("n_shared_experts", absent), sparse);
}

void setSharedByCount(HfFields &fields, StringRef key, int64_t count,
                      FeedForwardConfig &sparse) {
  std::optional<int64_t> width = checkedMul(count, sparse.intermediate);
  if (!width)
    fields.refuse(key) << "is too large";
  sparse.experts.sharedWidth = width.value_or(0);
  sparse.experts.sharedPath = "shared_experts";
}

} // namespace mlir::llm
