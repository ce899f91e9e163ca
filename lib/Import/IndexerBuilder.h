//===- IndexerBuilder.h - Which keys attention reads ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_INDEXERBUILDER_H
#define LLM_LIB_IMPORT_INDEXERBUILDER_H

#include "AttentionBuilder.h"

namespace mlir::llm {

/// The elements of index keys in the cache, where they are others than those of
/// caches: DeepSeek's kernels keep them in 8 bits, with a scale for 128
/// features.
Type indexCacheElementOf(const ModelConfig &model,
                         const IndexerConfig &indexer);

/// Small queries and keys beside those of attention, by whose products each
/// query selects the keys that it attends to. Index keys have a cache.
class IndexerBuilder {
public:
  IndexerBuilder(AttentionBuilder &attention, LayerOps &layer)
      : attention(attention), layer(layer), config(layer.config.attention),
        indexer(config.indexer) {}

  /// Reads the hidden states of all tokens, and the values that queries are
  /// made of.
  void project(Value x, Value queryInput);
  /// Returns the selection of a group of sequences; null if it sees all keys.
  /// Index keys are cached in any case, because later queries read them.
  Value select(const SequenceGroup &group);
  /// Returns the size of a block if the selection is one of blocks; else null.
  IntegerAttr block() const;

private:
  bool isSelective(const SequenceGroup &group) const;
  /// Returns a part's name in the checkpoint's words. DeepSeek has an indexer,
  /// while MiniMax has parts of attention.
  std::string part(StringRef ofIndexer, StringRef ofAttention) const;
  Value prepare(const SequenceGroup &group, StringRef name, Value projected,
                int64_t heads);
  Value cacheKeys(const SequenceGroup &group);
  Value scoreAll(const SequenceGroup &group, Value seen);

  AttentionBuilder &attention;
  LayerOps &layer;
  const AttentionConfig &config;
  const IndexerConfig &indexer;
  Value queries, keys, weights;
};

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_INDEXERBUILDER_H
