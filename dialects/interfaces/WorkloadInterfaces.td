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
    An op that takes time. It is described as a few *stages* (sweeps) over *loops*,
    touching *buffers* through affine maps (see `llm/Workload/Workload.h`). Tiles,
    costs and slots follow from this description alone; no pass asks which op it is.

    An op whose counts are a plain product of its loops implements `getWorkload` only.
    One with a mask (causal attention) overrides the two counts in closed form.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      The name of the op in the model's own words ("model.layers.{}.mlp.up_proj"), or
      empty. `{}` stands for the index of the enclosing loop, `{3..60}` and `{1,3..23}` for
      these numbers, one for each of its iterations.
    }], "::llvm::StringRef", "getWorkloadName", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Loops, buffers and stages. Fails through `emitError` where the op has no static
      shape or its sizes leave 64 bits.
    }], "::mlir::FailureOr<::mlir::llm::Workload>", "getWorkload",
      (ins "::mlir::llm::EmitError":$emitError)>,
    InterfaceMethod<[{
      Points of `stage` inside `box` (one interval per loop) at which work is done.
      Failure: the count leaves 64 bits.
    }], "::mlir::llm::Count", "countPoints",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$stage,
           "::mlir::llm::Box":$box), "", [{
        return ::mlir::llm::countPointsOfProduct(workload, stage, box);
      }]>,
    InterfaceMethod<[{
      Distinct elements of `buffer` that the points inside `box` touch.
    }], "::mlir::llm::Count", "countElements",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$buffer,
           "::mlir::llm::Box":$box), "", [{
        return ::mlir::llm::countElementsOfProduct(workload, buffer, box);
      }]>,
    InterfaceMethod<[{
      What the two counts need to know of where `interval` lies along a loop of
      `maskedLoops`, or along any loop if a buffer is gathered. They are equal for boxes that
      are as large and have equal places.
    }], "::llvm::SmallVector<int64_t>", "getPlace",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$loop,
           "::mlir::llm::Interval":$interval), "", [{ return {interval.begin}; }]>,
    InterfaceMethod<[{
      How the op runs in `parts` boxes along the reduction `loop` at once, and what joins
      their results. The two counts answer for both of its workloads. Nothing where
      partial results along the loop cannot be joined.
    }], "::std::optional<::mlir::llm::PartialReduction>", "getPartialReduction",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$loop, "int64_t":$parts),
      "", [{ return std::nullopt; }]>
  ];
}

def TransparentOpInterface : OpInterface<"TransparentOpInterface"> {
  let description = [{
    An op that only names, reshapes, slices or joins what already lies in memory: it
    takes no time and hands dependences through. Attached to upstream ops by
    `registerExternalModels`.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"The operands whose bytes the results show.",
      "::llvm::SmallVector<::mlir::Value>", "getForwardedValues", (ins), "", [{
        return ::llvm::to_vector($_op->getOperands());
      }]>,
    InterfaceMethod<[{
      Where the elements of the only result lie, if they are those of a (strided) box of one
      value, in row-major order: of all of it where the op reshapes. Nothing where there is no
      such value, or a shape is not static.
    }], "::std::optional<::mlir::llm::ShownBox>", "getShownBox", (ins), "", [{
        return std::nullopt;
      }]>
  ];
}

def OpenSizesOpInterface : OpInterface<"OpenSizesOpInterface"> {
  let description = [{
    An op with sizes or positions that may be open: operands until they are constants.
    Attached to upstream views by `registerExternalModels`.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Takes over the sizes that are constants now. The rewriter stands at the op. Whether
      the op was replaced; if not, result types that are inferred are inferred again by
      the caller. Fails with a diagnostic where the sizes do not fit.
    }], "::mlir::FailureOr<bool>", "bindOpenSizes", (ins "::mlir::RewriterBase &":$rewriter)>
  ];
}

def SourceOpInterface : OpInterface<"SourceOpInterface"> {
  let description = [{
    A view without work: a weight, or rows of a KV cache. The op that consumes it pays
    for the bytes that it streams.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Whether this is a weight or a cache.",
      "::mlir::llm::SourceKind", "getSourceKind", (ins)>,
    InterfaceMethod<[{
      The values that must be computed before the view shows the right content: for rows
      of a cache, the newest state of it that wrote any of these rows; by default all
      operands, such as the indices in a name.
    }], "::llvm::SmallVector<::mlir::Value>", "getDependences", (ins), "", [{
        return ::llvm::to_vector($_op->getOperands());
      }]>,
    InterfaceMethod<[{
      Bytes of all that the view shows. Failure: a result has no static shape, or the count
      leaves 64 bits.
    }], "::mlir::llm::Count", "countShownBytes", (ins), "", [{
        return ::mlir::llm::storageBytesOf($_op->getResults());
      }]>
  ];
}

def StateUpdateOpInterface : OpInterface<"StateUpdateOpInterface"> {
  let description = [{
    An op that takes one state, of a KV cache or of a recurrence, and gives the next one.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"The state that is read.", "::mlir::Value", "getOldState", (ins)>,
    InterfaceMethod<"The state that it becomes.", "::mlir::Value", "getNewState", (ins)>
  ];
}

def CacheUpdateOpInterface : OpInterface<"CacheUpdateOpInterface"> {
  let description = "An op that writes rows of a KV cache.";
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Elements (keys and values) that are valid once the op has run.",
      "::mlir::llm::Count", "countValidElements", (ins)>,
    InterfaceMethod<"Bytes that the op writes into the cache.",
      "::mlir::llm::Count", "countWrittenBytes", (ins)>
  ];
}

def SliceableOpInterface : OpInterface<"SliceableOpInterface"> {
  let description = [{
    An op that is itself on a box of its iterations, on the slices of its operands that the
    maps of its workload show. Attributes that depend on where the box lies, and masks, are
    what an op adds here. `llm/Workload/Slices.h` makes `TilingInterface` of it.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Why the op cannot be itself on boxes of `sizes` iterations that cut `loop`, beyond what
      its workload says; empty where it can. As a sentence without a subject.
    }], "::std::string", "explainUncut",
      (ins "const ::mlir::llm::Workload &":$workload, "unsigned":$loop,
           "::llvm::ArrayRef<int64_t>":$sizes), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Takes iterations out of the box that do nothing. What is left of a result is completed
      with zeros.
    }], "void", "narrowBox",
      (ins "::mlir::OpBuilder &":$builder, "const ::mlir::llm::Workload &":$workload,
           "::mlir::llm::IterationBox &":$box), "", [{ return; }]>,
    InterfaceMethod<[{
      Takes over into `slice`, a copy of the op whose operands are slices already, where the
      box lies. The builder stands before the copy.
    }], "void", "placeSlice",
      (ins "::mlir::OpBuilder &":$builder, "const ::mlir::llm::Workload &":$workload,
           "const ::mlir::llm::IterationBox &":$box, "::mlir::Operation *":$slice), "", [{ return; }]>
  ];
}

def SummableOpInterface : OpInterface<"SummableOpInterface"> {
  let description = [{
    An op whose result is a sum along its reductions, so that these can be cut: the results
    of the boxes along them are added up in an element type that is wide enough.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      What the sums of the box start at, with the shape of its result.
    }], "::mlir::Value", "startSums",
      (ins "::mlir::OpBuilder &":$builder, "const ::mlir::llm::Workload &":$workload,
           "const ::mlir::llm::IterationBox &":$box)>,
    InterfaceMethod<[{
      Makes of `slice`, a copy of the op, one whose result can be added to sums. Result types
      are inferred again by the caller.
    }], "void", "makeSummand", (ins "::mlir::Operation *":$slice)>,
    InterfaceMethod<"The sums with the result of a summand added.", "::mlir::Value", "addToSums",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$sums, "::mlir::Value":$summand)>,
    InterfaceMethod<"The result that complete sums stand for.", "::mlir::Value", "finishSums",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$sums)>
  ];
}

def StorageBytesTypeInterface : TypeInterface<"StorageBytesTypeInterface"> {
  let description = [{
    A type that knows how many bytes it takes in memory: a cache, or an element type with
    scales beside its values. Builtin element types need no interface.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Bytes of a dense array of `shape` (empty for a type that is a whole object).
    }], "::mlir::llm::Count", "getStorageBytes",
      (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{
      Of an element type: the type of a single value, in which arithmetic is done. Null for
      a type that is a whole object.
    }], "::mlir::Type", "getValueType", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Of an element type: how many neighbours along a dimension belong together, so that a
      slice must begin and end between them; 0: all of them. The last dimension is 0.
    }], "int64_t", "getGranule", (ins "int64_t":$dimFromLast), "", [{ return 1; }]>
  ];
}

#endif // LLM_WORKLOAD_WORKLOADINTERFACES
