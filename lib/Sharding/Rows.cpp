//===- Rows.cpp - Rows of tokens that chips share -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sequence parallelism (Korthikanti et al., 2022): between two products, of
// which each chip has columns, it has rows of the tokens.
//
//===----------------------------------------------------------------------===//

#include "LoopCuts.h"
#include "OpenSizes.h"

using namespace mlir;
using namespace mlir::llm;

std::optional<unsigned> mlir::llm::findLoopOfDim(Operation *op,
                                                 const Workload &workload,
                                                 int64_t dim) {
  std::optional<unsigned> found;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    const Buffer *buffer =
        llvm::find_if(workload.buffers,
                      [&](const Buffer &each) { return each.value == result; });
    if (!type || type.getRank() < std::max<int64_t>(2, dim + 1) ||
        buffer == workload.buffers.end())
      return std::nullopt;
    auto loop = dyn_cast<AffineDimExpr>(buffer->map.getResult(dim));
    if (!loop || (found && *found != loop.getPosition()))
      return std::nullopt;
    found = loop.getPosition();
  }
  return found;
}

std::optional<LoopCuts> mlir::llm::cutRows(Operation *op,
                                           const Workload &workload,
                                           ArrayRef<StringAttr> axes,
                                           const LoopCuts &ofSequences,
                                           GridAttr grid) {
  std::optional<unsigned> loop = findRowLoop(op, workload);
  if (!loop)
    return std::nullopt;
  LoopCuts loops = ofSequences;
  Axes &rows = loops[*loop];
  llvm::append_range(rows.names, axes);
  if (!rows.segments.empty() ||
      !divides(rows, workload.loops[*loop].extent, grid) ||
      !explainUncut(op, workload, *loop).empty())
    return std::nullopt;
  std::string reason;
  if (findUnequalPieces(op, workload, loops, grid) ||
      !cutsOf(op, workload, loops, grid, reason))
    return std::nullopt;
  return loops;
}

std::optional<Cut> mlir::llm::rowsOfCarried(FunctionOpInterface function,
                                            Value carried,
                                            const Cut &bySequences,
                                            GridAttr grid,
                                            ArrayRef<StringAttr> axes) {
  auto program =
      function->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName);
  auto type = dyn_cast<RankedTensorType>(carried.getType());
  if (axes.empty() || !program || !type || type.getRank() < 2 ||
      hasOpenSize(program) || type.getDimSize(0) != program.countTokens())
    return std::nullopt;
  Cut cut = bySequences;
  llvm::append_range(cut.dims.front().names, axes);
  return divides(cut.dims.front(), type.getDimSize(0), grid)
             ? std::optional(cut)
             : std::nullopt;
}
