//===- GraphStructure.h - What a graph is made of ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_GGMLTRACE_GRAPHSTRUCTURE_H
#define LLM_TOOLS_GGMLTRACE_GRAPHSTRUCTURE_H

#include "CaptureFile.h"
#include "Ggml.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace llmGgml {

/// The tensors of a graph and what each reads.
///
/// A scheduler that splits a graph over several backends replaces sources by
/// copies. So the constructor reads the sources before that. `encode` adds what
/// is only known after that: where tensors lie, and which backend computes
/// them.
class GraphStructure {
public:
  explicit GraphStructure(ggml_cgraph *graph);

  using BackendOf = std::function<ggml_backend *(ggml_tensor *)>;
  /// Makes the body of a record. Its number at the beginning is not set.
  Body encode(const BackendOf &backendOf) const;
  /// Hashes the bytes that tell two graphs apart. Beginnings of views are left
  /// out, since in a cache they move with each step.
  uint64_t hash(const Body &body) const;
  /// Makes the bodies of records with the numbers of the graph's tensors.
  /// Graphs that differ in these are different.
  std::vector<Body> encodeNumbers() const;

  ggml_tensor *node(size_t index) const { return tensors[index]; }
  size_t nodeCount() const { return nodes; }
  /// Returns the number of the tensor that a node reads, or `none`.
  uint32_t sourceOf(size_t node, unsigned operand) const {
    return operand < sources[node].count ? sources[node].of[operand]
                                         : format::none;
  }

private:
  uint32_t add(ggml_tensor *tensor);

  size_t nodes = 0;
  std::vector<ggml_tensor *> tensors; ///< the nodes first
  std::unordered_map<const ggml_tensor *, uint32_t> numbers;
  struct Sources {
    uint32_t view;
    uint8_t count;
    uint32_t of[10];
  };
  std::vector<Sources> sources; ///< of each tensor
};

} // namespace llmGgml

#endif // LLM_TOOLS_GGMLTRACE_GRAPHSTRUCTURE_H
