//===- Keys.cpp - Keys that lie on different chips ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Keys.h"
#include "llm/Sharding/Sharding.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

Axes mlir::llm::inTurns(ArrayRef<StringAttr> names, int64_t size,
                        GridAttr grid) {
  Axes axes{llvm::to_vector<2>(names)};
  int64_t chips = countChips(axes, grid);
  if (size > chips && size % chips == 0) // else they are not divided
    axes.segments.assign(size / chips, chips);
  return axes;
}

std::string mlir::llm::explainUnshared(KvCacheType type, int64_t chips) {
  int64_t capacity = type.getCapacity(), page = type.getPageSize();
  if (ShapedType::isDynamic(capacity) || capacity % chips != 0)
    return "has a capacity that " + std::to_string(chips) +
           " chips do not divide";
  if (page > capacity / chips)
    return "has pages of " + std::to_string(page) + " positions, and each of " +
           std::to_string(chips) + " chips would have " +
           std::to_string(capacity / chips);
  return {};
}

Axes mlir::llm::axesOfPositions(Operation *op, GridAttr grid) {
  auto shard = op->getAttrOfType<ShardAttr>(LlmDialect::shardAttrName);
  Attribute own = shard && isa<KvWriteOp>(op)
                      ? shard.getLoops().get(positionsEntry)
                      : Attribute();
  return own ? fromShardEntry(own, grid) : Axes();
}

bool mlir::llm::isJoined(Operation *op, StringRef loop) {
  auto joinable = dyn_cast<JoinableOpInterface>(op);
  return joinable && joinable.getJoinedLoop() == loop &&
         joinable.explainUnjoined(/*parts=*/1).empty();
}

//===----------------------------------------------------------------------===//
// What is read at once
//===----------------------------------------------------------------------===//

static bool showsWritten(KvReadOp read, KvWriteOp write) {
  ArrayRef<int64_t> begins = write.getBegin();
  RankedTensorType keys = write.getKeys().getType();
  return keys == read.getKeys().getType() && read.getDynamicBegin().empty() &&
         read.getDynamicEnd().empty() && begins == read.getBegin() &&
         llvm::all_of(llvm::zip_equal(begins, read.getEnd()), [&](auto range) {
           return std::get<1>(range) - std::get<0>(range) == keys.getDimSize(1);
         });
}

Value mlir::llm::findWritten(OpResult result, GridAttr grid) {
  auto read = cast<KvReadOp>(result.getOwner());
  auto write = read.getCache().getDefiningOp<KvWriteOp>();
  if (!write || axesOfPositions(write, grid).empty() ||
      !showsWritten(read, write))
    return {};
  return result.getResultNumber() == 0 ? Value(write.getKeys())
                                       : write.getValues();
}

void mlir::llm::readWhatIsWritten(FunctionOpInterface function, GridAttr grid) {
  function.walk([&](KvReadOp read) {
    for (OpResult result : read->getResults())
      if (Value written = findWritten(result, grid))
        result.replaceAllUsesWith(written);
  });
}

//===----------------------------------------------------------------------===//
// What chips can share
//===----------------------------------------------------------------------===//

namespace {
/// A reason for which a cache stays whole on each chip, and the op that it is
/// about.
struct Obstacle {
  Operation *op;
  std::string why;
};

/// The writes and reads of one cache.
class CacheUses {
public:
  CacheUses(GridAttr grid, ArrayRef<StringAttr> axes, int64_t products)
      : grid(grid), axes(inTurns(axes, 1, grid)),
        chips(countChips(this->axes, grid)), products(products) {}

  /// Follows the states of the cache.
  std::optional<Obstacle> visit(Value state);

  SmallVector<KvWriteOp> writes;
  /// Whether a person, or another compiler, has written how an op is cut.
  bool isCutByHand = false;

private:
  bool divides(int64_t size) const { return llm::divides(axes, size, grid); }
  std::optional<Obstacle> visitWrite(KvWriteOp write);
  std::optional<Obstacle> visitRead(KvReadOp read);
  std::string explainUser(Operation *user);
  std::string explainRows(ArrayRef<int64_t> positions) const;

  GridAttr grid;
  Axes axes;
  int64_t chips;
  int64_t products; ///< chips that share the heads of queries
};
} // namespace

std::string CacheUses::explainRows(ArrayRef<int64_t> positions) const {
  const auto *other = llvm::find_if(
      positions, [&](int64_t position) { return !divides(position); });
  return other == positions.end()
             ? std::string()
             : "reads up to or from position " + std::to_string(*other) +
                   ", which is no multiple of these chips";
}

std::optional<Obstacle> CacheUses::visitWrite(KvWriteOp write) {
  isCutByHand |= write->hasAttr(LlmDialect::shardAttrName);
  writes.push_back(write);
  int64_t rows = write.getKeys().getType().getDimSize(1);
  bool isShared = divides(rows) && llvm::all_of(write.getBegin(),
                                                [&](int64_t begin) {
                                                  return divides(begin);
                                                });
  if (rows != 1 && !isShared)
    return Obstacle{write, "writes " + std::to_string(rows) +
                               " rows, of which these chips do not have as "
                               "many"};
  return visit(write.getResult());
}

/// Whether a view shows features, or heads, of all positions.
static bool showsAllPositions(Operation *view) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(view);
  if (!slice)
    return false;
  RankedTensorType shown = slice.getType(), source = slice.getSourceType();
  return shown.getRank() == source.getRank() &&
         shown.getDimSize(positionsDim) == source.getDimSize(positionsDim);
}

std::string CacheUses::explainUser(Operation *user) {
  if (showsAllPositions(user)) {
    for (Operation *next : user->getUsers())
      if (std::string why = explainUser(next); !why.empty())
        return why;
    return {};
  }
  isCutByHand |= user->hasAttr(LlmDialect::shardAttrName);
  auto joinable = dyn_cast<JoinableOpInterface>(user);
  if (!joinable)
    return "reads rows of a cache, and its results over some of them cannot "
           "be joined";
  if (std::string why = joinable.explainUnjoined(chips); !why.empty())
    return why;
  auto type = cast<RankedTensorType>(user->getResult(0).getType());
  int64_t size = type.getDimSize(joinable.getJoinedDim());
  if (size % products != 0)
    return "has " + std::to_string(size) + " heads, which " +
           std::to_string(products) + " chips do not divide";
  return {};
}

std::optional<Obstacle> CacheUses::visitRead(KvReadOp read) {
  auto write = read.getCache().getDefiningOp<KvWriteOp>();
  if (write && showsWritten(read, write))
    return std::nullopt;
  for (ArrayRef<int64_t> positions : {read.getBegin(), read.getEnd()})
    if (std::string why = explainRows(positions); !why.empty())
      return Obstacle{read, std::move(why)};
  for (Operation *user : read->getUsers())
    if (std::string why = explainUser(user); !why.empty())
      return Obstacle{user, std::move(why)};
  return std::nullopt;
}

std::optional<Obstacle> CacheUses::visit(Value state) {
  if (std::string why =
          explainUnshared(cast<KvCacheType>(state.getType()), chips);
      !why.empty())
    return Obstacle{state.getDefiningOp(), std::move(why)};
  for (Operation *user : state.getUsers()) {
    std::optional<Obstacle> obstacle;
    if (auto write = dyn_cast<KvWriteOp>(user))
      obstacle = visitWrite(write);
    else if (auto read = dyn_cast<KvReadOp>(user))
      obstacle = visitRead(read);
    else
      obstacle = Obstacle{user, "uses a cache, and neither reads nor writes "
                                "rows of it"};
    if (obstacle)
      return obstacle;
  }
  return std::nullopt;
}

/// Warns of the first of the caches that stay whole.
static void warn(ArrayRef<Obstacle> obstacles, ArrayRef<StringAttr> axes,
                 GridAttr grid) {
  if (obstacles.empty())
    return;
  const Obstacle &first = obstacles.front();
  InFlightDiagnostic warning = first.op->emitWarning();
  if (auto work = dyn_cast<WorkloadOpInterface>(first.op);
      work && !work.getWorkloadName().empty())
    warning << "'" << work.getWorkloadName() << "' ";
  warning << first.why << ": its cache is whole on each of the "
          << countChips(inTurns(axes, 1, grid), grid) << " chips along axis '"
          << axes.front().getValue() << "'";
  if (obstacles.size() > 1)
    warning << " (and so are " << obstacles.size() - 1 << " more)";
}

DenseSet<Operation *> mlir::llm::findSharedWrites(FunctionOpInterface function,
                                                  GridAttr grid,
                                                  ArrayRef<StringAttr> axes) {
  DenseSet<Operation *> shared;
  if (axes.empty())
    return shared;
  Axes products{llvm::to_vector<2>(AxisRoles::get(grid).products)};
  SmallVector<Obstacle> obstacles;
  function.walk([&](KvCacheOp source) {
    CacheUses uses(grid, axes, countChips(products, grid));
    std::optional<Obstacle> obstacle = uses.visit(source.getResult());
    if (uses.isCutByHand)
      return;
    if (obstacle)
      obstacles.push_back(std::move(*obstacle));
    else
      shared.insert(uses.writes.begin(), uses.writes.end());
  });
  warn(obstacles, axes, grid);
  return shared;
}
