//===- RowModel.h - The time of a row as a function of a target -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_ROWMODEL_H
#define LLM_PROFILE_ROWMODEL_H

#include "llm/Analysis/CostModel.h"
#include "llm/Profile/RowOps.h"

namespace mlir::llm {

/// Measured rows, each reduced to what its time depends on, so that a
/// calibration can ask for the times on many targets that differ in figures:
/// the tile of the engine's private memory is searched once, that of its units
/// each time.
class RowModels {
public:
  /// Rows without an op are left out. Errors are those of the rows' ops and of
  /// the cost model. `rows` and `target` must outlive this.
  static FailureOr<std::unique_ptr<RowModels>>
  get(ArrayRef<MeasuredRow> rows, const Target &target, MLIRContext *context);

  size_t size() const { return models.size(); }
  const MeasuredRow &row(size_t index) const { return *models[index].row; }
  /// Microseconds of each row of `indices` on a target with the same engines
  /// and memories.
  std::vector<double> predict(const Target &target,
                              ArrayRef<size_t> indices) const;

private:
  struct OpModel {
    OpOnTarget onTarget;
    std::unique_ptr<UnitKernel> kernel;
    KernelBytes bytes;
  };
  struct Model {
    const MeasuredRow *row;
    std::vector<OpModel> ops; ///< none of a collective
  };

  explicit RowModels(MLIRContext *context) : rowOps(context) {}
  LogicalResult add(const MeasuredRow &row, const Target &target);

  RowOps rowOps;
  std::vector<Model> models;
};

} // namespace mlir::llm

#endif // LLM_PROFILE_ROWMODEL_H
