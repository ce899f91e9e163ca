//===- RecurrentOps.cpp - Layers with a state -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

static bool agreeAll(ArrayRef<int64_t> shape, ArrayRef<int64_t> expected) {
  return shape.size() == expected.size() &&
         llvm::all_of_zip(shape, expected, agree);
}

/// Describes sizes as 32x?x128, with a word between them.
static std::string describe(ArrayRef<int64_t> sizes, StringRef between) {
  SmallVector<std::string> words;
  for (int64_t size : sizes)
    words.push_back(ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return llvm::join(words, between);
}

/// Checks that the state is one of `batch` sequences, each of this shape.
static LogicalResult verifyState(std::optional<Location> loc, StringRef opName,
                                 StateType state, int64_t batch,
                                 ArrayRef<int64_t> shape) {
  if (agree(state.getBatch(), batch) && agreeAll(state.getShape(), shape))
    return success();
  return fail(loc, opName, "state ", state,
              " must have batch = ", describe(batch, ""), " and ",
              describe(shape, "x"));
}

/// Checks that an operand, if it is given, has the shape `expected`.
static LogicalResult verifyShape(std::optional<Location> loc, StringRef opName,
                                 StringRef operand, Value value,
                                 ArrayRef<int64_t> expected) {
  if (!value || agreeAll(tensorType(value).getShape(), expected))
    return success();
  return fail(loc, opName, operand, " ", value.getType(), " must be [",
              describe(expected, ", "), "]");
}

/// Returns the type of the states behind each of `steps` tokens, which must be
/// known.
static FailureOr<StateType> everyStepOf(std::optional<Location> loc,
                                        StringRef opName, int64_t steps,
                                        StateType state,
                                        ArrayRef<int64_t> shape) {
  if (steps >= 1) // conv1d-C4, linear_attn-C7
    return StateType::get(state.getContext(), state.getBatch(), shape,
                          state.getElementType());
  return fail(loc, opName,
              "gives states of every step, which needs a number of tokens that "
              "is known");
}

static LogicalResult verifyFigure(std::optional<Location> loc, StringRef opName,
                                  StringRef name, double figure, bool holds,
                                  StringRef expected) {
  if (std::isfinite(figure) && holds)
    return success();
  return fail(loc, opName, name, " must be ", expected);
}

//===----------------------------------------------------------------------===//
// conv1d
//===----------------------------------------------------------------------===//

LogicalResult Conv1dOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getX(), 3},
                          {adaptor.getWeight(), 2},
                          {adaptor.getBias(), 1}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  int64_t channels = x.getDimSize(2),
          taps = tensorType(adaptor.getWeight()).getDimSize(1);
  if (failed(verifyShape(loc, getOperationName(), "weight", adaptor.getWeight(),
                         {channels, taps})) ||
      failed(verifyShape(loc, getOperationName(), "bias", adaptor.getBias(),
                         {channels}))) // conv1d-C1
    return failure();
  if (taps < 2 && !ShapedType::isDynamic(taps)) // conv1d-C2
    return fail(loc, getOperationName(), "needs two taps or more, got weight ",
                adaptor.getWeight().getType());
  int64_t kept = ShapedType::isDynamic(taps) ? taps : taps - 1;
  auto state = cast<StateType>(adaptor.getState().getType());
  if (failed(verifyState(loc, getOperationName(), state, x.getDimSize(0),
                         {kept, channels}))) // conv1d-C3
    return failure();
  FailureOr<StateType> next = state;
  if (adaptor.getEveryStep()) {
    SmallVector<int64_t> shape(state.getShape());
    shape[0] += x.getDimSize(1) - 1;
    next = everyStepOf(loc, getOperationName(), x.getDimSize(1), state, shape);
  }
  if (failed(next))
    return failure();
  resultTypes.append({x, *next});
  return success();
}

Value Conv1dOp::getOldState() { return getState(); }

Value Conv1dOp::getNewState() { return getNext(); }

//===----------------------------------------------------------------------===//
// linear_attn
//===----------------------------------------------------------------------===//

/// linear_attn-C3: the operands that give the decay.
static LogicalResult verifyDecay(std::optional<Location> loc, StringRef opName,
                                 LinearAttnOp::Adaptor adaptor,
                                 ArrayRef<int64_t> tokensOfHeads,
                                 int64_t keyDim) {
  if (Value decay = adaptor.getDecay()) {
    SmallVector<int64_t> shape(tokensOfHeads);
    if (tensorType(decay).getRank() == 4)
      shape.push_back(keyDim);
    if (failed(verifyShape(loc, opName, "decay", decay, shape)))
      return failure();
  }
  if (!adaptor.getLimit())
    return success();
  if (!adaptor.getDecay() || !adaptor.getRate())
    return fail(loc, opName, "has a limit, which needs a decay and a rate");
  double limit = adaptor.getLimit()->convertToDouble();
  return verifyFigure(loc, opName, "limit", limit, limit < 0,
                      "finite and below 0");
}

/// linear_attn-C4: the numbers are in their ranges.
static LogicalResult verifyNumbers(std::optional<Location> loc,
                                   StringRef opName,
                                   LinearAttnOp::Adaptor adaptor) {
  if (std::optional<llvm::APFloat> epsilon = adaptor.getQkNorm())
    if (failed(verifyFigure(loc, opName, "qk_norm", epsilon->convertToDouble(),
                            !epsilon->isNegative(), "finite and not negative")))
      return failure();
  if (adaptor.getChunk().value_or(1) < 1)
    return fail(loc, opName, "chunk must be 1 or more, got ",
                *adaptor.getChunk());
  return verifyFigure(loc, opName, "scale",
                      adaptor.getScale().convertToDouble(), true, "finite");
}

LogicalResult
LinearAttnOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                               Adaptor adaptor,
                               SmallVectorImpl<Type> &resultTypes) {
  StringRef name = getOperationName();
  if (failed(verifyRanks(loc, name,
                         {{adaptor.getQuery(), 4},
                          {adaptor.getKeys(), 4},
                          {adaptor.getValues(), 4}})))
    return failure();
  RankedTensorType q = tensorType(adaptor.getQuery()),
                   v = tensorType(adaptor.getValues());
  if (failed(verifyShape(loc, name, "keys", adaptor.getKeys(), q.getShape())) ||
      failed(verifyShape(loc, name, "values", adaptor.getValues(),
                         {q.getDimSize(0), q.getDimSize(1), v.getDimSize(2),
                          v.getDimSize(3)}))) // linear_attn-C1
    return failure();
  int64_t keyHeads = q.getDimSize(2), heads = v.getDimSize(2),
          keyDim = q.getDimSize(3);
  bool areKnown =
      !ShapedType::isDynamic(keyHeads) && !ShapedType::isDynamic(heads);
  if (areKnown && (keyHeads == 0 || heads % keyHeads)) // linear_attn-C2
    return fail(loc, name, keyHeads, " key heads must divide ", heads,
                " heads");
  SmallVector<int64_t> tokensOfHeads(v.getShape().drop_back());
  if (failed(verifyDecay(loc, name, adaptor, tokensOfHeads, keyDim)) ||
      failed(
          verifyShape(loc, name, "beta", adaptor.getBeta(), tokensOfHeads)) ||
      failed(verifyShape(loc, name, "rate", adaptor.getRate(), {heads})) ||
      failed(verifyShape(loc, name, "skip", adaptor.getSkip(), {heads})) ||
      failed(verifyNumbers(loc, name, adaptor)))
    return failure();
  auto state = cast<StateType>(adaptor.getState().getType());
  if (failed(verifyState(loc, name, state, q.getDimSize(0),
                         {heads, keyDim, v.getDimSize(3)}))) // linear_attn-C5
    return failure();
  FailureOr<StateType> next = state;
  if (adaptor.getEveryStep()) {
    if (adaptor.getChunk()) // linear_attn-C7
      return fail(loc, name, "gives states of every step, and has chunks");
    SmallVector<int64_t> shape = {q.getDimSize(1)};
    llvm::append_range(shape, state.getShape());
    next = everyStepOf(loc, name, q.getDimSize(1), state, shape);
  }
  if (failed(next))
    return failure();
  resultTypes.append({v, *next});
  return success();
}

Value LinearAttnOp::getOldState() { return getState(); }

Value LinearAttnOp::getNewState() { return getNext(); }

std::optional<int64_t> LinearAttnOp::getChunkSize() { return getChunk(); }

void LinearAttnOp::setChunkSize(int64_t size) { setChunk(size); }

int64_t LinearAttnOp::countTokens() {
  return getQuery().getType().getDimSize(1);
}

//===----------------------------------------------------------------------===//
// state_cast
//===----------------------------------------------------------------------===//

LogicalResult StateCastOp::verify() {
  auto fromState = dyn_cast<StateType>(getX().getType()),
       toState = dyn_cast<StateType>(getType());
  if (bool(fromState) == bool(toState)) // state_cast-C1
    return emitOpError() << "must make a tensor of a state, or a state of a "
                            "tensor, got "
                         << getX().getType() << " and " << getType();
  RankedTensorType shown = (fromState ? fromState : toState).asTensor(),
                   tensor = tensorType(fromState ? getResult() : getX());
  if (shown.getElementType() != tensor.getElementType() ||
      !agreeAll(shown.getShape(), tensor.getShape())) // state_cast-C2
    return emitOpError() << "takes " << (fromState ? fromState : toState)
                         << " as " << shown << ", got " << tensor;
  if (getBefore() && !toState) // state_cast-C3
    return emitOpError() << "gives a tensor, which comes after no state";
  return success();
}

/// The next state of a layer stays, whether or not an op reads it.
void StateCastOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getBefore())
    effects.emplace_back(MemoryEffects::Write::get(), KvCacheResource::get());
}

/// A state that was a tensor is that tensor, and the other way round.
OpFoldResult StateCastOp::fold(FoldAdaptor) {
  auto first = getX().getDefiningOp<StateCastOp>();
  bool isBack = first && !getBefore() && first.getX().getType() == getType();
  return isBack ? OpFoldResult(first.getX()) : OpFoldResult();
}
