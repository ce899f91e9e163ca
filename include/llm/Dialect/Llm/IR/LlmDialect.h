//===- LlmDialect.h - The llm dialect without its ops -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLM_IR_LLMDIALECT_H
#define LLM_DIALECT_LLM_IR_LLMDIALECT_H

#include "llm/Workload/Workload.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llm/Dialect/Llm/IR/LlmEnums.h.inc"

#include "llm/Dialect/Llm/IR/LlmDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "llm/Dialect/Llm/IR/LlmAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "llm/Dialect/Llm/IR/LlmTypes.h.inc"

namespace mlir::llm {

/// The memory of all KV caches, as a resource of side effects.
struct KvCacheResource : public SideEffects::Resource::Base<KvCacheResource> {
  StringRef getName() final { return "<LlmKvCache>"; }
};

/// Returns the value under `name` in a dictionary of whole numbers; 0 if there
/// is none.
int64_t getAmount(DictionaryAttr amounts, StringRef name);
/// Returns a dictionary of whole numbers.
DictionaryAttr
getAmounts(MLIRContext *context,
           ArrayRef<std::pair<StringRef, int64_t>> namesAndAmounts);

} // namespace mlir::llm

#endif // LLM_DIALECT_LLM_IR_LLMDIALECT_H
