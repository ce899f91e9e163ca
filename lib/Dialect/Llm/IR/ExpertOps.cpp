//===- ExpertOps.cpp - Mixtures of experts --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// moe_route
//===----------------------------------------------------------------------===//

/// Checks the numbers of experts, of those that are selected, and of groups.
static LogicalResult verifySelection(std::optional<Location> loc,
                                     StringRef opName, int64_t experts,
                                     int64_t topK, int64_t groups,
                                     int64_t topGroups) {
  bool isKnown = !ShapedType::isDynamic(experts);
  if (topK < 1 || (isKnown && topK > experts)) // moe_route-C1
    return fail(loc, opName, "top_k must be in [1, experts], got ", topK,
                isKnown ? " of " + std::to_string(experts) : std::string());
  if (groups < 1 || topGroups < 1 || topGroups > groups) // moe_route-C2
    return fail(loc, opName, "top_groups must be in [1, groups], got ",
                topGroups, " of ", groups);
  if (isKnown && experts % groups) // moe_route-C3
    return fail(loc, opName, groups, " groups do not divide ", experts,
                " experts");
  if (isKnown && topK > experts / groups * topGroups) // moe_route-C4
    return fail(loc, opName, "selects ", topK, " experts, but ", topGroups,
                " of ", groups, " groups have ", experts / groups * topGroups);
  return success();
}

/// Experts that are known of each token.
static LogicalResult verifyChosen(std::optional<Location> loc,
                                  MoeRouteOp::Adaptor adaptor,
                                  RankedTensorType logits) {
  Value chosen = adaptor.getChosen();
  if (!chosen)
    return success();
  StringRef name = MoeRouteOp::getOperationName();
  RankedTensorType type = tensorType(chosen);
  int64_t topK = adaptor.getTopK();
  if (!type.getElementType().isInteger(32) ||
      !agree(type.getDimSize(0), logits.getDimSize(0)) ||
      !agree(type.getDimSize(1), topK)) // moe_route-C7
    return fail(loc, name, "chosen ", type, " must be i32, ", topK,
                " for each row of ", logits);
  if (adaptor.getBias() || adaptor.getGroups()) // moe_route-C8
    return fail(loc, name,
                "selects none of chosen experts: it must have no bias and no "
                "groups");
  return success();
}

LogicalResult MoeRouteOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getLogits(), 2},
                          {adaptor.getBias(), 1},
                          {adaptor.getExpertScales(), 1},
                          {adaptor.getChosen(), 2}})))
    return failure();
  RankedTensorType logits = tensorType(adaptor.getLogits());
  int64_t experts = logits.getDimSize(1), topK = adaptor.getTopK();
  if (failed(verifySelection(loc, getOperationName(), experts, topK,
                             adaptor.getGroups().value_or(1),
                             adaptor.getTopGroups().value_or(1))))
    return failure();
  for (auto [name, vector] :
       {std::pair<StringRef, Value>{"bias", adaptor.getBias()},
        {"expert_scales", adaptor.getExpertScales()}})
    if (vector &&
        !agree(tensorType(vector).getDimSize(0), experts)) // moe_route-C5
      return fail(loc, getOperationName(), name, " ", vector.getType(),
                  " must be one for each of ", experts, " experts");
  if (std::optional<APFloat> scale = adaptor.getScale())
    if (!std::isfinite(scale->convertToDouble()) ||
        scale->convertToDouble() <= 0) // moe_route-C6
      return fail(loc, getOperationName(), "scale must be finite and positive");
  if (failed(verifyChosen(loc, adaptor, logits)))
    return failure();
  SmallVector<int64_t, 2> shape = {logits.getDimSize(0), topK};
  resultTypes.push_back(RankedTensorType::get(shape, logits.getElementType()));
  resultTypes.push_back(
      RankedTensorType::get(shape, IntegerType::get(context, 32)));
  return success();
}

/// Returns the operations and special functions per share, if only the shares
/// of the selected experts are computed.
static std::pair<int64_t, int64_t> workOfSelected(ExpertScoring scoring) {
  switch (scoring) {
  case ExpertScoring::Softmax:
  case ExpertScoring::Sigmoid:
  case ExpertScoring::SqrtSoftplus:
    return {0, 0};
  case ExpertScoring::TopkSoftmax:
    return {3, 1};
  case ExpertScoring::TopkSigmoid:
    return {1, 2};
  }
  return {0, 0};
}

FailureOr<Workload> MoeRouteOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  RankedTensorType logits = tensorType(getLogits());
  int64_t topK = getTopK();
  Workload workload;
  workload.loops = {
      {"m", IteratorType::parallel, logits.getDimSize(0)},
      {"e", IteratorType::reduction, logits.getDimSize(1), Loop::Tiles::Whole},
      {"j", IteratorType::parallel, topK, Loop::Tiles::Whole}};
  workload.addBuffer(Buffer::Role::Read, "logits", getLogits(), {"m", "e"});
  if (Value bias = getBias())
    workload.addBuffer(Buffer::Role::Read, "bias", bias, {"e"});
  if (Value scales = getExpertScales())
    workload.addBuffer(Buffer::Role::Read, "expert_scales", scales, {"e"});
  if (Value chosen = getChosen())
    workload.addBuffer(Buffer::Role::Read, "chosen", chosen, {"m", "j"});
  workload.addBuffer(Buffer::Role::Write, "shares", getShares(), {"m", "j"});
  workload.addBuffer(Buffer::Role::Write, "experts", getExperts(), {"m", "j"});

  auto perLogit = [&](StringRef name,
                      ArrayRef<std::pair<WorkKind, int64_t>> work) {
    workload.addStage(name, EngineKind::Vector, {"m", "e"}, work);
  };
  if (getScoring() == ExpertScoring::Softmax) {
    perLogit("max", {{WorkKind::Compare, 1}});
    perLogit("exp_sum", {{WorkKind::Alu, 2}, {WorkKind::Special, 1}});
    perLogit("score", {{WorkKind::Alu, 1}});
  } else if (getScoring() == ExpertScoring::Sigmoid) {
    perLogit("score", {{WorkKind::Alu, 1}, {WorkKind::Special, 2}});
  } else if (getScoring() == ExpertScoring::SqrtSoftplus) {
    perLogit("score", {{WorkKind::Alu, 1}, {WorkKind::Special, 3}});
  }
  if (getBias())
    perLogit("bias", {{WorkKind::Alu, 1}});
  if (getGroups().value_or(1) > 1)
    perLogit("group", {{WorkKind::Compare, getBias() ? 2 : 1}});
  if (!getChosen())
    perLogit("select", {{WorkKind::Compare, topK}});

  auto [operations, specials] = workOfSelected(getScoring());
  operations += (getNormalize() ? 2 : 0) + (getScale() ? 1 : 0) +
                (getExpertScales() ? 1 : 0);
  SmallVector<std::pair<WorkKind, int64_t>, 2> work;
  if (operations > 0)
    work.push_back({WorkKind::Alu, operations});
  if (specials > 0)
    work.push_back({WorkKind::Special, specials});
  workload.addStage("shares", EngineKind::Vector, {"m", "j"}, work);
  return workload;
}

//===----------------------------------------------------------------------===//
// moe_dispatch and moe_combine
//===----------------------------------------------------------------------===//

/// The operands that dispatch and combination share: experts are named by whole
/// numbers, and have a share each where there are shares.
template <typename Op>
static LogicalResult verifyRouted(std::optional<Location> loc,
                                  typename Op::Adaptor adaptor) {
  StringRef opName = Op::getOperationName();
  if (failed(verifyRanks(loc, opName,
                         {{adaptor.getX(), 2},
                          {adaptor.getExperts(), 2},
                          {adaptor.getShares(), 2}})))
    return failure();
  RankedTensorType experts = tensorType(adaptor.getExperts());
  if (!isa<IntegerType>(experts.getElementType()))
    // moe_dispatch-C1, moe_combine-C1
    return fail(loc, opName, "experts are whole numbers, got ", experts);
  if (!adaptor.getShares())
    return success();
  RankedTensorType shares = tensorType(adaptor.getShares());
  if (agree(shares.getDimSize(0), experts.getDimSize(0)) &&
      agree(shares.getDimSize(1), experts.getDimSize(1)))
    return success(); // moe_dispatch-C3, moe_combine-C2
  return fail(loc, opName, "experts ", experts, " and shares ", shares,
              " must have one shape");
}

/// Returns m * top_k rows; an open size if one of these is open.
static int64_t countRows(RankedTensorType experts) {
  if (!experts.hasStaticShape())
    return ShapedType::kDynamic;
  std::optional<int64_t> rows =
      checkedMul(experts.getDimSize(0), experts.getDimSize(1));
  return rows.value_or(ShapedType::kDynamic);
}

/// moe_dispatch-C4, grouped_matmul-C10, moe_combine-C4: chips that have some of
/// the experts each are those of a group.
template <typename Op>
static LogicalResult verifyOwn(Op op) {
  ArrayAttr own = op.getOwnAttr();
  return success(!own ||
                 succeeded(verifyAxes(
                     op, own, {"shares experts", "to share experts over"})));
}

LogicalResult MoeDispatchOp::verify() { return verifyOwn(*this); }
LogicalResult GroupedMatmulOp::verify() { return verifyOwn(*this); }
LogicalResult MoeCombineOp::verify() { return verifyOwn(*this); }

/// Of a count that is for all choices of all tokens, as many in proportion as
/// some of these have, rounded up.
static Count countShare(Count all, int64_t some, int64_t choices) {
  if (failed(all) || some >= choices)
    return all;
  __extension__ using Wide = __int128;
  return static_cast<int64_t>((Wide(*all) * some + choices - 1) / choices);
}

/// The number of choices of all tokens.
template <typename Op>
static int64_t countChoices(Op op) {
  return tensorType(op.getExperts()).getNumElements();
}

LogicalResult
MoeDispatchOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                Adaptor adaptor,
                                SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRouted<MoeDispatchOp>(loc, adaptor)))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  RankedTensorType experts = tensorType(adaptor.getExperts());
  if (!agree(x.getDimSize(0), experts.getDimSize(0))) // moe_dispatch-C2
    return fail(loc, getOperationName(), "x ", x, " and experts ", experts,
                " must agree in tokens");
  int64_t rows = countRows(experts);
  if (adaptor.getOwn()) {
    int64_t own = adaptor.getOwnRows().value_or(0);
    if (own < 1 || (!ShapedType::isDynamic(rows) && own > rows))
      return fail(loc, getOperationName(), "has room for ", own,
                  " rows of its own experts, which must be in [1, ", rows,
                  "]"); // moe_dispatch-C5
    rows = own;
  }
  resultTypes.push_back(
      RankedTensorType::get({rows, x.getDimSize(1)}, x.getElementType()));
  return success();
}

/// Makes the loops m, j and h, and the buffers of tokens and of rows. Only the
/// number of rows counts and not where they are, so they are indexed by m and
/// j.
static Workload makeRowsWorkload(Value tokens, StringRef tokensName,
                                 Buffer::Role tokensRole, Value rows,
                                 StringRef rowsName, Buffer::Role rowsRole,
                                 Value experts, IteratorType selection) {
  RankedTensorType type = tensorType(tokens);
  int64_t topK = tensorType(experts).getDimSize(1);
  Workload workload;
  workload.loops = {{"m", IteratorType::parallel, type.getDimSize(0)},
                    {"j", selection, topK},
                    {"h", IteratorType::parallel, type.getDimSize(1)}};
  auto addRows = [&] {
    workload.addBuffer(rowsRole, rowsName, rows, {"m", "j", "h"}).isGathered =
        true;
  };
  if (rowsRole == Buffer::Role::Read)
    addRows();
  if (tokensRole == Buffer::Role::Read)
    workload.addBuffer(tokensRole, tokensName, tokens, {"m", "h"});
  // The experts of all tokens decide where the row of a token goes.
  if (rowsRole == Buffer::Role::Read)
    workload.buffers.front().selectedBy.push_back(experts);
  workload.addBuffer(Buffer::Role::Read, "experts", experts, {"m", "j"})
      .isGathered = true;
  if (rowsRole == Buffer::Role::Write)
    addRows();
  return workload;
}

FailureOr<Workload> MoeDispatchOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  Workload workload = makeRowsWorkload(getX(), "x", Buffer::Role::Read,
                                       getOut(), "out", Buffer::Role::Write,
                                       getExperts(), IteratorType::parallel);
  SmallVector<std::pair<WorkKind, int64_t>, 1> work;
  if (Value shares = getShares()) {
    workload.addBuffer(Buffer::Role::Read, "shares", shares, {"m", "j"});
    work.push_back({WorkKind::Alu, 1});
  }
  workload.addStage("gather", EngineKind::Vector, {"m", "j", "h"}, work);
  return workload;
}

Count MoeDispatchOp::countPoints(const Workload &workload, unsigned stage,
                                 Box box) {
  Count points = countPointsOfProduct(workload, stage, box);
  return getOwn() ? countShare(points, *getOwnRows(), countChoices(*this))
                  : points;
}

/// Tokens are read once each, however many of their rows the chip has.
Count MoeDispatchOp::countElements(const Workload &workload, unsigned buffer,
                                   Box box) {
  Count elements = countElementsOfProduct(workload, buffer, box);
  if (!getOwn())
    return elements;
  Value value = workload.buffers[buffer].value;
  if (value == getOut())
    return countShare(elements, *getOwnRows(), countChoices(*this));
  return value == getX() ? countShare(elements, *getOwnRows(),
                                      tensorType(getX()).getDimSize(0))
                         : elements;
}

LogicalResult
MoeCombineOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                               Adaptor adaptor,
                               SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRouted<MoeCombineOp>(loc, adaptor)))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  RankedTensorType experts = tensorType(adaptor.getExperts());
  int64_t rows = countRows(experts);
  bool hasFewer = adaptor.getOwn() && x.getDimSize(0) < rows;
  if (!hasFewer && !agree(x.getDimSize(0), rows)) // moe_combine-C3
    return fail(loc, getOperationName(), "x ", x,
                " must have a row for each of the experts ", experts);
  resultTypes.push_back(RankedTensorType::get(
      {experts.getDimSize(0), x.getDimSize(1)}, x.getElementType()));
  return success();
}

FailureOr<Workload> MoeCombineOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  Workload workload = makeRowsWorkload(getOut(), "out", Buffer::Role::Write,
                                       getX(), "x", Buffer::Role::Read,
                                       getExperts(), IteratorType::reduction);
  if (Value shares = getShares())
    workload.addBuffer(Buffer::Role::Read, "shares", shares, {"m", "j"});
  workload.addBuffer(Buffer::Role::Write, "out", getOut(), {"m", "h"});
  workload.addStage("combine", EngineKind::Vector, {"m", "j", "h"},
                    {{WorkKind::Alu, getShares() ? 2 : 1}});
  return workload;
}

Count MoeCombineOp::countPoints(const Workload &workload, unsigned stage,
                                Box box) {
  return countShare(countPointsOfProduct(workload, stage, box),
                    tensorType(getX()).getDimSize(0), countChoices(*this));
}

Count MoeCombineOp::countElements(const Workload &workload, unsigned buffer,
                                  Box box) {
  Count elements = countElementsOfProduct(workload, buffer, box);
  return workload.buffers[buffer].value == getX()
             ? countShare(elements, tensorType(getX()).getDimSize(0),
                          countChoices(*this))
             : elements;
}

//===----------------------------------------------------------------------===//
// grouped_matmul
//===----------------------------------------------------------------------===//

/// Returns the sum of the rows. Returns nothing if a number is negative, or on
/// overflow.
static std::optional<int64_t> sumRows(ArrayRef<int64_t> rowsPerExpert) {
  std::optional<int64_t> sum = 0;
  for (int64_t rows : rowsPerExpert)
    sum = sum && rows >= 0 ? checkedAdd(*sum, rows) : std::nullopt;
  return sum;
}

/// grouped_matmul-C9: `choice` names the experts that the top_k rows of each
/// token are for.
static LogicalResult verifyChoice(std::optional<Location> loc, StringRef opName,
                                  RankedTensorType lhs, Value choice,
                                  int64_t topK, bool hasOwn) {
  if (!choice)
    return success();
  RankedTensorType experts = tensorType(choice);
  int64_t rows = countRows(experts);
  if (isa<IntegerType>(experts.getElementType()) &&
      agree(experts.getDimSize(1), topK) &&
      ((hasOwn && lhs.getDimSize(0) <= rows) || agree(rows, lhs.getDimSize(0))))
    return success();
  return fail(loc, opName, "experts ", experts, " must be whole numbers, the ",
              topK, " of each token, for the rows of lhs ", lhs);
}

static LogicalResult verifyRows(std::optional<Location> loc, StringRef opName,
                                RankedTensorType lhs, RankedTensorType rhs,
                                ArrayRef<int64_t> rowsPerExpert, int64_t topK,
                                bool hasOwn) {
  std::optional<int64_t> rows = sumRows(rowsPerExpert);
  int64_t experts = rowsPerExpert.size();
  if (!rows || !agree(lhs.getDimSize(0), *rows)) // grouped_matmul-C2
    return fail(loc, opName, "rows_per_expert must be the ", lhs.getDimSize(0),
                " rows of lhs ", lhs, " altogether, each 0 or more",
                rows ? ", got " + std::to_string(*rows) : std::string());
  if (!agree(rhs.getDimSize(0), experts)) // grouped_matmul-C3
    return fail(loc, opName, "rows_per_expert has ", experts, " entries for ",
                rhs.getDimSize(0), " experts of rhs ", rhs);
  // A chip has some of the experts of a token, and other chips the rest.
  if (hasOwn && topK >= 1)
    return success();
  if (topK < 1 || topK > experts || *rows % topK) // grouped_matmul-C4
    return fail(loc, opName, "top_k must be in [1, experts] and divide the ",
                *rows, " rows, got ", topK, " of ", experts);
  // grouped_matmul-C5
  for (int64_t ofExpert : rowsPerExpert)
    if (ofExpert > *rows / topK)
      return fail(loc, opName, "an expert has ", ofExpert, " rows, but only ",
                  *rows / topK, " tokens are there");
  return success();
}

LogicalResult
GroupedMatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                  Adaptor adaptor,
                                  SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getLhs(), 2},
                          {adaptor.getRhs(), 3},
                          {adaptor.getBias(), 2},
                          {adaptor.getExperts(), 2}})))
    return failure();
  RankedTensorType lhs = tensorType(adaptor.getLhs()),
                   rhs = tensorType(adaptor.getRhs());
  FailureOr<int64_t> n = inferColumns(loc, getOperationName(), lhs, rhs,
                                      adaptor.getTransposeRhs());
  if (failed(n)) // grouped_matmul-C1
    return failure();
  bool isOpen = adaptor.getRouting().has_value();
  if (isOpen && !lhs.isDynamicDim(0)) // grouped_matmul-C8
    return fail(loc, getOperationName(), "the ", lhs.getDimSize(0),
                " rows of lhs are known: list those of each expert");
  if (!isOpen &&
      failed(verifyRows(loc, getOperationName(), lhs, rhs,
                        adaptor.getRowsPerExpert(), adaptor.getTopK(),
                        adaptor.getOwn().has_value())))
    return failure();
  if (Value bias = adaptor.getBias())
    if (!agree(tensorType(bias).getDimSize(0), rhs.getDimSize(0)) ||
        !agree(tensorType(bias).getDimSize(1), *n)) // grouped_matmul-C6
      return fail(loc, getOperationName(), "bias ", bias.getType(),
                  " must be [experts, n] of rhs ", rhs);
  if (failed(verifyChoice(loc, getOperationName(), lhs, adaptor.getExperts(),
                          adaptor.getTopK(),
                          adaptor.getOwn().has_value()))) // grouped_matmul-C9
    return failure();
  FailureOr<Type> type =
      resultElementType(loc, getOperationName(), lhs, adaptor.getOutType());
  if (failed(type)) // grouped_matmul-C7
    return failure();
  resultTypes.push_back(RankedTensorType::get({lhs.getDimSize(0), *n}, *type));
  return success();
}

/// Where the rows of each expert end that has some.
static std::vector<int64_t> findEnds(ArrayRef<int64_t> rowsPerExpert) {
  std::vector<int64_t> ends;
  int64_t end = 0;
  for (int64_t rows : rowsPerExpert)
    if (rows > 0)
      ends.push_back(end += rows);
  return ends;
}

FailureOr<Workload> GroupedMatmulOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  GridAttr grid = GridAttr::ofModule(*this);
  if (getOwn() && !grid) {
    emitError() << "needs a grid on the module (llm.grid)";
    return failure();
  }
  // Slices of which a token takes some are those of all chips.
  int64_t chips = getOwn() ? grid.countChips(getOwnAttr()) : 1;
  RankedTensorType lhs = tensorType(getLhs()), out = tensorType(getOut());
  Workload workload;
  workload.loops = {{"m", IteratorType::parallel, out.getDimSize(0)},
                    {"n", IteratorType::parallel, out.getDimSize(1)},
                    {"k", IteratorType::reduction, lhs.getDimSize(1)}};
  workload.loops[0].groupEnds = std::make_shared<const std::vector<int64_t>>(
      findEnds(getRowsPerExpert()));
  // The number of experts that a range of rows meets is no product.
  workload.maskedLoops.resize(3);
  workload.maskedLoops.set(0);
  MLIRContext *context = getContext();
  AffineExpr n = getAffineDimExpr(1, context), k = getAffineDimExpr(2, context),
             oneExpert = getAffineConstantExpr(0, context);
  Value choice = getExperts();
  // A tile of rows belongs to one expert at a time, and holds its weight.
  auto addOfExperts = [&](StringRef name, Value value,
                          ArrayRef<AffineExpr> indices) {
    SmallVector<AffineExpr> results = {oneExpert};
    llvm::append_range(results, indices);
    Buffer buffer{Buffer::Role::Read, name.str(), value,
                  AffineMap::get(3, 0, results, context),
                  tensorType(value).getElementType()};
    buffer.slices = chips * static_cast<int64_t>(getRowsPerExpert().size());
    buffer.slicesPerToken = getTopK();
    // If a token takes all experts, nothing is chosen. If the choice is not
    // given, the rows stand for it, because they come after it.
    if (buffer.slicesPerToken < buffer.slices)
      buffer.selectedBy.push_back(choice ? choice : Value(getLhs()));
    workload.buffers.push_back(std::move(buffer));
  };
  workload.addBuffer(Buffer::Role::Read, "lhs", getLhs(), {"m", "k"});
  if (getTransposeRhs())
    addOfExperts("rhs", getRhs(), {n, k});
  else
    addOfExperts("rhs", getRhs(), {k, n});
  if (Value bias = getBias())
    addOfExperts("bias", bias, {n});
  workload.addBuffer(Buffer::Role::Write, "out", getOut(), {"m", "n"});
  workload.addStage("mac", EngineKind::Matrix, {"m", "n", "k"},
                    {{WorkKind::Mac, 1}});
  return workload;
}

/// Returns the ends of the experts that have some of `rows`.
static ArrayRef<int64_t> endsWithin(const Loop &loop, Interval rows) {
  ArrayRef<int64_t> ends = *loop.groupEnds;
  const int64_t *first = llvm::upper_bound(ends, rows.begin);
  if (rows.begin >= rows.end || first == ends.end())
    return {};
  const int64_t *last = std::lower_bound(first, ends.end(), rows.end);
  return {first, last == ends.end() ? last : last + 1};
}

SmallVector<int64_t> GroupedMatmulOp::getPlace(const Workload &workload,
                                               unsigned loop,
                                               Interval interval) {
  // Only the number of rows that each expert has there matters.
  SmallVector<int64_t> rows;
  if (loop != 0)
    return rows;
  int64_t begin = interval.begin;
  for (int64_t end : endsWithin(workload.loops[loop], interval)) {
    rows.push_back(std::min(end, interval.end) - begin);
    begin = end;
  }
  return rows;
}

Count GroupedMatmulOp::countElements(const Workload &workload, unsigned buffer,
                                     Box box) {
  Count elements = countElementsOfProduct(workload, buffer, box);
  if (workload.buffers[buffer].slices == 0)
    return elements;
  return times(elements, endsWithin(workload.loops[0], box[0]).size());
}
