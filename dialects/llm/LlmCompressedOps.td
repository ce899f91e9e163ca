//===- LlmCompressedOps.td - Compressed keys, several streams -*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMCOMPRESSEDOPS
#define LLM_DIALECT_LLMCOMPRESSEDOPS

include "LlmRecurrentOps.td"

def OpGroupCompressed : OpDocGroup {
  let summary = "Compressed keys";
  let description = [{
    One entry stands for a window of tokens, and attention reads entries beside the last
    tokens themselves (DeepSeek-V4, 2026).
  }];
}
let opDocGroup = OpGroupCompressed in {

def Llm_CompressOp : Llm_RecurrentOp<"compress", [], ["countPoints"]> {
  let summary = "the entries of the windows that new tokens close";
  let description = [{
    Windows of m tokens follow each other from position 0 on. Once the last token of window
    w has come, its entry is, per channel, the sum of what its tokens have, weighed by a
    softmax of their gates: `out[b, i, d] = sum_j p_j values_j[d]`, p = softmax_j(gates_j[d] +
    bias_j[d]), of the tokens j of the window. If there are two halves of channels (of
    values, gates and bias, and a state of 2 m rows), these sums are over the first half of
    the m tokens before the window and over the second half of its own m tokens, together;
    before position 0 there are none.

    New tokens begin `at` a position, or at that of each sequence; all sequences close as
    many windows. Where they close none, there is no `out`. The state has values and gates of
    the last rows tokens, the oldest first. With `every_step` the next one has what the state
    behind each token is a part of: of the last rows - 1 + seq.

    Shapes: values, gates [batch, seq, halves * d]; bias [m, halves * d]; state batch x 2 x
    (halves * m) x (halves * d); out [batch, windows, d] of the values' type. Loops: b, s, g
    (halves, whole), d, j (tokens of a window, whole). Stages (vector): pool (per closed
    window, token, half and channel one MAC, 3 operations, a comparison and an exponential),
    normalize (per closed window and channel one operation and a reciprocal). New rows of the
    state are written; others are read only where a window closes that needs them.

    Example:
    ```mlir
    %entries, %next = llm.compress "model.layers.2.attn.compressor.pool" %kv, %gate bias %ape
       from %state at 1023
       : tensor<1x1x1024xbf16>, tensor<1x1x1024xbf16>, tensor<4x1024xf32>,
         !llm.state<batch = 1, 2x8x1024xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<3>:$values,
    Llm_TensorOfRank<3>:$gates, Llm_TensorOfRank<2>:$bias, Llm_StateType:$state,
    DenseI64ArrayAttr:$begin, UnitAttr:$everyStep);
  let results = (outs Optional<Llm_TensorOfRank<3>>:$out, Llm_StateType:$next);
  let assemblyFormat = [{
    ($name^)? $values `,` $gates `bias` $bias `from` $state `at` custom<KnownPositions>($begin)
    (`every_step` $everyStep^)? attr-dict `:` type(operands)
  }];
}

def Llm_CompressedAttnOp
    : Llm_WorkOp<"compressed_attn", [Pure, AttrSizedOperandSegments, InferTypeOpAdaptor],
                 ["countPoints", "countElements", "getPartialReduction"]> {
  let summary = "attention over tokens and compressed entries, as one fused kernel";
  let description = [{
    `out[b, s, h] = sum_t p_t z_t`, p = softmax(scale * q[b, s, h] . z_t): each vector is key
    and value at once, and all heads share it. The vectors are the `latents` of tokens that
    the mask lets query s see and, in the same softmax, the `entries` that `sees` lets it
    see. With `selected`, a query sees of these entries only those that are in it, by number
    (`llm.select_keys`). `sinks` as in `llm.softmax` (DeepSeek-V4, 2026).

    Shapes: q [batch, queries, heads, d]; latents [batch, tokens, 1, d]; entries [batch,
    entries, 1, d]; sinks [heads]; selected [batch, queries, 1, top] of i32; out as q. Loops:
    b, h, s, t (latents, and behind them entries, or as many as are selected), d, c (d once
    more; d and c are never tiled). Stages: qk (one MAC per visible (s, t), h and d), max,
    exp_sum, sink (as in `llm.gqa_attn`), pv (one MAC per visible (s, t), h and c), normalize.
    Cut along t as `llm.gqa_attn`.

    Example:
    ```mlir
    %o = llm.compressed_attn "model.layers.3.attn.attn" %q, %z sinks %sinks mask causal
       entries %c sees causal stride 128 lengths [4096] scale 0.0441942
       : tensor<1x1x64x512xbf16>, tensor<1x128x1x512xbf16>, tensor<64xf32>
         entries tensor<1x32x1x512xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<4>:$query,
    Llm_StoredTensorOfRank<4>:$latents, Optional<Llm_TensorOfRank<1>>:$sinks,
    Optional<Llm_StoredTensorOfRank<4>>:$entries, Optional<Llm_TensorOfRank<4>>:$selected,
    Llm_MaskAttr:$mask, OptionalAttr<Llm_MaskAttr>:$sees, F64Attr:$scale);
  let results = (outs Llm_TensorOfRank<4>:$out);
  let assemblyFormat = [{
    ($name^)? $query `,` $latents (`sinks` $sinks^)? `mask` `` $mask
    (`entries` $entries^ `sees` `` $sees)? (`selected` $selected^)? `scale` custom<Figure>($scale) attr-dict
    `:` type($query) `,` type($latents) (`,` type($sinks)^)? (`entries` type($entries)^)?
    (`selected` type($selected)^)?
  }];
}

} // compressed

def OpGroupStreams : OpDocGroup {
  let summary = "Residual streams";
  let description = [{
    Hyper-connections (Zhu et al., 2024; mHC: arXiv 2512.24880): the residual is several
    vectors of each token, which a layer reads as one weighted sum and writes back as another.
  }];
}
let opDocGroup = OpGroupStreams in {

def Llm_StreamWeightsOp : Llm_TensorOp<"stream_weights"> {
  let summary = "the weights by which a layer reads and writes residual streams";
  let description = [{
    Of m streams, x has m numbers for reading and, in a layer, m for its output and m x m for
    the streams before, row by row: x_read, x_out, x_old. `scale` has one factor for each of
    these kinds, `bias` one number for each element. All of y = scale x + bias:

    - reading: sigmoid(y_read) + epsilon;
    - of the output, what goes to each stream: 2 sigmoid(y_out);
    - of stream i, what goes to stream j: element (i, j) of C = softmax of the rows of y_old,
      plus epsilon, whose columns are divided by their sums plus epsilon, after which rows and
      columns take turns, `iterations` of both in all (Sinkhorn and Knopp, 1967).

    Out has first the m numbers for reading, then for each stream j a row of m + 1: what of
    stream 0, .. m - 1 goes to it, and what of the output: as `llm.mix_streams` takes them.
    Without `iterations`, x has the numbers for reading alone.

    Shapes: x [rows, (2 + m) m] or [rows, m]; scale [3] or [1]; bias [(2 + m) m] or [m]; out
    as x. Loops: r, i, j (streams, whole), k (elements of a row, whole), p (scales, whole).
    Stages (vector): sigmoid (per (r, i) 8 operations and 4 special, reading alone 4 and 2),
    softmax (per (r, i, j) 5 operations, 1 special, 1 comparison), normalize (per (r, i, j) 2
    operations for each of the 2 iterations - 1 times), reciprocals (per (r, i) 1 operation and
    1 special as often).

    Example:
    ```mlir
    %w = llm.stream_weights "model.layers.0.hc_attn_weights" %x scale %s bias %b streams 4
       iterations 20 epsilon 1.0e-6 : tensor<2x24xf32>, tensor<3xf32>, tensor<24xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<2>:$x,
    Llm_TensorOfRank<1>:$scale, Llm_TensorOfRank<1>:$bias, I64Attr:$streams,
    OptionalAttr<I64Attr>:$iterations, F64Attr:$epsilon);
  let results = (outs Llm_TensorOfRank<2>:$out);
  let assemblyFormat = [{
    ($name^)? $x `scale` $scale `bias` $bias `streams` $streams (`iterations` $iterations^)?
    `epsilon` custom<Figure>($epsilon) attr-dict `:` type(operands)
  }];
}

def Llm_MixStreamsOp : Llm_TensorOp<"mix_streams", [SliceableOpInterface]> {
  let summary = "weighted sums of the vectors of each row";
  let description = [{
    `out[r, n, h] = sum_k weights[r, n, k] x[r, k, h]`: each row has a small matrix of its own,
    so that this is no product for a matrix engine.

    Shapes: weights [rows, n, k]; x [rows, k, hidden]; out [rows, n, hidden] of x's element
    type. Loops: r, n (whole), k (whole), h. Stage: mac (vector; 1 MAC per (r, n, k, h)).

    Example:
    ```mlir
    %y = llm.mix_streams "model.layers.0.hc_attn_write" %w, %x
       : tensor<2x4x5xf32>, tensor<2x5x4096xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<3>:$weights,
    Llm_TensorOfRank<3>:$x);
  let results = (outs Llm_TensorOfRank<3>:$out);
  let assemblyFormat = "($name^)? $weights `,` $x attr-dict `:` type($weights) `,` type($x)";
}

} // streams

#endif // LLM_DIALECT_LLMCOMPRESSEDOPS
