//===- LlmAttentionOps.td - Attention ----------------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMATTENTIONOPS
#define LLM_DIALECT_LLMATTENTIONOPS

include "LlmOpBase.td"

def OpGroupAttention : OpDocGroup { let summary = "Attention"; let description = ""; }
let opDocGroup = OpGroupAttention in {

def Llm_SelectKeysOp : Llm_MaskedOp<"select_keys", ["getPartialReduction"]> {
  let summary = "the keys that each query attends to, by an indexer's scores";
  let description = [{
    Scores all keys that the mask lets query s see, and returns the numbers of the `top` best
    ones. The best key comes first; of keys with equal scores, the earlier one does. All of
    this is one kernel. Slots for which no key is left hold -1.

    With `weights`, the scores of the heads are summed up, and there is one selection (the
    lightning indexer of DeepSeek-V3.2, 2025):
    `score[b, s, t] = sum_h w[b, s, h] max(0, scale * q[b, s, h] . k[b, t])`. Without
    weights, each index head makes a selection of its own, with `score = scale * q . k`
    (MiniMax-M3, 2026). With `block` N, blocks of N keys are selected instead of keys. The
    score of a block is the largest score of those of its keys that query s sees. The
    `initial` first blocks, and the `local` last ones up to the block of the query's own
    key, are selected before others.

    Shapes: q [batch, queries, index_heads, index_dim]; k [batch, keys, 1, index_dim];
    weights [batch, queries, index_heads]; out [batch, queries, groups, top] of i32, where
    groups is 1 or index_heads. Loops: b, s (queries), h (index heads; with weights a
    reduction that is never tiled), t (keys), d (index_dim), n (blocks, if there are any),
    k (slots); d, n and k are never tiled.
    Stages: score (one MAC per visible (s, t), h and d), with weights weigh (per visible (s,
    t) and h a comparison and a multiply-add), select (4 comparisons per score: a radix
    select of four digits of 8 bits); with `block` pool (one comparison per score) and
    select (4 per block instead). If the op is cut along t, a last part selects among what
    the others have selected (Spec.md, Partial results).

    Example:
    ```mlir
    %sel = llm.select_keys "model.layers.0.self_attn.indexer.select" %q, %k weights %w
       mask causal scale 0.0883883 top 2048
       : tensor<1x1x64x128xbf16>, tensor<1x8192x1x128xbf16>, tensor<1x1x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_StoredTensorOfRank<4>:$query,
    Llm_StoredTensorOfRank<4>:$keys, Optional<Llm_TensorOfRank<3>>:$weights,
    Llm_MaskAttr:$mask, F64Attr:$scale, I64Attr:$top, OptionalAttr<I64Attr>:$block,
    OptionalAttr<I64Attr>:$local, OptionalAttr<I64Attr>:$initial);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $query `,` $keys (`weights` $weights^)? `mask` `` $mask `scale` custom<Figure>($scale)
    `top` $top (`block` $block^)? (`local` $local^)? (`initial` $initial^)? attr-dict
    `:` type($query) `,` type($keys) (`,` type($weights)^)?
  }];
}

def Llm_GqaAttnOp : Llm_MaskedOp<"gqa_attn", ["getPartialReduction"], [AttrSizedOperandSegments]> {
  let summary = "grouped-query attention, as one fused kernel";
  let description = [{
    `out[b, s, h] = sum_t softmax_t(scale * q[b, s, h] . k[b, t, h / G] ) v[b, t, h / G]`
    with G = heads / kv_heads (Ainslie et al., 2023), over the keys that the mask lets
    query s see. The scores never leave the chip (Dao et al., FlashAttention, 2022).
    `soft_cap` and `sinks` mean what they mean in `llm.softmax`. With `selected`, a query
    sees only those of these keys whose numbers are in it, or that lie in the blocks of
    `block` keys that it names. There is one group of numbers for all heads, or one for the
    heads of each KV head (`llm.select_keys`).

    Shapes: q [batch, queries, heads, head_dim]; k [batch, keys, kv_heads, head_dim], v
    [batch, keys, kv_heads, value_dim]; sinks [heads]; selected [batch, queries, 1 or
    kv_heads, top] of i32; out [batch, queries, heads,
    value_dim] of q's element type; lse [batch, queries, heads] of f32. Loops: b, h (KV
    heads), g (heads per KV head), s
    (queries), t (keys), d (head_dim) and, where value_dim differs, c (value_dim); d and c
    are never tiled.
    Stages: qk (one MAC per visible (s, t) and d), cap (per visible (s, t) two products and
    a hyperbolic tangent), max (one comparison per visible (s, t)), exp_sum (a multiply-add
    for scale and maximum, exponential, add), sink (per row a comparison, subtract,
    exponential, add), pv (one MAC per visible (s, t) and c), normalize (one product per
    element of out). If the op is cut along t, a last part joins what the others make of
    their keys (FlashDecoding; Dao et al., 2023; Spec.md, Partial results). With `selected`,
    loop t runs over the selected keys, and each query reads its own.

    With `return_lse`, a second result says what the keys weigh beside others:
    `lse[b, s, h] = log sum_t exp(score[b, s, h, t])`, which counts a sink, too
    (`return_softmax_lse` in FlashAttention). `llm.join_attn` joins such results.

    Example:
    ```mlir
    %o = llm.gqa_attn "model.layers.0.self_attn.attn" %q, %k, %v mask causal scale 0.125
       : tensor<1x1x32x64xbf16>, tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$query,
    Llm_StoredTensorOfRank<4>:$keys, Llm_StoredTensorOfRank<4>:$values,
    Optional<Llm_TensorOfRank<1>>:$sinks, Optional<Llm_TensorOfRank<4>>:$selected,
    Llm_MaskAttr:$mask, F64Attr:$scale, OptionalAttr<F64Attr>:$softCap, OptionalAttr<I64Attr>:$block,
    UnitAttr:$returnLse);
  let results = (outs Llm_TensorOfRank<4>:$out, Optional<Llm_TensorOfRank<3>>:$lse);
  let useCustomPropertiesEncoding = 1; // versions 1 and 2 had no selected, and 6 no return_lse
  let assemblyFormat = [{
    ($name^)? $query `,` $keys `,` $values (`sinks` $sinks^)? (`selected` $selected^ (`block` $block^)?)?
    `mask` `` $mask `scale` custom<Figure>($scale)
    (`soft_cap` custom<Figure>($softCap)^)? (`return_lse` $returnLse^)? attr-dict
    `:` type($query) `,` type($keys) `,` type($values) (`,` type($sinks)^)? (`selected` type($selected)^)?
  }];
}

def Llm_MlaAttnOp : Llm_MaskedOp<"mla_attn", ["getPartialReduction"]> {
  let summary = "multi-head latent attention in its absorbed form, as one fused kernel";
  let description = [{
    `out[b, s, h, c] = sum_t softmax_t(scale * q[b, s, h] . z[b, t]) z[b, t, c]` over the
    keys that the mask lets query s see, for c < value_dim. All heads share one latent
    vector per position. All of its features are the key, and the first value_dim ones are
    the value (DeepSeek-V2, 2024). A latent is read once for both. With `selected`, a query
    sees only those of these keys whose numbers are in it (`llm.select_keys`;
    DeepSeek-V3.2).

    Shapes: q [batch, queries, heads, rank + rope_dim]; z [batch, keys, 1, rank + rope_dim];
    selected [batch, queries, 1, top] of i32; out [batch, queries, heads, value_dim] of q's
    element type; lse [batch, queries, heads] of f32. Loops: b, h, s (queries), t (keys), d
    (rank + rope_dim), c (value_dim); d
    and c are never tiled. Stages: qk (one MAC per visible (s, t), h and d), max, exp_sum (as
    in `llm.gqa_attn`), pv (one MAC per visible (s, t), h and c), normalize (one product per
    element of out). If the op is cut along t, or has `selected` or `return_lse`, it does as
    `llm.gqa_attn` does.

    Example:
    ```mlir
    %o = llm.mla_attn "model.layers.0.self_attn.attn" %q, %z value_dim 512 mask causal
       scale 0.0721687 : tensor<1x1x128x576xbf16>, tensor<1x1024x1x576xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$query,
    Llm_StoredTensorOfRank<4>:$latents, I64Attr:$valueDim, Optional<Llm_TensorOfRank<4>>:$selected,
    Llm_MaskAttr:$mask, F64Attr:$scale, OptionalAttr<I64Attr>:$block, UnitAttr:$returnLse);
  let results = (outs Llm_TensorOfRank<4>:$out, Optional<Llm_TensorOfRank<3>>:$lse);
  let useCustomPropertiesEncoding = 1; // versions 1 and 2 had no selected, and 6 no return_lse
  let assemblyFormat = [{
    ($name^)? $query `,` $latents `value_dim` $valueDim (`selected` $selected^ (`block` $block^)?)?
    `mask` `` $mask `scale` custom<Figure>($scale) (`return_lse` $returnLse^)?
    attr-dict `:` type($query) `,` type($latents) (`selected` type($selected)^)?
  }];
}

def Llm_JoinAttnOp : Llm_TensorOp<"join_attn"> {
  let summary = "attention over all keys, from what parts of the keys give";
  let description = [{
    Each part is attention over some of the keys, with the log-sum-exp of its scores
    (`return_lse`). Together they give attention over all of them:
    `out[b, s, h] = sum_p e[p] x[b, p S + s, h] / sum_p e[p]`, with S queries and
    e[p] = exp(lse[b, p S + s, h]). A sink of a head is an entry of the lower sum,
    exp(sinks[h]), so that the parts must have none. (FlashDecoding: Dao et al., 2023; across
    chips: Helix parallelism: Bhatia et al., 2025; `cp_lse_ag_out_rs` in vLLM.)

    Shapes: x [batch, parts * queries, heads, value_dim]; lse [batch, parts * queries, heads]
    of f32; sinks [heads]; out [batch, queries, heads, value_dim] of x's element type. Loops:
    b, p (parts), s (queries), h, c (value_dim). Stages: max (one comparison per (b, p, s,
    h)), exp_sum (per (b, p, s, h) two Alu operations and an exponential), sink (as in
    `llm.gqa_attn`), add (a multiply-add per (b, p, s, h, c)), normalize (one product per
    element of out).

    Example:
    ```mlir
    %o = llm.join_attn "model.layers.0.self_attn.attn.join" %x, %lse parts 4
       : tensor<1x4x8x512xbf16>, tensor<1x4x8xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$x,
    Llm_TensorOfRank<3>:$lse, Optional<Llm_TensorOfRank<1>>:$sinks, I64Attr:$parts);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $x `,` $lse (`sinks` $sinks^)? `parts` $parts attr-dict
    `:` type($x) `,` type($lse) (`,` type($sinks)^)?
  }];
}

def Llm_RepeatKvOp
    : Llm_WorkOp<"repeat_kv", [Pure, InferTypeOpAdaptor, Llm_Sliceable<["explainUncut", "placeSlice"]>],
                 ["countElements"]> {
  let summary = "each KV head once for each head that reads it";
  let description = [{
    `out[b, t, h, d] = x[b, t, h / G, d]`, with G = heads / kv_heads. The copies are written
    to memory. Multi-head latent attention needs this if it is not absorbed: all heads share
    the rotated part of its keys.

    Shapes: x [batch, keys, kv_heads, d]; out [batch, keys, heads, d] of x's element type,
    or of the one behind `to`. Loops: b, t, h (KV heads), g (heads per KV head), d. Work:
    none; the op only moves bytes.

    Example:
    ```mlir
    %k = llm.repeat_kv "model.layers.0.self_attn.k_rope_repeat" %x heads 128
       : tensor<1x512x1x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_StoredTensorOfRank<4>:$x,
    I64Attr:$heads, OptionalAttr<TypeAttr>:$outType);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = "($name^)? $x `heads` $heads (`to` $outType^)? attr-dict `:` type($x)";
  let hasFolder = 1;
}

def Llm_QkOp : Llm_MaskedOp<"qk"> {
  let summary = "attention scores";
  let description = [{
    `out[b, h, s, t] = scale * q[b, s, h] . k[b, t, h / G]` for visible keys, with G = heads /
    kv_heads. The scores of other keys are not computed.

    Shapes: q [batch, queries, heads, head_dim]; k [batch, keys, kv_heads, head_dim];
    out [batch, heads, queries, keys] of q's element type. Loops: b, h, g, s, t, d.
    Work: one MAC per visible (s, t) and d. The scale is applied where the score leaves the
    accumulator and is not counted.

    Example:
    ```mlir
    %scores = llm.qk "model.layers.0.self_attn.attn.qk" %q, %k mask causal scale 0.125
       : tensor<1x1x32x64xbf16>, tensor<1x512x8x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$query,
    Llm_StoredTensorOfRank<4>:$keys, Llm_MaskAttr:$mask, F64Attr:$scale);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $query `,` $keys `mask` `` $mask `scale` custom<Figure>($scale) attr-dict
    `:` type($query) `,` type($keys)
  }];
}

def Llm_PvOp : Llm_MaskedOp<"pv"> {
  let summary = "attention output from probabilities";
  let description = [{
    `out[b, s, h] = sum_t p[b, h, s, t] v[b, t, h / G]` over visible keys.

    Shapes: p [batch, heads, queries, keys]; v [batch, keys, kv_heads, head_dim]; out
    [batch, queries, heads, head_dim] of p's element type. Loops: b, h, g, s, t, d.
    Work: one MAC per visible (s, t) and d.

    Example:
    ```mlir
    %o = llm.pv "model.layers.0.self_attn.attn.pv" %p, %v mask causal
       : tensor<1x32x1x512xbf16>, tensor<1x512x8x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$probabilities,
    Llm_StoredTensorOfRank<4>:$values, Llm_MaskAttr:$mask);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $probabilities `,` $values `mask` `` $mask attr-dict
    `:` type($probabilities) `,` type($values)
  }];
}

} // attention

#endif // LLM_DIALECT_LLMATTENTIONOPS
