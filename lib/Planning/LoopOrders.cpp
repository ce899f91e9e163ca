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

static SmallVector<LoopOrder, 6> findOrders(Tiling tiling,
                                            const Workload &workload,
                                            const TileTraffic &traffic,
                                            ArrayRef<unsigned> reuseLoops) {
  // Loops that are not cut do not matter for the order. They stay outside, and
  // so do those whose order costs nothing. Sweeps over rows are inside of all.
  SmallVector<unsigned> cut, outer, rows;
  for (unsigned loop = 0; loop < workload.loops.size(); ++loop) {
    bool isCut = traffic.model().isCut(tiling, loop);
    if (isCut && workload.loops[loop].tiles == Loop::Tiles::PerStage)
      rows.push_back(loop);
    else if (isCut && llvm::is_contained(reuseLoops, loop))
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
  auto isOf = [&](const OfCut &orders) {
    for (unsigned loop = 0; loop < workload.loops.size(); ++loop)
      if (traffic.model().isCut(tiling, loop) != orders.isCut[loop])
        return false;
    return true;
  };
  // Tilings that are tried next to each other mostly cut the same loops.
  for (const OfCut &orders : llvm::reverse(known))
    if (isOf(orders))
      return orders.orders;
  OfCut &found = known.emplace_back();
  for (unsigned loop = 0; loop < workload.loops.size(); ++loop)
    found.isCut.push_back(traffic.model().isCut(tiling, loop));
  found.orders = findOrders(tiling, workload, traffic, reuseLoops);
  return found.orders;
}
