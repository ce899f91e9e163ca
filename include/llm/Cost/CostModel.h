//===- CostModel.h - What an op costs with its tile on a target -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_COSTMODEL_H
#define LLM_COST_COSTMODEL_H

#include "llm/Cost/TileModel.h"
#include "llm/Cost/UnitKernel.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// An op, what it does, and the engine group of the target that runs it.
struct OpOnTarget {
  WorkloadOpInterface op;
  Workload workload;
  const Target *target = nullptr;
  const Engine *engine = nullptr;

  /// Fails with a diagnostic where the op has no workload (dynamic shapes) or
  /// the target has no engine with every kind that its stages need.
  static FailureOr<OpOnTarget> get(WorkloadOpInterface op,
                                   const Target &target);

  /// The private memory of the engine, which holds the tiles; null where it has
  /// none.
  const Memory *tileMemory() const { return target->privateMemoryOf(*engine); }
  int64_t tileCapacityBytes() const;
};

/// Cycles of all arithmetic on one engine, uncut: stages one after the other,
/// the kinds of work within a stage side by side. Fails with a diagnostic where
/// the engine has no rate for a kind of work, or for the element type of a
/// contraction.
FailureOr<int64_t> computeCycles(const OpOnTarget &context);
/// The same as if a product filled any array: what a share of the iterations
/// takes is no less than that share of it.
FailureOr<int64_t> computeCyclesWithoutGranules(const OpOnTarget &context);

/// Cycles in which `bytes` pass through one engine's port to DRAM.
std::optional<int64_t> memoryCycles(const OpOnTarget &context, int64_t bytes);

/// Cycles that the target's power limit allows no less for work that takes this
/// energy; 0 without a limit, nothing above 64 bits.
std::optional<int64_t> powerCycles(const Target &target, int64_t picojoules);
/// Energy of the multiply-accumulates, and of the bytes in the memories that
/// they pass: what comes from DRAM passes the private memory, too. Rounded up
/// to picojoules; nothing on overflow.
std::optional<int64_t> energyPicojoules(const OpOnTarget &context, int64_t macs,
                                        int64_t dramBytes, int64_t cachedBytes);

/// The name of the tile level that says what one unit of an engine works on at
/// a time; no memory of the target is called that.
inline constexpr StringLiteral unitLevelName = "unit";

/// The op as its engine's units share it; null where the engine does not say
/// how they do (`Engine::hasUnitTiles`).
std::unique_ptr<UnitKernel> unitKernelOf(const OpOnTarget &context);
UnitMachine unitMachineOf(const OpOnTarget &context, const UnitKernel &kernel);
/// Multiplies what each buffer moves by how often the kernel reads it.
LogicalResult addRereads(const OpOnTarget &context, const UnitKernel &kernel,
                         const UnitMachine &machine,
                         MutableArrayRef<int64_t> bytes);

/// What the op costs with this tile: a pure function of its arguments. A tile
/// that does not fit the op (loop names, sizes) or the memory is an error.
FailureOr<CostAttr> computeCost(const OpOnTarget &context, TileAttr tile);
/// Its one record, without the fingerprint: for those who write no IR.
FailureOr<PartCostAttr> computePartCost(const OpOnTarget &context,
                                        TileAttr tile);

/// The fingerprint of the op, the tile and the engine's description: of
/// everything that `computeCost` reads.
StringAttr computeStamp(const OpOnTarget &context, TileAttr tile);

/// Where the engine has no rate for the element type of the contraction, that
/// whose rate stands in for it: what is assumed of the target, as sentences for
/// remarks.
SmallVector<std::string> describeAssumptions(const OpOnTarget &context);

/// Names of a tile's loops in the order of the workload, with the level's
/// sizes.
FailureOr<Tiling> readTiling(const OpOnTarget &context, TileLevelAttr level);

} // namespace mlir::llm

#endif // LLM_COST_COSTMODEL_H
