//===- CompressedOps.cpp - Windows of tokens become entries ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"
#include "Windows.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;
using Role = Buffer::Role;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// compress-C1, compress-C2: values, gates and what is added to these.
static LogicalResult verifyTokens(std::optional<Location> loc,
                                  CompressOp::Adaptor adaptor) {
  StringRef name = CompressOp::getOperationName();
  RankedTensorType values = tensorType(adaptor.getValues()),
                   gates = tensorType(adaptor.getGates()),
                   bias = tensorType(adaptor.getBias());
  if (!llvm::all_of_zip(values.getShape(), gates.getShape(), agree))
    return fail(loc, name, "values ", values, " and gates ", gates,
                " must have one shape"); // compress-C1
  int64_t window = bias.getDimSize(0);
  if (ShapedType::isDynamic(window) || window < 2 ||
      !agree(bias.getDimSize(1), values.getDimSize(2))) // compress-C2
    return fail(loc, name, "bias ", bias,
                " must have a row for each token of a window, two or more, and "
                "the channels of ",
                values);
  return success();
}

/// compress-C3: of the last tokens of one window, or of two.
static LogicalResult verifyState(std::optional<Location> loc,
                                 CompressOp::Adaptor adaptor) {
  StringRef name = CompressOp::getOperationName();
  RankedTensorType values = tensorType(adaptor.getValues());
  int64_t window = tensorType(adaptor.getBias()).getDimSize(0),
          channels = values.getDimSize(2);
  auto state = cast<StateType>(adaptor.getState().getType());
  ArrayRef<int64_t> shape = state.getShape();
  if (agree(state.getBatch(), values.getDimSize(0)) && shape.size() == 3 &&
      shape[0] == 2 && agree(shape[2], channels) &&
      (shape[1] == window || (shape[1] == 2 * window && shape[2] % 2 == 0)))
    return success();
  return fail(loc, name, "state ", state, " must have the batch of ", values,
              ", and 2 (values and gates) x ", window, " or ", 2 * window,
              " rows (then with two halves of channels) x the channels");
}

/// compress-C4, compress-C5: the windows that are closed.
static FailureOr<int64_t> countWindows(std::optional<Location> loc,
                                       CompressOp::Adaptor adaptor) {
  StringRef name = CompressOp::getOperationName();
  RankedTensorType values = tensorType(adaptor.getValues());
  int64_t tokens = values.getDimSize(1);
  if (failed(verifyPositions(loc, name, adaptor.getBegin(), ValueRange(),
                             values.getDimSize(0)))) // compress-C4
    return failure();
  if (ShapedType::isDynamic(tokens)) // compress-C4
    return fail(loc, name,
                "needs a number of tokens that is known: it says how many "
                "windows are closed");
  std::optional<int64_t> count;
  int64_t window = tensorType(adaptor.getBias()).getDimSize(0);
  for (int64_t begin : adaptor.getBegin()) {
    if (begin > maxCount - tokens) // compress-C4
      return fail(loc, name, "the position of the last token must be below ",
                  "2^61");
    int64_t closed = Windows{window, 1, begin}.countClosed({0, tokens});
    if (count && *count != closed) // compress-C5
      return fail(loc, name, "some sequences close ", *count,
                  " windows and others ", closed,
                  ": make an op of each kind of sequences");
    count = closed;
  }
  return *count;
}

LogicalResult CompressOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getValues(), 3},
                          {adaptor.getGates(), 3},
                          {adaptor.getBias(), 2}})) ||
      failed(verifyTokens(loc, adaptor)) || failed(verifyState(loc, adaptor)))
    return failure();
  FailureOr<int64_t> windows = countWindows(loc, adaptor);
  if (failed(windows))
    return failure();
  RankedTensorType values = tensorType(adaptor.getValues());
  auto state = cast<StateType>(adaptor.getState().getType());
  SmallVector<int64_t> shape(state.getShape());
  int64_t halves = shape[1] / tensorType(adaptor.getBias()).getDimSize(0);
  if (*windows > 0)
    resultTypes.push_back(RankedTensorType::get(
        {values.getDimSize(0), *windows, shape[2] / halves},
        values.getElementType()));
  if (adaptor.getEveryStep())
    shape[1] += values.getDimSize(1) - 1;
  resultTypes.push_back(StateType::get(state.getContext(), state.getBatch(),
                                       shape, state.getElementType()));
  return success();
}

Value CompressOp::getOldState() { return getState(); }

Value CompressOp::getNewState() { return getNext(); }

//===----------------------------------------------------------------------===//
// Workload
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

static Windows windowsOf(CompressOp op, int64_t sequence) {
  int64_t size = shapeOf(op.getBias())[0];
  return {size, op.getState().getType().getShape()[1] / size,
          numberOf(op.getBegin(), sequence)};
}

namespace {
/// Makes the loops and buffers.
struct CompressWorkload {
  CompressOp op;
  Workload workload;

  AffineExpr loop(StringRef name) {
    return getAffineDimExpr(*workload.findLoop(name), op.getContext());
  }
  void addLoops() {
    ArrayRef<int64_t> values = shapeOf(op.getValues());
    Windows windows = windowsOf(op, 0);
    constexpr Loop::Tiles whole = Loop::Tiles::Whole;
    workload.loops = {{"b", IteratorType::parallel, values[0]},
                      {"s", IteratorType::parallel, values[1]},
                      {"g", IteratorType::reduction, windows.halves, whole},
                      {"d", IteratorType::parallel, values[2] / windows.halves},
                      {"j", IteratorType::reduction, windows.size, whole}};
    workload.maskedLoops.resize(workload.loops.size());
    workload.maskedLoops.set(1);
    workload.maskedLoops[0] = op.getBegin().size() > 1;
  }
  void addBuffer(Role role, StringRef name, Value value, Type element,
                 ArrayRef<AffineExpr> indices) {
    workload.buffers.push_back(
        {role, name.str(), value,
         AffineMap::get(workload.loops.size(), 0, indices, op.getContext()),
         element});
  }
  void addBuffers() {
    AffineExpr b = loop("b"), s = loop("s"), d = loop("d"), j = loop("j");
    AffineExpr channel = loop("g") * workload.loops[3].extent + d;
    AffineExpr zero = getAffineConstantExpr(0, op.getContext());
    for (auto [name, value] :
         {std::pair<StringRef, Value>{"values", op.getValues()},
          {"gates", op.getGates()}})
      addBuffer(Role::Read, name, value, tensorType(value).getElementType(),
                {b, s, channel});
    Type stored = op.getState().getType().getElementType();
    if (op.getOut()) {
      addBuffer(Role::Read, "bias", op.getBias(),
                tensorType(op.getBias()).getElementType(), {j, channel});
      addBuffer(Role::Read, "state", op.getState(), stored,
                {b, zero, s, channel});
      addBuffer(Role::Write, "out", op.getOut(),
                tensorType(op.getOut()).getElementType(), {b, s, d});
    }
    addBuffer(Role::Write, "next", op.getNext(), stored, {b, zero, s, channel});
  }
};
} // namespace

FailureOr<Workload> CompressOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  CompressWorkload make{*this, {}};
  make.addLoops();
  make.addBuffers();
  constexpr EngineKind vector = EngineKind::Vector;
  Workload &workload = make.workload;
  if (!getOut()) {
    workload.addStage("keep", vector, {"b", "s", "g", "d"}, {});
    return workload;
  }
  workload.addStage("pool", vector, {"b", "s", "g", "d", "j"},
                    {{WorkKind::Mac, 1},
                     {WorkKind::Alu, 3},
                     {WorkKind::Special, 1},
                     {WorkKind::Compare, 1}});
  workload.addStage("normalize", vector, {"b", "s", "d"},
                    {{WorkKind::Alu, 1}, {WorkKind::Special, 1}});
  return workload;
}

/// The sum of what the sequences of the box count.
static Count addSequences(CompressOp op, Box box,
                          llvm::function_ref<Count(const Windows &)> ofOne) {
  if (op.getBegin().size() == 1)
    return times(ofOne(windowsOf(op, 0)), box[0].size());
  Count sum = int64_t(0);
  for (int64_t sequence = box[0].begin; sequence < box[0].end; ++sequence)
    sum = plus(sum, ofOne(windowsOf(op, sequence)));
  return sum;
}

/// Entries of the box, with as many elements for each.
static Count countEntries(CompressOp op, Box box, int64_t each) {
  return addSequences(op, box, [&](const Windows &windows) {
    return times(windows.countClosed(box[1]), each);
  });
}

Count CompressOp::countPoints(const Workload &workload, unsigned stage,
                              Box box) {
  if (!getOut())
    return countPointsOfProduct(workload, stage, box);
  int64_t each = 1;
  const llvm::SmallBitVector &loops = workload.stages[stage].loops;
  for (unsigned loop : {2, 3, 4})
    if (loops[loop])
      each *= box[loop].size();
  return countEntries(*this, box, each);
}

/// Rows of the new tokens that the state behind the last one still has, of
/// values and of gates.
static int64_t countKeptRows(CompressOp op, Interval tokens) {
  int64_t rows = op.getState().getType().getShape()[1],
          all = shapeOf(op.getValues())[1];
  int64_t first = op.getEveryStep() ? 0 : std::max<int64_t>(0, all - rows);
  return std::max<int64_t>(0, tokens.end - std::max(first, tokens.begin));
}

Count CompressOp::countElements(const Workload &workload, unsigned buffer,
                                Box box) {
  StringRef name = workload.buffers[buffer].name;
  int64_t features = box[3].size(), channels = box[2].size() * features;
  constexpr int64_t arrays = 2; // values and gates
  if (name == "next")
    return times(times(countKeptRows(*this, box[1]), arrays * channels),
                 box[0].size());
  if (name == "out")
    return countEntries(*this, box, features);
  if (name == "state")
    return addSequences(*this, box, [&](const Windows &windows) {
      return times(windows.countEarlierRows(windows.closedBy(box[1])),
                   arrays * features);
    });
  return countElementsOfProduct(workload, buffer, box);
}
