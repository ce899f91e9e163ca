//===- Batch.cpp - Sequences that lie on different chips ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCuts.h"
#include "OpenSizes.h"

using namespace mlir;
using namespace mlir::llm;

static Cut without(Cut cut, function_ref<bool(StringAttr)> isLeftOut) {
  llvm::erase_if(cut.partial, isLeftOut);
  for (Axes &dim : cut.dims) {
    llvm::erase_if(dim.names, isLeftOut);
    if (dim.empty())
      dim.segments.clear();
  }
  return cut;
}

Cut mlir::llm::restrictTo(const Cut &cut, ArrayRef<StringAttr> axes) {
  return without(
      cut, [&](StringAttr axis) { return !llvm::is_contained(axes, axis); });
}

Cut mlir::llm::restrictToOthers(const Cut &cut, ArrayRef<StringAttr> axes) {
  return without(
      cut, [&](StringAttr axis) { return llvm::is_contained(axes, axis); });
}

/// Checks that the chips can share the sequences of the program.
static FailureOr<ProgramAttr> findProgram(FunctionOpInterface function,
                                          int64_t chips) {
  auto program =
      function->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName);
  if (!program)
    return function->emitOpError()
           << "does not say how many sequences it has (llm.program), so that "
              "chips cannot share them";
  if (hasOpenSize(program))
    return function->emitOpError()
           << "has open sizes, so that chips cannot share its sequences; bind "
              "them (--llm-bind-shapes), or cut products (tp)";
  if (program.getGroups().size() != 1)
    return function->emitOpError()
           << "has several groups of sequences, which chips cannot share";
  if (program.countSequences() % chips != 0)
    return function->emitOpError()
           << "has " << program.countSequences()
           << " sequences, which cannot be shared equally by " << chips
           << " chips or parts of a batch";
  return program;
}

FailureOr<DenseMap<Value, Cut>>
mlir::llm::findBatchCuts(FunctionOpInterface function, GridAttr grid,
                         ArrayRef<StringAttr> axes) {
  DenseMap<Value, Cut> cuts;
  if (axes.empty())
    return cuts;
  Axes batch{SmallVector<StringAttr, 2>(axes)};
  FailureOr<ProgramAttr> program =
      findProgram(function, countChips(batch, grid));
  if (failed(program))
    return failure();
  for (BlockArgument argument : function.getArguments()) {
    SmallVector<int64_t> sizes = sizesOf(argument.getType());
    bool hasRows = !sizes.empty() &&
                   isa<RankedTensorType>(argument.getType()) &&
                   (sizes.front() == program->countTokens() ||
                    sizes.front() == program->countSequences());
    if (!hasRows)
      continue;
    cuts[argument] = Cut::whole(sizes.size());
    cuts[argument].dims.front() = batch;
  }
  return cuts;
}
