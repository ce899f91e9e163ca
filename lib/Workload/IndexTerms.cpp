//===- IndexTerms.cpp - An index as a sum of loops ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Workload/IndexTerms.h"
#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace mlir;
using namespace mlir::llm;

static bool collectTerms(AffineExpr index, int64_t factor,
                         SmallVectorImpl<IndexTerm> &terms) {
  if (auto dim = dyn_cast<AffineDimExpr>(index)) {
    terms.push_back({factor, dim.getPosition()});
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return collectTerms(binary.getLHS(), factor, terms) &&
           collectTerms(binary.getRHS(), factor, terms);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return scale && binary.getKind() == AffineExprKind::Mul &&
         collectTerms(binary.getLHS(), factor * scale.getValue(), terms);
}

std::optional<SmallVector<IndexTerm>>
mlir::llm::termsOfIndex(AffineExpr index) {
  SmallVector<IndexTerm> terms;
  if (!isa<AffineConstantExpr>(index) && !collectTerms(index, 1, terms))
    return std::nullopt;
  llvm::sort(terms, [](const IndexTerm &a, const IndexTerm &b) {
    return std::tie(a.factor, a.loop) < std::tie(b.factor, b.loop);
  });
  return terms;
}
