//===- Chips.cpp - What a lowered program knows of its chip ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's `mpi` dialect has neither all_gather nor all_to_all, and takes no
// floats of less than 32 bits. So bytes are exchanged here, by calls of C
// functions. What is computed with them, such as sums, is the program's own.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

ChipGroup::ChipGroup(LinalgLowering &lowering, Operation *op, ArrayAttr names)
    : lowering(lowering), builder(lowering.getBuilder()),
      loc(lowering.getLoc()), module(op->getParentOfType<ModuleOp>()) {
  GridAttr grid = GridAttr::ofModule(op);
  for (auto name : names.getAsRange<StringAttr>())
    axes.push_back({*grid.sizeOf(name), grid.strideOf(name)});
  numChips = grid.countChips(names);
}

Value ChipGroup::index(int64_t value) { return lowering.index(builder, value); }

/// Declares a function that the lowered program calls, if it is not declared
/// yet.
func::FuncOp ChipGroup::declare(StringRef name, FunctionType type) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(builder, module.getLoc(), name, type);
  function.setPrivate();
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
  return function;
}

Value ChipGroup::getRank() {
  func::FuncOp callee =
      declare("llm_chip", builder.getFunctionType({}, builder.getIndexType()));
  Value chip =
      func::CallOp::create(builder, loc, callee, ValueRange()).getResult(0);
  Value rank = index(0);
  for (auto [size, stride] : axes) {
    Value place = arith::RemUIOp::create(
        builder, loc, arith::DivUIOp::create(builder, loc, chip, index(stride)),
        index(size));
    Value outer = arith::MulIOp::create(builder, loc, rank, index(size));
    rank = arith::AddIOp::create(builder, loc, outer, place);
  }
  return rank;
}

/// An element of less than 8 bits takes a byte.
static int64_t bytesOfElement(Type element) {
  return llvm::divideCeilSigned(element.getIntOrFloatBitWidth(), 8);
}

/// Returns a buffer of bytes for the elements of a tensor.
ChipGroup::Bytes ChipGroup::makeBytes(ArrayRef<OpFoldResult> sizes,
                                      Type element) {
  OpFoldResult count = builder.getIndexAttr(bytesOfElement(element));
  for (OpFoldResult size : sizes)
    count = lowering.multiply(count, size);
  auto [numBytes, openBytes] = decomposeMixedValues({count});
  auto [shape, openSizes] = decomposeMixedValues(llvm::to_vector(sizes));
  constexpr int64_t lineBytes = 64;
  Value bytes = memref::AllocOp::create(
      builder, loc, MemRefType::get(numBytes, builder.getI8Type()), openBytes,
      builder.getI64IntegerAttr(lineBytes));
  return {bytes, memref::ViewOp::create(builder, loc,
                                        MemRefType::get(shape, element), bytes,
                                        index(0), openSizes)};
}

/// Returns the size and the stride of each axis, the outermost first.
Value ChipGroup::listAxes() {
  SmallVector<int64_t> numbers;
  for (auto [size, stride] : axes)
    numbers.append({size, stride});
  SmallVector<int64_t> shape = {static_cast<int64_t>(axes.size()), 2};
  auto type = RankedTensorType::get(shape, builder.getIndexType());
  return asPairs(arith::ConstantOp::create(
      builder, loc, DenseIntElementsAttr::get(type, numbers)));
}

Value ChipGroup::asPairs(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value buffer = bufferization::ToBufferOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
      tensor, /*read_only=*/true);
  return memref::CastOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic, 2}, type.getElementType()),
      buffer);
}

Value ChipGroup::call(StringRef name, Value from, ArrayRef<OpFoldResult> to,
                      ValueRange arguments) {
  Type element = cast<RankedTensorType>(from.getType()).getElementType();
  Bytes sent = makeBytes(lowering.getSizes(from), element),
        got = makeBytes(to, element);
  bufferization::MaterializeInDestinationOp::create(
      builder, loc, Type(), from, sent.shown, /*restrict=*/true,
      /*writable=*/true);
  SmallVector<Value> operands;
  for (Value bytes : {sent.bytes, got.bytes})
    operands.push_back(memref::CastOp::create(
        builder, loc,
        MemRefType::get(ShapedType::kDynamic, builder.getI8Type()), bytes));
  llvm::append_range(operands, arguments);
  operands.push_back(listAxes());
  func::FuncOp callee = declare(
      name, builder.getFunctionType(ValueRange(operands).getTypes(), {}));
  func::CallOp::create(builder, loc, callee, operands);
  auto [shape, open] = decomposeMixedValues(llvm::to_vector(to));
  return bufferization::ToTensorOp::create(
      builder, loc, RankedTensorType::get(shape, element), got.shown,
      /*restrict=*/true, /*writable=*/true);
}

Value ChipGroup::gather(Value x) {
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x);
  sizes.insert(sizes.begin(), builder.getIndexAttr(numChips));
  return call("llm_all_gather", x, sizes, {});
}

Value ChipGroup::swap(Value pieces) {
  return call("llm_all_to_all", pieces, lowering.getSizes(pieces), {});
}

Value ChipGroup::swapRows(Value rows, Value counts, int64_t most) {
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<OpFoldResult> sizes = lowering.getSizes(rows);
  sizes[0] = builder.getIndexAttr(most);
  int64_t rowBytes = type.getNumElements() / type.getDimSize(0) *
                     bytesOfElement(type.getElementType());
  return call("llm_all_to_all_rows", rows, sizes,
              {asPairs(counts), index(rowBytes)});
}
