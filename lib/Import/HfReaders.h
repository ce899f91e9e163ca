//===- HfReaders.h - How fields become layers -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_HFREADERS_H
#define LLM_LIB_IMPORT_HFREADERS_H

#include "HfFields.h"
#include "llm/Import/ModelConfig.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// What several families share
//===----------------------------------------------------------------------===//

inline void setAll(ModelConfig &model, const LayerConfig &layer) {
  llvm::fill(model.layers, layer);
}

/// Reads heads. If the config does not say it, there are `absentKvHeads` KV
/// heads (0: as many as heads), and heads share the hidden size.
void readDerivedHeads(HfFields &fields, const ModelConfig &model,
                      AttentionConfig &attention, int64_t absentKvHeads = 0);

/// Reads `layer_types`, and says for each layer whether it is of `kind`. Others
/// must be "full_attention"; with an empty `kind`, all must. Returns nothing if
/// the field is absent.
std::vector<bool> readLayerTypes(HfFields &fields, size_t layers,
                                 StringRef kind);

/// Layers of `layer_types`, or those that `slides` names where it is absent,
/// see a window of `sliding_window` keys.
void readWindows(HfFields &fields, ModelConfig &model, int64_t absentWindow,
                 llvm::function_ref<bool(size_t layer)> slides);

/// Every layer has the window, if there is one.
void readWindowOfAll(HfFields &fields, ModelConfig &model,
                     int64_t absentWindow = 0);

/// Reads a window that must be switched on (Qwen). It begins at the layer that
/// `firstKey` says, or at 28 if the config does not. With an empty `firstKey`,
/// every layer has it.
void readOptionalWindows(HfFields &fields, ModelConfig &model,
                         StringRef firstKey);

/// The fields that say what heads there are.
struct HeadKeys {
  StringRef heads = "num_attention_heads", kvHeads = "num_key_value_heads",
            headDim = "head_dim";
};

/// Do KV heads divide heads, and are the features of a head pairs, as rotary
/// embedding needs them? Errors name the fields.
bool checkHeads(HfFields &fields, const AttentionConfig &attention,
                const HeadKeys &keys = {});

/// Reads the angles of rotary embedding. The base is `absentTheta` if the
/// config does not say it. `canBePartial` says whether the family lets only a
/// part of a head turn; it then asks for `readRotatedFeatures`.
RopeConfig readRope(HfFields &fields, double absentTheta, bool canBePartial);

/// Reads the number of features of a head that turn, from
/// `partial_rotary_factor`.
int64_t readRotatedFeatures(HfFields &fields, int64_t headDim);

/// Angles of layers that see all keys, and of those with a window.
struct RopesOfKinds {
  RopeConfig full, sliding;
};

/// Reads `rope_parameters`, which has an object for each kind of attention.
RopesOfKinds readRopesOfKinds(HfFields &fields);

/// Reads the features of a vector. They are few enough that sums of them are
/// counted without a check.
int64_t readFeatures(HfFields &fields, StringRef key);
/// Reads the same, or gives `absent`.
int64_t readFeatures(HfFields &fields, StringRef key, int64_t absent);

/// Reads the scaling of the object `key` for the base `theta`; null if there is
/// none.
RopeScalingAttr readRopeScaling(HfFields &fields, StringRef key, double theta);

/// Reads `no_rope_layers`, in which 1 marks a layer that turns, or lets all but
/// every `no_rope_layer_interval`-th turn.
std::vector<bool> readTurningLayers(HfFields &fields, size_t layers);

/// Reads a list of 0 and 1, with one number for each layer.
std::vector<bool> readMarks(HfFields &fields, StringRef key, size_t layers);

/// Reads the lightning indexers of DeepSeek-V3.2, one in each layer or in some.
/// They have `absentHeads` index heads if the config gives no number.
void readLightningIndexers(HfFields &fields, ModelConfig &model,
                           int64_t absentHeads, bool isInterleaved);
/// Reads which layers have an indexer of their own, and which share a
/// selection.
void readSharedIndexers(HfFields &fields, ModelConfig &model);
/// Reads the indexers of MiniMax-M3, which select blocks.
void readBlockIndexers(HfFields &fields, ModelConfig &model);

/// Reads a Qwen3 model, with experts or without, except for its windows.
void readQwen3Heads(HfFields &fields, ModelConfig &model);

/// Reads the experts of Qwen3 and its hybrids, except for those of all tokens.
FeedForwardConfig readQwenExperts(HfFields &fields, bool absentNormalizes);
/// Layers of `mlp_only_layers`, and those between every `decoder_sparse_step`,
/// have no experts.
std::vector<bool> readQwenSparseLayers(HfFields &fields, size_t layers);

/// How many experts there are, and how many of them a token selects.
void readExperts(HfFields &fields, StringRef countKey, ExpertsConfig &experts,
                 StringRef selectedKey = "num_experts_per_tok");

/// Groups of experts of which only the best may be selected.
void readExpertGroups(HfFields &fields, int64_t absentGroups,
                      int64_t absentTopGroups, ExpertsConfig &experts,
                      StringRef groupsKey = "n_group");

/// Reads "softmax" or "sigmoid" from the field `key`.
ExpertScoring readScoring(HfFields &fields, StringRef key, StringRef absent);

/// `routed_scaling_factor`, by which the shares of experts are multiplied.
double readShareScale(HfFields &fields, double absent);
/// Reads how many experts of the width of the others all tokens share
/// (`n_shared_experts`). They are one expert, side by side.
void readSharedByCount(HfFields &fields, int64_t absent,
                       FeedForwardConfig &sparse);
/// Takes over such a number, which the field `key` gave.
void setSharedByCount(HfFields &fields, StringRef key, int64_t count,
                      FeedForwardConfig &sparse);

/// Layers behind `first_k_dense_replace` that `moe_layer_freq` divides have
/// experts.
void setSparseLayers(HfFields &fields, ModelConfig &model,
                     const FeedForwardConfig &sparse);

/// Reads the taps of a convolution, 2 or more.
int64_t readTaps(HfFields &fields, StringRef key, int64_t absent);

/// Checks that heads can share the queries and keys of key heads. Errors name
/// the fields.
void checkSharing(HfFields &fields, const RecurrentConfig &config,
                  StringRef headsKey, StringRef keyHeadsKey);

/// What the fields of Mamba-2 are called, and their values where they are
/// absent. Those given are Nemotron-H's.
struct MambaFields {
  StringRef path = "mixer"; ///< in the checkpoint's words
  StringRef heads = "mamba_num_heads", headDim = "mamba_head_dim",
            groups = "n_groups", stateSize = "ssm_state_size",
            taps = "conv_kernel", chunk = "chunk_size",
            convBias = "use_conv_bias", bias = "use_bias";
  int64_t absentHeadDim = 64, absentGroups = 8, absentStateSize = 128,
          absentChunk = 128;
};

/// Reads a layer of Mamba-2, whose heads have `inner` features together (0: as
/// many as their fields say). Its output is normed in groups of heads.
RecurrentConfig readMamba2(HfFields &fields, const MambaFields &names,
                           int64_t inner = 0);

/// Reads the sizes of multi-head latent attention.
void readLatent(HfFields &fields, AttentionConfig &attention);

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

void readGemma2(HfFields &fields, ModelConfig &model);
void readGemma3(HfFields &fields, ModelConfig &model);
void readGemma4(HfFields &fields, ModelConfig &model);
void readLlama(HfFields &fields, ModelConfig &model);
void readNemotronNas(HfFields &fields, ModelConfig &model);
void readCohere2(HfFields &fields, ModelConfig &model);
void readExaone4(HfFields &fields, ModelConfig &model);
void readHunyuanDense(HfFields &fields, ModelConfig &model);
void readOlmo2(HfFields &fields, ModelConfig &model);
void readOlmo3(HfFields &fields, ModelConfig &model);
void readSeedOss(HfFields &fields, ModelConfig &model);
void readSmolLm3(HfFields &fields, ModelConfig &model);
void readMistral(HfFields &fields, ModelConfig &model);
void readPhi3(HfFields &fields, ModelConfig &model);
void readQwen2(HfFields &fields, ModelConfig &model);
void readQwen3(HfFields &fields, ModelConfig &model);

void readDeepseekV2(HfFields &fields, ModelConfig &model);
void readDeepseekV3(HfFields &fields, ModelConfig &model);
void readDeepseekV32(HfFields &fields, ModelConfig &model);
void readDeepseekV4(HfFields &fields, ModelConfig &model);
void readErnie45(HfFields &fields, ModelConfig &model);
void readErnie45Moe(HfFields &fields, ModelConfig &model);
void readGlm4Moe(HfFields &fields, ModelConfig &model);
void readGlmMoeDsa(HfFields &fields, ModelConfig &model);
void readGptOss(HfFields &fields, ModelConfig &model);
void readLlama4(HfFields &fields, ModelConfig &model);
void readMimoV2(HfFields &fields, ModelConfig &model);
void readMinimaxM2(HfFields &fields, ModelConfig &model);
void readMinimaxM3(HfFields &fields, ModelConfig &model);
void readMixtral(HfFields &fields, ModelConfig &model);
void readQwen3Moe(HfFields &fields, ModelConfig &model);
void readStep35(HfFields &fields, ModelConfig &model);

void readBamba(HfFields &fields, ModelConfig &model);
void readFalconH1(HfFields &fields, ModelConfig &model);
void readGraniteHybrid(HfFields &fields, ModelConfig &model);
void readKimiLinear(HfFields &fields, ModelConfig &model);
void readLfm2(HfFields &fields, ModelConfig &model);
void readLfm2Moe(HfFields &fields, ModelConfig &model);
void readMamba2Model(HfFields &fields, ModelConfig &model);
void readNemotronH(HfFields &fields, ModelConfig &model);
void readQwen3Next(HfFields &fields, ModelConfig &model);
void readQwen35(HfFields &fields, ModelConfig &model);

/// These read the layers of modules that predict further tokens, of families
/// with fields that say how many modules there are.
void readDeepseekFurther(HfFields &fields, ModelConfig &model);
void readMimoFurther(HfFields &fields, ModelConfig &model);
void readNemotronFurther(HfFields &fields, ModelConfig &model);
void readQwenFurther(HfFields &fields, ModelConfig &model);

/// Counts the layers that Nemotron-H lists, if the config gives no number.
int64_t countNemotronLayers(HfFields &fields);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_HFREADERS_H
