//===- FigureSyntax.h - The text of numbers and names -----------*- C++ -*-===//
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

/// Parses a number of f64, without its type.
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

/// Parses "[1.0, 2.5]". The attribute's own text keeps only six digits of a
/// number.
inline ParseResult parseFigures(AsmParser &parser, DenseF64ArrayAttr &figures) {
  SmallVector<double> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseFloat(values.emplace_back());
      }))
    return failure();
  figures = parser.getBuilder().getDenseF64ArrayAttr(values);
  return success();
}

inline void printFigures(AsmPrinter &printer, DenseF64ArrayAttr figures) {
  printer << "[";
  llvm::interleaveComma(figures.asArrayRef(), printer, [&](double value) {
    printFigure(printer, Builder(figures.getContext()).getF64FloatAttr(value));
  });
  printer << "]";
}

/// Parses "[m, n]", names.
inline ParseResult parseNames(AsmParser &parser,
                              SmallVectorImpl<StringAttr> &names) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        std::string name;
        if (parser.parseKeywordOrString(&name))
          return failure();
        names.push_back(parser.getBuilder().getStringAttr(name));
        return success();
      });
}

inline void printNames(AsmPrinter &printer, ArrayRef<StringAttr> names) {
  printer << "[";
  llvm::interleaveComma(names, printer.getStream(), [&](StringAttr name) {
    printer.printKeywordOrString(name);
  });
  printer << "]";
}

/// Parses "[dp, tp]", names of axes of a grid.
inline ParseResult parseAxes(AsmParser &parser, ArrayAttr &axes) {
  SmallVector<StringAttr> names;
  if (parseNames(parser, names))
    return failure();
  axes = parser.getBuilder().getArrayAttr(llvm::to_vector_of<Attribute>(names));
  return success();
}

inline void printAxes(AsmPrinter &printer, ArrayAttr axes) {
  printNames(printer, llvm::to_vector(axes.getAsRange<StringAttr>()));
}

inline void printAxes(OpAsmPrinter &printer, Operation *, ArrayAttr axes) {
  printAxes(printer, axes);
}

/// Parses a whole number without its type.
inline ParseResult parseNumber(AsmParser &parser, IntegerAttr &number) {
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  number = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

inline void printNumber(OpAsmPrinter &printer, Operation *,
                        IntegerAttr number) {
  printer << number.getInt();
}

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_PLANS_FIGURESYNTAX_H
