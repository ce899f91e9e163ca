//===- Roles.cpp - What the axes of a grid are for ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Experts.h"
#include "llm/Sharding/Sharding.h"

#include <numeric>

using namespace mlir;
using namespace mlir::llm;

int64_t mlir::llm::chipsOfKvHeads(ArrayRef<int64_t> kvHeads, int64_t chips,
                                  int64_t cp) {
  int64_t own = chips;
  bool areSingle = true;
  for (int64_t heads : kvHeads)
    if (heads > 1) {
      own = std::gcd(own, heads);
      areSingle = false;
    }
  return areSingle && chips % cp == 0 ? chips / cp : own;
}

int64_t mlir::llm::chipsOfKvHeads(Operation *root, int64_t chips, int64_t cp) {
  SmallVector<int64_t> kvHeads;
  root->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto cache = dyn_cast<KvCacheType>(type))
        kvHeads.push_back(cache.getKvHeads());
  });
  return chipsOfKvHeads(kvHeads, chips, cp);
}

bool mlir::llm::hasExperts(FunctionOpInterface function) {
  return function
      .walk([](ExpertsOpInterface op) {
        return WalkResult(failure(beginsExperts(op)));
      })
      .wasInterrupted();
}

AxisRoles AxisRoles::get(GridAttr grid) {
  AxisRoles roles;
  for (auto [axis, size] : llvm::zip_equal(grid.getAxes(), grid.getSizes())) {
    StringRef name = axis.getValue();
    if (size == 1)
      continue;
    bool isPart = name.starts_with("interleave"),
         isBatch = name.starts_with("dp") || isPart,
         isTp = name.starts_with("tp"),
         isExperts = name.starts_with("ep") || name.starts_with("dp_ep");
    if (isBatch)
      roles.batch.push_back(axis);
    if (isTp || (isExperts && !isBatch))
      roles.products.push_back(axis);
    if (isExperts)
      roles.experts.push_back(axis);
    if (isTp)
      roles.withinExperts.push_back(axis);
    if (name.starts_with("tp_sp"))
      roles.rows.push_back(axis);
    if ((isTp || isExperts) && !isBatch && name.ends_with("_cp"))
      roles.keys.push_back(axis);
    if (isPart)
      roles.parts = axis;
    if (name.starts_with("pp"))
      roles.stages = axis;
  }
  return roles;
}

bool AxisRoles::areStagesOnly(GridAttr grid) {
  StringAttr axis = get(grid).stages;
  return axis && grid.sizeOf(axis) == grid.countChips();
}

namespace {
/// Axes of a grid, from the outermost on.
struct GridBuilder {
  MLIRContext *context;
  /// Chips that are still to have KV heads of their own.
  int64_t heads;
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> sizes;

  void add(const Twine &axis, int64_t size) {
    if (size == 1)
      return;
    axes.push_back(StringAttr::get(context, axis));
    sizes.push_back(size);
  }
  /// Adds an axis over which KV heads are cut, as far as there are any. Of the
  /// chips with copies of a head, `sharing` share its keys.
  void addWithHeads(StringRef axis, int64_t size, int64_t sharing = 1) {
    int64_t own = std::gcd(heads, size);
    if (sharing == 1 && (own == 1 || own == size)) {
      add(axis, size);
    } else {
      add(axis, own);
      add(axis + "_copies", size / own / sharing);
      add(axis + "_cp", sharing);
    }
    heads = own == size ? heads / own : 1;
  }
};
} // namespace

int64_t mlir::llm::chipsWithCopies(const Degrees &degrees, bool withExperts,
                                   int64_t heads) {
  int64_t chips = degrees.countForProducts(withExperts),
          outer = chips / degrees.tp, own = std::gcd(heads, outer),
          ofTp = std::gcd(own == outer ? heads / own : 1, degrees.tp);
  return chips / (own * ofTp);
}

GridAttr mlir::llm::makeGrid(MLIRContext *context, const Degrees &degrees,
                             bool withExperts, int64_t heads) {
  GridBuilder grid{context, heads, {}, {}};
  grid.add("pp", degrees.pp);
  grid.add(withExperts ? "dp_ep" : "dp", degrees.dp);
  // The sequences of one chip are neighbours.
  grid.add("interleave", degrees.interleave);
  // Neighbours share keys, as far as there are chips of tp.
  int64_t ofTp = std::gcd(degrees.cp, degrees.tp);
  grid.addWithHeads("ep", degrees.countForProducts(withExperts) / degrees.tp,
                    degrees.cp / ofTp);
  grid.addWithHeads(degrees.sp ? "tp_sp" : "tp", degrees.tp, ofTp);
  return GridAttr::get(context, grid.axes, grid.sizes);
}
