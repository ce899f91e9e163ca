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

/// The version of the dialect's ops, attributes and types in a bytecode file. A
/// change that older files do not follow raises `current`. The `readProperties`
/// and `writeProperties` of an op ask for the version, and read and write what
/// the op has gained since. Attributes and types are stored as text, and their
/// parsers keep accepting older text.
struct LlmDialectVersion : DialectVersion {
  static constexpr uint64_t current = 7;

  explicit LlmDialectVersion(uint64_t number = current) : number(number) {}

  uint64_t number;
};

/// Makes bytecode state its version. Bytecode of a later version is refused.
void addBytecodeInterface(LlmDialect &dialect);

} // namespace mlir::llm

#endif // LLM_DIALECT_LLM_IR_LLMBYTECODE_H
