//===- ClosedFormTest.cpp - The closed form, evaluated anew ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/ClosedForm.h"
#include "Fixtures.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// The positive root of a function that grows, by bisection.
template <typename Function>
long double rootOf(Function function, long double high) {
  long double low = 0;
  for (int step = 0; step < 200; ++step) {
    long double middle = (low + high) / 2;
    (function(middle) < 0 ? low : high) = middle;
  }
  return low;
}

/// The edges by their defining equations, solved numerically: how much of
/// `values` the three operands of a tile fill.
std::array<long double, 3> edgesOf(std::array<long double, 3> dims,
                                   long double values) {
  std::array<size_t, 3> order = {0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return dims[a] < dims[b]; });
  long double d0 = dims[order[0]], d1 = dims[order[1]], d2 = dims[order[2]];
  long double edge =
      rootOf([&](long double x) { return 3 * x * x - values; }, values + 1);
  std::array<long double, 3> sorted = {edge, edge, edge};
  if (d0 < edge) {
    long double x = rootOf(
        [&](long double x) { return x * x + 2 * d0 * x - values; }, values + 1);
    sorted = {d0, x, x};
    if (d1 < x)
      // d0 d1 + d0 y + d1 y fill the cache.
      sorted = {
          d0, d1,
          rootOf(
              [&](long double y) { return d0 * d1 + (d0 + d1) * y - values; },
              values + 1)};
  }
  std::array<long double, 3> edges;
  std::array<long double, 3> sizes = {d0, d1, d2};
  for (size_t position = 0; position < 3; ++position)
    edges[order[position]] =
        std::max(1.0L, std::min(sorted[position], sizes[position]));
  return edges;
}

struct Product {
  int64_t m, k, n;
  std::string text() const {
    return functionText("llm.matmul %0, %1",
                        {tensorText({m, k}), tensorText({k, n})});
  }
};

FailureOr<OpOnTarget> onTarget(OneOp &op, const Target &target) {
  return OpOnTarget::get(op.op, target);
}

void expectEdges(Product product, int64_t capacity) {
  OneOp op(product.text());
  Target target = toyTarget(capacity);
  FailureOr<OpOnTarget> context = onTarget(op, target);
  ASSERT_TRUE(succeeded(context));
  std::optional<ClosedForm> form = ClosedForm::get(*context);
  ASSERT_TRUE(form);
  long double m = product.m, k = product.k, n = product.n;
  auto [tm, tk, tn] =
      edgesOf({m, k, n}, capacity / 2.0L); // bf16: two bytes per value
  std::string where = "m, k, n = " + std::to_string(product.m) + ", " +
                      std::to_string(product.k) + ", " +
                      std::to_string(product.n) + ", " +
                      std::to_string(capacity) + " bytes";
  EXPECT_NEAR(form->tileM, tm, 1e-9 * tm) << where;
  EXPECT_NEAR(form->tileK, tk, 1e-9 * tk) << where;
  EXPECT_NEAR(form->tileN, tn, 1e-9 * tn) << where;

  // Floored in the attribute, unless rounding leaves that open.
  TileAttr tile = form->getTile(*context);
  DictionaryAttr sizes = tile.getLevels().front().getSizes();
  for (auto [name, size] : {std::pair{"m", tm}, {"k", tk}, {"n", tn}})
    if (std::fabs(size - std::round(size)) > 1e-6 || size == std::round(size)) {
      EXPECT_EQ(getAmount(sizes, name), int64_t(size))
          << name << " of " << where;
    }

  // memory cycles = (tm tk + tk tn) b / (bytes per cycle) x macs / (tm tk tn),
  // in a port of half of 6 bytes per cycle; compute cycles = macs / 8.
  FailureOr<CostAttr> cost = computeCost(*context, tile);
  ASSERT_TRUE(succeeded(cost));
  PartCostAttr part = cost->getParts().front();
  long double memory =
      (tm * tk + tk * tn) * 2 / 3 * (m * k * n) / (tm * tk * tn);
  if (std::fabs(memory - std::round(memory)) > 1e-6) {
    EXPECT_EQ(part.getMemoryCycles(), int64_t(std::ceil(memory))) << where;
  }
  EXPECT_EQ(part.getComputeCycles(),
            (product.m * product.k * product.n + 7) / 8)
      << where;
  EXPECT_EQ(part.getCycles(),
            std::max(part.getComputeCycles(), part.getMemoryCycles()));
}

/// 3,000 random products and caches, of all three cases and with ties, have the
/// edges, the bytes and the cycles of the defining equations.
TEST(ClosedFormTest, RandomProducts) {
  Random random(5);
  for (int round = 0; round < 3000 && !HasFailure(); ++round) {
    int64_t limit = int64_t(1) << random(0, 11);
    Product product{random(1, limit), random(1, limit), random(1, limit)};
    if (round % 5 == 0)
      product.n = product.k;
    expectEdges(product, random(6, int64_t(1) << random(4, 22)));
  }
}

/// Three square tiles: C = 600 bytes are 300 values, the edge is 10.
TEST(ClosedFormTest, SquareTilesByHand) { expectEdges({100, 100, 100}, 600); }

/// The smallest dimension whole: 2 values of d0 = 4 in 84 values: x^2 + 8 x =
/// 84, x = 6.
TEST(ClosedFormTest, SmallestWholeByHand) {
  OneOp op(Product{50, 4, 60}.text());
  Target target = toyTarget(168);
  std::optional<ClosedForm> form = ClosedForm::get(*onTarget(op, target));
  EXPECT_NEAR(form->tileM, 6, 1e-12);
  EXPECT_NEAR(form->tileK, 4, 1e-12);
  EXPECT_NEAR(form->tileN, 6, 1e-12);
}

/// The two smaller ones whole: d0 = 2, d1 = 3 in 56 values: (56 - 6) / 5 = 10.
TEST(ClosedFormTest, TwoWholeByHand) {
  OneOp op(Product{2, 40, 3}.text());
  Target target = toyTarget(112);
  std::optional<ClosedForm> form = ClosedForm::get(*onTarget(op, target));
  EXPECT_NEAR(form->tileM, 2, 1e-12);
  EXPECT_NEAR(form->tileK, 10, 1e-12);
  EXPECT_NEAR(form->tileN, 3, 1e-12);
}

/// What is no product of three loops, or has no cache to split, has no closed
/// form.
TEST(ClosedFormTest, OtherOpsHaveNone) {
  Target target = toyTarget(600);
  OneOp add(
      functionText("llm.add %0, %1", {tensorText({4, 4}), tensorText({4, 4})}));
  EXPECT_FALSE(ClosedForm::get(*onTarget(add, target)));
  OneOp qk(functionText("llm.qk %0, %1 mask full scale 1.0",
                        {tensorText({1, 4, 1, 4}), tensorText({1, 4, 1, 4})}));
  EXPECT_FALSE(ClosedForm::get(*onTarget(qk, target)));
  OneOp product(Product{4, 4, 4}.text());
  target.engines.front().privateMemory.clear();
  EXPECT_FALSE(ClosedForm::get(*onTarget(product, target)));
}

} // namespace
