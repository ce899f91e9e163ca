//===- CostModel.h - What an op costs with its tile on a target -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cost says what the op moves with its tile, and how long that and its
// arithmetic take together. Engines differ in how these follow from the tile. A
// target names the model of each engine (`Engine::costModel`). A new model is a
// class here and a word in `CostModelKind`. The formulas are in
// dialects/llm/Spec.md.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_COSTMODEL_H
#define LLM_COST_COSTMODEL_H

#include "llm/Cost/Movement.h"
#include "llm/Cost/Rates.h"
#include "llm/Cost/UnitKernel.h"

namespace mlir::llm {

/// The cycles of a cost record, and what binds them.
struct Cycles {
  int64_t overhead = 0, serial = 0, compute = 0, memory = 0;
  CostBound bound = CostBound::Overhead;
  /// What units that share the op spend `compute` on: they may wait for bytes.
  CostBound unitBound = CostBound::Compute;

  /// Returns the cycles on an engine that starts the op after `overhead`. It
  /// overlaps streaming and arithmetic, so that only the longer of the two
  /// counts.
  static Cycles overlapped(int64_t overhead, int64_t compute, int64_t memory);
  /// Returns how long the op takes.
  int64_t total() const { return overhead + withoutOverhead(); }
  int64_t withoutOverhead() const { return serial + std::max(compute, memory); }
  /// Returns what bounds an op whose units and whose streaming take so long
  /// behind its overhead.
  CostBound boundBy(int64_t units, int64_t streaming) const;
};

/// The bytes that an op moves altogether.
struct MovedBytes {
  /// The bytes through each memory that engines share. The nearest memory is
  /// first.
  SmallVector<int64_t, 2> shared;
  int64_t cached = 0; ///< the bytes of buffers that lie in the private memory
  int64_t used = 0;   ///< what arithmetic reads of a private memory with a rate
  int64_t sent = 0;   ///< what a collective sends over its link
};

/// The moved bytes, the time that they take at the engine's ports, and the
/// energy of the whole op.
struct Traffic : MovedBytes {
  SmallVector<int64_t, 2> sharedCycles;
  int64_t usedCycles = 0, sentCycles = 0;
  int64_t memoryCycles = 0; ///< the longest of these times
  int64_t picojoules = 0;

  /// Fails if a figure does not fit into 64 bits.
  static FailureOr<Traffic> get(const OpOnTarget &context, MovedBytes bytes);
};

/// Derives the cost of one op with a tile. Every error goes to the `Reasons` of
/// the op's context.
class CostModel {
public:
  virtual ~CostModel() = default;
  /// Returns the model of the op's engine, or the closed form if `strategy`
  /// asks for it. The context must outlive the model.
  static std::unique_ptr<CostModel> get(const OpOnTarget &context,
                                        TileStrategy strategy);

  /// Returns what the op moves, and the room that its tiles take. Fails if the
  /// tile does not fit the op, the engine or its memory.
  virtual FailureOr<Movement> move(TileAttr tile) const = 0;
  /// Returns the time with a tile that `move` accepted.
  virtual FailureOr<Cycles> timeOf(TileAttr tile,
                                   const Traffic &traffic) const = 0;
  /// Returns the time of an op in a kernel of several ops, with the best tile
  /// that the units can have. The tile of the kernel is not a tile of this op.
  virtual FailureOr<Cycles> timeInKernel(const Traffic &traffic) const;

protected:
  explicit CostModel(const OpOnTarget &context) : context(context) {}
  /// Returns the time if `compute` cycles overlap with the traffic, within the
  /// power limit.
  FailureOr<Cycles> spreadEvenly(FailureOr<int64_t> compute,
                                 const Traffic &traffic) const;

  const OpOnTarget &context;
};

/// The text of types, maps, attributes and engines in stamps. Ops of a program
/// share these, so each is printed once.
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
/// Does the same for one of many ops, which share `texts`.
StringAttr computeStamp(const OpOnTarget &context, TileAttr tile,
                        StampTexts &texts);

/// Computes the stamps of many tiles of one op. The op is described only once.
class CostStamps {
public:
  /// The texts must outlive the stamps.
  CostStamps(const OpOnTarget &context, StampTexts &texts);
  StringAttr of(TileAttr tile) const;

private:
  StampTexts &texts;
  std::string ahead, behind; ///< the text before and after the tile
};

/// Computes what the op costs with this tile. This is a pure function of its
/// arguments. It is an error if a tile does not fit the op (loop names, sizes)
/// or the memory.
FailureOr<CostAttr> computeCost(const OpOnTarget &context, TileAttr tile);
FailureOr<CostAttr> computeCost(const OpOnTarget &context, TileAttr tile,
                                const CostStamps &stamps);
/// Computes only the record of the cost, without the fingerprint.
FailureOr<PartCostAttr> computePartCost(const OpOnTarget &context,
                                        TileAttr tile);

/// The figures of a record.
struct PartFigures {
  SmallVector<std::pair<WorkKind, int64_t>, 4> work; ///< none is 0
  Movement movement;
  Traffic traffic;
  Cycles cycles;
};
/// Computes only these, for callers that write no IR.
FailureOr<PartFigures> computePartFigures(const OpOnTarget &context,
                                          TileAttr tile);

/// The name of the tile level that says what one unit of an engine works on at
/// a time. No memory of the target has that name.
inline constexpr StringLiteral unitLevelName = "unit";

/// Returns the kernel as which the units of the engine run the op. It is null
/// if they do not share ops as tiles (`Engine::hasUnitTiles`).
std::unique_ptr<UnitKernel> unitKernelOf(const OpOnTarget &context);
UnitMachine unitMachineOf(const OpOnTarget &context, const UnitKernel &kernel);
/// Multiplies the bytes of each buffer by the number of times that the kernel
/// reads it.
LogicalResult addRereads(const OpOnTarget &context, const UnitKernel &kernel,
                         const UnitMachine &machine,
                         MutableArrayRef<int64_t> bytes);

} // namespace mlir::llm

#endif // LLM_COST_COSTMODEL_H
