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

/// One function as it would run on its target, and, once it was measured, as it
/// did run.
class PlannedFunction {
public:
  using LoadTarget = function_ref<FailureOr<Target>()>;

  /// Works on clones of the function's module. A function that has no schedule
  /// gets one for the target of its module, or for that of `loadTarget` if the
  /// module has none. `sizes` are its open sizes, such as "kv_len=8". `threads`
  /// says how many share an op.
  static FailureOr<PlannedFunction> create(func::FuncOp function,
                                           ArrayRef<std::string> sizes,
                                           LoadTarget loadTarget,
                                           unsigned threads = 1);

  const Report &getPredicted() const { return *predictedReport; }

  /// Takes the nanoseconds of one run of each op of the program, and the
  /// average for ops in a loop. `maker` says who measured.
  LogicalResult setMeasured(ArrayRef<double> nanosecondsOf, StringRef maker);
  /// These exist once setMeasured() was called.
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

/// Finds the function of that name with a body. Without a name it is the only
/// public one.
FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name);

} // namespace mlir::llm

#endif // LLM_RESULTS_PLANNEDFUNCTION_H
