//===- GgmlPatterns.h - Nodes of ggml that are one op -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_GRAPHIMPORT_GGMLPATTERNS_H
#define LLM_LIB_GRAPHIMPORT_GGMLPATTERNS_H

#include "llm/TraceImport/GgmlCapture.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::llm {

/// Returns the bits of a parameter as a float; 0 if there are fewer words.
float floatParameter(const CapturedTensor &tensor, unsigned word);
int32_t intParameter(const CapturedTensor &tensor, unsigned word);
int64_t countElements(const CapturedTensor &tensor);
uint32_t sourceOf(const CapturedTensor &tensor, unsigned number);

/// Attention, of one node (FLASH_ATTN_EXT) or of three.
struct AttentionPattern {
  uint32_t query = 0, keys = 0, values = 0; ///< tensors that the nodes read
  uint32_t sinks = ggmlCapture::none, mask = ggmlCapture::none;
  SmallVector<uint32_t, 3> nodes; ///< all nodes; the last one ends it
  bool isFlash = false; ///< values [value_dim, keys, ..]; else transposed
  float scale = 1, softCap = 0;
  /// The tensors of the caches that are read; `none` if there is no cache.
  uint32_t keyCache = ggmlCapture::none, valueCache = ggmlCapture::none;
};

/// Finds groups of nodes that are one op of the llm dialect.
class GgmlPatterns {
public:
  explicit GgmlPatterns(const CapturedGraph &graph);

  /// The key is the node that ends it.
  llvm::DenseMap<uint32_t, AttentionPattern> attention;
  llvm::DenseMap<uint32_t, uint32_t> normOfMul;        ///< MUL: RMS_NORM
  llvm::DenseMap<uint32_t, uint32_t> productOfBias;    ///< ADD: MUL_MAT
  llvm::DenseMap<uint32_t, uint32_t> activationOfGate; ///< MUL: SILU, GELU
  /// Nodes that are part of a group which ends later.
  llvm::DenseSet<uint32_t> absorbed;
  /// Tensors that are caches of recognised attention.
  llvm::DenseSet<uint32_t> caches;
  /// The most keys that attention reads of a cache.
  int64_t keyCount = 0;

  bool isNode(uint32_t tensor) const { return tensor < graph.nodes; }
  /// The tensor that has the bytes which a view shows.
  uint32_t rootOf(uint32_t tensor) const;
  /// The tensor with these values, found through views and copies.
  uint32_t contentOf(uint32_t tensor) const;

private:
  void findAttention(uint32_t node);
  bool readParts(uint32_t node, AttentionPattern &found);
  void findCaches(AttentionPattern &found);
  void findNorm(uint32_t node);
  void findBias(uint32_t node);
  void findGate(uint32_t node);
  bool isUsedOnce(uint32_t tensor) const {
    return isNode(tensor) && uses[tensor] == 1;
  }
  bool isVector(uint32_t tensor, int64_t size) const;

  const CapturedGraph &graph;
  /// The number of nodes that read each tensor.
  std::vector<uint32_t> uses;
  llvm::DenseSet<uint32_t> writtenRoots; ///< tensors into which nodes write
};

} // namespace mlir::llm

#endif // LLM_LIB_GRAPHIMPORT_GGMLPATTERNS_H
