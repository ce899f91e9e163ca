//===- CostModel.h - What an op costs with its tile on a target -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cost is what the op moves with its tile, and how long that and its
// arithmetic take together. Engines differ in how these come about. A target
// names the model of each engine (`Engine::costModel`). A new model is a class
// here and a word in `CostModelKind`. The formulas are in dialects/llm/Spec.md.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_COSTMODEL_H
#define LLM_COST_COSTMODEL_H

#include "llm/Cost/Movement.h"
#include "llm/Cost/Rates.h"
#include "llm/Cost/UnitKernel.h"

namespace mlir::llm {

/// The cycles of a cost record, and what they are bound by.
struct Cycles {
  int64_t overhead = 0, serial = 0, compute = 0, memory = 0;
  CostBound bound = CostBound::Overhead;
  /// What units that share the op spend `compute` on: they may wait for bytes.
  CostBound unitBound = CostBound::Compute;

  /// Cycles on an engine that starts the op after `overhead`, and hides the
  /// shorter of streaming and arithmetic behind the longer.
  static Cycles overlapped(int64_t overhead, int64_t compute, int64_t memory);
  /// Returns what bounds an op whose units and whose streaming take so long
  /// behind its overhead.
  CostBound boundBy(int64_t units, int64_t streaming) const;
};

/// What an op moves in all.
struct MovedBytes {
  /// The bytes through each memory that engines share, from near to far.
  SmallVector<int64_t, 2> shared;
  int64_t cached = 0; ///< of buffers in the private memory
  int64_t used = 0;   ///< that arithmetic takes of a private memory with a rate
  int64_t sent = 0;   ///< of a collective, over its link
};

/// The same with the time that this takes of the engine's ports, and the energy
/// of the whole op.
struct Traffic : MovedBytes {
  SmallVector<int64_t, 2> sharedCycles;
  int64_t usedCycles = 0, sentCycles = 0;
  int64_t memoryCycles = 0; ///< the longest of all
  int64_t picojoules = 0;

  /// Fails if a figure does not fit into 64 bits.
  static FailureOr<Traffic> get(const OpOnTarget &context, MovedBytes bytes);
};

/// Derives the cost of one op with a tile. Every error goes to the `Reasons` of
/// the op's context.
class CostModel {
public:
  virtual ~CostModel() = default;
  /// The model of the op's engine, or the closed form if the tile says so. The
  /// context must outlive it.
  static std::unique_ptr<CostModel> get(const OpOnTarget &context,
                                        TileStrategy strategy);

  /// What the op moves, and the room of its tiles. Fails if the tile does not
  /// fit the op, the engine or its memory.
  virtual FailureOr<Movement> move(TileAttr tile) const = 0;
  /// Returns the time with a tile that `move` accepted.
  virtual FailureOr<Cycles> timeOf(TileAttr tile,
                                   const Traffic &traffic) const = 0;
  /// Returns the time of an op in a kernel of several ops, with the best tile
  /// that the units can have. The tile of the kernel is not one of this op.
  virtual FailureOr<Cycles> timeInKernel(const Traffic &traffic) const;

protected:
  explicit CostModel(const OpOnTarget &context) : context(context) {}
  /// The time of `compute` beside the traffic, with no more power than there
  /// is.
  FailureOr<Cycles> spreadEvenly(FailureOr<int64_t> compute,
                                 const Traffic &traffic) const;

  const OpOnTarget &context;
};

/// What is written of types, maps, attributes and engines in stamps. Ops of a
/// program share them, so each is printed once.
class StampTexts {
public:
  const std::string &of(Type type);
  const std::string &of(AffineMap map);
  const std::string &of(Attribute attribute);
  const std::string &onOneLine(TileAttr tile);
  /// The target must outlive the texts.
  const std::string &of(const Target &target, const Engine &engine);

private:
  DenseMap<const void *, std::string> printed;
  DenseMap<TileAttr, std::string> tiles;
  DenseMap<const Engine *, std::string> engines;
};

/// Returns the fingerprint of everything that `computeCost` reads: the op, the
/// tile and the engine's description.
StringAttr computeStamp(const OpOnTarget &context, TileAttr tile);
/// The same for one of many ops.
StringAttr computeStamp(const OpOnTarget &context, TileAttr tile,
                        StampTexts &texts);

/// The same for many tiles of one op, which is described once.
class CostStamps {
public:
  /// The texts must outlive the stamps.
  CostStamps(const OpOnTarget &context, StampTexts &texts);
  StringAttr of(TileAttr tile) const;

private:
  StampTexts &texts;
  std::string ahead, behind; ///< what stands around the tile
};

/// Computes what the op costs with this tile. This is a pure function of its
/// arguments. A tile that does not fit the op (loop names, sizes) or the memory
/// is an error.
FailureOr<CostAttr> computeCost(const OpOnTarget &context, TileAttr tile);
FailureOr<CostAttr> computeCost(const OpOnTarget &context, TileAttr tile,
                                const CostStamps &stamps);
/// Computes the one record of that, without the fingerprint, for callers that
/// write no IR.
FailureOr<PartCostAttr> computePartCost(const OpOnTarget &context,
                                        TileAttr tile);

/// The name of the tile level that says what one unit of an engine works on at
/// a time. No memory of the target has that name.
inline constexpr StringLiteral unitLevelName = "unit";

/// Returns the op as its engine's units share it; null if the engine does not
/// say how they do (`Engine::hasUnitTiles`).
std::unique_ptr<UnitKernel> unitKernelOf(const OpOnTarget &context);
UnitMachine unitMachineOf(const OpOnTarget &context, const UnitKernel &kernel);
/// Multiplies what each buffer moves by how often the kernel reads it.
LogicalResult addRereads(const OpOnTarget &context, const UnitKernel &kernel,
                         const UnitMachine &machine,
                         MutableArrayRef<int64_t> bytes);

} // namespace mlir::llm

#endif // LLM_COST_COSTMODEL_H
