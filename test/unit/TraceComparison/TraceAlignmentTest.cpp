//===- TraceAlignmentTest.cpp - Tests of which op a piece of work is ------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/TraceAlignment.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

/// Two products of one input, a product of another size, a sum.
static const char *const block = R"(
  func.func @block(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %w = llm.weight "gate.weight" : tensor<32x16xf32>
    %g = llm.matmul "layers.LAYER.gate" %x, %w transpose_rhs
        : tensor<4x16xf32>, tensor<32x16xf32>
    %v = llm.weight "up.weight" : tensor<32x16xf32>
    %u = llm.matmul "layers.LAYER.up" %x, %v transpose_rhs
        : tensor<4x16xf32>, tensor<32x16xf32>
    %a = llm.swiglu "layers.LAYER.act" %g, %u
        : tensor<4x32xf32>, tensor<4x32xf32>
    %d = llm.weight "down.weight" : tensor<16x32xf32>
    %y = llm.matmul "layers.LAYER.down" %a, %d transpose_rhs
        : tensor<4x32xf32>, tensor<16x32xf32>
    %s = llm.add "layers.LAYER.sum" %x, %y : tensor<4x16xf32>, tensor<4x16xf32>
    return %s : tensor<4x16xf32>
  }
)";
enum Op { gate, up, act, down, sum };

namespace {
class TraceAlignmentTest : public testing::Test {
protected:
  TraceAlignmentTest() {
    context.loadDialect<LlmDialect, func::FuncDialect>();
    std::string text = block;
    for (size_t at; (at = text.find("LAYER")) != std::string::npos;)
      text.replace(at, 5, "0");
    module = parseSourceString<ModuleOp>(text, &context);
    program = *Program::analyze(*module->getOps<func::FuncOp>().begin());
    trace.lanes = {{/*isDevice=*/true, 0, 7, "", ""}};
  }

  /// A kernel that takes so many nanoseconds, behind all so far.
  void run(StringRef name, int64_t nanoseconds, StringRef args = "") {
    TraceEvent event;
    event.kind = TraceEventKind::Kernel;
    event.startNanoseconds = now;
    event.endNanoseconds = now += nanoseconds;
    event.name = trace.texts.add(name);
    event.args = trace.texts.add(args);
    trace.events.push_back(event);
  }
  /// Of each piece the ops that it is.
  std::vector<std::vector<unsigned>> align(AlignmentOptions options = {}) {
    FailureOr<MatchRules> rules = MatchRules::load("", &context);
    ::llvm::Expected<TraceAlignment> made =
        TraceAlignment::create(trace, *program, *rules, options);
    std::vector<std::vector<unsigned>> ops;
    if (!made) {
      error = ::llvm::toString(made.takeError());
      return ops;
    }
    alignment = std::move(*made);
    for (const AlignedPiece &piece : alignment.pieces)
      ops.push_back(piece.group == AlignedPiece::none
                        ? std::vector<unsigned>()
                        : alignment.groups[piece.group].ops);
    return ops;
  }

  using Ops = std::vector<std::vector<unsigned>>;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  FailureOr<Program> program = failure();
  ImportedTrace trace;
  TraceAlignment alignment;
  std::string error;
  int64_t now = 0;
};
} // namespace

TEST_F(TraceAlignmentTest, kernelsInTheOrderOfTheProgramAreItsOps) {
  for (const char *name :
       {"gemm", "gemm", "silu_and_mul", "gemm", "CUDAFunctor_add"})
    run(name, 10);
  EXPECT_EQ(align(), (Ops{{gate}, {up}, {act}, {down}, {sum}}));
}

TEST_F(TraceAlignmentTest, oneProductBeforeTheActivationIsBoth) {
  for (const char *name : {"gemm", "silu_and_mul", "gemm", "CUDAFunctor_add"})
    run(name, 10);
  EXPECT_EQ(align(), (Ops{{gate, up}, {act}, {down}, {sum}}));
}

TEST_F(TraceAlignmentTest, aReductionBelongsToTheProductBeforeIt) {
  for (const char *name : {"gemm", "splitKreduce_kernel", "gemm",
                           "silu_and_mul", "gemm", "CUDAFunctor_add"})
    run(name, 10);
  EXPECT_EQ(align(), (Ops{{gate}, {gate}, {up}, {act}, {down}, {sum}}));
}

TEST_F(TraceAlignmentTest, aStrangeKernelIsNoOp) {
  for (const char *name : {"gemm", "frobnicate", "gemm", "silu_and_mul",
                           "rms_norm", "gemm", "CUDAFunctor_add"})
    run(name, 10);
  EXPECT_EQ(align(), (Ops{{gate}, {}, {up}, {act}, {}, {down}, {sum}}));
  EXPECT_STREQ(alignment.pieces[1].whyNot, "no rule knows the name");
  EXPECT_STREQ(alignment.pieces[4].whyNot, "no op of its kind has this place");
}

/// Sizes tell the third product from the first two, wherever a run begins.
TEST_F(TraceAlignmentTest, sizesSayWhichProductItIs) {
  run("aten::mm", 10, R"({"Input Dims": [[4, 32], [32, 16]]})");
  run("aten::mm", 10, R"({"Input Dims": [[4, 16], [16, 64]]})");
  run("aten::mm", 10, R"({"Input Dims": [[4, 32], [32, 16]]})");
  run("aten::mm", 10, R"({"Input Dims": [[4, 8], [8, 8]]})");
  EXPECT_EQ(align(), (Ops{{down}, {gate, up}, {down}, {}}));
  EXPECT_EQ(alignment.pieces[0].evidence, MatchEvidence::Shape);
}

/// The sum of the program is of 4 x 16, the gate of 4 x 32.
TEST_F(TraceAlignmentTest, sizesAreOfOpsOfAnyKind) {
  run("CUDAFunctor_add", 10, R"({"Input Dims": [[1, 4, 16], [1, 4, 16]]})");
  run("silu_and_mul", 10, R"({"Input Dims": [[2, 2, 32], [4, 32]]})");
  run("CUDAFunctor_add", 10, R"({"Input Dims": [[3, 16], [3, 16]]})");
  EXPECT_EQ(align(), (Ops{{sum}, {act}, {sum}}));
  EXPECT_EQ(alignment.pieces[0].evidence, MatchEvidence::Shape);
  EXPECT_EQ(alignment.pieces[1].evidence, MatchEvidence::Shape);
  EXPECT_EQ(alignment.pieces[2].evidence, MatchEvidence::Order);
  EXPECT_TRUE(alignment.notes.empty());
}

/// The name says which op it is, and the sizes that it is another one's.
TEST_F(TraceAlignmentTest, otherSizesAreSaid) {
  run("layers.0.sum", 10, R"({"Input Dims": [[3, 16], [3, 16]]})");
  run("layers.0.act", 10, R"({"Input Dims": [[4, 32], [4, 32]]})");
  run("layers.0.down", 10, R"({"Input Dims": [[4, 32], [32, 17]]})");
  EXPECT_EQ(align(), (Ops{{sum}, {act}, {down}}));
  ASSERT_EQ(alignment.notes.size(), 1u);
  EXPECT_EQ(alignment.notes[0],
            "The trace has other sizes than the program for layers.{}.down, "
            "layers.{}.sum: is "
            "it another model, or another context length?");
}

/// Runs of 1 + 2 + 3 + 4 + 5 and of 10 + .. ns, each op by itself.
TEST_F(TraceAlignmentTest, everyRunIsAPass) {
  for (int64_t factor : {1, 10, 100}) {
    int64_t length = 0;
    for (const char *name :
         {"gemm", "gemm", "silu_and_mul", "gemm", "CUDAFunctor_add"})
      run(name, factor * ++length);
  }
  align();
  ASSERT_EQ(alignment.passes.size(), 3u);
  EXPECT_EQ(alignment.passes[1].workNanoseconds, 150);
  EXPECT_EQ(alignment.passes[1].matchedNanoseconds, 150);
  EXPECT_EQ(alignment.passes[2].startNanoseconds, 15 + 150);
  EXPECT_EQ(alignment.groups[down].nanosecondsOfPass,
            (std::vector<int64_t>{4, 40, 400}));
  EXPECT_EQ(alignment.medianNanoseconds(alignment.groups[down]), 40);
  // They differ a hundredfold, so that they may be of several phases.
  ASSERT_EQ(alignment.notes.size(), 1u);
  EXPECT_NE(alignment.notes[0].find("from 0.015 to 1.500 us"),
            std::string::npos);
}

/// Longer than a window in which the walk is decided: nothing is lost at its
/// ends.
TEST_F(TraceAlignmentTest, longTracesAreAlignedInParts) {
  constexpr size_t runs = 20000;
  for (size_t i = 0; i < runs; ++i)
    for (const char *name :
         {"gemm", "gemm", "silu_and_mul", "gemm", "CUDAFunctor_add"})
      run(name, 10);
  Ops ops = align();
  ASSERT_EQ(ops.size(), 5 * runs);
  for (size_t i = 0; i < ops.size(); ++i)
    ASSERT_EQ(ops[i], std::vector<unsigned>{unsigned(i % 5)}) << i;
  EXPECT_EQ(alignment.passes.size(), runs);
}

TEST_F(TraceAlignmentTest, whatIsAskedForMustBeThere) {
  align();
  EXPECT_EQ(error, "the trace has no kernels, ops or ranges, so that there is "
                   "nothing to compare");
  run("gemm", 10);
  AlignmentOptions options;
  options.pass = 1;
  align(options);
  EXPECT_EQ(error, "there is no pass 1: the trace has 1, which count from 0");
}
