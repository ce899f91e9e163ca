//===- Comparison.cpp - What was measured beside what was predicted -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Comparison.h"
#include "llm/Results/RunComparison.h"
#include "llm/Support/Median.h"
#include "llm/Support/ModuleNames.h"
#include "llm/Support/Units.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

std::optional<double> ComparedOp::ratio() const {
  if (predictedMicroseconds == 0)
    return std::nullopt;
  return measuredMicroseconds / predictedMicroseconds;
}

double ComparedOp::difference() const {
  return std::abs(measuredMicroseconds - predictedMicroseconds);
}

double Comparison::measuredWorkMicroseconds() const {
  size_t compared = llvm::count_if(
      passes, [](const MeasuredPass &pass) { return pass.whyNot.empty(); });
  return share && compared > 0 ? share->allMeasured / double(compared) : 0;
}

double Comparison::sumOfDifferences() const {
  double sum = 0;
  for (const ComparedOp &op : ops)
    sum += op.difference();
  return sum;
}

std::optional<double> Comparison::medianError() const {
  std::vector<double> errors;
  for (const ComparedOp &op : ops)
    if (op.measuredMicroseconds > 0)
      errors.push_back(
          std::abs(op.predictedMicroseconds / op.measuredMicroseconds - 1));
  if (errors.empty())
    return std::nullopt;
  return medianOf(std::move(errors));
}

double llm::microsecondsOf(const Report &report, const OpReport &op) {
  return double(op.count) * cyclesToMicroseconds(op.endCycle - op.startCycle,
                                                 report.target->clockHz);
}

/// Joins names: "model.layers.{}.self_attn.q_proj+k_proj+v_proj".
static std::string joinNames(ArrayRef<StringRef> names) {
  std::string joined = names.front().str();
  std::string module = moduleOf(joined);
  for (StringRef name : names.drop_front()) {
    bool isBeside = !module.empty() && name.consume_front(module);
    joined += "+" + (isBeside ? name.drop_front() : name).str();
  }
  return joined;
}

ComparedOp llm::comparePrediction(const Report &predicted,
                                  ArrayRef<unsigned> ops) {
  ComparedOp compared{};
  double longest = -1;
  for (unsigned number : ops) {
    const OpReport &op = predicted.ops[number];
    double microseconds = microsecondsOf(predicted, op);
    compared.ops.push_back(op.name);
    compared.runs = std::max(compared.runs, op.count);
    if (microseconds > longest)
      compared.bound = op.bound;
    longest = std::max(longest, microseconds);
  }
  compared.predictedMicroseconds = elapsedMicroseconds(predicted, ops);
  compared.name = joinNames(compared.ops);
  return compared;
}

/// Compares a match. It has no list of names if the prediction has only one op.
static ComparedOp compareMatch(const Report &measured, const Report &predicted,
                               const MatchedOps &match) {
  ComparedOp compared = comparePrediction(predicted, match.second);
  if (compared.ops.size() == 1)
    compared.ops.clear();
  compared.measuredMicroseconds = elapsedMicroseconds(measured, match.first);
  for (unsigned op : match.first)
    compared.runs = std::max(compared.runs, measured.ops[op].count);
  return compared;
}

/// Finds the ops of a report that are in no match, by `side` of the matches.
static std::vector<UncomparedWork>
findUnmatched(const Report &report, ArrayRef<MatchedOps> matches,
              std::vector<unsigned> MatchedOps::*side) {
  std::vector<bool> isMatched(report.ops.size());
  for (const MatchedOps &match : matches)
    for (unsigned op : match.*side)
      isMatched[op] = true;
  std::vector<UncomparedWork> unmatched;
  for (auto [op, matched] : llvm::zip_equal(report.ops, isMatched))
    if (!matched)
      unmatched.push_back(
          {op.name.str(), op.count, microsecondsOf(report, op)});
  return unmatched;
}

Comparison llm::compareReports(const Report &measured,
                               const Report &predicted) {
  std::vector<MatchedOps> matches =
      matchOps(namedOps(measured), namedOps(predicted));
  Comparison comparison;
  comparison.measuredMicroseconds = measured.makespanMicroseconds();
  comparison.predictedMicroseconds = predicted.makespanMicroseconds();
  for (const MatchedOps &match : matches)
    comparison.ops.push_back(compareMatch(measured, predicted, match));
  comparison.onlyMeasured =
      findUnmatched(measured, matches, &MatchedOps::first);
  comparison.onlyPredicted =
      findUnmatched(predicted, matches, &MatchedOps::second);
  return comparison;
}
