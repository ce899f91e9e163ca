//===- LlmRecurrentOps.td - Layers with a state ------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMRECURRENTOPS
#define LLM_DIALECT_LLMRECURRENTOPS

include "LlmOpBase.td"
include "LlmSourceOps.td"

def OpGroupRecurrent : OpDocGroup {
  let summary = "Recurrent layers";
  let description = [{
    Recurrent layers keep a state of fixed size, which each step reads and writes whole.
    Attention keeps a cache that grows instead.
  }];
}
let opDocGroup = OpGroupRecurrent in {

/// Such an op takes a state and gives the next one.
class Llm_RecurrentOp<string mnemonic, list<Trait> traits = [], list<string> counts = []>
    : Llm_WorkOp<mnemonic, [InferTypeOpAdaptor,
        MemoryEffects<[MemWrite<Llm_KvCacheResource>]>, Llm_Sliceable<["explainUncut"]>,
        DeclareOpInterfaceMethods<StateUpdateOpInterface>] # traits,
        ["countElements"] # counts>;

def Llm_Conv1dOp : Llm_RecurrentOp<"conv1d"> {
  let summary = "causal depthwise convolution along the tokens of a sequence";
  let description = [{
    `out[b, s, c] = act(bias[c] + sum_i weight[c, i] x[b, s - K + 1 + i, c])` for i < K. Each
    channel sees its own last K inputs. The state has those before the first token, with the
    oldest first. The next state has the last K - 1 inputs. This is the short convolution of
    Mamba-2 (Dao and Gu, 2024) and of gated delta networks (Yang et al., 2024). With
    `every_step`, the next state has the last K - 2 + seq inputs, of which the state behind
    each token is a part.

    Shapes: x [batch, seq, channels]; weight [channels, K]; bias [channels]; state batch x
    (K - 1) x channels, of any float type; out as x. Loops: b, s, c, i (K taps, whole).
    Stages (vector): taps (one MAC per (b, s, c, i)), activation (that of
    `llm.activation`). The state is read and written once.

    Example:
    ```mlir
    %y, %next = llm.conv1d "model.layers.0.linear_attn.conv1d" %x, %w from %state
       activation silu
       : tensor<1x1x8192xbf16>, tensor<8192x4xbf16>, !llm.state<batch = 1, 3x8192xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<3>:$x,
    Llm_TensorOfRank<2>:$weight, Optional<Llm_TensorOfRank<1>>:$bias, Llm_StateType:$state,
    OptionalAttr<Llm_ActivationKindAttr>:$activation, UnitAttr:$everyStep);
  let results = (outs Llm_TensorOfRank<3>:$out, Llm_StateType:$next);
  let assemblyFormat = [{
    ($name^)? $x `,` $weight (`bias` $bias^)? `from` $state (`activation` `` $activation^)?
    (`every_step` $everyStep^)? attr-dict
    `:` type(operands)
  }];
}

def Llm_LinearAttnOp : Llm_RecurrentOp<"linear_attn", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ChunkedOpInterface>]> {
  let summary = "linear attention: a recurrence over a matrix per head";
  let description = [{
    Each sequence and head has a state S [key_dim, value_dim]. Each token has a query q, a key
    k, a value v, a decay e^g and a strength beta, which is 1 if it is not given. A token does

        S = diag(e^g) S
        additive: S = S + k (beta v)^T           delta: S = S + k (beta (v - S^T k))^T
        out = scale S^T q + skip v

    `additive` is Mamba-2 (Dao and Gu, 2024: q is C, k is B, beta the step) and lightning
    attention (Qin et al., 2024). `delta` is the gated delta rule (Yang et al., 2024) and,
    with a decay for each channel, Kimi delta attention (Kimi Linear, 2025). Several heads
    share the queries and keys of one key head.

    The decay is one number per head, or one per channel of the key. Without `rate`, g is
    `decay`. With it, g = -exp(rate) decay. With a `limit` as well,
    g = limit / (1 + exp(-exp(rate) decay)). With a rate and no decay, all tokens share
    g = -exp(rate). With `qk_norm`, q and k are divided by sqrt(sum of squares + qk_norm)
    first.

    With `every_step`, the next state has the state behind each token, [seq, heads, key_dim,
    value_dim], so that drafts of speculative decoding can be rejected. The op is in its step
    form then.

    Shapes: q, k [batch, seq, key_heads, key_dim]; v [batch, seq, heads, value_dim]; decay
    [batch, seq, heads] or [batch, seq, heads, key_dim]; beta [batch, seq, heads]; rate, skip
    [heads]; state batch x heads x key_dim x value_dim; out as v.

    The step form goes from token to token. Loops: b, s (in order), h (key heads), g (heads
    per key head), k (key_dim, whole), v (value_dim). Stages (vector): qk_norm, decay, update
    (3 MACs per (b, s, h, g, k, v), and with the delta rule one product more), skip.

    With `chunk` C, it goes from chunk to chunk of C tokens. Within a chunk, all work is
    products of matrices (delta: the WY form of Yang et al., 2024). Loops: b, c (chunks, in order), h, g,
    i (tokens of a chunk), j (the same, reduced), k, v; i, j, k, v are whole. Stages: qk_norm,
    decay (vector); with additive: scores (matrix, one MAC per (i, j, k) of each key head),
    mask, values (one MAC per (i, j, v)), states (2 per (i, k, v)), pass (vector); with delta:
    scores (3 MACs per (i, j, k)), mask, inverse (C^3 / 6 MACs per chunk and head), values (2
    per (i, j, v)), states (3 per (i, k, v)), pass. A chunk that is not full takes as long as
    a full one. Both forms give the same numbers.

    Example:
    ```mlir
    %o, %next = llm.linear_attn "model.layers.0.linear_attn.attn" delta %q, %k, %v decay %a
       rate %r beta %b from %state qk_norm 1.0e-6 scale 0.0883883
       : tensor<1x1x16x128xbf16>, tensor<1x1x16x128xbf16>, tensor<1x1x32x128xbf16>,
         tensor<1x1x32xbf16>, tensor<32xf32>, tensor<1x1x32xbf16>,
         !llm.state<batch = 1, 32x128x128xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_LinearRuleAttr:$rule,
    Llm_TensorOfRank<4>:$query, Llm_TensorOfRank<4>:$keys, Llm_TensorOfRank<4>:$values,
    Optional<Llm_Tensor>:$decay, Optional<Llm_TensorOfRank<1>>:$rate,
    Optional<Llm_TensorOfRank<3>>:$beta, Optional<Llm_TensorOfRank<1>>:$skip,
    Llm_StateType:$state, OptionalAttr<F64Attr>:$limit, OptionalAttr<I64Attr>:$chunk,
    OptionalAttr<F64Attr>:$qkNorm, F64Attr:$scale, UnitAttr:$everyStep);
  let results = (outs Llm_TensorOfRank<4>:$out, Llm_StateType:$next);
  let assemblyFormat = [{
    ($name^)? `` $rule $query `,` $keys `,` $values (`decay` $decay^)? (`rate` $rate^)?
    (`limit` custom<Figure>($limit)^)? (`beta` $beta^)? (`skip` $skip^)? `from` $state
    (`chunk` $chunk^)? (`qk_norm` custom<Figure>($qkNorm)^)? `scale` custom<Figure>($scale)
    (`every_step` $everyStep^)? attr-dict `:` type(operands)
  }];
}

def Llm_StateCastOp : Llm_Op<"state_cast", [AlwaysSpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TransparentOpInterface]> {
  let summary = "a state as a tensor, or a tensor as a state";
  let description = [{
    Shows the state of all sequences as one tensor [batch, shape..], or such a tensor as a
    state. The loops of `--llm-materialize-tiles` use it to take slices of a state and to
    assemble the next state from slices. The op takes no time. With `after`, the result is
    the next state after another one, which is that of the same layer. The op then has the
    memory effect of the ops that make such a state.

    Example:
    ```mlir
    %t = llm.state_cast %s : !llm.state<batch = 1, 32x128x128xf32> to tensor<1x32x128x128xf32>
    %n = llm.state_cast %t after %s
       : tensor<1x32x128x128xf32> to !llm.state<batch = 1, 32x128x128xf32>
         after !llm.state<batch = 1, 32x128x128xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Llm_StateType, Llm_Tensor]>:$x,
    Optional<Llm_StateType>:$before);
  let results = (outs AnyTypeOf<[Llm_StateType, Llm_Tensor]>:$result);
  let assemblyFormat = [{
    $x (`after` $before^)? attr-dict `:` type($x) `to` type($result) (`after` type($before)^)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

} // recurrent

#endif // LLM_DIALECT_LLMRECURRENTOPS
