//===- LlmTypes.td - Types of the llm dialect --------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMTYPES
#define LLM_DIALECT_LLMTYPES

include "LlmAttrs.td"
include "LlmBase.td"
include "../interfaces/WorkloadInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Llm_KvCacheType : TypeDef<Llm_Dialect, "KvCache",
    [DeclareTypeInterfaceMethods<StorageBytesTypeInterface>]> {
  let mnemonic = "kv_cache";
  let summary = "keys and values of the tokens seen so far, for one layer";
  let description = [{
    A value of this type is one state of the key-value cache of one layer. It has room for
    `capacity` positions of each of `batch` sequences. Each position has a key and a value
    of `kv_heads` x `head_dim` elements. `llm.kv_write` takes one state and gives the next,
    so that a read depends on the writes before it by SSA. `page_size` is the number of
    positions in a page, or 0 for one flat array (vLLM, Kwon et al., SOSP 2023). A cache of
    `latents` has one vector at each position and head, from which keys and values are made
    (DeepSeek's multi-head latent attention). Batch and capacity may be open (`?`).

    Example: `!llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>`,
    `!llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 576, capacity = 512, bf16 latents>`
  }];
  let parameters = (ins
    "int64_t":$batch, "int64_t":$kvHeads, "int64_t":$headDim, "int64_t":$capacity,
    "::mlir::Type":$elementType, DefaultValuedParameter<"int64_t", "0">:$pageSize,
    DefaultValuedParameter<"bool", "false">:$isLatent);
  let assemblyFormat = [{
    `<` `batch` `=` custom<Size>($batch) `,` `kv_heads` `=` $kvHeads `,` `head_dim` `=` $headDim `,`
    `capacity` `=` custom<Size>($capacity) `,` $elementType (custom<Latents>($isLatent)^)?
    (`,` `page_size` `=` $pageSize^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Counts the vectors of `head_dim` elements at each position and head.
    int64_t getVectors() const { return getIsLatent() ? 1 : 2; }
    bool hasStaticShape() const {
      return !::mlir::ShapedType::isDynamic(getBatch()) &&
             !::mlir::ShapedType::isDynamic(getCapacity());
    }
  }];
  let genVerifyDecl = 1;
}

def Llm_StateType : TypeDef<Llm_Dialect, "State",
    [DeclareTypeInterfaceMethods<StorageBytesTypeInterface>]> {
  let mnemonic = "state";
  let summary = "what a recurrent layer keeps of the tokens seen so far";
  let description = [{
    A value of this type is one state of a recurrence. It has an array of fixed shape for
    each of `batch` sequences. An op reads and writes it whole, however many tokens were
    seen: it takes one state and gives the next. The batch may be open (`?`), and in a slice
    of a state other sizes, too.

    Example: `!llm.state<batch = 1, 32x128x128xf32>` (the matrices of 32 heads),
    `!llm.state<batch = 1, 3x8192xbf16>` (the last 3 inputs of a convolution)
  }];
  let parameters = (ins "int64_t":$batch, ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType);
  let assemblyFormat = [{
    `<` `batch` `=` custom<Size>($batch) `,` custom<StateShape>($shape, $elementType) `>`
  }];
  let extraClassDeclaration = [{
    bool hasStaticShape() const { return asTensor().hasStaticShape(); }
    /// Returns the type of the states of all sequences as one tensor.
    ::mlir::RankedTensorType asTensor() const;
    /// Returns the type whose states of all sequences are such a tensor.
    static StateType ofTensor(::mlir::RankedTensorType tensor);
  }];
  let genVerifyDecl = 1;
}

def Llm_BlockScaledType : TypeDef<Llm_Dialect, "BlockScaled",
    [DeclareTypeInterfaceMethods<StorageBytesTypeInterface, ["getValueType", "getGranule"]>,
     MemRefElementTypeInterface]> {
  let mnemonic = "block_scaled";
  let summary = "values that share scales in blocks";
  let description = [{
    The values of this element type are stored in `value_type`. Each block of the trailing
    dimensions of the tensor has a scale, a zero point or a minimum beside them. `?` in a
    block is the whole dimension. Bytes include all of these numbers.

    - `!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>`: MXFP4 (OCP Microscaling, 2023)
    - `!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>`: NVFP4, with one more scale
      for each matrix
    - `!llm.block_scaled<f8E4M3FN, [128, 128], f32>`: weights of DeepSeek-V3
    - `!llm.block_scaled<f8E4M3FN, [?], f32>`: a scale for each row (channel, token);
      `[?, ?]` for each matrix (per tensor)
    - `!llm.block_scaled<i4, [32], i6, [32], i6, [256], f16, [256], f16>`: ggml's q4_K

    Example: `tensor<32x5760x2880x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>`
  }];
  let parameters = (ins "::mlir::Type":$valueType,
    ArrayRefParameter<"::mlir::llm::ScalesAttr">:$scales);
  let assemblyFormat = "`<` $valueType `,` custom<Scales>($scales) `>`";
  let genVerifyDecl = 1;
}

#endif // LLM_DIALECT_LLMTYPES
