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
    Windows of m tokens follow each other from position 0 on. A window is closed by its last
    token. Its entry then is, for each channel, the sum of the values of its tokens, weighted
    by a softmax of their gates: `out[b, i, d] = sum_j p_j values_j[d]`, p =
    softmax_j(gates_j[d] + bias_j[d]), for the tokens j of the window. Values, gates and bias
    may have two halves of channels, and the state then 2 m rows. In this case one sum is
    over the first half of the m tokens before the window and the second half of its own m
    tokens, together. There are no tokens before position 0.

    New tokens begin `at` a position, or at one for each sequence. All sequences close the
    same number of windows. If they close none, there is no `out`. The state has the values
    and gates of the last rows tokens, where rows is its size; the oldest come first. With
    `every_step`, the next state has those of the last rows - 1 + seq tokens, of which the
    state behind each token is a part.

    Shapes: values, gates [batch, seq, halves * d]; bias [m, halves * d]; state batch x 2 x
    (halves * m) x (halves * d); out [batch, windows, d] of the values' type. Loops: b, s, g
    (halves, whole), d, j (tokens of a window, whole). Stages (vector): pool (per closed
    window, token, half and channel one MAC, 3 operations, a comparison and an exponential),
    normalize (per closed window and channel one operation and a reciprocal). New rows of the
    state are written. Other rows are read only if a window closes that needs them.

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
    : Llm_WorkOp<"compressed_attn", [Pure, AttrSizedOperandSegments, InferTypeOpAdaptor, Llm_Sliceable<["explainUncut"]>],
                 ["countPoints", "countElements", "getPartialReduction"]> {
  let summary = "attention over tokens and compressed entries, as one fused kernel";
  let description = [{
    `out[b, s, h] = sum_t p_t z_t`, p = softmax(scale * q[b, s, h] . z_t). Each vector is key
    and value at once, and all heads share it. The vectors are the `latents` of tokens that
    the mask lets query s see and, in the same softmax, the `entries` that `sees` lets it
    see. With `selected`, a query sees only those of these entries whose numbers are in it
    (`llm.select_keys`). `sinks` mean what they mean in `llm.softmax` (DeepSeek-V4, 2026).

    Shapes: q [batch, queries, heads, d]; latents [batch, tokens, 1, d]; entries [batch,
    entries, 1, d]; sinks [heads]; selected [batch, queries, 1, top] of i32; out as q. Loops:
    b, h, s, t (latents, and behind them entries, or the selected ones), d, c (d once
    more; d and c are never tiled). Stages: qk (one MAC per visible (s, t), h and d), max,
    exp_sum, sink (as in `llm.gqa_attn`), pv (one MAC per visible (s, t), h and c), normalize.
    If the op is cut along t, it does as `llm.gqa_attn` does.

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
    With hyper-connections (Zhu et al., 2024; mHC: arXiv 2512.24880), the residual is several
    vectors of each token. A layer reads one weighted sum of them and writes back another.
  }];
}
let opDocGroup = OpGroupStreams in {

def Llm_StreamWeightsOp : Llm_TensorOp<"stream_weights"> {
  let summary = "the weights by which a layer reads and writes residual streams";
  let description = [{
    There are m streams. x has m numbers x_read for reading. In a layer it also has m numbers
    x_out for the layer's output, and m x m numbers x_old for the streams before, row by row.
    `scale` has one factor for each of these kinds, and `bias` has one number for each
    element. With y = scale x + bias, the weights are:

    - for reading: sigmoid(y_read) + epsilon;
    - for what goes from the output to each stream: 2 sigmoid(y_out);
    - for what goes from stream i to stream j: element (i, j) of a matrix C. C begins as the
      softmax of the rows of y_old, plus epsilon. Its columns are divided by their sums plus
      epsilon. Then its rows and its columns are divided in turn, until both were divided
      `iterations` times (Sinkhorn and Knopp, 1967).

    Out has the m numbers for reading first. Then it has a row of m + 1 numbers for each
    stream j: what goes to it from streams 0 to m - 1, and from the output. `llm.mix_streams`
    takes them in this form. Without `iterations`, x has only the numbers for reading.

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
    `out[r, n, h] = sum_k weights[r, n, k] x[r, k, h]`. Each row has a small matrix of its
    own, so that this is not work for a matrix engine.

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
