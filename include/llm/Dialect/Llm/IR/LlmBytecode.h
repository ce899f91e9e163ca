//===- LlmBytecode.h - The version of bytecode ------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLM_IR_LLMBYTECODE_H
#define LLM_DIALECT_LLM_IR_LLMBYTECODE_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::llm {

class LlmDialect;

/// What a file of bytecode says of the ops, attributes and types of the dialect
/// in it. A change that older files do not follow raises `current`. The op's
/// own `readProperties` and `writeProperties` ask for the version, and read and
/// write what the op has got since. Attributes and types are text there, which
/// parsers go on to accept.
struct LlmDialectVersion : DialectVersion {
  static constexpr uint64_t current = 6;

  explicit LlmDialectVersion(uint64_t number = current) : number(number) {}

  uint64_t number;
};

/// Has bytecode say its version, and refuses that of a later one.
void addBytecodeInterface(LlmDialect &dialect);

} // namespace mlir::llm

#endif // LLM_DIALECT_LLM_IR_LLMBYTECODE_H
