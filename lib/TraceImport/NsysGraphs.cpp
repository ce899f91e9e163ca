//===- NsysGraphs.cpp - Where nodes of CUDA graphs were recorded ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CUDA graph is recorded once, among the ranges of a model, and runs often,
// by one call. Its kernels name their node, and the node of the graph that runs
// names the node that was recorded. (nsys profile --cuda-graph-trace=node)
//
//===----------------------------------------------------------------------===//

#include "NsysTables.h"

using namespace mlir;
using namespace mlir::llm;

::llvm::Error NsysGraphNodes::read(NsysTables &tables) {
  for (StringRef table : names)
    if (isIn(tables.file, table))
      if (::llvm::Error error = readTable(tables, table))
        return error;
  return ::llvm::Error::success();
}

::llvm::Error NsysGraphNodes::readTable(NsysTables &tables, StringRef table) {
  return tables.file.forEachRow(
      table, {"graphNodeId", "originalGraphNodeId", "globalTid", "start"},
      [&](const SqliteRow &row) {
        std::optional<int64_t> node = row.integer(0), thread = row.integer(2),
                               start = row.integer(3);
        if (!node || !thread || !start || !TraceBuilder::isTime(*start))
          return tables.leaveOut(
              table, row, "graphNodeId, globalTid or start is no whole number");
        // The first row of a node tells its creation.
        nodes.try_emplace(keyOf(*thread, *node),
                          Node{row.integer(1).value_or(0), *thread, *start});
      });
}

std::optional<NsysGraphNodes::Place> NsysGraphNodes::find(int64_t globalPid,
                                                          int64_t node) const {
  // Graphs are copied when they are made ready to run, and when they become
  // part of others. The limit ends circles in a broken file.
  constexpr int maxCopies = 64;
  for (int copy = 0; copy < maxCopies; ++copy) {
    auto known = nodes.find(keyOf(globalPid, node));
    if (known == nodes.end())
      return std::nullopt;
    if (known->second.original == 0)
      return Place{known->second.globalTid, known->second.startNanoseconds};
    node = known->second.original;
  }
  return std::nullopt;
}
