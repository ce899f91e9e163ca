//===- LlmExpertOps.td - Mixtures of experts ---------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMEXPERTOPS
#define LLM_DIALECT_LLMEXPERTOPS

include "LlmOpBase.td"

def OpGroupExperts : OpDocGroup {
  let summary = "Experts";
  let description = [{
    These ops are a mixture of experts (Shazeer et al., 2017). `moe_route` chooses `top_k`
    experts for each token. `moe_dispatch` brings the rows of each expert together.
    `grouped_matmul` multiplies each group by its expert's weight. `moe_combine` brings the
    rows back. An array of integers on the op says how many rows each expert gets, so that
    work and bytes are exact.

    Chips may each have some of the experts (GShard, Lepikhin et al., 2020). The ops then
    have `own` and the axes of the grid that share the experts. Of n chips, the one of rank r
    has the experts r, r + n, r + 2 n, .. (vLLM calls this `round_robin`), and works only on
    the rows of these. All chips have equal room for rows. After its own rows, a chip has
    zeros. If a chip has more rows than room, the result is not defined.
  }];
}
let opDocGroup = OpGroupExperts in {

def Llm_MoeRouteOp : Llm_WorkOp<"moe_route",
    [Pure, AttrSizedOperandSegments, InferTypeOpAdaptor, SliceableOpInterface]> {
  let summary = "the experts of each token, and their shares";
  let description = [{
    Scores the experts of each token, selects `top_k` of them, and gives their shares.

    The scoring is one of these:

    - softmax: the scores are softmax(logits) (Mixtral, Qwen3);
    - sigmoid: the scores are 1 / (1 + exp(-logits)) (DeepSeek-V3);
    - topk_softmax: the largest logits are selected, and their softmax gives the shares
      (gpt-oss);
    - topk_sigmoid: the largest logits are selected, and their sigmoids are the shares
      (Llama 4);
    - sqrt_softplus: the scores are sqrt(log(1 + exp(logits))) (DeepSeek-V4).

    A `bias` is added to the scores for the selection only. With `groups`, the experts are in
    that many equal groups, and only those of `top_groups` groups may be selected. These are
    the groups whose best score is largest (DeepSeek-V2), or, with a bias, whose two best
    scores have the largest sum (DeepSeek-V3). `normalize` divides the shares by their sum.
    `scale` multiplies all shares, and `expert_scales` has a factor for each expert (Gemma
    4). With `chosen`, the experts of each token are known (DeepSeek-V4 has a table of them
    by token in its first layers), and only their shares are found.

    Shapes: logits [m, experts], bias and expert_scales [experts]; chosen [m, top_k] of
    i32; shares [m, top_k] of the logits' element type, experts [m, top_k] of i32. Loops: m,
    e, of which e is never tiled. Stages, per logit: softmax: max (1 comparison), exp_sum (2
    operations, 1 special), score (1 operation); sigmoid: score (1 operation, 2 special);
    sqrt_softplus: score (1 operation, 3 special); bias (1 operation); group (1 comparison,
    with a bias 2); select (top_k comparisons; not with `chosen`). Per row, for each selected
    expert: shares (topk_softmax: 3 operations, 1 special; topk_sigmoid: 1 and 2;
    normalize: 2 operations; scale: 1; expert_scales: 1).

    Example:
    ```mlir
    %shares, %experts = llm.moe_route "model.layers.0.mlp.route" softmax %logits top_k 8 normalize
       : tensor<4x128xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_ExpertScoringAttr:$scoring,
    Llm_TensorOfRank<2>:$logits, Optional<Llm_TensorOfRank<1>>:$bias,
    Optional<Llm_TensorOfRank<1>>:$expertScales, Optional<Llm_TensorOfRank<2>>:$chosen, I64Attr:$topK, OptionalAttr<I64Attr>:$groups,
    OptionalAttr<I64Attr>:$topGroups, UnitAttr:$normalize, OptionalAttr<F64Attr>:$scale);
  let results = (outs Llm_TensorOfRank<2>:$shares, Llm_TensorOfRank<2>:$experts);
  let useCustomPropertiesEncoding = 1; // versions 1 and 2 had no expertScales, 3 no chosen
  let assemblyFormat = [{
    ($name^)? `` $scoring $logits (`bias` $bias^)? (`expert_scales` $expertScales^)?
    (`chosen` $chosen^)? `top_k` $topK
    (`groups` $groups^ `top_groups` $topGroups)? (`normalize` $normalize^)?
    (`scale` custom<Figure>($scale)^)? attr-dict `:` type($logits) (`,` type($bias)^)?
    (`expert_scales` type($expertScales)^)? (`chosen` type($chosen)^)?
  }];
}

def Llm_MoeDispatchOp : Llm_TensorOp<"moe_dispatch", [], ["countPoints", "countElements"]> {
  let summary = "the rows of each expert together";
  let description = [{
    The result has a row of x for each expert of each token. Rows are in the order of the
    experts, and those of one expert in the order of the tokens. With `shares`, each row is
    multiplied by the share of its expert (Llama 4 scales what goes into an expert, not what
    comes out). With `own`, it has only the rows of the chip's own experts, and room for
    `rows` rows.

    Shapes: x [m, h]; experts [m, top_k] of whole numbers; shares [m, top_k]; out [m * top_k,
    h] as x, with `own` [rows, h]. Loops: m, j (the selected experts), h. Stage: gather (it
    only moves bytes; with shares 1 operation per (m, j, h)). With `own`, `rows` of the m *
    top_k choices count. If a box has a part of the choices, they count in proportion.

    Example:
    ```mlir
    %rows = llm.moe_dispatch "model.layers.0.mlp.dispatch" %x, %experts
       : tensor<4x2048xbf16>, tensor<4x8xi32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_StoredTensorOfRank<2>:$x,
    Llm_TensorOfRank<2>:$experts, Optional<Llm_TensorOfRank<2>>:$shares,
    OptionalAttr<Llm_AxesAttr>:$own, OptionalAttr<I64Attr>:$ownRows);
  let results = (outs Llm_StoredTensorOfRank<2>:$out);
  let useCustomPropertiesEncoding = 1; // versions 1 to 5 had no own
  let assemblyFormat = [{
    ($name^)? $x `,` $experts (`shares` $shares^)? (`own` custom<Axes>($own)^ `rows` $ownRows)?
    attr-dict `:` type($x) `,` type($experts) (`,` type($shares)^)?
  }];
  let hasVerifier = 1;
}

def Llm_GroupedMatmulOp : Llm_WorkOp<"grouped_matmul",
    [Pure, AttrSizedOperandSegments, InferTypeOpAdaptor, DeclareOpInterfaceMethods<OpenSizesOpInterface>,
     Llm_Sliceable<["explainUncut"]>, Llm_Summable],
    ["countElements", "getPlace"]> {
  let summary = "a matrix product for each expert";
  let description = [{
    `out[r, n] = sum_k lhs[r, k] * rhs[e(r), k, n] (+ bias[e(r), n])`, where e(r) is the
    expert of row r. The first rows_per_expert[0] rows are those of expert 0, and so on. With
    `transpose_rhs`, the weights are [e, n, k]. Each token has `top_k` rows, so that it needs
    top_k slices of the weights. The weights of an expert without rows are not read.

    `experts` has the experts of each token, as `moe_route` chose them for `moe_dispatch`.
    They say which weights are read, so that weights cannot be fetched before the experts are
    known. Without `experts`, the numbers of rows say it. When the program runs, each expert
    has the rows that `experts` names, and rows_per_expert is what was counted. `experts`
    costs nothing. While the number of rows is open, a `routing` stands for the array. It
    says how `llm-bind-shapes` will distribute the rows. With `own`, rhs and bias have the
    chip's own experts only, and rows_per_expert counts the rows of these. `experts` numbers
    all experts.

    Shapes: lhs [r, k]; rhs [experts, k, n] or [experts, n, k]; bias [experts, n]; experts
    [r / top_k, top_k] of whole numbers; out [r, n] of lhs' element type, or of the one behind
    `to`. Loops: m (the rows), n, k. Work: one MAC per (m, n, k).

    Example:
    ```mlir
    %up = llm.grouped_matmul "model.layers.0.mlp.experts.up_proj" %rows, %w experts %e
       transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2
       : tensor<8x2048xbf16>, tensor<4x768x2048xbf16> experts tensor<4x2xi32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_StoredTensorOfRank<2>:$lhs,
    Llm_StoredTensorOfRank<3>:$rhs, Optional<Llm_TensorOfRank<2>>:$bias,
    Optional<Llm_TensorOfRank<2>>:$experts, UnitAttr:$transposeRhs, DenseI64ArrayAttr:$rowsPerExpert,
    OptionalAttr<Llm_RoutingAttr>:$routing, I64Attr:$topK, OptionalAttr<TypeAttr>:$outType,
    OptionalAttr<Llm_AxesAttr>:$own);
  let results = (outs Llm_TensorOfRank<2>:$out);
  let useCustomPropertiesEncoding = 1; // versions 1 to 5 had no own
  let assemblyFormat = [{
    ($name^)? $lhs `,` $rhs (`bias` $bias^)? (`experts` $experts^)? (`transpose_rhs` $transposeRhs^)?
    `rows_per_expert` custom<RowsPerExpert>($rowsPerExpert, $routing) `top_k` $topK (`own` custom<Axes>($own)^)? (`to` $outType^)? attr-dict
    `:` type($lhs) `,` type($rhs) (`,` type($bias)^)? (`experts` type($experts)^)?
  }];
  let hasVerifier = 1;
}

def Llm_MoeCombineOp : Llm_TensorOp<"moe_combine", [], ["countPoints", "countElements"]> {
  let summary = "the shares of the experts of each token, summed up";
  let description = [{
    `out[m, h] = sum_j shares[m, j] * x[row(m, j), h]`, where row(m, j) is the row at which
    `llm.moe_dispatch` put token m for its j-th expert. Without `shares`, all shares are 1. With
    `own`, the sum is over the chip's own experts: the sum over all chips is that of all experts.

    Shapes: x [m * top_k, h], with `own` [rows, h]; experts [m, top_k] of whole numbers; shares
    [m, top_k]; out [m, h] as x. Loops: m, j (reduction), h. Stage: combine (2 operations per
    (m, j, h), without shares 1). With `own`, rows count as they do in `moe_dispatch`.

    Example:
    ```mlir
    %y = llm.moe_combine "model.layers.0.mlp.combine" %rows, %experts, %shares
       : tensor<32x2048xbf16>, tensor<4x8xi32>, tensor<4x8xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<2>:$x,
    Llm_TensorOfRank<2>:$experts, Optional<Llm_TensorOfRank<2>>:$shares,
    OptionalAttr<Llm_AxesAttr>:$own);
  let results = (outs Llm_TensorOfRank<2>:$out);
  let useCustomPropertiesEncoding = 1; // versions 1 to 5 had no own
  let assemblyFormat = [{
    ($name^)? $x `,` $experts (`,` $shares^)? (`own` custom<Axes>($own)^)? attr-dict
    `:` type($x) `,` type($experts) (`,` type($shares)^)?
  }];
  let hasVerifier = 1;
}

} // experts

#endif // LLM_DIALECT_LLMEXPERTOPS
