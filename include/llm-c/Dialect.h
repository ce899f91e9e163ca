//===- Dialect.h - The llm dialect, from C ------------------------*- C -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes have decided stands in attributes of ops and functions; the
// dialect's Spec.md says what each means. These functions read them. Attributes
// and texts belong to the context; texts are not null-terminated.
//
// llmAttributeIsA... takes any attribute, and is false of a null one, such as
// an op without a tile gives. All others take the attribute that they name.
// Positions count from 0 and are below the number that the function with
// "GetNum" in its name gives. Others, and other attributes, are not checked.
//
// "Amounts" are a dictionary (mlir-c/BuiltinAttributes.h) of names and 64-bit
// integers. The cycles of slots count from the start of the iteration of the
// loop around the op, or without one from that of the function.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_C_DIALECT_H
#define LLM_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The dialect alone; llmRegisterAllDialects brings what it builds on, too.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(LLM, llm);

//===----------------------------------------------------------------------===//
// Where plans stand
//===----------------------------------------------------------------------===//

/// The names of these attributes, for
/// mlirOperationGetDiscardableAttributeByName: "llm.tile", "llm.cost" and
/// "llm.slots" on ops, "llm.schedule" on functions.
MLIR_CAPI_EXPORTED MlirStringRef llmGetTileAttrName(void);
MLIR_CAPI_EXPORTED MlirStringRef llmGetCostAttrName(void);
MLIR_CAPI_EXPORTED MlirStringRef llmGetSlotsAttrName(void);
MLIR_CAPI_EXPORTED MlirStringRef llmGetScheduleAttrName(void);

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool llmAttributeIsATile(MlirAttribute attr);

/// Who chose it: "search", "theoretical", "manual" or "pinned".
MLIR_CAPI_EXPORTED MlirStringRef llmTileAttrGetStrategy(MlirAttribute tile);

/// One for the private memory of the engine, one for its units, or none.
MLIR_CAPI_EXPORTED intptr_t llmTileAttrGetNumLevels(MlirAttribute tile);

/// One of these: a tile level.
MLIR_CAPI_EXPORTED MlirAttribute llmTileAttrGetLevel(MlirAttribute tile,
                                                     intptr_t position);

/// Amounts: into how many pieces loops are cut, for parts that may run at once.
/// A null attribute where there is one part.
MLIR_CAPI_EXPORTED MlirAttribute llmTileAttrGetSplit(MlirAttribute tile);

MLIR_CAPI_EXPORTED bool llmAttributeIsATileLevel(MlirAttribute attr);

/// The name of the memory: "sram".
MLIR_CAPI_EXPORTED MlirStringRef llmTileLevelAttrGetMemory(MlirAttribute level);

/// Amounts: iterations of each loop of the op in one tile.
MLIR_CAPI_EXPORTED MlirAttribute llmTileLevelAttrGetSizes(MlirAttribute level);

/// How many loops the op has.
MLIR_CAPI_EXPORTED intptr_t llmTileLevelAttrGetNumLoops(MlirAttribute level);

/// The name of one of them, in the order in which tiles are visited, outermost
/// first.
MLIR_CAPI_EXPORTED MlirStringRef llmTileLevelAttrGetLoop(MlirAttribute level,
                                                         intptr_t position);

/// Amounts: how many tiles of each buffer are held.
MLIR_CAPI_EXPORTED MlirAttribute
llmTileLevelAttrGetBuffers(MlirAttribute level);

/// How many buffers lie in the memory already when the op starts.
MLIR_CAPI_EXPORTED intptr_t
llmTileLevelAttrGetNumResidentBuffers(MlirAttribute level);

/// The name of one of them.
MLIR_CAPI_EXPORTED MlirStringRef
llmTileLevelAttrGetResidentBuffer(MlirAttribute level, intptr_t position);

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool llmAttributeIsACost(MlirAttribute attr);

/// The group of engines that it was computed for.
MLIR_CAPI_EXPORTED MlirStringRef llmCostAttrGetEngine(MlirAttribute cost);

/// How many other groups there are of which each part holds an engine, too, and
/// the name of one of them.
MLIR_CAPI_EXPORTED intptr_t llmCostAttrGetNumWith(MlirAttribute cost);
MLIR_CAPI_EXPORTED MlirStringRef llmCostAttrGetWith(MlirAttribute cost,
                                                    intptr_t position);

/// The fingerprint of the op, its tile and the engines.
MLIR_CAPI_EXPORTED MlirStringRef llmCostAttrGetStamp(MlirAttribute cost);

/// How many shapes of parts there are.
MLIR_CAPI_EXPORTED intptr_t llmCostAttrGetNumParts(MlirAttribute cost);

/// The cost of the parts of one shape: a part cost.
MLIR_CAPI_EXPORTED MlirAttribute llmCostAttrGetPart(MlirAttribute cost,
                                                    intptr_t position);

MLIR_CAPI_EXPORTED bool llmAttributeIsAPartCost(MlirAttribute attr);

/// How many parts are equal. All that follows is of one of them.
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetCount(MlirAttribute part);

/// Amounts: operations by kind of work, "mac", "alu" and so on.
MLIR_CAPI_EXPORTED MlirAttribute llmPartCostAttrGetWork(MlirAttribute part);

/// Bytes that move: a dictionary of memories, each with amounts by buffer.
MLIR_CAPI_EXPORTED MlirAttribute
llmPartCostAttrGetTrafficBytes(MlirAttribute part);

/// Bytes of private memory that it needs.
MLIR_CAPI_EXPORTED int64_t
llmPartCostAttrGetWorkingSetBytes(MlirAttribute part);

/// Its length alone on the machine: overhead and serial cycles, and the larger
/// of compute and memory cycles.
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetCycles(MlirAttribute part);
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetOverheadCycles(MlirAttribute part);
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetSerialCycles(MlirAttribute part);
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetComputeCycles(MlirAttribute part);
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetMemoryCycles(MlirAttribute part);

/// Amounts: cycles by memory, of which memory cycles are the longest; null where
/// one memory alone has a rate.
MLIR_CAPI_EXPORTED MlirAttribute
llmPartCostAttrGetCyclesByMemory(MlirAttribute part);

/// The largest of these: "compute", "memory" or "overhead".
MLIR_CAPI_EXPORTED MlirStringRef llmPartCostAttrGetBound(MlirAttribute part);

/// Picojoules of products and bytes; 0 where the target gives no energies.
MLIR_CAPI_EXPORTED int64_t
llmPartCostAttrGetEnergyPicojoules(MlirAttribute part);

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool llmAttributeIsASlots(MlirAttribute attr);

/// How many runs of slots there are.
MLIR_CAPI_EXPORTED intptr_t llmSlotsAttrGetNumRuns(MlirAttribute slots);

/// One of them: a slot run.
MLIR_CAPI_EXPORTED MlirAttribute llmSlotsAttrGetRun(MlirAttribute slots,
                                                    intptr_t position);

MLIR_CAPI_EXPORTED bool llmAttributeIsASlotRun(MlirAttribute attr);

/// How many slots it stands for; the following are those of the first, and by
/// how much each is above that of the one before.
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetCount(MlirAttribute run);

/// The number of the part of the op.
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetPart(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetPartStride(MlirAttribute run);

/// The group of engines, and the number of the engine in it.
MLIR_CAPI_EXPORTED MlirStringRef llmSlotRunAttrGetEngine(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetEngineIndex(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t
llmSlotRunAttrGetEngineIndexStride(MlirAttribute run);

/// Amounts: of each other group of which it holds an engine, the number of that
/// engine, with the same stride; null where there is none.
MLIR_CAPI_EXPORTED MlirAttribute llmSlotRunAttrGetWith(MlirAttribute run);

/// The cycle in which it starts, and that in which it has ended. Starts and
/// ends have one stride.
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetStartCycle(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetEndCycle(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetStrideCycles(MlirAttribute run);

/// Amounts: lanes that it holds of each shared memory.
MLIR_CAPI_EXPORTED MlirAttribute llmSlotRunAttrGetLanes(MlirAttribute run);

/// How many fetches go ahead of it.
MLIR_CAPI_EXPORTED intptr_t llmSlotRunAttrGetNumPrefetches(MlirAttribute run);

/// One of them, for the first part: a prefetch. Those of the others start and
/// end by the stride later, on the same engine.
MLIR_CAPI_EXPORTED MlirAttribute llmSlotRunAttrGetPrefetch(MlirAttribute run,
                                                           intptr_t position);

MLIR_CAPI_EXPORTED bool llmAttributeIsAPrefetch(MlirAttribute attr);

/// The name of the buffer that is fetched.
MLIR_CAPI_EXPORTED MlirStringRef
llmPrefetchAttrGetBuffer(MlirAttribute prefetch);

/// The group of memory engines, and the number of the engine in it.
MLIR_CAPI_EXPORTED MlirStringRef
llmPrefetchAttrGetEngine(MlirAttribute prefetch);
MLIR_CAPI_EXPORTED int64_t
llmPrefetchAttrGetEngineIndex(MlirAttribute prefetch);

/// The cycle in which it starts, and that in which it has ended.
MLIR_CAPI_EXPORTED int64_t llmPrefetchAttrGetStartCycle(MlirAttribute prefetch);
MLIR_CAPI_EXPORTED int64_t llmPrefetchAttrGetEndCycle(MlirAttribute prefetch);

/// Amounts: lanes that it holds of each shared memory.
MLIR_CAPI_EXPORTED MlirAttribute
llmPrefetchAttrGetLanes(MlirAttribute prefetch);

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool llmAttributeIsASchedule(MlirAttribute attr);

/// Who made it: "list", "earliest" or "exact".
MLIR_CAPI_EXPORTED MlirStringRef
llmScheduleAttrGetPolicy(MlirAttribute schedule);

/// Cycles from the start of the function to the last end.
MLIR_CAPI_EXPORTED int64_t
llmScheduleAttrGetMakespanCycles(MlirAttribute schedule);

/// Cycles that no schedule is shorter than, whatever the tiles and cuts.
MLIR_CAPI_EXPORTED int64_t
llmScheduleAttrGetLowerBoundCycles(MlirAttribute schedule);

/// Amounts: cycles of each bound by its name.
MLIR_CAPI_EXPORTED MlirAttribute
llmScheduleAttrGetBoundsCycles(MlirAttribute schedule);

/// The larger of the cycles of all arithmetic at peak rate, and of all bytes
/// that must move at full bandwidth.
MLIR_CAPI_EXPORTED int64_t
llmScheduleAttrGetRooflineCycles(MlirAttribute schedule);

/// Cycles that no schedule is shorter than that its options allow; 0: nothing
/// is proven beyond the lower bound.
MLIR_CAPI_EXPORTED int64_t
llmScheduleAttrGetProvenCycles(MlirAttribute schedule);

/// The options that forbade it something; empty: none did.
MLIR_CAPI_EXPORTED MlirStringRef
llmScheduleAttrGetOptions(MlirAttribute schedule);

/// How many loops the function has.
MLIR_CAPI_EXPORTED intptr_t llmScheduleAttrGetNumLoops(MlirAttribute schedule);

/// The time of one of them, in the order of the program: a loop period.
MLIR_CAPI_EXPORTED MlirAttribute llmScheduleAttrGetLoop(MlirAttribute schedule,
                                                        intptr_t position);

MLIR_CAPI_EXPORTED bool llmAttributeIsALoopPeriod(MlirAttribute attr);

/// The cycle in which the first iteration starts.
MLIR_CAPI_EXPORTED int64_t llmLoopPeriodAttrGetStartCycle(MlirAttribute loop);

/// Cycles of one iteration.
MLIR_CAPI_EXPORTED int64_t llmLoopPeriodAttrGetPeriodCycles(MlirAttribute loop);

/// How many iterations there are.
MLIR_CAPI_EXPORTED int64_t llmLoopPeriodAttrGetTrips(MlirAttribute loop);

#ifdef __cplusplus
}
#endif

#endif // LLM_C_DIALECT_H
