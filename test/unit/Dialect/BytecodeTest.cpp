//===- BytecodeTest.cpp - Files of other versions ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Dialect/Llm/IR/LlmBytecode.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

class BytecodeTest : public ::testing::Test {
protected:
  BytecodeTest() {
    context.loadDialect<LlmDialect, func::FuncDialect>();
    program = parseSourceString<ModuleOp>(R"(
func.func @add(%a: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = llm.add "residual" %a, %a : tensor<8xbf16>, tensor<8xbf16>
  return %0 : tensor<8xbf16>
})",
                                          &context);
  }

  std::string write(std::optional<uint64_t> version) {
    BytecodeWriterConfig config;
    if (version)
      config.setDialectVersion<LlmDialect>(
          std::make_unique<LlmDialectVersion>(*version));
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*program, os, config)));
    return bytes;
  }

  /// The program, or the first error.
  std::string read(StringRef bytes) {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (error.empty())
        error = diagnostic.str();
    });
    OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(bytes, &context);
    return again ? print(*again) : error;
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> program;
};

} // namespace

TEST_F(BytecodeTest, WritesItsOwnVersion) {
  ASSERT_TRUE(program);
  EXPECT_EQ(write(std::nullopt), write(LlmDialectVersion::current));
  EXPECT_EQ(read(write(std::nullopt)), print(*program));
}

TEST_F(BytecodeTest, RefusesALaterVersion) {
  std::string error = read(write(LlmDialectVersion::current + 1));
  std::string current = std::to_string(LlmDialectVersion::current);
  std::string later = std::to_string(LlmDialectVersion::current + 1);
  EXPECT_NE(error.find("'llm' dialect has version " + later +
                       " there, and this tool reads versions up to " + current),
            std::string::npos)
      << error;
}

/// What version 2 could say of attention, with and without sinks, is read from
/// what it wrote.
TEST_F(BytecodeTest, ReadsAttentionOfVersion2) {
  program = parseSourceString<ModuleOp>(R"(
func.func @attend(%q: tensor<1x1x2x4xf32>, %k: tensor<1x3x1x4xf32>, %s: tensor<2xf32>) {
  %0 = llm.gqa_attn "a" %q, %k, %k sinks %s mask causal scale 0.5 soft_cap 3.0
     : tensor<1x1x2x4xf32>, tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>, tensor<2xf32>
  %1 = llm.gqa_attn %q, %k, %k mask causal scale 0.5
     : tensor<1x1x2x4xf32>, tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>
  %2 = llm.mla_attn %q, %k value_dim 2 mask causal scale 0.5 : tensor<1x1x2x4xf32>, tensor<1x3x1x4xf32>
  return
})",
                                        &context);
  ASSERT_TRUE(program);
  EXPECT_EQ(read(write(2)), print(*program));
}
