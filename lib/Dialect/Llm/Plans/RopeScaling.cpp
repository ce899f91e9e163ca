//===- RopeScaling.cpp - Angles of rotary embeddings ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/LlmDialect.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Returns a figure, or its value if it is left out.
static double valueOr(FloatAttr figure, double absent) {
  return figure ? figure.getValueAsDouble() : absent;
}

LogicalResult RopeScalingAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, RopeScalingKind kind,
    FloatAttr factor, FloatAttr lowFreqFactor, FloatAttr highFreqFactor,
    FloatAttr betaFast, FloatAttr betaSlow, int64_t originalPositions,
    bool truncate, DenseF64ArrayAttr factors, FloatAttr attentionFactor) {
  bool isLlama3 = kind == RopeScalingKind::Llama3,
       isYarn = kind == RopeScalingKind::Yarn,
       isListed = kind == RopeScalingKind::Listed;
  struct Figure {
    StringRef name;
    bool isThere, isNeeded, isAllowed;
  };
  const Figure figures[] = {
      {"factor", bool(factor), !isListed, !isListed},
      {"low_freq_factor", bool(lowFreqFactor), isLlama3, isLlama3},
      {"high_freq_factor", bool(highFreqFactor), isLlama3, isLlama3},
      {"beta_fast", bool(betaFast), isYarn, isYarn},
      {"beta_slow", bool(betaSlow), isYarn, isYarn},
      {"original_max_position_embeddings", originalPositions != 0,
       isLlama3 || isYarn, isLlama3 || isYarn},
      {"truncate", truncate, false, isYarn},
      {"factors", bool(factors), isListed, isListed}};
  for (const Figure &figure : figures) {
    if (figure.isNeeded && !figure.isThere) // rope_scaling-C1
      return emitError() << stringifyRopeScalingKind(kind) << " needs "
                         << figure.name;
    if (figure.isThere && !figure.isAllowed) // rope_scaling-C1
      return emitError() << stringifyRopeScalingKind(kind) << " has no "
                         << figure.name;
  }
  auto isPositive = [](double x) { return std::isfinite(x) && x > 0; };
  for (FloatAttr figure : {factor, lowFreqFactor, highFreqFactor, betaFast,
                           betaSlow, attentionFactor})
    if (figure && !isPositive(figure.getValueAsDouble())) // rope_scaling-C2
      return emitError() << "figures must be finite and positive, got "
                         << figure;
  if (originalPositions < 0 ||
      (factors && !llvm::all_of(factors.asArrayRef(), isPositive)))
    return emitError() // rope_scaling-C2
           << "original_max_position_embeddings and factors must be positive";
  if (isLlama3 && !(lowFreqFactor.getValueAsDouble() <=
                    highFreqFactor.getValueAsDouble())) // rope_scaling-C3
    return emitError() << "low_freq_factor must not be above high_freq_factor";
  if (isYarn && !(betaSlow.getValueAsDouble() <=
                  betaFast.getValueAsDouble())) // rope_scaling-C3
    return emitError() << "beta_slow must not be above beta_fast";
  if (kind == RopeScalingKind::Proportional &&
      factor.getValueAsDouble() > 1) // rope_scaling-C4
    return emitError() << "factor, the part of the pairs that turn, must not "
                          "be above 1, got "
                       << factor;
  return success();
}

/// Maps x to 0 at or below `low`, to 1 at or above `high`, and linearly
/// between.
static double rampBetween(double low, double high, double x) {
  if (x <= low)
    return 0;
  return x >= high ? 1 : (x - low) / (high - low);
}

/// Returns which part of each frequency is kept. The rest is divided by the
/// factor.
static SmallVector<double>
partsKept(RopeScalingAttr scaling, ArrayRef<double> frequencies, double theta) {
  auto positions =
      static_cast<double>(scaling.getOriginalMaxPositionEmbeddings());
  SmallVector<double> kept(frequencies.size(), 0);
  if (scaling.getKind() == RopeScalingKind::Llama3) {
    for (auto [part, frequency] : llvm::zip_equal(kept, frequencies))
      part = rampBetween(scaling.getLowFreqFactor().getValueAsDouble(),
                         scaling.getHighFreqFactor().getValueAsDouble(),
                         positions * frequency / (2 * M_PI));
    return kept;
  }
  if (scaling.getKind() != RopeScalingKind::Yarn)
    return kept;
  // This solves theta^(-i / pairs) positions = 2 pi turns for i.
  auto pairs = static_cast<double>(frequencies.size());
  auto pairOfTurns = [&](FloatAttr turns) {
    return pairs * std::log(positions / (turns.getValueAsDouble() * 2 * M_PI)) /
           std::log(theta);
  };
  double first = pairOfTurns(scaling.getBetaFast()),
         last = pairOfTurns(scaling.getBetaSlow());
  if (scaling.getTruncate()) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  // The reference implementation bounds these by features, two for each pair.
  first = std::max(first, 0.0);
  last = std::min(last, 2 * pairs - 1);
  if (first == last)
    last += 0.001;
  for (auto [i, part] : llvm::enumerate(kept))
    part = 1 - rampBetween(first, last, static_cast<double>(i));
  return kept;
}

SmallVector<double> RopeScalingAttr::scale(ArrayRef<double> frequencies,
                                           double theta) {
  SmallVector<double> scaled(frequencies);
  if (getKind() == RopeScalingKind::Listed) {
    for (auto [frequency, factor] :
         llvm::zip(scaled, getFactors().asArrayRef()))
      frequency /= factor;
    return scaled;
  }
  double factor = getFactor().getValueAsDouble();
  if (getKind() == RopeScalingKind::Proportional) {
    auto turning =
        static_cast<size_t>(factor * static_cast<double>(scaled.size()));
    std::fill(scaled.begin() + turning, scaled.end(), 0);
    return scaled;
  }
  for (auto [frequency, kept] :
       llvm::zip_equal(scaled, partsKept(*this, frequencies, theta)))
    frequency = kept * frequency + (1 - kept) * frequency / factor;
  return scaled;
}

double RopeScalingAttr::getAmplitude() {
  return valueOr(getAttentionFactor(), 1);
}
