//===- LinalgPayload.cpp - The work of one point of a linalg op -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgPayload.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Multiply-accumulates
//===----------------------------------------------------------------------===//

static bool isConversion(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::IndexCastOp, arith::IndexCastUIOp,
             arith::BitcastOp>(op);
}

/// Returns the value before all conversions.
static Value skipConversions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isConversion(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Returns the input of the op that the value is, seen through conversions.
static std::optional<unsigned> findInput(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(skipConversions(value));
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  return argument.getArgNumber();
}

static bool isOutput(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == op.getBlock() &&
         argument.getArgNumber() >= op.getNumDpsInputs();
}

/// Returns the product in `out + a * b`, if `add` has this form, or else null.
static Operation *findProduct(linalg::LinalgOp op, Operation &add) {
  if (!isa<arith::AddFOp, arith::AddIOp>(add))
    return nullptr;
  for (unsigned side : {0, 1}) {
    Operation *product = skipConversions(add.getOperand(side)).getDefiningOp();
    if (!isa_and_present<arith::MulFOp, arith::MulIOp>(product) ||
        !product->hasOneUse() || !isOutput(op, add.getOperand(1 - side)))
      continue;
    std::optional<unsigned> lhs = findInput(op, product->getOperand(0));
    std::optional<unsigned> rhs = findInput(op, product->getOperand(1));
    if (lhs && rhs && *lhs != *rhs)
      return product;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Everything else
//===----------------------------------------------------------------------===//

static bool isCompare(Operation *op) {
  return isa<arith::CmpFOp, arith::CmpIOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::MinSIOp, arith::MinUIOp>(op);
}

/// Whether the op is a division, or a function for which a machine has a unit
/// of its own or a routine.
static bool isSpecial(Operation *op) {
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
          arith::RemSIOp, arith::RemUIOp>(op))
    return true;
  return isa_and_present<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
              math::FloorOp, math::FmaOp, math::RoundOp, math::RoundEvenOp,
              math::TruncOp>(op);
}

static bool isFree(Operation *op) {
  return isConversion(op) || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<linalg::IndexOp, linalg::YieldOp, tensor::ExtractOp, cf::AssertOp>(
             op);
}

static bool isAlu(Operation *op) {
  return isa_and_present<arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

FailureOr<PayloadWork> mlir::llm::countPayload(linalg::LinalgOp op,
                                               EmitError emitError) {
  PayloadWork work;
  llvm::SmallPtrSet<Operation *, 4> counted;
  if (op.getNumReductionLoops() > 0)
    for (Operation &add : *op.getBlock())
      if (Operation *product = findProduct(op, add)) {
        counted.insert(product);
        counted.insert(&add);
        ++work.macs;
      }
  for (Operation &inner : *op.getBlock()) {
    if (counted.contains(&inner) || isFree(&inner))
      continue;
    if (isCompare(&inner))
      ++work.compare;
    else if (isSpecial(&inner))
      ++work.special;
    else if (isAlu(&inner))
      ++work.alu;
    else
      return emitError() << "its body has '" << inner.getName()
                         << "', whose work is not known; arith, math, "
                            "linalg.index and tensor.extract are";
  }
  return work;
}

static bool isFromOutside(linalg::LinalgOp op, Value value) {
  return !op->isAncestor(value.getParentRegion()->getParentOp());
}

/// Adds the values from outside of which the body computes these values.
static void addOrigins(linalg::LinalgOp op, ValueRange values,
                       llvm::SmallSetVector<Value, 2> &origins) {
  llvm::SmallSetVector<Value, 8> worklist(values.begin(), values.end());
  for (size_t next = 0; next < worklist.size(); ++next) {
    Value value = worklist[next];
    if (isFromOutside(op, value))
      origins.insert(value);
    else if (auto argument = dyn_cast<BlockArgument>(value))
      origins.insert(op->getOperand(argument.getArgNumber()));
    else
      worklist.insert_range(value.getDefiningOp()->getOperands());
  }
}

SmallVector<GatheredTensor> mlir::llm::findGathered(linalg::LinalgOp op) {
  llvm::MapVector<Value, llvm::SmallSetVector<Value, 2>> gathered;
  for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>())
    if (isFromOutside(op, extract.getTensor()))
      addOrigins(op, extract.getIndices(), gathered[extract.getTensor()]);
  SmallVector<GatheredTensor> tensors;
  for (auto &[tensor, selectedBy] : gathered)
    tensors.push_back({tensor, llvm::to_vector<1>(selectedBy)});
  return tensors;
}
