//===- Dialect.h - The llm dialect, from C ------------------------*- C -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of ops and functions hold what passes have decided; the dialect's
// Spec.md says what each means. These functions read them. Attributes and texts
// belong to the context; texts are not null-terminated.
//
// llmAttributeIsA... takes any attribute. It is false for a null one, which an
// op without a tile gives, for example. All others take the attribute that they
// name. Positions count from 0, and are below the number that the function with
// "GetNum" in its name returns. Other positions, and other attributes, are not
// checked.
//
// "Amounts" are a dictionary (mlir-c/BuiltinAttributes.h) of names and 64-bit
// integers. The cycles of slots count from the start of the iteration of the
// loop around the op, or from the start of the function if there is no loop.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_C_DIALECT_H
#define LLM_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the dialect alone. llmRegisterAllDialects also registers those it
/// builds on.
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

/// Who chose the tile: "search", "theoretical", "manual" or "pinned".
MLIR_CAPI_EXPORTED MlirStringRef llmTileAttrGetStrategy(MlirAttribute tile);

/// The number of levels: one for the private memory of the engine, one for its
/// units, or none.
MLIR_CAPI_EXPORTED intptr_t llmTileAttrGetNumLevels(MlirAttribute tile);

/// The tile level at a position.
MLIR_CAPI_EXPORTED MlirAttribute llmTileAttrGetLevel(MlirAttribute tile,
                                                     intptr_t position);

/// Returns amounts: into how many pieces each loop is cut, for parts that may
/// run at once. It is a null attribute if there is one part.
MLIR_CAPI_EXPORTED MlirAttribute llmTileAttrGetSplit(MlirAttribute tile);

MLIR_CAPI_EXPORTED bool llmAttributeIsATileLevel(MlirAttribute attr);

/// The name of the memory, such as "sram".
MLIR_CAPI_EXPORTED MlirStringRef llmTileLevelAttrGetMemory(MlirAttribute level);

/// Returns amounts: the iterations of each loop of the op in one tile.
MLIR_CAPI_EXPORTED MlirAttribute llmTileLevelAttrGetSizes(MlirAttribute level);

/// How many loops the op has.
MLIR_CAPI_EXPORTED intptr_t llmTileLevelAttrGetNumLoops(MlirAttribute level);

/// The name of the loop at a position. Loops stand in the order in which tiles
/// are visited, outermost first.
MLIR_CAPI_EXPORTED MlirStringRef llmTileLevelAttrGetLoop(MlirAttribute level,
                                                         intptr_t position);

/// Returns amounts: how many tiles of each buffer the memory holds at a time.
MLIR_CAPI_EXPORTED MlirAttribute
llmTileLevelAttrGetBuffers(MlirAttribute level);

/// The number of buffers that lie in the memory already when the op starts.
MLIR_CAPI_EXPORTED intptr_t
llmTileLevelAttrGetNumResidentBuffers(MlirAttribute level);

/// The name of the buffer at a position.
MLIR_CAPI_EXPORTED MlirStringRef
llmTileLevelAttrGetResidentBuffer(MlirAttribute level, intptr_t position);

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool llmAttributeIsACost(MlirAttribute attr);

/// The group of engines that the cost was computed for.
MLIR_CAPI_EXPORTED MlirStringRef llmCostAttrGetEngine(MlirAttribute cost);

/// The number of other groups of which each part also holds an engine, and the
/// name of the group at a position.
MLIR_CAPI_EXPORTED intptr_t llmCostAttrGetNumWith(MlirAttribute cost);
MLIR_CAPI_EXPORTED MlirStringRef llmCostAttrGetWith(MlirAttribute cost,
                                                    intptr_t position);

/// The fingerprint of the op, its tile and the engines.
MLIR_CAPI_EXPORTED MlirStringRef llmCostAttrGetStamp(MlirAttribute cost);

/// The number of different shapes that the parts of the op have.
MLIR_CAPI_EXPORTED intptr_t llmCostAttrGetNumParts(MlirAttribute cost);

/// Returns the part cost at a position. It holds for all parts of one shape.
MLIR_CAPI_EXPORTED MlirAttribute llmCostAttrGetPart(MlirAttribute cost,
                                                    intptr_t position);

MLIR_CAPI_EXPORTED bool llmAttributeIsAPartCost(MlirAttribute attr);

/// The number of equal parts. All following figures are those of one part.
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetCount(MlirAttribute part);

/// Returns amounts: operations by kind of work, "mac", "alu" and so on.
MLIR_CAPI_EXPORTED MlirAttribute llmPartCostAttrGetWork(MlirAttribute part);

/// Returns the bytes that move: for each memory, a dictionary by buffer.
MLIR_CAPI_EXPORTED MlirAttribute
llmPartCostAttrGetTrafficBytes(MlirAttribute part);

/// The bytes of private memory that a part needs.
MLIR_CAPI_EXPORTED int64_t
llmPartCostAttrGetWorkingSetBytes(MlirAttribute part);

/// How long a part takes if it is alone on the machine: the overhead and serial
/// cycles, plus the larger of compute and memory cycles.
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetCycles(MlirAttribute part);
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetOverheadCycles(MlirAttribute part);
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetSerialCycles(MlirAttribute part);
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetComputeCycles(MlirAttribute part);
MLIR_CAPI_EXPORTED int64_t llmPartCostAttrGetMemoryCycles(MlirAttribute part);

/// Returns amounts: cycles by memory. The memory cycles are the longest of
/// these. It is a null attribute if only one memory has a rate.
MLIR_CAPI_EXPORTED MlirAttribute
llmPartCostAttrGetCyclesByMemory(MlirAttribute part);

/// What takes the most of these cycles: "compute", "memory" or "overhead".
MLIR_CAPI_EXPORTED MlirStringRef llmPartCostAttrGetBound(MlirAttribute part);

/// The energy of multiply-accumulates and moved bytes. It is 0 if the target
/// gives none.
MLIR_CAPI_EXPORTED int64_t
llmPartCostAttrGetEnergyPicojoules(MlirAttribute part);

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool llmAttributeIsASlots(MlirAttribute attr);

/// The number of runs of slots.
MLIR_CAPI_EXPORTED intptr_t llmSlotsAttrGetNumRuns(MlirAttribute slots);

/// The slot run at a position.
MLIR_CAPI_EXPORTED MlirAttribute llmSlotsAttrGetRun(MlirAttribute slots,
                                                    intptr_t position);

MLIR_CAPI_EXPORTED bool llmAttributeIsASlotRun(MlirAttribute attr);

/// The number of slots that the run stands for. The following figures are those
/// of its first slot, with the strides by which each slot is above the one
/// before.
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetCount(MlirAttribute run);

/// The number of the slot's part among the op's parts.
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetPart(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetPartStride(MlirAttribute run);

/// The group of engines, and the number of the engine in it.
MLIR_CAPI_EXPORTED MlirStringRef llmSlotRunAttrGetEngine(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetEngineIndex(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t
llmSlotRunAttrGetEngineIndexStride(MlirAttribute run);

/// Returns amounts: for each other group of which the slot holds an engine, the
/// number of that engine, with the same stride. It is a null attribute if there
/// is no such group.
MLIR_CAPI_EXPORTED MlirAttribute llmSlotRunAttrGetWith(MlirAttribute run);

/// The cycle in which the slot starts, and that in which it has ended. Starts
/// and ends have one stride.
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetStartCycle(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetEndCycle(MlirAttribute run);
MLIR_CAPI_EXPORTED int64_t llmSlotRunAttrGetStrideCycles(MlirAttribute run);

/// Returns amounts: how many lanes of each shared memory the slot holds.
MLIR_CAPI_EXPORTED MlirAttribute llmSlotRunAttrGetLanes(MlirAttribute run);

/// The number of fetches that are made ahead for the slot.
MLIR_CAPI_EXPORTED intptr_t llmSlotRunAttrGetNumPrefetches(MlirAttribute run);

/// The prefetch at a position, for the first part. The prefetches of the other
/// parts are on the same engine, and each is later by the stride.
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

/// The cycle in which the fetch starts, and that in which it has ended.
MLIR_CAPI_EXPORTED int64_t llmPrefetchAttrGetStartCycle(MlirAttribute prefetch);
MLIR_CAPI_EXPORTED int64_t llmPrefetchAttrGetEndCycle(MlirAttribute prefetch);

/// Returns amounts: how many lanes of each shared memory the fetch holds.
MLIR_CAPI_EXPORTED MlirAttribute
llmPrefetchAttrGetLanes(MlirAttribute prefetch);

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool llmAttributeIsASchedule(MlirAttribute attr);

/// The scheduler that made it: "list", "earliest" or "exact".
MLIR_CAPI_EXPORTED MlirStringRef
llmScheduleAttrGetPolicy(MlirAttribute schedule);

/// The cycles from the start of the function to the end of the last slot.
MLIR_CAPI_EXPORTED int64_t
llmScheduleAttrGetMakespanCycles(MlirAttribute schedule);

/// A lower bound: no schedule is shorter, whatever its tiles and cuts.
MLIR_CAPI_EXPORTED int64_t
llmScheduleAttrGetLowerBoundCycles(MlirAttribute schedule);

/// Returns amounts: the cycles of each bound, by its name.
MLIR_CAPI_EXPORTED MlirAttribute
llmScheduleAttrGetBoundsCycles(MlirAttribute schedule);

/// The larger of two times: all arithmetic at peak rate, and all bytes that
/// must move at full bandwidth.
MLIR_CAPI_EXPORTED int64_t
llmScheduleAttrGetRooflineCycles(MlirAttribute schedule);

/// No schedule under the same options is shorter than this. It is 0 if nothing
/// is proven beyond the lower bound.
MLIR_CAPI_EXPORTED int64_t
llmScheduleAttrGetProvenCycles(MlirAttribute schedule);

/// The options that forbade the scheduler something. It is empty if none did.
MLIR_CAPI_EXPORTED MlirStringRef
llmScheduleAttrGetOptions(MlirAttribute schedule);

/// The number of loops that the function has.
MLIR_CAPI_EXPORTED intptr_t llmScheduleAttrGetNumLoops(MlirAttribute schedule);

/// The loop period at a position, in the order of the program.
MLIR_CAPI_EXPORTED MlirAttribute llmScheduleAttrGetLoop(MlirAttribute schedule,
                                                        intptr_t position);

MLIR_CAPI_EXPORTED bool llmAttributeIsALoopPeriod(MlirAttribute attr);

/// The cycle in which the first iteration starts.
MLIR_CAPI_EXPORTED int64_t llmLoopPeriodAttrGetStartCycle(MlirAttribute loop);

/// The cycles of one iteration.
MLIR_CAPI_EXPORTED int64_t llmLoopPeriodAttrGetPeriodCycles(MlirAttribute loop);

/// The number of iterations.
MLIR_CAPI_EXPORTED int64_t llmLoopPeriodAttrGetTrips(MlirAttribute loop);

#ifdef __cplusplus
}
#endif

#endif // LLM_C_DIALECT_H
