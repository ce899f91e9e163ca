//===- LlmDialect.cpp - The dialect and its ops ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plans/Aliases.h"
#include "Plans/FigureSyntax.h"
#include "ValueNames.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Dialect/Llm/IR/LlmBytecode.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

#include "llm/Dialect/Llm/IR/LlmDialect.cpp.inc"

template <typename... Ops>
static void attachTiling(MLIRContext *context) {
  auto attach = [&](auto *op) {
    using Op = std::remove_pointer_t<decltype(op)>;
    if constexpr (Op::template hasTrait<SliceableOpInterface::Trait>())
      Op::template attachInterface<SliceableTilingModel<Op>>(*context);
  };
  (attach(static_cast<Ops *>(nullptr)), ...);
}

namespace {
/// States are shown as tensors by an op, which their type does not know.
struct StateAsArray
    : ArrayTypeInterface::ExternalModel<StateAsArray, StateType> {
  RankedTensorType getShownTensor(Type type) const {
    return cast<StateType>(type).asTensor();
  }
  Value showAsTensor(Type type, OpBuilder &builder, Value value) const {
    return StateCastOp::create(builder, value.getLoc(), getShownTensor(type),
                               value, /*before=*/Value());
  }
  Value makeOfTensor(Type, OpBuilder &builder, Value tensor,
                     Value before) const {
    auto shape = cast<RankedTensorType>(tensor.getType());
    return StateCastOp::create(builder, tensor.getLoc(),
                               StateType::ofTensor(shape), tensor, before);
  }
};
} // namespace

void LlmDialect::initialize() {
  registerAttributes();
  registerTypes();
  addInterfaces<Aliases>();
  addBytecodeInterface(*this);
  addOperations<
#define GET_OP_LIST
#include "llm/Dialect/Llm/IR/LlmOps.cpp.inc"
      >();
  attachTiling<
#define GET_OP_LIST
#include "llm/Dialect/Llm/IR/LlmOps.cpp.inc"
      >(getContext());
  StateType::attachInterface<StateAsArray>(*getContext());
}

static ParseResult refuseUnknownOp(OpAsmParser &parser, OperationState &state) {
  SmallVector<StringRef> known;
  for (RegisteredOperationName op :
       parser.getContext()->getRegisteredOperations())
    if (op.getDialectNamespace() == LlmDialect::getDialectNamespace())
      known.push_back(op.getStringRef());
  StringRef name = state.name.getStringRef();
  return parser.emitError(parser.getNameLoc())
         << "is unknown" << didYouMean(name, known);
}

std::optional<Dialect::ParseOpHook>
LlmDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(refuseUnknownOp);
}

/// Parses 511, %p, or [511, %p] with a position for each sequence. A position
/// that is a value is an open number in the list.
static ParseResult
parsePositions(OpAsmParser &parser,
               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
               DenseI64ArrayAttr &positions) {
  SmallVector<int64_t> numbers;
  auto parsePosition = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand value;
    OptionalParseResult isValue = parser.parseOptionalOperand(value);
    if (!isValue.has_value())
      return parser.parseInteger(numbers.emplace_back());
    values.push_back(value);
    numbers.push_back(ShapedType::kDynamic);
    return *isValue;
  };
  if (failed(parser.parseOptionalLSquare())) {
    if (parsePosition())
      return failure();
  } else if (parser.parseCommaSeparatedList(parsePosition) ||
             parser.parseRSquare()) {
    return failure();
  }
  positions = DenseI64ArrayAttr::get(parser.getContext(), numbers);
  return success();
}

static void printPositions(OpAsmPrinter &printer, Operation *,
                           OperandRange values, DenseI64ArrayAttr positions) {
  auto value = values.begin();
  auto print = [&](int64_t position) {
    if (ShapedType::isDynamic(position) && value != values.end())
      printer << *value++;
    else
      printer << position;
  };
  if (positions.size() == 1)
    return print(positions[0]);
  printer << "[";
  llvm::interleaveComma(positions.asArrayRef(), printer, print);
  printer << "]";
}

/// The same, of positions that are all numbers.
static ParseResult parseKnownPositions(OpAsmParser &parser,
                                       DenseI64ArrayAttr &positions) {
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  SMLoc loc = parser.getCurrentLocation();
  if (parsePositions(parser, values, positions))
    return failure();
  if (!values.empty())
    return parser.emitError(loc, "expected positions that are numbers");
  return success();
}

static void printKnownPositions(OpAsmPrinter &printer, Operation *op,
                                DenseI64ArrayAttr positions) {
  printPositions(printer, op, op->getOperands().take_front(0), positions);
}

/// [3, 0, 4, 1], or `uniform` while the number of rows is open.
static ParseResult parseRowsPerExpert(OpAsmParser &parser,
                                      DenseI64ArrayAttr &rows,
                                      RoutingAttr &routing) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&keyword))) {
    rows = dyn_cast_or_null<DenseI64ArrayAttr>(
        DenseI64ArrayAttr::parse(parser, Type()));
    return failure(!rows);
  }
  std::optional<Routing> known = symbolizeRouting(keyword);
  if (!known)
    return parser.emitError(loc)
           << "expected a list of rows, 'uniform', 'balanced' or 'zipf'";
  rows = DenseI64ArrayAttr::get(parser.getContext(), {});
  routing = RoutingAttr::get(parser.getContext(), *known);
  return success();
}

static void printRowsPerExpert(OpAsmPrinter &printer, Operation *,
                               DenseI64ArrayAttr rows, RoutingAttr routing) {
  if (routing)
    printer << stringifyRouting(routing.getValue());
  else
    rows.print(printer);
}

#define GET_OP_CLASSES
#include "llm/Dialect/Llm/IR/LlmOps.cpp.inc"

LogicalResult LlmDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return verifyPlan(op, attribute);
}

LogicalResult LlmDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned,
                                                   NamedAttribute attribute) {
  return verifyOnFunctionValue(op, "argument", attribute);
}

LogicalResult
LlmDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                        NamedAttribute attribute) {
  return verifyOnFunctionValue(op, "result", attribute);
}
