//===- PlannedFunction.h - A function as predicted and as it ran -*- C++
//-*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_PLANNEDFUNCTION_H
#define LLM_RESULTS_PLANNEDFUNCTION_H

#include "llm/Results/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::llm {

/// One function with the schedule that is predicted for its target, and, once
/// it was measured, with the measured schedule.
class PlannedFunction {
public:
  using LoadTarget = function_ref<FailureOr<Target>()>;

  /// Works on clones of the function's module. A function that has no schedule
  /// gets one for the target of its module, or for that of `loadTarget` if the
  /// module has none. `sizes` are values of its open sizes, such as "kv_len=8".
  /// `threads` is the number of threads that share an op.
  static FailureOr<PlannedFunction> create(func::FuncOp function,
                                           ArrayRef<std::string> sizes,
                                           LoadTarget loadTarget,
                                           unsigned threads = 1);

  const Report &getPredicted() const { return *predictedReport; }

  /// Takes the nanoseconds of one run of each op of the program. For ops in a
  /// loop, these are the average of the iterations. `maker` says who measured.
  LogicalResult setMeasured(ArrayRef<double> nanosecondsOf, StringRef maker);
  /// These may be called only after setMeasured().
  const Report &getMeasured() const { return *measuredReport; }
  ModuleOp getMeasuredModule() { return *measured; }

private:
  PlannedFunction() = default;
  LogicalResult plan();

  std::string name; ///< of the function
  unsigned threads = 1;
  OwningOpRef<ModuleOp> measured, predicted;
  std::unique_ptr<Target> target;
  std::optional<Report> measuredReport, predictedReport;
};

/// Finds the function of that name, which must have a body. Without a name, it
/// is the only public function.
FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name);

} // namespace mlir::llm

#endif // LLM_RESULTS_PLANNEDFUNCTION_H
