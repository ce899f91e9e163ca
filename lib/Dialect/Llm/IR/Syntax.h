//===- Syntax.h - Sizes in the text of types and attributes -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_SYNTAX_H
#define LLM_LIB_DIALECT_LLM_IR_SYNTAX_H

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

/// A number, or `?` for one that is open.
inline ParseResult parseSize(AsmParser &parser, int64_t &size) {
  if (failed(parser.parseOptionalQuestion()))
    return parser.parseInteger(size);
  size = ShapedType::kDynamic;
  return success();
}

inline void printSize(AsmPrinter &printer, int64_t size) {
  if (ShapedType::isDynamic(size))
    printer << "?";
  else
    printer << size;
}

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_SYNTAX_H
