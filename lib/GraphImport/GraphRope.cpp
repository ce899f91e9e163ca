//===- GraphRope.cpp - Rotary embeddings as ops ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;
using ggmlCapture::none;

namespace {
/// The words of ROPE's parameters, as ggml's kernels read them.
struct RopeParameters {
  explicit RopeParameters(const CapturedTensor &op)
      : turned(intParameter(op, 1)), mode(intParameter(op, 2)),
        originalPositions(intParameter(op, 4)), theta(floatParameter(op, 5)),
        frequencyScale(floatParameter(op, 6)),
        extrapolated(floatParameter(op, 7)), amplitude(floatParameter(op, 8)),
        betaFast(floatParameter(op, 9)), betaSlow(floatParameter(op, 10)),
        offset(intParameter(op, 15)) {}

  int64_t turned; ///< features of a row
  int32_t mode;
  int64_t originalPositions;
  double theta, frequencyScale, extrapolated, amplitude, betaFast, betaSlow;
  int64_t offset; ///< features before those that are turned
};
} // namespace

static bool isPositive(double figure) {
  return std::isfinite(figure) && figure > 0;
}

namespace {
/// Finds the scaling of the angles. It is null if there is none. It is a
/// failure if the dialect has no form for it, or the capture does not have all
/// of it.
class ScalingFinder {
public:
  ScalingFinder(Builder &b, const RopeParameters &rope)
      : b(b), rope(rope), factor(1 / rope.frequencyScale),
        isYarn(rope.extrapolated != 0 && factor != 1),
        amplitude(isYarn ? rope.amplitude * (1 + 0.1 * std::log(factor))
                         : rope.amplitude) {}

  FailureOr<RopeScalingAttr> find(bool hasFactors, ArrayRef<float> factors);

private:
  bool isSound() const;
  double extrapolatedShare(int64_t pair) const;
  FailureOr<RopeScalingAttr> list(ArrayRef<float> factors);
  FloatAttr attrUnless1(double value) {
    return value == 1 ? FloatAttr() : b.getF64FloatAttr(value);
  }

  Builder &b;
  const RopeParameters &rope;
  double factor;
  bool isYarn;
  double amplitude;
};
} // namespace

bool ScalingFinder::isSound() const {
  if (!isPositive(rope.frequencyScale) || !isPositive(amplitude))
    return false;
  return !isYarn ||
         (rope.originalPositions > 0 && isPositive(rope.betaSlow) &&
          isPositive(rope.betaFast) && rope.betaSlow <= rope.betaFast &&
          rope.theta > 1 && std::isfinite(rope.extrapolated));
}

/// Returns the share by which the frequency of a pair stays as it is, as in
/// ggml's kernels: 1 for pairs of many turns, and 0 for those of few.
double ScalingFinder::extrapolatedShare(int64_t pair) const {
  if (!isYarn)
    return 0;
  double turned = double(rope.turned);
  auto pairOf = [&](double turns) {
    return turned *
           std::log(double(rope.originalPositions) / (turns * 2 * M_PI)) /
           (2 * std::log(rope.theta));
  };
  double low = std::max(0.0, std::floor(pairOf(rope.betaFast)));
  double high = std::min(turned - 1, std::ceil(pairOf(rope.betaSlow)));
  double ramp = (double(pair) - low) / std::max(0.001, high - low);
  return (1 - std::clamp(ramp, 0.0, 1.0)) * rope.extrapolated;
}

/// Lists a divisor of angles for each pair. `factors` is empty if all are 1.
FailureOr<RopeScalingAttr> ScalingFinder::list(ArrayRef<float> factors) {
  SmallVector<double> divisors;
  for (int64_t pair = 0; pair < rope.turned / 2; ++pair) {
    double share = extrapolatedShare(pair);
    double kept = rope.frequencyScale * (1 - share) + share;
    divisors.push_back((factors.empty() ? 1.0 : double(factors[pair])) / kept);
    if (!isPositive(divisors.back()))
      return failure();
  }
  return RopeScalingAttr::get(
      b.getContext(), RopeScalingKind::Listed, {}, {}, {}, {}, {}, 0, false,
      b.getDenseF64ArrayAttr(divisors), attrUnless1(amplitude));
}

FailureOr<RopeScalingAttr> ScalingFinder::find(bool hasFactors,
                                               ArrayRef<float> factors) {
  if (!isSound() || (hasFactors && int64_t(factors.size()) < rope.turned / 2))
    return failure();
  if (hasFactors || (isYarn && rope.extrapolated != 1))
    return list(factors);
  if (isYarn)
    return RopeScalingAttr::get(
        b.getContext(), RopeScalingKind::Yarn, b.getF64FloatAttr(factor), {},
        {}, b.getF64FloatAttr(rope.betaFast), b.getF64FloatAttr(rope.betaSlow),
        rope.originalPositions, /*truncate=*/true, {}, attrUnless1(amplitude));
  if (factor == 1 && amplitude == 1)
    return RopeScalingAttr();
  return RopeScalingAttr::get(b.getContext(), RopeScalingKind::Linear,
                              b.getF64FloatAttr(factor), {}, {}, {}, {}, 0,
                              false, {}, attrUnless1(amplitude));
}

/// Builds a rope on [batch, tokens, heads, features]. In ggml's order, the
/// first two sizes are features and heads, and the third one tokens. New tokens
/// stand at the end of the keys.
bool GraphBuilder::buildRope(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  if (op.op != "ROPE" || !isFloat(node) || !isSame(sourceOf(op, 0), node))
    return false;
  constexpr int32_t normal = 0, neox = 2;
  RopeParameters rope(op);
  int64_t width = op.sizes[0], rowCount = countElements(op) / width;
  if (rope.turned <= 0 || rope.turned % 2 != 0 || rope.offset < 0 ||
      rope.offset > width - rope.turned || !isPositive(rope.theta) ||
      (rope.mode != normal && rope.mode != neox))
    return false;
  uint32_t factors = sourceOf(op, 2);
  ArrayRef<float> numbers;
  if (factors != none)
    numbers = graph.tensors[factors].numbers;
  FailureOr<RopeScalingAttr> scaling =
      ScalingFinder(builder, rope).find(factors != none, numbers);
  if (failed(scaling))
    ++ropesWithoutScaling;
  int64_t begin = std::max<int64_t>(0, patterns.keyCount - op.sizes[2]);
  SmallVector<int64_t> shape = tensors.sizesIn(op);
  shape.back() = rope.turned;
  Value x = tensors.rows(sourceOf(op, 0));
  Value pairs = tensors.reshape(
      tensors.slice(x, 0, rope.offset, rowCount, rope.turned), shape);
  Value out =
      RopeOp::create(builder, loc, tensors.nameOf(node), pairs, ValueRange(),
                     ArrayRef<int64_t>{begin}, ::llvm::APFloat(rope.theta),
                     scaling.value_or(RopeScalingAttr()),
                     /*interleaved=*/rope.mode == normal,
                     /*stride=*/IntegerAttr());
  SmallVector<Value> columns;
  auto addColumns = [&](int64_t first, int64_t count) {
    if (count > 0)
      columns.push_back(tensors.slice(x, 0, first, rowCount, count));
  };
  addColumns(0, rope.offset);
  columns.push_back(out);
  addColumns(rope.offset + rope.turned, width - rope.offset - rope.turned);
  if (columns.size() > 1) {
    for (Value &column : columns)
      column = tensors.reshape(
          column,
          {rowCount, cast<ShapedType>(column.getType()).getShape().back()});
    out = tensor::ConcatOp::create(builder, loc, /*dim=*/1, columns);
  }
  tensors.set(node, out);
  return true;
}
