//===- UnequalOps.cpp - Ops that chips cannot share equally ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnequalOps.h"
#include "llm/Workload/Runs.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::llm;

void UnequalOps::note(Operation *op, const Workload &workload, unsigned loop,
                      const Axes &axes) {
  if (!ops.empty() && ops.back().op == op)
    return;
  std::string text;
  llvm::raw_string_ostream why(text);
  why << "the " << countChips(axes, grid) << " chips along ";
  llvm::interleaveComma(axes.names, why, [&](StringAttr axis) {
    why << "'" << axis.getValue() << "'";
  });
  const Loop &cut = workload.loops[loop];
  LoopCuts loops(workload.loops.size());
  loops[loop] = axes;
  std::string reason;
  if (!divides(axes, cut.extent, grid))
    why << " do not divide the " << cut.extent << " iterations of its loop '"
        << cut.name << "'";
  else if (!cutsOf(op, workload, loops, grid, reason))
    why << " cannot share its loop '" << cut.name << "', which " << reason;
  else
    return;
  ops.push_back({op, std::move(text)});
}

void UnequalOps::forget(Operation *op) {
  if (!ops.empty() && ops.back().op == op)
    ops.pop_back();
}

/// The bytes of the weights and caches that an op has in all iterations of the
/// loops around it.
static double freeBytesOf(Operation *op) {
  double bytes = 0;
  for (Value operand : op->getOperands())
    if (isFree(operand) && !sizesOf(operand.getType()).empty())
      bytes += double(storageBytes(operand.getType()).value_or(0));
  return bytes * countRuns(op);
}

void UnequalOps::warn(FunctionOpInterface function) const {
  double all = 0, copied = 0, most = -1;
  function.walk([&](WorkloadOpInterface op) { all += freeBytesOf(op); });
  const UnequalOp *largest = nullptr;
  for (const UnequalOp &each : ops) {
    double bytes = freeBytesOf(each.op);
    copied += bytes;
    if (bytes > most) {
      most = bytes;
      largest = &each;
    }
  }
  constexpr double noticed = 0.1;
  if (!largest || copied < noticed * all)
    return;
  auto op = cast<WorkloadOpInterface>(largest->op);
  InFlightDiagnostic warning = op->emitWarning();
  if (!op.getWorkloadName().empty())
    warning << "'" << op.getWorkloadName() << "' ";
  warning << "is copied, and its weight is whole on several chips: "
          << largest->why;
  if (ops.size() > 1)
    warning << " (and so are " << ops.size() - 1 << " more)";
}
