//===- LlmTypes.td - Types of the llm dialect --------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMTYPES
#define LLM_DIALECT_LLMTYPES

include "LlmBase.td"
include "../interfaces/WorkloadInterfaces.td"

def Llm_KvCacheType : TypeDef<Llm_Dialect, "KvCache",
    [DeclareTypeInterfaceMethods<StorageBytesTypeInterface>]> {
  let mnemonic = "kv_cache";
  let summary = "keys and values of the tokens seen so far, for one layer";
  let description = [{
    One state of the key-value cache of one layer: for each of `batch` sequences room for
    `capacity` positions, at each a key and a value of `kv_heads` x `head_dim` elements.
    It is a value: `llm.kv_write` takes one state and gives the next, so that a read
    depends on the writes before it by SSA. `page_size` (positions a page; 0: one flat
    array) says how it is laid out (vLLM, Kwon et al., SOSP 2023).

    Example: `!llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>`
  }];
  let parameters = (ins
    "int64_t":$batch, "int64_t":$kvHeads, "int64_t":$headDim, "int64_t":$capacity,
    "::mlir::Type":$elementType, DefaultValuedParameter<"int64_t", "0">:$pageSize);
  let assemblyFormat = [{
    `<` `batch` `=` $batch `,` `kv_heads` `=` $kvHeads `,` `head_dim` `=` $headDim `,`
    `capacity` `=` $capacity `,` $elementType (`,` `page_size` `=` $pageSize^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // LLM_DIALECT_LLMTYPES
