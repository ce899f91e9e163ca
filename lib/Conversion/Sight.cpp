//===- Sight.cpp - Which keys a query sees --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sight.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::llm {

Sight::Sight(LinalgLowering &lowering, MaskAttr mask, Value queries, Value keys)
    : lowering(lowering), mask(mask), queries(queries), keys(keys) {
  if (mask.getLengths().size() > 1)
    lengths = lowering.constantIndices(mask.getLengths());
  if (mask.getFirstKeys().size() > 1)
    firstKeys = lowering.constantIndices(mask.getFirstKeys());
}

Value Sight::add(OpBuilder &b, Value x, Value y) const {
  return arith::AddIOp::create(b, lowering.getLoc(), x, y);
}

Value Sight::subtract(OpBuilder &b, Value x, Value y) const {
  return arith::SubIOp::create(b, lowering.getLoc(), x, y);
}

Value Sight::both(OpBuilder &b, Value x, Value y) const {
  return arith::AndIOp::create(b, lowering.getLoc(), x, y);
}

Value Sight::compare(OpBuilder &b, arith::CmpIPredicate predicate, Value x,
                     Value y) const {
  return arith::CmpIOp::create(b, lowering.getLoc(), predicate, x, y);
}

Value Sight::numberOf(OpBuilder &b, ArrayRef<int64_t> numbers, Value all,
                      Value sequence, Value otherwise) const {
  if (numbers.empty())
    return otherwise;
  if (numbers.size() == 1)
    return lowering.index(b, numbers.front());
  return tensor::ExtractOp::create(b, lowering.getLoc(), all, sequence);
}

Value Sight::lengthOf(OpBuilder &b, Value sequence) const {
  return numberOf(b, mask.getLengths(), lengths, sequence, keys);
}

Value Sight::lastSeen(OpBuilder &b, Value sequence, Value query) const {
  Value length = lengthOf(b, sequence);
  if (mask.getKind() == MaskKind::Full)
    return subtract(b, length, lowering.index(b, 1));
  // The last query stands at the last key.
  Value own = add(b, query, subtract(b, length, queries));
  if (mask.getStride() == 1)
    return own;
  Value whole = arith::DivSIOp::create(b, lowering.getLoc(),
                                       add(b, own, lowering.index(b, 1)),
                                       lowering.index(b, mask.getStride()));
  return subtract(b, whole, lowering.index(b, 1));
}

Value Sight::sees(OpBuilder &b, Value sequence, Value query, Value key) const {
  Location loc = lowering.getLoc();
  Value visible =
      compare(b, arith::CmpIPredicate::slt, key, lengthOf(b, sequence));
  if (mask.getKind() == MaskKind::Full)
    return visible;

  Value own = lastSeen(b, sequence, query);
  visible = both(b, visible, compare(b, arith::CmpIPredicate::sle, key, own));
  if (mask.getWindow()) {
    Value behind = subtract(b, own, lowering.index(b, mask.getWindow()));
    visible =
        both(b, visible, compare(b, arith::CmpIPredicate::sgt, key, behind));
  }
  if (mask.getChunk()) {
    Value first = numberOf(b, mask.getFirstKeys(), firstKeys, sequence,
                           lowering.index(b, 0));
    Value size = lowering.index(b, mask.getChunk());
    auto chunkOf = [&](Value position) -> Value {
      return arith::DivSIOp::create(b, loc, add(b, position, first), size);
    };
    visible =
        both(b, visible,
             compare(b, arith::CmpIPredicate::eq, chunkOf(key), chunkOf(own)));
  }
  return visible;
}

} // namespace mlir::llm
