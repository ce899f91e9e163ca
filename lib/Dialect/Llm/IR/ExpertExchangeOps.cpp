//===- ExpertExchangeOps.cpp - Tokens that go to experts and come back ----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges.h"
#include "OpChecks.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;
using Role = Buffer::Role;

//===----------------------------------------------------------------------===//
// Types and verification
//===----------------------------------------------------------------------===//

LogicalResult
ExpertDispatchOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                   Adaptor adaptor,
                                   SmallVectorImpl<Type> &resultTypes) {
  StringRef opName = getOperationName();
  if (failed(verifyRanks(loc, opName,
                         {{adaptor.getX(), 2},
                          {adaptor.getExperts(), 2},
                          {adaptor.getShares(), 2}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  RankedTensorType experts = tensorType(adaptor.getExperts());
  if (!isa<IntegerType>(experts.getElementType()) ||
      !agree(x.getDimSize(0), experts.getDimSize(0))) // expert_dispatch-C1
    return fail(loc, opName, "experts ", experts,
                " must be whole numbers, some for each token of x ", x);
  int64_t rows = adaptor.getRows();
  if (rows < 1) // expert_dispatch-C3
    return fail(loc, opName, "has room for ", rows,
                " tokens, which must be 1 or more");
  auto ofRows = [&](RankedTensorType type) {
    return RankedTensorType::get({rows, type.getDimSize(1)},
                                 type.getElementType());
  };
  resultTypes.append({ofRows(x), ofRows(experts)});
  if (Value shares = adaptor.getShares()) {
    RankedTensorType type = tensorType(shares);
    if (!agree(type.getDimSize(0), experts.getDimSize(0)) ||
        !agree(type.getDimSize(1), experts.getDimSize(1)))
      return fail(loc, opName, "experts ", experts, " and shares ", type,
                  " must have one shape"); // expert_dispatch-C2
    resultTypes.push_back(ofRows(type));
  }
  return success();
}

LogicalResult
ExpertCombineOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                  Adaptor adaptor,
                                  SmallVectorImpl<Type> &resultTypes) {
  StringRef opName = getOperationName();
  if (failed(verifyRanks(loc, opName,
                         {{adaptor.getX(), 2}, {adaptor.getExperts(), 2}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  RankedTensorType experts = tensorType(adaptor.getExperts());
  if (!isa<IntegerType>(experts.getElementType())) // expert_combine-C1
    return fail(loc, opName, "experts are whole numbers, got ", experts);
  resultTypes.push_back(RankedTensorType::get(
      {experts.getDimSize(0), x.getDimSize(1)}, x.getElementType()));
  return success();
}

/// Checks the axes, and that a chip has room for no more tokens than there are.
template <typename Op>
static LogicalResult verifyExchange(Op op, int64_t rows) {
  FailureOr<int64_t> chips =
      verifyAxes(op, op.getAxes(), {"exchanges", "to exchange over"});
  if (failed(chips) ||
      failed(verifyAxes(op, op.getOwn(),
                        {"shares experts", "to share experts over"})))
    return failure();
  for (StringAttr axis : op.getAxes().template getAsRange<StringAttr>())
    // expert_dispatch-C4, expert_combine-C3
    if (!llvm::is_contained(op.getOwn(), axis))
      return op.emitOpError()
             << "exchanges over axis '" << axis.getValue()
             << "', along which chips do not share experts (own)";
  int64_t tokens = tensorType(op.getExperts()).getDimSize(0);
  std::optional<int64_t> most = checkedMul(tokens, *chips);
  if (!ShapedType::isDynamic(tokens) && !ShapedType::isDynamic(rows) && most &&
      rows > *most) // expert_dispatch-C3, expert_combine-C2
    return op.emitOpError() << "has room for " << rows << " tokens, and "
                            << *chips << " chips have " << *most;
  return success();
}

LogicalResult ExpertDispatchOp::verify() {
  return verifyExchange(*this, getRows());
}

LogicalResult ExpertCombineOp::verify() {
  return verifyExchange(*this, tensorType(getX()).getDimSize(0));
}

//===----------------------------------------------------------------------===//
// Workloads
//===----------------------------------------------------------------------===//

/// Makes the loops. Which chips a token goes to is known only at run time, so
/// that what comes or goes is indexed by chips and tokens.
template <typename Op>
static Workload makeLoops(Op op, Value tokens, IteratorType overChips) {
  constexpr Loop::Tiles whole = Loop::Tiles::Whole;
  RankedTensorType experts = tensorType(op.getExperts());
  int64_t chips = GridAttr::ofModule(op).countChips(op.getAxes());
  Workload workload;
  workload.loops = {
      {"c", overChips, chips, whole},
      {"m", IteratorType::parallel, experts.getDimSize(0), whole},
      {"j", IteratorType::parallel, experts.getDimSize(1), whole},
      {"h", IteratorType::parallel, tensorType(tokens).getDimSize(1), whole}};
  return workload;
}

/// Adds the exchange of `gathered`, as many bytes as the chip with most has.
template <typename Op>
static LogicalResult addExchange(Op op, Workload &workload, CollectiveKind kind,
                                 ValueRange gathered, EmitError emitError) {
  workload.addStage("exchange", EngineKind::Network, {"c", "m", "j", "h"}, {});
  FailureOr<Collective> group =
      makeCollective(kind, GridAttr::ofModule(op), op.getAxes(),
                     storageBytesOf(gathered), emitError);
  if (failed(group))
    return failure();
  workload.collective = std::move(*group);
  return success();
}

FailureOr<Workload> ExpertDispatchOp::getWorkload(EmitError emitError) {
  if (failed(requireGrid(*this, emitError)))
    return failure();
  Workload workload = makeLoops(*this, getX(), IteratorType::parallel);
  workload.addBuffer(Role::Read, "x", getX(), {"m", "h"});
  workload.addBuffer(Role::Read, "experts", getExperts(), {"m", "j"});
  if (getShares())
    workload.addBuffer(Role::Read, "shares", getShares(), {"m", "j"});
  auto addGathered = [&](StringRef name, Value value, StringRef inner) {
    workload.addBuffer(Role::Write, name, value, {"c", "m", inner})
        .isGathered = true;
  };
  addGathered("out", getOut(), "h");
  addGathered("out_experts", getOutExperts(), "j");
  if (getOutShares())
    addGathered("out_shares", getOutShares(), "j");
  if (failed(addExchange(*this, workload, CollectiveKind::ExpertDispatch,
                         getOperation()->getResults(), emitError)))
    return failure();
  return workload;
}

FailureOr<Workload> ExpertCombineOp::getWorkload(EmitError emitError) {
  if (failed(requireGrid(*this, emitError)))
    return failure();
  Workload workload = makeLoops(*this, getX(), IteratorType::reduction);
  workload.addBuffer(Role::Read, "x", getX(), {"c", "m", "h"}).isGathered =
      true;
  workload.addBuffer(Role::Read, "experts", getExperts(), {"m", "j"});
  workload.addBuffer(Role::Write, "out", getOut(), {"m", "h"});
  if (failed(addExchange(*this, workload, CollectiveKind::ExpertCombine, getX(),
                         emitError)))
    return failure();
  return workload;
}

/// No loop is cut, so that a box has all of them.
static Count countExchanged(const Workload &workload, unsigned buffer,
                            Box box) {
  const Buffer &counted = workload.buffers[buffer];
  if (counted.isGathered)
    return tensorType(counted.value).getNumElements();
  return countElementsOfProduct(workload, buffer, box);
}

Count ExpertDispatchOp::countElements(const Workload &workload, unsigned buffer,
                                      Box box) {
  return countExchanged(workload, buffer, box);
}

Count ExpertCombineOp::countElements(const Workload &workload, unsigned buffer,
                                     Box box) {
  return countExchanged(workload, buffer, box);
}
