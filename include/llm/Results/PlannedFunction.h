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

/// One function, as its target says that it would run, and, once somebody has
/// measured it, as it did.
class PlannedFunction {
public:
  using LoadTarget = function_ref<FailureOr<Target>()>;

  /// Works on clones of the function's module. A function that has no schedule
  /// gets one for the target of its module, or for that of `loadTarget` where
  /// this has none. `sizes`: its open sizes, such as "kv_len=8". `threads`: how
  /// many share an op.
  static FailureOr<PlannedFunction> create(func::FuncOp function,
                                           ArrayRef<std::string> sizes,
                                           LoadTarget loadTarget,
                                           unsigned threads = 1);

  const Report &getPredicted() const { return *predictedReport; }

  /// The nanoseconds that one run of each op of the program took, those of a
  /// loop on average. `maker` says who measured.
  LogicalResult setMeasured(ArrayRef<double> nanosecondsOf, StringRef maker);
  /// From there on.
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

/// The function of that name with a body or, without a name, the only public
/// one.
FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name);

} // namespace mlir::llm

#endif // LLM_RESULTS_PLANNEDFUNCTION_H
