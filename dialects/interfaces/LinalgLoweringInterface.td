//===- LinalgLoweringInterface.td - What an op computes ----*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONVERSION_LINALGLOWERINGINTERFACE
#define LLM_CONVERSION_LINALGLOWERINGINTERFACE

include "mlir/IR/OpBase.td"

def LinalgLoweringOpInterface : OpInterface<"LinalgLoweringOpInterface"> {
  let description = [{
    An op with this interface says what it computes in ops of linalg, tensor, arith, math
    and scf. `--convert-llm-to-linalg` asks it and knows no op itself.
    `registerLinalgLowerings` attaches the interface to ops of the llm dialect. An op of
    another dialect implements it or has it attached, and then runs like any other.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Builds what the op computes and hands every result to `lowering`. Fails with a
      diagnostic at the op if it cannot.
    }], "::llvm::LogicalResult", "lowerToLinalg", (ins "::mlir::llm::LinalgLowering &":$lowering)>
  ];
}

#endif // LLM_CONVERSION_LINALGLOWERINGINTERFACE
