//===- Aliases.h - Long attributes on lines of their own --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_PLANS_ALIASES_H
#define LLM_LIB_DIALECT_LLM_PLANS_ALIASES_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::llm {

/// Prints the machine of a module above it, with a line for each engine,
/// memory, link and kernel, so that a diff of two machines reads.
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override;
};

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_PLANS_ALIASES_H
