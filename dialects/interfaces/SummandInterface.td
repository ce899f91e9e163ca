//===- SummandInterface.td - Sums that may be made later ---*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_SUMMANDINTERFACE
#define LLM_SHARDING_SUMMANDINTERFACE

include "mlir/IR/OpBase.td"

def SummandOpInterface : OpInterface<"SummandOpInterface"> {
  let description = [{
    An op that makes summands of its result of summands of some operands:
    f(a + b) = f(a) + f(b). What several chips have summands of may then be summed up behind
    the op, where it is smaller, or once instead of twice. `--llm-partition` asks it. Ops of
    the llm dialect have it by `registerSummands`; an op of another dialect implements it or
    has it attached.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      The operands of which all must be summands, along the same axes of the grid. The others
      are whole.
    }], "::llvm::SmallVector<unsigned, 2>", "getSummandOperands", (ins)>
  ];
}

#endif // LLM_SHARDING_SUMMANDINTERFACE
