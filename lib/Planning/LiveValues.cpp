//===- LiveValues.cpp - What lies in memory at a time ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/LiveValues.h"
#include "llm/Planning/Split.h"
#include "llm/Workload/Counts.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// A time in a block: one of its items (stretches of ops, and loops), and a
/// cycle in that item.
struct Place {
  unsigned item = 0;
  int64_t cycle = 0;

  bool operator<(const Place &other) const {
    return std::tie(item, cycle) < std::tie(other.item, other.cycle);
  }
};

constexpr int64_t beforeItem = MomentPlace::beforeItem,
                  afterItem = MomentPlace::afterItem;
using VisitMoment = function_ref<void(const Moment &, const MomentPlace &)>;

/// Something that begins or ends, or a loop that runs.
struct Event {
  enum class Kind { End, Loop, Begin };
  Place place;
  Kind kind;
  Moment amount;
  Operation *loop = nullptr;

  bool operator<(const Event &other) const {
    return std::tie(place.item, place.cycle, kind) <
           std::tie(other.place.item, other.place.cycle, other.kind);
  }
};

class LiveValues {
public:
  LiveValues(const Program &program, const Target &target, const Growth &growth,
             VisitMoment visit)
      : program(program), target(target), growth(growth), visit(visit) {}

  LogicalResult run();

private:
  friend class BlockWalk;
  /// Counts what is in memory from start to end: the caller's arguments, and
  /// constants.
  FailureOr<Moment> heldThroughout();
  FailureOr<GrowingBytes> bytesOf(Value value, bool seesKeys);
  FailureOr<int64_t> workspaceOf(WorkloadOpInterface op);

  const Program &program;
  const Target &target;
  Growth growth;
  VisitMoment visit;
  llvm::DenseMap<Operation *, unsigned> indexOf; ///< of ops that take time
  bool hasSlots = true;
  /// Values whose size depends on the number of keys: rows of caches, scores.
  llvm::DenseSet<Value> growsWithKeys;
  /// Bytes of everything, so that sums of some of it are within 64 bits.
  int64_t allBytes = 0;
};

/// Walks one block, which is the body of the function or of a loop.
class BlockWalk {
public:
  BlockWalk(LiveValues &all, Block &block) : all(all), block(block) {}

  LogicalResult run(const Moment &around);

private:
  struct Lifetime {
    Value value;
    GrowingBytes bytes;
    Place begin, end;
  };

  LogicalResult findValues();
  LogicalResult addOp(Operation *op);
  LogicalResult addLoop(LoopLikeOpInterface loop);
  LogicalResult addValue(Value value, Place begin, Place end, bool seesKeys);
  void findUses();
  void use(Value value, Place place);
  void useCaptured(Operation *op, Place place);
  std::vector<Event> makeEvents() const;

  LiveValues &all;
  Block &block;
  std::vector<Operation *> items; ///< the first op of each stretch, and loops
  bool isInStretch = false;
  std::vector<Lifetime> values;
  std::vector<Event> events;
  llvm::DenseMap<Operation *, Place> startOf, endOf;
  llvm::DenseMap<Value, Place> lastUse;
  llvm::DenseMap<Value, Value> inPlaceOf;
};
} // namespace

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

static void add(Moment &sum, const Moment &amount, int64_t sign) {
  for (auto [total, bytes] :
       llvm::zip_equal(sum.values.byDegree, amount.values.byDegree))
    total += sign * bytes;
  sum.workspaceBytes += sign * amount.workspaceBytes;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static InFlightDiagnostic emitOverflow(const Program &program) {
  return emitFunctionError(program.function())
         << "has values that take more than 2^61 - 1 bytes";
}

/// How often a tensor has a dimension that counts keys, as far as its shape
/// tells.
static unsigned countKeyDimensions(RankedTensorType type, int64_t keys) {
  return llvm::count_if(type.getShape(),
                        [&](int64_t size) { return size % keys == 0; });
}

/// Returns how fast a value grows with the length of sequences (0: not at all,
/// 2: with its square). If shapes leave it open, a value counts as one that
/// grows, so that what is said to fit does fit.
static unsigned degreeOf(RankedTensorType type, const Growth &growth,
                         bool seesKeys) {
  if (growth.keys == 0)
    return 0;
  unsigned counted = countKeyDimensions(type, growth.keys);
  unsigned ofTokens = growth.isOfTokens ? 1 : 0;
  return std::min(counted, ofTokens + (seesKeys ? 1 : 0));
}

/// Whether the bytes of such a value can be counted. An op that takes time has
/// no other operands or results.
static bool hasKnownBytes(RankedTensorType type) {
  Type element = type.getElementType();
  return type.hasStaticShape() &&
         (element.isIntOrFloat() || isa<StorageBytesTypeInterface>(element));
}

FailureOr<GrowingBytes> LiveValues::bytesOf(Value value, bool seesKeys) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!hasKnownBytes(type))
    return GrowingBytes();
  Count bytes = storageBytes(type);
  if (failed(mlir::llm::accumulate(allBytes, bytes, 1)))
    return emitOverflow(program);
  unsigned degree = degreeOf(type, growth, seesKeys);
  if (degree > (growth.isOfTokens ? 1 : 0))
    growsWithKeys.insert(value);
  GrowingBytes growing;
  growing.byDegree[degree] = *bytes;
  return growing;
}

/// Returns the bytes that the parts of a reduction leave for the part that
/// joins them.
FailureOr<int64_t> LiveValues::workspaceOf(WorkloadOpInterface op) {
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  if (!tile || !tile.getSplit())
    return 0;
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target);
  if (failed(context))
    return failure();
  FailureOr<Split> split = Split::get(*context, tile.getSplit());
  if (failed(split))
    return failure();
  if (!split->lastCombines())
    return 0;
  Workload combine = split->partOf(*context, split->partCount() - 1).workload;
  SmallVector<Interval, 6> box = combine.fullBox();
  int64_t bytes = 0;
  for (auto [index, buffer] : llvm::enumerate(combine.buffers)) {
    bool isOfEachPart = combine.loopsOf(buffer).test(combine.loops.size() - 1);
    if (buffer.role != Buffer::Role::Read || !isOfEachPart)
      continue;
    Count elements = op.countElements(combine, index, box);
    Count own = succeeded(elements) ? storageBytes(buffer, *elements)
                                    : Count(failure());
    if (failed(mlir::llm::accumulate(bytes, own, 1)) ||
        failed(mlir::llm::accumulate(allBytes, own, 1)))
      return emitOverflow(program);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// Returns the first start and the last end of slots.
static std::pair<int64_t, int64_t> spanOf(SlotsAttr slots) {
  int64_t start = afterItem, end = 0;
  for (SlotRunAttr run : slots.getRuns()) {
    int64_t shift = (run.getCount() - 1) * run.getStartStride();
    start = std::min(start, run.getStartCycle());
    end = std::max(end, run.getEndCycle() + shift);
  }
  return {start, end};
}

/// Returns the value that a result replaces. This is the value that the op
/// updates, if nothing else uses it.
static Value findUpdated(OpResult result) {
  auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner());
  OpOperand *init = op ? op.getTiedOpOperand(result) : nullptr;
  if (!init || !init->get().hasOneUse() ||
      init->get().getParentBlock() != result.getParentBlock())
    return {};
  Operation *maker = init->get().getDefiningOp();
  bool isOwn = maker ? isa<WorkloadOpInterface, LoopLikeOpInterface>(maker)
                     : isa<LoopLikeOpInterface>(
                           init->get().getParentBlock()->getParentOp());
  return isOwn ? init->get() : Value();
}

/// Returns values from around an op that its regions use.
static SetVector<Value> findCaptured(Operation *op) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured;
}

LogicalResult BlockWalk::addValue(Value value, Place begin, Place end,
                                  bool seesKeys) {
  if (!isTensor(value))
    return success();
  FailureOr<GrowingBytes> bytes = all.bytesOf(value, seesKeys);
  if (failed(bytes))
    return failure();
  values.push_back({value, *bytes, begin, end});
  return success();
}

LogicalResult BlockWalk::addOp(Operation *op) {
  if (!isInStretch)
    items.push_back(op);
  isInStretch = true;
  unsigned item = items.size() - 1;
  int64_t index = all.indexOf.at(op);
  std::pair<int64_t, int64_t> span = {index, index + 1};
  if (all.hasSlots)
    span = spanOf(op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName));
  startOf[op] = {item, span.first};
  endOf[op] = {item, span.second};

  auto growsWithKeys = [&](Value value) {
    return all.growsWithKeys.contains(value);
  };
  bool seesKeys = llvm::any_of(op->getOperands(), growsWithKeys) ||
                  llvm::any_of(findCaptured(op), growsWithKeys);
  for (OpResult result : op->getResults()) {
    if (Value updated = findUpdated(result)) {
      inPlaceOf[result] = updated;
      continue;
    }
    if (failed(addValue(result, startOf[op], endOf[op], seesKeys)))
      return failure();
  }
  FailureOr<int64_t> workspace = all.workspaceOf(cast<WorkloadOpInterface>(op));
  if (failed(workspace))
    return failure();
  if (*workspace > 0 && startOf[op] < endOf[op]) {
    Moment amount{{}, *workspace};
    events.push_back({startOf[op], Event::Kind::Begin, amount});
    events.push_back({endOf[op], Event::Kind::End, amount});
  }
  return success();
}

LogicalResult BlockWalk::addLoop(LoopLikeOpInterface loop) {
  isInStretch = false;
  unsigned item = items.size();
  items.push_back(loop);
  startOf[loop] = {item, 0};
  events.push_back({startOf[loop], Event::Kind::Loop, {}, loop});
  for (auto [init, argument] :
       llvm::zip_equal(loop.getInits(), loop.getRegionIterArgs()))
    if (all.growsWithKeys.contains(init))
      all.growsWithKeys.insert(argument);
  for (Value result : loop->getResults())
    if (failed(addValue(result, {item, afterItem}, {item, afterItem},
                        /*seesKeys=*/false)))
      return failure();
  return success();
}

/// Visits ops in the order of the program.
LogicalResult BlockWalk::findValues() {
  if (isa<LoopLikeOpInterface>(block.getParentOp()))
    for (Value argument : block.getArguments())
      if (failed(addValue(argument, {0, beforeItem}, {0, beforeItem},
                          all.growsWithKeys.contains(argument))))
        return failure();
  for (Operation &op : block) {
    if (all.indexOf.contains(&op)) {
      if (failed(addOp(&op)))
        return failure();
      continue;
    }
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      if (failed(addLoop(loop)))
        return failure();
      continue;
    }
    auto source = dyn_cast<SourceOpInterface>(op);
    bool showsKeys = source && source.getSourceKind() == SourceKind::Cache;
    auto view = dyn_cast<TransparentOpInterface>(op);
    showsKeys |= view && llvm::any_of(view.getForwardedValues(), [&](Value v) {
                   return all.growsWithKeys.contains(v);
                 });
    if (showsKeys)
      all.growsWithKeys.insert(op.result_begin(), op.result_end());
  }
  return success();
}

void BlockWalk::use(Value value, Place place) {
  auto [known, isNew] = lastUse.try_emplace(value, place);
  if (!isNew)
    known->second = std::max(known->second, place);
}

void BlockWalk::useCaptured(Operation *op, Place place) {
  for (Value value : findCaptured(op))
    use(value, place);
}

/// Visits ops from the last to the first, so that the uses of a view are known
/// before the value that it shows.
void BlockWalk::findUses() {
  for (Operation &op : llvm::reverse(block)) {
    if (auto end = endOf.find(&op); end != endOf.end()) {
      for (Value operand : op.getOperands())
        use(operand, end->second);
      useCaptured(&op, end->second);
      for (OpResult result : op.getResults())
        if (Value updated = inPlaceOf.lookup(result))
          use(updated, lastUse.lookup_or(result, end->second));
      continue;
    }
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      unsigned item = startOf.at(&op).item;
      for (Value init : loop.getInits())
        use(init, {item, beforeItem});
      useCaptured(loop, {item, afterItem});
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value operand : op.getOperands())
        use(operand, {unsigned(items.size()), afterItem});
      continue;
    }
    auto view = dyn_cast<TransparentOpInterface>(op);
    for (Value result : op.getResults())
      if (auto known = lastUse.find(result); view && known != lastUse.end()) {
        Place place = known->second;
        for (Value shown : view.getForwardedValues())
          use(shown, place);
      }
  }
}

std::vector<Event> BlockWalk::makeEvents() const {
  std::vector<Event> sorted = events;
  for (const Lifetime &value : values) {
    Place end = std::max(value.end, lastUse.lookup_or(value.value, value.end));
    if (!(value.begin < end))
      continue;
    sorted.push_back({value.begin, Event::Kind::Begin, {value.bytes, 0}});
    sorted.push_back({end, Event::Kind::End, {value.bytes, 0}});
  }
  llvm::stable_sort(sorted);
  return sorted;
}

LogicalResult BlockWalk::run(const Moment &around) {
  if (failed(findValues()))
    return failure();
  findUses();
  Moment alive = around;
  for (const Event &event : makeEvents()) {
    unsigned item = event.place.item;
    switch (event.kind) {
    case Event::Kind::End:
      add(alive, event.amount, -1);
      if (item < items.size()) // else the block hands the value on
        all.visit(alive, {items[item], event.place.cycle});
      break;
    case Event::Kind::Begin:
      add(alive, event.amount, 1);
      all.visit(alive, {items[item], event.place.cycle});
      break;
    case Event::Kind::Loop: {
      auto loop = cast<LoopLikeOpInterface>(event.loop);
      Block &body = loop.getLoopRegions().front()->front();
      if (failed(BlockWalk(all, body).run(alive)))
        return failure();
      break;
    }
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Whether the op's result takes room of its own: the op is a constant of more
/// than one value, or a view that gives a static shape to a tensor whose shape
/// was open.
static bool isStored(Operation *op) {
  if (op->getNumResults() != 1 || !isTensor(op->getResult(0)))
    return false;
  DenseElementsAttr elements;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return !(matchPattern(op, m_Constant(&elements)) && elements.isSplat());
  auto view = dyn_cast<TransparentOpInterface>(op);
  return view && llvm::any_of(view.getForwardedValues(), [](Value shown) {
           auto type = dyn_cast<RankedTensorType>(shown.getType());
           return type && !type.hasStaticShape();
         });
}

FailureOr<Moment> LiveValues::heldThroughout() {
  Moment held;
  FunctionOpInterface function = program.function();
  SmallVector<Value> values;
  llvm::append_range(
      values, llvm::make_filter_range(function.getArguments(), isTensor));
  function.walk([&](Operation *op) {
    // Ops in the body of a structured op are part of it.
    bool isInOp = isa<WorkloadOpInterface>(op->getParentOp());
    if (!isInOp && isStored(op))
      values.push_back(op->getResult(0));
  });
  for (Value value : values) {
    FailureOr<GrowingBytes> bytes = bytesOf(value, /*seesKeys=*/false);
    if (failed(bytes))
      return failure();
    add(held, {*bytes, 0}, 1);
  }
  return held;
}

LogicalResult LiveValues::run() {
  for (auto [index, entry] : llvm::enumerate(program.ops())) {
    indexOf[entry.op] = index;
    hasSlots &= entry.op->hasAttr(LlmDialect::slotsAttrName);
  }
  FailureOr<Moment> held = heldThroughout();
  if (failed(held))
    return failure();
  visit(*held, {});
  FunctionOpInterface function = program.function();
  return BlockWalk(*this, function.getFunctionBody().front()).run(*held);
}

LogicalResult mlir::llm::forEachMoment(const Program &program,
                                       const Target &target,
                                       const Growth &growth,
                                       VisitMoment visit) {
  return LiveValues(program, target, growth, visit).run();
}
