//===- Activities.h - Everything that can have a slot -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXACTSCHEDULING_ACTIVITIES_H
#define LLM_LIB_EXACTSCHEDULING_ACTIVITIES_H

#include "llm/Scheduling/Problem.h"

#include <variant>

namespace mlir::llm::scheduling::exact {

/// One way to run a part or a fetch. Ways that S2 and S3 allow, but that cannot
/// make any schedule shorter, are left out.
struct Way {
  unsigned group = 0;
  unsigned fetched = 0; ///< of a part: the set of its fetched sources, as bits
  int64_t length = 0;
  std::vector<int64_t> lanes;
  int64_t workingSetBytes = 0; ///< private memory beside slices
};

/// A part of a task in one of the ways to cut it, or a fetch for a part.
struct Activity {
  unsigned task = 0, choice = 0;
  unsigned number = 0;              ///< of the part, as slots count
  const Part *part = nullptr;       ///< for a fetch: the part that consumes it
  std::optional<unsigned> consumer; ///< of a fetch: index of the activity
  unsigned source = 0;              ///< of a fetch: index into Part::sources
  std::vector<unsigned> fetches;    ///< of a part: indices of activities
  /// An earlier part that is equal and may trade places with this one.
  std::optional<unsigned> twin;
  std::vector<Way> ways;

  bool isFetch() const { return consumer.has_value(); }
  /// Whether some schedules do without the activity.
  bool isOptional = false;
};

struct Activities {
  std::vector<Activity> all;
  /// The resources of which engines together can want more lanes than there
  /// are. The lanes of other resources hold nothing back.
  std::vector<unsigned> contended;
};

/// Lists the activities of a sound problem, which must outlive them. Otherwise
/// returns why they are more than this solver can search.
std::variant<Activities, std::string> listActivities(const Problem &problem);

} // namespace mlir::llm::scheduling::exact

#endif // LLM_LIB_EXACTSCHEDULING_ACTIVITIES_H
