//===- HfIndexers.cpp - Which keys attention reads ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// DeepSeek-V3.2 and GLM-5
//===----------------------------------------------------------------------===//

void readLightningIndexers(HfFields &fields, ModelConfig &model,
                           int64_t absentHeads, bool isInterleaved) {
  IndexerConfig indexer;
  indexer.weighsHeads = true;
  indexer.isInterleaved = isInterleaved;
  indexer.heads = readFeatures(fields, "index_n_heads", absentHeads);
  indexer.headDim = readFeatures(fields, "index_head_dim", 128);
  indexer.top = fields.positive("index_topk", 2048);
  if (indexer.top > INT32_MAX)
    fields.refuse("index_topk") << "must be at most " << INT32_MAX;
  const LatentConfig &latent = model.layers.front().attention.latent;
  if (!latent.queryRank)
    fields.refuse("q_lora_rank")
        << "is missing: index queries are made of the latents of queries";
  if (latent.ropeDim > indexer.headDim)
    fields.refuse("index_head_dim")
        << indexer.headDim << " must be at least 'qk_rope_head_dim' "
        << latent.ropeDim << ": so many features turn";
  for (LayerConfig &layer : model.layers)
    layer.attention.indexer = indexer;
}

/// Reads `indexer_types`: "full" or "shared" for each layer.
static std::vector<bool> readIndexerTypes(HfFields &fields, size_t layers) {
  const LocatedJson *types = fields.find("indexer_types");
  std::vector<bool> shared;
  if (failed(types->expectArray())) {
    fields.markFailed();
    return std::vector<bool>(layers);
  }
  for (const LocatedJson &type : types->elements()) {
    std::string text = type.describe();
    shared.push_back(text == "\"shared\"");
    if (shared.back() || text == "\"full\"")
      continue;
    type.emitError() << "'" << type.path()
                     << "' must be \"full\" or \"shared\", got " << text;
    fields.markFailed();
    return std::vector<bool>(layers);
  }
  if (shared.size() == layers)
    return shared;
  fields.refuse("indexer_types") << "must have one entry for each of the "
                                 << layers << " layers, got " << shared.size();
  return std::vector<bool>(layers);
}

void readSharedIndexers(HfFields &fields, ModelConfig &model) {
  size_t layers = model.layers.size();
  int64_t frequency = fields.positive("index_topk_freq", 1),
          offset = fields.nonNegative("index_skip_topk_offset", 2);
  std::vector<bool> shared;
  for (int64_t layer = 0; layer < static_cast<int64_t>(layers); ++layer)
    shared.push_back(std::max<int64_t>(layer - offset + 1, 0) % frequency != 0);
  StringRef key = "index_skip_topk_offset";
  if (fields.find("indexer_types")) {
    key = "indexer_types";
    shared = readIndexerTypes(fields, layers);
  }
  if (shared.front())
    fields.refuse(key) << "lets the first layer share a selection, and no "
                          "layer comes before it";
  for (auto [layer, isShared] : llvm::zip_equal(model.layers, shared))
    layer.attention.indexer.isShared = isShared;
}

//===----------------------------------------------------------------------===//
// MiniMax-M3
//===----------------------------------------------------------------------===//

/// Reads the sizes of blocks of keys, and which blocks are selected.
static IndexerConfig readBlockIndexer(HfFields &sparse, int64_t kvHeads) {
  IndexerConfig indexer;
  indexer.heads = readFeatures(sparse, "sparse_num_index_heads", 4);
  indexer.headDim = readFeatures(sparse, "sparse_index_dim", 128);
  indexer.top = readFeatures(sparse, "sparse_topk_blocks", 16);
  indexer.block = readFeatures(sparse, "sparse_block_size", 128);
  indexer.local = sparse.nonNegative("sparse_local_block", 1);
  indexer.initial = sparse.nonNegative("sparse_init_block", 0);
  if (indexer.heads != kvHeads)
    sparse.refuse("sparse_num_index_heads")
        << indexer.heads << " must be as many as there are KV heads, "
        << kvHeads << ": each selects for one of them";
  if (indexer.local > indexer.top - indexer.initial)
    sparse.refuse("sparse_topk_blocks")
        << indexer.top << " must be at least the local and the initial blocks, "
        << "which are selected in any case";
  sparse.mustBe("sparse_score_type", "max");
  return indexer;
}

void readBlockIndexers(HfFields &fields, ModelConfig &model) {
  const LocatedJson *object = fields.find("sparse_attention_config");
  if (!object)
    return;
  if (failed(object->expectObject()))
    return fields.markFailed();
  HfFields sparse(*object);
  size_t layers = model.layers.size();
  bool isUsed = sparse.boolean("use_sparse_attention", true);
  const AttentionConfig &attention = model.layers.front().attention;
  IndexerConfig indexer = readBlockIndexer(sparse, attention.kvHeads);
  if (attention.rope.features > indexer.headDim)
    sparse.refuse("sparse_index_dim")
        << indexer.headDim << " must be at least the "
        << attention.rope.features << " features that turn";
  std::vector<bool> isSparse =
      readMarks(sparse, "sparse_attention_freq", layers);
  std::vector<bool> hasNoValue(layers, true);
  if (sparse.find("sparse_disable_index_value"))
    hasNoValue = readMarks(sparse, "sparse_disable_index_value", layers);
  for (auto [index, layer] : llvm::enumerate(model.layers)) {
    if (!isUsed || !isSparse[index])
      continue;
    layer.attention.indexer = indexer;
    if (hasNoValue[index])
      continue;
    sparse.refuse("sparse_disable_index_value")
        << "must be 1 for layer " << index
        << ", whose attention is sparse: index values are not supported";
    break;
  }
  if (failed(sparse.finish("'sparse_attention_config'")))
    fields.markFailed();
}

} // namespace mlir::llm
