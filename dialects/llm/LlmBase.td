//===- LlmBase.td - The llm dialect ------------------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMBASE
#define LLM_DIALECT_LLMBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Llm_Dialect : Dialect {
  let name = "llm";
  let summary = "LLM decoder blocks: workload, tiles, costs and schedules";
  let description = [{
    The ops say what a decoder block of a large language model *is*. Attributes carry what
    the compiler has decided about it: `llm.tile`, `llm.cost` and `llm.slots` on ops, and
    `llm.schedule` and `llm.program` on functions. `llm.grid` on the module, and `llm.shard`
    and `llm.piece` on ops, say how a program is cut over chips. `dialects/llm/Spec.md` says
    what every op and attribute means, and numbers the constraints.
  }];
  let cppNamespace = "::mlir::llm";
  let dependentDialects = ["arith::ArithDialect", "tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral tileAttrName = "llm.tile";
    static constexpr ::llvm::StringLiteral costAttrName = "llm.cost";
    static constexpr ::llvm::StringLiteral slotsAttrName = "llm.slots";
    static constexpr ::llvm::StringLiteral scheduleAttrName = "llm.schedule";
    static constexpr ::llvm::StringLiteral programAttrName = "llm.program";
    static constexpr ::llvm::StringLiteral gridAttrName = "llm.grid";
    static constexpr ::llvm::StringLiteral shardAttrName = "llm.shard";
    static constexpr ::llvm::StringLiteral pieceAttrName = "llm.piece";
    static constexpr ::llvm::StringLiteral unpaddedAttrName = "llm.unpadded";
    static constexpr ::llvm::StringLiteral stageAttrName = "llm.stage";
    static constexpr ::llvm::StringLiteral pipelineAttrName = "llm.pipeline";
    static constexpr ::llvm::StringLiteral inputAttrName = "llm.input";
    void registerAttributes();
    void registerTypes();
    /// Reports an op that does not exist, with the nearest name that does.
    std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif // LLM_DIALECT_LLMBASE
