//===- LlmDialect.cpp - Registration and attribute verification -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FigureSyntax.h"
#include "ValueNames.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Dialect/Llm/IR/LlmBytecode.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

#include "llm/Dialect/Llm/IR/LlmDialect.cpp.inc"
#include "llm/Dialect/Llm/IR/LlmEnums.cpp.inc"

template <typename... Ops>
static void attachTiling(MLIRContext *context) {
  auto attach = [&](auto *op) {
    using Op = std::remove_pointer_t<decltype(op)>;
    if constexpr (Op::template hasTrait<SliceableOpInterface::Trait>())
      Op::template attachInterface<SliceableTilingModel<Op>>(*context);
  };
  (attach(static_cast<Ops *>(nullptr)), ...);
}

void LlmDialect::initialize() {
  registerAttributes();
  registerTypes();
  addBytecodeInterface(*this);
  addOperations<
#define GET_OP_LIST
#include "llm/Dialect/Llm/IR/LlmOps.cpp.inc"
      >();
  attachTiling<
#define GET_OP_LIST
#include "llm/Dialect/Llm/IR/LlmOps.cpp.inc"
      >(getContext());
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

/// 511, %p, or [511, %p] with a position for each sequence: those that are
/// values are open in the list of numbers.
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

/// The attribute must be an `Attr`, and on a function or on an op that takes
/// time, or on the loops that it was made into.
template <typename Attr>
static LogicalResult verifyKind(Operation *op, NamedAttribute attribute,
                                StringRef spelling, bool onFunction) {
  if (!isa<Attr>(attribute.getValue())) // attr-C2
    return op->emitOpError()
           << "attribute '" << attribute.getName().getValue() << "' must be a "
           << spelling << ", got " << attribute.getValue();
  // attr-C3
  if (onFunction ? !isa<FunctionOpInterface>(op)
                 : !isa<WorkloadOpInterface, LoopLikeOpInterface>(op))
    return op->emitOpError()
           << "attribute '" << attribute.getName().getValue() << "' belongs on "
           << (onFunction ? "a function"
                          : "an op that takes time, or on its loops");
  return success();
}

/// The slots on a loop over parts are those of its iterations.
static LogicalResult verifySlots(Operation *op, NamedAttribute attribute) {
  if (failed(verifyKind<SlotsAttr>(op, attribute, "#llm.slots",
                                   /*onFunction=*/false)))
    return failure();
  auto parts = dyn_cast<scf::ForallOp>(op);
  if (!parts)
    return success();
  std::optional<int64_t> count = 1;
  for (auto [begin, end, step] :
       llvm::zip_equal(parts.getStaticLowerBound(), parts.getStaticUpperBound(),
                       parts.getStaticStep())) {
    bool isOpen = llvm::is_contained({begin, end, step}, ShapedType::kDynamic);
    count = count && !isOpen && step > 0 && end > begin
                ? checkedMul(*count, llvm::divideCeil(end - begin, step))
                : std::nullopt;
  }
  if (!count || !cast<SlotsAttr>(attribute.getValue()).areOfParts(*count))
    return op->emitOpError()
           << "must have one slot for each iteration"; // attr-C6
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
    return verifySlots(op, attribute);
  if (name == scheduleAttrName)
    return verifyKind<ScheduleAttr>(op, attribute, "#llm.schedule",
                                    /*onFunction=*/true);
  if (name == programAttrName)
    return verifyKind<ProgramAttr>(op, attribute, "#llm.program",
                                   /*onFunction=*/true);
  // attr-C1
  SmallVector<StringRef> known = {tileAttrName, costAttrName, slotsAttrName,
                                  scheduleAttrName, programAttrName};
  return op->emitOpError() << "has unknown attribute '" << name << "'"
                           << didYouMean(name, known)
                           << " (known: " << llvm::join(known, ", ") << ")";
}

// attr-C4
static LogicalResult verifyOnFunctionValue(Operation *op, StringRef what,
                                           NamedAttribute attribute) {
  StringRef name = attribute.getName();
  bool isAllowed =
      name == "llm.cache" ||
      (what == "argument" &&
       (name == "llm.source" || name == "llm.size" || name == "llm.random"));
  if (isAllowed) {
    auto text = dyn_cast<StringAttr>(attribute.getValue());
    if (text && !text.empty())
      return success();
    return op->emitOpError()
           << what << " attribute '" << name << "' must be a name, got "
           << attribute.getValue();
  }
  return op->emitOpError()
         << what << " attribute '" << attribute.getName().getValue()
         << "' is not allowed: attributes of the llm dialect belong "
            "on ops and functions";
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
