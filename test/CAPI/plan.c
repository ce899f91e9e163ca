//===- plan.c - Plans are read from C -------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each number below stands in the text of the attribute that it is read from.
// RUN: %build/test/CAPI/llm-capi-plan | FileCheck %s

#include "llm-c/Dialect.h"
#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

static void show(const char *what, MlirStringRef string) {
  printf("%s: %.*s\n", what, (int)string.length, string.data);
}

static void showNumber(const char *what, int64_t number) {
  printf("%s: %lld\n", what, (long long)number);
}

static void showAmount(const char *what, MlirAttribute amounts,
                       const char *name) {
  MlirAttribute amount =
      mlirDictionaryAttrGetElementByName(amounts, text(name));
  showNumber(what, mlirIntegerAttrGetValueInt(amount));
}

/* All that may be asked of any attribute, a null one, too. */
static void showKind(MlirAttribute attr) {
  bool (*const kinds[])(MlirAttribute) = {
      llmAttributeIsATile,      llmAttributeIsATileLevel,
      llmAttributeIsACost,      llmAttributeIsAPartCost,
      llmAttributeIsASlots,     llmAttributeIsASlotRun,
      llmAttributeIsAPrefetch,  llmAttributeIsASchedule,
      llmAttributeIsALoopPeriod};
  printf("kinds:");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    printf(" %d", kinds[i](attr));
  printf("\n");
}

static MlirAttribute parse(MlirContext context, const char *string) {
  MlirAttribute attr = mlirAttributeParseGet(context, text(string));
  showKind(attr);
  return attr;
}

static void testTile(MlirContext context) {
  show("name", llmGetTileAttrName());
  MlirAttribute tile = parse(
      context,
      "#llm.tile<pinned levels = [<\"sram\", sizes = {k = 32, m = 4, n = 8},"
      " order = [\"n\", \"m\", \"k\"], buffers = {lhs = 2, out = 1},"
      " resident = [\"lhs\", \"out\"]>] split = {m = 5}>");
  show("strategy", llmTileAttrGetStrategy(tile));
  showAmount("split m", llmTileAttrGetSplit(tile), "m");
  showNumber("levels", llmTileAttrGetNumLevels(tile));
  MlirAttribute level = llmTileAttrGetLevel(tile, 0);
  showKind(level);
  show("memory", llmTileLevelAttrGetMemory(level));
  showAmount("size k", llmTileLevelAttrGetSizes(level), "k");
  showNumber("loops", llmTileLevelAttrGetNumLoops(level));
  show("inner", llmTileLevelAttrGetLoop(level, 2));
  showAmount("held lhs", llmTileLevelAttrGetBuffers(level), "lhs");
  showNumber("resident", llmTileLevelAttrGetNumResidentBuffers(level));
  show("second", llmTileLevelAttrGetResidentBuffer(level, 1));
  tile = parse(context, "#llm.tile<theoretical>");
  show("strategy", llmTileAttrGetStrategy(tile));
  showNumber("levels", llmTileAttrGetNumLevels(tile));
  printf("split: %d\n", !mlirAttributeIsNull(llmTileAttrGetSplit(tile)));
}
// CHECK:      name: llm.tile
// CHECK-NEXT: kinds: 1 0 0 0 0 0 0 0 0
// CHECK-NEXT: strategy: pinned
// CHECK-NEXT: split m: 5
// CHECK-NEXT: levels: 1
// CHECK-NEXT: kinds: 0 1 0 0 0 0 0 0 0
// CHECK-NEXT: memory: sram
// CHECK-NEXT: size k: 32
// CHECK-NEXT: loops: 3
// CHECK-NEXT: inner: k
// CHECK-NEXT: held lhs: 2
// CHECK-NEXT: resident: 2
// CHECK-NEXT: second: out
// CHECK-NEXT: kinds: 1 0 0 0 0 0 0 0 0
// CHECK-NEXT: strategy: theoretical
// CHECK-NEXT: levels: 0
// CHECK-NEXT: split: 0

/* The length of a part is 10 + 2 + max(64, 48). */
static void testCost(MlirContext context) {
  show("name", llmGetCostAttrName());
  MlirAttribute cost = parse(
      context,
      "#llm.cost<engine = \"core\" with = [vpu, net], parts = [<count = 3, "
      "work = {mac = 4096},"
      " traffic = {dram = {lhs = 256, out = 128}}, working_set_bytes = 512,"
      " overhead_cycles = 10, serial_cycles = 2, compute_cycles = 64,"
      " memory_cycles = 48, cycles_by_memory = {dram = 48, l2 = 12},"
      " bound = compute, energy_picojoules = 77>],"
      " stamp = \"0123456789abcdef\">");
  show("engine", llmCostAttrGetEngine(cost));
  showNumber("with", llmCostAttrGetNumWith(cost));
  show("second", llmCostAttrGetWith(cost, 1));
  show("stamp", llmCostAttrGetStamp(cost));
  showNumber("parts", llmCostAttrGetNumParts(cost));
  MlirAttribute part = llmCostAttrGetPart(cost, 0);
  showKind(part);
  showNumber("count", llmPartCostAttrGetCount(part));
  showAmount("mac", llmPartCostAttrGetWork(part), "mac");
  showAmount("bytes of out",
             mlirDictionaryAttrGetElementByName(
                 llmPartCostAttrGetTrafficBytes(part), text("dram")),
             "out");
  showNumber("working set", llmPartCostAttrGetWorkingSetBytes(part));
  showNumber("cycles", llmPartCostAttrGetCycles(part));
  showNumber("overhead", llmPartCostAttrGetOverheadCycles(part));
  showNumber("serial", llmPartCostAttrGetSerialCycles(part));
  showNumber("compute", llmPartCostAttrGetComputeCycles(part));
  showNumber("memory", llmPartCostAttrGetMemoryCycles(part));
  showAmount("of l2", llmPartCostAttrGetCyclesByMemory(part), "l2");
  show("bound", llmPartCostAttrGetBound(part));
  showNumber("energy", llmPartCostAttrGetEnergyPicojoules(part));
}
// CHECK-NEXT: name: llm.cost
// CHECK-NEXT: kinds: 0 0 1 0 0 0 0 0 0
// CHECK-NEXT: engine: core
// CHECK-NEXT: with: 2
// CHECK-NEXT: second: net
// CHECK-NEXT: stamp: 0123456789abcdef
// CHECK-NEXT: parts: 1
// CHECK-NEXT: kinds: 0 0 0 1 0 0 0 0 0
// CHECK-NEXT: count: 3
// CHECK-NEXT: mac: 4096
// CHECK-NEXT: bytes of out: 128
// CHECK-NEXT: working set: 512
// CHECK-NEXT: cycles: 76
// CHECK-NEXT: overhead: 10
// CHECK-NEXT: serial: 2
// CHECK-NEXT: compute: 64
// CHECK-NEXT: memory: 48
// CHECK-NEXT: of l2: 12
// CHECK-NEXT: bound: compute
// CHECK-NEXT: energy: 77

static void showPrefetch(MlirAttribute prefetch) {
  showKind(prefetch);
  show("buffer", llmPrefetchAttrGetBuffer(prefetch));
  show("engine", llmPrefetchAttrGetEngine(prefetch));
  showNumber("index", llmPrefetchAttrGetEngineIndex(prefetch));
  showNumber("start", llmPrefetchAttrGetStartCycle(prefetch));
  showNumber("end", llmPrefetchAttrGetEndCycle(prefetch));
  showAmount("lanes", llmPrefetchAttrGetLanes(prefetch), "dram");
}

static void testSlots(MlirContext context) {
  show("name", llmGetSlotsAttrName());
  MlirAttribute slots = parse(
      context, "#llm.slots<[<part = 1, engine = \"core\"[2] with = {vpu = 4}, "
               "start_cycle = 20,"
               " end_cycle = 26, lanes = {dram = 9} count = 4 part_stride = 3"
               " index_stride = 5 start_stride = 7 prefetches = [<\"rhs\","
               " engine = \"dma\"[6], start_cycle = 11, end_cycle = 18,"
               " lanes = {dram = 8}>]>]>");
  showNumber("runs", llmSlotsAttrGetNumRuns(slots));
  MlirAttribute run = llmSlotsAttrGetRun(slots, 0);
  showKind(run);
  showNumber("count", llmSlotRunAttrGetCount(run));
  showNumber("part", llmSlotRunAttrGetPart(run));
  showNumber("stride", llmSlotRunAttrGetPartStride(run));
  show("engine", llmSlotRunAttrGetEngine(run));
  showNumber("index", llmSlotRunAttrGetEngineIndex(run));
  showNumber("stride", llmSlotRunAttrGetEngineIndexStride(run));
  showAmount("with", llmSlotRunAttrGetWith(run), "vpu");
  showNumber("start", llmSlotRunAttrGetStartCycle(run));
  showNumber("end", llmSlotRunAttrGetEndCycle(run));
  showNumber("stride", llmSlotRunAttrGetStrideCycles(run));
  showAmount("lanes", llmSlotRunAttrGetLanes(run), "dram");
  showNumber("prefetches", llmSlotRunAttrGetNumPrefetches(run));
  showPrefetch(llmSlotRunAttrGetPrefetch(run, 0));
}
// CHECK-NEXT: name: llm.slots
// CHECK-NEXT: kinds: 0 0 0 0 1 0 0 0 0
// CHECK-NEXT: runs: 1
// CHECK-NEXT: kinds: 0 0 0 0 0 1 0 0 0
// CHECK-NEXT: count: 4
// CHECK-NEXT: part: 1
// CHECK-NEXT: stride: 3
// CHECK-NEXT: engine: core
// CHECK-NEXT: index: 2
// CHECK-NEXT: stride: 5
// CHECK-NEXT: with: 4
// CHECK-NEXT: start: 20
// CHECK-NEXT: end: 26
// CHECK-NEXT: stride: 7
// CHECK-NEXT: lanes: 9
// CHECK-NEXT: prefetches: 1
// CHECK-NEXT: kinds: 0 0 0 0 0 0 1 0 0
// CHECK-NEXT: buffer: rhs
// CHECK-NEXT: engine: dma
// CHECK-NEXT: index: 6
// CHECK-NEXT: start: 11
// CHECK-NEXT: end: 18
// CHECK-NEXT: lanes: 8

static void showSchedule(MlirAttribute schedule) {
  show("policy", llmScheduleAttrGetPolicy(schedule));
  showNumber("makespan", llmScheduleAttrGetMakespanCycles(schedule));
  showNumber("lower bound", llmScheduleAttrGetLowerBoundCycles(schedule));
  showNumber("roofline", llmScheduleAttrGetRooflineCycles(schedule));
  showNumber("proven", llmScheduleAttrGetProvenCycles(schedule));
  show("options", llmScheduleAttrGetOptions(schedule));
  showNumber("loops", llmScheduleAttrGetNumLoops(schedule));
}

static void testSchedule(MlirContext context) {
  show("name", llmGetScheduleAttrName());
  MlirAttribute schedule = parse(
      context,
      "#llm.schedule<policy = \"exact\", makespan_cycles = 90,"
      " lower_bound_cycles = 80, bounds = {dram = 70}, roofline_cycles = 60"
      " options = \"prefetch=false\" proven_cycles = 85,"
      " loops = [<start_cycle = 15, period_cycles = 25, trips = 3>]>");
  showSchedule(schedule);
  showAmount("bound dram", llmScheduleAttrGetBoundsCycles(schedule), "dram");
  MlirAttribute loop = llmScheduleAttrGetLoop(schedule, 0);
  showKind(loop);
  showNumber("start", llmLoopPeriodAttrGetStartCycle(loop));
  showNumber("period", llmLoopPeriodAttrGetPeriodCycles(loop));
  showNumber("trips", llmLoopPeriodAttrGetTrips(loop));
  showSchedule(parse(
      context, "#llm.schedule<policy = \"list\", makespan_cycles = 9,"
               " lower_bound_cycles = 8, bounds = {}, roofline_cycles = 6>"));
}
// CHECK-NEXT: name: llm.schedule
// CHECK-NEXT: kinds: 0 0 0 0 0 0 0 1 0
// CHECK-NEXT: policy: exact
// CHECK-NEXT: makespan: 90
// CHECK-NEXT: lower bound: 80
// CHECK-NEXT: roofline: 60
// CHECK-NEXT: proven: 85
// CHECK-NEXT: options: prefetch=false
// CHECK-NEXT: loops: 1
// CHECK-NEXT: bound dram: 70
// CHECK-NEXT: kinds: 0 0 0 0 0 0 0 0 1
// CHECK-NEXT: start: 15
// CHECK-NEXT: period: 25
// CHECK-NEXT: trips: 3
// CHECK-NEXT: kinds: 0 0 0 0 0 0 0 1 0
// CHECK-NEXT: policy: list
// CHECK-NEXT: makespan: 9
// CHECK-NEXT: lower bound: 8
// CHECK-NEXT: roofline: 6
// CHECK-NEXT: proven: 0
// CHECK-NEXT: options:
// CHECK-NEXT: loops: 0

/* Attributes that are none of these. */
static void testOthers(MlirContext context) {
  showKind(mlirAttributeGetNull());
  parse(context, "unit");
}
// CHECK-NEXT: kinds: 0 0 0 0 0 0 0 0 0
// CHECK-NEXT: kinds: 0 0 0 0 0 0 0 0 0

int main(void) {
  MlirContext context = mlirContextCreate();
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__llm__(), context);
  testTile(context);
  testCost(context);
  testSlots(context);
  testSchedule(context);
  testOthers(context);
  mlirContextDestroy(context);
  return 0;
}
