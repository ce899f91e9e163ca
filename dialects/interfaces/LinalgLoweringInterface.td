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
    and scf. `--convert-llm-to-linalg` uses only this interface and has no code for single
    ops. `registerLinalgLowerings` attaches it to ops of the llm dialect. An op of another
    dialect implements it or has it attached, and is then lowered like any other.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Builds the ops that compute this op, and passes every result to `lowering`. Fails with
      a diagnostic at the op if that is not possible.
    }], "::llvm::LogicalResult", "lowerToLinalg", (ins "::mlir::llm::LinalgLowering &":$lowering)>
  ];
}

#endif // LLM_CONVERSION_LINALGLOWERINGINTERFACE
