//===- Dialect.cpp - The llm dialect, from C ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm-c/Dialect.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace mlir::llm;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(LLM, llm, LlmDialect)

//===----------------------------------------------------------------------===//
// Where plans stand
//===----------------------------------------------------------------------===//

MlirStringRef llmGetTileAttrName(void) {
  return wrap(LlmDialect::tileAttrName);
}

MlirStringRef llmGetCostAttrName(void) {
  return wrap(LlmDialect::costAttrName);
}

MlirStringRef llmGetSlotsAttrName(void) {
  return wrap(LlmDialect::slotsAttrName);
}

MlirStringRef llmGetScheduleAttrName(void) {
  return wrap(LlmDialect::scheduleAttrName);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

bool llmAttributeIsATile(MlirAttribute attr) {
  return isa_and_nonnull<TileAttr>(unwrap(attr));
}

MlirStringRef llmTileAttrGetStrategy(MlirAttribute tile) {
  return wrap(
      stringifyTileStrategy(cast<TileAttr>(unwrap(tile)).getStrategy()));
}

intptr_t llmTileAttrGetNumLevels(MlirAttribute tile) {
  return cast<TileAttr>(unwrap(tile)).getLevels().size();
}

MlirAttribute llmTileAttrGetLevel(MlirAttribute tile, intptr_t position) {
  return wrap(cast<TileAttr>(unwrap(tile)).getLevels()[position]);
}

MlirAttribute llmTileAttrGetSplit(MlirAttribute tile) {
  return wrap(cast<TileAttr>(unwrap(tile)).getSplit());
}

bool llmAttributeIsATileLevel(MlirAttribute attr) {
  return isa_and_nonnull<TileLevelAttr>(unwrap(attr));
}

MlirStringRef llmTileLevelAttrGetMemory(MlirAttribute level) {
  return wrap(cast<TileLevelAttr>(unwrap(level)).getMemory().getValue());
}

MlirAttribute llmTileLevelAttrGetSizes(MlirAttribute level) {
  return wrap(cast<TileLevelAttr>(unwrap(level)).getSizes());
}

intptr_t llmTileLevelAttrGetNumLoops(MlirAttribute level) {
  return cast<TileLevelAttr>(unwrap(level)).getOrder().size();
}

MlirStringRef llmTileLevelAttrGetLoop(MlirAttribute level, intptr_t position) {
  return wrap(
      cast<TileLevelAttr>(unwrap(level)).getOrder()[position].getValue());
}

MlirAttribute llmTileLevelAttrGetBuffers(MlirAttribute level) {
  return wrap(cast<TileLevelAttr>(unwrap(level)).getBuffers());
}

intptr_t llmTileLevelAttrGetNumResidentBuffers(MlirAttribute level) {
  return cast<TileLevelAttr>(unwrap(level)).getResident().size();
}

MlirStringRef llmTileLevelAttrGetResidentBuffer(MlirAttribute level,
                                                intptr_t position) {
  return wrap(
      cast<TileLevelAttr>(unwrap(level)).getResident()[position].getValue());
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

bool llmAttributeIsACost(MlirAttribute attr) {
  return isa_and_nonnull<CostAttr>(unwrap(attr));
}

MlirStringRef llmCostAttrGetEngine(MlirAttribute cost) {
  return wrap(cast<CostAttr>(unwrap(cost)).getEngine().getValue());
}

intptr_t llmCostAttrGetNumWith(MlirAttribute cost) {
  return cast<CostAttr>(unwrap(cost)).getWith().size();
}

MlirStringRef llmCostAttrGetWith(MlirAttribute cost, intptr_t position) {
  return wrap(cast<CostAttr>(unwrap(cost)).getWith()[position].getValue());
}

MlirStringRef llmCostAttrGetStamp(MlirAttribute cost) {
  return wrap(cast<CostAttr>(unwrap(cost)).getStamp().getValue());
}

intptr_t llmCostAttrGetNumParts(MlirAttribute cost) {
  return cast<CostAttr>(unwrap(cost)).getParts().size();
}

MlirAttribute llmCostAttrGetPart(MlirAttribute cost, intptr_t position) {
  return wrap(cast<CostAttr>(unwrap(cost)).getParts()[position]);
}

bool llmAttributeIsAPartCost(MlirAttribute attr) {
  return isa_and_nonnull<PartCostAttr>(unwrap(attr));
}

int64_t llmPartCostAttrGetCount(MlirAttribute part) {
  return cast<PartCostAttr>(unwrap(part)).getCount();
}

MlirAttribute llmPartCostAttrGetWork(MlirAttribute part) {
  return wrap(cast<PartCostAttr>(unwrap(part)).getWork());
}

MlirAttribute llmPartCostAttrGetTrafficBytes(MlirAttribute part) {
  return wrap(cast<PartCostAttr>(unwrap(part)).getTraffic());
}

int64_t llmPartCostAttrGetWorkingSetBytes(MlirAttribute part) {
  return cast<PartCostAttr>(unwrap(part)).getWorkingSetBytes();
}

int64_t llmPartCostAttrGetCycles(MlirAttribute part) {
  return cast<PartCostAttr>(unwrap(part)).getCycles();
}

int64_t llmPartCostAttrGetOverheadCycles(MlirAttribute part) {
  return cast<PartCostAttr>(unwrap(part)).getOverheadCycles();
}

int64_t llmPartCostAttrGetSerialCycles(MlirAttribute part) {
  return cast<PartCostAttr>(unwrap(part)).getSerialCycles();
}

int64_t llmPartCostAttrGetComputeCycles(MlirAttribute part) {
  return cast<PartCostAttr>(unwrap(part)).getComputeCycles();
}

int64_t llmPartCostAttrGetMemoryCycles(MlirAttribute part) {
  return cast<PartCostAttr>(unwrap(part)).getMemoryCycles();
}

MlirAttribute llmPartCostAttrGetCyclesByMemory(MlirAttribute part) {
  return wrap(cast<PartCostAttr>(unwrap(part)).getCyclesByMemory());
}

MlirStringRef llmPartCostAttrGetBound(MlirAttribute part) {
  return wrap(stringifyCostBound(cast<PartCostAttr>(unwrap(part)).getBound()));
}

int64_t llmPartCostAttrGetEnergyPicojoules(MlirAttribute part) {
  return cast<PartCostAttr>(unwrap(part)).getEnergyPicojoules();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

bool llmAttributeIsASlots(MlirAttribute attr) {
  return isa_and_nonnull<SlotsAttr>(unwrap(attr));
}

intptr_t llmSlotsAttrGetNumRuns(MlirAttribute slots) {
  return cast<SlotsAttr>(unwrap(slots)).getRuns().size();
}

MlirAttribute llmSlotsAttrGetRun(MlirAttribute slots, intptr_t position) {
  return wrap(cast<SlotsAttr>(unwrap(slots)).getRuns()[position]);
}

bool llmAttributeIsASlotRun(MlirAttribute attr) {
  return isa_and_nonnull<SlotRunAttr>(unwrap(attr));
}

int64_t llmSlotRunAttrGetCount(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getCount();
}

int64_t llmSlotRunAttrGetPart(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getPart();
}

int64_t llmSlotRunAttrGetPartStride(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getPartStride();
}

MlirStringRef llmSlotRunAttrGetEngine(MlirAttribute run) {
  return wrap(cast<SlotRunAttr>(unwrap(run)).getEngine().getValue());
}

int64_t llmSlotRunAttrGetEngineIndex(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getIndex();
}

int64_t llmSlotRunAttrGetEngineIndexStride(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getIndexStride();
}

int64_t llmSlotRunAttrGetStartCycle(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getStartCycle();
}

int64_t llmSlotRunAttrGetEndCycle(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getEndCycle();
}

int64_t llmSlotRunAttrGetStrideCycles(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getStartStride();
}

MlirAttribute llmSlotRunAttrGetWith(MlirAttribute run) {
  return wrap(cast<SlotRunAttr>(unwrap(run)).getWith());
}

MlirAttribute llmSlotRunAttrGetLanes(MlirAttribute run) {
  return wrap(cast<SlotRunAttr>(unwrap(run)).getLanes());
}

intptr_t llmSlotRunAttrGetNumPrefetches(MlirAttribute run) {
  return cast<SlotRunAttr>(unwrap(run)).getPrefetches().size();
}

MlirAttribute llmSlotRunAttrGetPrefetch(MlirAttribute run, intptr_t position) {
  return wrap(cast<SlotRunAttr>(unwrap(run)).getPrefetches()[position]);
}

bool llmAttributeIsAPrefetch(MlirAttribute attr) {
  return isa_and_nonnull<PrefetchAttr>(unwrap(attr));
}

MlirStringRef llmPrefetchAttrGetBuffer(MlirAttribute prefetch) {
  return wrap(cast<PrefetchAttr>(unwrap(prefetch)).getBuffer().getValue());
}

MlirStringRef llmPrefetchAttrGetEngine(MlirAttribute prefetch) {
  return wrap(cast<PrefetchAttr>(unwrap(prefetch)).getEngine().getValue());
}

int64_t llmPrefetchAttrGetEngineIndex(MlirAttribute prefetch) {
  return cast<PrefetchAttr>(unwrap(prefetch)).getIndex();
}

int64_t llmPrefetchAttrGetStartCycle(MlirAttribute prefetch) {
  return cast<PrefetchAttr>(unwrap(prefetch)).getStartCycle();
}

int64_t llmPrefetchAttrGetEndCycle(MlirAttribute prefetch) {
  return cast<PrefetchAttr>(unwrap(prefetch)).getEndCycle();
}

MlirAttribute llmPrefetchAttrGetLanes(MlirAttribute prefetch) {
  return wrap(cast<PrefetchAttr>(unwrap(prefetch)).getLanes());
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

bool llmAttributeIsASchedule(MlirAttribute attr) {
  return isa_and_nonnull<ScheduleAttr>(unwrap(attr));
}

MlirStringRef llmScheduleAttrGetPolicy(MlirAttribute schedule) {
  return wrap(cast<ScheduleAttr>(unwrap(schedule)).getPolicy().getValue());
}

int64_t llmScheduleAttrGetMakespanCycles(MlirAttribute schedule) {
  return cast<ScheduleAttr>(unwrap(schedule)).getMakespanCycles();
}

int64_t llmScheduleAttrGetLowerBoundCycles(MlirAttribute schedule) {
  return cast<ScheduleAttr>(unwrap(schedule)).getLowerBoundCycles();
}

MlirAttribute llmScheduleAttrGetBoundsCycles(MlirAttribute schedule) {
  return wrap(cast<ScheduleAttr>(unwrap(schedule)).getBounds());
}

int64_t llmScheduleAttrGetRooflineCycles(MlirAttribute schedule) {
  return cast<ScheduleAttr>(unwrap(schedule)).getRooflineCycles();
}

int64_t llmScheduleAttrGetProvenCycles(MlirAttribute schedule) {
  return cast<ScheduleAttr>(unwrap(schedule)).getProvenCycles();
}

MlirStringRef llmScheduleAttrGetOptions(MlirAttribute schedule) {
  StringAttr options = cast<ScheduleAttr>(unwrap(schedule)).getOptions();
  return wrap(options ? options.getValue() : StringRef());
}

intptr_t llmScheduleAttrGetNumLoops(MlirAttribute schedule) {
  return cast<ScheduleAttr>(unwrap(schedule)).getLoops().size();
}

MlirAttribute llmScheduleAttrGetLoop(MlirAttribute schedule,
                                     intptr_t position) {
  return wrap(cast<ScheduleAttr>(unwrap(schedule)).getLoops()[position]);
}

bool llmAttributeIsALoopPeriod(MlirAttribute attr) {
  return isa_and_nonnull<LoopPeriodAttr>(unwrap(attr));
}

int64_t llmLoopPeriodAttrGetStartCycle(MlirAttribute loop) {
  return cast<LoopPeriodAttr>(unwrap(loop)).getStartCycle();
}

int64_t llmLoopPeriodAttrGetPeriodCycles(MlirAttribute loop) {
  return cast<LoopPeriodAttr>(unwrap(loop)).getPeriodCycles();
}

int64_t llmLoopPeriodAttrGetTrips(MlirAttribute loop) {
  return cast<LoopPeriodAttr>(unwrap(loop)).getTrips();
}
