//===- RecurrentWorkloads.cpp - What layers with a state do ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ActivationWork.h"
#include "OpChecks.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;
using Role = Buffer::Role;

static ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

//===----------------------------------------------------------------------===//
// conv1d
//===----------------------------------------------------------------------===//

FailureOr<Workload> Conv1dOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> x = shapeOf(getX());
  Workload workload;
  workload.loops = {{"b", IteratorType::parallel, x[0]},
                    {"s", IteratorType::parallel, x[1]},
                    {"c", IteratorType::parallel, x[2]},
                    {"i", IteratorType::reduction, shapeOf(getWeight())[1],
                     Loop::Tiles::Whole}};
  workload.addBuffer(Role::Read, "x", getX(), {"b", "s", "c"});
  workload.addBuffer(Role::Read, "weight", getWeight(), {"c", "i"});
  if (getBias())
    workload.addBuffer(Role::Read, "bias", getBias(), {"c"});
  Type stored = getState().getType().getElementType();
  workload.addBuffer(getEveryStep() ? Role::Read : Role::State, "state",
                     getState(), stored, {"b", "i", "c"});
  if (getEveryStep())
    workload.addBuffer(Role::Write, "states", getNext(), stored,
                       {"b", "s", "c"});
  workload.addBuffer(Role::Write, "out", getOut(), {"b", "s", "c"});
  workload.addStage("taps", EngineKind::Vector, {"b", "s", "c", "i"},
                    {{WorkKind::Mac, 1}});
  if (getActivation())
    workload.addStage("activation", EngineKind::Vector, {"b", "s", "c"},
                      workOf(*getActivation()));
  return workload;
}

/// Counts elements. The state has one input less than there are taps. The
/// states of every step have as many more as there are tokens, less one. These
/// do not count for each tile of tokens.
Count Conv1dOp::countElements(const Workload &workload, unsigned buffer,
                              Box box) {
  Count elements = countElementsOfProduct(workload, buffer, box);
  if (failed(elements) || workload.buffers[buffer].name != "state")
    return elements;
  int64_t taps = shapeOf(getWeight())[1];
  return *elements / taps * (taps - 1);
}

//===----------------------------------------------------------------------===//
// linear_attn
//===----------------------------------------------------------------------===//

namespace {
/// The loops over the tokens of a sequence, which follow each other one by one,
/// or in chunks.
struct TokenLoops {
  explicit TokenLoops(LinearAttnOp op)
      : tokens(shapeOf(op.getQuery())[1]), isChunked(op.getChunk().has_value()),
        chunk(std::min<int64_t>(op.getChunk().value_or(1), tokens)) {}

  int64_t countChunks() const { return llvm::divideCeil(tokens, chunk); }

  int64_t tokens;
  bool isChunked;
  int64_t chunk; ///< tokens that are computed at once
};

/// Makes the workload of either form.
class LinearAttention {
public:
  explicit LinearAttention(LinearAttnOp op)
      : op(op), loops(op),
        group(shapeOf(op.getValues())[2] / shapeOf(op.getQuery())[2]) {}

  Workload build();

private:
  using Work = std::pair<WorkKind, int64_t>;

  void addLoops();
  void addBuffers();
  void addBuffer(Role role, StringRef name, Value value,
                 ArrayRef<StringRef> indices);
  void addStage(StringRef name, EngineKind engine, StringRef stageLoops,
                ArrayRef<Work> work);
  void addStepStages();
  void addChunkStages();
  bool isDelta() { return op.getRule() == LinearRule::Delta; }
  /// The loops that count tokens, as letters.
  StringRef tokens() const { return loops.isChunked ? "ci" : "s"; }

  LinearAttnOp op;
  TokenLoops loops;
  int64_t group; ///< heads for each key head
  Workload workload;
};
} // namespace

Workload LinearAttention::build() {
  addLoops();
  addBuffers();
  if (op.getQkNorm()) {
    std::string rows = ("b" + tokens() + "h").str();
    addStage("qk_norm", EngineKind::Vector, rows + "k", {{WorkKind::Alu, 6}});
    addStage("qk_root", EngineKind::Vector, rows, {{WorkKind::Special, 2}});
  }
  if (loops.isChunked)
    addChunkStages();
  else
    addStepStages();
  if (op.getSkip())
    addStage("skip", EngineKind::Vector, ("b" + tokens() + "hgv").str(),
             {{WorkKind::Alu, 1}});
  return std::move(workload);
}

void LinearAttention::addLoops() {
  ArrayRef<int64_t> q = shapeOf(op.getQuery());
  auto add = [&](StringRef name, int64_t extent, Loop::Tiles tiles,
                 IteratorType kind = IteratorType::parallel) {
    workload.loops.push_back({name.str(), kind, extent, tiles});
  };
  using Tiles = Loop::Tiles;
  Tiles features = loops.isChunked ? Tiles::Whole : Tiles::AnyOrder;
  add("b", q[0], Tiles::AnyOrder);
  // A head's state is carried from one token, or chunk, to the next.
  add(loops.isChunked ? "c" : "s", loops.countChunks(), Tiles::InOrder);
  add("h", q[2], Tiles::AnyOrder);
  add("g", group, Tiles::AnyOrder);
  if (loops.isChunked) {
    add("i", loops.chunk, Tiles::Whole);
    add("j", loops.chunk, Tiles::Whole, IteratorType::reduction);
  }
  add("k", q[3], Tiles::Whole, IteratorType::reduction);
  add("v", shapeOf(op.getValues())[3], features);
  workload.maskedLoops.resize(workload.loops.size());
  // The last chunk may not be full.
  workload.maskedLoops[1] = loops.isChunked && loops.tokens % loops.chunk != 0;
}

/// Adds a buffer. In `indices`, "s" is the token c * chunk + i, and "hg" is
/// head h * group + g.
void LinearAttention::addBuffer(Role role, StringRef name, Value value,
                                ArrayRef<StringRef> indices) {
  MLIRContext *context = op.getContext();
  auto dim = [&](StringRef loop) {
    return getAffineDimExpr(*workload.findLoop(loop), context);
  };
  SmallVector<AffineExpr> results;
  for (StringRef index : indices)
    results.push_back(index == "hg" ? dim("h") * group + dim("g")
                      : index == "s" && loops.isChunked
                          ? dim("c") * loops.chunk + dim("i")
                          : dim(index));
  auto state = dyn_cast<StateType>(value.getType());
  Type element =
      state ? state.getElementType() : tensorType(value).getElementType();
  workload.buffers.push_back(
      {role, name.str(), value,
       AffineMap::get(workload.loops.size(), 0, results, context), element});
}

void LinearAttention::addBuffers() {
  addBuffer(Role::Read, "query", op.getQuery(), {"b", "s", "h", "k"});
  addBuffer(Role::Read, "keys", op.getKeys(), {"b", "s", "h", "k"});
  addBuffer(Role::Read, "values", op.getValues(), {"b", "s", "hg", "v"});
  if (Value decay = op.getDecay()) {
    bool isOfChannels = tensorType(decay).getRank() == 4;
    SmallVector<StringRef> indices = {"b", "s", "hg"};
    if (isOfChannels)
      indices.push_back("k");
    addBuffer(Role::Read, "decay", decay, indices);
  }
  if (op.getBeta())
    addBuffer(Role::Read, "beta", op.getBeta(), {"b", "s", "hg"});
  for (auto [name, value] : {std::pair<StringRef, Value>{"rate", op.getRate()},
                             {"skip", op.getSkip()}})
    if (value)
      addBuffer(Role::Read, name, value, {"hg"});
  bool everyStep = op.getEveryStep();
  addBuffer(everyStep ? Role::Read : Role::State, "state", op.getState(),
            {"b", "hg", "k", "v"});
  if (everyStep)
    addBuffer(Role::Write, "states", op.getNext(), {"b", "s", "hg", "k", "v"});
  addBuffer(Role::Write, "out", op.getOut(), {"b", "s", "hg", "v"});
  if (loops.isChunked)
    workload.addBuffer(Role::Temporary, "scores", op.getOut(),
                       Float32Type::get(op.getContext()),
                       {"b", "h", "g", "c", "i", "j"});
}

/// Adds a stage over loops of one letter each.
void LinearAttention::addStage(StringRef name, EngineKind engine,
                               StringRef stageLoops, ArrayRef<Work> work) {
  SmallVector<StringRef> names;
  for (size_t i = 0; i < stageLoops.size(); ++i)
    names.push_back(stageLoops.substr(i, 1));
  workload.addStage(name, engine, names, work);
}

/// Returns the work that makes a factor of a number for the decay.
static SmallVector<std::pair<WorkKind, int64_t>, 4>
decayWorkOf(LinearAttnOp op) {
  if (op.getLimit())
    return {{WorkKind::Special, 3}, {WorkKind::Alu, 3}};
  return {{WorkKind::Special, 1}, {WorkKind::Alu, op.getRate() ? 1 : 0}};
}

void LinearAttention::addStepStages() {
  if (Value decay = op.getDecay()) {
    bool isOfChannels = tensorType(decay).getRank() == 4;
    addStage("decay", EngineKind::Vector, isOfChannels ? "bshgk" : "bshg",
             decayWorkOf(op));
  }
  SmallVector<Work> update = {{WorkKind::Mac, 3}};
  if (isDelta())
    update.push_back({WorkKind::Alu, 1});
  addStage("update", EngineKind::Vector, "bshgkv", update);
}

void LinearAttention::addChunkStages() {
  constexpr EngineKind matrix = EngineKind::Matrix, vector = EngineKind::Vector;
  Value decay = op.getDecay();
  bool isOfChannels = decay && tensorType(decay).getRank() == 4;
  if (isOfChannels) {
    // Queries and keys are scaled by the decays before and behind them.
    SmallVector<Work> work(decayWorkOf(op));
    work.push_back({WorkKind::Special, 2});
    addStage("decay", vector, "bhgcik", work);
  } else if (decay) {
    addStage("decay", vector, "bhgci", decayWorkOf(op));
  }
  // Scores of a key head serve all of its heads, unless something that differs
  // between these goes into them before they are complete.
  StringRef pairs = isDelta() || isOfChannels ? "bhgcijk" : "bhcijk";
  addStage("scores", matrix, pairs, {{WorkKind::Mac, isDelta() ? 3 : 1}});
  bool decaysScores = !isOfChannels && (decay || op.getRate());
  addStage("mask", vector, "bhgcij",
           {{WorkKind::Alu, decaysScores ? 2 : 1},
            {WorkKind::Special, decaysScores ? 1 : 0}});
  if (isDelta()) {
    int64_t chunk = loops.chunk;
    addStage(
        "inverse", matrix, "bhgc",
        {{WorkKind::Mac, int64_t(llvm::divideCeil(chunk * chunk * chunk, 6))}});
  }
  addStage("values", matrix, "bhgcijv", {{WorkKind::Mac, isDelta() ? 2 : 1}});
  addStage("states", matrix, "bhgcikv", {{WorkKind::Mac, isDelta() ? 3 : 2}});
  addStage("pass", vector, "bhgckv", {{WorkKind::Alu, 2}});
}

FailureOr<Workload> LinearAttnOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  constexpr int64_t longestChunk = 1 << 16;
  if (getChunk().value_or(1) > longestChunk) // linear_attn-C6
    return emitError() << "chunk is above " << longestChunk
                       << ": chunks of 64 to 256 are usual";
  return LinearAttention(*this).build();
}

/// Counts elements. The last chunk may have fewer tokens than those that take
/// its time.
Count LinearAttnOp::countElements(const Workload &workload, unsigned buffer,
                                  Box box) {
  Count elements = countElementsOfProduct(workload, buffer, box);
  TokenLoops loops(*this);
  std::optional<unsigned> chunks = workload.findLoop("c");
  if (!chunks || failed(elements) || *elements == 0 ||
      !workload.buffers[buffer].map.isFunctionOfDim(*chunks) ||
      workload.buffers[buffer].role == Role::Temporary)
    return elements;
  int64_t all = box[*chunks].size() * loops.chunk,
          behind = box[*chunks].end * loops.chunk,
          missing = std::max<int64_t>(0, behind - loops.tokens);
  return *elements / all * (all - missing);
}
