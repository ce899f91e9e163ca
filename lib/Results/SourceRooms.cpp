//===- SourceRooms.cpp - Room for what parts fetch ahead ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/SourceRooms.h"

using namespace mlir;
using namespace mlir::llm;

FailureOr<SourceRooms> SourceRooms::find(WorkloadOpInterface op,
                                         const Target &target, CostAttr cost,
                                         Reasons reasons) {
  SourceRooms rooms;
  rooms.ofRecords.resize(cost.getParts().size());
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  if (!tile)
    return rooms;
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target, reasons);
  if (failed(context))
    return failure();
  FailureOr<Split> split = Split::get(*context, tile.getSplit());
  if (failed(split))
    return failure();
  rooms.lastPartCombines = split->lastCombines();
  rooms.chains = split->chains();
  int64_t part = 0;
  SourceRoomFinder finder(*context, tile, *split);
  for (auto [record, sources] :
       llvm::zip_equal(cost.getParts(), rooms.ofRecords)) {
    if (part < split->partCount())
      sources = SmallVector<SourceRoom, 4>(finder.roomsOf(part));
    part += record.getCount();
  }
  return rooms;
}
