//===- Composition.cpp - The workload of ops that run as one --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Workload/Composition.h"
#include "LoopUnion.h"
#include "llm/Workload/Counts.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Values inside
//===----------------------------------------------------------------------===//

bool mlir::llm::isComputedIn(Block &body, Value value) {
  llvm::SmallSetVector<Value, 4> worklist;
  worklist.insert(value);
  for (size_t next = 0; next < worklist.size(); ++next) {
    Operation *op = worklist[next].getDefiningOp();
    if (!op || op->getBlock() != &body)
      continue;
    if (isa<WorkloadOpInterface>(op))
      return true;
    if (auto view = dyn_cast<TransparentOpInterface>(op)) {
      SmallVector<Value> behind = view.getForwardedValues();
      worklist.insert(behind.begin(), behind.end());
    }
  }
  return false;
}

static bool isContraction(const Workload &workload) {
  return llvm::any_of(workload.stages, [](const Stage &stage) {
    return llvm::any_of(stage.workPerPoint,
                        [](auto work) { return work.first == WorkKind::Mac; });
  });
}

static StringRef kindOf(Operation *op) { return op->getName().stripDialect(); }

//===----------------------------------------------------------------------===//
// Composer
//===----------------------------------------------------------------------===//

namespace {
/// An op whose loops are being joined with those of others.
struct Member {
  WorkloadOpInterface op;
  Workload workload;
  SmallVector<unsigned, 6> loops; ///< in the union
  std::string prefix;             ///< "add", "add2" for a second one
  /// Whether it reads, maybe through others, what a contraction inside
  /// computes.
  bool isLate = false;
};

class Composer {
public:
  Composer(Block &body, ValueRange results, EmitError emitError)
      : body(body), results(results), emitError(emitError) {}
  FailureOr<Workload> run();

private:
  LogicalResult addMembers();
  /// Joins the loops of each op with those of the ops whose values it reads.
  LogicalResult joinLoops();
  LogicalResult joinOperand(Member &reader, Value operand);
  void noteReader(Member &reader, Value value, bool contracts);
  /// The loops that count the elements of a value that is computed inside.
  FailureOr<LoopUnion::Digits> digitsOf(Value value, Member &reader,
                                        bool contracts);
  /// The loops that count the elements of a buffer.
  FailureOr<LoopUnion::Digits> digitsOf(const Member &member,
                                        const Buffer &buffer) const;

  LogicalResult checkLoops() const;
  /// The op with the multiply-accumulates; null if there is none.
  const Member *contraction() const;
  LogicalResult checkContraction() const;

  void numberLoops();
  void nameLoops();
  /// Gives loops of the whole the properties that they have in one op.
  void inheritFlags(const ComposedPart &part);
  void addBuffers(unsigned part);
  void addStages(unsigned part);
  std::optional<Buffer> makeBuffer(unsigned part, const Buffer &buffer) const;
  void placeTemporaries();
  AffineMap mapOf(const ComposedPart &part, AffineMap map) const;

  Block &body;
  ValueRange results;
  EmitError emitError;
  LoopUnion loops;
  std::vector<Member> members;
  /// The member and the buffer of it that writes each value.
  DenseMap<Value, std::pair<unsigned, unsigned>> writers;
  /// The ops that read a value which is computed inside.
  DenseMap<Value, llvm::SmallSetVector<unsigned, 2>> readers;
  DenseSet<Value> contracted; ///< values that a contraction reduces over
  Workload whole;
  std::shared_ptr<Composition> composition = std::make_shared<Composition>();
  /// The loop of the whole for each loop of the union.
  DenseMap<unsigned, unsigned> numberOf;
};
} // namespace

LogicalResult Composer::addMembers() {
  llvm::StringMap<unsigned> ofKind;
  for (Operation &operation : body) {
    auto op = dyn_cast<WorkloadOpInterface>(operation);
    if (!op)
      continue;
    FailureOr<Workload> workload = op.getWorkload(emitError);
    if (failed(workload))
      return failure();
    Member member{op, std::move(*workload), {}, kindOf(op).str()};
    if (unsigned number = ++ofKind[member.prefix]; number > 1)
      member.prefix += std::to_string(number);
    for (const Loop &loop : member.workload.loops)
      member.loops.push_back(loops.add(loop.extent));
    for (auto [index, buffer] : llvm::enumerate(member.workload.buffers))
      if (buffer.role == Buffer::Role::Write &&
          buffer.value.getDefiningOp() == op)
        writers[buffer.value] = {members.size(), index};
    members.push_back(std::move(member));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Joining loops
//===----------------------------------------------------------------------===//

FailureOr<LoopUnion::Digits> Composer::digitsOf(const Member &member,
                                                const Buffer &buffer) const {
  auto type = dyn_cast<RankedTensorType>(buffer.value.getType());
  LoopUnion::Digits digits;
  bool isPlain = type && !buffer.isGathered &&
                 buffer.map.getNumResults() == unsigned(type.getRank());
  for (unsigned dim = 0; isPlain && dim < type.getRank(); ++dim) {
    auto found = loopsOfDimension(member.workload, buffer.map.getResult(dim),
                                  type.getDimSize(dim));
    isPlain = found.has_value();
    if (found)
      for (unsigned loop : *found)
        digits.push_back(member.loops[loop]);
  }
  if (isPlain)
    return digits;
  return emitError() << "the loops of '" << kindOf(member.op)
                     << "' do not say which elements of '" << buffer.name
                     << "' they touch"; // fused-C6
}

void Composer::noteReader(Member &reader, Value value, bool contracts) {
  if (contracts)
    contracted.insert(value);
  const Member &writer = members[writers.lookup(value).first];
  readers[value].insert(&reader - members.data());
  reader.isLate |= writer.isLate || isContraction(writer.workload);
}

FailureOr<LoopUnion::Digits> Composer::digitsOf(Value value, Member &reader,
                                                bool contracts) {
  if (auto writer = writers.find(value); writer != writers.end()) {
    auto [member, buffer] = writer->second;
    noteReader(reader, value, contracts);
    return digitsOf(members[member], members[member].workload.buffers[buffer]);
  }
  auto view =
      dyn_cast_if_present<TransparentOpInterface>(value.getDefiningOp());
  std::optional<ShownBox> shown = view ? view.getShownBox() : std::nullopt;
  if (!shown)
    return emitError() << "'" << kindOf(reader.op) << "' reads what '"
                       << value.getDefiningOp()->getName()
                       << "' makes of a value inside"; // fused-C6
  FailureOr<LoopUnion::Digits> source =
      digitsOf(shown->source, reader, contracts);
  if (failed(source))
    return failure();
  auto type = cast<RankedTensorType>(shown->source.getType());
  FailureOr<LoopUnion::Digits> digits =
      loops.cut(*source, type.getShape(), shown->ranges);
  if (failed(digits))
    return emitError() << "'" << kindOf(reader.op)
                       << "' reads a piece of a value inside that is not one "
                          "of equal pieces of " // fused-C6
                       << type;
  return digits;
}

LogicalResult Composer::joinOperand(Member &reader, Value operand) {
  bool isRead = false;
  for (const Buffer &buffer : reader.workload.buffers) {
    if (buffer.role != Buffer::Role::Read || buffer.value != operand)
      continue;
    isRead = true;
    FailureOr<LoopUnion::Digits> written =
        digitsOf(operand, reader, reader.workload.isContracted(buffer));
    if (failed(written))
      return failure();
    FailureOr<LoopUnion::Digits> read = digitsOf(reader, buffer);
    if (failed(read))
      return failure();
    if (failed(loops.unify(*written, *read)))
      return emitError() << "the loops of '" << kindOf(reader.op) << "' over '"
                         << buffer.name
                         << "' do not fit those that compute it"; // fused-C6
  }
  if (isRead)
    return success();
  return emitError() << "'" << kindOf(reader.op)
                     << "' depends on a value inside that none of its "
                        "buffers reads"; // fused-C6
}

LogicalResult Composer::joinLoops() {
  for (Member &member : members) {
    Operation *op = member.op;
    SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      if (isComputedIn(body, value) && failed(joinOperand(member, value)))
        return failure();
  }
  return success();
}

/// Checks fused-C6: an op that walks one loop of the whole with two of its own
/// would do only part of its work.
LogicalResult Composer::checkLoops() const {
  if (!loops.hasAllPieces()) // fused-C6
    return emitError() << "a piece of a value is read inside, others are not";
  for (const Member &member : members) {
    LoopUnion::Digits resolved = loops.resolve(member.loops);
    llvm::sort(resolved);
    if (std::adjacent_find(resolved.begin(), resolved.end()) != resolved.end())
      return emitError() << "two loops of '" << kindOf(member.op)
                         << "' would be one";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The contraction
//===----------------------------------------------------------------------===//

const Member *Composer::contraction() const {
  const Member *found = nullptr;
  for (const Member &member : members)
    if (isContraction(member.workload))
      found = &member;
  return found;
}

/// Checks the contraction. Its accumulators are a box of its result, and ops on
/// them must work on any such box.
LogicalResult Composer::checkContraction() const {
  const Member *product = contraction();
  if (llvm::count_if(members, [](const Member &member) {
        return isContraction(member.workload);
      }) > 1) // fused-C7
    return emitError() << "one kernel has one contraction, this one has "
                          "several";
  for (unsigned i = 0; product && i < product->loops.size(); ++i) {
    const Loop &loop = product->workload.loops[i];
    if (loop.kind != IteratorType::parallel)
      continue;
    LoopUnion::Digits digits = loops.resolve(product->loops[i]);
    bool canBeCut = false;
    for (unsigned digit : digits) {
      const Loop &joined = whole.loops[numberOf.lookup(digit)];
      if (joined.kind != IteratorType::parallel) // fused-C8
        return emitError() << "an op reduces over loop '" << loop.name
                           << "' of '" << kindOf(product->op)
                           << "', of which a tile has only some";
      canBeCut |= joined.isTileable() && joined.extent > 1;
    }
    if (loop.isTileable() && loop.extent > 1 && !canBeCut) // fused-C8
      return emitError() << "loop '" << loop.name << "' of '"
                         << kindOf(product->op) << "' could no longer be cut";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

void Composer::numberLoops() {
  for (const Member &member : members) {
    ComposedPart part{member.op, member.workload, {}, {}};
    for (unsigned loop : member.loops) {
      auto &digits = part.digits.emplace_back();
      for (unsigned digit : loops.resolve(loop)) {
        auto [known, isNew] =
            numberOf.try_emplace(digit, unsigned(whole.loops.size()));
        if (isNew)
          whole.loops.push_back({"", IteratorType::parallel,
                                 loops.extentOf(digit),
                                 loops.isWhole(digit) ? Loop::Tiles::Whole
                                                      : Loop::Tiles::AnyOrder});
        digits.push_back(known->second);
      }
    }
    composition->parts.push_back(std::move(part));
  }
  whole.maskedLoops.resize(whole.loops.size());
  for (const ComposedPart &part : composition->parts)
    inheritFlags(part);
}

void Composer::inheritFlags(const ComposedPart &part) {
  const llvm::SmallBitVector &masked = part.workload.maskedLoops;
  for (auto [index, loop] : llvm::enumerate(part.workload.loops)) {
    bool isMasked = !masked.empty() && masked[index], isInner = false;
    for (unsigned digit : part.digits[index]) {
      Loop &joined = whole.loops[digit];
      if (loop.kind == IteratorType::reduction)
        joined.kind = IteratorType::reduction;
      // A mask counts within an interval of the op's own loop.
      if (!loop.isTileable() || (isMasked && isInner))
        joined.tiles = Loop::Tiles::Whole;
      whole.maskedLoops[digit] = whole.maskedLoops[digit] || isMasked;
      isInner |= joined.extent > 1;
    }
  }
}

/// Names loops. The contraction's loops keep their names, which a reader of a
/// tile looks for.
void Composer::nameLoops() {
  SmallVector<unsigned> order;
  for (unsigned part = 0; part < members.size(); ++part)
    if (isContraction(members[part].workload))
      order.insert(order.begin(), part);
    else
      order.push_back(part);
  llvm::StringSet<> taken;
  for (unsigned part : order)
    for (auto [index, loop] : llvm::enumerate(members[part].workload.loops)) {
      ArrayRef<unsigned> digits = composition->parts[part].digits[index];
      if (digits.size() != 1 || !whole.loops[digits.front()].name.empty())
        continue;
      std::string name = loop.name;
      if (!taken.insert(name).second)
        name = members[part].prefix + "." + name;
      taken.insert(name);
      whole.loops[digits.front()].name = name;
    }
  // These are pieces of loops that no op walks alone.
  for (unsigned part : order)
    for (auto [index, loop] : llvm::enumerate(members[part].workload.loops))
      for (auto [place, digit] :
           llvm::enumerate(composition->parts[part].digits[index]))
        if (whole.loops[digit].name.empty())
          whole.loops[digit].name = members[part].prefix + "." + loop.name +
                                    "." + std::to_string(place);
}

AffineMap Composer::mapOf(const ComposedPart &part, AffineMap map) const {
  MLIRContext *context = map.getContext();
  auto dim = [&](unsigned loop) { return getAffineDimExpr(loop, context); };
  SmallVector<AffineExpr> loopExprs, indices;
  for (ArrayRef<unsigned> digits : part.digits) {
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (unsigned digit : digits)
      sum = sum * whole.loops[digit].extent + dim(digit);
    loopExprs.push_back(sum);
  }
  for (AffineExpr index : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    ArrayRef<unsigned> digits;
    if (loop)
      digits = part.digits[loop.getPosition()];
    // If a loop is in pieces, each indexes a dimension of its own, so that a
    // box of pieces has as many elements as points.
    if (digits.size() > 1)
      for (unsigned digit : digits)
        indices.push_back(dim(digit));
    else
      indices.push_back(index.replaceDims(loopExprs));
  }
  return AffineMap::get(whole.loops.size(), 0, indices, context);
}

std::optional<Buffer> Composer::makeBuffer(unsigned part,
                                           const Buffer &buffer) const {
  using Role = Buffer::Role;
  Operation *op = members[part].op;
  bool isRead = buffer.role == Role::Read;
  if (isRead && isComputedIn(body, buffer.value))
    return std::nullopt; // the op that computes it has a buffer for it
  Buffer made = buffer;
  made.name = members[part].prefix + "." + buffer.name;
  made.map = mapOf(composition->parts[part], buffer.map);
  if (isRead) {
    made.isContracted = members[part].workload.isContracted(buffer);
    made.isLate = members[part].isLate;
  }
  if (buffer.role != Role::Write || buffer.value.getDefiningOp() != op)
    return made;
  bool isYielded = false, isUsedInside = false;
  for (OpOperand &use : buffer.value.getUses()) {
    if (use.getOwner() != body.getTerminator()) {
      isUsedInside = true;
    } else if (!isYielded) {
      isYielded = true;
      made.value = results[use.getOperandNumber()];
    }
  }
  made.isKept = isUsedInside;
  made.isContracted = contracted.contains(buffer.value);
  if (isUsedInside && !isYielded)
    made.role = Role::Temporary;
  return made;
}

void Composer::addBuffers(unsigned part) {
  auto &places = composition->parts[part].buffers;
  for (auto [index, buffer] : llvm::enumerate(members[part].workload.buffers)) {
    std::optional<unsigned> &place = places.emplace_back();
    std::optional<Buffer> made = makeBuffer(part, buffer);
    if (!made)
      continue;
    // An operand of two ops is fetched once if both need the same part of it.
    auto known = llvm::find_if(whole.buffers, [&](const Buffer &other) {
      return made->role == Buffer::Role::Read && other.role == made->role &&
             other.value == made->value && other.map == made->map &&
             other.slices == made->slices &&
             other.isGathered == made->isGathered &&
             other.selectedBy == made->selectedBy;
    });
    if (known != whole.buffers.end()) {
      known->isContracted = *known->isContracted || *made->isContracted;
      place = std::distance(whole.buffers.begin(), known);
      continue;
    }
    place = whole.buffers.size();
    whole.buffers.push_back(std::move(*made));
    composition->buffers.push_back({part, unsigned(index)});
  }
}

static bool hasRoomFor(Type type, Type other) {
  return type == other ||
         (type.isIntOrFloat() && other.isIntOrFloat() &&
          type.getIntOrFloatBitWidth() >= other.getIntOrFloatBitWidth());
}

/// Finds values that only one op reads, which writes a box of the same
/// elements. That op's result replaces such a value in its place.
void Composer::placeTemporaries() {
  llvm::SmallBitVector isTaken(whole.buffers.size());
  for (auto [index, buffer] : llvm::enumerate(whole.buffers)) {
    auto found = readers.find(buffer.value);
    if (buffer.role != Buffer::Role::Temporary || !buffer.isKept ||
        found == readers.end() || found->second.size() != 1)
      continue;
    for (unsigned other = 0; other < whole.buffers.size(); ++other) {
      const Buffer &written = whole.buffers[other];
      if (composition->buffers[other].first != found->second.front() ||
          written.role == Buffer::Role::Read || isTaken[other] ||
          written.map != buffer.map ||
          !hasRoomFor(written.elementType, buffer.elementType))
        continue;
      isTaken.set(other);
      buffer.isInPlace = true;
      break;
    }
  }
}

void Composer::addStages(unsigned part) {
  for (auto [index, stage] : llvm::enumerate(members[part].workload.stages)) {
    Stage made = stage;
    made.name = members[part].prefix + "." + stage.name;
    made.loops.clear();
    made.loops.resize(whole.loops.size());
    for (unsigned loop : stage.loops.set_bits())
      for (unsigned digit : composition->parts[part].digits[loop])
        made.loops.set(digit);
    whole.stages.push_back(std::move(made));
    composition->stages.push_back({part, unsigned(index)});
  }
}

FailureOr<Workload> Composer::run() {
  if (failed(addMembers()) || failed(joinLoops()) || failed(checkLoops()))
    return failure();
  numberLoops();
  nameLoops();
  if (failed(checkContraction()))
    return failure();
  for (unsigned part = 0; part < members.size(); ++part) {
    addBuffers(part);
    addStages(part);
  }
  placeTemporaries();
  for (const Loop &loop : whole.loops)
    composition->extents.push_back(loop.extent);
  whole.composition = std::move(composition);
  return std::move(whole);
}

FailureOr<Workload> mlir::llm::composeWorkload(Block &body, ValueRange results,
                                               EmitError emitError) {
  return Composer(body, results, emitError).run();
}
