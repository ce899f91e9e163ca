//===- LoopCuts.cpp - Which loops of an op chips may share ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCuts.h"
#include "Experts.h"
#include "Keys.h"
#include "OpenSizes.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

static LogicalResult forEachOp(Block &block,
                               function_ref<LogicalResult(Operation *)> visit,
                               function_ref<void(LoopLikeOpInterface)> enter) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      enter(loop);
      for (Region *region : loop.getLoopRegions())
        for (Block &body : *region)
          if (failed(forEachOp(body, visit, enter)))
            return failure();
    }
    if (failed(visit(&op)))
      return failure();
  }
  return success();
}

LogicalResult
mlir::llm::forEachOp(FunctionOpInterface function,
                     function_ref<LogicalResult(Operation *)> visit,
                     function_ref<void(LoopLikeOpInterface)> enter) {
  for (Block &block : function.getFunctionBody())
    if (failed(::forEachOp(block, visit, enter)))
      return failure();
  return success();
}

OpCuts OpCuts::whole(Operation *op) {
  auto wholeOf = [](ValueRange values) {
    return llvm::map_to_vector(values, [](Value value) {
      return Cut::whole(sizesOf(value.getType()).size());
    });
  };
  return {wholeOf(op->getOperands()), wholeOf(op->getResults())};
}

bool mlir::llm::isFree(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (!isViewOfPieces(op))
    return isa<SourceOpInterface>(op);
  return llvm::all_of(op->getOperands(), [](Value operand) {
    return sizesOf(operand.getType()).empty() || isFree(operand);
  });
}

int64_t mlir::llm::granuleOf(Type elementType, size_t dimFromLast) {
  auto storage = dyn_cast<StorageBytesTypeInterface>(elementType);
  return storage ? storage.getGranule(dimFromLast) : 1;
}

/// Whether the elements of a buffer along a loop have scales: one for each
/// block, or one for all.
static bool hasScalesAlong(const Buffer &buffer, unsigned loop) {
  unsigned rank = buffer.map.getNumResults();
  return llvm::all_of(
      llvm::enumerate(buffer.map.getResults()), [&](auto entry) {
        return !entry.value().isFunctionOfDim(loop) ||
               granuleOf(buffer.elementType, rank - 1 - entry.index()) != 1;
      });
}

bool mlir::llm::isLoopOfColumns(Operation *op, const Workload &workload,
                                unsigned loop) {
  bool isOfResult = false;
  for (const Buffer &buffer : workload.buffers) {
    if (!buffer.map.isFunctionOfDim(loop))
      continue;
    if (buffer.role == Buffer::Role::Read && !isFree(buffer.value))
      return false;
    isOfResult |= llvm::is_contained(op->getResults(), buffer.value);
  }
  return isOfResult && workload.loops[loop].kind == IteratorType::parallel;
}

bool mlir::llm::needsAll(const Workload &workload, unsigned loop) {
  const Loop &carried = workload.loops[loop];
  if (carried.isTileable())
    return false;
  return carried.tiles != Loop::Tiles::PerStage ||
         llvm::any_of(workload.buffers, [&](const Buffer &buffer) {
           return buffer.role == Buffer::Role::Write &&
                  buffer.map.isFunctionOfDim(loop) &&
                  !hasScalesAlong(buffer, loop);
         });
}

std::string mlir::llm::explainUncut(Operation *op, const Workload &workload,
                                    unsigned loop) {
  const Loop &cut = workload.loops[loop];
  if (!isa<InferTypeOpInterface>(op))
    return "does not derive its result types from its operands";
  if (needsAll(workload, loop))
    return "needs all iterations of loop '" + cut.name + "' on one chip";
  if (cut.kind != IteratorType::reduction || isa<SummableOpInterface>(op))
    return {};
  auto joinable = dyn_cast<JoinableOpInterface>(op);
  if (!joinable || joinable.getJoinedLoop() != cut.name)
    return "has no results that can be added up over parts of loop '" +
           cut.name + "'";
  if (std::string why = joinable.explainUnjoined(/*parts=*/1);
      !why.empty())
    return why + ", so that results over parts of loop '" + cut.name +
           "' cannot be joined";
  return {};
}

static LogicalResult checkSizes(Operation *op, const Loop &loop,
                                const Axes &axes, GridAttr grid) {
  ArrayRef<int64_t> segments = segmentsOf(axes, loop.extent);
  int64_t sum = 0, chips = countChips(axes, grid);
  if (loop.extent == openExtent && chips > 1) // cut-C1
    return op->emitOpError()
           << "is cut along loop '" << loop.name << "' over " << chips
           << " chips, and its size is open; bind it "
              "(--llm-bind-shapes), or leave it whole";
  for (int64_t segment : segments) {
    if (segment % chips != 0) // cut-C1
      return op->emitOpError()
             << "is cut along loop '" << loop.name << "' over " << chips
             << " chips, which do not divide "
             << (segments.size() > 1 ? "a segment of " : "its ") << segment
             << " iterations";
    sum += std::min(segment, loop.extent + 1);
  }
  if (sum != loop.extent) // cut-C1
    return op->emitOpError()
           << "is cut along loop '" << loop.name << "' in segments of " << sum
           << " iterations together, and it has " << loop.extent;
  return success();
}

/// Checks that the axes are those of the grid, and none was there before.
static LogicalResult checkAxes(Operation *op, ArrayAttr entry, GridAttr grid,
                               llvm::SmallDenseSet<StringAttr> &seen) {
  for (Attribute each : entry) {
    auto axis = dyn_cast<StringAttr>(each);
    if (!axis)
      continue;             // segments
    if (!grid.sizeOf(axis)) // cut-C1
      return op->emitOpError() << "is cut over axis '" << axis.getValue()
                               << "', which the grid " << grid << " lacks";
    if (!seen.insert(axis).second) // cut-C1
      return op->emitOpError()
             << "is cut over axis '" << axis.getValue() << "' twice";
  }
  return success();
}

/// It does not matter which keys a chip has, so that all programs share them in
/// one way.
static LogicalResult shareInTurns(JoinableOpInterface op, const Loop &loop,
                                  Axes &axes, GridAttr grid) {
  Axes shared = inTurns(axes.names, loop.extent, grid);
  if (!axes.segments.empty() && axes != shared) // cut-C6
    return op->emitOpError()
           << "is cut along loop '" << loop.name
           << "', whose iterations chips share in turns: expected no segments";
  axes = std::move(shared);
  int64_t chips = countChips(axes, grid);
  if (std::string why = op.explainUnjoined(chips); !why.empty()) // cut-C6
    return op->emitOpError() << "cannot be cut over chips: it " << why;
  return success();
}

FailureOr<LoopCuts>
mlir::llm::readShard(Operation *op, const Workload &workload, GridAttr grid) {
  LoopCuts loops(workload.loops.size());
  auto shard = op->getAttrOfType<ShardAttr>(LlmDialect::shardAttrName);
  if (!shard)
    return loops;
  llvm::SmallDenseSet<StringAttr> seen;
  for (NamedAttribute entry : shard.getLoops()) {
    bool isExperts =
        entry.getName() == expertsEntry && isa<ExpertsOpInterface>(op);
    bool isPositions =
        entry.getName() == positionsEntry && isa<KvWriteOp>(op);
    std::optional<unsigned> loop = workload.findLoop(entry.getName());
    if (!loop && !isExperts && !isPositions) // cut-C1
      return op->emitOpError()
             << "is cut along loop '" << entry.getName().getValue()
             << "', which it does not have";
    if (failed(checkAxes(op, cast<ArrayAttr>(entry.getValue()), grid, seen)))
      return failure();
    if (isExperts || isPositions)
      continue; // no interval of a loop
    loops[*loop] = fromShardEntry(entry.getValue(), grid);
    if (failed(checkSizes(op, workload.loops[*loop], loops[*loop], grid)))
      return failure();
    int64_t chips = countChips(loops[*loop], grid);
    if (isJoined(op, workload.loops[*loop].name) && chips > 1 &&
        failed(shareInTurns(cast<JoinableOpInterface>(op),
                            workload.loops[*loop], loops[*loop], grid)))
      return failure();
    if (std::string why = explainUncut(op, workload, *loop);
        !why.empty() && chips > 1) // cut-C2
      return op->emitOpError() << "cannot be cut over chips: it " << why;
  }
  return loops;
}

/// Whether each piece has whole blocks of scales.
static bool hasWholeBlocks(Type type, const Cut &cut, GridAttr grid) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return true;
  for (auto [dim, axes] : llvm::enumerate(cut.dims)) {
    int64_t granule =
        granuleOf(tensor.getElementType(), cut.dims.size() - 1 - dim);
    if (axes.empty() || granule <= 1)
      continue;
    int64_t size = tensor.getDimSize(dim);
    for (int64_t segment : segmentsOf(axes, size))
      if (segment / countChips(axes, grid) % granule != 0)
        return false;
  }
  return true;
}

/// Whether a value only shows weights.
static bool isWeight(Value value) {
  while (isFree(value)) {
    Operation *op = value.getDefiningOp();
    if (!isViewOfPieces(op))
      return cast<SourceOpInterface>(op).getSourceKind() == SourceKind::Weight;
    value = op->getOperand(0);
  }
  return false;
}

namespace {
/// Finds the cuts of one op.
class OpCutter {
public:
  OpCutter(Operation *op, const Workload &workload, ArrayRef<Axes> loops,
           GridAttr grid, std::string &reason)
      : op(op), workload(workload), loops(loops), grid(grid), reason(reason),
        cuts(OpCuts::whole(op)) {
    for (auto [loop, axes] : llvm::zip_equal(workload.loops, loops))
      if (loop.kind == IteratorType::reduction)
        llvm::append_range(isJoined(op, loop.name) ? joined : summed,
                           axes.names);
    sortAxes(summed, grid);
  }

  std::optional<OpCuts> run() {
    for (const Buffer &buffer : workload.buffers)
      if (buffer.role != Buffer::Role::Temporary && !add(buffer))
        return std::nullopt;
    if (auto update = dyn_cast<StateUpdateOpInterface>(op);
        update && !addState(update))
      return std::nullopt;
    return cuts;
  }

private:
  bool refuse(const Buffer &buffer, const Twine &what) {
    reason = ("cuts '" + buffer.name + "' into pieces " + what).str();
    return false;
  }

  std::optional<Cut> cutOf(const Buffer &buffer) {
    std::optional<Cut> cut =
        cutOfBuffer(workload, buffer, loopsThatCut(buffer), grid);
    if (!cut)
      refuse(buffer, "that are no equal intervals of it");
    else if (!hasWholeBlocks(buffer.value.getType(), *cut, grid)) {
      refuse(buffer, "that cut through blocks of scales");
      return std::nullopt;
    }
    return cut;
  }

  /// Which rows of a table are read is known at run time: loops over what
  /// chooses them cut no table.
  LoopCuts loopsThatCut(const Buffer &buffer) const {
    LoopCuts own(loops);
    if (!buffer.isGathered || !isWeight(buffer.value))
      return own;
    for (const Buffer &other : workload.buffers)
      if (llvm::is_contained(buffer.selectedBy, other.value))
        for (auto [loop, axes] : llvm::enumerate(own))
          if (other.map.isFunctionOfDim(loop))
            axes = Axes();
    return own;
  }

  bool add(const Buffer &buffer) {
    if (llvm::is_contained(op->getResults(), buffer.value)) {
      std::optional<Cut> cut = cutOf(buffer);
      if (!cut || !shareJoined(buffer, *cut))
        return false;
      cut->partial = summed;
      cuts.results[cast<OpResult>(buffer.value).getResultNumber()] = *cut;
      return true;
    }
    if (buffer.role != Buffer::Role::Read)
      return true; // a state
    std::optional<Cut> cut = cutOf(buffer);
    if (!cut)
      return false;
    // Where sums start is added once, and not by each chip.
    if (!summed.empty() && !workload.isContracted(buffer)) {
      if (!isFree(buffer.value))
        return refuse(buffer, "of which one chip alone may add its own: it "
                              "must be a weight");
      cut->partial = summed;
    }
    for (auto [operand, own] :
         llvm::zip_equal(op->getOperands(), cuts.operands))
      if (operand == buffer.value)
        own = *cut;
    return true;
  }

  /// Of what is joined, each chip has a part.
  bool shareJoined(const Buffer &buffer, Cut &cut) {
    if (joined.empty())
      return true;
    unsigned dim = cast<JoinableOpInterface>(op).getJoinedDim();
    llvm::append_range(cut.dims[dim].names, joined);
    int64_t size = sizesOf(buffer.value.getType())[dim];
    return (cut.dims[dim].segments.empty() &&
            divides(cut.dims[dim], size, grid)) ||
           refuse(buffer, "of what is joined, of which chips do not have as "
                          "much");
  }

  bool addState(StateUpdateOpInterface update) {
    const Buffer *buffer = bufferOfState(update, workload);
    SmallVector<int64_t> sizes = sizesOf(update.getOldState().getType());
    Cut cut = Cut::whole(sizes.size());
    bool isCut = llvm::any_of(llvm::enumerate(loops), [&](auto entry) {
      return !entry.value().empty() && buffer &&
             buffer->map.isFunctionOfDim(entry.index());
    });
    if (isCut && buffer->map.getNumResults() != sizes.size())
      return refuse(*buffer, "of a state, which are no intervals");
    if (isCut) {
      // Rows of a cache have the features and heads of what is written.
      std::optional<Cut> written = cutOfBuffer(workload, *buffer, loops, grid);
      if (!written)
        return refuse(*buffer, "that are no equal intervals of it");
      cut = *written;
    }
    Axes positions = axesOfPositions(op, grid);
    if (!positions.empty() && !sharePositions(*buffer, positions, update, cut))
      return false;
    for (auto [operand, own] :
         llvm::zip_equal(op->getOperands(), cuts.operands))
      if (operand == update.getOldState())
        own = cut;
    for (auto [result, own] : llvm::zip_equal(op->getResults(), cuts.results))
      if (result == update.getNewState())
        own = cut;
    return true;
  }

  bool sharePositions(const Buffer &buffer, const Axes &axes,
                      StateUpdateOpInterface update, Cut &cut) {
    auto type = cast<KvCacheType>(update.getOldState().getType());
    std::string why = explainUnshared(type, countChips(axes, grid));
    cut.dims[positionsDim] = inTurns(axes.names, type.getCapacity(), grid);
    return why.empty() || refuse(buffer, "of a cache that " + why);
  }

  Operation *op;
  const Workload &workload;
  ArrayRef<Axes> loops;
  GridAttr grid;
  std::string &reason;
  SmallVector<StringAttr, 2> summed; ///< axes of reductions
  SmallVector<StringAttr, 2> joined; ///< of those whose results are joined
  OpCuts cuts;
};
} // namespace

std::optional<OpCuts> mlir::llm::cutsOf(Operation *op, const Workload &workload,
                                        ArrayRef<Axes> loops, GridAttr grid,
                                        std::string &reason) {
  return OpCutter(op, workload, loops, grid, reason).run();
}

std::optional<UncutLoop> mlir::llm::findUnequalPieces(Operation *op,
                                                      const Workload &workload,
                                                      ArrayRef<Axes> loops,
                                                      GridAttr grid) {
  auto sliceable = dyn_cast<SliceableOpInterface>(op);
  if (!sliceable)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (auto [loop, axes] : llvm::zip_equal(workload.loops, loops))
    sizes.push_back(loop.extent / countChips(axes, grid));
  for (unsigned index = 0; index < loops.size(); ++index) {
    if (loops[index].empty())
      continue;
    std::string why = sliceable.explainUncut(workload, index, sizes);
    if (!why.empty())
      return UncutLoop{index, std::move(why)};
  }
  return std::nullopt;
}
