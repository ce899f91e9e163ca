//===- Workload.cpp - What an op does, as loops and buffers ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Workload/Workload.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Composition.h"
#include "llm/Workload/Counts.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

#include "llm/Workload/WorkloadInterfaces.cpp.inc"
#include "llm/Workload/WorkloadTypeInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Workload
//===----------------------------------------------------------------------===//

int64_t Collective::countAmong(int64_t neighbours) const {
  SmallVector<GroupAxis, 2> along = axes;
  if (along.empty())
    along.push_back({chips, (span - 1) / (chips - 1)});
  int64_t count = 1;
  for (auto [size, stride] : along)
    count *= std::min(size, llvm::divideCeilSigned(neighbours, stride));
  return count;
}

SmallVector<Interval, 6> Workload::fullBox() const {
  SmallVector<Interval, 6> box;
  for (const Loop &loop : loops)
    box.push_back({loop.begin, loop.begin + loop.extent});
  return box;
}

Workload Workload::within(Box box) const {
  Workload part = *this;
  for (auto [loop, interval] : llvm::zip_equal(part.loops, box)) {
    loop.begin = interval.begin;
    loop.extent = interval.size();
  }
  return part;
}

EngineKindSet Workload::engineKinds() const {
  EngineKindSet kinds;
  for (const Stage &stage : stages)
    kinds.insert(stage.engine);
  return kinds;
}

static bool hasMacs(const Stage &stage) {
  return llvm::any_of(stage.workPerPoint,
                      [](auto work) { return work.first == WorkKind::Mac; });
}

bool Workload::isContracted(const Buffer &buffer) const {
  if (buffer.isContracted)
    return *buffer.isContracted;
  if (buffer.role != Buffer::Role::Read)
    return false;
  llvm::SmallBitVector used = loopsOf(buffer);
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (used[loop] && loops[loop].kind == utils::IteratorType::reduction &&
        llvm::any_of(stages, [&](const Stage &stage) {
          return hasMacs(stage) && stage.loops[loop];
        }))
      return true;
  return false;
}

Type Workload::macElementType() const {
  // A kernel has no buffer for an operand that is computed inside of it, so the
  // ops are asked.
  if (composition) {
    Type type;
    for (const ComposedPart &part : composition->parts)
      type = type ? type : part.workload.macElementType();
    return type;
  }
  Type widest;
  for (const Buffer &buffer : buffers) {
    Type type = valueTypeOf(buffer.elementType);
    if (isContracted(buffer) && type.isIntOrFloat() &&
        (!widest ||
         type.getIntOrFloatBitWidth() > widest.getIntOrFloatBitWidth()))
      widest = type;
  }
  return widest;
}

std::optional<unsigned> Workload::findLoop(StringRef name) const {
  for (auto [index, loop] : llvm::enumerate(loops))
    if (loop.name == name)
      return index;
  return std::nullopt;
}

static void addLoopsOf(AffineExpr index, llvm::SmallBitVector &used) {
  if (auto loop = dyn_cast<AffineDimExpr>(index))
    return void(used.set(loop.getPosition()));
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return;
  addLoopsOf(binary.getLHS(), used);
  addLoopsOf(binary.getRHS(), used);
}

// Every way to cut an op asks for this, so it is one walk, and not one for each
// loop.
llvm::SmallBitVector Workload::loopsOf(const Buffer &buffer) const {
  llvm::SmallBitVector used(loops.size());
  for (AffineExpr index : buffer.map.getResults())
    addLoopsOf(index, used);
  return used;
}

/// Whether the stage reads the buffer. In a kernel of several ops, only the
/// stages of its own op do.
static bool readsBuffer(const Workload &workload, unsigned stage,
                        unsigned buffer) {
  const Composition *composition = workload.composition.get();
  return !composition ||
         composition->stages[stage].first == composition->buffers[buffer].first;
}

int64_t Workload::countSweeps(unsigned buffer) const {
  llvm::SmallBitVector loops = loopsOf(buffers[buffer]);
  // One copy of a small operand (weights, angles) serves all rows.
  if (buffers[buffer].role != Buffer::Role::Read || !loops.all())
    return 1;
  int64_t sweeps = 0;
  for (auto [index, stage] : llvm::enumerate(stages)) {
    llvm::SmallBitVector missed = loops;
    missed.reset(stage.loops);
    sweeps += readsBuffer(*this, index, buffer) && missed.none();
  }
  return std::max<int64_t>(1, sweeps);
}

Stage &Workload::addStage(StringRef name, EngineKind engine,
                          ArrayRef<StringRef> loopNames,
                          ArrayRef<std::pair<WorkKind, int64_t>> workPerPoint) {
  Stage stage;
  stage.name = name.str();
  stage.engine = engine;
  stage.loops.resize(loops.size());
  for (StringRef loop : loopNames)
    stage.loops.set(*findLoop(loop));
  stage.workPerPoint.assign(workPerPoint.begin(), workPerPoint.end());
  stages.push_back(std::move(stage));
  return stages.back();
}

Buffer &Workload::addBuffer(Buffer::Role role, StringRef name, Value value,
                            Type elementType, ArrayRef<StringRef> loopNames) {
  MLIRContext *context = value.getContext();
  SmallVector<AffineExpr> indices;
  for (StringRef loop : loopNames)
    indices.push_back(getAffineDimExpr(*findLoop(loop), context));
  buffers.push_back({role, name.str(), value,
                     AffineMap::get(loops.size(), 0, indices, context),
                     elementType});
  return buffers.back();
}

Buffer &Workload::addBuffer(Buffer::Role role, StringRef name, Value tensor,
                            ArrayRef<StringRef> loopNames) {
  return addBuffer(role, name, tensor,
                   cast<RankedTensorType>(tensor.getType()).getElementType(),
                   loopNames);
}

FailureOr<Workload> mlir::llm::elementwiseWorkload(
    Operation *op, EmitError emitError,
    ArrayRef<std::pair<StringRef, Value>> inputs, Value out,
    ArrayRef<std::pair<WorkKind, int64_t>> workPerElement) {
  static constexpr StringLiteral dims[] = {"d0", "d1", "d2", "d3",
                                           "d4", "d5", "d6", "d7"};
  if (failed(requireStaticShapes(op, emitError)))
    return failure();
  auto type = dyn_cast<RankedTensorType>(out.getType());
  if (!type)
    return emitError() << "takes time on ranked tensors only, got "
                       << out.getType();
  if (type.getRank() > 8)
    return emitError() << "has rank " << type.getRank()
                       << "; at most 8 is supported";
  Workload workload;
  SmallVector<StringRef> loops(std::begin(dims),
                               std::begin(dims) + type.getRank());
  for (auto [name, size] : llvm::zip(loops, type.getShape()))
    workload.loops.push_back({name.str(), utils::IteratorType::parallel, size});
  for (auto [name, value] : inputs)
    workload.addBuffer(Buffer::Role::Read, name, value, loops);
  workload.addBuffer(Buffer::Role::Write, "out", out, loops);
  workload.addStage("map", EngineKind::Vector, loops, workPerElement);
  return workload;
}

LogicalResult mlir::llm::requireStaticShapes(Operation *op,
                                             EmitError emitError) {
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (tensor && !tensor.hasStaticShape())
      return emitError()
             << "needs static shapes to count its work, got " << tensor
             << "; sizes that are open are bound by llm-bind-shapes";
    if (tensor && llvm::is_contained(tensor.getShape(), 0))
      return emitError() << "an empty tensor has no work: " << tensor;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

Count mlir::llm::countPointsOfProduct(const Workload &workload, unsigned stage,
                                      Box box) {
  Count points = int64_t(1);
  for (unsigned loop : workload.stages[stage].loops.set_bits())
    points = times(points, box[loop].size());
  return points;
}

/// The least and greatest value that `expr` takes over `box`. Expressions of
/// maps are sums of loop indices with non-negative factors, so corners suffice.
static std::optional<Interval> rangeOf(AffineExpr expr, Box box) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Interval{box[dim.getPosition()].begin,
                    box[dim.getPosition()].end - 1};
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Interval{constant.getValue(), constant.getValue()};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto lhs = rangeOf(binary.getLHS(), box), rhs = rangeOf(binary.getRHS(), box);
  if (!lhs || !rhs)
    return std::nullopt;
  auto combine =
      binary.getKind() == AffineExprKind::Add ? checkedAdd : checkedMul;
  if (binary.getKind() != AffineExprKind::Add &&
      binary.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto least = combine(lhs->begin, rhs->begin);
  auto greatest = combine(lhs->end, rhs->end);
  if (!least || !greatest)
    return std::nullopt;
  return Interval{*least, *greatest};
}

Count mlir::llm::countElementsOfProduct(const Workload &workload,
                                        unsigned buffer, Box box) {
  // An empty box touches nothing, whatever the map.
  llvm::SmallBitVector used = workload.loopsOf(workload.buffers[buffer]);
  for (unsigned loop : used.set_bits())
    if (box[loop].size() == 0)
      return int64_t(0);
  Count elements = int64_t(1);
  for (AffineExpr index : workload.buffers[buffer].map.getResults()) {
    std::optional<Interval> range = rangeOf(index, box);
    if (!range)
      return failure();
    elements = times(elements, range->end - range->begin + 1);
  }
  return elements;
}

bool mlir::llm::hidesNothing(WorkloadOpInterface op, const Workload &workload) {
  if (workload.maskedLoops.none())
    return true;
  SmallVector<Interval, 6> box = workload.fullBox();
  auto areEqual = [](Count a, Count b) {
    return succeeded(a) && succeeded(b) && *a == *b;
  };
  for (unsigned stage = 0; stage < workload.stages.size(); ++stage)
    if (!areEqual(op.countPoints(workload, stage, box),
                  countPointsOfProduct(workload, stage, box)))
      return false;
  for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
    if (!areEqual(op.countElements(workload, buffer, box),
                  countElementsOfProduct(workload, buffer, box)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

Count mlir::llm::storageBytes(Type elementType, ArrayRef<int64_t> shape) {
  if (auto storage = dyn_cast<StorageBytesTypeInterface>(elementType))
    return storage.getStorageBytes(shape);
  if (!elementType.isIntOrFloat())
    return failure();
  Count bits = int64_t(elementType.getIntOrFloatBitWidth());
  for (int64_t size : shape)
    bits = times(bits, size);
  if (failed(bits))
    return failure();
  return llvm::divideCeil(*bits, 8);
}

Count mlir::llm::storageBytes(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.hasStaticShape())
      return failure();
    return storageBytes(tensor.getElementType(), tensor.getShape());
  }
  if (auto storage = dyn_cast<StorageBytesTypeInterface>(type))
    return storage.getStorageBytes({});
  return failure();
}

/// Returns ceil(a * b / c). Fails if it does not fit into 64 bits.
static Count scaleUp(int64_t a, int64_t b, int64_t c) {
  __extension__ using Wide = __int128;
  Wide product = Wide(a) * b;
  Wide quotient = product / c + (product % c != 0);
  return quotient <= maxCount ? Count(static_cast<int64_t>(quotient))
                              : Count(failure());
}

Count mlir::llm::storageBytes(const Buffer &buffer, int64_t elements) {
  auto tensor = dyn_cast<RankedTensorType>(buffer.value.getType());
  bool hasScales = isa<StorageBytesTypeInterface>(buffer.elementType);
  if (!hasScales || !tensor)
    return storageBytes(buffer.elementType, ArrayRef<int64_t>(elements));
  Count whole = storageBytes(buffer.elementType, tensor.getShape());
  return succeeded(whole) ? scaleUp(*whole, elements, tensor.getNumElements())
                          : whole;
}

Count mlir::llm::storageBytesOf(ValueRange values) {
  Count bytes = int64_t(0);
  for (Value value : values)
    bytes = plus(bytes, storageBytes(value.getType()));
  return bytes;
}

Type mlir::llm::valueTypeOf(Type elementType) {
  auto storage = dyn_cast<StorageBytesTypeInterface>(elementType);
  Type valueType = storage ? storage.getValueType() : Type();
  return valueType ? valueType : elementType;
}
