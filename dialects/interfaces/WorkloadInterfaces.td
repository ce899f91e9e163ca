//===- WorkloadInterfaces.td - What an op promises ---------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_WORKLOADINTERFACES
#define LLM_WORKLOAD_WORKLOADINTERFACES

include "mlir/IR/OpBase.td"

def WorkloadOpInterface : OpInterface<"WorkloadOpInterface"> {
  let description = [{
    An op with this interface takes time. It is described as a few *stages* (sweeps) over
    *loops*, which touch *buffers* through affine maps (`llm/Workload/Workload.h`). Tiles,
    costs and slots follow from this description alone; no pass asks which op it is.

    If the counts of an op are plain products of its loops, it implements `getWorkload`
    only. An op with a mask (causal attention) overrides the two counts in closed form.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Returns the name of the op in the model's own words
      ("model.layers.{}.mlp.up_proj"), which may be empty. `{}` stands for the index of the
      enclosing loop. `{3..60}` and `{1,3..23}` stand for these numbers, one for each
      iteration.
    }], "::llvm::StringRef", "getWorkloadName", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Returns the loops, buffers and stages. Fails through `emitError` if the op has no
      static shape or its sizes do not fit into 64 bits.
    }], "::mlir::FailureOr<::mlir::llm::Workload>", "getWorkload",
      (ins "::mlir::llm::EmitError":$emitError)>,
    InterfaceMethod<[{
      Counts the points of `stage` inside `box` (one interval per loop) at which work is
      done. Fails if the count does not fit into 64 bits.
    }], "::mlir::llm::Count", "countPoints",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$stage,
           "::mlir::llm::Box":$box), "", [{
        return ::mlir::llm::countPointsOfProduct(workload, stage, box);
      }]>,
    InterfaceMethod<[{
      Counts the distinct elements of `buffer` that the points inside `box` touch.
    }], "::mlir::llm::Count", "countElements",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$buffer,
           "::mlir::llm::Box":$box), "", [{
        return ::mlir::llm::countElementsOfProduct(workload, buffer, box);
      }]>,
    InterfaceMethod<[{
      Returns what the two counts need to know about the place of `interval` along a loop of
      `maskedLoops`, or along any loop if a buffer is gathered. Two boxes of the same size
      with equal places have equal counts.
    }], "::llvm::SmallVector<int64_t>", "getPlace",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$loop,
           "::mlir::llm::Interval":$interval), "", [{ return {interval.begin}; }]>,
    InterfaceMethod<[{
      Says how the op runs in `parts` boxes along the reduction `loop` at once, and what
      joins their results. The two counts also work for the two workloads of the result.
      Returns nothing if partial results along the loop cannot be joined.
    }], "::std::optional<::mlir::llm::PartialReduction>", "getPartialReduction",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$loop, "int64_t":$parts),
      "", [{ return std::nullopt; }]>
  ];
}

def TransparentOpInterface : OpInterface<"TransparentOpInterface"> {
  let description = [{
    An op with this interface only names, reshapes, slices or joins what already lies in
    memory. It takes no time and passes dependences on. `registerExternalModels` attaches
    the interface to upstream ops.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Returns the operands whose bytes the results show.",
      "::llvm::SmallVector<::mlir::Value>", "getForwardedValues", (ins), "", [{
        return ::llvm::to_vector($_op->getOperands());
      }]>,
    InterfaceMethod<[{
      Says where the elements of the only result lie, if they are those of a (strided) box
      of one value in row-major order. If the op reshapes, the box is the whole value.
      Returns nothing if there is no such value, or if a shape is not static.
    }], "::std::optional<::mlir::llm::ShownBox>", "getShownBox", (ins), "", [{
        return std::nullopt;
      }]>
  ];
}

def OpenSizesOpInterface : OpInterface<"OpenSizesOpInterface"> {
  let description = [{
    An op with this interface has sizes or positions that may be open. They are operands
    until they are constants. `registerExternalModels` attaches the interface to upstream
    views.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Takes over the sizes that are constants now. The insertion point of the rewriter is at
      the op. Returns whether the op was replaced. If it was not, the caller infers its
      result types again. Fails with a diagnostic if the sizes do not fit.
    }], "::mlir::FailureOr<bool>", "bindOpenSizes", (ins "::mlir::RewriterBase &":$rewriter)>
  ];
}

def SourceOpInterface : OpInterface<"SourceOpInterface"> {
  let description = [{
    An op with this interface is a view without work: a weight, or rows of a KV cache. The
    op that consumes it pays for the bytes that it streams.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Says whether this is a weight or a cache.",
      "::mlir::llm::SourceKind", "getSourceKind", (ins)>,
    InterfaceMethod<[{
      Returns the values that must be computed before the view shows the right content. For
      rows of a cache, this is its newest state that wrote any of these rows. By default,
      these are all operands, such as the indices in a name.
    }], "::llvm::SmallVector<::mlir::Value>", "getDependences", (ins), "", [{
        return ::llvm::to_vector($_op->getOperands());
      }]>,
    InterfaceMethod<[{
      Counts the bytes of all that the view shows. Fails if a result has no static shape or
      the count does not fit into 64 bits.
    }], "::mlir::llm::Count", "countShownBytes", (ins), "", [{
        return ::mlir::llm::storageBytesOf($_op->getResults());
      }]>
  ];
}

def StateUpdateOpInterface : OpInterface<"StateUpdateOpInterface"> {
  let description = [{
    An op with this interface takes one state, of a KV cache or of a recurrence, and gives
    the next one.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Returns the state that is read.", "::mlir::Value", "getOldState", (ins)>,
    InterfaceMethod<"Returns the state that it becomes.", "::mlir::Value", "getNewState", (ins)>
  ];
}

def ChunkedOpInterface : OpInterface<"ChunkedOpInterface"> {
  let description = [{
    An op with this interface can process tokens in chunks. The size of a chunk changes its
    time, and its results only by the order of sums. `--llm-tile=chunks=search` chooses the
    size.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Returns the size of a chunk, or nothing if the op does not go in chunks.",
      "::std::optional<int64_t>", "getChunkSize", (ins)>,
    InterfaceMethod<"Sets the size of a chunk of an op that goes in chunks.",
      "void", "setChunkSize", (ins "int64_t":$size)>,
    InterfaceMethod<"Returns how many tokens of a sequence the op goes through.",
      "int64_t", "countTokens", (ins)>
  ];
}

def CacheUpdateOpInterface : OpInterface<"CacheUpdateOpInterface"> {
  let description = "An op with this interface writes rows of a KV cache.";
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Counts the elements (keys and values) that are valid once the op has run.",
      "::mlir::llm::Count", "countValidElements", (ins)>,
    InterfaceMethod<"Counts the bytes that the op writes into the cache.",
      "::mlir::llm::Count", "countWrittenBytes", (ins)>
  ];
}

def SliceableOpInterface : OpInterface<"SliceableOpInterface"> {
  let description = [{
    An op with this interface can be applied to a box of its iterations: it is then the same
    op on those slices of its operands that the maps of its workload give. The methods add
    what these maps do not say: masks, and attributes that depend on the place of the box.
    `llm/Workload/Slices.h` implements `TilingInterface` with it.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Says why the op cannot be applied to boxes of `sizes` iterations that cut `loop`, as
      far as its workload does not say it. The text is a sentence without a subject, and
      empty if the op can.
    }], "::std::string", "explainUncut",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$loop,
           "::llvm::ArrayRef<int64_t>":$sizes), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Removes iterations that do nothing from the box. The rest of a result is filled with
      zeros.
    }], "void", "narrowBox",
      (ins "::mlir::OpBuilder &":$builder, "const ::mlir::llm::Workload &":$workload,
           "::mlir::llm::IterationBox &":$box), "", [{ return; }]>,
    InterfaceMethod<[{
      Writes the place of the box into `slice`, a copy of the op whose operands are slices
      already. The insertion point of the builder is before the copy.
    }], "void", "placeSlice",
      (ins "::mlir::OpBuilder &":$builder, "const ::mlir::llm::Workload &":$workload,
           "const ::mlir::llm::IterationBox &":$box, "::mlir::Operation *":$slice), "", [{ return; }]>
  ];
}

def SummableOpInterface : OpInterface<"SummableOpInterface"> {
  let description = [{
    The result of an op with this interface is a sum along its reductions, so that these
    can be cut. The results of the boxes along them are added up in an element type that is
    wide enough.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Returns the value at which the sums of the box start. It has the shape of the box's
      result.
    }], "::mlir::Value", "startSums",
      (ins "::mlir::OpBuilder &":$builder, "const ::mlir::llm::Workload &":$workload,
           "const ::mlir::llm::IterationBox &":$box)>,
    InterfaceMethod<[{
      Changes `slice`, a copy of the op, so that its result can be added to sums. The caller
      infers the result types again.
    }], "void", "makeSummand", (ins "::mlir::Operation *":$slice)>,
    InterfaceMethod<"Adds the result of a summand to the sums.", "::mlir::Value", "addToSums",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$sums, "::mlir::Value":$summand)>,
    InterfaceMethod<"Makes the result of the op from complete sums.", "::mlir::Value", "finishSums",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$sums)>
  ];
}

def StorageBytesTypeInterface : TypeInterface<"StorageBytesTypeInterface"> {
  let description = [{
    A type with this interface knows how many bytes it takes in memory: a cache, or an
    element type with scales beside its values. Builtin element types do not need it.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Counts the bytes of a dense array of `shape`, which is empty for a type that is a
      whole object.
    }], "::mlir::llm::Count", "getStorageBytes",
      (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{
      Returns, for an element type, the type of a single value, in which arithmetic is done.
      Returns null for a type that is a whole object.
    }], "::mlir::Type", "getValueType", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Says, for an element type, how many neighbours along a dimension belong together. A
      slice must begin and end between such groups. 0 means that all belong together. The
      last dimension has number 0.
    }], "int64_t", "getGranule", (ins "int64_t":$dimFromLast), "", [{ return 1; }]>
  ];
}

def ArrayTypeInterface : TypeInterface<"ArrayTypeInterface"> {
  let description = [{
    A value of a type with this interface is an array but not a tensor, such as the state of
    a recurrent layer. Slices of it are those of the tensor that it shows.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Returns the type of the tensor.",
      "::mlir::RankedTensorType", "getShownTensor", (ins)>,
    InterfaceMethod<"Shows a value of this type as a tensor.", "::mlir::Value", "showAsTensor",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$value)>,
    InterfaceMethod<[{
      Makes a value of such a type from a tensor, with its shape. If `before` is given, the
      new value is the next state after it.
    }], "::mlir::Value", "makeOfTensor",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$tensor, "::mlir::Value":$before)>
  ];
}

#endif // LLM_WORKLOAD_WORKLOADINTERFACES
