//===- ChakraNodes.h - A schedule as nodes of an execution trace *- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_CHAKRA_CHAKRANODES_H
#define LLM_LIB_EXPORT_CHAKRA_CHAKRANODES_H

#include "llm/Results/Report.h"
#include "llm/Support/Kinds.h"

#include <string>
#include <vector>

namespace mlir::llm {

/// Which chips exchange among each other: those that differ only in their
/// places along some axes of the grid. Each axis has a number of chips, and how
/// many ranks the next chip is away.
struct ChakraGroups {
  SmallVector<std::pair<int64_t, int64_t>, 2> axes;

  bool operator<(const ChakraGroups &other) const { return axes < other.axes; }
  /// The least rank in the group of a rank.
  int64_t firstOf(int64_t rank) const;
  /// The ranks of the group with this least rank, in the order of the axes.
  SmallVector<int64_t> membersFrom(int64_t first) const;
};

/// A node of one chip's trace.
struct ChakraNode {
  int64_t id = 0;
  std::string name;
  std::vector<int64_t> dependences; ///< ids of nodes that end before it
  /// What is computed between two points at which a collective begins or ends.
  /// Rounded such that no sum of them is off by more than a half.
  int64_t microseconds = 0;
  double flops = 0;
  int64_t bytes = 0; ///< of DRAM; of a collective what `comm_size` means
  /// Null for what is computed.
  std::optional<CollectiveKind> collective;
  ChakraGroups groups;
};

/// Makes the nodes of a scheduled program, which are the same for all chips.
/// Loops are unrolled. What is computed is a chain; a link of it depends on the
/// collectives for which its ops wait, and a collective on the link ahead of
/// it.
FailureOr<std::vector<ChakraNode>> makeChakraNodes(const Report &report);

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_CHAKRA_CHAKRANODES_H
