//===- ClosedFormModel.cpp - Times of the closed form of sheets -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClosedFormModel.h"
#include "llm/Cost/ClosedForm.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Support/Units.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Moves the bytes of the closed form, a real quotient. It is rounded to whole
/// bytes such that the cycles are those of the real quotient rounded up once.
static FailureOr<Movement> moveClosedForm(const OpOnTarget &context,
                                          const ClosedForm &form,
                                          TileLevelAttr level) {
  FailureOr<Tiling> tiling = readTiling(context, level);
  if (failed(tiling))
    return failure();
  double bytesPerCycle = double(slowestPortBytesPerSecond(context)) /
                         double(context.target->clockHz);
  double moved = form.lhsBytes + form.rhsBytes;
  if (!(moved < double(maxCount)))
    return context.refuseOverflow();
  double cycles = std::ceil(moved / bytesPerCycle);
  auto whole = int64_t(std::max(
      std::floor(moved), std::min(std::ceil(moved), cycles * bytesPerCycle)));
  Movement movement;
  Movement::OfBuffers bytes(context.workload.buffers.size(), 0);
  bytes[form.lhs] = int64_t(form.lhsBytes);
  bytes[form.rhs] = whole - bytes[form.lhs];
  movement.bytes.assign(context.target->sharedMemories().size(), bytes);
  SmallVector<int64_t, 4> held(context.workload.buffers.size(), 1);
  Count workingSet =
      TileModel(context.op, context.workload).workingSetBytes(*tiling, held);
  if (failed(workingSet))
    return context.refuseOverflow();
  // A narrower operand or a bias may make the tiles larger than the three tiles
  // of the closed form.
  movement.workingSetBytes = std::min(*workingSet, context.tileCapacityBytes());
  return movement;
}

FailureOr<Movement> ClosedFormModel::move(TileAttr tile) const {
  std::optional<ClosedForm> form = ClosedForm::get(context);
  TileAttr derived = form ? form->getTile(context)
                          : TileAttr::get(tile.getContext(),
                                          TileStrategy::Theoretical, {}, {});
  if (tile != derived)
    return context.refuse()
           << "has a tile that says 'theoretical' but is not the one of the "
              "closed form, "
           << printOnOneLine(derived)
           << "; write 'manual' for a tile of your own";
  return form ? moveClosedForm(context, *form, tile.getLevels().front())
              : moveCompulsory(context);
}

FailureOr<Cycles> ClosedFormModel::timeOf(TileAttr tile,
                                          const Traffic &traffic) const {
  return spreadEvenly(computeCyclesWithoutGranules(context), traffic);
}
