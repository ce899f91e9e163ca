//===- RowModel.h - The time of a row as a function of a target -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_ROWMODEL_H
#define LLM_PROFILE_ROWMODEL_H

#include "llm/Cost/CostModel.h"
#include "llm/Measurements/RowOps.h"
#include "llm/Measurements/UnpredictedRows.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::llm {

/// Describes everything of a row that its predicted time depends on.
std::string describeOp(const MeasuredRow &row);

/// Measured rows, each reduced to everything on which its time depends. So a
/// calibration can compute the times for many targets that differ in figures.
/// The tile in the engine's private memory is searched once, and that of its
/// units for each target. Rows of equal ops share a model. Ops that read the
/// same figures of the machine share a view of it.
class RowModels {
public:
  /// Rows that `target` cannot predict are left out. `rows` and `target` must
  /// outlive this.
  static std::unique_ptr<RowModels>
  get(ArrayRef<MeasuredRow> rows, const Target &target, MLIRContext *context);

  size_t size() const { return rows.size(); }
  const MeasuredRow &row(size_t index) const { return *rows[index].row; }
  /// Returns the type that the row's first op multiplies, or null if it does
  /// not multiply.
  Type macTypeOf(size_t index) const;
  ArrayRef<UnpredictedRows> unpredicted() const { return leftOut; }
  /// Returns the microseconds of each row of `indices` on a target with the
  /// same engines and memories.
  std::vector<double> predict(const Target &target,
                              ArrayRef<size_t> indices) const;
  /// Returns the rows whose time may differ between two such targets. The other
  /// rows read no figure that differs.
  llvm::BitVector findAffected(const Target &one, const Target &other) const;
  /// An op of a class, in the number format of its operands (`formatOf`).
  struct Kernel {
    StringRef opClass, opName, format;
    bool operator==(const Kernel &other) const {
      return opClass == other.opClass && opName == other.opName &&
             format == other.format;
    }
  };
  /// Returns the kernels of a class, or of one within it, that rows have, each
  /// once. It is empty if no row has any.
  std::vector<Kernel> kernelsOf(StringRef opClass) const;

private:
  /// The part of a target that an op reads: the engine that runs it, with the
  /// kernels of the row's library.
  struct View {
    const MeasuredRow *row;             ///< its library selects the kernels
    std::optional<EngineKindSet> kinds; ///< of the op; none: a collective
    Type macType;
    StringRef opClass, opName; ///< without a class, work spreads evenly
    StringRef format;          ///< of the op's operands (`formatOf`)
    bool operator==(const View &other) const;
  };
  struct OpModel {
    OpOnTarget onTarget;
    std::unique_ptr<UnitKernel> kernel;
    KernelBytes bytes;
    size_t view;
  };
  struct Model {
    const MeasuredRow *row;   ///< one of those that share it
    size_t view;              ///< the view of a collective
    std::vector<OpModel> ops; ///< empty for a collective
  };
  struct Row {
    const MeasuredRow *row;
    size_t model;
  };
  class Machines;

  explicit RowModels(MLIRContext *context) : rowOps(context) {}
  FailureOr<Model> makeModel(const MeasuredRow &row, const Target &target,
                             Reasons reasons);
  size_t addView(const View &view);
  double predict(const Model &model, Machines &machines) const;
  static bool isEqualFor(const View &view, const Target &one,
                         const Target &other);

  RowOps rowOps;
  std::vector<View> views;
  std::vector<Model> models;
  std::vector<Row> rows;
  std::vector<UnpredictedRows> leftOut;
};

} // namespace mlir::llm

#endif // LLM_PROFILE_ROWMODEL_H
