//===- LlmOps.td - Operations of the llm dialect -----------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMOPS
#define LLM_DIALECT_LLMOPS

include "LlmBase.td"
include "LlmEnums.td"
include "LlmTypes.td"
include "LlmAttrs.td"
include "../interfaces/WorkloadInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// type-C1: ranked, of float or signless integer elements.
def Llm_Tensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
/// type-C2: the rank is the one that the op's shapes show.
class Llm_TensorOfRank<int rank> : ConfinedType<Llm_Tensor,
    [HasAnyRankOfPred<[rank]>], "rank-" # rank # " tensor of float or integer values", "::mlir::RankedTensorType">;

class Llm_Op<string mnemonic, list<Trait> traits = []> : Op<Llm_Dialect, mnemonic, traits>;

/// An op that takes time: it has a name in the model's words and a workload.
class Llm_WorkOp<string mnemonic, list<Trait> traits = [], list<string> counts = []>
    : Llm_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<WorkloadOpInterface, ["getWorkloadName"] # counts>]> {
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getWorkloadName() { return getName().value_or(""); }
  }];
}

/// Work over tensors that has no effect but its results, whose types follow from the
/// operands (type-C3).
class Llm_TensorOp<string mnemonic> : Llm_WorkOp<mnemonic, [Pure, InferTypeOpAdaptor]>;

/// The same, with a mask: its counts are not products of its loops.
class Llm_MaskedOp<string mnemonic>
    : Llm_WorkOp<mnemonic, [Pure, InferTypeOpAdaptor], ["countPoints", "countElements"]>;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def OpGroupSources : OpDocGroup {
  let summary = "Sources: views without work";
  let description = "The op that consumes a source pays for the bytes that it streams.";
}
let opDocGroup = OpGroupSources in {

def Llm_WeightOp : Llm_Op<"weight",
    [Pure, DeclareOpInterfaceMethods<SourceOpInterface>]> {
  let summary = "a named weight of the model";
  let description = [{
    Shows the weight with this name, in the names of the checkpoint. Each `{}` in the name
    stands for one of `indices`, so that the equal layers of a model are one body in a
    loop. Takes no time: its consumers pay for what they stream.

    Shapes: the result is the weight as stored; a linear layer's is
    [out_features, in_features], as in PyTorch.

    Example:
    ```mlir
    %w = llm.weight "model.layers.{}.mlp.up_proj.weight"[%layer] : tensor<8192x2048xbf16>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$indices);
  let results = (outs Llm_Tensor:$result);
  let assemblyFormat = "$name (`[` $indices^ `]`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Llm_KvCacheOp : Llm_Op<"kv_cache",
    [Pure, DeclareOpInterfaceMethods<SourceOpInterface>]> {
  let summary = "a named KV cache, as it is when the program starts";
  let description = [{
    The state, at the start of the program, of the cache with this name. Each `{}` in the
    name stands for one of `indices`.

    Example:
    ```mlir
    %0 = llm.kv_cache "model.layers.{}.self_attn"[%layer]
       : !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$indices);
  let results = (outs Llm_KvCacheType:$result);
  let assemblyFormat = "$name (`[` $indices^ `]`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Llm_KvReadOp : Llm_Op<"kv_read",
    [Pure, InferTypeOpAdaptor, DeclareOpInterfaceMethods<SourceOpInterface, ["getDependences"]>]> {
  let summary = "rows of a KV cache, as tensors";
  let description = [{
    Shows positions [begin, end) of every sequence: keys and values of shape
    [batch, end - begin, kv_heads, head_dim]. Takes no time: attention pays for what it
    streams. Depends on the newest writes to these positions only.

    Example:
    ```mlir
    %k, %v = llm.kv_read %cache rows 0 to 512
       : !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>
    ```
  }];
  let arguments = (ins Llm_KvCacheType:$cache, I64Attr:$begin, I64Attr:$end);
  let results = (outs Llm_TensorOfRank<4>:$keys, Llm_TensorOfRank<4>:$values);
  let assemblyFormat = "$cache `rows` $begin `to` $end attr-dict `:` type($cache)";
}

} // sources

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

def Llm_KvCacheResource : Resource<"::mlir::llm::KvCacheResource">;

def OpGroupCache : OpDocGroup { let summary = "Cache"; let description = ""; }
let opDocGroup = OpGroupCache in {
def Llm_KvWriteOp : Llm_WorkOp<"kv_write",
    [InferTypeOpAdaptor, MemoryEffects<[MemWrite<Llm_KvCacheResource>]>,
     DeclareOpInterfaceMethods<CacheUpdateOpInterface>]> {
  let summary = "writes keys and values into a KV cache";
  let description = [{
    The state of the cache in which positions [begin, begin + seq) of every sequence hold
    the given keys and values, converted to the cache's element type.

    Shapes: keys, values [batch, seq, kv_heads, head_dim].
    Work: none but the bytes, read and written once.

    Example:
    ```mlir
    %1 = llm.kv_write "model.layers.0.self_attn.kv_write" %0, %k, %v at 511
       : !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>,
         tensor<1x1x8x64xbf16>, tensor<1x1x8x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_KvCacheType:$cache,
    Llm_TensorOfRank<4>:$keys, Llm_TensorOfRank<4>:$values, I64Attr:$begin);
  let results = (outs Llm_KvCacheType:$result);
  let assemblyFormat = [{
    ($name^)? $cache `,` $keys `,` $values `at` $begin attr-dict
    `:` type($cache) `,` type($keys) `,` type($values)
  }];
}
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

def OpGroupLinear : OpDocGroup { let summary = "Linear"; let description = ""; }
let opDocGroup = OpGroupLinear in {
def Llm_MatmulOp : Llm_TensorOp<"matmul"> {
  let summary = "a matrix product, as in a linear layer";
  let description = [{
    `out[m, n] = sum_k lhs[m, k] * rhs[k, n] (+ bias[n])`; with `transpose_rhs` the right
    operand is [n, k], as PyTorch's `nn.Linear` stores it. The batch counts as rows.

    Shapes: lhs [m, k]; rhs [k, n] or [n, k]; bias [n]; out [m, n] of lhs' element type.
    Loops: m, n, k. Work: one MAC per (m, n, k). The accumulators start at the bias: it costs
    its bytes and no work.

    Example:
    ```mlir
    %up = llm.matmul "model.layers.0.mlp.up_proj" %x, %w transpose_rhs
       : tensor<1x2048xbf16>, tensor<8192x2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<2>:$lhs,
    Llm_TensorOfRank<2>:$rhs, Optional<Llm_TensorOfRank<1>>:$bias,
    UnitAttr:$transposeRhs);
  let results = (outs Llm_TensorOfRank<2>:$out);
  let assemblyFormat = [{
    ($name^)? $lhs `,` $rhs (`bias` $bias^)? (`transpose_rhs` $transposeRhs^)? attr-dict
    `:` type($lhs) `,` type($rhs) (`,` type($bias)^)?
  }];
}
}

//===----------------------------------------------------------------------===//
// Norm and elementwise
//===----------------------------------------------------------------------===//

def OpGroupElementwise : OpDocGroup {
  let summary = "Norm and elementwise"; let description = "";
}
let opDocGroup = OpGroupElementwise in {

def Llm_RmsNormOp : Llm_TensorOp<"rmsnorm"> {
  let summary = "root mean square norm along the last dimension";
  let description = [{
    `out[.., h] = x[.., h] / sqrt(mean_h(x[.., h]^2) + epsilon) * weight[h]`
    (Zhang and Sennrich, NeurIPS 2019).

    Shapes: x [.., h], weight [h]; out as x. Loops: d0, d1, .., of which the last is never
    tiled. Stages: sum_of_squares (2 operations per element), rsqrt (one special per row),
    scale (2 per element).

    Example:
    ```mlir
    %n = llm.rmsnorm "model.layers.0.input_layernorm" %x, %w epsilon 1.0e-5
       : tensor<1x2048xbf16>, tensor<2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x,
    Llm_TensorOfRank<1>:$weight, F64Attr:$epsilon);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = [{
    ($name^)? $x `,` $weight `epsilon` $epsilon attr-dict `:` type($x) `,` type($weight)
  }];
}

def Llm_RopeOp : Llm_TensorOp<"rope"> {
  let summary = "rotary position embedding";
  let description = [{
    Rotates the pairs (x[i], x[i + head_dim / 2]) of every head by the angle
    p * theta^(-2 i / head_dim), with p = begin + s the position of token s (Su et al.,
    2021; the half-split pairing of the Hugging Face and NeoX implementations). Scaled
    variants (`rope_scaling`) change the table of angles, not the work.

    Shapes: x [batch, seq, heads, head_dim]; out as x. Loops: b, s, h, d; d is never tiled.
    Stages: angles (one sine or cosine per (s, d)), rotate (3 operations per element:
    two products and a sum).

    Example:
    ```mlir
    %r = llm.rope "model.layers.0.self_attn.q_rope" %q at 511 theta 5.0e5
       : tensor<1x1x32x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$x,
    I64Attr:$begin, F64Attr:$theta);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $x `at` $begin `theta` $theta attr-dict `:` type($x)
  }];
}

def Llm_SoftmaxOp : Llm_MaskedOp<"softmax"> {
  let summary = "softmax of attention scores along the keys";
  let description = [{
    `out[.., s, t] = exp(x[.., s, t] - max_t x[.., s, :]) / sum_t exp(..)` over the keys
    that the mask lets query s see; the others are 0. With `soft_cap` c each x is replaced
    by c tanh(x / c) before (Gemma 2). With `sinks`, each row has one more entry, sinks[h],
    in its maximum and its sum, to which no probability of a key belongs (gpt-oss; Xiao et
    al., 2023).

    Shapes: x [batch, heads, queries, keys]; sinks [heads]; out as x. Loops: b, h, s, t; t
    is never tiled.
    Stages: cap (per visible score two products and a hyperbolic tangent), max (one
    comparison per visible score), exp_sum (subtract, exponential, add), sink (per row a
    comparison, subtract, exponential, add), reciprocal (one per row), normalize (one
    product per visible score).

    Example:
    ```mlir
    %p = llm.softmax "model.layers.0.self_attn.attn.softmax" %scores mask causal
       : tensor<1x32x1x512xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$x,
    Optional<Llm_TensorOfRank<1>>:$sinks, Llm_MaskAttr:$mask, OptionalAttr<F64Attr>:$softCap);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $x (`sinks` $sinks^)? `mask` `` $mask (`soft_cap` $softCap^)? attr-dict
    `:` type($x) (`,` type($sinks)^)?
  }];
}

class Llm_BinaryOp<string mnemonic> : Llm_TensorOp<mnemonic> {
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$lhs, Llm_Tensor:$rhs);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = [{
    ($name^)? $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)
  }];
}

def Llm_AddOp : Llm_BinaryOp<"add"> {
  let summary = "elementwise sum, as of a residual";
  let description = [{
    `out = lhs + rhs`, same shape and element type. Loops: d0, d1, .. One operation per
    element.

    Example:
    ```mlir
    %y = llm.add "model.layers.0.attn_residual" %x, %o : tensor<1x2048xbf16>, tensor<1x2048xbf16>
    ```
  }];
}

def Llm_MulOp : Llm_BinaryOp<"mul"> {
  let summary = "elementwise product";
  let description = [{
    `out = lhs * rhs`, same shape and element type. Loops: d0, d1, .. One operation per
    element.

    Example:
    ```mlir
    %y = llm.mul "model.layers.0.mlp.gate_mul" %g, %u : tensor<1x8192xbf16>, tensor<1x8192xbf16>
    ```
  }];
}

def Llm_ActivationOp : Llm_TensorOp<"activation"> {
  let summary = "elementwise nonlinearity";
  let description = [{
    silu: x / (1 + exp(-x)); gelu: x/2 (1 + erf(x / sqrt 2)); gelu_tanh: its tanh form
    (Hendrycks and Gimpel, 2016); relu: max(x, 0); relu2: max(x, 0)^2.

    Loops: d0, d1, .. Work per element: silu 2 special (exponential, reciprocal) and 2
    other; gelu 1 and 4; gelu_tanh 1 and 8; relu 1 comparison; relu2 1 and 1 other.

    Example:
    ```mlir
    %a = llm.activation "model.layers.0.mlp.act_fn" silu %g : tensor<1x8192xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_ActivationKindAttr:$kind,
    Llm_Tensor:$x);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = "($name^)? `` $kind $x attr-dict `:` type($x)";
}

def Llm_SwiGluOp : Llm_BinaryOp<"swiglu"> {
  let summary = "gated linear unit with SiLU";
  let description = [{
    `out = silu(lhs) * rhs`, with lhs the gate and rhs the up projection (Shazeer, 2020).
    Same shape and element type. Loops: d0, d1, .. Work per element: 2 special
    (exponential, reciprocal) and 3 other.

    Example:
    ```mlir
    %h = llm.swiglu "model.layers.0.mlp.swiglu" %gate, %up
       : tensor<1x8192xbf16>, tensor<1x8192xbf16>
    ```
  }];
}

def Llm_GeGluOp : Llm_BinaryOp<"geglu"> {
  let summary = "gated linear unit with GELU";
  let description = [{
    `out = gelu_tanh(lhs) * rhs`, with lhs the gate and rhs the up projection (Shazeer,
    2020; the tanh form of Gemma). Same shape and element type. Loops: d0, d1, .. Work per
    element: 1 special (hyperbolic tangent) and 9 other.

    Example:
    ```mlir
    %h = llm.geglu "model.layers.0.mlp.geglu" %gate, %up
       : tensor<1x8192xbf16>, tensor<1x8192xbf16>
    ```
  }];
}

def Llm_ScaleOp : Llm_TensorOp<"scale"> {
  let summary = "elementwise product with a constant";
  let description = [{
    `out = factor * x`, such as the embeddings of Gemma. Loops: d0, d1, .. One operation
    per element.

    Example:
    ```mlir
    %y = llm.scale "model.embed_scale" %x by 45.25 : tensor<1x2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x, F64Attr:$factor);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = "($name^)? $x `by` $factor attr-dict `:` type($x)";
}

def Llm_SoftCapOp : Llm_TensorOp<"soft_cap"> {
  let summary = "values bent to stay within a cap";
  let description = [{
    `out = cap * tanh(x / cap)`, such as the logits of Gemma 2. Loops: d0, d1, .. Work per
    element: 1 special (hyperbolic tangent) and 2 other.

    Example:
    ```mlir
    %y = llm.soft_cap "lm_head.soft_cap" %logits cap 30.0 : tensor<1x256000xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x, F64Attr:$cap);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = "($name^)? $x `cap` $cap attr-dict `:` type($x)";
}

} // norm and elementwise

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def OpGroupAttention : OpDocGroup { let summary = "Attention"; let description = ""; }
let opDocGroup = OpGroupAttention in {

def Llm_GqaAttnOp : Llm_MaskedOp<"gqa_attn"> {
  let summary = "grouped-query attention, as one fused kernel";
  let description = [{
    `out[b, s, h] = sum_t softmax_t(scale * q[b, s, h] . k[b, t, h / G] ) v[b, t, h / G]`
    with G = heads / kv_heads (Ainslie et al., 2023), over the keys that the mask lets
    query s see. The scores never leave the chip (Dao et al., FlashAttention, 2022).
    `soft_cap` and `sinks` as in `llm.softmax`.

    Shapes: q [batch, queries, heads, head_dim]; k, v [batch, keys, kv_heads, head_dim];
    sinks [heads]; out as q. Loops: b, h (KV heads), g (heads per KV head), s (queries),
    t (keys), d; d is never tiled.
    Stages: qk (one MAC per visible (s, t) and d), cap (per visible (s, t) two products and
    a hyperbolic tangent), max (one comparison per visible (s, t)), exp_sum (a multiply-add
    for scale and maximum, exponential, add), sink (per row a comparison, subtract,
    exponential, add), pv (as qk), normalize (one product per element of out).

    Example:
    ```mlir
    %o = llm.gqa_attn "model.layers.0.self_attn.attn" %q, %k, %v mask causal scale 0.125
       : tensor<1x1x32x64xbf16>, tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$query,
    Llm_TensorOfRank<4>:$keys, Llm_TensorOfRank<4>:$values,
    Optional<Llm_TensorOfRank<1>>:$sinks, Llm_MaskAttr:$mask, F64Attr:$scale,
    OptionalAttr<F64Attr>:$softCap);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $query `,` $keys `,` $values (`sinks` $sinks^)? `mask` `` $mask `scale` $scale
    (`soft_cap` $softCap^)? attr-dict
    `:` type($query) `,` type($keys) `,` type($values) (`,` type($sinks)^)?
  }];
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
    Llm_TensorOfRank<4>:$keys, Llm_MaskAttr:$mask, F64Attr:$scale);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $query `,` $keys `mask` `` $mask `scale` $scale attr-dict
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
    Llm_TensorOfRank<4>:$values, Llm_MaskAttr:$mask);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $probabilities `,` $values `mask` `` $mask attr-dict
    `:` type($probabilities) `,` type($values)
  }];
}

} // attention

#endif // LLM_DIALECT_LLMOPS
