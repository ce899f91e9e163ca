//===- TraceAlignment.h - Which op each piece of a trace is -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An alignment says which pieces of work of a trace are which ops of a program.
// One piece may be several ops (a fused projection), and one op may be several
// pieces. So groups of pieces match groups of ops. Every piece and every op is
// in at most one group.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACECOMPARISON_TRACEALIGNMENT_H
#define LLM_TRACECOMPARISON_TRACEALIGNMENT_H

#include "llm/TraceComparison/MatchRules.h"
#include "llm/TraceComparison/ProgramPattern.h"
#include "llm/TraceImport/ImportedTrace.h"

namespace mlir::llm {

/// How a piece was matched with an op. The best evidence is first.
enum class MatchEvidence { Name, Rule, Shape, Order };
StringRef stringify(MatchEvidence evidence);

/// One run of the program in the trace.
struct TracePass {
  int64_t startNanoseconds = 0, endNanoseconds = 0; ///< bounds of its work
  int64_t workNanoseconds = 0; ///< of all work, matched or not
  int64_t matchedNanoseconds = 0;
  int64_t pieces = 0;
  std::string whyNot; ///< why it is not compared; empty if it is
  bool isCompared() const { return whyNot.empty(); }
};

/// A group of ops, and sums over the pieces that they are.
struct MatchedGroup {
  std::vector<unsigned> ops;              ///< of the program, in its order
  std::vector<MatchEvidence> evidence;    ///< each once, the best first
  int64_t pieces = 0;                     ///< in all passes together
  std::vector<int64_t> nanosecondsOfPass; ///< the sum of its pieces, by pass
  std::vector<int64_t> piecesOfPass;
};

/// A piece of the trace's work.
struct AlignedPiece {
  static constexpr unsigned none = ~0u;
  uint32_t event = 0; ///< index into the events of the trace
  int64_t nanoseconds = 0;
  bool isAround = false; ///< the event has others in it, which do not count
  unsigned pass = 0;
  unsigned group = none;
  MatchEvidence evidence = MatchEvidence::Order; ///< if it has a group
  const char *whyNot = "";                       ///< the reason if it has none
};

struct AlignmentOptions {
  std::optional<unsigned> pass; ///< compares only this pass; counts from 0
  /// If it is given, passes are the ranges of that name.
  std::string range;
};

struct TraceAlignment {
  std::vector<AlignedPiece> pieces; ///< in the order of their launches
  std::vector<TracePass> passes;    ///< at least one if there are pieces
  std::vector<MatchedGroup> groups; ///< in the order of the program
  std::vector<std::string> notes;   ///< sentences about what was decided

  /// Returns the median over the passes that are compared and have the group.
  double medianNanoseconds(const MatchedGroup &group) const;
  std::vector<unsigned> comparedPasses() const;

  /// Fails if the trace has no work, or if no work is in the range or pass of
  /// the options.
  static llvm::Expected<TraceAlignment> create(const ImportedTrace &trace,
                                               const Program &program,
                                               const MatchRules &rules,
                                               const AlignmentOptions &options);
};

} // namespace mlir::llm

#endif // LLM_TRACECOMPARISON_TRACEALIGNMENT_H
