//===- BlockSyntax.h - Blocks in the text of attributes ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_BLOCKSYNTAX_H
#define LLM_LIB_DIALECT_LLM_IR_BLOCKSYNTAX_H

#include "llm/Dialect/Llm/IR/Llm.h"

namespace mlir::llm {

/// [128, ?]: 128 in one dimension, and all of the other.
inline ParseResult parseBlock(AsmParser &parser,
                              SmallVectorImpl<int64_t> &block) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (failed(parser.parseOptionalQuestion()))
          return parser.parseInteger(block.emplace_back());
        block.push_back(ScalesAttr::wholeDimension);
        return success();
      });
}

inline void printBlock(AsmPrinter &printer, ArrayRef<int64_t> block) {
  printer << "[";
  llvm::interleaveComma(block, printer.getStream(), [&](int64_t size) {
    if (size == ScalesAttr::wholeDimension)
      printer << "?";
    else
      printer << size;
  });
  printer << "]";
}

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_BLOCKSYNTAX_H
