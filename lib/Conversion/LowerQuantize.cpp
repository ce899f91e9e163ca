//===- LowerQuantize.cpp - Values in other types --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scales are found layer by layer, the last one first. A layer's scale leaves
// to the layers before it what they and the values can hold. Values are divided
// by the scales as they are stored, so that the rounding of a scale does not
// add to that of a number.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// The largest number of a type. It is 1 for a type of large range, which
/// leaves nothing to scale.
double findLargest(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1) - 1;
  auto number = cast<FloatType>(type);
  if (number.getWidth() > 8 || isa<Float8E8M0FNUType>(type))
    return 1;
  return APFloat::getLargest(number.getFloatSemantics()).convertToDouble();
}

class BlockQuantizer {
public:
  BlockQuantizer(LinalgLowering &lowering, const Array &x, BlockScaledType to,
                 ArrayRef<Value> known)
      : lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), x(x), to(to),
        sizes(lowering.getSizes(x.getValues())) {
    for (ScalesAttr scales : to.getScales())
      layers.push_back(getScaleDims(scales, x.getRank()));
    scales.assign(known.begin(), known.end());
    scales.resize(layers.size());
  }

  SmallVector<Value> run() {
    for (size_t layer = layers.size(); layer-- > 0;)
      if (!scales[layer])
        scales[layer] = findScales(layer);
    SmallVector<Value> parts = {roundValues()};
    llvm::append_range(parts, scales);
    return parts;
  }

private:
  Arithmetic in(OpBuilder &b) const {
    return {b, loc, lowering.getComputeType()};
  }

  //===--------------------------------------------------------------------===//
  // The largest magnitude of each block
  //===--------------------------------------------------------------------===//

  /// Lists the dimensions along which a block has more than one element.
  SmallVector<int64_t> listInner(size_t layer) const {
    SmallVector<int64_t> inner;
    for (int64_t dim = 0; dim < x.getRank(); ++dim)
      if (findScaleBlock(layers[layer], dim) != 1)
        inner.push_back(dim);
    return inner;
  }

  /// Counts the blocks along each dimension of a layer.
  SmallVector<OpFoldResult> countBlocks(size_t layer) const {
    SmallVector<OpFoldResult> counts;
    for (auto [dim, block] : layers[layer]) {
      OpFoldResult size = sizes[dim];
      std::optional<int64_t> known = getConstantIntValue(size);
      if (known)
        size = builder.getIndexAttr(llvm::divideCeilSigned(*known, block));
      else if (block != 1)
        size = arith::CeilDivSIOp::create(builder, loc, cast<Value>(size),
                                          lowering.index(builder, block))
                   .getResult();
      counts.push_back(size);
    }
    return counts;
  }

  /// Makes an empty tensor with the sizes of a block. It only tells how far the
  /// loops inside of a block go.
  Value makeWindow(size_t layer, ArrayRef<int64_t> inner) const {
    SmallVector<OpFoldResult> counts;
    for (int64_t dim : inner) {
      std::optional<int64_t> block = findScaleBlock(layers[layer], dim);
      counts.push_back(block ? builder.getIndexAttr(*block) : sizes[dim]);
    }
    return lowering.empty(counts, builder.getI1Type());
  }

  /// Returns the indices of an element in a body whose loops are the blocks and
  /// the elements of one. The last block may be cut: behind its end, it has its
  /// last element once more.
  SmallVector<Value> locate(OpBuilder &b, size_t layer) const {
    SmallVector<Value> at(x.getRank());
    unsigned loop = 0;
    for (ScaleDim each : layers[layer])
      at[each.dim] = linalg::IndexOp::create(b, loc, loop++);
    for (int64_t dim : listInner(layer)) {
      Value inside = linalg::IndexOp::create(b, loc, loop++);
      std::optional<int64_t> block = findScaleBlock(layers[layer], dim);
      at[dim] = block ? step(b, at[dim], *block, inside, sizes[dim]) : inside;
    }
    return at;
  }

  /// Returns element `inside` of block `number`, which is before `end`.
  Value step(OpBuilder &b, Value number, int64_t block, Value inside,
             OpFoldResult end) const {
    Value first =
        arith::MulIOp::create(b, loc, number, lowering.index(b, block));
    Value at = arith::AddIOp::create(b, loc, first, inside);
    std::optional<int64_t> size = getConstantIntValue(end);
    if (size && *size % block == 0)
      return at;
    Value last = size ? lowering.index(b, *size - 1)
                      : Value(arith::SubIOp::create(b, loc, cast<Value>(end),
                                                    lowering.index(b, 1)));
    return arith::MinSIOp::create(b, loc, at, last);
  }

  Value findMagnitudes(size_t layer) const {
    SmallVector<int64_t> inner = listInner(layer);
    auto outer = static_cast<unsigned>(layers[layer].size());
    auto loops = static_cast<unsigned>(outer + inner.size());
    AffineMap all = builder.getMultiDimIdentityMap(loops);
    AffineMap outMap = AffineMap::get(
        loops, 0, all.getResults().take_front(outer), builder.getContext());
    AffineMap windowMap = AffineMap::get(
        loops, 0, all.getResults().drop_front(outer), builder.getContext());
    SmallVector<utils::IteratorType> iterators(loops,
                                               utils::IteratorType::reduction);
    std::fill_n(iterators.begin(), outer, utils::IteratorType::parallel);
    Value init = lowering.filled(countBlocks(layer), 0.0);
    auto generic = linalg::GenericOp::create(
        builder, loc, init.getType(), makeWindow(layer, inner), init,
        ArrayRef<AffineMap>{windowMap, outMap}, iterators,
        [&](OpBuilder &b, Location, ValueRange scalars) {
          Value stored = tensor::ExtractOp::create(b, loc, x.getValues(),
                                                   locate(b, layer));
          Value size = math::AbsFOp::create(b, loc, lowering.widen(b, stored));
          linalg::YieldOp::create(b, loc, in(b).maximum(size, scalars.back()));
        });
    return generic.getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // Scales
  //===--------------------------------------------------------------------===//

  /// Maps a block of one layer to the block of another layer in which it lies.
  AffineMap mapBlocks(size_t from, size_t into) const {
    SmallVector<AffineExpr> exprs;
    for (auto [dim, block] : layers[into])
      for (auto [number, inner] : llvm::enumerate(layers[from]))
        if (inner.dim == dim)
          exprs.push_back(
              (builder.getAffineDimExpr(number) * inner.block).floorDiv(block));
    return AffineMap::get(layers[from].size(), 0, exprs, builder.getContext());
  }

  /// The largest product of a value and the scales before this layer.
  double findLargestWithout(size_t layer) const {
    double largest = findLargest(to.getValueType());
    for (ScalesAttr inner : to.getScales().take_front(layer))
      largest *= findLargest(inner.getType());
    return largest;
  }

  static Value multiplyAll(const Arithmetic &a, ValueRange numbers) {
    Value product = numbers.front();
    for (Value number : numbers.drop_front())
      product = a.multiply(product, number);
    return product;
  }

  /// x / y, or 0 if y is 0, because all of the block was (nearly) 0 then.
  static Value divideOrZero(const Arithmetic &a, Value x, Value y) {
    Value zero = a.constant(0);
    Value isZero =
        arith::CmpFOp::create(a.b, a.loc, arith::CmpFPredicate::OEQ, y, zero);
    return arith::SelectOp::create(a.b, a.loc, isZero, zero, a.divide(x, y));
  }

  /// The largest power of two that is not above a number, which is its exponent
  /// alone.
  static Value floorToPower(const Arithmetic &a, Value number) {
    auto type = cast<FloatType>(a.type);
    auto whole = IntegerType::get(a.type.getContext(), type.getWidth());
    APInt exponent = APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt();
    Value bits = arith::BitcastOp::create(a.b, a.loc, whole, number);
    Value mask = arith::ConstantOp::create(a.b, a.loc,
                                           a.b.getIntegerAttr(whole, exponent));
    return arith::BitcastOp::create(
        a.b, a.loc, a.type, arith::AndIOp::create(a.b, a.loc, bits, mask));
  }

  /// quantize-R1. `magnitude` is that of a block, and `outer` are those of its
  /// scales that are known.
  Value findScale(const Arithmetic &a, size_t layer, Value magnitude,
                  ValueRange outer) const {
    double largest = findLargestWithout(layer);
    if (!isa<Float8E8M0FNUType>(to.getScales()[layer].getType())) {
      Value divisor = a.constant(largest);
      if (!outer.empty())
        divisor = a.multiply(divisor, multiplyAll(a, outer));
      return divideOrZero(a, magnitude, divisor);
    }
    if (!outer.empty())
      magnitude = divideOrZero(a, magnitude, multiplyAll(a, outer));
    double power = std::exp2(-std::floor(std::log2(largest)));
    Value floor = floorToPower(a, magnitude);
    return a.multiply(floor, a.constant(power));
  }

  Value findScales(size_t layer) const {
    Value magnitudes = findMagnitudes(layer);
    SmallVector<Read> reads = {
        {lowering.asArray(magnitudes),
         builder.getMultiDimIdentityMap(layers[layer].size())}};
    for (size_t outer = layer + 1; outer < layers.size(); ++outer)
      reads.push_back(
          {lowering.asArray(scales[outer]), mapBlocks(layer, outer)});
    return lowering.compute(
        countBlocks(layer), reads, to.getScales()[layer].getType(),
        [&](OpBuilder &b, Location, ValueRange numbers) {
          return findScale(in(b), layer, numbers.front(), numbers.drop_front());
        });
  }

  /// quantize-R2.
  Value roundValues() const {
    AffineMap identity = builder.getMultiDimIdentityMap(x.getRank());
    SmallVector<Read> reads = {{x, identity}};
    for (auto [layer, stored] : llvm::zip_equal(to.getScales(), scales))
      reads.push_back({lowering.asArray(stored), getScaleMap(layer, identity)});
    return lowering.compute(
        sizes, reads, to.getValueType(),
        [&](OpBuilder &b, Location, ValueRange numbers) {
          Value scale = multiplyAll(in(b), numbers.drop_front());
          return divideOrZero(in(b), numbers.front(), scale);
        });
  }

  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Array x;
  BlockScaledType to;
  SmallVector<OpFoldResult> sizes;
  SmallVector<SmallVector<ScaleDim>> layers;
  SmallVector<Value> scales; ///< of each layer; null until known
};

LogicalResult checkBlocks(Operation *op, BlockScaledType type, int64_t rank) {
  if (type.getValueType().isInteger(1))
    return op->emitOpError("has no lowering to values of 1 bit, which have no "
                           "largest number: expected at least 2");
  ArrayRef<ScalesAttr> layers = type.getScales();
  for (size_t layer = 1; layer < layers.size(); ++layer) {
    SmallVector<ScaleDim> inner = getScaleDims(layers[layer - 1], rank);
    for (auto [dim, block] : getScaleDims(layers[layer], rank)) {
      std::optional<int64_t> part = findScaleBlock(inner, dim);
      if (!part || block % *part)
        return op->emitOpError()
               << "has no lowering to " << type
               << ", of which a block lies in several of the next layer: "
                  "expected sizes of which each is a multiple of the one "
                  "before";
    }
  }
  return success();
}

LogicalResult lowerQuantize(QuantizeOp op, LinalgLowering &lowering) {
  Type element = getElementTypeOrSelf(op.getOut().getType());
  if (getElementTypeOrSelf(op.getX().getType()) == element) {
    lowering.setResult(0, lowering.getParts(op.getX()));
    return success();
  }
  Array x = lowering.getArray(op.getX());
  auto scaled = dyn_cast<BlockScaledType>(element);
  if (!scaled) {
    lowering.setResult(0, lowering.convert(x, element).getValues());
    return success();
  }
  if (op.getIsStatic() && !op.getScale())
    return op.emitOpError("knows its scales before ('static'), and no operand "
                          "holds them: say the one of all elements behind "
                          "'by'; without 'static' they are found");
  SmallVector<Value> known(scaled.getScales().size());
  if (op.getScale())
    known.back() = lowering.get(op.getScale());
  FailureOr<SmallVector<Value>> parts =
      quantizeBlocks(lowering, op, x, scaled, known);
  if (failed(parts))
    return failure();
  lowering.setResult(0, *parts);
  return success();
}

} // namespace

FailureOr<SmallVector<Value>> llm::quantizeBlocks(LinalgLowering &lowering,
                                                  Operation *op, const Array &x,
                                                  BlockScaledType to,
                                                  ArrayRef<Value> known) {
  if (failed(checkBlocks(op, to, x.getRank())))
    return failure();
  return BlockQuantizer(lowering, x, to, known).run();
}

void llm::attachQuantizeLowerings(MLIRContext *context) {
  attachLowering<QuantizeOp, lowerQuantize>(context);
}
