//===- CompareTrace.cpp - A trace beside a prediction ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/CompareTrace.h"
#include "llm/Support/Median.h"
#include "llm/Support/ModuleNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
class TraceComparer {
public:
  TraceComparer(const ImportedTrace &trace, const TraceAlignment &alignment,
                const Report &predicted)
      : trace(trace), alignment(alignment), predicted(predicted),
        passes(alignment.comparedPasses()) {}

  Comparison run();

private:
  bool isSeen(const MatchedGroup &group) const {
    return llvm::any_of(
        passes, [&](unsigned pass) { return group.piecesOfPass[pass] > 0; });
  }
  ComparedOp compareGroup(const MatchedGroup &group) const;
  void listUnmatchedWork();
  void listUnmatchedOps();
  void addShare();
  void addTotals();
  void noteIdle();

  const ImportedTrace &trace;
  const TraceAlignment &alignment;
  const Report &predicted;
  std::vector<unsigned> passes;
  Comparison comparison;
};
} // namespace

ComparedOp TraceComparer::compareGroup(const MatchedGroup &group) const {
  ComparedOp compared = comparePrediction(predicted, group.ops);
  compared.measuredMicroseconds = alignment.medianNanoseconds(group) * 1e-3;
  compared.pieces = group.pieces;
  for (MatchEvidence evidence : group.evidence)
    compared.evidence +=
        (compared.evidence.empty() ? "" : ", ") + stringify(evidence).str();
  for (unsigned pass : passes)
    compared.nanosecondsOfPass.push_back(group.nanosecondsOfPass[pass]);
  return compared;
}

/// Puts the longest work first.
static void sortByTime(std::vector<UncomparedWork> &work) {
  llvm::stable_sort(work, [](const auto &a, const auto &b) {
    return a.microseconds > b.microseconds;
  });
}

/// Lists unmatched work by name and reason. Its times are those of an average
/// pass.
void TraceComparer::listUnmatchedWork() {
  DenseMap<unsigned, unsigned> position; ///< position among the compared passes
  for (auto [i, pass] : llvm::enumerate(passes))
    position[pass] = i;
  llvm::MapVector<std::pair<uint32_t, const char *>, UncomparedWork> byName;
  for (const AlignedPiece &piece : alignment.pieces) {
    auto compared = position.find(piece.pass);
    if (piece.group != AlignedPiece::none || compared == position.end())
      continue;
    const TraceEvent &event = trace.events[piece.event];
    UncomparedWork &work = byName[{event.name, piece.whyNot}];
    if (work.nanosecondsOfPass.empty()) {
      work = {trace.nameOf(event).str(), 0, 0, piece.whyNot, {}};
      work.nanosecondsOfPass.resize(passes.size());
    }
    ++work.runs;
    work.nanosecondsOfPass[compared->second] += piece.nanoseconds;
  }
  for (auto &[key, work] : byName) {
    for (int64_t nanoseconds : work.nanosecondsOfPass)
      work.microseconds += double(nanoseconds) * 1e-3 / double(passes.size());
    comparison.onlyMeasured.push_back(std::move(work));
  }
  sortByTime(comparison.onlyMeasured);
}

void TraceComparer::listUnmatchedOps() {
  std::vector<bool> isMatched(predicted.ops.size());
  for (const MatchedGroup &group : alignment.groups)
    if (isSeen(group))
      for (unsigned op : group.ops)
        isMatched[op] = true;
  for (auto [op, matched] : llvm::zip_equal(predicted.ops, isMatched))
    if (!matched)
      comparison.onlyPredicted.push_back(
          {op.name.str(), op.count, microsecondsOf(predicted, op)});
  sortByTime(comparison.onlyPredicted);
}

void TraceComparer::addShare() {
  ComparedShare share;
  for (unsigned number : passes) {
    const TracePass &pass = alignment.passes[number];
    share.measured += double(pass.matchedNanoseconds) * 1e-3;
    share.allMeasured += double(pass.workNanoseconds) * 1e-3;
  }
  for (const ComparedOp &op : comparison.ops)
    share.predicted += op.predictedMicroseconds;
  share.allPredicted = share.predicted;
  for (const UncomparedWork &op : comparison.onlyPredicted)
    share.allPredicted += op.microseconds;
  comparison.share = share;
}

/// Adds the time from the first start to the last end of each pass. Streams may
/// share it.
void TraceComparer::addTotals() {
  std::vector<int64_t> lengths;
  for (unsigned number : passes)
    lengths.push_back(alignment.passes[number].endNanoseconds -
                      alignment.passes[number].startNanoseconds);
  comparison.measuredMicroseconds = medianOf(std::move(lengths)) * 1e-3;
  comparison.predictedMicroseconds = predicted.makespanMicroseconds();
}

/// Notes that the device waits for most of the time, so that kernels do not
/// explain it.
void TraceComparer::noteIdle() {
  double work = comparison.measuredWorkMicroseconds(),
         elapsed = comparison.measuredMicroseconds;
  constexpr double mostIdle = 0.2;
  if (elapsed <= 0 || work >= (1 - mostIdle) * elapsed)
    return;
  comparison.notes.push_back(
      llvm::formatv("Nothing runs in {0:f1} % of the elapsed time: the host "
                    "launches work more slowly than it runs. A CUDA graph, or "
                    "ops that are fused, would shorten it.",
                    100 * (1 - work / elapsed)));
}

Comparison TraceComparer::run() {
  comparison.notes = alignment.notes;
  llvm::append_range(comparison.notes, trace.notes);
  for (const TracePass &pass : alignment.passes)
    comparison.passes.push_back({double(pass.startNanoseconds) * 1e-3,
                                 double(pass.endNanoseconds) * 1e-3,
                                 pass.workNanoseconds, pass.matchedNanoseconds,
                                 pass.whyNot});
  for (const MatchedGroup &group : alignment.groups)
    if (isSeen(group))
      comparison.ops.push_back(compareGroup(group));
  listUnmatchedWork();
  listUnmatchedOps();
  addShare();
  addTotals();
  noteIdle();
  return std::move(comparison);
}

Comparison mlir::llm::compareTrace(const ImportedTrace &trace,
                                   const TraceAlignment &alignment,
                                   const Report &predicted) {
  return TraceComparer(trace, alignment, predicted).run();
}

std::vector<double>
mlir::llm::measuredNanoseconds(const TraceAlignment &alignment,
                               const Report &predicted) {
  std::vector<double> nanosecondsOf(predicted.ops.size());
  for (const MatchedGroup &group : alignment.groups) {
    double all = 0;
    for (unsigned op : group.ops)
      all += microsecondsOf(predicted, predicted.ops[op]);
    double median = alignment.medianNanoseconds(group);
    for (unsigned op : group.ops) {
      double share = all > 0
                         ? microsecondsOf(predicted, predicted.ops[op]) / all
                         : 1.0 / double(group.ops.size());
      nanosecondsOf[op] = median * share / double(predicted.ops[op].count);
    }
  }
  return nanosecondsOf;
}
