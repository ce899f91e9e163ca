//===- LlmSourceOps.td - Weights, caches and sizes ---------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMSOURCEOPS
#define LLM_DIALECT_LLMSOURCEOPS

include "LlmOpBase.td"

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def OpGroupSources : OpDocGroup {
  let summary = "Sources: views without work";
  let description = "The op that consumes a source pays for the bytes that it streams.";
}
let opDocGroup = OpGroupSources in {

def Llm_WeightOp : Llm_Op<"weight",
    [Pure, Llm_NamesResults, DeclareOpInterfaceMethods<SourceOpInterface>]> {
  let summary = "a named weight of the model";
  let description = [{
    Shows the weight that has this name in the checkpoint. Each `{}` in the name stands for
    one of `indices`, so that the equal layers of a model are one body in a loop. The op
    takes no time, because its consumers pay for what they stream.

    Shapes: the result is the weight as stored; a linear layer's is
    [out_features, in_features], as in PyTorch.

    Example:
    ```mlir
    %w = llm.weight "model.layers.{}.mlp.up_proj.weight"[%layer] : tensor<8192x2048xbf16>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$indices);
  let results = (outs Llm_StoredTensor:$result);
  let assemblyFormat = "$name (`[` $indices^ `]`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Llm_KvCacheOp : Llm_Op<"kv_cache",
    [Pure, Llm_NamesResults, AttrSizedOperandSegments, DeclareOpInterfaceMethods<OpenSizesOpInterface>,
     DeclareOpInterfaceMethods<SourceOpInterface>]> {
  let summary = "a named KV cache, as it is when the program starts";
  let description = [{
    Shows the state that the cache with this name has at the start of the program. Each `{}`
    in the name stands for one of `indices`. If its type leaves batch or capacity open
    (`?`), `sizes` has them, in this order.

    Example:
    ```mlir
    %0 = llm.kv_cache "model.layers.{}.self_attn"[%layer]
       : !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$indices, Variadic<Index>:$sizes);
  let results = (outs Llm_KvCacheType:$result);
  let assemblyFormat = [{
    $name (`[` $indices^ `]`)? (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Llm_StateOp : Llm_Op<"state",
    [Pure, Llm_NamesResults, AttrSizedOperandSegments, DeclareOpInterfaceMethods<OpenSizesOpInterface>,
     DeclareOpInterfaceMethods<SourceOpInterface>]> {
  let summary = "a named state of a recurrent layer, as it is when the program starts";
  let description = [{
    Shows the state that the layer with this name has at the start of the program. If there
    were no tokens before, it is zeros. Each `{}` in the name stands for one of `indices`.
    If its type leaves the batch open (`?`), `sizes` has it.

    Example:
    ```mlir
    %0 = llm.state "model.layers.{}.linear_attn.state"[%layer]
       : !llm.state<batch = 1, 32x128x128xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$indices, Variadic<Index>:$sizes);
  let results = (outs Llm_StateType:$result);
  let assemblyFormat = [{
    $name (`[` $indices^ `]`)? (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Llm_KvReadOp : Llm_Op<"kv_read",
    [Pure, Llm_NamesResults, AttrSizedOperandSegments, InferTypeOpAdaptor,
     DeclareOpInterfaceMethods<OpenSizesOpInterface>,
     DeclareOpInterfaceMethods<SourceOpInterface, ["getDependences", "countShownBytes"]>]> {
  let summary = "rows of a KV cache, as tensors";
  let description = [{
    Shows positions [begin, end) of every sequence: keys and values of shape [batch, end -
    begin, kv_heads, head_dim]. A cache of latents has one such tensor. The op takes no
    time, because attention pays for what it streams. It depends only on the newest writes
    to these positions. In a ragged batch, `begin` and `end` have a number for each
    sequence. The tensors are as long as the longest range. Rows beyond the range of a
    sequence have no meaning (`lengths` of `#llm.mask`).

    Example:
    ```mlir
    %k, %v = llm.kv_read %cache rows 0 to 512
       : !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>
    ```
  }];
  let arguments = (ins Llm_KvCacheType:$cache, Variadic<Index>:$dynamicBegin,
    Variadic<Index>:$dynamicEnd, DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$end);
  let results = (outs Llm_StoredTensorOfRank<4>:$keys,
    Optional<Llm_StoredTensorOfRank<4>>:$values);
  let assemblyFormat = "$cache `rows` custom<Positions>($dynamicBegin, $begin) `to` custom<Positions>($dynamicEnd, $end) attr-dict `:` type($cache)";
}

} // sources

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

def OpGroupSizes : OpDocGroup {
  let summary = "Sizes that are open";
  let description = [{
    A program may leave sizes open (`?`). They have names, and `llm-bind-shapes` gives them
    values. Until then the program has no cost.
  }];
}
let opDocGroup = OpGroupSizes in {

def Llm_SizeOp : Llm_Op<"size", [Pure, Llm_NamesResults]> {
  let summary = "a size of the program, by name";
  let description = [{
    Stands for a number of 1 or more that `llm-bind-shapes` gives. It is the number of
    sequences ("batch"), of new tokens of each ("seq"), of keys that each sees ("kv_len"),
    or of anything else.

    Example:
    ```mlir
    %batch = llm.size "batch"
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
}

def Llm_SizedOp : Llm_Op<"sized", [Pure, AllTypesMatch<["x", "result"]>,
    DeclareOpInterfaceMethods<OpenSizesOpInterface>,
    DeclareOpInterfaceMethods<TransparentOpInterface, ["getForwardedValues"]>]> {
  let summary = "a tensor whose open dimensions have these sizes";
  let description = [{
    Shows the operand, whose open dimensions (`?`) have `sizes`, in order. So the argument
    of a function gets its shape when sizes are bound. The op takes no time.

    Example:
    ```mlir
    %y = llm.sized %x [%tokens] : tensor<?x2048xbf16>
    ```
  }];
  let arguments = (ins Llm_StoredTensor:$x, Variadic<Index>:$sizes);
  let results = (outs Llm_StoredTensor:$result);
  let assemblyFormat = "$x `[` $sizes `]` attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

} // sizes

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

def Llm_KvCacheResource : Resource<"::mlir::llm::KvCacheResource">;

def OpGroupCache : OpDocGroup { let summary = "Cache"; let description = ""; }
let opDocGroup = OpGroupCache in {
def Llm_KvWriteOp : Llm_WorkOp<"kv_write",
    [AttrSizedOperandSegments, InferTypeOpAdaptor, MemoryEffects<[MemWrite<Llm_KvCacheResource>]>,
     DeclareOpInterfaceMethods<OpenSizesOpInterface>,
     DeclareOpInterfaceMethods<StateUpdateOpInterface>,
     DeclareOpInterfaceMethods<CacheUpdateOpInterface>]> {
  let summary = "writes keys and values into a KV cache";
  let description = [{
    The result is the state of the cache in which positions [begin, begin + seq) of every
    sequence hold the given keys and values. They are converted to the cache's element type.
    In a ragged batch, `begin` has a number for each sequence. A cache of latents takes keys
    alone.

    With `own`, the chips along the axes behind it share the positions of each sequence. Of
    n chips, the chip of rank r has the positions r, r + n, r + 2 n, .., and its cache has
    position p in row p / n. Each chip writes those of the given rows that are its own: one
    chip a single one, or all chips as many (decode context parallelism in vLLM).

    Shapes: keys, values [batch, seq, kv_heads, head_dim].
    Work: none; the op only moves bytes, which are read and written once. With `own`, these
    are the bytes of the rows that a chip writes.

    Example:
    ```mlir
    %1 = llm.kv_write "model.layers.0.self_attn.kv_write" %0, %k, %v at 511
       : !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>,
         tensor<1x1x8x64xbf16>, tensor<1x1x8x64xbf16>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Llm_KvCacheType:$cache,
    Llm_TensorOfRank<4>:$keys, Optional<Llm_TensorOfRank<4>>:$values,
    Variadic<Index>:$dynamicBegin, DenseI64ArrayAttr:$begin, OptionalAttr<Llm_AxesAttr>:$own);
  let results = (outs Llm_KvCacheType:$result);
  let hasVerifier = 1;
  let useCustomPropertiesEncoding = 1; // versions up to 6 had no own
  let assemblyFormat = [{
    ($name^)? $cache `,` $keys (`,` $values^)? `at` custom<Positions>($dynamicBegin, $begin)
    (`own` custom<Axes>($own)^)? attr-dict `:` type($cache) `,` type($keys) (`,` type($values)^)?
  }];
  let extraClassDeclaration = [{
    /// Returns over how many chips of the module's grid positions are shared; 1 without `own`.
    int64_t countOwners();
    /// Returns how many rows of each sequence a chip writes, at most.
    int64_t countOwnRows();
  }];
}
}

#endif // LLM_DIALECT_LLMSOURCEOPS
