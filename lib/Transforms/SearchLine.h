//===- SearchLine.h - How far a long search for a schedule is ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_SEARCHLINE_H
#define LLM_LIB_TRANSFORMS_SEARCHLINE_H

#include "llm/Files/Terminal.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::llm {

/// Says on a terminal how far the schedule of a function is. Nothing in the
/// first second: most schedules are there by then.
class SearchLine {
public:
  SearchLine(StringRef function, size_t tasks)
      : function(function), tasks(tasks) {}

  /// The next stretch of the function has so many tasks.
  void enterStretch(size_t size) { seen += size; }
  /// The list scheduler tries one more schedule.
  void showTry();
  /// A search from the list schedule on: `step` is "evaluation" or "node".
  void showSearch(StringRef step, int64_t count, int64_t makespanCycles,
                  int64_t lowerBoundCycles);
  /// Before any message.
  void takeBack() { line.takeBack(); }

private:
  void showOp(::llvm::raw_ostream &os) const;

  static constexpr double patienceSeconds = 1;
  ProgressLine line{patienceSeconds};
  std::string function;
  size_t tasks, seen = 0;
  int64_t tries = 0;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_SEARCHLINE_H
