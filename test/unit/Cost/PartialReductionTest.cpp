//===- PartialReductionTest.cpp - Parts of a reduction, and their join ----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

bool startsWith(const Oracle &oracle, StringRef op) {
  return StringRef(oracle.text).contains(("llm." + op + " ").str());
}

/// By the descriptions of the ops.
bool isJoined(const Oracle &oracle, StringRef loop) {
  if (startsWith(oracle, "fused"))
    return false;
  if (startsWith(oracle, "matmul") || startsWith(oracle, "batch_matmul"))
    return loop == "k";
  return (startsWith(oracle, "gqa_attn") || startsWith(oracle, "mla_attn") ||
          startsWith(oracle, "select_keys")) &&
         loop == "t";
}

std::optional<size_t> findBuffer(const Oracle &oracle, StringRef name) {
  for (auto [index, buffer] : llvm::enumerate(oracle.buffers))
    if (buffer.name == name)
      return index;
  return std::nullopt;
}

/// What the boxes along the loop do and touch is what enumeration finds in
/// them; rows have one greatest score and one sum each.
void expectParts(const Oracle &oracle, OneOp &op, const Workload &whole,
                 const Workload &part, size_t loop, int64_t count) {
  int64_t extent = oracle.extents[loop];
  int64_t size = llvm::divideCeil(extent, count);
  for (int64_t begin = 0; begin < extent; begin += size) {
    OracleBox box = oracle.fullBox();
    box[loop] = {begin, std::min(begin + size, extent)};
    for (auto [index, stage] : llvm::enumerate(part.stages)) {
      auto same = llvm::find_if(
          whole.stages, [&](const Stage &s) { return s.name == stage.name; });
      ASSERT_NE(same, whole.stages.end());
      Count points = op.op.countPoints(part, index, box);
      ASSERT_TRUE(succeeded(points));
      EXPECT_EQ(*points, oracle.countPoints(same - whole.stages.begin(), box))
          << stage.name << " of " << oracle.text;
    }
    size_t out = *findBuffer(oracle, "out");
    for (auto [index, buffer] : llvm::enumerate(part.buffers)) {
      bool isOfRows = buffer.name == "max" || buffer.name == "sum";
      std::optional<size_t> known = findBuffer(oracle, buffer.name);
      bool isScore = buffer.name == "score"; // of each key that is selected
      ASSERT_TRUE(known || isOfRows || isScore) << buffer.name;
      int64_t expected =
          isScore ? oracle.countElements(out, box)
          : known ? oracle.countElements(*known, box)
                  : oracle.countElements(out, box) /
                        cast<RankedTensorType>(op.op->getResult(0).getType())
                            .getShape()
                            .back();
      Count elements = op.op.countElements(part, index, box);
      ASSERT_TRUE(succeeded(elements));
      EXPECT_EQ(*elements, expected) << buffer.name << " of " << oracle.text;
    }
  }
}

/// As many as its loops have iterations.
int64_t countOf(const Oracle &oracle, size_t buffer) {
  int64_t elements = 1;
  for (const std::string &loop : oracle.buffers[buffer].indices)
    elements *= oracle.extents[oracle.loop(loop)];
  return elements;
}

/// It reads every partial result once, what no part has read, and writes the
/// result.
void expectCombine(const Oracle &oracle, OneOp &op, const Workload &combine,
                   int64_t parts) {
  auto type = cast<RankedTensorType>(op.op->getResult(0).getType());
  int64_t all = type.getNumElements(), rows = all / type.getShape().back();
  std::map<std::string, int64_t> expected = {{"out", all},
                                             {"partial_out", parts * all}};
  if (startsWith(oracle, "select_keys"))
    expected["partial_score"] = parts * all;
  else if (!startsWith(oracle, "matmul") && !startsWith(oracle, "batch_matmul"))
    for (const char *name : {"partial_max", "partial_sum"})
      expected[name] = parts * rows;
  if (std::optional<size_t> blocks = findBuffer(oracle, "block_scores"))
    expected = {{"out", all},
                {"partial_block_scores", parts * countOf(oracle, *blocks)}};
  for (const char *name : {"bias", "sinks"})
    if (std::optional<size_t> buffer = findBuffer(oracle, name))
      expected[name] = oracle.countElements(*buffer, oracle.fullBox());
  std::map<std::string, int64_t> found;
  for (auto [index, buffer] : llvm::enumerate(combine.buffers)) {
    Count elements = op.op.countElements(combine, index, combine.fullBox());
    ASSERT_TRUE(succeeded(elements));
    found[buffer.name] = *elements;
  }
  EXPECT_EQ(found, expected) << oracle.text;
  for (auto [index, stage] : llvm::enumerate(combine.stages)) {
    if (stage.name != "add")
      continue;
    Count points = op.op.countPoints(combine, index, combine.fullBox());
    ASSERT_TRUE(succeeded(points));
    EXPECT_EQ(*points, parts * all) << oracle.text;
  }
}

TEST(PartialReductionTest, PartsAndJoinMatchEnumeration) {
  Random random(3);
  int joined = 0;
  for (int round = 0; round < 600; ++round) {
    Oracle oracle = randomOracle(random);
    OneOp op(oracle.text);
    Workload whole = op.workload();
    for (size_t loop = 0; loop < whole.loops.size(); ++loop) {
      int64_t count = random(1, oracle.extents[loop]);
      std::optional<PartialReduction> reduction =
          op.op.getPartialReduction(whole, loop, count);
      ASSERT_EQ(reduction.has_value(), isJoined(oracle, oracle.loops[loop]))
          << oracle.loops[loop] << " of " << oracle.text;
      if (!reduction)
        continue;
      ++joined;
      expectParts(oracle, op, whole, reduction->part, loop, count);
      expectCombine(oracle, op, reduction->combine, count);
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(joined, 60);
}

} // namespace
