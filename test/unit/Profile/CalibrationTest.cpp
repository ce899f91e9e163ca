//===- CalibrationTest.cpp - Figures from a few measurements --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measurements are made here, by the formula of a roofline that shares no code
// with the cost model:
//
//     max(m n k / (1000 f), 2 (m k + k n + m n) / B, m n k e / P)
//
// on a chip of 1000 multiply-accumulates a cycle, whose datasheet says 1 GHz
// (1.1 boosted), 100 GB/s and 10 W, the power of its peak at 10 pJ.
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/Calibration.h"
#include "../Files/Messages.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Target/Figures.h"
#include "mlir/Dialect/DLTI/DLTI.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace mlir::llm;

namespace {

constexpr StringRef clockPath = "engines.core.sustained_clock_hz",
                    memoryPath = "memories.dram.sustained_bytes_per_second",
                    energyPath = "engines.core.femtojoules_per_mac.bf16";

/// What the chip of the measurements sustains, and what its meter adds.
struct Truth {
  double gigahertz = 1, bytesPerNanosecond = 100, picojoules = 10, noise = 0;
};

struct Shape {
  int64_t m, n, k;
};

class Calibrating : public ::testing::Test {
protected:
  Calibrating() {
    context.loadDialect<DLTIDialect, LlmDialect>();
    target = *parseTargetJson(R"({
      "name": "chip", "clock_hz": 1e9, "power_limit_watts": 10,
      "engines": { "core": { "kinds": ["matrix", "vector"], "boost_clock_hz": 1.1e9,
                             "macs_per_cycle_per_unit": { "bf16": 1000 } } },
      "memories": { "dram": { "bytes_per_second": 100e9 } } })",
                              "chip.json", &context);
  }

  void measure(Shape shape, const Truth &truth, double factor = 1) {
    auto [m, n, k] = shape;
    double macs = double(m) * double(n) * double(k),
           bytes = 2 * (double(m) * double(k) + double(k) * double(n) +
                        double(m) * double(n));
    double nanoseconds = std::max({macs / 1000 / truth.gigahertz,
                                   bytes / truth.bytesPerNanosecond,
                                   macs * truth.picojoules / 10 / 1000});
    // Two uniform numbers: a triangle around 0.
    double noise = truth.noise *
                   (double(random() % 2001) + double(random() % 2001) - 2000) /
                   1000;
    MeasuredRow row(UnknownLoc::get(&context));
    row.opKind = "gemm";
    row.m = m, row.n = n, row.k = k;
    row.microseconds = nanoseconds / 1000 * factor * std::exp(noise);
    rows.push_back(std::move(row));
  }
  /// Computes for less than 200 us, computes for longer, streams.
  Shape small() { return {256, 16 * any(24, 40), 16 * any(24, 40)}; }
  Shape giant() { return {2048, 64 * any(14, 40), 64 * any(14, 40)}; }
  Shape thin() { return {any(1, 4), 64 * any(16, 60), 64 * any(8, 30)}; }
  int64_t any(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }

  Calibration fit() {
    CalibrationOptions options;
    options.figures = {"device"};
    auto fitted = calibrate(rows, target, options, &context);
    EXPECT_TRUE(succeeded(fitted)) << messages.take();
    return *fitted;
  }
  /// Of the datasheet's figure.
  double shareOf(const Calibration &fitted, StringRef path) {
    return double(*getFigure(fitted.target, path)) /
           double(*getFigure(target, path));
  }
  /// In percent, of rows of any kind that were not measured before.
  double errorOn(const Target &of, const Truth &truth) {
    std::vector<MeasuredRow> kept = std::move(rows);
    rows.clear();
    for (unsigned i = 0; i < 40; ++i)
      for (Shape shape : {small(), giant(), thin()})
        measure(shape, truth);
    auto validation = validate(rows, of, &context);
    EXPECT_TRUE(succeeded(validation)) << messages.take();
    double error = validation->totals.front().statistics.medianPercent;
    rows = std::move(kept);
    return error;
  }

  MLIRContext context;
  Messages messages{&context};
  Target target;
  std::vector<MeasuredRow> rows;
  std::mt19937_64 random{7};
};

// Without noise, what the chip sustains is found.
TEST_F(Calibrating, Exact) {
  Truth truth{0.85, 90, 10 / 0.7, 0};
  for (unsigned i = 0; i < 3; ++i)
    for (Shape shape : {small(), giant(), thin()})
      measure(shape, truth);
  // The limit is that of all rows here: at 10 / 0.7 pJ the small ones end at
  // 0.7 GHz, too, and the clock is told by nothing else.
  Calibration fitted = fit();
  EXPECT_EQ(fitted.sustainedRows, 3u);
  EXPECT_NEAR(shareOf(fitted, clockPath), 0.7, 0.01);
  EXPECT_NEAR(shareOf(fitted, memoryPath), 0.9, 0.01);
  EXPECT_EQ(fitted.describeLoss(), "");
}

// Short products run at one clock, giants are slowed down by the limit: five
// giants do not move the clock.
TEST_F(Calibrating, PowerLimitedGiants) {
  Truth burst{0.9, 90, 10, 0}, hot{0.9, 90, 10 / 0.7, 0};
  for (unsigned i = 0; i < 5; ++i)
    measure(giant(), hot);
  for (unsigned i = 0; i < 3; ++i)
    measure(thin(), burst);
  Calibration giants = fit();
  EXPECT_EQ(giants.sustainedRows, 5u);
  EXPECT_EQ(getFigure(giants.target, clockPath), target.clockHz);
  EXPECT_NEAR(shareOf(giants, energyPath), 1 / 0.7, 0.01);
  for (unsigned i = 0; i < 3; ++i)
    measure(small(), burst);
  Calibration both = fit();
  EXPECT_NEAR(shareOf(both, clockPath), 0.9, 0.01);
  EXPECT_NEAR(shareOf(both, energyPath), 1 / 0.7, 0.01);
  EXPECT_NEAR(shareOf(both, memoryPath), 0.9, 0.01);
}

// Of a chip without a power limit nothing else can make giants slow.
TEST_F(Calibrating, GiantsWithoutALimit) {
  target.powerLimitWatts = std::nullopt;
  Truth truth{0.8, 90, 10, 0};
  for (unsigned i = 0; i < 5; ++i)
    measure(giant(), truth);
  for (unsigned i = 0; i < 3; ++i)
    measure(thin(), truth);
  Calibration fitted = fit();
  EXPECT_EQ(fitted.sustainedRows, 0u);
  EXPECT_NEAR(shareOf(fitted, clockPath), 0.8, 0.01);
}

// One row of eight that is wrong by any factor moves nothing, wherever it is.
TEST_F(Calibrating, OneOutlier) {
  Truth truth{0.9, 85, 10, 0};
  for (double factor : {0.6, 5.0})
    for (unsigned wrong = 0; wrong < 8; ++wrong) {
      rows.clear();
      for (unsigned i = 0; i < 8; ++i)
        measure(i < 4 ? small() : thin(), truth, i == wrong ? factor : 1);
      Calibration fitted = fit();
      EXPECT_NEAR(shareOf(fitted, clockPath), 0.9, 0.01)
          << wrong << " x " << factor;
      EXPECT_NEAR(shareOf(fitted, memoryPath), 0.85, 0.01)
          << wrong << " x " << factor;
    }
}

// Rows that are faster than silicon can be end at the datasheet's figures.
TEST_F(Calibrating, Bounds) {
  Truth truth{1.3, 120, 0, 0};
  for (unsigned i = 0; i < 4; ++i)
    for (Shape shape : {small(), thin()})
      measure(shape, truth);
  Calibration fitted = fit();
  EXPECT_EQ(getFigure(fitted.target, clockPath), 1100000000);
  EXPECT_EQ(getFigure(fitted.target, memoryPath), 100000000000);
}

// What is accepted helps on rows that were not seen, and what helps nothing is
// refused: over many chips and choices of rows, with noise of up to 12 %.
TEST_F(Calibrating, AcceptedIsBetterOnOtherRows) {
  unsigned accepted = 0, worse = 0;
  double gain = 0, worst = 0;
  constexpr unsigned trials = 60;
  for (unsigned trial = 0; trial < trials; ++trial) {
    Truth truth{double(any(80, 105)) / 100, double(any(80, 98)),
                10 * double(any(90, 140)) / 100, 0.12};
    rows.clear();
    for (unsigned i = 0; i < 8; ++i)
      measure(i < 3 ? thin() : any(0, 1) ? giant() : small(), truth);
    Calibration fitted = fit();
    EXPECT_LE(*getFigure(fitted.target, clockPath), 1100000000);
    EXPECT_LE(*getFigure(fitted.target, memoryPath), 100000000000);
    if (!fitted.describeLoss().empty())
      continue;
    ++accepted;
    double before = errorOn(target, truth),
           after = errorOn(fitted.target, truth);
    gain += before - after;
    worse += after > before + 1;
    worst = std::max(worst, after - before);
  }
  EXPECT_GE(accepted, trials / 2);
  EXPECT_LE(worse, trials / 20);
  EXPECT_GE(gain / accepted, 3.0);
  EXPECT_LE(worst, 5.0);
}

// A datasheet that is right is seldom given up for noise, and never for much.
TEST_F(Calibrating, RightDatasheetStays) {
  unsigned accepted = 0;
  Truth truth{1, 100, 10, 0.12};
  for (unsigned trial = 0; trial < 40; ++trial) {
    rows.clear();
    for (unsigned i = 0; i < 8; ++i)
      measure(i < 3 ? thin() : any(0, 1) ? giant() : small(), truth);
    Calibration fitted = fit();
    if (!fitted.describeLoss().empty())
      continue;
    ++accepted;
    Truth exact = truth;
    exact.noise = 0;
    EXPECT_LE(errorOn(fitted.target, exact), 8.0);
  }
  EXPECT_LE(accepted, 10u);
}

// Eight rows that are all predicted 10 % too long, and all a little shorter
// once they are left out: 1 % of that error is no reason for a new file, and
// 10 % are.
TEST(CalibrationGain, IsWorthAFile) {
  MLIRContext context;
  std::vector<MeasuredRow> rows(8, MeasuredRow(UnknownLoc::get(&context)));
  auto groupOf = [&](double logError) {
    ValidationGroup group;
    for (MeasuredRow &row : rows) {
      row.microseconds = 10;
      group.predictions.push_back({&row, 10 * std::exp(logError)});
    }
    return group;
  };
  Calibration calibration;
  calibration.before = {groupOf(0.1)};
  calibration.crossValidated = {groupOf(0.099)};
  EXPECT_EQ(calibration.describeLoss(),
            "the error on rows left out, 9.90 %, is below that before, 10.00 "
            "%, by less than a fiftieth of it (mean of |ln(predicted / "
            "measured)| of all rows, none above 0.40)");
  calibration.crossValidated = {groupOf(0.09)};
  EXPECT_EQ(calibration.describeLoss(), "");
  calibration.crossValidated = {groupOf(0.11)};
  EXPECT_EQ(calibration.describeLoss(),
            "the error on rows left out, 11.00 %, is not below that before, "
            "10.00 %, by all of the difference's standard error, 0.00 % (mean "
            "of |ln(predicted / measured)| of all rows, none above 0.40)");
}

} // namespace
