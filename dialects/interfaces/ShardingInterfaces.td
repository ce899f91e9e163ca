//===- ShardingInterfaces.td - Sums made later, and experts -*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_SHARDINGINTERFACES
#define LLM_SHARDING_SHARDINGINTERFACES

include "mlir/IR/OpBase.td"

def SummandOpInterface : OpInterface<"SummandOpInterface"> {
  let description = [{
    An op that turns summands of some operands into summands of its result: f(a + b) = f(a)
    + f(b). If chips have summands of a value, they can then be added up after the op, where
    the value is smaller, or once instead of twice. `--llm-partition` uses the interface.
    `registerSummands` attaches it to ops of the llm dialect; an op of another dialect
    implements it or has it attached.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<[{
      Returns the operands that must all be summands, along the same axes of the grid. The
      other operands are whole.
    }], "::llvm::SmallVector<unsigned, 2>", "getSummandOperands", (ins)>
  ];
}

def JoinableOpInterface : OpInterface<"JoinableOpInterface"> {
  let description = [{
    An op whose results over parts of a reduction are no summands, and can be joined all the
    same: attention over some of the keys, with the log-sum-exp of its scores. Chips may then
    share the reduction. Each has the partial results of its own iterations. They exchange
    these, so that each joins some of them. `--llm-shard` and `--llm-partition` use the
    interface.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Returns the name of the loop over which results can be joined.",
      "::llvm::StringRef", "getJoinedLoop", (ins)>,
    InterfaceMethod<[{
      Returns the dimension of the only result along which chips share the joining.
    }], "unsigned", "getJoinedDim", (ins)>,
    InterfaceMethod<[{
      Says why so many equal parts of the loop cannot be computed apart, as a sentence
      without a subject. Empty if they can. Each part has one of so many neighbours.
    }], "std::string", "explainUnjoined", (ins "int64_t":$parts)>,
    InterfaceMethod<[{
      Makes an op of partial results of this one, which has the iterations of one of `parts`
      chips. Returns what is joined of the results of all of them. `exchange` takes a
      partial result with all of the joined dimension, and returns those of all chips for
      the chip's own part of it. They lie behind each other along the dimension before.
      `takeOwn` returns the chip's part of an operand with only the joined dimension.
    }], "::mlir::Value", "joinParts",
      (ins "::mlir::OpBuilder &":$builder, "int64_t":$parts,
           "::llvm::function_ref<::mlir::Value(::mlir::Value)>":$exchange,
           "::llvm::function_ref<::mlir::Value(::mlir::Value)>":$takeOwn)>
  ];
}

def ExpertsOpInterface : OpInterface<"ExpertsOpInterface"> {
  let description = [{
    An op of a mixture of experts that works on *rows*: the first dimension of a value has
    one row for each choice of a token, in the order of the experts. Chips may share the
    experts. Each chip then works on the rows of its own experts. `--llm-shard` and
    `--llm-partition` use the interface. An op that makes rows from tokens has no rows as an
    operand. An op that makes tokens from rows gives each chip a summand. Ops between them
    do not need the interface if their workload shows that they work row by row.
  }];
  let cppNamespace = "::mlir::llm";
  let methods = [
    InterfaceMethod<"Returns the number of the operand that has rows.",
      "::std::optional<unsigned>", "getRowsOperand", (ins)>,
    InterfaceMethod<"Says whether the only result has rows.", "bool", "makesRows", (ins)>,
    InterfaceMethod<"Returns the operands whose first dimension has a slice for each expert.",
      "::llvm::SmallVector<unsigned, 2>", "getOperandsByExpert", (ins)>,
    InterfaceMethod<"Returns how many rows each expert has; empty if the op does not count them.",
      "::llvm::ArrayRef<int64_t>", "getRowsOfExperts", (ins)>,
    InterfaceMethod<"Returns the experts of each token, [tokens, choices]; null if it is not known.",
      "::mlir::Value", "getChoice", (ins)>,
    InterfaceMethod<"Returns the axes of the grid that share the experts; null if none do.",
      "::mlir::ArrayAttr", "getOwnAxes", (ins)>,
    InterfaceMethod<[{
      Makes the op work on the chip's own experts: there is room for `rows` rows, and
      `rowsOfExperts` says how many rows each of them has. The caller changes operands and
      types.
    }], "void", "takeOwn",
      (ins "::mlir::ArrayAttr":$axes, "int64_t":$rows, "::llvm::ArrayRef<int64_t>":$rowsOfExperts)>
  ];
}

#endif // LLM_SHARDING_SHARDINGINTERFACES
