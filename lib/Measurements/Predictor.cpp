//===- Predictor.cpp - The time of a measured row's op --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Measurements/Predictor.h"
#include "llm/Measurements/CollectiveRow.h"
#include "llm/Measurements/RowTile.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

FailureOr<std::optional<double>> Predictor::microseconds(const MeasuredRow &row,
                                                         Reasons reasons) {
  if (isExchangeRow(row.opKind)) {
    FailureOr<double> time = exchangeTime(row, targets.of(row), reasons);
    if (failed(time))
      return failure();
    return std::optional<double>(*time);
  }
  FailureOr<SmallVector<WorkloadOpInterface, 2>> ops =
      this->ops.build(row, reasons);
  if (failed(ops))
    return failure();
  if (ops->empty())
    return std::optional<double>();
  double sum = 0;
  for (WorkloadOpInterface op : *ops) {
    FailureOr<RowTile> tile = chooseRowTile(op, row, targets.of(row), reasons);
    if (failed(tile))
      return failure();
    sum += cyclesToMicroseconds(tile->cost.cycles.total(),
                                targets.of(row).clockHz);
  }
  return std::optional<double>(sum);
}
