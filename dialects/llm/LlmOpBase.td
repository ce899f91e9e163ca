//===- LlmOpBase.td - What the ops have in common ----------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMOPBASE
#define LLM_DIALECT_LLMOPBASE

include "LlmBase.td"
include "LlmEnums.td"
include "LlmTypes.td"
include "LlmAttrs.td"
include "../interfaces/WorkloadInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// type-C1: a tensor is ranked and has float or signless integer elements.
def Llm_Tensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
/// type-C2: the rank is the one that the op's shapes show.
class Llm_TensorOfRank<int rank> : ConfinedType<Llm_Tensor,
    [HasAnyRankOfPred<[rank]>], "rank-" # rank # " tensor of float or integer values", "::mlir::RankedTensorType">;

/// type-C4: values to compute with have a plain type. What is stored (weights, caches,
/// quantized activations) may be scaled in blocks.
def Llm_BlockScaledElement : Type<Llm_BlockScaledType.predicate, "block-scaled">;
def Llm_StoredTensor : RankedTensorOf<[AnyFloat, AnySignlessInteger, Llm_BlockScaledElement]>;
class Llm_StoredTensorOfRank<int rank> : ConfinedType<Llm_StoredTensor,
    [HasAnyRankOfPred<[rank]>], "rank-" # rank # " tensor of float, integer or block-scaled values",
    "::mlir::RankedTensorType">;

class Llm_Op<string mnemonic, list<Trait> traits = []> : Op<Llm_Dialect, mnemonic, traits>;

/// Values are named after their ops, so that a text stays as it is if other ops are added.
def Llm_NamesResults : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

/// An op that takes time has a name in the model's words and a workload.
class Llm_WorkOp<string mnemonic, list<Trait> traits = [], list<string> counts = []>
    : Llm_Op<mnemonic, traits # [
        Llm_NamesResults,
        DeclareOpInterfaceMethods<WorkloadOpInterface, ["getWorkloadName"] # counts>]> {
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getWorkloadName() { return getName().value_or(""); }
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      ::mlir::llm::nameResults(*this, getWorkloadName(), setName);
    }
  }];
}

/// Work over tensors has no effect but its results. Their types follow from the operands
/// (type-C3).
class Llm_TensorOp<string mnemonic, list<Trait> traits = [], list<string> counts = []>
    : Llm_WorkOp<mnemonic, [Pure, InferTypeOpAdaptor] # traits, counts>;


/// These methods say what an op that can be applied to slices adds to its workload.
class Llm_Sliceable<list<string> methods> : DeclareOpInterfaceMethods<SliceableOpInterface, methods>;

/// The counts of work with a mask are not products of its loops.
class Llm_MaskedOp<string mnemonic, list<string> counts = [], list<Trait> traits = []>
    : Llm_WorkOp<mnemonic, [Pure, InferTypeOpAdaptor, Llm_Sliceable<["explainUncut", "narrowBox"]>] # traits,
                 ["countPoints", "countElements"] # counts>;

/// The reduction of such a product may be cut.
def Llm_Summable : DeclareOpInterfaceMethods<SummableOpInterface>;

#endif // LLM_DIALECT_LLMOPBASE
