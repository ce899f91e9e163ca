//===- SplitTest.cpp - Parts that follow each other -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/Split.h"
#include "Fixtures.h"
#include "Oracle.h"
#include "llm/Planning/TileSearch.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// A product of 4 x 6 x 8 as if a value were carried along some of its loops.
class SplitTest : public ::testing::Test {
protected:
  SplitTest()
      : op(matmulOracle(4, 6, 8, false, false).text), target(toyTarget(1000)),
        context(*OpOnTarget::get(op.op, target)) {}

  FailureOr<Split> split(ArrayRef<unsigned> carried, StringRef text) {
    for (unsigned loop : carried)
      context.workload.loops[loop].tiles = Loop::Tiles::InOrder;
    return Split::get(context, cast<DictionaryAttr>(
                                   parseAttribute(text, op.op->getContext())));
  }
  /// What is said of it.
  std::string refusalOf(ArrayRef<unsigned> carried, StringRef text) {
    std::string said;
    ScopedDiagnosticHandler handler(
        op.op->getContext(),
        [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
    EXPECT_TRUE(failed(split(carried, text)));
    return said;
  }

  OneOp op;
  Target target;
  OpOnTarget context;
};

} // namespace

// Loops m, n, k: parts are numbered row by row. Along m, the outermost, a part
// comes behind that of the row before, two parts ahead.
TEST_F(SplitTest, ChainsAlongTheCarriedLoop) {
  FailureOr<Split> outer = split({0}, "{m = 4, n = 2}");
  ASSERT_TRUE(succeeded(outer));
  EXPECT_EQ(outer->partCount(), 8);
  EXPECT_EQ(outer->chains(), (scheduling::Chains{4, 2}));
  for (int64_t part = 0; part < 8; ++part)
    EXPECT_EQ(outer->chains().isFirst(part), outer->boxOf(part)[0].begin == 0);
}

TEST_F(SplitTest, ChainsAlongTheInnerLoop) {
  FailureOr<Split> inner = split({1}, "{m = 4, n = 2}");
  ASSERT_TRUE(succeeded(inner));
  EXPECT_EQ(inner->chains(), (scheduling::Chains{2, 1}));
  for (int64_t part = 0; part < 8; ++part)
    EXPECT_EQ(inner->chains().isFirst(part), inner->boxOf(part)[1].begin == 0);
}

// A carried loop that is whole makes no chains; nor does one part.
TEST_F(SplitTest, NoChains) {
  EXPECT_FALSE(split({0}, "{n = 2}")->chains().areThere());
  EXPECT_FALSE(split({0}, "{m = 1}")->chains().areThere());
}

TEST_F(SplitTest, OneOrderOnly) {
  EXPECT_NE(refusalOf({0, 1}, "{m = 2, n = 2}")
                .find("names two loops along which a value is carried"),
            std::string::npos);
  EXPECT_NE(refusalOf({}, "{k = 2, m = 2}")
                .find("cuts a reduction, and a loop along which a value is "
                      "carried"),
            std::string::npos);
}

namespace {
/// A product of 32 rows for 8 experts, cut along its rows and columns.
struct ExpertParts {
  ExpertParts(const std::string &rowsPerExpert, StringRef split)
      : op(functionText("llm.grouped_matmul %0, %1 rows_per_expert " +
                            rowsPerExpert + " top_k 2",
                        {"tensor<32x8xf32>", "tensor<8x8x6xf32>"})),
        target(toyTarget(100000)), context(*OpOnTarget::get(op.op, target)),
        parts(*Split::get(context, cast<DictionaryAttr>(parseAttribute(
                                       split, op.op->getContext())))) {}

  /// Without its count.
  PartCostAttr costOf(int64_t part) {
    OpOnTarget own = parts.partOf(context, part);
    return *computePartCost(own, *tileOfPart(own, *searchTile(context)));
  }
  std::map<SmallVector<int64_t, 12>, PartCostAttr> costsByShape() {
    std::map<SmallVector<int64_t, 12>, PartCostAttr> costs;
    for (int64_t part = 0; part < parts.partCount(); ++part) {
      auto [known, isNew] =
          costs.try_emplace(parts.shapeOf(context, part), costOf(part));
      if (!isNew)
        EXPECT_EQ(known->second, costOf(part)) << part;
    }
    return costs;
  }

  OneOp op;
  Target target;
  OpOnTarget context;
  Split parts;
};
} // namespace

// Each of 4 x 2 parts meets two experts of 4 rows, wherever it lies.
TEST(ExpertPartsTest, EvenRowsAreAlike) {
  EXPECT_EQ(ExpertParts("[4, 4, 4, 4, 4, 4, 4, 4]", "{m = 4, n = 2}")
                .costsByShape()
                .size(),
            1u);
}

// Parts of 8 rows meet experts of (5 3), (1 4 3), (1 7) and (1 3 4) rows.
TEST(ExpertPartsTest, UnevenRowsAreNot) {
  EXPECT_EQ(ExpertParts("[5, 4, 4, 4, 0, 8, 3, 4]", "{m = 4, n = 2}")
                .costsByShape()
                .size(),
            4u);
}

// Parts that are taken for equal cost the same, for any rows of experts.
TEST(ExpertPartsTest, EqualShapesCostTheSame) {
  Random random(11);
  for (int run = 0; run < 50; ++run) {
    SmallVector<int64_t, 8> rows(8, 0);
    for (int64_t row = 0; row < 32; row += 2)
      rows[random(0, 7)] += 2;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "[";
    llvm::interleaveComma(rows, os);
    os << "]";
    int64_t alongRows = random(2, 8);
    std::string split = "{m = " + std::to_string(alongRows) + ", n = 2}";
    SCOPED_TRACE(text + split);
    ExpertParts(text, split).costsByShape();
  }
}
