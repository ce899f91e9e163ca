//===- HfDeepseekV4.cpp - Compressed keys and several streams -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"
#include "llm/Dialect/Llm/Plans/Formats.h"

#include <cmath>

namespace mlir::llm {

/// Tokens to an entry where windows overlap, and an indexer selects entries.
static constexpr int64_t overlappingRatio = 4;
/// More tokens to an entry, or streams, than any model has.
static constexpr int64_t mostRatio = 1 << 16, mostStreams = 64,
                         mostIterations = 1000;

static void checkAtMost(HfFields &fields, StringRef key, int64_t value,
                        int64_t most) {
  if (value > most)
    fields.refuse(key) << "must be at most " << most << ", got " << value;
}

/// `compress_ratios`: 0, or the tokens that an entry stands for, of each layer
/// and of those behind the last that predict further tokens.
static std::vector<int64_t> readRatios(HfFields &fields, size_t layers) {
  StringRef key = "compress_ratios";
  std::vector<int64_t> ratios = fields.wholeNumbers(key);
  auto further =
      static_cast<size_t>(fields.nonNegative("num_nextn_predict_layers", 0));
  if (ratios.size() < layers || ratios.size() - layers > further) {
    fields.refuse(key) << "must have one entry for each of the " << layers
                       << " layers, and may have more for the " << further
                       << " that predict further tokens, got " << ratios.size();
    ratios.clear();
  }
  for (int64_t ratio : ratios)
    if (ratio == 1 || ratio > mostRatio) {
      fields.refuse(key) << "has an entry " << ratio
                         << ": must be 0, where keys are not compressed, or "
                            "tokens to an entry, 2 to "
                         << mostRatio;
      break;
    }
  ratios.resize(layers);
  return ratios;
}

static void readOutputGroups(HfFields &fields, AttentionConfig &attention) {
  CompressedConfig &compressed = attention.compressed;
  compressed.outGroups = readFeatures(fields, "o_groups");
  compressed.outRank = readFeatures(fields, "o_lora_rank");
  if (attention.heads % compressed.outGroups)
    fields.refuse("o_groups") << compressed.outGroups << " does not divide the "
                              << attention.heads << " heads";
}

/// What layers of all ratios share.
static AttentionConfig readAttention(HfFields &fields,
                                     AttentionConfig attention) {
  CompressedConfig &compressed = attention.compressed;
  attention.kvHeads = fields.positive("num_key_value_heads", 1);
  if (attention.kvHeads != 1)
    fields.refuse("num_key_value_heads")
        << "must be 1: all heads share one vector, got " << attention.kvHeads;
  attention.headDim = readFeatures(fields, "head_dim");
  compressed.queryRank = readFeatures(fields, "q_lora_rank");
  compressed.ropeDim = readFeatures(fields, "qk_rope_head_dim");
  if (compressed.ropeDim % 2 || compressed.ropeDim > attention.headDim)
    fields.refuse("qk_rope_head_dim")
        << compressed.ropeDim << " must be even, and at most 'head_dim' "
        << attention.headDim;
  readOutputGroups(fields, attention);
  attention.window = fields.positive("sliding_window");
  attention.sinks = "attn_sink";
  attention.rope.isInterleaved = true;
  return attention;
}

static IndexerConfig readIndexer(HfFields &fields,
                                 const AttentionConfig &attention) {
  IndexerConfig indexer;
  indexer.weighsHeads = indexer.isInterleaved = true;
  indexer.heads = readFeatures(fields, "index_n_heads");
  indexer.headDim = readFeatures(fields, "index_head_dim");
  indexer.top = fields.positive("index_topk");
  checkAtMost(fields, "index_topk", indexer.top, mostRatio * 16);
  if (attention.compressed.ropeDim > indexer.headDim)
    fields.refuse("index_head_dim")
        << indexer.headDim << " must be at least 'qk_rope_head_dim' "
        << attention.compressed.ropeDim << ": so many features turn";
  return indexer;
}

/// Layers that compress keys have another base, and are alone in scaling it.
/// DeepSeek's code does not multiply by YaRN's factor.
static RopeConfig readCompressedRope(HfFields &fields, RopeConfig rope) {
  rope.theta = fields.number("compress_rope_theta", 160000);
  if (!(rope.theta > 0) || !std::isfinite(rope.theta))
    fields.refuse("compress_rope_theta") << "must be finite and positive";
  const LocatedJson *scaling = fields.find("rope_scaling");
  bool saysFactor = scaling && scaling->find("attention_factor");
  if (RopeScalingAttr s = rope.scaling; s && !saysFactor)
    rope.scaling = RopeScalingAttr::get(
        s.getContext(), s.getKind(), s.getFactor(), s.getLowFreqFactor(),
        s.getHighFreqFactor(), s.getBetaFast(), s.getBetaSlow(),
        s.getOriginalMaxPositionEmbeddings(), s.getTruncate(), s.getFactors(),
        /*attention_factor=*/FloatAttr());
  return rope;
}

static void readStreams(HfFields &fields, ModelConfig &model) {
  StreamsConfig &streams = model.streams;
  streams.count = fields.positive("hc_mult");
  streams.iterations = fields.positive("hc_sinkhorn_iters", 20);
  streams.epsilon = fields.number("hc_eps", 1e-6);
  checkAtMost(fields, "hc_mult", streams.count, mostStreams);
  checkAtMost(fields, "hc_sinkhorn_iters", streams.iterations, mostIterations);
  if (!(streams.epsilon >= 0) || !std::isfinite(streams.epsilon))
    fields.refuse("hc_eps") << "must be finite and not negative";
}

static ExpertScoring readV4Scoring(HfFields &fields) {
  std::string scoring = fields.string("scoring_func", "sqrtsoftplus");
  if (scoring == "softmax")
    return ExpertScoring::Softmax;
  if (scoring == "sigmoid")
    return ExpertScoring::Sigmoid;
  if (scoring != "sqrtsoftplus")
    fields.refuse("scoring_func") << "must be \"sqrtsoftplus\", \"softmax\" or "
                                     "\"sigmoid\", got \""
                                  << scoring << "\"";
  return ExpertScoring::SqrtSoftplus;
}

static FeedForwardConfig readV4Experts(HfFields &fields) {
  FeedForwardConfig sparse;
  sparse.path = "ffn";
  sparse.intermediate = fields.positive("moe_intermediate_size");
  sparse.clamp = fields.number("swiglu_limit", 10);
  if (!(sparse.clamp > 0) || !std::isfinite(sparse.clamp))
    fields.refuse("swiglu_limit") << "must be finite and positive";
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "n_routed_experts", experts);
  experts.router = "gate";
  experts.scoring = readV4Scoring(fields);
  fields.mustBe("topk_method", "noaux_tc");
  experts.normalizes = fields.boolean("norm_topk_prob", true);
  experts.scale = readShareScale(fields, 1.5);
  readSharedByCount(fields, /*absent=*/1, sparse);
  return sparse;
}

/// The type of the weights of experts where the config names one of their own;
/// otherwise null.
static Type readExpertType(HfFields &fields, MLIRContext *context) {
  std::string name = fields.string("expert_dtype", "");
  if (name == "fp4") // of 32 values with a scale
    return findFormat("mxfp4", Stored::Weight, context);
  if (!name.empty() && name != "fp8")
    fields.refuse("expert_dtype")
        << "must be \"fp4\" or \"fp8\", got \"" << name << "\"";
  return {};
}

void readDeepseekV4(HfFields &fields, ModelConfig &model) {
  readStreams(fields, model);
  LayerConfig layer = model.layers.front();
  layer.names = {{"self_attn", "attn"}};
  layer.inputNorm = "attn_norm";
  layer.feedForwardNorm = "ffn_norm";
  layer.attention = readAttention(fields, layer.attention);
  layer.feedForward = readV4Experts(fields);
  // DeepSeek's kernels multiply weights of 4 bits and activations of 8.
  model.formats.expertWeights =
      readExpertType(fields, model.location.getContext());
  if (Type type = model.formats.expertWeights)
    for (const char *name : {"gate_proj", "up_proj", "down_proj"})
      layer.weightTypes["ffn.experts." + std::string(name) + ".weight"] = type;
  IndexerConfig indexer = readIndexer(fields, layer.attention);
  RopeConfig compressedRope = readCompressedRope(fields, layer.attention.rope);
  layer.attention.rope.scaling = {};
  std::vector<int64_t> ratios = readRatios(fields, model.layers.size());
  int64_t hashed = fields.nonNegative("num_hash_layers", 0);
  if (hashed && !model.vocabulary)
    fields.refuse("vocab_size")
        << "is missing, and says how many tokens have a "
           "row in the tables of 'num_hash_layers'";
  for (auto [index, each] : llvm::enumerate(model.layers)) {
    each = layer;
    each.attention.compressed.ratio = ratios[index];
    if (ratios[index])
      each.attention.rope = compressedRope;
    if (ratios[index] == overlappingRatio) {
      each.attention.compressed.halves = 2;
      each.attention.indexer = indexer;
    }
    ExpertsConfig &experts = each.feedForward.experts;
    if (static_cast<int64_t>(index) < hashed)
      experts.table = "gate.tid2eid";
    else
      experts.selectionBias = "gate.bias";
  }
}

} // namespace mlir::llm
