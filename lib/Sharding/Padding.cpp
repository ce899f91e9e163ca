//===- Padding.cpp - Zeros behind weights, so that chips divide -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Padding.h"
#include "Exchanges.h"
#include "OpenSizes.h"
#include "llm/Workload/Slices.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::llm;

/// Whether a value is a weight itself, and no view of one.
static bool isWeightItself(Value value) {
  auto source = value.getDefiningOp<SourceOpInterface>();
  return source && source.getSourceKind() == SourceKind::Weight &&
         isa<RankedTensorType>(value.getType());
}

/// Returns a weight with so many indices along a dimension. What is behind
/// those of `weight` is zero.
static Value padWeight(Value weight, unsigned dim, int64_t size) {
  Operation *source = weight.getDefiningOp();
  OpBuilder builder(source->getContext());
  builder.setInsertionPointAfter(source);
  Operation *padded = builder.clone(*source);
  auto type = cast<RankedTensorType>(weight.getType());
  if (!padded->hasAttr(LlmDialect::unpaddedAttrName))
    padded->setAttr(LlmDialect::unpaddedAttrName,
                    builder.getDenseI64ArrayAttr(type.getShape()));
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  padded->getResult(0).setType(type.clone(shape));
  return padded->getResult(0);
}

static void eraseUnused(const llvm::SetVector<Operation *> &sources) {
  for (Operation *source : sources)
    if (source->use_empty())
      source->erase();
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

void mlir::llm::padExperts(ExpertRegion &region, const Axes &axes,
                           GridAttr grid) {
  int64_t experts = region.rows.size(), chips = countChips(axes, grid);
  if (experts % chips == 0 || experts < chips)
    return;
  SmallVector<int64_t> rows(region.rows);
  rows.resize(llvm::alignTo(experts, chips), 0);
  auto hasWeights = [](ExpertsOpInterface op) {
    return llvm::all_of(op.getOperandsByExpert(), [&](unsigned operand) {
      return isWeightItself(op->getOperand(operand));
    });
  };
  if (!llvm::all_of(region.experts, hasWeights))
    return;
  llvm::SetVector<Operation *> replaced;
  for (ExpertsOpInterface op : region.experts) {
    for (unsigned operand : op.getOperandsByExpert()) {
      Value weight = op->getOperand(operand);
      replaced.insert(weight.getDefiningOp());
      op->setOperand(operand, padWeight(weight, 0, rows.size()));
    }
    if (op.getRowsOfExperts().empty())
      continue;
    op.takeOwn(op.getOwnAxes(), /*rows=*/0, rows);
    region.rows = op.getRowsOfExperts();
  }
  eraseUnused(replaced);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

namespace {
/// What padding leaves: weights instead of which others are used now, and
/// slices that drop zeros.
struct PaddedOps {
  llvm::SetVector<Operation *> replaced;
  DenseSet<Operation *> slices;
};

/// Follows the columns of weights through ops, as far as they can have zeros
/// behind them.
class PaddedColumns {
public:
  PaddedColumns(Block *block, int64_t columns)
      : block(block), columns(columns) {}

  /// Says whether this loop of an op, and what follows from it, can be longer.
  bool add(Operation *op, unsigned loop);
  /// Whether the pieces of so many chips have fewer columns than there are.
  bool isSmaller(int64_t chips) const;
  /// Makes the loop so long that so many chips divide it.
  LogicalResult pad(int64_t chips, PaddedOps &padded);

private:
  struct Place {
    OpOperand *operand;
    unsigned dim;
  };

  bool addBuffer(Operation *op, const Workload &workload, unsigned loop,
                 const Buffer &buffer);
  bool addProducer(Value value, unsigned dim);
  bool addUse(OpOperand &use, unsigned dim);
  int64_t sizeFor(int64_t chips) const {
    return llvm::alignTo(columns, chips * granule);
  }

  Block *block;
  int64_t columns;
  llvm::MapVector<Operation *, unsigned> loops; ///< of each op, the longer one
  SmallVector<Place> weights, slices;
  int64_t granule = 1; ///< so many neighbours share a scale
};
} // namespace

/// Returns the dimension that a loop alone counts. Nothing if there is none, or
/// if the loop also counts in another one.
static std::optional<unsigned> findDimOfLoop(const Buffer &buffer,
                                             unsigned loop) {
  std::optional<unsigned> found;
  for (auto [dim, index] : llvm::enumerate(buffer.map.getResults())) {
    if (!index.isFunctionOfDim(loop))
      continue;
    if (found || index != getAffineDimExpr(loop, index.getContext()))
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// Returns how many neighbours along a loop share a scale of some buffer.
static int64_t granuleAlong(const Workload &workload, unsigned loop) {
  int64_t granule = 1;
  for (const Buffer &buffer : workload.buffers)
    if (std::optional<unsigned> dim = findDimOfLoop(buffer, loop)) {
      int64_t own =
          granuleOf(buffer.elementType, buffer.map.getNumResults() - 1 - *dim);
      granule = std::lcm(granule, std::max<int64_t>(own, 1));
    }
  return granule;
}

bool PaddedColumns::addProducer(Value value, unsigned dim) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<WorkloadOpInterface>(op) || isViewOfPieces(op))
    return false;
  FailureOr<Workload> workload = workloadForCuts(op);
  if (failed(workload))
    return false;
  std::optional<unsigned> loop = findLoopOfDim(op, *workload, dim);
  return loop && add(op, *loop);
}

/// What needs only what was there before reads a slice.
bool PaddedColumns::addUse(OpOperand &use, unsigned dim) {
  Operation *user = use.getOwner();
  Cut along = Cut::whole(sizesOf(use.get().getType()).size());
  along.dims[dim].names.push_back(StringAttr::get(user->getContext(), "any"));
  if (asksForWholeDim(user, along))
    return true;
  if (isViewOfPieces(user))
    return false;
  FailureOr<Workload> workload = failure();
  if (isa<WorkloadOpInterface>(user))
    workload = workloadForCuts(user);
  std::optional<unsigned> loop;
  if (succeeded(workload))
    for (const Buffer &buffer : workload->buffers)
      if (buffer.role == Buffer::Role::Read && buffer.value == use.get() &&
          dim < buffer.map.getNumResults())
        if (auto index = dyn_cast<AffineDimExpr>(buffer.map.getResult(dim)))
          loop = index.getPosition();
  if (loop && needsAll(*workload, *loop))
    return false;
  if (loop && explainUncut(user, *workload, *loop).empty())
    return add(user, *loop);
  slices.push_back({&use, dim});
  return true;
}

bool PaddedColumns::addBuffer(Operation *op, const Workload &workload,
                              unsigned loop, const Buffer &buffer) {
  if (buffer.role == Buffer::Role::Temporary ||
      !buffer.map.isFunctionOfDim(loop))
    return true;
  std::optional<unsigned> dim = findDimOfLoop(buffer, loop);
  if (!dim || buffer.isGathered ||
      buffer.map.getNumResults() != sizesOf(buffer.value.getType()).size())
    return false;
  if (llvm::is_contained(op->getResults(), buffer.value)) {
    return llvm::all_of(buffer.value.getUses(),
                        [&](OpOperand &use) { return addUse(use, *dim); });
  }
  if (!isWeightItself(buffer.value))
    return buffer.role == Buffer::Role::Read && addProducer(buffer.value, *dim);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == buffer.value)
      weights.push_back({&operand, *dim});
  return true;
}

bool PaddedColumns::add(Operation *op, unsigned loop) {
  auto [known, isNew] = loops.insert({op, loop});
  if (!isNew)
    return known->second == loop;
  FailureOr<Workload> workload = workloadForCuts(op);
  if (failed(workload) || op->getBlock() != block ||
      op->hasAttr(LlmDialect::shardAttrName) ||
      isa<StateUpdateOpInterface>(op) ||
      workload->loops[loop].extent != columns ||
      !explainUncut(op, *workload, loop).empty())
    return false;
  // What is added up behind the columns must be zero.
  if (workload->loops[loop].kind == utils::IteratorType::reduction &&
      llvm::none_of(workload->buffers, [&](const Buffer &buffer) {
        return buffer.map.isFunctionOfDim(loop) &&
               workload->isContracted(buffer) && isWeightItself(buffer.value);
      }))
    return false;
  granule = std::lcm(granule, granuleAlong(*workload, loop));
  return llvm::all_of(workload->buffers, [&](const Buffer &buffer) {
    return addBuffer(op, *workload, loop, buffer);
  });
}

bool PaddedColumns::isSmaller(int64_t chips) const {
  return sizeFor(chips) / chips < columns;
}

LogicalResult PaddedColumns::pad(int64_t chips, PaddedOps &padded) {
  int64_t size = sizeFor(chips);
  for (auto [operand, dim] : weights) {
    padded.replaced.insert(operand->get().getDefiningOp());
    operand->set(padWeight(operand->get(), dim, size));
  }
  SmallVector<std::pair<Operation *, unsigned>> inOrder = loops.takeVector();
  llvm::sort(inOrder, [](const auto &a, const auto &b) {
    return a.first->isBeforeInBlock(b.first);
  });
  for (auto [op, loop] : inOrder)
    if (failed(inferResults(op)))
      return failure();
  for (auto [operand, dim] : slices) {
    OpBuilder builder(operand->getOwner());
    Value slice =
        sliceAlong(builder, operand->get(), dim, /*begin=*/0, columns);
    padded.slices.insert(slice.getDefiningOp());
    operand->set(slice);
  }
  return success();
}

/// Whether chips have to share the columns of weights in an op, and cannot.
/// Returns the loop that counts these.
static std::optional<unsigned>
findUnequalColumns(const Workload &workload, Operation *op, int64_t chips) {
  for (auto [index, loop] : llvm::enumerate(workload.loops))
    if (isLoopOfColumns(op, workload, index) && loop.extent >= chips &&
        loop.extent % (chips * granuleAlong(workload, index)) != 0)
      return index;
  return std::nullopt;
}

FailureOr<DenseSet<Operation *>>
mlir::llm::padProducts(FunctionOpInterface function, GridAttr grid,
                       function_ref<ArrayRef<StringAttr>(Operation *)> axesOf) {
  PaddedOps padded;
  WalkResult walk = function.walk([&](WorkloadOpInterface op) -> WalkResult {
    int64_t chips = 1;
    for (StringAttr axis : axesOf(op))
      chips *= *grid.sizeOf(axis);
    FailureOr<Workload> workload = workloadForCuts(op);
    std::optional<unsigned> loop;
    if (chips > 1 && succeeded(workload))
      loop = findUnequalColumns(*workload, op, chips);
    if (!loop)
      return success();
    PaddedColumns columns(op->getBlock(), workload->loops[*loop].extent);
    if (!columns.add(op, *loop) || !columns.isSmaller(chips))
      return success();
    return columns.pad(chips, padded);
  });
  if (walk.wasInterrupted())
    return failure();
  eraseUnused(padded.replaced);
  return std::move(padded.slices);
}
