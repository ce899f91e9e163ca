//===- LlmModelEndOps.td - From tokens, to tokens ----------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMMODELENDOPS
#define LLM_DIALECT_LLMMODELENDOPS

include "LlmOpBase.td"

def OpGroupModelEnds : OpDocGroup {
  let summary = "Ends of the model"; let description = "";
}
let opDocGroup = OpGroupModelEnds in {

def Llm_EmbeddingOp : Llm_TensorOp<"embedding"> {
  let summary = "the rows of a table that tokens name";
  let description = [{
    `out[m, h] = table[tokens[m], h]`. This is the first op of a model.

    Shapes: tokens [m], of integers; table [vocabulary, hidden]; out [m, hidden] of the
    table's element type, or of the one behind `to`. Loops: m, h. Work: none; the op only
    moves bytes. It reads a row for each token, also if two tokens name the same one.

    Example:
    ```mlir
    %x = llm.embedding "model.embed_tokens" %tokens, %table
       : tensor<512xi32>, tensor<128256x2048xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_TensorOfRank<1>:$tokens,
    Llm_StoredTensorOfRank<2>:$table, OptionalAttr<TypeAttr>:$outType);
  let results = (outs Llm_TensorOfRank<2>:$out);
  let assemblyFormat = [{
    ($name^)? $tokens `,` $table (`to` $outType^)? attr-dict `:` type($tokens) `,` type($table)
  }];
}

def Llm_SampleOp : Llm_TensorOp<"sample", [SliceableOpInterface]> {
  let summary = "the next token of each row of logits";
  let description = [{
    With greedy, the next token is that of the largest logit. With categorical, it is drawn
    with the probabilities softmax(logits), at temperature 1: it is the first token at which
    the sum of probabilities passes a random number. `by` has one such number in [0, 1) for
    each row. Without `by`, the program that runs this one draws them.

    Shapes: logits [m, vocabulary]; random numbers [m]; out [m] of i32. Loops: m, v;
    categorical never tiles v. Stages: greedy: max (one comparison per logit);
    categorical: max, exp_sum (subtract, exponential, add), draw (an addition and a
    comparison per logit).

    Example:
    ```mlir
    %next = llm.sample "sample" greedy %logits : tensor<1x128256xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_SamplingAttr:$sampling,
    Llm_TensorOfRank<2>:$logits, Optional<Llm_TensorOfRank<1>>:$random);
  let results = (outs Llm_TensorOfRank<1>:$out);
  let assemblyFormat = [{
    ($name^)? `` $sampling $logits (`by` $random^)? attr-dict
    `:` type($logits) (`,` type($random)^)?
  }];
}

} // ends of the model

#endif // LLM_DIALECT_LLMMODELENDOPS
