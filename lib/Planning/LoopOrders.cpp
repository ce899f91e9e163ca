//===- LoopOrders.cpp - In which order tiles follow each other ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopOrders.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::llm;

static llvm::SmallBitVector findCutLoops(const Tiling &tiling,
                                         const TileModel &model) {
  llvm::SmallBitVector cut(tiling.sizes.size());
  for (unsigned loop = 0; loop < tiling.sizes.size(); ++loop)
    if (model.isCut(tiling, loop))
      cut.set(loop);
  return cut;
}

static SmallVector<LoopOrder, 6>
findOrders(Tiling tiling, const llvm::SmallBitVector &cutLoops,
           const Workload &workload, const TileTraffic &traffic,
           ArrayRef<unsigned> reuseLoops) {
  // Loops that are not cut do not matter for the order. They stay outside, and
  // so do those whose order costs nothing. Sweeps over rows are inside of all.
  SmallVector<unsigned> cut, outer, rows;
  for (unsigned loop = 0; loop < workload.loops.size(); ++loop) {
    if (cutLoops[loop] && workload.loops[loop].tiles == Loop::Tiles::PerStage)
      rows.push_back(loop);
    else if (cutLoops[loop] && llvm::is_contained(reuseLoops, loop))
      cut.push_back(loop);
    else
      outer.push_back(loop);
  }
  SmallVector<LoopOrder, 6> orders;
  do {
    tiling.order.assign(outer.begin(), outer.end());
    tiling.order.append(cut.begin(), cut.end());
    tiling.order.append(rows.begin(), rows.end());
    TileTraffic::Returning returning = traffic.returningLoops(tiling);
    bool isKnown = llvm::any_of(orders, [&](const LoopOrder &order) {
      return order.returning == returning;
    });
    if (!isKnown || !traffic.followsReturningLoops())
      orders.push_back({tiling.order, std::move(returning)});
  } while (std::next_permutation(cut.begin(), cut.end()));
  return orders;
}

ArrayRef<LoopOrder> LoopOrders::get(const Tiling &tiling,
                                    const Workload &workload,
                                    const TileTraffic &traffic,
                                    ArrayRef<unsigned> reuseLoops) {
  llvm::SmallBitVector cutLoops = findCutLoops(tiling, traffic.model());
  // Tilings that are tried next to each other mostly cut the same loops.
  for (const OfCut &orders : llvm::reverse(known))
    if (orders.cutLoops == cutLoops)
      return orders.orders;
  SmallVector<LoopOrder, 6> orders =
      findOrders(tiling, cutLoops, workload, traffic, reuseLoops);
  known.push_back({std::move(cutLoops), std::move(orders)});
  return known.back().orders;
}
