//===- LlmCollectiveOps.td - What chips exchange -----------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMCOLLECTIVEOPS
#define LLM_DIALECT_LLMCOLLECTIVEOPS

include "LlmOpBase.td"

def OpGroupCollectives : OpDocGroup {
  let summary = "Collectives";
  let description = [{
    All chips of the module's `llm.grid` run the same program, each on its own pieces. A
    collective exchanges values among the chips of a *group*, which differ only in their
    places along the axes after `over`. Ranks in a group are counted with the last axis
    fastest. The size of an axis of the grid must divide every dimension that is cut over
    it.

    Its work is the bytes that a chip sends over the link that joins its group.
  }];
}
let opDocGroup = OpGroupCollectives in {

/// Result types do not follow from the operands alone: they depend on the grid.
class Llm_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Llm_WorkOp<mnemonic, [Pure, DeclareOpInterfaceMethods<OpenSizesOpInterface>] # traits> {
  let hasVerifier = 1;
}

def Llm_AllReduceOp : Llm_CollectiveOp<"all_reduce", [AllTypesMatch<["x", "out"]>]> {
  let summary = "the sum, or the greatest, of what all chips of a group have";
  let description = [{
    On each chip, out is the sum (or the elementwise maximum) of the x of all chips of the
    group. The op adds up the partial sums of a product whose reduction is cut (Shoeybi et
    al., Megatron-LM, 2019).

    Shapes: out as x. Loops: d0, d1, .., all whole.

    Example:
    ```mlir
    %y = llm.all_reduce "model.layers.0.mlp.all_reduce" sum %x over [tp] : tensor<512x4096xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_JoinAttr:$join, Llm_Tensor:$x,
    Llm_AxesAttr:$axes);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = [{
    ($name^)? `` $join $x `over` custom<Axes>($axes) attr-dict `:` type($x)
  }];
}

def Llm_AllGatherOp : Llm_CollectiveOp<"all_gather"> {
  let summary = "the pieces of all chips of a group, one behind the other";
  let description = [{
    On each chip, out is the concatenation of the x of all chips of the group along
    dimension `dim`, in the order of their ranks.

    Shapes: out as x, but for `dim`, which is as many times longer as the group has chips.
    Loops: c (chips), d0, d1, .. of x, all whole.

    Example:
    ```mlir
    %y = llm.all_gather %x over [tp] dim 1 : tensor<1x16032xbf16> -> tensor<1x128256xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_StoredTensor:$x, Llm_AxesAttr:$axes,
    I64Attr:$dim);
  let results = (outs Llm_StoredTensor:$out);
  let assemblyFormat = [{
    ($name^)? $x `over` custom<Axes>($axes) `dim` custom<Number>($dim) attr-dict
    `:` type($x) `->` type($out)
  }];
}

def Llm_ReduceScatterOp : Llm_CollectiveOp<"reduce_scatter"> {
  let summary = "each chip's piece of the sum of what all chips of a group have";
  let description = [{
    The chips of the group compute the sum (or the elementwise maximum) of their x. It is
    divided along dimension `dim` into as many equal pieces as the group has chips, and the
    chip of rank r gets the r-th piece (sequence parallelism: Korthikanti et al., 2022).

    Shapes: out as x, but for `dim`, which is as many times shorter as the group has chips.
    Loops: c (chips, reduction), d0, d1, .. of out, all whole.

    Example:
    ```mlir
    %y = llm.reduce_scatter sum %x over [tp] dim 0
       : tensor<512x4096xbf16> -> tensor<64x4096xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_JoinAttr:$join, Llm_Tensor:$x,
    Llm_AxesAttr:$axes, I64Attr:$dim);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = [{
    ($name^)? `` $join $x `over` custom<Axes>($axes) `dim` custom<Number>($dim) attr-dict
    `:` type($x) `->` type($out)
  }];
}

def Llm_AllToAllOp : Llm_CollectiveOp<"all_to_all"> {
  let summary = "pieces that each chip of a group sends to each other one";
  let description = [{
    Each chip cuts its x into as many equal pieces along dimension `from` as the group has
    chips, and sends the r-th of them to the chip of rank r. On each chip, out is the
    concatenation of the pieces that it gets along dimension `to`, in the order of the ranks
    that sent them. A tensor that was cut along `to` is then cut along `from`.

    Shapes: out as x, but `from` is as many times shorter, and `to` as many times longer, as
    the group has chips. Loops: c (chips), d0, d1, .., those of a piece, all whole.

    Example:
    ```mlir
    %y = llm.all_to_all %x over [cp] from 2 to 1
       : tensor<1x128x32x64xbf16> -> tensor<1x512x8x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x, Llm_AxesAttr:$axes,
    I64Attr:$from, I64Attr:$to);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = [{
    ($name^)? $x `over` custom<Axes>($axes) `from` custom<Number>($from)
    `to` custom<Number>($to) attr-dict `:` type($x) `->` type($out)
  }];
}

def Llm_ExpertDispatchOp : Llm_TensorOp<"expert_dispatch", [], ["countElements"]> {
  let summary = "tokens that each chip of a group sends to the chips of their experts";
  let description = [{
    The chips along the axes after `own` share experts: of n chips, the chip of rank r has
    the experts r, r + n, r + 2 n, .. Each chip has tokens of its own, and sends each of
    these once to every chip of the group that has at least one of the token's `experts`.
    The axes after `over` are some of those after `own`, or all (DeepEP's and vLLM's
    dispatch).

    out has the tokens that a chip gets, in the order of the ranks that sent them, and those
    of one chip in their order there. out_experts and out_shares have their experts and
    shares. All chips have room for `rows` tokens. Behind those that a chip gets, it has
    zeros, with the expert -1, which no chip has. If a chip gets more, the result is not
    defined.

    Shapes: x [m, h]; experts [m, top_k] of whole numbers; shares [m, top_k]; out [rows, h]
    as x, out_experts and out_shares [rows, top_k]. Loops: c (chips), m, j (the selected
    experts), h, all whole.

    Example:
    ```mlir
    %rows, %row_experts, %row_shares = llm.expert_dispatch %x, %experts shares %shares over [cp] own [cp, tp] rows 48
       : tensor<32x2048xbf16>, tensor<32x8xi32>, tensor<32x8xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_StoredTensorOfRank<2>:$x,
    Llm_TensorOfRank<2>:$experts, Optional<Llm_TensorOfRank<2>>:$shares, Llm_AxesAttr:$axes,
    Llm_AxesAttr:$own, I64Attr:$rows);
  let results = (outs Llm_StoredTensorOfRank<2>:$out, Llm_TensorOfRank<2>:$outExperts,
    Optional<Llm_TensorOfRank<2>>:$outShares);
  let assemblyFormat = [{
    ($name^)? $x `,` $experts (`shares` $shares^)? `over` custom<Axes>($axes)
    `own` custom<Axes>($own) `rows` $rows attr-dict
    `:` type($x) `,` type($experts) (`,` type($shares)^)?
  }];
  let hasVerifier = 1;
}

def Llm_ExpertCombineOp : Llm_TensorOp<"expert_combine", [], ["countElements"]> {
  let summary = "what experts on other chips have made of the tokens of each chip";
  let description = [{
    The way back of `llm.expert_dispatch` with the same axes and experts. x has a row for
    each token that a chip got. out, of a chip's own tokens, is the sum of the rows that the
    chips of the group have for the token. Chips along axes that only `own` has may have
    others.

    Shapes: x [rows, h]; experts [m, top_k] of the chip's own tokens; out [m, h] as x. Loops:
    c (chips, reduction), m, j, h, all whole.

    Example:
    ```mlir
    %y = llm.expert_combine %rows, %experts over [cp] own [cp, tp]
       : tensor<48x2048xbf16>, tensor<32x8xi32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<2>:$x,
    Llm_TensorOfRank<2>:$experts, Llm_AxesAttr:$axes, Llm_AxesAttr:$own);
  let results = (outs Llm_TensorOfRank<2>:$out);
  let assemblyFormat = [{
    ($name^)? $x `,` $experts `over` custom<Axes>($axes) `own` custom<Axes>($own)
    attr-dict `:` type($x) `,` type($experts)
  }];
  let hasVerifier = 1;
}

def Llm_TakePieceOp : Llm_Op<"take_piece", [Pure, Llm_NamesResults,
    DeclareOpInterfaceMethods<OpenSizesOpInterface>,
    DeclareOpInterfaceMethods<TransparentOpInterface, ["getForwardedValues"]>]> {
  let summary = "the piece of a value that is a chip's own";
  let description = [{
    All chips of a group have the same x. It is divided along dimension `dim` into as many
    equal pieces as the group has chips, and the chip of rank r shows the r-th piece. The op
    takes no time.

    Shapes: out as x, but for `dim`, which is as many times shorter as the group has chips.

    Example:
    ```mlir
    %y = llm.take_piece %x over [tp] dim 2 : tensor<1x5x8x64xbf16> -> tensor<1x5x1x64xbf16>
    ```
  }];
  let arguments = (ins Llm_StoredTensor:$x, Llm_AxesAttr:$axes, I64Attr:$dim);
  let results = (outs Llm_StoredTensor:$out);
  let assemblyFormat = [{
    $x `over` custom<Axes>($axes) `dim` custom<Number>($dim) attr-dict
    `:` type($x) `->` type($out)
  }];
  let hasVerifier = 1;
}

} // collectives

#endif // LLM_DIALECT_LLMCOLLECTIVEOPS
