//===- DecoderBuilder.cpp - From a decoder in numbers to IR ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/DecoderBuilder.h"
#include "FurtherTokens.h"
#include "LayerBuilder.h"
#include "LayerRuns.h"
#include "llm/Support/IndexedNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::llm {

void loadDecoderDialects(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect, LlmDialect,
                       scf::SCFDialect, tensor::TensorDialect>();
}

namespace {
class DecoderBuilder {
public:
  DecoderBuilder(OpBuilder &builder, const ModelConfig &model,
                 ProgramAttr program, const ImportOptions &options,
                 bool isUnrolled)
      : ops(builder, model, program), options(options), isUnrolled(isUnrolled) {
  }

  /// Returns the hidden states after the layers.
  Value buildLayers(Value hidden);
  /// Returns the argument of the function, with names for sizes that are open.
  Value nameSizes(Value argument);
  Value embed(Value tokens, const Twine &prefix = "model.");
  /// Sets the tokens of layers that choose experts by them.
  void setTokens(Value tokens) { ops.tokens = tokens; }
  /// Returns the next token of each sequence, or the one after each new token.
  /// Further tokens come behind it.
  SmallVector<Value> buildHead(Value hidden);

private:
  Value buildRun(const LayerRun &run, bool isOnlyRun, Value hidden);
  Value buildLoop(const LayerRun &run, bool isOnlyRun, Value hidden);
  std::vector<LayerRun> findRuns() const;
  /// Returns the hidden states, and the selections that later layers share.
  SmallVector<Value> carriedBetweenLayers(Value hidden) const;
  /// Makes these the selections that later layers read.
  void setSelections(ValueRange values);
  bool sharesSelections() const {
    return llvm::any_of(ops.model.layers, [](const LayerConfig &layer) {
      return layer.attention.indexer.isShared;
    });
  }
  bool areNumbered() const {
    return ops.model.layerInputs.features ||
           llvm::any_of(ops.model.layers, [](const LayerConfig &layer) {
             return layer.attention.cacheLayer != 0;
           });
  }
  /// Returns the hidden states of the tokens that have logits: the last new one
  /// of each sequence, or all if drafts are verified.
  Value rowsWithLogits(Value hidden);
  /// Returns what is sampled of normed hidden states. `prefix` begins the names
  /// of ops.
  Value sample(Value normed, const Twine &prefix = "");

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(ops.builder, ops.loc, value);
  }

  OpsBuilder ops;
  const ImportOptions &options;
  bool isUnrolled; ///< no loops: each layer stands on its own
};
} // namespace

static constexpr llvm::StringLiteral embeddingName = "model.embed_tokens";

Value DecoderBuilder::embed(Value tokens, const Twine &prefix) {
  setTokens(tokens);
  Value table = ops.modelWeight((embeddingName + ".weight").str(),
                                {ops.model.vocabulary, ops.model.hidden});
  Value embedded = ops.create<EmbeddingOp>(prefix + "embed_tokens", tokens,
                                           table, ops.outTypeFor(table));
  if (ops.model.streams.count)
    return copyToStreams(ops, embedded);
  return ops.scaled(prefix + "embed_scale", embedded, ops.model.embeddingScale);
}

/// Builds a loop over layers. The layers of one period are its body.
Value DecoderBuilder::buildLoop(const LayerRun &run, bool isOnlyRun,
                                Value hidden) {
  OpBuilder &builder = ops.builder;
  OpBuilder::InsertionGuard guard(builder);
  Value first = index(run.first),
        end = index(run.first + run.period * run.repeats),
        step = index(run.period);
  SmallVector<Value> carried = carriedBetweenLayers(hidden);
  auto loop = scf::ForOp::create(builder, ops.loc, first, end, step, carried);
  builder.setInsertionPointToStart(loop.getBody());
  Value next = loop.getRegionIterArg(0);
  setSelections(loop.getRegionIterArgs().drop_front());
  for (int64_t i = 0; i < run.period; ++i) {
    Value layer = loop.getInductionVar();
    if (i > 0)
      layer = arith::AddIOp::create(builder, ops.loc, layer, index(i));
    std::string place =
        isOnlyRun && run.period == 1
            ? "{}"
            : makeIndexPlace({run.first + i, run.period, run.repeats});
    next = buildLayer(ops, ops.model.layers[run.first + i], options,
                      {place, layer}, next);
  }
  scf::YieldOp::create(builder, ops.loc, carriedBetweenLayers(next));
  setSelections(loop.getResults().drop_front());
  return loop.getResult(0);
}

/// Has a search for faster layers left nothing of this one?
static bool isNothing(const LayerConfig &layer) {
  return layer.attentionKind == BlockKind::Absent &&
         layer.feedForwardKind == BlockKind::Absent;
}

Value DecoderBuilder::buildRun(const LayerRun &run, bool isOnlyRun,
                               Value hidden) {
  if (llvm::all_of(ArrayRef(ops.model.layers).slice(run.first, run.period),
                   isNothing))
    return hidden;
  if (run.repeats > 1)
    return buildLoop(run, isOnlyRun, hidden);
  return buildLayer(ops, ops.model.layers[run.first], options,
                    {std::to_string(run.first), Value()}, hidden);
}

SmallVector<Value> DecoderBuilder::carriedBetweenLayers(Value hidden) const {
  SmallVector<Value> carried = {hidden};
  if (sharesSelections())
    for (auto &[suffix, selection] : ops.selections)
      carried.push_back(selection);
  return carried;
}

void DecoderBuilder::setSelections(ValueRange values) {
  if (values.empty())
    return ops.selections.clear();
  for (auto [selection, value] : llvm::zip_equal(ops.selections, values))
    selection.second = value;
}

std::vector<LayerRun> DecoderBuilder::findRuns() const {
  auto layers = ArrayRef(ops.model.layers).take_front(ops.program.getLayers());
  // Loops carry the selection, so the first layer must make it before them.
  // Layers that read parts of a common input, or the cache of another layer,
  // are no bodies of loops.
  int64_t alone = isUnrolled || areNumbered() ? layers.size()
                  : sharesSelections()        ? 1
                                              : 0;
  std::vector<LayerRun> runs;
  for (int64_t layer = 0; layer < alone; ++layer)
    runs.push_back({layer, 1, 1});
  for (LayerRun run : findLayerRuns(layers.drop_front(alone))) {
    run.first += alone;
    runs.push_back(run);
  }
  return runs;
}

Value DecoderBuilder::buildLayers(Value hidden) {
  if (ops.model.layerInputs.features)
    ops.layerInputs = makeLayerInputs(ops, hidden);
  std::vector<LayerRun> runs = findRuns();
  for (const LayerRun &run : runs)
    hidden = buildRun(run, runs.size() == 1, hidden);
  return hidden;
}

/// Returns the rows of the last new token of each sequence.
static Value lastRows(OpsBuilder &ops, Value hidden, int64_t firstRow,
                      SequencesAttr group) {
  if (group.getSeq() == 1 && ops.program.getGroups().size() == 1)
    return hidden;
  OpFoldResult one = ops.number(1), seq = ops.size(group.getSeq(), "seq");
  OpFoldResult last = ops.subtract(seq, ops.number(1 - firstRow));
  SmallVector<OpFoldResult> offsets = {last, ops.number(0)},
                            sizes = {ops.size(group.getBatch(), "batch"),
                                     ops.number(ops.model.hidden)},
                            strides = {seq, one};
  return tensor::ExtractSliceOp::create(ops.builder, ops.loc, hidden, offsets,
                                        sizes, strides);
}

Value DecoderBuilder::rowsWithLogits(Value hidden) {
  if (ops.program.getPhase() == Phase::Verify)
    return hidden;
  SmallVector<Value> last;
  int64_t firstRow = 0;
  for (SequencesAttr group : ops.program.getGroups()) {
    last.push_back(lastRows(ops, hidden, firstRow, group));
    if (group.hasKnownTokens())
      firstRow += group.getBatch() * group.getSeq();
  }
  return ops.concat(0, last);
}

/// Makes a value for each size that is open. The argument then has as many rows
/// as these values say.
Value DecoderBuilder::nameSizes(Value argument) {
  SequencesAttr group = ops.program.getGroups().front();
  Value tokens;
  for (auto [name, size] :
       {std::pair<StringRef, int64_t>{"batch", group.getBatch()},
        {"seq", group.getSeq()},
        {"kv_len", group.getKvLens().front()}})
    if (size == openSize)
      ops.openSizes[name] = SizeOp::create(ops.builder, ops.loc, name);
  OpFoldResult batch = ops.size(group.getBatch(), "batch"),
               seq = ops.size(group.getSeq(), "seq"),
               kvLen = ops.size(group.getKvLens().front(), "kv_len");
  if (group.getKvLens().front() == openSize || group.getSeq() == openSize)
    ops.openSizes[OpsBuilder::firstPositionName] =
        getValueOrCreateConstantIndexOp(ops.builder, ops.loc,
                                        ops.subtract(kvLen, seq));
  if (group.hasKnownTokens())
    return argument;
  Value factors[] = {
      getValueOrCreateConstantIndexOp(ops.builder, ops.loc, batch),
      getValueOrCreateConstantIndexOp(ops.builder, ops.loc, seq)};
  if (group.getSeq() == 1)
    tokens = factors[0];
  else if (group.getBatch() == 1)
    tokens = factors[1];
  else
    tokens =
        arith::MulIOp::create(ops.builder, ops.loc, factors[0], factors[1]);
  return SizedOp::create(ops.builder, ops.loc, argument.getType(), argument,
                         tokens);
}

Value DecoderBuilder::sample(Value normed, const Twine &prefix) {
  Value rows = rowsWithLogits(normed);
  StringRef head = ops.model.hasTiedHead ? StringRef(embeddingName) : "lm_head";
  Value matrix = ops.modelWeight((head + ".weight").str(),
                                 {ops.model.vocabulary, ops.model.hidden});
  Value logits = ops.matmul(prefix + "lm_head", rows, matrix,
                            /*bias=*/Value());
  logits = ops.scaled(prefix + "lm_head.scale", logits, ops.model.logitScale);
  if (ops.model.logitSoftCap)
    logits = ops.create<SoftCapOp>(prefix + "lm_head.soft_cap", logits,
                                   llvm::APFloat(ops.model.logitSoftCap));
  return ops.create<SampleOp>(prefix + "sample", options.sampling, logits,
                              /*random=*/Value());
}

SmallVector<Value> DecoderBuilder::buildHead(Value hidden) {
  if (ops.model.streams.count)
    hidden = joinStreams(ops, hidden);
  if (ops.model.layers.back().residualBlock)
    hidden =
        mixResiduals(ops, "model.output_attn_res", hidden,
                     [&](StringRef suffix, ArrayRef<int64_t> shape) {
                       return ops.modelWeight(
                           ("model.output_attn_res" + suffix).str(), shape);
                     });
  Value normed =
      ops.norm("model." + ops.model.lastNorm, hidden,
               ops.modelWeight("model." + ops.model.lastNorm + ".weight",
                               {ops.model.hidden}));
  SmallVector<Value> sampled = {sample(normed)};
  Value tokens = ops.tokens;
  for (int64_t module = 0; module < ops.program.getFurtherTokens(); ++module) {
    std::string prefix = "mtp." + std::to_string(module) + ".";
    tokens = tokensBehind(ops, tokens, sampled.back());
    normed =
        buildFurtherModule(ops, options, module, normed, embed(tokens, prefix));
    sampled.push_back(sample(normed, prefix));
  }
  return sampled;
}

/// Makes an empty function of the program, and puts the builder into its body.
static func::FuncOp createFunction(OpBuilder &builder, const ModelConfig &model,
                                   ProgramAttr program, TypeRange inputs,
                                   TypeRange outputs) {
  std::string name =
      model.family + "_" + stringifyPhase(program.getPhase()).str();
  auto function = func::FuncOp::create(
      builder, model.location, name, builder.getFunctionType(inputs, outputs));
  function->setAttr(LlmDialect::programAttrName, program);
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

/// Whether some of these layers have a table of the experts of each token, or
/// of inputs.
static bool readsTokens(ArrayRef<LayerConfig> layers) {
  return llvm::any_of(layers, [](const LayerConfig &layer) {
    return layer.hasOwnInput || !layer.feedForward.experts.table.empty();
  });
}

static OwningOpRef<ModuleOp> buildDecoder(const ModelConfig &model,
                                          ProgramAttr program,
                                          const ImportOptions &options,
                                          bool isUnrolled) {
  bool isWhole = program.getIsWhole();
  OwningOpRef<ModuleOp> module = ModuleOp::create(model.location);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  DecoderBuilder decoder(builder, model, program, options, isUnrolled);
  // If a size is open, there is only one group.
  SequencesAttr group = program.getGroups().front();
  int64_t rows = group.hasKnownTokens() ? program.countTokens() : openSize;
  int64_t sequences = program.getGroups().size() == 1
                          ? group.getBatch()
                          : program.countSequences();
  SmallVector<int64_t, 3> shape = {rows, model.hidden};
  if (model.streams.count)
    shape.insert(shape.begin() + 1, model.streams.count);
  Type states = RankedTensorType::get(shape, model.elementType);
  Type tokens = RankedTensorType::get({rows}, builder.getI32Type());
  bool isVerify = program.getPhase() == Phase::Verify;
  Type next = RankedTensorType::get({isVerify ? rows : sequences},
                                    builder.getI32Type());
  // A part of the model gets hidden states, and tokens where it asks for them.
  SmallVector<Type, 2> inputs = {isWhole ? tokens : states};
  bool hasTokensBeside =
      !isWhole &&
      readsTokens(ArrayRef(model.layers).take_front(program.getLayers()));
  if (hasTokensBeside)
    inputs.push_back(tokens);
  SmallVector<Type> outputs(1 + program.getFurtherTokens(),
                            isWhole ? next : states);
  func::FuncOp function =
      createFunction(builder, model, program, inputs, outputs);
  Value value = decoder.nameSizes(function.getArgument(0));
  if (hasTokensBeside)
    decoder.setTokens(function.getArgument(1));
  if (isWhole)
    value = decoder.embed(value);
  SmallVector<Value> results = {decoder.buildLayers(value)};
  if (isWhole)
    results = decoder.buildHead(results.front());
  func::ReturnOp::create(builder, model.location, results);
  return module;
}

/// Some rotary embeddings depend on the length of the context.
static void warnOfOpenContext(const ModelConfig &model,
                              const ImportOptions &options) {
  if (!llvm::is_contained(options.kvLen, openSize) &&
      !llvm::is_contained(options.seq, openSize))
    return;
  for (const LayerConfig &layer : model.layers)
    if (int64_t positions = layer.attention.rope.shortPositions) {
      mlir::emitWarning(model.location)
          << "the context is open: its rotary embedding is that of contexts of "
             "up to "
          << positions << " tokens, which longer ones do not share";
      return;
    }
}

FailureOr<OwningOpRef<ModuleOp>> buildDecoder(ModelConfig model,
                                              const ImportOptions &options) {
  loadDecoderDialects(model.location.getContext());
  if (failed(applyFormats(model, options)))
    return failure();
  FailureOr<ProgramAttr> program = resolveProgram(model, options);
  if (failed(program))
    return failure();
  warnOfOpenContext(model, options);
  return buildDecoder(model, *program, options, /*isUnrolled=*/false);
}

FailureOr<std::vector<NamedWeight>> listWeights(const ModelConfig &model) {
  loadDecoderDialects(model.location.getContext());
  ImportOptions oneStep;
  // So many keys that each indexer is at work.
  int64_t keys = 1;
  for (const LayerConfig &layer : model.layers)
    keys = std::max(keys,
                    (layer.attention.indexer.countKeys() + 1) *
                        std::max<int64_t>(1, layer.attention.compressed.ratio));
  oneStep.kvLen = {keys};
  oneStep.layers = std::nullopt;
  FailureOr<ProgramAttr> program = resolveProgram(model, oneStep);
  if (failed(program))
    return failure();
  OwningOpRef<ModuleOp> module =
      buildDecoder(model, *program, oneStep, /*isUnrolled=*/true);
  std::vector<NamedWeight> weights;
  llvm::StringSet<> seen;
  module->walk([&](WeightOp weight) {
    ArrayRef<int64_t> shape = weight.getType().getShape();
    if (seen.insert(weight.getName()).second)
      weights.push_back(
          {weight.getName().str(), SmallVector<int64_t, 3>(shape)});
  });
  return weights;
}

} // namespace mlir::llm
