//===- BoundFinder.h - Lower bounds, one by one -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_BOUNDFINDER_H
#define LLM_LIB_SCHEDULING_BOUNDFINDER_H

#include "TaskLimits.h"

#include <functional>
#include <set>

namespace mlir::llm::scheduling {

/// The bounds of `lowerBounds()`; nothing on overflow.
class BoundFinder {
public:
  static std::optional<BoundFinder> make(const Problem &problem);

  /// Sets of engine groups to which some task is confined.
  const std::set<GroupSet, std::greater<GroupSet>> &groupsThatMatter() const {
    return groupSets;
  }
  /// "_core_vpu"
  std::string nameOf(const GroupSet &groups) const;

  /// The longest way of tasks that wait for each other.
  int64_t criticalPath() const;
  /// Tasks that run nowhere but on `groups` share their engines.
  std::optional<int64_t> work(const GroupSet &groups) const;
  /// All bytes pass the resource.
  std::optional<int64_t> bytes(size_t resource) const;
  /// What is fetched ahead shortens parts, but memory engines have ports, too:
  /// engines x T >= cycles with nothing fetched - what is saved by the bytes
  /// that memory engines can move within T.
  std::optional<int64_t> streams(const GroupSet &groups) const;
  /// Some tasks wait for everything before, and everything behind waits for
  /// them: what is between two of those adds up. Only what fits into private
  /// memory is fetched across one.
  std::optional<int64_t> stages() const;

private:
  explicit BoundFinder(const Problem &problem) : problem(&problem) {}

  int64_t enginesOf(const GroupSet &groups) const;
  bool isConfined(unsigned task, const GroupSet &groups) const;
  std::optional<int64_t> cyclesOf(int64_t bytes, size_t resource) const;
  /// Of the tasks at positions [first, last) of the order, when `held` bytes
  /// were fetched before.
  std::optional<int64_t> streams(const GroupSet &groups, size_t resource,
                                 size_t first, size_t last, int64_t held) const;
  /// Of the tasks at positions [first, last) of the order alone.
  std::optional<int64_t> stage(size_t first, size_t last) const;
  /// Of stages in a row, between two borders: what they stream passes within
  /// this time, but for what private memories hold when they begin.
  std::optional<int64_t> row(size_t first, size_t last) const;
  /// Bytes that private memories can hold of what is fetched; nothing: any.
  std::optional<int64_t> fetchableBytes(size_t resource) const;

  const Problem *problem; ///< a pointer, so that finders can be moved
  std::vector<TaskLimits> limits;
  std::vector<GroupSet> groupsOf;     ///< by `TaskLimits::groupSet`
  std::vector<unsigned> order;        ///< topological
  std::vector<int64_t> ahead, behind; ///< of each task, without itself
  std::vector<std::optional<int64_t>> fetchable; ///< bytes, of each resource
  std::set<GroupSet, std::greater<GroupSet>> groupSets;
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_BOUNDFINDER_H
