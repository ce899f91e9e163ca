//===- TraceAlignment.cpp - Which op each piece of a trace is -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/TraceAlignment.h"
#include "Assignment.h"
#include "llm/Support/Median.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace mlir;
using namespace mlir::llm;

StringRef mlir::llm::stringify(MatchEvidence evidence) {
  switch (evidence) {
  case MatchEvidence::Name:
    return "name";
  case MatchEvidence::Rule:
    return "rule";
  case MatchEvidence::Shape:
    return "shape";
  case MatchEvidence::Order:
    return "order";
  }
  llvm_unreachable("unknown evidence");
}

double TraceAlignment::medianNanoseconds(const MatchedGroup &group) const {
  std::vector<int64_t> seen;
  for (unsigned pass : comparedPasses())
    if (group.piecesOfPass[pass])
      seen.push_back(group.nanosecondsOfPass[pass]);
  return medianOf(std::move(seen));
}

std::vector<unsigned> TraceAlignment::comparedPasses() const {
  std::vector<unsigned> compared;
  for (auto [i, pass] : llvm::enumerate(passes))
    if (pass.isCompared())
      compared.push_back(i);
  return compared;
}

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

namespace {
class Aligner {
public:
  Aligner(const ImportedTrace &trace, const Program &program,
          const MatchRules &rules, const AlignmentOptions &options)
      : trace(trace), program(program), options(options), pattern(program),
        meanings(trace, pattern, rules) {}

  llvm::Expected<TraceAlignment> run();

private:
  llvm::Error listPieces();
  void dropPredicted(std::vector<TraceWork> &work);
  llvm::Error keepRange(std::vector<TraceWork> &work);
  void makeGroups();
  void addToPasses();
  void judgeShapes();
  void judgePartial();
  llvm::Error choosePass();
  void noteSizes();
  void noteTimes();

  const ImportedTrace &trace;
  const Program &program;
  const AlignmentOptions &options;
  ProgramPattern pattern;
  WorkMeanings meanings;
  std::vector<WorkPiece> pieces;
  std::vector<AssignedPiece> assigned;
  std::map<uint32_t, unsigned> rangeOf; ///< range of work, if one is asked for
  TraceAlignment result;
};
} // namespace

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Keeps the work in ranges of the name that is asked for. The outer one of
/// nested ranges counts.
llvm::Error Aligner::keepRange(std::vector<TraceWork> &work) {
  std::map<uint32_t, unsigned> numbers; ///< of ranges, in their order
  llvm::erase_if(work, [&](const TraceWork &piece) {
    for (uint32_t outer : eventsAround(trace, piece.event))
      if (trace.nameOf(trace.events[outer]) == options.range) {
        unsigned number =
            numbers.try_emplace(outer, numbers.size()).first->second;
        rangeOf[piece.event] = number;
        return false;
      }
    return true;
  });
  if (work.empty())
    return makeError("no work of the trace is in a range '" + options.range +
                     "'; 'llm-prof import' lists the ranges");
  return llvm::Error::success();
}

/// Drops predicted work. A trace of llm-run or of a comparison has a prediction
/// beside what ran.
void Aligner::dropPredicted(std::vector<TraceWork> &work) {
  size_t before = work.size();
  llvm::erase_if(work, [&](const TraceWork &piece) {
    StringRef process = trace.lanes[trace.events[piece.event].lane].processName;
    return process.starts_with("predicted: ");
  });
  if (work.size() < before)
    result.notes.push_back(
        "What the trace says was predicted is not compared: " +
        std::to_string(before - work.size()) + " pieces of work.");
}

llvm::Error Aligner::listPieces() {
  std::vector<TraceWork> work = listWholeWork(trace);
  dropPredicted(work);
  if (work.empty())
    return makeError("the trace has no kernels, ops or ranges, so that there "
                     "is nothing to compare");
  if (!options.range.empty())
    if (llvm::Error error = keepRange(work))
      return error;
  pieces = meanings.describe(work);
  assigned = assignPieces(pieces, pattern);
  std::vector<unsigned> passes = findPasses(assigned, program);
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    AlignedPiece aligned;
    aligned.event = piece.event;
    aligned.nanoseconds = piece.nanoseconds;
    aligned.isAround = piece.isAround;
    aligned.pass = rangeOf.empty() ? passes[i] : rangeOf.at(piece.event);
    aligned.evidence = assigned[i].evidence;
    aligned.whyNot = assigned[i].whyNot;
    result.pieces.push_back(aligned);
  }
  return llvm::Error::success();
}

/// Makes groups, in which ops are that share a piece.
void Aligner::makeGroups() {
  llvm::IntEqClasses classes(program.ops().size());
  std::set<unsigned> seen;
  for (const AssignedPiece &piece : assigned) {
    seen.insert(piece.programOps.begin(), piece.programOps.end());
    for (unsigned op : piece.programOps)
      classes.join(piece.programOps.front(), op);
  }
  classes.compress();
  std::map<unsigned, unsigned> groupOf;
  for (unsigned op : seen) {
    auto [known, isNew] =
        groupOf.try_emplace(classes[op], result.groups.size());
    if (isNew)
      result.groups.emplace_back();
    result.groups[known->second].ops.push_back(op);
  }
  for (auto [aligned, piece] : llvm::zip_equal(result.pieces, assigned))
    if (!piece.programOps.empty())
      aligned.group = groupOf.at(classes[piece.programOps.front()]);
}

void Aligner::addToPasses() {
  size_t count = 0;
  for (const AlignedPiece &piece : result.pieces)
    count = std::max<size_t>(count, piece.pass + 1);
  result.passes.resize(count);
  for (MatchedGroup &group : result.groups) {
    group.nanosecondsOfPass.resize(count);
    group.piecesOfPass.resize(count);
  }
  std::vector<std::set<MatchEvidence>> evidence(result.groups.size());
  for (const AlignedPiece &piece : result.pieces) {
    const TraceEvent &event = trace.events[piece.event];
    int64_t length = piece.nanoseconds;
    TracePass &pass = result.passes[piece.pass];
    pass.workNanoseconds += length;
    if (piece.isAround) // it may be around several passes
      continue;
    bool isFirst = pass.pieces++ == 0;
    pass.startNanoseconds =
        isFirst ? event.startNanoseconds
                : std::min(pass.startNanoseconds, event.startNanoseconds);
    pass.endNanoseconds = std::max(pass.endNanoseconds, event.endNanoseconds);
    if (piece.group == AlignedPiece::none)
      continue;
    pass.matchedNanoseconds += length;
    MatchedGroup &group = result.groups[piece.group];
    ++group.pieces;
    ++group.piecesOfPass[piece.pass];
    group.nanosecondsOfPass[piece.pass] += length;
    evidence[piece.group].insert(piece.evidence);
  }
  for (auto [group, all] : llvm::zip_equal(result.groups, evidence))
    group.evidence.assign(all.begin(), all.end());
}

//===----------------------------------------------------------------------===//
// Which passes are compared
//===----------------------------------------------------------------------===//

/// Finds passes of another phase or another batch. Most products of such a pass
/// have other rows than in the program. (Prefill has one row if only the last
/// token goes on.)
void Aligner::judgeShapes() {
  struct Seen {
    int64_t alike = 0, different = 0;
    int64_t measuredRows = 0, programRows = 0;
  };
  std::vector<Seen> seen(result.passes.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].product || assigned[i].ops.empty())
      continue;
    const auto &wanted = pattern.ops()[assigned[i].ops.front()].product;
    if (!wanted)
      continue;
    Seen &of = seen[result.pieces[i].pass];
    if (pieces[i].product->m == wanted->m) {
      ++of.alike;
      continue;
    }
    ++of.different;
    of.measuredRows = pieces[i].product->m;
    of.programRows = wanted->m;
  }
  for (auto [pass, of] : llvm::zip_equal(result.passes, seen))
    if (of.different > of.alike)
      pass.whyNot = llvm::formatv("its products have {0} rows, and those of "
                                  "the program {1}",
                                  of.measuredRows, of.programRows);
}

/// Finds passes that are not whole, as a trace may begin or end within one.
void Aligner::judgePartial() {
  auto countGroups = [&](size_t pass) {
    return llvm::count_if(result.groups, [&](const MatchedGroup &group) {
      return group.piecesOfPass[pass] > 0;
    });
  };
  int64_t most = 0;
  std::vector<int64_t> counts;
  for (size_t pass = 0; pass < result.passes.size(); ++pass)
    most = std::max(most, counts.emplace_back(countGroups(pass)));
  for (auto [pass, count] : llvm::zip_equal(result.passes, counts))
    if (pass.isCompared() && 2 * count < most)
      pass.whyNot = "it has less than half of the ops that other passes have";
}

llvm::Error Aligner::choosePass() {
  if (!options.pass)
    return llvm::Error::success();
  if (*options.pass >= result.passes.size())
    return makeError(llvm::formatv("there is no pass {0}: the trace has {1}, "
                                   "which count from 0",
                                   *options.pass, result.passes.size())
                         .str());
  for (auto [number, pass] : llvm::enumerate(result.passes))
    pass.whyNot = number == *options.pass ? "" : "another one is asked for";
  return llvm::Error::success();
}

/// Whether a piece of one op reads tensors of the sizes that the op has in the
/// program. Rows of products are judged by pass.
static bool areSizesAlike(const WorkPiece &piece, const PatternOp &op) {
  if (piece.product && op.product)
    return piece.product->n == op.product->n &&
           piece.product->k == op.product->k;
  // Other tensors of experts may be those of all tokens, before experts are
  // chosen.
  return op.extents.explainLargest(*piece.operands);
}

/// Notes ops if most of their pieces have other sizes than in the program.
void Aligner::noteSizes() {
  std::map<unsigned, int64_t> agreeing; ///< pieces by op, less other ones
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    bool isCompared = result.passes[result.pieces[i].pass].isCompared();
    if (!piece.operands || !isCompared || assigned[i].ops.size() != 1)
      continue;
    unsigned number = assigned[i].ops.front();
    const PatternOp &op = pattern.ops()[number];
    // Frameworks show the whole cache, also rows that are not read or written.
    // A kernel of several ops has tensors of its own.
    bool isPlain =
        op.kinds.size() == 1 &&
        !isa<CacheUpdateOpInterface>(*program.ops()[op.ops.front()].op);
    if (isPlain)
      agreeing[number] += areSizesAlike(piece, op) ? 1 : -1;
  }
  constexpr size_t most = 8;
  std::vector<std::string> names;
  for (auto [number, count] : agreeing)
    if (count < 0)
      names.push_back(pattern.ops()[number].name);
  if (names.empty())
    return;
  std::string more =
      names.size() > most
          ? " and " + std::to_string(names.size() - most) + " more"
          : "";
  names.resize(std::min(names.size(), most));
  result.notes.push_back("The trace has other sizes than the program for " +
                         llvm::join(names, ", ") + more +
                         ": is it another model, or another context length?");
}

/// Notes that passes differ too much to be of one kind, and which passes are
/// not compared.
void Aligner::noteTimes() {
  std::map<std::string, std::vector<size_t>> left;
  int64_t shortest = INT64_MAX, longest = 0;
  for (auto [number, pass] : llvm::enumerate(result.passes)) {
    if (!pass.isCompared()) {
      left[pass.whyNot].push_back(number);
      continue;
    }
    shortest = std::min(shortest, pass.matchedNanoseconds);
    longest = std::max(longest, pass.matchedNanoseconds);
  }
  for (const auto &[why, numbers] : left)
    result.notes.push_back(llvm::formatv(
        "{0} of {1} passes {2} not compared (the first is pass "
        "{3}): {4}.",
        numbers.size(), result.passes.size(),
        numbers.size() == 1 ? "is" : "are", numbers.front(), why));
  constexpr int64_t mostRatio = 3;
  if (shortest < longest / mostRatio)
    result.notes.push_back(
        llvm::formatv("Passes take from {0:f3} to {1:f3} us: they may be of "
                      "several phases; '--pass=N' or '--range=NAME' chooses.",
                      double(shortest) * 1e-3, double(longest) * 1e-3));
}

llvm::Expected<TraceAlignment> Aligner::run() {
  if (llvm::Error error = listPieces())
    return error;
  makeGroups();
  addToPasses();
  judgeShapes();
  if (result.comparedPasses().empty()) {
    result.notes.push_back("No pass has the sizes of the program: " +
                           result.passes.front().whyNot +
                           "; all are compared.");
    for (TracePass &pass : result.passes)
      pass.whyNot.clear();
  }
  judgePartial();
  if (llvm::Error error = choosePass())
    return error;
  noteSizes();
  noteTimes();
  return std::move(result);
}

llvm::Expected<TraceAlignment>
TraceAlignment::create(const ImportedTrace &trace, const Program &program,
                       const MatchRules &rules,
                       const AlignmentOptions &options) {
  return Aligner(trace, program, rules, options).run();
}
