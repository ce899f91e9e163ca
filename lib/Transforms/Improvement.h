//===- Improvement.h - The option improve= of llm-schedule ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_IMPROVEMENT_H
#define LLM_LIB_TRANSFORMS_IMPROVEMENT_H

#include "SearchLine.h"
#include "llm/Scheduling/Solvers.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::llm {

/// The limit for improving the schedule of a function.
struct ImproveLimit {
  int64_t evaluations = 0; ///< in all stretches; 0: seconds count
  double seconds = 0;

  /// Reads "1000" or "10s". Returns nothing if the text is neither.
  static std::optional<ImproveLimit> parse(StringRef text);
  std::string describe() const;
  bool isReproducible() const { return evaluations > 0; }
  bool isNothing() const { return evaluations == 0 && seconds == 0; }
  /// Returns the share of the tasks from `begin` to `end`, out of `tasks`.
  ImproveLimit share(size_t begin, size_t end, size_t tasks) const;
};

/// Improves the schedules of one function, until an interrupt.
class Improvement {
public:
  Improvement(size_t tasks, ImproveLimit limit, uint32_t seed, SearchLine &line)
      : tasks(tasks), limit(limit), seed(seed), line(line) {}

  /// Solves the next stretch of the function, which runs `repeats` times.
  /// Returns nothing on overflow.
  std::optional<scheduling::Solution> solve(const scheduling::Problem &problem,
                                            int64_t repeats);
  bool wasInterrupted() const { return interrupted; }

private:
  size_t tasks, seen = 0;
  ImproveLimit limit;
  uint32_t seed;
  SearchLine &line;
  bool interrupted = false;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_IMPROVEMENT_H
