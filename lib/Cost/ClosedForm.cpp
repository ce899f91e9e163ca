//===- ClosedForm.cpp - The tile of hand-made cost sheets -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/ClosedForm.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Finds the loops and operands of a product C[m, n] = A[m, k] B[k, n]: one
/// contraction over three loops whose two operands share the reduction loop
/// only.
static std::optional<ClosedForm> matchProduct(const Workload &workload) {
  SmallVector<unsigned, 2> operands;
  for (auto [index, buffer] : llvm::enumerate(workload.buffers))
    if (workload.isContracted(buffer) && buffer.role == Buffer::Role::Read)
      operands.push_back(index);
  unsigned contractions =
      llvm::count_if(workload.stages, [](const Stage &stage) {
        return llvm::any_of(stage.workPerPoint, [](auto work) {
          return work.first == WorkKind::Mac;
        });
      });
  if (workload.loops.size() != 3 || operands.size() != 2 || contractions != 1 ||
      workload.maskedLoops.any())
    return std::nullopt;
  llvm::SmallBitVector lhs = workload.loopsOf(workload.buffers[operands[0]]);
  llvm::SmallBitVector rhs = workload.loopsOf(workload.buffers[operands[1]]);
  llvm::SmallBitVector both = lhs, onlyLhs = lhs, onlyRhs = rhs;
  both &= rhs;
  onlyLhs.reset(rhs);
  onlyRhs.reset(lhs);
  if (both.count() != 1 || onlyLhs.count() != 1 || onlyRhs.count() != 1)
    return std::nullopt;
  ClosedForm form = {};
  form.m = onlyLhs.find_first();
  form.k = both.find_first();
  form.n = onlyRhs.find_first();
  form.lhs = operands[0];
  form.rhs = operands[1];
  return form;
}

/// The edges of the tile for dimensions in any order.
static std::array<double, 3> tileEdges(std::array<double, 3> dims,
                                       double values) {
  std::array<unsigned, 3> byMeasure = {0, 1, 2};
  std::stable_sort(byMeasure.begin(), byMeasure.end(),
                   [&](unsigned a, unsigned b) { return dims[a] < dims[b]; });
  double d0 = dims[byMeasure[0]], d1 = dims[byMeasure[1]];
  double edge = std::sqrt(values / 3);
  std::array<double, 3> sorted = {edge, edge, edge};
  if (d0 < edge) {
    double x = std::sqrt(d0 * d0 + values) - d0;
    sorted = {d0, x, x};
    if (d1 < x)
      sorted = {d0, d1, (values - d0 * d1) / (d0 + d1)};
  }
  std::array<double, 3> edges;
  for (unsigned position = 0; position < 3; ++position)
    edges[byMeasure[position]] =
        std::max(1.0, std::min(sorted[position], dims[byMeasure[position]]));
  return edges;
}

std::optional<ClosedForm> ClosedForm::get(const OpOnTarget &context) {
  const Workload &workload = context.workload;
  std::optional<ClosedForm> form = matchProduct(workload);
  if (!form || !context.tileMemory())
    return std::nullopt;
  Type type = workload.macElementType();
  if (!type)
    return std::nullopt;
  double bytesPerValue = type.getIntOrFloatBitWidth() / 8.0;
  double m = workload.loops[form->m].extent, k = workload.loops[form->k].extent,
         n = workload.loops[form->n].extent;
  auto [tileM, tileK, tileN] =
      tileEdges({m, k, n}, context.tileCapacityBytes() / bytesPerValue);
  form->tileM = tileM;
  form->tileK = tileK;
  form->tileN = tileN;
  form->lhsBytes = m * k * n / tileN * bytesPerValue;
  form->rhsBytes = m * k * n / tileM * bytesPerValue;
  return form;
}

TileAttr ClosedForm::getTile(const OpOnTarget &context) const {
  MLIRContext *mlirContext = context.op->getContext();
  const Workload &workload = context.workload;
  auto name = [&](unsigned loop) {
    return StringRef(workload.loops[loop].name);
  };
  DictionaryAttr sizes = getAmounts(mlirContext, {{name(m), int64_t(tileM)},
                                                  {name(k), int64_t(tileK)},
                                                  {name(n), int64_t(tileN)}});
  SmallVector<StringAttr> order;
  for (unsigned loop : {m, n, k})
    order.push_back(StringAttr::get(mlirContext, name(loop)));
  SmallVector<std::pair<StringRef, int64_t>> held;
  for (const Buffer &buffer : workload.buffers)
    held.push_back({buffer.name, 1});
  auto level = TileLevelAttr::get(
      mlirContext, StringAttr::get(mlirContext, context.tileMemory()->name),
      sizes, order, getAmounts(mlirContext, held), {});
  return TileAttr::get(mlirContext, TileStrategy::Theoretical, level, {});
}
