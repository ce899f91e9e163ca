//===- OpRows.h - Ops that ran, as rows of measurements ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_OPROWS_H
#define LLM_PROFILE_OPROWS_H

#include "llm/Measurements/MeasuredTable.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// Returns a row, without a time, from which `RowOps` makes an op with the same
/// loops. There is none for other kinds of ops, for masks other than causal
/// ones, for operands of several types, and for open sizes.
std::optional<MeasuredRow> describeAsRow(Operation *op);

/// Writes a table that `readMeasuredTable` reads with the same `times`. Columns
/// that no row has are left out.
void writeMeasuredTable(ArrayRef<MeasuredRow> rows, raw_ostream &os,
                        Times times = Times::Required);

} // namespace mlir::llm

#endif // LLM_PROFILE_OPROWS_H
