//===- SearchLine.h - How far a long search for a schedule is ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_SEARCHLINE_H
#define LLM_LIB_TRANSFORMS_SEARCHLINE_H

#include "llm/Console/Terminal.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::llm {

/// A line that is cleared before each diagnostic.
class WorkLine : public ProgressLine {
public:
  explicit WorkLine(MLIRContext *context);

private:
  ScopedDiagnosticHandler beforeDiagnostics;
};

/// Says on a terminal how far the work on the ops of a function is.
class OpLine {
public:
  /// "tiles for 'decode': op 3 of 20".
  OpLine(MLIRContext *context, StringRef work, StringRef function, size_t ops);
  /// Says that work on so many ops begins.
  void enter(size_t ops = 1);

private:
  WorkLine line;
  std::string head;
  size_t ops, seen = 0;
};

/// Says on a terminal how far the schedule of a function is.
class SearchLine {
public:
  SearchLine(MLIRContext *context, StringRef function, size_t tasks);

  /// Says that the next stretch of the function begins, with `size` tasks.
  void enterStretch(size_t size) { seen += size; }
  /// Shows that the ways to cut the ops of the stretch are being looked for.
  void showStretch();
  /// Shows that the list scheduler tries one more schedule.
  void showTry();
  /// Shows a search that starts from the list schedule. `step` is "evaluation"
  /// or "node".
  void showSearch(StringRef step, int64_t count, int64_t makespanCycles,
                  int64_t lowerBoundCycles);
  /// Clears the line at the end of a stretch.
  void takeBack() { line.takeBack(); }

private:
  void showOp(::llvm::raw_ostream &os) const;

  WorkLine line;
  std::string function;
  size_t tasks, seen = 0;
  int64_t tries = 0;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_SEARCHLINE_H
