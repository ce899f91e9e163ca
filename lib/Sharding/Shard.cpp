//===- Shard.cpp - Which loops are cut over which axes --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Experts.h"
#include "Keys.h"
#include "LoopCuts.h"
#include "OpenSizes.h"
#include "Padding.h"
#include "UnequalOps.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Sharding/Summands.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

namespace {
class Sharder {
public:
  Sharder(FunctionOpInterface function, GridAttr grid, const AxisRoles &roles)
      : function(function), grid(grid), roles(roles) {}

  /// Finds out which chips share sequences.
  LogicalResult shareSequences();
  /// Sequences and rows that are carried by a loop stay on their chips.
  void enter(LoopLikeOpInterface loop);
  /// Finds out which chips share the experts of all ops.
  LogicalResult shareExperts();
  /// Adds zeros where chips do not divide the columns of weights.
  LogicalResult padColumns();
  /// Finds out of which caches chips share the positions.
  void shareKeys() {
    sharedWrites = findSharedWrites(function, grid, roles.keys);
  }
  LogicalResult shard(Operation *op);
  /// Says which ops chips have copies of because of their sizes.
  const UnequalOps &getUnequalOps() const { return unequal; }

private:
  void handThrough(Operation *view, DenseMap<Value, Cut> &from);
  /// What was written just before is read where it is.
  bool handWrittenOn(KvReadOp read);
  /// Cuts an op along its rows, if it reads rows that are cut, or sums that are
  /// still to be made: these then come in pieces.
  LoopCuts shareRows(Operation *op, const Workload &workload,
                     const LoopCuts &ofSequences);
  bool handsSumsOn(Operation *op) const;
  void note(Operation *op, const OpCuts &own, bool isByRows);
  /// Whether an op would be cut over an axis that shares its experts.
  bool clashes(Operation *op, const LoopCuts &wanted) const;
  bool sharesProducts(const LoopCuts &loops) const;
  /// The axes over which a product is cut.
  ArrayRef<StringAttr> axesOf(Operation *op) const;
  ShardAttr toAttribute(Operation *op, const Workload &workload,
                        const LoopCuts &loops) const;
  /// Takes over cuts of the operands. Fails, with a diagnostic, if sequences
  /// cannot be apart.
  FailureOr<LoopCuts> inherit(Operation *op, const Workload &workload);
  LogicalResult inherit(Operation *op, const Workload &workload,
                        const Buffer &buffer, const Cut &cut, LoopCuts &loops);
  LogicalResult checkSequences(Operation *op, const Workload &workload,
                               const LoopCuts &wanted) const;
  bool takesPieces(Operation *op, const OpCuts &own) const;
  /// Cuts an op along a loop that no operand has but those that are free: the
  /// columns of a weight.
  LoopCuts seed(Operation *op, const Workload &workload);
  std::optional<LoopCuts> trySeed(Operation *op, const Workload &workload,
                                  unsigned loop);
  /// The loop cut over so many of the axes, if its results may stay cut.
  std::optional<LoopCuts> trySeed(Operation *op, const Workload &workload,
                                  unsigned loop, const Axes &axes);
  /// Whether nothing behind the value needs a whole row of what is cut.
  bool mayStayCut(Value value, const Cut &cut);
  bool mayStayCut(Operation *user, Value value, const Cut &cut);
  bool resultsMayStayCut(Operation *op, const OpCuts &own);
  const FailureOr<Workload> &workloadOf(Operation *op);

  FunctionOpInterface function;
  GridAttr grid;
  const AxisRoles &roles;
  DenseMap<Operation *, Axes> experts; ///< of ops whose experts chips share
  DenseSet<Operation *> sharedWrites;  ///< into caches whose positions they do
  DenseSet<Operation *> padding;       ///< slices that drop zeros
  DenseMap<Value, Cut> cuts;           ///< of values that are cut
  /// Of those that are cut along their rows, of which products want all.
  DenseMap<Value, Cut> rows;
  DenseSet<Value> sums; ///< of summands that all chips have
  UnequalOps unequal{grid};
  std::map<Operation *, FailureOr<Workload>> workloads;
  /// Answers of mayStayCut; a question that is being asked counts as yes.
  ByCut<bool> known;
};
} // namespace

const FailureOr<Workload> &Sharder::workloadOf(Operation *op) {
  auto found = workloads.find(op);
  if (found == workloads.end())
    found = workloads.emplace(op, workloadForCuts(op)).first;
  return found->second;
}

//===----------------------------------------------------------------------===//
// What operands say
//===----------------------------------------------------------------------===//

/// Adds the cuts that one operand asks for, unless they cannot be had.
static void merge(Operation *op, const Workload &workload, LoopCuts &loops,
                  const LoopCuts &wanted) {
  for (auto [index, axes] : llvm::enumerate(wanted))
    if (!axes.empty() && ((!loops[index].empty() && loops[index] != axes) ||
                          !explainUncut(op, workload, index).empty()))
      return; // it is gathered before the op
  for (auto [own, axes] : llvm::zip_equal(loops, wanted))
    if (!axes.empty())
      own = axes;
}

/// Chips that share a loop over which results are joined share no other loop.
static void leaveToJoined(Operation *op, const Workload &workload,
                          LoopCuts &loops) {
  auto joinable = dyn_cast<JoinableOpInterface>(op);
  auto joined = joinable ? workload.findLoop(joinable.getJoinedLoop())
                         : std::nullopt;
  if (!joined)
    return;
  SmallVector<StringAttr, 2> names = loops[*joined].names;
  for (auto [index, axes] : llvm::enumerate(loops))
    if (index != *joined)
      llvm::erase_if(axes.names, [&](StringAttr axis) {
        return llvm::is_contained(names, axis);
      });
}

LogicalResult Sharder::checkSequences(Operation *op, const Workload &workload,
                                      const LoopCuts &wanted) const {
  auto found = findUnequalPieces(op, workload, wanted, grid);
  if (!found)
    return success();
  return op->emitOpError() // cut-C5
         << "cannot be cut along loop '" << workload.loops[found->loop].name
         << "' over axis '" << wanted[found->loop].names.front().getValue()
         << "': " << found->why;
}

LogicalResult Sharder::inherit(Operation *op, const Workload &workload,
                               const Buffer &buffer, const Cut &cut,
                               LoopCuts &loops) {
  // What cannot be cut over chips that share products may be cut by sequences.
  Cut ofBatch = restrictTo(cut, roles.batch),
      ofProducts = restrictToOthers(cut, roles.batch);
  auto batch = axesOfLoops(workload, buffer, ofBatch, grid);
  if (batch && !clashes(op, *batch)) {
    if (failed(checkSequences(op, workload, *batch)))
      return failure();
    merge(op, workload, loops, *batch);
  }
  auto products = axesOfLoops(workload, buffer, ofProducts, grid);
  if (products && !clashes(op, *products))
    merge(op, workload, loops, *products);
  return success();
}

FailureOr<LoopCuts> Sharder::inherit(Operation *op, const Workload &workload) {
  LoopCuts loops(workload.loops.size());
  for (const Buffer &buffer : workload.buffers) {
    auto cut = cuts.find(buffer.value);
    if (buffer.role != Buffer::Role::Read || cut == cuts.end())
      continue;
    if (failed(inherit(op, workload, buffer, cut->second, loops)))
      return failure();
  }
  leaveToJoined(op, workload, loops);
  std::string reason;
  std::optional<OpCuts> own;
  if (isCut(loops))
    own = cutsOf(op, workload, loops, grid, reason);
  if (own && (!takesPieces(op, *own) || resultsMayStayCut(op, *own)))
    return loops;
  return LoopCuts(workload.loops.size());
}

/// Whether the op would take pieces of operands that its chip has whole. That
/// is worth it only if the result is not gathered at once.
bool Sharder::takesPieces(Operation *op, const OpCuts &own) const {
  for (auto [operand, cut] : llvm::zip_equal(op->getOperands(), own.operands)) {
    auto known = cuts.find(operand);
    bool isWholeNow = known == cuts.end() || known->second.isWhole();
    if (!cut.isWhole() && isWholeNow && !isFree(operand))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Where cuts begin
//===----------------------------------------------------------------------===//

bool Sharder::mayStayCut(Value value, const Cut &cut) {
  if (const bool *answer = known.find(value, cut))
    return *answer;
  known.note(value, cut, true);
  bool may = llvm::all_of(value.getUsers(), [&](Operation *user) {
    return mayStayCut(user, value, cut);
  });
  known.note(value, cut, may);
  return may;
}

bool Sharder::mayStayCut(Operation *user, Value value, const Cut &cut) {
  // What leaves the program or a layer is gathered.
  if (user->hasTrait<OpTrait::IsTerminator>() || asksForWholeDim(user, cut))
    return true;
  if (isViewOfPieces(user)) {
    std::optional<Cut> shown = cutThroughView(user, cut, grid);
    if (!shown && padding.contains(user))
      return true; // gathered, too
    return shown && llvm::all_of(user->getResults(), [&](Value result) {
             return mayStayCut(result, *shown);
           });
  }
  const FailureOr<Workload> &workload = workloadOf(user);
  if (failed(workload))
    return false;
  LoopCuts loops(workload->loops.size());
  for (const Buffer &buffer : workload->buffers) {
    if (buffer.role != Buffer::Role::Read || buffer.value != value)
      continue;
    auto wanted = axesOfLoops(*workload, buffer, cut, grid);
    if (!wanted)
      return false;
    for (auto [index, axes] : llvm::enumerate(*wanted))
      if (!axes.empty() && needsAll(*workload, index))
        return false;
    if (!clashes(user, *wanted)) // otherwise it is gathered
      merge(user, *workload, loops, *wanted);
  }
  if (!isCut(loops))
    return true; // it gathers what it reads
  std::string reason;
  std::optional<OpCuts> own = cutsOf(user, *workload, loops, grid, reason);
  return own && resultsMayStayCut(user, *own);
}

bool Sharder::resultsMayStayCut(Operation *op, const OpCuts &own) {
  for (auto [result, cut] : llvm::zip_equal(op->getResults(), own.results)) {
    Cut summed = cut; // at once
    summed.partial.clear();
    if (!summed.isWhole() && !mayStayCut(result, summed))
      return false;
  }
  return true;
}

/// The segments of the results of an op along one of its loops.
static SmallVector<int64_t, 1>
segmentsAlong(Operation *op, const Workload &workload, unsigned loop) {
  for (const Buffer &buffer : workload.buffers)
    if (llvm::is_contained(op->getResults(), buffer.value))
      for (auto [dim, index] : llvm::enumerate(buffer.map.getResults()))
        if (auto own = dyn_cast<AffineDimExpr>(index);
            own && own.getPosition() == loop)
          return segmentsBehind(buffer.value, dim);
  return {};
}

std::optional<LoopCuts>
Sharder::trySeed(Operation *op, const Workload &workload, unsigned loop) {
  if (!explainUncut(op, workload, loop).empty())
    return std::nullopt;
  // Mostly nothing lies side by side, and the walk is not needed.
  std::optional<SmallVector<int64_t, 1>> segments;
  ArrayRef<StringAttr> axes = axesOf(op);
  for (size_t count = axes.size(); count > 0; --count) {
    SmallVector<StringAttr, 2> names(axes.take_front(count));
    if (auto loops = trySeed(op, workload, loop, {names}))
      return loops;
    if (!segments)
      segments = segmentsAlong(op, workload, loop);
    if (!segments->empty())
      if (auto loops = trySeed(op, workload, loop, {names, *segments}))
        return loops;
    unequal.note(op, workload, loop, {names});
  }
  return std::nullopt;
}

std::optional<LoopCuts> Sharder::trySeed(Operation *op,
                                         const Workload &workload,
                                         unsigned loop, const Axes &axes) {
  if (!divides(axes, workload.loops[loop].extent, grid))
    return std::nullopt;
  // Each chip looks rows up in its columns of a table, which are gathered.
  bool isTable = llvm::any_of(workload.buffers, [](const Buffer &buffer) {
    return buffer.isGathered && isFree(buffer.value);
  });
  LoopCuts loops(workload.loops.size());
  loops[loop] = axes;
  std::string reason;
  std::optional<OpCuts> own = cutsOf(op, workload, loops, grid, reason);
  if (own && (isTable || resultsMayStayCut(op, *own)))
    return loops;
  return std::nullopt;
}

LoopCuts Sharder::seed(Operation *op, const Workload &workload) {
  for (unsigned loop = 0; loop < workload.loops.size(); ++loop)
    if (isLoopOfColumns(op, workload, loop))
      if (std::optional<LoopCuts> loops = trySeed(op, workload, loop))
        return *loops;
  return LoopCuts(workload.loops.size());
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

/// The axes over which the experts of an op are shared that has `llm.shard`; by
/// default those of the options.
static Axes axesOfExperts(Operation *op, GridAttr grid,
                          ArrayRef<StringAttr> axes) {
  auto shard = op->getAttrOfType<ShardAttr>(LlmDialect::shardAttrName);
  if (!shard)
    return {SmallVector<StringAttr, 2>(axes)};
  Attribute own = shard.getLoops().get(expertsEntry);
  return own ? fromShardEntry(own, grid) : Axes();
}

LogicalResult Sharder::shareExperts() {
  SmallVector<ExpertsOpInterface> begins; // weights around these are replaced
  function.walk([&](ExpertsOpInterface op) {
    if (beginsExperts(op))
      begins.push_back(op);
  });
  for (ExpertsOpInterface begin : begins) {
    Axes axes = axesOfExperts(begin, grid, roles.experts);
    if (axes.empty())
      continue;
    FailureOr<ExpertRegion> region = findExpertRegion(begin, axes, grid);
    if (failed(region))
      return failure();
    padExperts(*region, axes, grid);
    if (failed(checkExpertsDivide(*region, axes, grid)))
      return failure();
    for (Operation *each : region->experts)
      experts[each] = axes;
  }
  return success();
}

LogicalResult Sharder::padColumns() {
  FailureOr<DenseSet<Operation *>> slices = padProducts(
      function, grid, [&](Operation *op) { return axesOf(op); });
  if (failed(slices))
    return failure();
  padding = std::move(*slices);
  return success();
}

bool Sharder::clashes(Operation *op, const LoopCuts &wanted) const {
  auto own = experts.find(op);
  return own != experts.end() && llvm::any_of(wanted, [&](const Axes &axes) {
           return llvm::any_of(axes.names, [&](StringAttr axis) {
             return llvm::is_contained(own->second.names, axis);
           });
         });
}

ArrayRef<StringAttr> Sharder::axesOf(Operation *op) const {
  return experts.contains(op) ? roles.withinExperts : roles.products;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

ShardAttr Sharder::toAttribute(Operation *op, const Workload &workload,
                               const LoopCuts &loops) const {
  NamedAttrList entries;
  for (auto [loop, axes] : llvm::zip_equal(workload.loops, loops))
    if (!axes.empty()) // `readShard` knows how a joined loop is shared
      entries.set(loop.name,
                  toShardEntry(op->getContext(), isJoined(op, loop.name)
                                                     ? Axes{axes.names}
                                                     : axes));
  if (auto own = experts.find(op); own != experts.end())
    entries.set(expertsEntry, toShardEntry(op->getContext(), own->second));
  if (sharedWrites.contains(op))
    entries.set(positionsEntry,
                toShardEntry(op->getContext(), inTurns(roles.keys, 1, grid)));
  return ShardAttr::get(op->getContext(),
                        entries.getDictionary(op->getContext()));
}

/// Of inputs that are whole, a chip takes its piece.
void Sharder::handThrough(Operation *view, DenseMap<Value, Cut> &from) {
  for (Value operand : view->getOperands()) {
    auto known = from.find(operand);
    if (known == from.end())
      continue;
    if (std::optional<Cut> shown = cutThroughView(view, known->second, grid)) {
      for (Value result : view->getResults())
        from[result] = *shown;
      return;
    }
  }
}

bool Sharder::handWrittenOn(KvReadOp read) {
  bool isWritten = false;
  for (OpResult result : read->getResults())
    if (Value written = findWritten(result, grid)) {
      isWritten = true;
      for (DenseMap<Value, Cut> *each : {&cuts, &rows})
        if (auto known = each->find(written); known != each->end()) {
          Cut cut = known->second;
          (*each)[result] = std::move(cut);
        }
    }
  return isWritten;
}

/// Whether loops are cut over each of these axes.
static bool isOverAll(const LoopCuts &loops, ArrayRef<StringAttr> axes) {
  return llvm::all_of(axes, [&](StringAttr axis) {
    return llvm::any_of(loops, [&](const Axes &own) {
      return llvm::is_contained(own.names, axis);
    });
  });
}

/// Whether some loop is cut over chips that share products.
bool Sharder::sharesProducts(const LoopCuts &loops) const {
  return llvm::any_of(loops, [&](const Axes &axes) {
    return llvm::any_of(axes.names, [&](StringAttr axis) {
      return !llvm::is_contained(roles.batch, axis);
    });
  });
}

LogicalResult Sharder::shareSequences() {
  FailureOr<DenseMap<Value, Cut>> batch =
      findBatchCuts(function, grid, roles.batch);
  if (failed(batch))
    return failure();
  cuts = std::move(*batch);
  return success();
}

void Sharder::enter(LoopLikeOpInterface loop) {
  std::optional<ResultRange> results = loop.getLoopResults();
  if (!results)
    return;
  for (auto [init, argument, result] :
       llvm::zip_equal(loop.getInits(), loop.getRegionIterArgs(), *results)) {
    auto known = cuts.find(init);
    auto type = dyn_cast<RankedTensorType>(init.getType());
    if (known == cuts.end() && !type)
      continue;
    Cut carried = known == cuts.end()
                      ? Cut::whole(type.getRank())
                      : restrictTo(known->second, roles.batch);
    if (auto cut = rowsOfCarried(function, init, carried, grid, roles.rows))
      rows[argument] = rows[result] = *cut;
    if (carried.isWhole())
      continue;
    cuts[argument] = carried;
    cuts[result] = carried;
  }
}

/// Whether the op makes summands of summands, which are summed up behind it.
bool Sharder::handsSumsOn(Operation *op) const {
  auto linear = dyn_cast<SummandOpInterface>(op);
  return linear && llvm::all_of(linear.getSummandOperands(), [&](unsigned n) {
           return sums.contains(op->getOperand(n));
         });
}

LoopCuts Sharder::shareRows(Operation *op, const Workload &workload,
                            const LoopCuts &ofSequences) {
  LoopCuts none(workload.loops.size());
  if (handsSumsOn(op)) {
    sums.insert(op->result_begin(), op->result_end());
    return none;
  }
  bool readsRows = llvm::any_of(op->getOperands(), [&](Value operand) {
    return rows.contains(operand) || sums.contains(operand);
  });
  if (roles.rows.empty() || !readsRows)
    return none;
  std::optional<LoopCuts> loops =
      cutRows(op, workload, roles.rows, ofSequences, grid);
  return loops && !clashes(op, *loops) ? *loops : none;
}

void Sharder::note(Operation *op, const OpCuts &own, bool isByRows) {
  for (auto [result, made] : llvm::zip_equal(op->getResults(), own.results)) {
    Cut cut = made;
    cut.partial.clear(); // summed up where it is needed
    if (!made.partial.empty())
      sums.insert(result);
    if (isByRows)
      rows[result] = cut;
    // What wants all rows wants those of its sequences.
    Cut kept = isByRows ? restrictTo(cut, roles.batch) : cut;
    if (!kept.isWhole())
      cuts[result] = kept;
  }
}

LogicalResult Sharder::shard(Operation *op) {
  if (auto read = dyn_cast<KvReadOp>(op); read && handWrittenOn(read))
    return success();
  if (isViewOfPieces(op)) {
    handThrough(op, cuts);
    handThrough(op, rows);
    return success();
  }
  if (!isa<WorkloadOpInterface>(op))
    return success();
  FailureOr<Workload> workload = workloadForCuts(
      cast<WorkloadOpInterface>(op), [&] { return op->emitOpError(); });
  if (failed(workload))
    return failure();
  // What a person, or another compiler, has written stays.
  FailureOr<LoopCuts> loops = readShard(op, *workload, grid);
  if (failed(loops))
    return failure();
  bool isByRows = false;
  if (!op->hasAttr(LlmDialect::shardAttrName)) {
    loops = inherit(op, *workload);
    if (failed(loops))
      return failure();
    if (!sharesProducts(*loops)) {
      merge(op, *workload, *loops, seed(op, *workload));
      if (isOverAll(*loops, axesOf(op)))
        unequal.forget(op);
    }
    if (!sharesProducts(*loops)) {
      LoopCuts byRows = shareRows(op, *workload, *loops);
      isByRows = isCut(byRows);
      if (isByRows)
        loops = byRows;
    }
    if (isCut(*loops) || experts.contains(op) || sharedWrites.contains(op))
      op->setAttr(LlmDialect::shardAttrName,
                  toAttribute(op, *workload, *loops));
  }
  std::string reason;
  std::optional<OpCuts> own = cutsOf(op, *workload, *loops, grid, reason);
  if (!own)
    return op->emitOpError() << "cannot be cut over chips: it " << reason;
  note(op, *own, isByRows);
  return success();
}

LogicalResult mlir::llm::shardFunction(FunctionOpInterface function,
                                       GridAttr grid, const AxisRoles &roles) {
  Sharder sharder(function, grid, roles);
  if (failed(sharder.shareSequences()) || failed(sharder.shareExperts()) ||
      failed(sharder.padColumns()))
    return failure();
  sharder.shareKeys();
  if (failed(forEachOp(
          function, [&](Operation *op) { return sharder.shard(op); },
          [&](LoopLikeOpInterface loop) { sharder.enter(loop); })))
    return failure();
  sharder.getUnequalOps().warn(function);
  return success();
}
