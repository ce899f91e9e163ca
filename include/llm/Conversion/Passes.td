//===- Passes.td - Passes that leave the dialect -----------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONVERSION_PASSES
#define LLM_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertLlmToLinalgPass : Pass<"convert-llm-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Turn programs into linalg ops that compute them";
  let description = [{
    Turns every op of the dialect into ops of linalg, tensor, arith, math and scf, with the
    meaning of Spec.md: arithmetic is in f32, and a result is rounded once when it is
    stored. Any compiler for linalg on tensors can compile the result.

    - Weights and the initial states of caches become arguments after those of the function,
      one for each tensor. `llm.source` on the argument is the name of a weight, and
      `llm.cache` that of a cache. Open sizes become arguments of type index, with
      `llm.size`. If a `sample categorical` has no operand with random numbers, these become
      one argument with `llm.random`, with a number in [0, 1) for each row.
    - The last state of each cache becomes a result, also with `llm.cache`.
    - A cache is two tensors (keys and values), or one (latents). A tensor of block-scaled
      elements becomes one tensor of its values, and one for each layer of scales. Scales do
      not have the dimensions that a block covers as a whole.
    - Loops whose index selects weights or caches are unrolled.
    - Tokens go to the experts that the router chooses. `rows_per_expert` does not matter if
      `grouped_matmul` knows the experts of its rows.
    - The locations of the new ops have the name, tile, cost and slots of the op from which
      they come.

    Ops are lowered through `LinalgLoweringOpInterface`. An op of the dialect without it is
    an error. Ops of other dialects stay as they are.

    Requires: nothing. Guarantees: functions have no op, type or attribute of the dialect
    left, except for these four on arguments and results, and `llm.program` and
    `llm.schedule` on the function.

    ```
    llm-opt block.mlir --convert-llm-to-linalg
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // LLM_CONVERSION_PASSES
