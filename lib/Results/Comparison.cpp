//===- Comparison.cpp - What was measured beside what was predicted -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Comparison.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/StringMap.h"

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
  llvm::sort(errors);
  size_t middle = errors.size() / 2;
  return errors.size() % 2 ? errors[middle]
                           : (errors[middle - 1] + errors[middle]) / 2;
}

double llm::microsecondsOf(const Report &report, const OpReport &op) {
  return double(op.count) * cyclesToMicroseconds(op.endCycle - op.startCycle,
                                                 report.target->clockHz);
}

Comparison llm::compareReports(const Report &measured,
                               const Report &predicted) {
  llvm::StringMap<const OpReport *> predictedOf;
  for (const OpReport &op : predicted.ops)
    predictedOf[op.name] = &op;
  Comparison comparison;
  comparison.measuredMicroseconds = measured.makespanMicroseconds();
  comparison.predictedMicroseconds = predicted.makespanMicroseconds();
  for (const OpReport &op : measured.ops) {
    auto known = predictedOf.find(op.name);
    if (known == predictedOf.end()) {
      comparison.onlyMeasured.push_back(
          {op.name.str(), op.count, microsecondsOf(measured, op)});
      continue;
    }
    const OpReport &other = *known->second;
    comparison.ops.push_back({op.name.str(), op.count,
                              microsecondsOf(measured, op),
                              microsecondsOf(predicted, other), other.bound});
    predictedOf.erase(known);
  }
  for (const OpReport &op : predicted.ops)
    if (predictedOf.contains(op.name))
      comparison.onlyPredicted.push_back(
          {op.name.str(), op.count, microsecondsOf(predicted, op)});
  return comparison;
}
