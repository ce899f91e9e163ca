//===- Llm.h - The llm dialect ----------------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLM_IR_LLM_H
#define LLM_DIALECT_LLM_IR_LLM_H

// Code that reads only plans (tiles, costs, slots, targets) needs only this.
#include "llm/Dialect/Llm/IR/LlmDialect.h"

#define GET_OP_CLASSES
#include "llm/Dialect/Llm/IR/LlmOps.h.inc"

#endif // LLM_DIALECT_LLM_IR_LLM_H
