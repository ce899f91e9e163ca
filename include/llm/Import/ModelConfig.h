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
/// heads are made of one latent vector per token, and of one rotated key.
struct LatentConfig {
  int64_t rank = 0;      ///< of keys and values; 0: there are no latents
  int64_t queryRank = 0; ///< of queries; 0: they come from one projection
  int64_t nopeDim = 0;   ///< features of a head that are not rotated
  int64_t ropeDim = 0;   ///< features that are
  int64_t valueDim = 0;  ///< features of a value

  auto asTuple() const {
    return std::tie(rank, queryRank, nopeDim, ropeDim, valueDim);
  }
};

/// Rotary embedding.
struct RopeConfig {
  double theta = 0; ///< base of the angles; 0: no rotary embedding
  RopeScalingAttr scaling;
  /// Contexts of more than `shortPositions` have another scaling (LongRoPE), or
  /// another base, which grows with the context by this factor (dynamic NTK).
  RopeScalingAttr longScaling;
  double dynamicFactor = 0;
  int64_t shortPositions = 0;
  bool isInterleaved = false; ///< pairs are of neighbours
  int64_t features = 0;       ///< of a head that turn, its first; 0: all

  /// Returns the embedding of features of a head in a context of so many
  /// positions.
  RopeConfig atLength(int64_t positions, int64_t features) const;

  auto asTuple() const {
    return std::tie(theta, scaling, longScaling, dynamicFactor, shortPositions,
                    isInterleaved, features);
  }
  bool operator==(const RopeConfig &other) const {
    return asTuple() == other.asTuple();
  }
};

/// An indexer selects the keys that each query attends to. DeepSeek-V3.2 (2025)
/// sums up heads with weights that each query computes; the heads of MiniMax-M3
/// (2026) select blocks of keys, each for one KV head.
struct IndexerConfig {
  int64_t heads = 0; ///< 0: there is none, and queries see all keys
  int64_t headDim = 0;
  int64_t top = 0;                ///< keys that a query selects, or blocks
  int64_t block = 1;              ///< keys of a block
  int64_t local = 0, initial = 0; ///< blocks that are selected in any case
  bool weighsHeads = false;
  bool isInterleaved = false; ///< rotary pairs of index queries and keys
  bool isShared = false;      ///< the selection is that of the layer before

  /// Returns the keys that a query selects.
  int64_t countKeys() const { return top * block; }
  auto asTuple() const {
    return std::tie(heads, headDim, top, block, local, initial, weighsHeads,
                    isInterleaved, isShared);
  }
};

/// Attention whose one vector per token is key and value of all heads, over the
/// last `window` tokens and, beside them, over vectors that stand for whole
/// windows of tokens (DeepSeek-V4, 2026).
struct CompressedConfig {
  int64_t queryRank = 0; ///< of queries; 0: attention is of another kind
  int64_t ropeDim = 0;   ///< features of a head that turn, its last
  int64_t ratio = 0;     ///< tokens that an entry stands for; 0: no entries
  int64_t halves = 1;    ///< 2: entries are of the tokens before, too
  int64_t outGroups = 0, outRank = 0; ///< of the output projection

  auto asTuple() const {
    return std::tie(queryRank, ropeDim, ratio, halves, outGroups, outRank);
  }
};

/// Attention. A reader has checked that `kvHeads` divides `heads`, `headDim` is
/// even and the base of `rope` positive.
struct AttentionConfig {
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  int64_t valueDim = 0;  ///< features of a value; 0: as many as of a key
  double valueScale = 1; ///< of the values, before they are cached
  LatentConfig latent;
  CompressedConfig compressed;
  IndexerConfig indexer;
  RopeConfig rope;
  int64_t window = 0;   ///< keys that a query sees; 0: all before it
  int64_t chunk = 0;    ///< of positions, behind which no query sees; 0: none
  bool qkvBias = false; ///< on q_proj, k_proj and v_proj
  bool outBias = false; ///< on o_proj
  bool qkNorm = false;  ///< queries and keys are normed head by head
  bool normsAllHeads = false;  ///< these norms are of all heads together
  bool normsAfterRope = false; ///< these norms come behind the rotation
  /// The output is multiplied by the sigmoid of a gate. The gate stands beside
  /// each query; latent attention has a projection of its own for it.
  bool hasOutputGate = false;
  /// A projection makes one gate for the output of each head (Step 3.5).
  bool hasHeadGates = false;
  bool plainQkNorm = false; ///< like `qkNorm`, after rotation, unweighted
  bool isFused = false;     ///< the three projections have one weight, qkv_proj
  /// Values are the output of k_proj before the norm of the keys; there is no
  /// v_proj.
  bool hasOneProjection = false;
  bool normsValues = false; ///< head by head, without a weight
  /// The number of the layer whose keys and values this one reads, counted from
  /// 1; 0: it has its own.
  int64_t cacheLayer = 0;
  std::string sinks;  ///< names a learned score per head, beside the keys'
  double scale = 0;   ///< of the scores; 0: 1 / sqrt(headDim)
  double softCap = 0; ///< of the scores; 0: none
  /// Queries grow by slope * ln(1 + floor((p + 1) / step)). 0: they do not.
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

/// Layers that keep a state in place of a cache.
enum class RecurrentKind {
  None,
  GatedDelta, ///< Qwen3-Next, Qwen3.5 (Yang et al., 2024)
  KimiDelta,  ///< Kimi Linear (2025)
  Mamba2,     ///< Nemotron-H (Dao and Gu, 2024)
  ShortConv   ///< LFM2: a convolution between two gates
};

/// The parts of a recurrent layer. A reader has checked that `keyHeads` divides
/// `heads`, `normGroups` their features, and that there are two taps or more. A
/// short convolution has `valueDim` features and no heads.
struct RecurrentConfig {
  RecurrentKind kind = RecurrentKind::None;
  std::string path;     ///< "linear_attn", in the checkpoint's words
  std::string outName;  ///< "out_proj"
  int64_t heads = 0;    ///< of values, each with a state
  int64_t keyHeads = 0; ///< of queries and keys; groups of Mamba-2
  int64_t keyDim = 0;   ///< features of a key; the state size of Mamba-2
  int64_t valueDim = 0; ///< features of a value
  int64_t taps = 0;     ///< of the convolutions
  int64_t chunk = 0;    ///< tokens that a prompt's products take at once
  /// Mamba-2 norms its output in so many groups; 0: it does not.
  int64_t normGroups = 0;
  bool normsBeforeGate = false; ///< and gates it then
  bool hasConvBias = false;
  bool hasBias = false;     ///< on projections
  bool isFused = false;     ///< several projections share in_proj_qkvz
  double decayLimit = 0;    ///< of Kimi's decays; 0: none
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

/// A mixture of experts. A reader has checked that `topK` <= `count`, `groups`
/// divides `count`, and the groups that can be selected have `topK` experts.
struct ExpertsConfig {
  int64_t count = 0; ///< routed experts; 0: there are none
  int64_t topK = 0;  ///< experts that each token selects
  ExpertScoring scoring = ExpertScoring::Softmax;
  int64_t groups = 1, topGroups = 1; ///< selection within groups
  bool normalizes = false;           ///< shares sum up to 1
  double scale = 1;                  ///< of the shares
  /// A bias in the selection only, "gate.e_score_correction_bias"; empty: none
  std::string selectionBias;
  /// The factor of each expert's shares, "router.per_expert_scale"; empty: none
  std::string expertScales;
  /// A table of the experts of each token, "gate.tid2eid"; empty: scores select
  std::string table;
  bool scalesInput = false; ///< shares multiply what goes into an expert
  std::string router;       ///< "gate", in the checkpoint's words
  bool hasRouterBias = false;
  /// Router and routed experts read the hidden states by norms of their own,
  /// and what they give is normed again, as is what the expert of all tokens
  /// gives (Gemma 4). The router's norm is divided by sqrt(hidden); its weight:
  std::string routerNorm; ///< "router.scale"; empty: all read one norm
  /// Gate and up projection have one weight, gate_up_proj: [experts, 2 *
  /// intermediate, hidden], or transposed if it is plain. Their rows take
  /// turns, or those of the gate stand ahead of the others.
  bool isFused = false, isTransposed = false, isInterleaved = false;
  bool hasBias = false;       ///< of each expert
  int64_t sharedWidth = 0;    ///< of the expert of all tokens; 0: none
  std::string sharedPath;     ///< "shared_experts"
  bool sharedIsFused = false; ///< its gate and up projection have one weight
  std::string sharedGate; ///< what weighs that expert, by its name; empty: 1
  /// If it is above 0, experts see vectors of this size. A projection makes
  /// them of the hidden states, and another one makes hidden states of the
  /// results. These are their names.
  int64_t latentWidth = 0;
  std::string latentDown, latentUp;
  std::string latentNorm; ///< of their sum, before the latter; empty: none

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
  std::string path = "mlp"; ///< in the checkpoint's words; empty: the layer's
  ExpertsConfig experts;
  bool hasBias = false; ///< on gate_proj, up_proj and down_proj
  bool isFused = false; ///< the two projections have one weight, gate_up_proj
  FeedForwardUnit unit = FeedForwardUnit::SwiGlu;
  double limit = 0;              ///< of gpt-oss's SwiGLU; 0: none
  double clamp = 0;              ///< of DeepSeek-V4's; 0: none
  double gateCap = 0, upCap = 0; ///< of SiTU (Kimi K3); 0: SwiGLU

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

/// Element types of weights, by name, if they are not what the model's formats
/// say.
using WeightTypes = std::map<std::string, Type>;

/// The types in which a model is stored and computed, beyond `elementType`.
/// Null: that type.
struct NumberFormats {
  Type weights;     ///< of the linear layers of decoder layers
  Type activations; ///< the type of those that quantized layers read
  /// Weights of this type are quantized, too: experts may have fewer bits.
  Type expertWeights;
  Type cache;
  bool isStatic = false; ///< the scales of activations are known beforehand
  /// The format of the cache was asked for, even if it is that of the model.
  bool isCacheNamed = false;
};

/// What stands in the place of attention or of a feed-forward network. A search
/// for faster layers leaves some out together with their norms, and makes one
/// matrix of others (nemotron-nas).
enum class BlockKind { Usual, Absent, Linear };

/// Factors by which some families multiply what goes into a part of a layer, or
/// comes out of it (Falcon-H1; Granite has the last one).
struct LayerFactors {
  double attentionIn = 1, keys = 1, attentionOut = 1;
  double stateIn = 1, stateOut = 1;
  /// Of what Mamba-2's first projection makes: gates, values, B, C and steps.
  std::array<double, 5> stateParts = {1, 1, 1, 1, 1};
  double gate = 1, down = 1; ///< of the feed-forward network
  double residual = 1;       ///< of what a block adds

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
  /// If its kind is not None, it stands in the place of attention, or beside
  /// it: both read one norm then, and their sum is added (Falcon-H1).
  RecurrentConfig recurrent;
  bool attendsBesideState = false;
  FeedForwardConfig feedForward;
  LayerFactors factors;
  /// What the checkpoint calls parts of a layer: our name, and its own. The
  /// first that begins a name counts.
  std::vector<std::pair<std::string, std::string>> names;
  /// The checkpoint's names of the norms before attention and before the
  /// feed-forward network. If the last one is empty, it is
  /// "post_attention_layernorm", or "pre_feedforward_layernorm" in a layer with
  /// output norms.
  std::string inputNorm = "input_layernorm", feedForwardNorm;
  bool hasInputNorms = true; ///< false: blocks read the hidden states as such
  /// Attention and feed-forward network read one norm, and both are added.
  bool isParallel = false;
  /// Attention residuals (Kimi K3): the number of the block of layers to which
  /// this one belongs, from 1 on, and whether it is the block's first. With 0,
  /// a layer reads the sum of what the layers before it gave.
  int64_t residualBlock = 0;
  bool beginsBlock = false;
  /// There are norms also behind attention and feed-forward network, before
  /// each is added to the residual.
  bool hasOutputNorms = false;
  bool hasScalar = false; ///< the layer's output is multiplied by a weight
  /// The layer adds what a gate makes of its part of `LayerInputsConfig`.
  bool hasOwnInput = false;
  /// The types by the weights' names in the layer, such as
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
  int64_t features = 0; ///< of each layer; 0: there are none
  int64_t vocabulary = 0;
};

/// Hyper-connections: the residual is several streams, which each block of a
/// layer reads as one and writes back to all (mHC, arXiv 2512.24880).
struct StreamsConfig {
  int64_t count = 0; ///< 0: the residual is one vector, to which blocks add
  int64_t iterations = 0; ///< that balance what goes from stream to stream
  double epsilon = 0;
};

/// Modules behind the last layer, each of which predicts a further token
/// (multi-token prediction). Names are the checkpoint's.
struct FurtherConfig {
  int64_t modules = 0;
  /// The field that says how many there are; empty if the model has none.
  std::string field;
  std::vector<LayerConfig> layers;    ///< of one module; empty: not known
  std::string stem = "model.layers."; ///< before the number of a layer
  int64_t firstLayer = 0; ///< the number of the first layer of the first module
  /// The norms of what a module reads, the matrix that joins both, and the norm
  /// behind its last layer. They stand in its first and last layer, or all
  /// modules share them.
  std::string embeddingNorm = "enorm", hiddenNorm = "hnorm",
              projection = "eh_proj", lastNorm = "shared_head.norm";
  bool isShared = false;
  std::string sharedStem; ///< before these names if they are shared
};

/// What the importers know of a model and the builder needs. A reader that
/// returns one has checked it: sizes are positive, there is at least one layer
/// and at most `maxLayers`, `epsilon` is not negative.
struct ModelConfig {
  explicit ModelConfig(Location location) : location(location) {}

  /// Many more layers than any model has. There is a limit because each layer
  /// is looked at by itself.
  static constexpr int64_t maxLayers = 10000;

  Location location;  ///< where the model is described
  std::string family; ///< in the words of the source, such as "llama"
  int64_t hidden = 0;
  int64_t vocabulary = 0;    ///< 0: the source does not say
  bool hasTiedHead = false;  ///< the head uses the weight of the embedding
  double epsilon = 0;        ///< of the norms
  bool normsAddOne = false;  ///< to their weights
  double embeddingScale = 1; ///< of the hidden states before the layers
  double logitScale = 1;
  double logitSoftCap = 0; ///< 0: none
  /// Norms are layer norms without a bias, instead of RMS norms.
  bool hasLayerNorms = false;
  std::string lastNorm = "norm"; ///< in the checkpoint's words
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
