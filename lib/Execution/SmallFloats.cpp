//===- SmallFloats.cpp - Floats that no CPU reads -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"
#include "llm/Execution/HostTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

constexpr unsigned mostBits = 8;

bool isSmall(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= mostBits;
}

struct SmallFloats : PassWrapper<SmallFloats, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SmallFloats)

  StringRef getArgument() const override { return "llm-small-floats"; }

  void runOnOperation() override {
    SmallVector<arith::ExtFOp> reads;
    WalkResult walked = getOperation().walk([&](Operation *op) {
      if (auto read = dyn_cast<arith::ExtFOp>(op);
          read && isSmall(read.getIn().getType()))
        reads.push_back(read);
      if (auto write = dyn_cast<arith::TruncFOp>(op);
          write && isSmall(write.getType())) {
        write.emitOpError() << "rounds to " << write.getType()
                            << ", which llm-run does not do yet";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    for (arith::ExtFOp read : reads)
      lookUp(read);
  }

private:
  /// The number of each pattern of bits of the type.
  memref::GlobalOp getTable(FloatType type) {
    memref::GlobalOp &table = tables[type];
    if (table)
      return table;
    SmallVector<float> numbers;
    for (unsigned bits = 0; bits < (1U << type.getWidth()); ++bits) {
      char byte = static_cast<char>(bits);
      numbers.push_back(static_cast<float>(readElement(type, &byte)));
    }
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto shape = static_cast<int64_t>(numbers.size());
    Type element = builder.getF32Type();
    std::string name;
    llvm::raw_string_ostream(name) << "numbers." << type;
    table = memref::GlobalOp::create(
        builder, getOperation().getLoc(), name,
        builder.getStringAttr("private"), MemRefType::get(shape, element),
        DenseFPElementsAttr::get(RankedTensorType::get(shape, element),
                                 ArrayRef<float>(numbers)),
        /*constant=*/true, /*alignment=*/IntegerAttr());
    return table;
  }

  void lookUp(arith::ExtFOp read) {
    OpBuilder b(read);
    Location loc = read.getLoc();
    auto type = cast<FloatType>(read.getIn().getType());
    memref::GlobalOp table = getTable(type);
    Value bits = arith::BitcastOp::create(
        b, loc, b.getIntegerType(type.getWidth()), read.getIn());
    Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), bits);
    Value numbers = memref::GetGlobalOp::create(b, loc, table.getType(),
                                                table.getSymName());
    Value number = memref::LoadOp::create(b, loc, numbers, index);
    if (number.getType() != read.getType())
      number = arith::ExtFOp::create(b, loc, read.getType(), number);
    read.replaceAllUsesWith(number);
    read.erase();
  }

  DenseMap<Type, memref::GlobalOp> tables;
};

} // namespace

std::unique_ptr<Pass> mlir::llm::createSmallFloatsPass() {
  return std::make_unique<SmallFloats>();
}
