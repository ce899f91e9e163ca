//===- OpRows.h - Ops that ran, as rows of measurements ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_OPROWS_H
#define LLM_PROFILE_OPROWS_H

#include "llm/Profile/MeasuredTable.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// The row that `RowOps` makes an op of the same loops of, without its time;
/// nothing where there is none: other kinds of ops, masks but causal ones,
/// operands of several types, sizes that are open.
std::optional<MeasuredRow> describeAsRow(Operation *op);

/// A table that `readMeasuredTable` reads. Columns that no row has are left
/// out.
void writeMeasuredTable(ArrayRef<MeasuredRow> rows, raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_PROFILE_OPROWS_H
