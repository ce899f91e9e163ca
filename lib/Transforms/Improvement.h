//===- Improvement.h - The option improve= of llm-schedule ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_IMPROVEMENT_H
#define LLM_LIB_TRANSFORMS_IMPROVEMENT_H

#include "llm/Files/Terminal.h"
#include "llm/Scheduling/Solvers.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::llm {

/// How long the schedule of a function is improved.
struct ImproveLimit {
  int64_t evaluations = 0; ///< in all stretches together; 0: seconds count
  double seconds = 0;

  /// Of "1000" or "10s". Nothing where the text is neither.
  static std::optional<ImproveLimit> parse(StringRef text);
  std::string describe() const;
  bool isReproducible() const { return evaluations > 0; }
  bool isNothing() const { return evaluations == 0 && seconds == 0; }
  /// What is there for the tasks from `begin` to `end` of so many.
  ImproveLimit share(size_t begin, size_t end, size_t tasks) const;
};

/// What the list scheduler is at: so many ops of the function are scheduled, or
/// are being scheduled.
void showTries(ProgressLine &line, StringRef function, size_t seen,
               size_t tasks, int64_t tries);

/// As long as it lives, an interrupt (Ctrl-C) does not end the program but is
/// noted. Only the first one: the next acts as ever.
class InterruptNote {
public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote &) = delete;
  InterruptNote &operator=(const InterruptNote &) = delete;
  static bool isNoted();
};

/// Improves the schedules of one function, until an interrupt; shows how that
/// proceeds where standard error is a terminal.
class Improvement {
public:
  Improvement(StringRef function, size_t tasks, ImproveLimit limit,
              uint32_t seed)
      : function(function), tasks(tasks), limit(limit), seed(seed) {}

  /// The next stretch of the function. Nothing on overflow.
  std::optional<scheduling::Solution> solve(const scheduling::Problem &problem);
  bool wasInterrupted() const { return interrupted; }

private:
  void show(ProgressLine &line, const scheduling::ImproveProgress &progress);

  std::string function;
  size_t tasks, seen = 0;
  ImproveLimit limit;
  uint32_t seed;
  bool interrupted = false;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_IMPROVEMENT_H
