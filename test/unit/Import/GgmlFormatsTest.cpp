//===- GgmlFormatsTest.cpp - ggml's types as element types ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Import/Checkpoints.h"
#include "llm/Support/GgmlTypes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::llm;

// A row of 4 blocks has the bytes that ggml gives them. Ternary values, of 1.6
// bits, and codes of whole blocks have no type of ours.
TEST(GgmlFormatsTest, BytesAreThoseOfGgml) {
  MLIRContext context;
  context.loadDialect<LlmDialect>();
  std::vector<std::string> without;
  unsigned count = 0;
  for (uint32_t id = 0; id < 64; ++id) {
    const GgmlType *ggml = findGgmlType(id);
    if (!ggml)
      continue;
    ++count;
    Type type = getGgmlElementType(*ggml, &context);
    if (!type) {
      without.emplace_back(ggml->name);
      continue;
    }
    Count bytes = storageBytes(type, {2, 4 * ggml->blockElements});
    ASSERT_TRUE(succeeded(bytes)) << ggml->name;
    EXPECT_EQ(*bytes, 8 * ggml->blockBytes) << ggml->name;
  }
  EXPECT_GE(count, 30u);
  EXPECT_EQ(without, (std::vector<std::string>{"tq1_0", "q1_0", "q2_0"}));
}
