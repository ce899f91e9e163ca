//===- LlmFusedOps.td - Ops that run as one ----------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMFUSEDOPS
#define LLM_DIALECT_LLMFUSEDOPS

include "LlmOpBase.td"

def OpGroupFused : OpDocGroup { let summary = "Kernels of several ops"; let description = ""; }
let opDocGroup = OpGroupFused in {

def Llm_FusedOp : Llm_WorkOp<"fused", [RecursiveMemoryEffects, SingleBlock],
    ["countPoints", "countElements"]> {
  let summary = "several ops that run as one kernel";
  let description = [{
    The ops inside run tile by tile, one after the other, as one kernel with one tile, one
    cost and one slot. What one of them computes for another one stays on the chip: a tile of
    it takes room and is never moved. Values that are computed outside, and those that
    `llm.yield` hands on, are moved as usual. The kernel computes what the ops inside
    compute.

    The workload is that of the ops inside, over common loops. The loops that write a value
    and those that read it are joined, also through views that reshape it or show equal
    pieces of it. `WorkloadOpInterface` alone says how, so that ops of other dialects may
    stand here, too. If one loop of an op counts what several loops of another op count, it
    is split into these. The names of buffers and stages begin with the kind of their op, as
    in `matmul.lhs`.

    Example:
    ```mlir
    %y = llm.fused "model.layers.0.mlp.down_proj+mlp_residual" {
      %o = llm.matmul "model.layers.0.mlp.down_proj" %h, %w transpose_rhs : tensor<1x8192xbf16>, tensor<2048x8192xbf16>
      %s = llm.add "model.layers.0.mlp_residual" %x, %o : tensor<1x2048xbf16>, tensor<1x2048xbf16>
      llm.yield %s : tensor<1x2048xbf16>
    } : tensor<1x2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    ($name^)? attr-dict-with-keyword $body (`:` type($results)^)?
  }];
  let extraClassDeclaration = [{
    /// Returns the value inside that becomes this result.
    ::mlir::Value getYielded(::mlir::OpResult result);
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Llm_YieldOp : Llm_Op<"yield", [Pure, Terminator, HasParent<"FusedOp">]> {
  let summary = "the values that leave a kernel of several ops";
  let description = [{
    Ends the body of `llm.fused`. The operands become its results.

    Example:
    ```mlir
    llm.yield %s : tensor<1x2048xbf16>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

}

#endif // LLM_DIALECT_LLMFUSEDOPS
