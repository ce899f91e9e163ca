//===- Grid.cpp - The chips that run a program together -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::llm;

LogicalResult GridAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> axes,
                               ArrayRef<int64_t> sizes) {
  int64_t chips = 1;
  llvm::SmallDenseSet<StringAttr> seen;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    if (axis.empty() || !seen.insert(axis).second) // grid-C1
      return emitError() << "axis '" << axis.getValue() << "' of a grid is "
                         << (axis.empty() ? "empty" : "there twice");
    if (size < 1 || size > maxChips / chips) // grid-C2
      return emitError() << "axis '" << axis.getValue()
                         << "' of a grid must have one chip or more, and the "
                            "grid at most "
                         << maxChips << ", got " << size;
    chips *= size;
  }
  return success();
}

int64_t GridAttr::countChips() const {
  int64_t chips = 1;
  for (int64_t size : getSizes())
    chips *= size;
  return chips;
}

std::optional<int64_t> GridAttr::sizeOf(StringRef axis) const {
  for (auto [known, size] : llvm::zip_equal(getAxes(), getSizes()))
    if (known.getValue() == axis)
      return size;
  return std::nullopt;
}

int64_t GridAttr::strideOf(StringRef axis) const {
  int64_t stride = 1;
  for (auto [known, size] :
       llvm::reverse(llvm::zip_equal(getAxes(), getSizes()))) {
    if (known.getValue() == axis)
      return stride;
    stride *= size;
  }
  return stride;
}

int64_t GridAttr::countChips(ArrayAttr axes) const {
  int64_t chips = 1;
  for (Attribute each : axes)
    if (auto axis = dyn_cast<StringAttr>(each)) // or segments
      chips *= sizeOf(axis).value_or(1);
  return chips;
}

int64_t GridAttr::spanOf(ArrayAttr axes) const {
  int64_t farthest = 0;
  for (StringAttr axis : axes.getAsRange<StringAttr>())
    farthest += (sizeOf(axis).value_or(1) - 1) * strideOf(axis);
  return farthest + 1;
}

GridAttr GridAttr::ofModule(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto grid = op->getAttrOfType<GridAttr>(LlmDialect::gridAttrName))
      return grid;
  return {};
}

LogicalResult ShardAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                DictionaryAttr loops) {
  for (NamedAttribute entry : loops) {
    auto list = dyn_cast<ArrayAttr>(entry.getValue());
    ArrayRef<Attribute> axes = list ? list.getValue() : ArrayRef<Attribute>();
    DenseI64ArrayAttr segments;
    if (!axes.empty() && (segments = dyn_cast<DenseI64ArrayAttr>(axes.back())))
      axes = axes.drop_back();
    if (axes.empty() ||
        !llvm::all_of(axes, llvm::IsaPred<StringAttr>)) // shard-C1
      return emitError() << "'" << entry.getName().getValue()
                         << "' must be cut over a list of axes";
    if (segments && (segments.size() < 2 ||
                     llvm::any_of(segments.asArrayRef(), [](int64_t size) {
                       return size < 1;
                     }))) // shard-C2
      return emitError() << "segments of '" << entry.getName().getValue()
                         << "' must be two or more, each of one index or more";
  }
  return success();
}

std::string mlir::llm::nameOfPieceDim(Type type, unsigned dim) {
  constexpr StringLiteral ofCaches[] = {"batch", "capacity", "kv_heads",
                                        "head_dim"};
  return isa<KvCacheType>(type) ? ofCaches[dim].str()
                                : "d" + std::to_string(dim);
}
