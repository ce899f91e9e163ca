//===- ModelConfig.h - A decoder in numbers ---------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_MODELCONFIG_H
#define LLM_IMPORT_MODELCONFIG_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace mlir::llm {

/// Multi-head latent attention (DeepSeek-V2, 2024): keys and values of all
/// heads are computed from one latent vector per token and one rotated key.
struct LatentConfig {
  int64_t rank = 0;      ///< size of the latent vector; 0: there is none
  int64_t queryRank = 0; ///< rank of queries; 0: they have one projection
  int64_t nopeDim = 0;   ///< features of a head that are not rotated
  int64_t ropeDim = 0;   ///< features of a head that are rotated
  int64_t valueDim = 0;  ///< features of a value

  auto asTuple() const {
    return std::tie(rank, queryRank, nopeDim, ropeDim, valueDim);
  }
};

/// Rotary embedding.
struct RopeConfig {
  double theta = 0; ///< base of the angles; 0: there is no rotary embedding
  RopeScalingAttr scaling;
  /// Contexts of more than `shortPositions` have another scaling (LongRoPE), or
  /// a base that grows with the context by `dynamicFactor` (dynamic NTK).
  RopeScalingAttr longScaling;
  double dynamicFactor = 0;
  int64_t shortPositions = 0;
  bool isInterleaved = false; ///< each pair is two neighbouring features
  int64_t features = 0;       ///< how many first features rotate; 0: all

  /// Returns the embedding for heads of so many features in a context of so
  /// many positions.
  RopeConfig atLength(int64_t positions, int64_t features) const;

  auto asTuple() const {
    return std::tie(theta, scaling, longScaling, dynamicFactor, shortPositions,
                    isInterleaved, features);
  }
  bool operator==(const RopeConfig &other) const {
    return asTuple() == other.asTuple();
  }
};

/// An indexer selects the keys that each query attends to. In DeepSeek-V3.2
/// (2025), the scores of all heads are summed, with weights that each query
/// computes. In MiniMax-M3 (2026), each head selects blocks of keys for one KV
/// head.
struct IndexerConfig {
  int64_t heads = 0; ///< 0: there is none, and queries see all keys
  int64_t headDim = 0;
  int64_t top = 0;                ///< keys or blocks that a query selects
  int64_t block = 1;              ///< keys in a block
  int64_t local = 0, initial = 0; ///< last, first blocks: always selected
  bool weighsHeads = false;       ///< scores of heads are summed with weights
  bool isInterleaved = false;     ///< rotary pairs of index queries and keys
  bool isShared = false;          ///< the layer before has selected the keys

  /// Returns the keys that a query selects.
  int64_t countKeys() const { return top * block; }
  auto asTuple() const {
    return std::tie(heads, headDim, top, block, local, initial, weighsHeads,
                    isInterleaved, isShared);
  }
};

/// Attention in which one vector per token is key and value of all heads. A
/// query sees the last `window` tokens, and also entries, which are vectors
/// that stand for several tokens each (DeepSeek-V4, 2026).
struct CompressedConfig {
  int64_t queryRank = 0; ///< rank of queries; 0: attention is of another kind
  int64_t ropeDim = 0;   ///< how many last features of a head rotate
  int64_t ratio = 0;     ///< tokens that an entry stands for; 0: no entries
  int64_t halves = 1;    ///< 2: entries overlap with the one before
  int64_t outGroups = 0, outRank = 0; ///< shape of the output projection

  auto asTuple() const {
    return std::tie(queryRank, ropeDim, ratio, halves, outGroups, outRank);
  }
};

/// Attention. Readers check that `kvHeads` divides `heads`, that `headDim` is
/// even, and that the base of `rope` is positive.
struct AttentionConfig {
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  int64_t valueDim = 0;  ///< features of a value; 0: as many as of a key
  double valueScale = 1; ///< multiplies the values before they are cached
  LatentConfig latent;
  CompressedConfig compressed;
  IndexerConfig indexer;
  RopeConfig rope;
  int64_t window = 0;          ///< keys that a query sees; 0: all before it
  int64_t chunk = 0;           ///< queries see keys of their chunk only; 0: all
  bool qkvBias = false;        ///< on q_proj, k_proj and v_proj
  bool outBias = false;        ///< on o_proj
  bool qkNorm = false;         ///< queries and keys are normed, head by head
  bool normsAllHeads = false;  ///< these norms take all heads together
  bool normsAfterRope = false; ///< these norms come behind the rotation
  /// The output is multiplied by the sigmoid of a gate. The gate stands beside
  /// each query; latent attention has a projection of its own for it.
  bool hasOutputGate = false;
  /// A projection makes one gate for the output of each head (Step 3.5).
  bool hasHeadGates = false;
  bool plainQkNorm = false; ///< norms like `qkNorm`, after rope, no weight
  bool isFused = false;     ///< the three projections have one weight, qkv_proj
  /// There is no v_proj. Values are the output of k_proj before the norm of the
  /// keys.
  bool hasOneProjection = false;
  bool normsValues = false; ///< values are normed, head by head, no weight
  /// The number, from 1 on, of the layer whose keys and values this one reads.
  /// With 0, it has its own.
  int64_t cacheLayer = 0;
  std::string sinks;  ///< name of learned scores, one per head; empty: none
  double scale = 0;   ///< multiplies the scores; 0: 1 / sqrt(headDim)
  double softCap = 0; ///< soft limit of the scores; 0: none
  /// A query at position p is multiplied by 1 + slope * ln(1 + floor((p + 1) /
  /// step)). With a step of 0, it is not.
  int64_t temperatureStep = 0;
  double temperatureSlope = 0;

  auto asTuple() const {
    return std::tuple_cat(
        std::tie(heads, kvHeads, headDim, rope, window, chunk, qkvBias, outBias,
                 qkNorm, normsAllHeads, normsAfterRope, hasOutputGate,
                 hasHeadGates, plainQkNorm, isFused, hasOneProjection,
                 cacheLayer, normsValues, sinks, valueDim, valueScale, scale,
                 softCap, temperatureStep, temperatureSlope),
        latent.asTuple(), compressed.asTuple(), indexer.asTuple());
  }
  bool operator==(const AttentionConfig &other) const {
    return asTuple() == other.asTuple();
  }
};

/// Kinds of layers that keep a state instead of a cache.
enum class RecurrentKind {
  None,
  GatedDelta, ///< Qwen3-Next, Qwen3.5 (Yang et al., 2024)
  KimiDelta,  ///< Kimi Linear (2025)
  Mamba2,     ///< Nemotron-H (Dao and Gu, 2024)
  ShortConv   ///< LFM2: a convolution between two gates
};

/// The parts of a recurrent layer. Readers check that `keyHeads` divides
/// `heads`, that `normGroups` divides their features, and that there are two
/// taps or more. A short convolution has `valueDim` features and no heads.
struct RecurrentConfig {
  RecurrentKind kind = RecurrentKind::None;
  std::string path;     ///< the checkpoint's name of it: "linear_attn"
  std::string outName;  ///< name of the output projection: "out_proj"
  int64_t heads = 0;    ///< heads of values, each with a state
  int64_t keyHeads = 0; ///< heads of queries and keys; groups of Mamba-2
  int64_t keyDim = 0;   ///< features of a key; the state size of Mamba-2
  int64_t valueDim = 0; ///< features of a value
  int64_t taps = 0;     ///< tokens that the convolutions read
  int64_t chunk = 0;    ///< tokens of a prompt that are computed at once
  /// Mamba-2 norms its output in so many groups. With 0, it does not norm it.
  int64_t normGroups = 0;
  bool normsBeforeGate = false; ///< the gate comes after this norm
  bool hasConvBias = false;
  bool hasBias = false;     ///< projections have a bias
  bool isFused = false;     ///< several projections share in_proj_qkvz
  double decayLimit = 0;    ///< Kimi's gate_lower_bound; 0: none
  bool hasFullGate = false; ///< Kimi's gate is one matrix

  auto asTuple() const {
    return std::tie(kind, path, outName, heads, keyHeads, keyDim, valueDim,
                    taps, chunk, normGroups, normsBeforeGate, hasConvBias,
                    hasBias, isFused, decayLimit, hasFullGate);
  }
  bool operator==(const RecurrentConfig &other) const {
    return asTuple() == other.asTuple();
  }
};

/// A mixture of experts. Readers check that `topK` <= `count`, that `groups`
/// divides `count`, and that the groups that a token selects have `topK`
/// experts or more.
struct ExpertsConfig {
  int64_t count = 0; ///< routed experts; 0: there are none
  int64_t topK = 0;  ///< experts that each token selects
  ExpertScoring scoring = ExpertScoring::Softmax;
  int64_t groups = 1, topGroups = 1; ///< all groups; those of a token
  bool normalizes = false;           ///< shares sum up to 1
  double scale = 1;                  ///< multiplies the shares
  /// The name of a bias that counts only in the selection,
  /// "gate.e_score_correction_bias". It is empty if there is none.
  std::string selectionBias;
  /// The name of factors of each expert's shares, "router.per_expert_scale". It
  /// is empty if there are none.
  std::string expertScales;
  /// The name of a table with the experts of each token, "gate.tid2eid". It is
  /// empty if scores select them.
  std::string table;
  bool scalesInput = false; ///< shares multiply the input of an expert
  std::string router;       ///< the checkpoint's name of the router: "gate"
  bool hasRouterBias = false;
  /// If this has a name, router and routed experts read the hidden states
  /// through norms of their own. The output of the routed experts is normed,
  /// and so is that of the shared expert (Gemma 4). The router's norm is
  /// divided by sqrt(hidden). The name is that of its weight:
  std::string routerNorm; ///< "router.scale"; empty: all read one norm
  /// Gate and up projection have one weight, gate_up_proj, [experts, 2 *
  /// intermediate, hidden]. If `isTransposed`, a plain one is transposed. If
  /// `isInterleaved`, their rows alternate. Otherwise those of the gate are
  /// first.
  bool isFused = false, isTransposed = false, isInterleaved = false;
  bool hasBias = false;       ///< each expert has a bias
  int64_t sharedWidth = 0;    ///< width of the shared expert; 0: none
  std::string sharedPath;     ///< its name: "shared_experts"
  bool sharedIsFused = false; ///< its gate and up projection have one weight
  std::string sharedGate;     ///< name of the gate of its output; empty: none
  /// If it is above 0, experts read vectors of this size. The projection
  /// `latentDown` computes them from the hidden states, and `latentUp` computes
  /// hidden states from the results.
  int64_t latentWidth = 0;
  std::string latentDown, latentUp;
  std::string latentNorm; ///< norm of the sum before latentUp; empty: none

  auto asTuple() const {
    return std::tie(count, topK, scoring, groups, topGroups, normalizes, scale,
                    selectionBias, expertScales, table, scalesInput, router,
                    hasRouterBias, routerNorm, isFused, isTransposed,
                    isInterleaved, hasBias, sharedWidth, sharedPath,
                    sharedIsFused, sharedGate, latentWidth, latentNorm);
  }
};

/// What a feed-forward network computes from its gate and up projections. Relu2
/// has no gate, and computes relu(up)^2.
enum class FeedForwardUnit { SwiGlu, GeGlu, Relu2 };

/// A feed-forward network, or one for each of several experts.
struct FeedForwardConfig {
  int64_t intermediate = 0; ///< its width, or that of one expert
  std::string path = "mlp"; ///< the checkpoint's name; empty: the layer's
  ExpertsConfig experts;
  bool hasBias = false; ///< gate_proj, up_proj and down_proj have a bias
  bool isFused = false; ///< the two projections have one weight, gate_up_proj
  FeedForwardUnit unit = FeedForwardUnit::SwiGlu;
  double limit = 0;              ///< limit in gpt-oss's SwiGLU; 0: none
  double clamp = 0;              ///< limit in DeepSeek-V4's; 0: none
  double gateCap = 0, upCap = 0; ///< limits in SiTU (Kimi K3); 0: SwiGLU

  std::string nameOf(llvm::StringRef part) const {
    return path.empty() ? part.str() : path + "." + part.str();
  }
  auto asTuple() const {
    return std::tuple_cat(std::tie(intermediate, path, hasBias, isFused, unit,
                                   limit, clamp, gateCap, upCap),
                          experts.asTuple());
  }
  bool operator==(const FeedForwardConfig &other) const {
    return asTuple() == other.asTuple();
  }
};

/// Element types of weights by name, if they differ from the model's formats.
using WeightTypes = std::map<std::string, Type>;

/// The types in which a model is stored and computed. A null type stands for
/// `ModelConfig::elementType`.
struct NumberFormats {
  Type weights;     ///< of the linear layers of decoder layers
  Type activations; ///< of the activations that quantized layers read
  /// Weights of this type are quantized, too: experts may have fewer bits.
  Type expertWeights;
  Type cache;
  bool isStatic = false; ///< the scales of activations are known beforehand
  /// The user has asked for the format of the cache, even if it is that of the
  /// model.
  bool isCacheNamed = false;
};

/// What a layer has as attention or as feed-forward network. A search for
/// faster layers leaves some out together with their norms, and replaces others
/// by one matrix (nemotron-nas).
enum class BlockKind { Usual, Absent, Linear };

/// Factors by which some families multiply the input or the output of a part of
/// a layer (Falcon-H1; Granite has only the last one).
struct LayerFactors {
  double attentionIn = 1, keys = 1, attentionOut = 1;
  double stateIn = 1, stateOut = 1;
  /// The factors of the outputs of Mamba-2's first projection: gates, values,
  /// B, C and steps.
  std::array<double, 5> stateParts = {1, 1, 1, 1, 1};
  double gate = 1, down = 1; ///< in the feed-forward network
  double residual = 1;       ///< of what a block adds to the residual

  bool operator==(const LayerFactors &other) const {
    return std::tie(attentionIn, keys, attentionOut, stateIn, stateOut,
                    stateParts, gate, down, residual) ==
           std::tie(other.attentionIn, other.keys, other.attentionOut,
                    other.stateIn, other.stateOut, other.stateParts, other.gate,
                    other.down, other.residual);
  }
};

struct LayerConfig {
  BlockKind attentionKind = BlockKind::Usual;
  BlockKind feedForwardKind = BlockKind::Usual;
  AttentionConfig attention;
  /// If its kind is not None, it replaces attention. With `attendsBesideState`,
  /// the layer has both, which read one norm, and their sum is added
  /// (Falcon-H1).
  RecurrentConfig recurrent;
  bool attendsBesideState = false;
  FeedForwardConfig feedForward;
  LayerFactors factors;
  /// Pairs of our name of a part of a layer and the checkpoint's name. The
  /// first pair whose own name is a prefix of a weight's name counts.
  std::vector<std::pair<std::string, std::string>> names;
  /// The checkpoint's names of the norms before attention and before the
  /// feed-forward network. If the last one is empty, it is
  /// "post_attention_layernorm", or "pre_feedforward_layernorm" in a layer with
  /// output norms.
  std::string inputNorm = "input_layernorm", feedForwardNorm;
  bool hasInputNorms = true; ///< false: blocks read the hidden states directly
  /// Attention and feed-forward network read one norm, and both are added.
  bool isParallel = false;
  /// Attention residuals (Kimi K3): the number of the block of layers to which
  /// this one belongs, from 1 on, and whether it is the first of the block.
  /// With 0, a layer reads the sum of the outputs of all layers before it.
  int64_t residualBlock = 0;
  bool beginsBlock = false;
  /// The outputs of attention and feed-forward network are normed before they
  /// are added to the residual.
  bool hasOutputNorms = false;
  bool hasScalar = false; ///< the layer's output is multiplied by a weight
  /// The layer adds its part of `LayerInputsConfig`, after a gate.
  bool hasOwnInput = false;
  /// The types of weights by their names in the layer, such as
  /// "self_attn.o_proj.weight".
  WeightTypes weightTypes;

  bool operator==(const LayerConfig &other) const {
    return attentionKind == other.attentionKind &&
           feedForwardKind == other.feedForwardKind &&
           attention == other.attention && recurrent == other.recurrent &&
           attendsBesideState == other.attendsBesideState &&
           feedForward == other.feedForward && factors == other.factors &&
           names == other.names && hasInputNorms == other.hasInputNorms &&
           isParallel == other.isParallel && inputNorm == other.inputNorm &&
           feedForwardNorm == other.feedForwardNorm &&
           residualBlock == other.residualBlock &&
           beginsBlock == other.beginsBlock &&
           hasOutputNorms == other.hasOutputNorms &&
           hasScalar == other.hasScalar && hasOwnInput == other.hasOwnInput &&
           weightTypes == other.weightTypes;
  }
};

/// Inputs of each layer beside the hidden states (Gemma 3n, 2025): a row of a
/// second embedding, and a projection of the first, with features for each
/// layer.
struct LayerInputsConfig {
  int64_t features = 0; ///< features for each layer; 0: there are none
  int64_t vocabulary = 0;
};

/// Hyper-connections: the residual is several streams. Each block of a layer
/// reads a mixture of them and adds its output to all (mHC, arXiv 2512.24880).
struct StreamsConfig {
  int64_t count = 0;      ///< 0: the residual is one vector
  int64_t iterations = 0; ///< Sinkhorn iterations that balance the mixture
  double epsilon = 0;
};

/// Modules behind the last layer, each of which predicts a further token
/// (multi-token prediction). Names are the checkpoint's.
struct FurtherConfig {
  int64_t modules = 0;
  /// The field of the description that gives this number; empty if there is
  /// none.
  std::string field;
  std::vector<LayerConfig> layers;    ///< of one module; empty: unknown
  std::string stem = "model.layers."; ///< before the number of a layer
  int64_t firstLayer = 0; ///< the number of the first layer of the first module
  /// The names of the norms of the two inputs of a module, of the matrix that
  /// joins them, and of the norm behind its last layer. They belong to its
  /// first and last layer, or if `isShared`, to all modules together.
  std::string embeddingNorm = "enorm", hiddenNorm = "hnorm",
              projection = "eh_proj", lastNorm = "shared_head.norm";
  bool isShared = false;
  std::string sharedStem; ///< before these names if they are shared
};

/// What the builder needs to know about a model. Readers check it before they
/// return it: sizes are positive, there are 1 to `maxLayers` layers, and
/// `epsilon` is not negative.
struct ModelConfig {
  explicit ModelConfig(Location location) : location(location) {}

  /// The most layers, which is many more than any model has. There is a limit
  /// because each layer takes time and memory.
  static constexpr int64_t maxLayers = 10000;

  Location location;  ///< where the model is described
  std::string family; ///< as the source names it, such as "llama"
  int64_t hidden = 0;
  int64_t vocabulary = 0;    ///< 0: the source does not say
  bool hasTiedHead = false;  ///< the head uses the weight of the embedding
  double epsilon = 0;        ///< of the norms
  bool normsAddOne = false;  ///< norms add 1 to their weights
  double embeddingScale = 1; ///< multiplies the output of the embedding
  double logitScale = 1;
  double logitSoftCap = 0; ///< soft limit of the logits; 0: none
  /// Norms are layer norms without a bias, instead of RMS norms.
  bool hasLayerNorms = false;
  std::string lastNorm = "norm"; ///< the checkpoint's name of it
  StreamsConfig streams;
  LayerInputsConfig layerInputs;
  Type elementType; ///< of all that `formats` says nothing about
  NumberFormats formats;
  WeightTypes weightTypes; ///< of embedding, last norm and head
  std::vector<LayerConfig> layers;
  FurtherConfig further;
};

} // namespace mlir::llm

#endif // LLM_IMPORT_MODELCONFIG_H
