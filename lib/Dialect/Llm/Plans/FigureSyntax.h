//===- FigureSyntax.h - The text of f64 numbers -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_PLANS_FIGURESYNTAX_H
#define LLM_LIB_DIALECT_LLM_PLANS_FIGURESYNTAX_H

#include "llm/Support/ShortestDecimal.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::llm {

/// A number of f64, as which it is not marked.
inline ParseResult parseFigure(AsmParser &parser, FloatAttr &figure) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  figure = parser.getBuilder().getF64FloatAttr(value);
  return success();
}

inline void printFigure(AsmPrinter &printer, FloatAttr figure) {
  const APFloat &value = figure.getValue();
  if (value.isFinite())
    printer << toShortestDecimal(value.convertToDouble());
  else
    printer.printFloat(value);
}

inline void printFigure(OpAsmPrinter &printer, Operation *, FloatAttr figure) {
  printFigure(printer, figure);
}

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_PLANS_FIGURESYNTAX_H
