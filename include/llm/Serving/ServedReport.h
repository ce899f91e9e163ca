//===- ServedReport.h - Predictions of served times, as text ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SERVING_SERVEDREPORT_H
#define LLM_SERVING_SERVEDREPORT_H

#include "llm/Serving/ServedTable.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// A row, which may have no measured time, and the times that were predicted
/// for it.
struct ServedPrediction {
  const ServedRow *row;
  ServedTimes times;
};

/// Prints one line for each load: the time to the first token, the time from
/// token to token, and tokens per second of a user and of a chip.
void printServedTable(::llvm::raw_ostream &os, StringRef target,
                      ArrayRef<ServedPrediction> predictions);

/// Prints measured and predicted times from token to token, and their errors:
/// for each row, by the number of chips, for all rows together, and of the
/// ratio between two numbers of chips that serve the same load.
void printServedValidation(::llvm::raw_ostream &os,
                           ArrayRef<ServedPrediction> predictions,
                           const ServedTable &table);

/// Prints all figures, with units in the names of columns.
void printServedCsv(::llvm::raw_ostream &os,
                    ArrayRef<ServedPrediction> predictions);

} // namespace mlir::llm

#endif // LLM_SERVING_SERVEDREPORT_H
