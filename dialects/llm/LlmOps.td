//===- LlmOps.td - Linear, norm and elementwise ops --------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMOPS
#define LLM_DIALECT_LLMOPS

include "LlmOpBase.td"

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

def OpGroupLinear : OpDocGroup { let summary = "Linear"; let description = ""; }
let opDocGroup = OpGroupLinear in {
def Llm_MatmulOp : Llm_TensorOp<"matmul", [SliceableOpInterface, Llm_Summable],
                                 ["getPartialReduction"]> {
  let summary = "a matrix product, as in a linear layer";
  let description = [{
    `out[m, n] = sum_k lhs[m, k] * rhs[k, n] (+ bias[n])`. With `transpose_rhs`, the right
    operand is [n, k], as PyTorch's `nn.Linear` stores it. The batch counts as rows.

    Shapes: lhs [m, k]; rhs [k, n] or [n, k]; bias [n]; out [m, n] of lhs' element type, or
    of the one behind `to`, which a quantized lhs needs. Loops: m, n, k. Work: one MAC per
    (m, n, k), in the wider of the types of lhs' and rhs' values. The accumulators start at
    the bias, which costs its bytes and no work. The scales of a quantized operand are
    applied when a sum leaves the accumulators, and are not counted. If the op is cut along
    k, parts write 32-bit sums, which a last part adds up (split-K; Spec.md, Partial
    results).

    Example:
    ```mlir
    %up = llm.matmul "model.layers.0.mlp.up_proj" %x, %w transpose_rhs
       : tensor<1x2048xbf16>, tensor<8192x2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_StoredTensorOfRank<2>:$lhs,
    Llm_StoredTensorOfRank<2>:$rhs, Optional<Llm_TensorOfRank<1>>:$bias,
    UnitAttr:$transposeRhs, OptionalAttr<TypeAttr>:$outType);
  let results = (outs Llm_TensorOfRank<2>:$out);
  let assemblyFormat = [{
    ($name^)? $lhs `,` $rhs (`bias` $bias^)? (`transpose_rhs` $transposeRhs^)?
    (`to` $outType^)? attr-dict `:` type($lhs) `,` type($rhs) (`,` type($bias)^)?
  }];
}

def Llm_BatchMatmulOp : Llm_TensorOp<"batch_matmul", [SliceableOpInterface, Llm_Summable],
                                 ["getPartialReduction"]> {
  let summary = "a matrix product for each head";
  let description = [{
    `out[m, b, n] = sum_k lhs[m, b, k] * rhs[b, k, n]`. With `transpose_rhs`, the right
    operand is [b, n, k]. Tokens come first, because activations have the heads of a token
    together. In multi-head latent attention, the op carries queries into the space of the
    latents, and outputs back (DeepSeek-V2, 2024: the absorbed form).

    Shapes: lhs [m, b, k]; rhs [b, k, n] or [b, n, k]; out [m, b, n] of lhs' element type,
    or of the one behind `to`. Loops: b, m, n, k. Work: one MAC per (b, m, n, k). If the op
    is cut along k, it does as `llm.matmul` does.

    Example:
    ```mlir
    %q = llm.batch_matmul "model.layers.0.self_attn.q_absorb" %q_nope, %w
       : tensor<1x128x128xbf16>, tensor<128x128x512xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_StoredTensorOfRank<3>:$lhs,
    Llm_StoredTensorOfRank<3>:$rhs, UnitAttr:$transposeRhs, OptionalAttr<TypeAttr>:$outType);
  let results = (outs Llm_TensorOfRank<3>:$out);
  let assemblyFormat = [{
    ($name^)? $lhs `,` $rhs (`transpose_rhs` $transposeRhs^)? (`to` $outType^)? attr-dict
    `:` type($lhs) `,` type($rhs)
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

def Llm_RmsNormOp : Llm_TensorOp<"rmsnorm", [SliceableOpInterface]> {
  let summary = "root mean square norm along the last dimension";
  let description = [{
    `out[.., h] = x[.., h] / sqrt(mean_h(x[.., h]^2) + epsilon) * weight[h]`
    (Zhang and Sennrich, NeurIPS 2019). Llama 4 normalizes queries and keys without a weight.
    With `add_unit_offset`, the factor is 1 + weight[h] (Gemma). This sum is not counted,
    because it can be made before. The weight may have more of x's last dimensions: if groups
    of a row are normalized, each has its own weight (Mamba-2).

    Shapes: x [.., h], weight [h] or [.., h], the last dimensions of x; out as x. Loops: d0,
    d1, .., of which the last is never tiled. Stages: sum_of_squares (2 operations per element), rsqrt (one special per row),
    scale (2 per element; without a weight 1).

    Example:
    ```mlir
    %n = llm.rmsnorm "model.layers.0.input_layernorm" %x, %w epsilon 1.0e-5
       : tensor<1x2048xbf16>, tensor<2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x,
    Optional<Llm_Tensor>:$weight, F64Attr:$epsilon, UnitAttr:$addUnitOffset);
  let results = (outs Llm_Tensor:$out);
  let useCustomPropertiesEncoding = 1; // version 1 had no addUnitOffset
  let assemblyFormat = [{
    ($name^)? $x (`,` $weight^)? (`add_unit_offset` $addUnitOffset^)? `epsilon` custom<Figure>($epsilon) attr-dict
    `:` type($x) (`,` type($weight)^)?
  }];
}

def Llm_RopeOp : Llm_TensorOp<"rope", [DeclareOpInterfaceMethods<OpenSizesOpInterface>,
    Llm_Sliceable<["explainUncut", "placeSlice"]>]> {
  let summary = "rotary position embedding";
  let description = [{
    Rotates the pairs (x[i], x[i + head_dim / 2]) of every head by the angle
    p * theta^(-2 i / head_dim), where p = begin + s is the position of token s (Su et al.,
    2021). Hugging Face and NeoX pair features in this way. If `interleaved`, the pairs are
    (x[2 i], x[2 i + 1]) (the paper; Llama 4, DeepSeek, GGUF files of Llama). `scaling`
    changes the angles, not the work. In a ragged batch, `begin` has a number for each
    sequence. With a `stride` m, tokens stand m positions apart, as entries that stand for m
    tokens do. `inverse` rotates by the negative angle.

    Shapes: x [batch, seq, heads, head_dim]; out as x. Loops: b, s, h, d; d is never tiled.
    Stages: angles (one sine or cosine per (s, d), in a ragged batch per (b, s, d)), rotate
    (3 operations per element: two products and a sum).

    Example:
    ```mlir
    %r = llm.rope "model.layers.0.self_attn.q_rope" %q at 511 theta 5.0e5
       : tensor<1x1x32x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$x,
    Variadic<Index>:$dynamicBegin, DenseI64ArrayAttr:$begin, F64Attr:$theta,
    OptionalAttr<Llm_RopeScalingAttr>:$scaling, UnitAttr:$interleaved,
    OptionalAttr<I64Attr>:$stride, UnitAttr:$inverse);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let useCustomPropertiesEncoding = 1; // version 1 had neither scaling nor interleaved, 3 no stride
  let assemblyFormat = [{
    ($name^)? $x `at` custom<Positions>($dynamicBegin, $begin) `theta` custom<Figure>($theta)
    (`scaling` $scaling^)? (`interleaved` $interleaved^)? (`stride` $stride^)?
    (`inverse` $inverse^)? attr-dict `:` type($x)
  }];
  let extraClassDeclaration = [{
    /// Returns the radians per position of each pair of features.
    ::llvm::SmallVector<double> getFrequencies();
  }];
}

def Llm_LayerNormOp : Llm_TensorOp<"layernorm", [SliceableOpInterface]> {
  let summary = "layer norm along the last dimension";
  let description = [{
    `out[.., h] = (x[.., h] - mean) / sqrt(variance + epsilon) * weight[h] + bias[h]`, with
    mean and variance over h (Ba et al., 2016). Without a bias, none is added (Cohere).

    Shapes: x [.., h]; weight, bias [h]; out as x. Loops: d0, d1, .., of which the last is
    never tiled. Stages: sums (of x and of x^2: 3 operations per element), rsqrt (one
    special per row), scale (4 per element, 3 without a bias).

    Example:
    ```mlir
    %n = llm.layernorm "model.layers.0.self_attn.indexer.k_norm" %x, %w, %b epsilon 1.0e-6
       : tensor<1x128xbf16>, tensor<128xbf16>, tensor<128xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x,
    Llm_TensorOfRank<1>:$weight, Optional<Llm_TensorOfRank<1>>:$bias, F64Attr:$epsilon);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = [{
    ($name^)? $x `,` $weight (`,` $bias^)? `epsilon` custom<Figure>($epsilon) attr-dict
    `:` type($x) `,` type($weight) (`,` type($bias)^)?
  }];
}

def Llm_SoftmaxOp : Llm_MaskedOp<"softmax"> {
  let summary = "softmax of attention scores along the keys";
  let description = [{
    `out[.., s, t] = exp(x[.., s, t] - max_t x[.., s, :]) / sum_t exp(..)` over the keys
    that the mask lets query s see. The others are 0. With `soft_cap` c, each x is replaced
    by c tanh(x / c) first (Gemma 2). With `sinks`, the maximum and the sum of each row have
    one more entry, sinks[h]. No key has its probability (gpt-oss; Xiao et al., 2023).

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
    ($name^)? $x (`sinks` $sinks^)? `mask` `` $mask (`soft_cap` custom<Figure>($softCap)^)? attr-dict
    `:` type($x) (`,` type($sinks)^)?
  }];
}

class Llm_BinaryOp<string mnemonic> : Llm_TensorOp<mnemonic, [SliceableOpInterface]> {
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$lhs, Llm_Tensor:$rhs);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = [{
    ($name^)? $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)
  }];
}

def Llm_AddOp : Llm_BinaryOp<"add"> {
  let summary = "elementwise sum, as of a residual";
  let description = [{
    `out = lhs + rhs`. All have the same shape and element type. Loops: d0, d1, .. Work: one
    operation per element.

    Example:
    ```mlir
    %y = llm.add "model.layers.0.attn_residual" %x, %o : tensor<1x2048xbf16>, tensor<1x2048xbf16>
    ```
  }];
}

def Llm_MulOp : Llm_BinaryOp<"mul"> {
  let summary = "elementwise product";
  let description = [{
    `out = lhs * rhs`, of the element type of lhs. A rhs of a smaller shape is broadcast, as
    NumPy does it: its dimensions are the last ones of lhs, and one of size 1 stands for any
    size. In this way a layer has one factor (Gemma 4), or each feature has one.

    Loops: d0, d1, .. Work: one operation per element. rhs is read as it is stored.

    Example:
    ```mlir
    %y = llm.mul "model.layers.0.mlp.gate_mul" %g, %u : tensor<1x8192xbf16>, tensor<1x8192xbf16>
    ```
  }];
  let extraClassDeclaration = [{
    /// Maps indices of lhs to those of rhs. These are the last dimensions; one that
    /// is broadcast has index 0.
    ::mlir::AffineMap getRhsMap();
  }];
}

def Llm_ActivationOp : Llm_TensorOp<"activation", [SliceableOpInterface]> {
  let summary = "elementwise nonlinearity";
  let description = [{
    silu: x / (1 + exp(-x)); gelu: x/2 (1 + erf(x / sqrt 2)); gelu_tanh: its tanh form
    (Hendrycks and Gimpel, 2016); relu: max(x, 0); relu2: max(x, 0)^2; sigmoid:
    1 / (1 + exp(-x)); softplus: log(1 + exp(x)). A `bias` is added to x first.

    Shapes: x of any rank, bias [last dimension of x]; out as x. Loops: d0, d1, .. Work per
    element: silu 2 special (exponential, reciprocal) and 2 other; gelu 1 and 4; gelu_tanh 1
    and 8; relu 1 comparison; relu2 1 and 1 other; sigmoid 2 special and 1 other; softplus 2
    special (exponential, logarithm) and 1 other; a bias adds 1 other.

    Example:
    ```mlir
    %a = llm.activation "model.layers.0.mlp.act_fn" silu %g : tensor<1x8192xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_ActivationKindAttr:$kind,
    Llm_Tensor:$x, Optional<Llm_TensorOfRank<1>>:$bias);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = [{
    ($name^)? `` $kind $x (`bias` $bias^)? attr-dict `:` type($x) (`,` type($bias)^)?
  }];
}

def Llm_SwiGluOp : Llm_TensorOp<"swiglu", [SliceableOpInterface]> {
  let summary = "gated linear unit with SiLU";
  let description = [{
    `out = silu(lhs) * rhs`, where lhs is the gate and rhs the up projection (Shazeer, 2020).
    With a `limit` L, it is the clamped form of gpt-oss: with g = min(lhs, L) and
    u = max(-L, min(rhs, L)), `out = g / (1 + exp(-1.702 g)) * (u + 1)`. With a `clamp` L
    (DeepSeek-V4), g and u are the same, and `out = silu(g) * u`. With `caps` a, b, it is
    SiTU (Kimi K3): `out = a tanh(lhs / a) / (1 + exp(-lhs)) * b tanh(rhs / b)`.

    All have the same shape and element type. Loops: d0, d1, .. Work per element: 2 special
    (exponential, reciprocal) and 3 other. A limit adds 3 comparisons and 2 other, a clamp 3
    comparisons, and caps 2 special (hyperbolic tangents) and 4 other.

    Example:
    ```mlir
    %h = llm.swiglu "model.layers.0.mlp.swiglu" %gate, %up
       : tensor<1x8192xbf16>, tensor<1x8192xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$lhs, Llm_Tensor:$rhs,
    OptionalAttr<F64Attr>:$limit, OptionalAttr<F64Attr>:$clamp,
    OptionalAttr<F64Attr>:$gateCap, OptionalAttr<F64Attr>:$upCap);
  let results = (outs Llm_Tensor:$out);
  let useCustomPropertiesEncoding = 1; // version 2 had only the limit
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$name, "::mlir::Value":$gate, "::mlir::Value":$up), [{
    build($_builder, $_state, name, gate, up, ::mlir::FloatAttr(), ::mlir::FloatAttr(),
          ::mlir::FloatAttr(), ::mlir::FloatAttr());
  }]>];
  let assemblyFormat = [{
    ($name^)? $lhs `,` $rhs (`limit` custom<Figure>($limit)^)? (`clamp` custom<Figure>($clamp)^)?
    (`caps` custom<Figure>($gateCap)^ `,` custom<Figure>($upCap))? attr-dict `:` type($lhs) `,` type($rhs)
  }];
}

def Llm_GeGluOp : Llm_BinaryOp<"geglu"> {
  let summary = "gated linear unit with GELU";
  let description = [{
    `out = gelu_tanh(lhs) * rhs`, where lhs is the gate and rhs the up projection (Shazeer,
    2020; the tanh form of Gemma). All have the same shape and element type. Loops: d0, d1,
    .. Work per element: 1 special (hyperbolic tangent) and 9 other.

    Example:
    ```mlir
    %h = llm.geglu "model.layers.0.mlp.geglu" %gate, %up
       : tensor<1x8192xbf16>, tensor<1x8192xbf16>
    ```
  }];
}

def Llm_ScaleOp : Llm_TensorOp<"scale", [SliceableOpInterface]> {
  let summary = "elementwise product with a constant";
  let description = [{
    `out = factor * x`. Gemma scales its embeddings in this way. Loops: d0, d1, .. Work: one
    operation per element.

    Example:
    ```mlir
    %y = llm.scale "model.embed_scale" %x by 45.25 : tensor<1x2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x, F64Attr:$factor);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = "($name^)? $x `by` custom<Figure>($factor) attr-dict `:` type($x)";
  let hasFolder = 1;
}

def Llm_SoftCapOp : Llm_TensorOp<"soft_cap", [SliceableOpInterface]> {
  let summary = "a smooth limit of values";
  let description = [{
    `out = cap * tanh(x / cap)`. Gemma 2 limits its logits in this way. Loops: d0, d1, ..
    Work per element: 1 special (hyperbolic tangent) and 2 other.

    Example:
    ```mlir
    %y = llm.soft_cap "lm_head.soft_cap" %logits cap 30.0 : tensor<1x256000xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x, F64Attr:$cap);
  let results = (outs Llm_Tensor:$out);
  let assemblyFormat = "($name^)? $x `cap` custom<Figure>($cap) attr-dict `:` type($x)";
}

def Llm_PositionScaleOp : Llm_TensorOp<"position_scale",
    [DeclareOpInterfaceMethods<OpenSizesOpInterface>, Llm_Sliceable<["explainUncut", "placeSlice"]>]> {
  let summary = "a temperature that grows with the position";
  let description = [{
    `out[b, s, h, d] = x[b, s, h, d] * (1 + slope * ln(1 + floor((p + 1) / step)))`, where
    p = begin + s is the position of token s. Llama 4 scales the queries of those layers in
    this way that have no rotary embedding.

    Shapes: x [batch, seq, heads, head_dim]; out as x. Loops: b, s, h, d. Stages: factors
    (per s, in a ragged batch per (b, s), a logarithm and 5 operations), scale (one product
    per element).

    Example:
    ```mlir
    %r = llm.position_scale "model.layers.3.self_attn.q_temperature" %q at 511 step 8192
       slope 1.0e-1 : tensor<1x1x40x128xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$x,
    Variadic<Index>:$dynamicBegin, DenseI64ArrayAttr:$begin, I64Attr:$step, F64Attr:$slope);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $x `at` custom<Positions>($dynamicBegin, $begin) `step` $step `slope` custom<Figure>($slope) attr-dict `:` type($x)
  }];
}

def Llm_QuantizeOp : Llm_TensorOp<"quantize", [Llm_Sliceable<["explainUncut"]>]> {
  let summary = "activations in a narrower type";
  let description = [{
    The result has the same values in the type behind `to`. If it is a plain type, they are
    rounded to it. It may also be scaled in blocks. Scales are found from the largest
    magnitude of each block. `static` ones are known before, from a calibration: `by` has the
    one of the last layer. Without `by`, such a program can be costed and not run.

    Shapes: x of any rank; out as x, of the new element type. Loops: d0, d1, .., of which
    the last is never tiled if scales are found. Stages: amax (if scales are found: 1
    comparison per element), quantize (2 operations per element: scale, round). The
    reciprocal of each block's scale is not counted.

    Example:
    ```mlir
    %q = llm.quantize "model.layers.0.mlp.up_proj.quantize" %x
       to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<1x2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_Tensor:$x, Optional<Llm_Tensor>:$scale,
    UnitAttr:$isStatic, TypeAttr:$type);
  let results = (outs Llm_StoredTensor:$out);
  let assemblyFormat = [{
    ($name^)? $x (`static` $isStatic^)? (`by` $scale^)? `to` $type attr-dict
    `:` type($x) (`,` type($scale)^)?
  }];
  let hasFolder = 1;
}

} // norm and elementwise

#endif // LLM_DIALECT_LLMOPS
