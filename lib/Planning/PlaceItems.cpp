//===- PlaceItems.cpp - Stretches and loops in the order of time ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/PlaceItems.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
class ItemPlacer {
public:
  ItemPlacer(const Program &program, StringRef takes, PlaceStretch place)
      : program(program), takes(takes), place(place) {}

  FailureOr<int64_t> placeAll(ArrayRef<ProgramItem> items, int64_t start,
                              int64_t times) {
    for (const ProgramItem &item : items) {
      FailureOr<int64_t> end = item.isLoop() ? placeLoop(item, start, times)
                                             : place(item.ops, start, times);
      if (failed(end))
        return failure();
      start = *end;
    }
    return start;
  }

  SmallVector<LoopPeriodAttr> loops;

private:
  FailureOr<int64_t> placeLoop(const ProgramItem &item, int64_t start,
                               int64_t times) {
    size_t position = loops.size();
    loops.emplace_back();
    std::optional<int64_t> all = checkedMul(times, item.trips);
    if (!all)
      return emitTooManyCycles(program, takes);
    FailureOr<int64_t> period = placeAll(item.body, 0, *all);
    if (failed(period))
      return failure();
    std::optional<int64_t> length = checkedMul(*period, item.trips);
    std::optional<int64_t> end =
        length ? checkedAdd(start, *length) : std::nullopt;
    if (!end)
      return emitTooManyCycles(program, takes);
    loops[position] = LoopPeriodAttr::get(item.loop->getContext(), start,
                                          *period, item.trips);
    return *end;
  }

  const Program &program;
  StringRef takes;
  PlaceStretch place;
};
} // namespace

InFlightDiagnostic mlir::llm::emitTooManyCycles(const Program &program,
                                                StringRef takes) {
  return emitFunctionError(program.function())
         << takes << " more than 2^61 - 1 cycles";
}

FailureOr<PlacedItems> mlir::llm::placeItems(const Program &program,
                                             StringRef takes,
                                             PlaceStretch place) {
  ItemPlacer placer(program, takes, place);
  FailureOr<int64_t> end = placer.placeAll(program.items(), 0, 1);
  if (failed(end))
    return failure();
  return PlacedItems{*end, std::move(placer.loops)};
}
