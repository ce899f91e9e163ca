//===- LlmDialect.cpp - Registration and attribute verification -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::llm;

#include "llm/Dialect/Llm/IR/LlmDialect.cpp.inc"
#include "llm/Dialect/Llm/IR/LlmEnums.cpp.inc"

void LlmDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "llm/Dialect/Llm/IR/LlmOps.cpp.inc"
      >();
}

/// 511, or [511, 100] with a number for each sequence.
static ParseResult parsePositions(OpAsmParser &parser,
                                  DenseI64ArrayAttr &positions) {
  SmallVector<int64_t> numbers;
  auto parseNumber = [&] {
    return parser.parseInteger(numbers.emplace_back());
  };
  if (failed(parser.parseOptionalLSquare())) {
    if (parseNumber())
      return failure();
  } else if (parser.parseCommaSeparatedList(parseNumber) ||
             parser.parseRSquare()) {
    return failure();
  }
  positions = DenseI64ArrayAttr::get(parser.getContext(), numbers);
  return success();
}

static void printPositions(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr positions) {
  if (positions.size() == 1)
    printer << positions[0];
  else
    printer << "[" << positions.asArrayRef() << "]";
}

#define GET_OP_CLASSES
#include "llm/Dialect/Llm/IR/LlmOps.cpp.inc"

/// The attribute must be an `Attr`, and on a function or on anything else.
template <typename Attr>
static LogicalResult verifyKind(Operation *op, NamedAttribute attribute,
                                StringRef spelling, bool onFunction) {
  if (!isa<Attr>(attribute.getValue())) // attr-C2
    return op->emitOpError()
           << "attribute '" << attribute.getName().getValue() << "' must be a "
           << spelling << ", got " << attribute.getValue();
  // attr-C3
  if (onFunction ? !isa<FunctionOpInterface>(op)
                 : !isa<WorkloadOpInterface>(op))
    return op->emitOpError()
           << "attribute '" << attribute.getName().getValue() << "' belongs on "
           << (onFunction ? "a function" : "an op that takes time");
  return success();
}

LogicalResult LlmDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == tileAttrName)
    return verifyKind<TileAttr>(op, attribute, "#llm.tile",
                                /*onFunction=*/false);
  if (name == costAttrName)
    return verifyKind<CostAttr>(op, attribute, "#llm.cost",
                                /*onFunction=*/false);
  if (name == slotsAttrName)
    return verifyKind<SlotsAttr>(op, attribute, "#llm.slots",
                                 /*onFunction=*/false);
  if (name == scheduleAttrName)
    return verifyKind<ScheduleAttr>(op, attribute, "#llm.schedule",
                                    /*onFunction=*/true);
  if (name == programAttrName)
    return verifyKind<ProgramAttr>(op, attribute, "#llm.program",
                                   /*onFunction=*/true);
  // attr-C1
  return op->emitOpError()
         << "has unknown attribute '" << name
         << "'; the llm dialect knows llm.tile, llm.cost, llm.slots, "
            "llm.schedule and llm.program";
}

// attr-C4
static LogicalResult rejectOnFunctionValue(Operation *op, StringRef what,
                                           NamedAttribute attribute) {
  return op->emitOpError()
         << what << " attribute '" << attribute.getName().getValue()
         << "' is not allowed: attributes of the llm dialect belong "
            "on ops and functions";
}

LogicalResult LlmDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned,
                                                   NamedAttribute attribute) {
  return rejectOnFunctionValue(op, "argument", attribute);
}

LogicalResult
LlmDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                        NamedAttribute attribute) {
  return rejectOnFunctionValue(op, "result", attribute);
}
