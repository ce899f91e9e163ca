//===- OpMatching.cpp - Which ops of two runs are the same work -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/OpMatching.h"
#include "llm/Results/OpKinds.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Support/ModuleNames.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <array>

using namespace mlir;
using namespace mlir::llm;

std::vector<NamedOp> mlir::llm::namedOps(const Report &report) {
  std::vector<NamedOp> named;
  for (auto [op, entry] : llvm::zip_equal(report.ops, report.program->ops())) {
    named.push_back({op.name.str()});
    for (WorkloadOpInterface inside : opsInside(entry.op))
      if (StringRef name = inside.getWorkloadName(); !name.empty())
        named.back().parts.push_back(name.str());
  }
  return named;
}

namespace {
/// Matches the ops of two sides by the names of their work. An op has the work
/// of all its parts.
class OpMatcher {
public:
  OpMatcher(ArrayRef<NamedOp> first, ArrayRef<NamedOp> second);
  std::vector<MatchedOps> run() const;

private:
  struct Work {
    unsigned op;                        ///< one that does it
    std::array<unsigned, 2> count = {}; ///< of ops that do it, by side
  };

  void addOp(const NamedOp &op, unsigned side);
  std::string resolve(StringRef piece, StringRef first) const;

  unsigned firstCount, count = 0;
  llvm::StringSet<> known; ///< names of ops that do not run as one
  llvm::StringMap<Work> works;
  /// Ops by number, those of the second side behind those of the first.
  llvm::EquivalenceClasses<unsigned> sameWork;
};
} // namespace

static SmallVector<StringRef> namesOf(const NamedOp &op) {
  if (op.parts.empty())
    return {op.name};
  return SmallVector<StringRef>(op.parts.begin(), op.parts.end());
}

OpMatcher::OpMatcher(ArrayRef<NamedOp> first, ArrayRef<NamedOp> second)
    : firstCount(first.size()) {
  for (ArrayRef<NamedOp> side : {first, second})
    for (const NamedOp &op : side)
      for (StringRef name : namesOf(op))
        if (!name.contains('+'))
          known.insert(name);
  for (const NamedOp &op : first)
    addOp(op, 0);
  for (const NamedOp &op : second)
    addOp(op, 1);
}

/// Completes a name behind a "+", which may leave out what it has in common
/// with the first one. It names an op beside the first, or in a module around
/// that.
std::string OpMatcher::resolve(StringRef piece, StringRef first) const {
  std::string module = moduleOf(first);
  for (std::string around = module; !around.empty(); around = moduleOf(around))
    if (std::string name = around + "." + piece.str(); known.contains(name))
      return name;
  bool isWhole = known.contains(piece) || module.empty() ||
                 piece.split('.').first == first.split('.').first;
  return isWhole ? piece.str() : module + "." + piece.str();
}

void OpMatcher::addOp(const NamedOp &op, unsigned side) {
  sameWork.insert(count);
  for (StringRef name : namesOf(op)) {
    SmallVector<StringRef> pieces;
    name.split(pieces, '+');
    for (const StringRef &piece : pieces) {
      std::string work = &piece == pieces.begin()
                             ? piece.str()
                             : resolve(piece, pieces.front());
      auto [entry, isNew] = works.try_emplace(work, Work{count});
      ++entry->second.count[side];
      sameWork.unionSets(count, entry->second.op);
    }
  }
  ++count;
}

std::vector<MatchedOps> OpMatcher::run() const {
  llvm::DenseSet<unsigned> unmatched; ///< leaders of classes
  for (const auto &work : works)
    if (work.second.count != std::array<unsigned, 2>{1, 1})
      unmatched.insert(sameWork.getLeaderValue(work.second.op));
  std::vector<MatchedOps> matches;
  llvm::DenseMap<unsigned, unsigned> matchOf;
  for (unsigned op = 0; op < count; ++op) {
    unsigned leader = sameWork.getLeaderValue(op);
    if (unmatched.contains(leader))
      continue;
    auto [match, isNew] = matchOf.try_emplace(leader, matches.size());
    if (isNew)
      matches.emplace_back();
    MatchedOps &matched = matches[match->second];
    if (op < firstCount)
      matched.first.push_back(op);
    else
      matched.second.push_back(op - firstCount);
  }
  return matches;
}

std::vector<MatchedOps> mlir::llm::matchOps(ArrayRef<NamedOp> first,
                                            ArrayRef<NamedOp> second) {
  return OpMatcher(first, second).run();
}
