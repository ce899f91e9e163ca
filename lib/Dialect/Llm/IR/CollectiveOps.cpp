//===- CollectiveOps.cpp - What chips exchange ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges.h"
#include "OpChecks.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;
using Role = Buffer::Role;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

FailureOr<int64_t> mlir::llm::verifyAxes(Operation *op, ArrayAttr axes,
                                         const AxesUse &use) {
  GridAttr grid = GridAttr::ofModule(op);
  if (!grid) // collective-C1
    return op->emitOpError() << "needs a grid on the module, such as llm.grid "
                                "= #llm.grid<tp = 8>";
  if (axes.empty()) // collective-C2
    return op->emitOpError() << "needs an axis of the grid " << use.purpose;
  llvm::SmallDenseSet<StringAttr> seen;
  for (StringAttr axis : axes.getAsRange<StringAttr>()) {
    if (!grid.sizeOf(axis)) // collective-C2
      return op->emitOpError() << use.verb << " over axis '" << axis.getValue()
                               << "', which the grid " << grid << " lacks";
    if (!seen.insert(axis).second) // collective-C2
      return op->emitOpError()
             << use.verb << " over axis '" << axis.getValue() << "' twice";
  }
  return grid.countChips(axes);
}

/// Returns the type of `x` with dimension `longer` times `chips` as long, and
/// `shorter` as many times shorter.
static RankedTensorType exchangedType(RankedTensorType x,
                                      std::optional<int64_t> longer,
                                      std::optional<int64_t> shorter,
                                      int64_t chips) {
  SmallVector<int64_t> shape(x.getShape());
  if (shorter && !ShapedType::isDynamic(shape[*shorter]))
    shape[*shorter] /= chips;
  if (longer && !ShapedType::isDynamic(shape[*longer]))
    shape[*longer] *= chips;
  return RankedTensorType::get(shape, x.getElementType());
}

/// Checks that `out` is such an exchanged `x`.
static LogicalResult verifyShapes(Operation *op, Value x, Value out,
                                  std::optional<int64_t> longer,
                                  std::optional<int64_t> shorter,
                                  int64_t chips) {
  RankedTensorType from = tensorType(x), to = tensorType(out);
  for (std::optional<int64_t> dim : {longer, shorter})
    if (dim && (*dim < 0 || *dim >= from.getRank())) // collective-C3
      return op->emitOpError() << "names dimension " << *dim << " of " << from;
  if (shorter && !from.isDynamicDim(*shorter) &&
      from.getDimSize(*shorter) % chips != 0) // collective-C4
    return op->emitOpError() << "cuts dimension " << *shorter << " of " << from
                             << " into " << chips << " equal pieces";
  RankedTensorType expected = exchangedType(from, longer, shorter, chips);
  auto agreeInShape = [&] {
    return llvm::all_of(
        llvm::zip_equal(expected.getShape(), to.getShape()), [](auto sizes) {
          return agree(std::get<0>(sizes), std::get<1>(sizes));
        });
  };
  if (to.getElementType() == from.getElementType() &&
      to.getRank() == from.getRank() && agreeInShape())
    return success();
  return op->emitOpError() // collective-C5
         << "makes " << expected << " of " << from << " among " << chips
         << " chips, got " << to;
}

/// Whether pieces along a dimension have whole blocks of scales. 0 elements
/// that share a scale are all: a piece has one of its own.
static LogicalResult verifyBlocks(Operation *op, Value piece, int64_t dim) {
  RankedTensorType type = tensorType(piece);
  auto storage = dyn_cast<StorageBytesTypeInterface>(type.getElementType());
  int64_t granule = storage ? storage.getGranule(type.getRank() - 1 - dim) : 1;
  if (granule <= 1 || ShapedType::isDynamic(type.getDimSize(dim)) ||
      type.getDimSize(dim) % granule == 0)
    return success();
  return op->emitOpError() // collective-C7
         << "has pieces " << type << " that cut through blocks of scales along "
         << "dimension " << dim;
}

template <typename Op>
static LogicalResult verifyCollective(Op op, std::optional<int64_t> longer,
                                      std::optional<int64_t> shorter) {
  FailureOr<int64_t> chips =
      verifyAxes(op, op.getAxes(), {"exchanges", "to exchange over"});
  if (failed(chips))
    return failure();
  return verifyShapes(op, op.getX(), op.getOut(), longer, shorter, *chips);
}

static int64_t toNumber(uint64_t dim) { return static_cast<int64_t>(dim); }

LogicalResult AllReduceOp::verify() {
  return verifyCollective(*this, std::nullopt, std::nullopt);
}

LogicalResult AllGatherOp::verify() {
  return success(
      succeeded(verifyCollective(*this, toNumber(getDim()), std::nullopt)) &&
      succeeded(verifyBlocks(*this, getX(), toNumber(getDim()))));
}

LogicalResult ReduceScatterOp::verify() {
  return verifyCollective(*this, std::nullopt, toNumber(getDim()));
}

LogicalResult TakePieceOp::verify() {
  return success(
      succeeded(verifyCollective(*this, std::nullopt, toNumber(getDim()))) &&
      succeeded(verifyBlocks(*this, getOut(), toNumber(getDim()))));
}

SmallVector<Value> TakePieceOp::getForwardedValues() { return {getX()}; }

void TakePieceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getOut(), "piece");
}

LogicalResult AllToAllOp::verify() {
  if (getFrom() == getTo()) // collective-C6
    return emitOpError() << "exchanges along two dimensions, got " << getFrom()
                         << " twice";
  return verifyCollective(*this, toNumber(getTo()), toNumber(getFrom()));
}

//===----------------------------------------------------------------------===//
// Open sizes
//===----------------------------------------------------------------------===//

template <typename Op>
static FailureOr<bool> bindOut(Op op, std::optional<int64_t> longer,
                               std::optional<int64_t> shorter) {
  int64_t chips = GridAttr::ofModule(op).countChips(op.getAxes());
  op.getOut().setType(
      exchangedType(op.getX().getType(), longer, shorter, chips));
  return false;
}

FailureOr<bool> AllReduceOp::bindOpenSizes(RewriterBase &) {
  return bindOut(*this, std::nullopt, std::nullopt);
}

FailureOr<bool> AllGatherOp::bindOpenSizes(RewriterBase &) {
  return bindOut(*this, toNumber(getDim()), std::nullopt);
}

FailureOr<bool> ReduceScatterOp::bindOpenSizes(RewriterBase &) {
  return bindOut(*this, std::nullopt, toNumber(getDim()));
}

FailureOr<bool> TakePieceOp::bindOpenSizes(RewriterBase &) {
  return bindOut(*this, std::nullopt, toNumber(getDim()));
}

FailureOr<bool> AllToAllOp::bindOpenSizes(RewriterBase &) {
  return bindOut(*this, toNumber(getTo()), toNumber(getFrom()));
}

//===----------------------------------------------------------------------===//
// Workloads
//===----------------------------------------------------------------------===//

FailureOr<GridAttr> mlir::llm::requireGrid(Operation *op, EmitError emitError) {
  if (failed(requireStaticShapes(op, emitError)))
    return failure();
  if (GridAttr grid = GridAttr::ofModule(op))
    return grid;
  emitError() << "needs a grid on the module (llm.grid)";
  return failure();
}

FailureOr<Collective> mlir::llm::makeCollective(CollectiveKind kind,
                                                GridAttr grid, ArrayAttr axes,
                                                Count bytes,
                                                EmitError emitError) {
  if (failed(bytes)) {
    emitError() << "has more than 2^61 - 1 bytes";
    return failure();
  }
  Collective group{kind, grid.countChips(axes), grid.spanOf(axes), *bytes};
  for (StringAttr axis : axes.getAsRange<StringAttr>())
    group.axes.push_back({*grid.sizeOf(axis), grid.strideOf(axis)});
  return group;
}

/// What x and out have in common: loops over a piece of them and, if there is
/// one, over chips. `gathered` and `scattered` are the dimensions of out and x
/// that have a piece of each chip.
template <typename Op>
static FailureOr<Workload> collectiveWorkload(Op op, EmitError emitError,
                                              CollectiveKind kind,
                                              std::optional<int64_t> scattered,
                                              std::optional<int64_t> gathered) {
  FailureOr<GridAttr> grid = requireGrid(op, emitError);
  if (failed(grid))
    return failure();
  int64_t chips = grid->countChips(op.getAxes());
  SmallVector<int64_t> piece(tensorType(op.getX()).getShape());
  if (scattered)
    piece[*scattered] /= chips;
  Workload workload;
  bool joins = kind == CollectiveKind::ReduceScatter;
  if (scattered || gathered)
    workload.loops.push_back(
        {"c", joins ? IteratorType::reduction : IteratorType::parallel, chips,
         Loop::Tiles::Whole});
  unsigned first = workload.loops.size();
  for (auto [dim, size] : llvm::enumerate(piece))
    workload.loops.push_back({"d" + std::to_string(dim), IteratorType::parallel,
                              size, Loop::Tiles::Whole});
  MLIRContext *context = op.getContext();
  auto addBuffer = [&](Role role, StringRef name, Value value,
                       std::optional<int64_t> ofChips) {
    SmallVector<AffineExpr> exprs;
    for (auto [dim, size] : llvm::enumerate(piece)) {
      AffineExpr expr = getAffineDimExpr(first + dim, context);
      if (ofChips == int64_t(dim))
        expr = getAffineDimExpr(0, context) * size + expr;
      exprs.push_back(expr);
    }
    Buffer &buffer = workload.buffers.emplace_back();
    buffer.role = role;
    buffer.name = name;
    buffer.value = value;
    buffer.map = AffineMap::get(workload.loops.size(), 0, exprs, context);
    buffer.elementType = tensorType(value).getElementType();
  };
  addBuffer(Role::Read, "x", op.getX(), scattered);
  addBuffer(Role::Write, "out", op.getOut(), gathered);
  SmallVector<StringRef> all;
  for (const Loop &loop : workload.loops)
    all.push_back(loop.name);
  workload.addStage("exchange", EngineKind::Network, all, {});
  Count bytes = storageBytes(
      (kind == CollectiveKind::AllGather ? op.getOut() : op.getX()).getType());
  FailureOr<Collective> group =
      makeCollective(kind, *grid, op.getAxes(), bytes, emitError);
  if (failed(group))
    return failure();
  workload.collective = std::move(*group);
  return workload;
}

FailureOr<Workload> AllReduceOp::getWorkload(EmitError emitError) {
  return collectiveWorkload(*this, emitError, CollectiveKind::AllReduce,
                            std::nullopt, std::nullopt);
}

FailureOr<Workload> AllGatherOp::getWorkload(EmitError emitError) {
  return collectiveWorkload(*this, emitError, CollectiveKind::AllGather,
                            std::nullopt, toNumber(getDim()));
}

FailureOr<Workload> ReduceScatterOp::getWorkload(EmitError emitError) {
  return collectiveWorkload(*this, emitError, CollectiveKind::ReduceScatter,
                            toNumber(getDim()), std::nullopt);
}

FailureOr<Workload> AllToAllOp::getWorkload(EmitError emitError) {
  return collectiveWorkload(*this, emitError, CollectiveKind::AllToAll,
                            toNumber(getFrom()), toNumber(getTo()));
}
