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

def Llm_GqaAttnOp : Llm_MaskedOp<"gqa_attn", ["getPartialReduction"]> {
  let summary = "grouped-query attention, as one fused kernel";
  let description = [{
    `out[b, s, h] = sum_t softmax_t(scale * q[b, s, h] . k[b, t, h / G] ) v[b, t, h / G]`
    with G = heads / kv_heads (Ainslie et al., 2023), over the keys that the mask lets
    query s see. The scores never leave the chip (Dao et al., FlashAttention, 2022).
    `soft_cap` and `sinks` as in `llm.softmax`.

    Shapes: q [batch, queries, heads, head_dim]; k [batch, keys, kv_heads, head_dim], v
    [batch, keys, kv_heads, value_dim]; sinks [heads]; out [batch, queries, heads,
    value_dim] of q's element type. Loops: b, h (KV heads), g (heads per KV head), s
    (queries), t (keys), d (head_dim) and, where value_dim differs, c (value_dim); d and c
    are never tiled.
    Stages: qk (one MAC per visible (s, t) and d), cap (per visible (s, t) two products and
    a hyperbolic tangent), max (one comparison per visible (s, t)), exp_sum (a multiply-add
    for scale and maximum, exponential, add), sink (per row a comparison, subtract,
    exponential, add), pv (one MAC per visible (s, t) and c), normalize (one product per
    element of out). Cut along t, a last part joins what the others make of their keys
    (FlashDecoding; Dao et al., 2023; Spec.md, Partial results).

    Example:
    ```mlir
    %o = llm.gqa_attn "model.layers.0.self_attn.attn" %q, %k, %v mask causal scale 0.125
       : tensor<1x1x32x64xbf16>, tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$query,
    Llm_StoredTensorOfRank<4>:$keys, Llm_StoredTensorOfRank<4>:$values,
    Optional<Llm_TensorOfRank<1>>:$sinks, Llm_MaskAttr:$mask, F64Attr:$scale,
    OptionalAttr<F64Attr>:$softCap);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $query `,` $keys `,` $values (`sinks` $sinks^)? `mask` `` $mask `scale` custom<Figure>($scale)
    (`soft_cap` custom<Figure>($softCap)^)? attr-dict
    `:` type($query) `,` type($keys) `,` type($values) (`,` type($sinks)^)?
  }];
}

def Llm_MlaAttnOp : Llm_MaskedOp<"mla_attn", ["getPartialReduction"]> {
  let summary = "multi-head latent attention in its absorbed form, as one fused kernel";
  let description = [{
    `out[b, s, h, c] = sum_t softmax_t(scale * q[b, s, h] . z[b, t]) z[b, t, c]` over the
    keys that the mask lets query s see, c < value_dim: all heads share one latent vector
    per position, of which all features are the key and the first value_dim the value
    (DeepSeek-V2, 2024). A latent is read once for both.

    Shapes: q [batch, queries, heads, rank + rope_dim]; z [batch, keys, 1, rank + rope_dim];
    out [batch, queries, heads, value_dim] of q's element type. Loops: b, h, s (queries),
    t (keys), d (rank + rope_dim), c (value_dim); d and c are never tiled. Stages: qk (one
    MAC per visible (s, t), h and d), max, exp_sum (as in `llm.gqa_attn`), pv (one MAC per
    visible (s, t), h and c), normalize (one product per element of out). Cut along t as
    `llm.gqa_attn`.

    Example:
    ```mlir
    %o = llm.mla_attn "model.layers.0.self_attn.attn" %q, %z value_dim 512 mask causal
       scale 0.0721687 : tensor<1x1x128x576xbf16>, tensor<1x1024x1x576xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$query,
    Llm_StoredTensorOfRank<4>:$latents, I64Attr:$valueDim, Llm_MaskAttr:$mask,
    F64Attr:$scale);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $query `,` $latents `value_dim` $valueDim `mask` `` $mask `scale` custom<Figure>($scale)
    attr-dict `:` type($query) `,` type($latents)
  }];
}

def Llm_RepeatKvOp
    : Llm_WorkOp<"repeat_kv", [Pure, InferTypeOpAdaptor, Llm_Sliceable<["explainUncut", "placeSlice"]>],
                 ["countElements"]> {
  let summary = "each KV head once for each head that reads it";
  let description = [{
    `out[b, t, h, d] = x[b, t, h / G, d]`, G = heads / kv_heads, written out: the rotated
    part of the keys of multi-head latent attention, which all heads share, where it is
    not absorbed.

    Shapes: x [batch, keys, kv_heads, d]; out [batch, keys, heads, d] of x's element type,
    or of the one behind `to`. Loops: b, t, h (KV heads), g (heads per KV head), d. Work:
    none but the bytes.

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
    `out[b, h, s, t] = scale * q[b, s, h] . k[b, t, h / G]` for visible keys, G = heads /
    kv_heads; the others are not computed.

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
