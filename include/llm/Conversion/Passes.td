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
  let summary = "Turn programs into linalg ops that compute what they mean";
  let description = [{
    Every op of the dialect becomes ops of linalg, tensor, arith, math and scf, with the
    meaning of Spec.md: arithmetic in f32, rounded once where a result is stored. Any stack
    that compiles linalg on tensors can take over from there.

    - Weights, and caches as they are at the start, become arguments behind those of the
      function, one for each tensor; `llm.source` on the argument says the name of a
      weight, `llm.cache` that of a cache. Sizes that are open become arguments of type
      index, with `llm.size`.
    - The last state of each cache becomes results, with `llm.cache`, too.
    - A cache is two tensors (keys and values), or one (latents). A tensor of block-scaled
      elements is one of its values and one for each layer of scales, without the dimensions
      that a block has whole.
    - Loops that name weights or caches by their index are unrolled.
    - Experts are those that the router chooses; `rows_per_expert` is not looked at where
      `grouped_matmul` knows the experts of its rows.
    - The name, tile, cost and slots of an op stand in the locations of what it became.

    An op joins by `LinalgLoweringOpInterface`; one of the dialect without it is an error.
    Ops of other dialects stay as they are.

    Requires: nothing. Guarantees: no op, type or attribute of the dialect is left in
    functions, but for those three on arguments and results, and what stands on the function
    (`llm.program`, `llm.schedule`).

    ```
    llm-opt block.mlir --convert-llm-to-linalg
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // LLM_CONVERSION_PASSES
