//===- MatchRulesTest.cpp - Files of rules for names in traces ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/MatchRules.h"
#include "../Files/Messages.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {
class MatchRulesTest : public testing::Test {
protected:
  std::string errorOf(StringRef text) {
    Messages messages(&context);
    EXPECT_TRUE(failed(MatchRules::parse(text, "r.json", &context)));
    return messages.take();
  }
  MLIRContext context;
};
} // namespace

TEST_F(MatchRulesTest, readsWhatARuleSays) {
  FailureOr<MatchRules> rules = MatchRules::parse(
      R"({"rules": [{"name": "^mm_", "kinds": ["matmul"], "several": true},
                    {"name": "up(down)?", "ops": ["up", "down"]},
                    {"name": "x", "continues": true}]})",
      "r.json", &context);
  ASSERT_TRUE(succeeded(rules));
  ASSERT_EQ(rules->rules().size(), 3u);
  const MatchRule &kind = rules->rules()[0], &ops = rules->rules()[1];
  EXPECT_TRUE(kind.several && !kind.saysWhichOp());
  EXPECT_TRUE(kind.name.match("MM_bf16"));
  EXPECT_FALSE(kind.name.match("hmm_bf16"));
  EXPECT_TRUE(ops.saysWhichOp());
  EXPECT_EQ(ops.ops, (std::vector<std::string>{"up", "down"}));
  EXPECT_TRUE(rules->rules()[2].continues);
}

TEST_F(MatchRulesTest, thoseBuiltInAreRead) {
  FailureOr<MatchRules> rules = MatchRules::load("", &context);
  ASSERT_TRUE(succeeded(rules));
  EXPECT_GT(rules->rules().size(), 30u);
}

TEST_F(MatchRulesTest, errorsNameThePlace) {
  EXPECT_EQ(errorOf(R"({"rule": []})"),
            "r.json:1:10: a file of rules has no 'rule', only 'rules'\n");
  EXPECT_EQ(errorOf("{}"), "r.json:1:1: 'rules' is missing\n");
  EXPECT_EQ(errorOf(R"({"rules": [{"kinds": ["matmul"]}]})"),
            "r.json:1:12: 'rules[0].name' is missing\n");
  EXPECT_EQ(errorOf(R"({"rules": [{"name": "a", "kinds": []}]})"),
            "r.json:1:35: 'rules[0].kinds' must not be empty\n");
  EXPECT_EQ(
      errorOf(R"({"rules": [{"name": "a"}]})"),
      "r.json:1:12: a rule must have one of path, ops, kinds, sequence, "
      "continues and part_of, got 0 of them\n");
  EXPECT_EQ(
      errorOf(R"({"rules": [{"name": "a", "ops": ["b"], "several": true}]})"),
      "r.json:1:12: 'several' is for rules with 'kinds'\n");
  EXPECT_EQ(errorOf(R"({"rules": [{"name": "(", "ops": ["b"]}]})"),
            "r.json:1:12: '(' is no extended regular expression of POSIX: "
            "parentheses not balanced\n");
  EXPECT_NE(errorOf(R"({"rules": [{"name": "a", "op": ["b"]}]})")
                .find("r.json:1:32: a rule has no 'op'; it has name and"),
            std::string::npos);
}
