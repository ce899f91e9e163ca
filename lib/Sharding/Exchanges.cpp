//===- Exchanges.cpp - What chips exchange where an op needs it -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

Cut mlir::llm::cutOf(const DenseMap<Value, Cut> &cuts, Value value) {
  auto found = cuts.find(value);
  return found == cuts.end() ? Cut::whole(sizesOf(value.getType()).size())
                             : found->second;
}

size_t mlir::llm::countKeptAxes(const Axes &own, const Axes &needed) {
  if (!own.segments.empty() || !needed.segments.empty())
    return own == needed ? own.names.size() : 0;
  auto pairs = llvm::zip(own.names, needed.names);
  auto other = llvm::find_if(
      pairs, [](auto pair) { return std::get<0>(pair) != std::get<1>(pair); });
  return std::distance(pairs.begin(), other);
}

/// The name of the op whose result a value shows, and behind it the number of a
/// further result; empty if it has none.
static std::string nameOfProducer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto work = dyn_cast<WorkloadOpInterface>(op)) {
      std::string name = work.getWorkloadName().str();
      return name.empty() || number == 0 ? name
                                         : name + "." + std::to_string(number);
    }
    if (op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return {};
}

StringAttr Exchanges::nameBehind(Value value, StringRef suffix) {
  std::string name = nameOfProducer(value);
  if (name.empty())
    return {};
  name += "." + suffix.str();
  if (unsigned before = usesOfName[name]++)
    name += std::to_string(before + 1);
  return rewriter.getStringAttr(name);
}

template <typename Op, typename... Args>
Value Exchanges::exchange(Value value, StringRef suffix, Cut cut,
                          Args &&...args) {
  rewriter.setInsertionPointAfterValue(value);
  StringAttr name = nameBehind(value, suffix);
  auto op = Op::create(rewriter, value.getLoc(), std::forward<Args>(args)...);
  if (name)
    op.setNameAttr(name);
  cuts[op.getOut()] = std::move(cut);
  return op.getOut();
}

Value Exchanges::sumUp(Value value) {
  auto [sum, isNew] = sums.try_emplace(value);
  if (!isNew)
    return sum->second;
  Cut cut = cutOf(value);
  ArrayAttr axes = toAttribute(value.getContext(), cut.partial);
  cut.partial.clear();
  Value out = exchange<AllReduceOp>(value, "all_reduce", cut, value.getType(),
                                    StringAttr(), Join::Sum, value, axes);
  return sums[value] = out;
}

/// Of a summand, a chip gets its piece of the sum along each dimension that is
/// to be cut further, as far as the first of these axes are some of the sum.
Value Exchanges::sumUpPieces(Value value, const Cut &needed) {
  for (auto [dim, axes] : llvm::enumerate(needed.dims)) {
    Cut cut = cutOf(value);
    size_t kept = countKeptAxes(cut.dims[dim], axes);
    ArrayRef<StringAttr> further =
        ArrayRef(axes.names).drop_front(kept).take_while([&](StringAttr axis) {
          return llvm::is_contained(cut.partial, axis);
        });
    if (further.empty() || !axes.segments.empty() ||
        kept < cut.dims[dim].names.size() || sums.contains(value))
      continue;
    auto [piece, isNew] = scattered.try_emplace({value, unsigned(dim)});
    if (isNew) {
      llvm::append_range(cut.dims[dim].names, further);
      llvm::erase_if(cut.partial, [&](StringAttr axis) {
        return llvm::is_contained(further, axis);
      });
      Cut only = Cut::whole(cut.dims.size());
      llvm::append_range(only.dims[dim].names, further);
      Value made = exchange<ReduceScatterOp>(
          value, "reduce_scatter", cut, pieceOf(value.getType(), only, grid),
          StringAttr(), Join::Sum, value,
          toAttribute(value.getContext(), further), int64_t(dim));
      scattered[{value, unsigned(dim)}] = made;
    }
    value = scattered[{value, unsigned(dim)}];
  }
  return value;
}

/// What is cut along one dimension, and needed along another one over the same
/// axes, is exchanged at once: each chip sends the others only what they need.
Value Exchanges::moveCuts(Value value, const Cut &needed) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || isa<BlockScaledType>(type.getElementType()))
    return value;
  for (auto [cutDim, axes] : llvm::enumerate(needed.dims)) {
    Cut cut = cutOf(value);
    size_t wholeDim = llvm::find(cut.dims, axes) - cut.dims.begin();
    if (axes.empty() || !axes.segments.empty() || !cut.dims[cutDim].empty() ||
        wholeDim == cut.dims.size() || !needed.dims[wholeDim].empty())
      continue;
    Value &out = moved[{value, unsigned(cutDim)}];
    if (!out) {
      SmallVector<int64_t> shape(
          cast<RankedTensorType>(value.getType()).getShape());
      shape[wholeDim] *= countChips(axes, grid);
      shape[cutDim] /= countChips(axes, grid);
      std::swap(cut.dims[wholeDim], cut.dims[cutDim]);
      out = exchange<AllToAllOp>(value, "all_to_all", cut, type.clone(shape),
                                 StringAttr(), value,
                                 toAttribute(value.getContext(), axes.names),
                                 int64_t(cutDim), int64_t(wholeDim));
    }
    value = out;
  }
  return value;
}

Value Exchanges::swapParts(Value value, ArrayRef<StringAttr> axes, size_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t chips = countChips({llvm::to_vector<2>(axes)}, grid);
  shape[dim] /= chips;
  shape[dim - 1] *= chips;
  return exchange<AllToAllOp>(value, "all_to_all", Cut::whole(shape.size()),
                              type.clone(shape), StringAttr(), value,
                              toAttribute(value.getContext(), axes),
                              int64_t(dim), int64_t(dim) - 1);
}

Value Exchanges::gatherAlong(Value value, size_t dim, size_t kept) {
  std::pair<Value, std::pair<unsigned, unsigned>> place(value, {dim, kept});
  if (Value known = gathered.lookup(place))
    return known;
  Cut cut = cutOf(value);
  Axes axes = cut.dims[dim];
  cut.dims[dim] = {{axes.names.begin(), axes.names.begin() + kept}};
  axes.names.erase(axes.names.begin(), axes.names.begin() + kept);
  RankedTensorType type = growAlong(cast<RankedTensorType>(value.getType()),
                                    dim, countChips(axes, grid));
  Value out = exchange<AllGatherOp>(
      value, "all_gather", cut, type, StringAttr(), value,
      toAttribute(value.getContext(), axes.names), int64_t(dim));
  if (!axes.segments.empty())
    out = sortSegments(out, dim, axes);
  return gathered[place] = out;
}

Value mlir::llm::sliceAlong(OpBuilder &builder, Value value, size_t dim,
                            int64_t begin, int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(builder, value.getLoc(), value);
  offsets[dim] = builder.getIndexAttr(begin);
  sizes[dim] = builder.getIndexAttr(size);
  return tensor::ExtractSliceOp::create(builder, value.getLoc(), value, offsets,
                                        sizes, strides);
}

/// A gathered value has the piece of one chip behind that of another. Each
/// segment is put together from the pieces of it. That is a view.
Value Exchanges::sortSegments(Value value, size_t dim, const Axes &axes) {
  rewriter.setInsertionPointAfter(value.getDefiningOp());
  int64_t chips = countChips(axes, grid), begin = 0,
          ofChip =
              cast<RankedTensorType>(value.getType()).getDimSize(dim) / chips;
  SmallVector<Value> parts;
  for (int64_t segment : axes.segments) {
    int64_t size = segment / chips;
    for (int64_t chip = 0; chip < chips; ++chip)
      parts.push_back(
          sliceAlong(rewriter, value, dim, chip * ofChip + begin, size));
    begin += size;
  }
  Value sorted = tensor::ConcatOp::create(rewriter, value.getLoc(), dim, parts);
  cuts[sorted] = cutOf(value);
  return sorted;
}

/// A chip takes its piece where it is needed: that takes no time.
Value Exchanges::takeOwn(Operation *op, Value value, size_t dim,
                         const Axes &axes) {
  rewriter.setInsertionPoint(op);
  Cut cut = cutOf(value), only = Cut::whole(cut.dims.size());
  llvm::append_range(
      only.dims[dim].names,
      ArrayRef(axes.names).drop_front(cut.dims[dim].names.size()));
  ArrayAttr names = toAttribute(value.getContext(), only.dims[dim].names);
  SmallVector<Value> parts;
  int64_t begin = 0, size = sizesOf(value.getType())[dim];
  for (int64_t segment : segmentsOf(axes, size)) {
    Value whole = axes.segments.empty()
                      ? value
                      : sliceAlong(rewriter, value, dim, begin, segment);
    parts.push_back(TakePieceOp::create(rewriter, op->getLoc(),
                                        pieceOf(whole.getType(), only, grid),
                                        whole, names, int64_t(dim)));
    begin += segment;
  }
  Value piece =
      parts.size() == 1
          ? parts.front()
          : tensor::ConcatOp::create(rewriter, op->getLoc(), dim, parts);
  cut.dims[dim] = axes;
  cuts[piece] = cut;
  return piece;
}
