//===- LoopUnion.cpp - Loops of several ops as one set --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopUnion.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::llm;

unsigned LoopUnion::add(int64_t extent) {
  loops.push_back({extent});
  return loops.size() - 1;
}

LoopUnion::Digits LoopUnion::resolve(ArrayRef<unsigned> digits) const {
  Digits resolved;
  Digits pending(digits.rbegin(), digits.rend());
  while (!pending.empty()) {
    unsigned loop = pending.pop_back_val();
    if (loops[loop].isLeaf)
      resolved.push_back(loop);
    else
      pending.append(loops[loop].becomes.rbegin(), loops[loop].becomes.rend());
  }
  return resolved;
}

void LoopUnion::replace(unsigned loop, ArrayRef<unsigned> by) {
  loops[loop].isLeaf = false;
  loops[loop].becomes.assign(by.begin(), by.end());
  for (unsigned part : by)
    loops[part].isWhole |= loops[loop].isWhole;
}

void LoopUnion::split(unsigned loop, int64_t innerExtent) {
  unsigned outer = add(loops[loop].extent / innerExtent);
  unsigned inner = add(innerExtent);
  replace(loop, {outer, inner});
}

LogicalResult LoopUnion::unify(ArrayRef<unsigned> left,
                               ArrayRef<unsigned> right) {
  Digits a(left.rbegin(), left.rend()), b(right.rbegin(), right.rend());
  // Replaces the next loop of a list by what it has become.
  auto settle = [&](Digits &digits) {
    while (!digits.empty() && !loops[digits.back()].isLeaf) {
      Digits now = resolve(digits.pop_back_val());
      digits.append(now.rbegin(), now.rend());
    }
    return digits.empty() ? int64_t(0) : extentOf(digits.back());
  };
  while (true) {
    int64_t ofA = settle(a), ofB = settle(b);
    if (ofA == 0 && ofB == 0)
      return success();
    if (ofA == ofB) {
      if (a.back() != b.back())
        replace(b.back(), a.back());
      a.pop_back();
      b.pop_back();
    } else if (ofA == 1) {
      a.pop_back();
    } else if (ofB == 1) {
      replace(b.pop_back_val(), {});
    } else if (ofA == 0 || ofB == 0) {
      return failure();
    } else if (ofA > ofB && ofA % ofB == 0) {
      split(a.back(), ofA / ofB);
    } else if (ofB > ofA && ofB % ofA == 0) {
      split(b.back(), ofB / ofA);
    } else {
      return failure();
    }
  }
}

FailureOr<LoopUnion::Digits> LoopUnion::take(Digits &digits, int64_t size,
                                             End end) {
  bool isInner = end == End::Inner;
  Digits taken;
  while (size > 1) {
    if (digits.empty())
      return failure();
    unsigned loop = digits.back();
    int64_t extent = extentOf(loop);
    if (extent > size && extent % size == 0) {
      split(loop, isInner ? size : extent / size);
      digits.pop_back();
      ArrayRef<unsigned> pieces = loops[loop].becomes;
      if (isInner)
        digits.append(pieces.begin(), pieces.end());
      else
        digits.append(pieces.rbegin(), pieces.rend());
      continue;
    }
    if (size % extent != 0)
      return failure();
    taken.push_back(digits.pop_back_val());
    size /= extent;
  }
  if (isInner)
    std::reverse(taken.begin(), taken.end());
  return taken;
}

/// Cuts a dimension. A piece of neighbours fixes the outer digits, and a piece
/// of every n-th element the inner ones.
FailureOr<LoopUnion::Digits> LoopUnion::cutDimension(Digits dim, int64_t size,
                                                     ShownBox::Range range) {
  if (range.size == size)
    return dim;
  bool isStrided = range.stride > 1;
  int64_t outer = isStrided ? range.stride : range.size;
  if (range.size < 1 || range.stride < 1 || size % range.size != 0 ||
      (isStrided ? range.size * range.stride != size || range.begin >= outer
                 : range.begin % outer != 0))
    return failure();
  FailureOr<Digits> inner = take(dim, outer, End::Inner);
  if (failed(inner))
    return failure();
  Digits &fixed = isStrided ? *inner : dim;
  llvm::erase_if(fixed, [&](unsigned loop) { return extentOf(loop) == 1; });
  if (fixed.size() != 1)
    return failure();
  loops[fixed.front()].isWhole = true;
  pieces[fixed.front()].insert(isStrided ? range.begin : range.begin / outer);
  return isStrided ? dim : *inner;
}

FailureOr<LoopUnion::Digits> LoopUnion::cut(ArrayRef<unsigned> digits,
                                            ArrayRef<int64_t> shape,
                                            ArrayRef<ShownBox::Range> ranges) {
  Digits resolved = resolve(digits);
  Digits pending(resolved.rbegin(), resolved.rend()), result;
  for (auto [size, range] : llvm::zip_equal(shape, ranges)) {
    FailureOr<Digits> dim = take(pending, size, End::Outer);
    if (succeeded(dim))
      dim = cutDimension(*dim, size, range);
    if (failed(dim))
      return failure();
    result.append(*dim);
  }
  return result;
}

bool LoopUnion::hasAllPieces() const {
  return llvm::all_of(pieces, [&](const auto &entry) {
    return static_cast<int64_t>(entry.second.size()) == extentOf(entry.first);
  });
}

//===----------------------------------------------------------------------===//
// Loops of a dimension
//===----------------------------------------------------------------------===//

/// Returns a sum of loops times factors as (factor, loop), largest factor
/// first.
static std::optional<SmallVector<std::pair<int64_t, unsigned>>>
termsOf(AffineExpr expr) {
  SmallVector<std::pair<int64_t, unsigned>> terms;
  SmallVector<std::pair<AffineExpr, int64_t>> pending = {{expr, 1}};
  while (!pending.empty()) {
    auto [next, factor] = pending.pop_back_val();
    if (auto dim = dyn_cast<AffineDimExpr>(next)) {
      terms.push_back({factor, dim.getPosition()});
      continue;
    }
    if (auto constant = dyn_cast<AffineConstantExpr>(next)) {
      if (constant.getValue() != 0)
        return std::nullopt;
      continue;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(next);
    if (!binary)
      return std::nullopt;
    auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (binary.getKind() == AffineExprKind::Add) {
      pending.push_back({binary.getLHS(), factor});
      pending.push_back({binary.getRHS(), factor});
    } else if (binary.getKind() == AffineExprKind::Mul && scale) {
      std::optional<int64_t> product = checkedMul(factor, scale.getValue());
      if (!product)
        return std::nullopt;
      pending.push_back({binary.getLHS(), *product});
    } else {
      return std::nullopt;
    }
  }
  llvm::stable_sort(terms, [](auto a, auto b) { return a.first > b.first; });
  return terms;
}

std::optional<SmallVector<unsigned>>
mlir::llm::loopsOfDimension(const Workload &workload, AffineExpr index,
                            int64_t size) {
  auto terms = termsOf(index);
  if (!terms)
    return std::nullopt;
  SmallVector<unsigned> found;
  std::optional<int64_t> counted = 1;
  for (auto [factor, loop] : llvm::reverse(*terms)) {
    int64_t extent = workload.loops[loop].extent;
    if (extent != 1 && factor != *counted)
      return std::nullopt;
    counted = checkedMul(*counted, extent);
    if (!counted)
      return std::nullopt;
    found.insert(found.begin(), loop);
  }
  if (*counted != size)
    return std::nullopt;
  return found;
}
