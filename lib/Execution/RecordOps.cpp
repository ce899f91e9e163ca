//===- RecordOps.cpp - Programs that say which op runs --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::llm;

static constexpr StringLiteral numberName = "llm.op";

//===----------------------------------------------------------------------===//
// Numbers in locations
//===----------------------------------------------------------------------===//

void llm::numberOps(const Program &program) {
  for (auto [index, entry] : llvm::enumerate(program.ops())) {
    MLIRContext *context = entry.op->getContext();
    Builder builder(context);
    NamedAttribute number(StringAttr::get(context, numberName),
                          builder.getI64IntegerAttr(index));
    entry.op->walk([&](Operation *op) {
      op->setLoc(FusedLoc::get(context, op->getLoc(),
                               builder.getDictionaryAttr(number)));
    });
  }
}

/// Returns the number of the op of which this was made; nothing if there is
/// none. An op that was made of several has the number of the first.
static std::optional<int> numberOf(Operation *op) {
  std::optional<int> number;
  op->getLoc()->walk([&](Location loc) {
    auto fused = dyn_cast<FusedLoc>(loc);
    auto facts = fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata())
                       : DictionaryAttr();
    auto own = facts ? facts.getAs<IntegerAttr>(numberName) : IntegerAttr();
    if (!own)
      return WalkResult::advance();
    number = own.getInt();
    return WalkResult::interrupt();
  });
  return number;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void llm::enterOp(int64_t recorder, int64_t op) {
  reinterpret_cast<OpRecorder *>(recorder)->enter(static_cast<int>(op));
}

namespace {
class CallInserter {
public:
  CallInserter(func::FuncOp callee, OpRecorder &recorder)
      : callee(callee), recorder(recorder) {}

  void visit(Block &block) {
    std::optional<int> current; // not known where a block begins
    for (Operation &op : llvm::make_early_inc_range(block)) {
      std::optional<int> number = numberOf(&op);
      if (op.getNumRegions() && !number) { // a loop of the program
        for (Region &region : op.getRegions())
          for (Block &inside : region)
            visit(inside);
        current.reset();
        continue;
      }
      if (!takesTime(op))
        continue;
      int next = number.value_or(OpRecorder::between);
      if (current != next)
        insertCall(op, next);
      current = next;
    }
  }

private:
  static bool takesTime(Operation &op) {
    return !isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>();
  }

  void insertCall(Operation &before, int number) {
    OpBuilder builder(&before);
    Location loc = before.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI64IntegerAttr(value));
    };
    func::CallOp::create(
        builder, loc, callee,
        ValueRange{constant(reinterpret_cast<int64_t>(&recorder)),
                   constant(number)});
  }

  func::FuncOp callee;
  OpRecorder &recorder;
};
} // namespace

void llm::addRecorderCalls(func::FuncOp function, OpRecorder &recorder) {
  OpBuilder builder(function);
  Type word = builder.getI64Type();
  auto callee = func::FuncOp::create(builder, function.getLoc(), enterOpSymbol,
                                     builder.getFunctionType({word, word}, {}));
  callee.setPrivate();
  CallInserter inserter(callee, recorder);
  for (Block &block : function.getBody())
    inserter.visit(block);
}
