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
/// A scheduler that splits a graph over several backends puts copies into the
/// places of sources. The sources are therefore read before, in the
/// constructor; what only then is known, where tensors lie and who computes
/// them, by `encode`.
class GraphStructure {
public:
  explicit GraphStructure(ggml_cgraph *graph);

  using BackendOf = std::function<ggml_backend *(ggml_tensor *)>;
  /// The body of a record, whose number stands at its beginning and is not set.
  Body encode(const BackendOf &backendOf) const;
  /// Of those bytes, what makes two graphs different: not where views begin,
  /// which in a cache is another place at each step.
  uint64_t hash(const Body &body) const;
  /// The bodies of the records of numbers that belong to the graph, and the
  /// numbers themselves. Graphs that differ in these are two.
  std::vector<Body> encodeNumbers() const;

  ggml_tensor *node(size_t index) const { return tensors[index]; }
  size_t nodeCount() const { return nodes; }
  /// The number of what a node reads, or `none`.
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
