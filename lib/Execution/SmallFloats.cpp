//===- SmallFloats.cpp - Floats that no CPU reads -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"
#include "llm/Execution/HostTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

namespace {

constexpr unsigned mostBits = 8;

bool isSmall(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= mostBits;
}

/// The codes of a float of few bits: a sign, if the type has one, above the
/// code of the magnitude. Codes are in the order of the magnitudes.
class SmallFormat {
public:
  explicit SmallFormat(FloatType type)
      : semantics(type.getFloatSemantics()), width(type.getWidth()),
        fraction(APFloat::semanticsPrecision(semantics) - 1),
        leastExponent(APFloat::semanticsMinExponent(semantics)) {}

  bool hasSign() const { return APFloat::semanticsHasSignedRepr(semantics); }
  /// Whether the type has 0. Codes below that of 2^leastExponent are spread
  /// evenly down to 0. A type without 0, of exponents alone, has no such codes.
  bool hasZero() const { return APFloat::semanticsHasZero(semantics); }
  /// Whether -0 exists. In a type without it (named FNUZ), its code is NaN.
  bool hasNegativeZero() const {
    return hasSign() && codeOf(APFloat::getZero(semantics, /*Negative=*/true));
  }
  uint64_t getLargest() const { return codeOf(APFloat::getLargest(semantics)); }
  /// The code of infinity, or what upstream's APFloat has in its place.
  uint64_t getOverflow() const {
    return APFloat::semanticsHasInf(semantics)
               ? codeOf(APFloat::getInf(semantics))
               : getNaN();
  }
  uint64_t getNaN() const {
    return APFloat::semanticsHasNaN(semantics)
               ? codeOf(APFloat::getQNaN(semantics))
               : getLargest();
  }

  const llvm::fltSemantics &semantics;
  int64_t width, fraction, leastExponent;

private:
  static uint64_t codeOf(const APFloat &number) {
    return number.bitcastToAPInt().getZExtValue();
  }
};

/// Rounds to a float of few bits, to nearest, ties to even. It computes in
/// whole numbers of the width of the operand.
class SmallRounding {
public:
  explicit SmallRounding(arith::TruncFOp op)
      : b(op), loc(op.getLoc()), to(cast<FloatType>(op.getType())), format(to) {
    // f32 has no numbers below the least power of two of f8E8M0FNU.
    bool isWide = op.getIn().getType().isF64() || !format.hasZero();
    from = isWide ? b.getF64Type() : b.getF32Type();
    whole = b.getIntegerType(from.getWidth());
    number = op.getIn().getType() == from
                 ? op.getIn()
                 : arith::ExtFOp::create(b, loc, from, op.getIn());
  }

  Value run() {
    Value bits = arith::BitcastOp::create(b, loc, whole, number);
    Value magnitude = arith::AndIOp::create(
        b, loc, bits, constant(llvm::maxIntN(from.getWidth())));
    Value isSmall =
        compare(arith::CmpIPredicate::ult, magnitude,
                constant(bitsOf(std::ldexp(1.0, format.leastExponent))));
    Value code = select(isSmall, roundSmall(magnitude), roundLarge(magnitude));
    Value largest = constant(format.getLargest());
    code = select(compare(arith::CmpIPredicate::ugt, code, largest),
                  constant(format.getOverflow()), code);
    code = select(isNoNumber(), constant(format.getNaN()),
                  format.hasSign() ? addSign(code, bits) : code);
    Type narrow = b.getIntegerType(format.width);
    return arith::BitcastOp::create(
        b, loc, to, arith::TruncIOp::create(b, loc, narrow, code));
  }

private:
  Value constant(uint64_t value) {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(whole, static_cast<int64_t>(value)));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value shiftRight(Value x, int64_t count) {
    return arith::ShRUIOp::create(b, loc, x, constant(count));
  }
  /// The bits of a number that is exact in the type of the operand.
  uint64_t bitsOf(double exact) const {
    return from.isF64() ? llvm::bit_cast<uint64_t>(exact)
                        : llvm::bit_cast<uint32_t>(static_cast<float>(exact));
  }
  int64_t getFraction() { return from.getFPMantissaWidth() - 1; }

  /// Rounds by dropping the last bits of the fraction. A carry goes on into the
  /// exponent, whose least value becomes 1 (0 in a type without 0).
  Value roundLarge(Value magnitude) {
    int64_t dropped = getFraction() - format.fraction;
    Value last = arith::AndIOp::create(b, loc, shiftRight(magnitude, dropped),
                                       constant(1));
    Value half = constant((uint64_t(1) << (dropped - 1)) - 1);
    Value sum = arith::AddIOp::create(b, loc, magnitude, half);
    sum = arith::AddIOp::create(b, loc, sum, last);
    uint64_t least = bitsOf(std::ldexp(1.0, format.leastExponent)) >> dropped;
    uint64_t first = format.hasZero() ? uint64_t(1) << format.fraction : 0;
    return arith::SubIOp::create(b, loc, shiftRight(sum, dropped),
                                 constant(least - first));
  }

  /// Rounds by adding a number whose last bit is worth as much as the least
  /// code. The addition rounds, and the sum has the code in its last bits.
  Value roundSmall(Value magnitude) {
    if (!format.hasZero())
      return constant(0);
    double large =
        std::ldexp(1.0, static_cast<int>(format.leastExponent -
                                         format.fraction + getFraction()));
    Value term = arith::ConstantOp::create(b, loc, b.getFloatAttr(from, large));
    Value sum = arith::AddFOp::create(
        b, loc, arith::BitcastOp::create(b, loc, from, magnitude), term);
    return arith::SubIOp::create(b, loc,
                                 arith::BitcastOp::create(b, loc, whole, sum),
                                 constant(bitsOf(large)));
  }

  Value addSign(Value code, Value bits) {
    Value sign = arith::AndIOp::create(
        b, loc, shiftRight(bits, from.getWidth() - format.width),
        constant(uint64_t(1) << (format.width - 1)));
    Value all = arith::OrIOp::create(b, loc, code, sign);
    if (format.hasNegativeZero())
      return all;
    Value zero = constant(0);
    return select(compare(arith::CmpIPredicate::eq, code, zero), zero, all);
  }

  /// Whether the number is NaN, or below 0 in a type without a sign.
  Value isNoNumber() {
    auto predicate = format.hasSign() ? arith::CmpFPredicate::UNO
                                      : arith::CmpFPredicate::ULT;
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(from, 0.0));
    return arith::CmpFOp::create(b, loc, predicate, number, zero);
  }

  OpBuilder b;
  Location loc;
  FloatType to;
  SmallFormat format;
  FloatType from;
  IntegerType whole;
  Value number;
};

struct SmallFloats : PassWrapper<SmallFloats, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SmallFloats)

  StringRef getArgument() const override { return "llm-small-floats"; }

  void runOnOperation() override {
    SmallVector<arith::TruncFOp> writes;
    getOperation().walk([&](arith::TruncFOp write) {
      if (isSmall(write.getType()))
        writes.push_back(write);
    });
    for (arith::TruncFOp write : writes)
      if (failed(round(write)))
        return signalPassFailure();
    // Results of rounding may be small floats that are read, too.
    SmallVector<arith::ExtFOp> reads;
    getOperation().walk([&](arith::ExtFOp read) {
      if (isSmall(read.getIn().getType()))
        reads.push_back(read);
    });
    for (arith::ExtFOp read : reads)
      lookUp(read);
  }

private:
  static LogicalResult round(arith::TruncFOp write) {
    auto mode = write.getRoundingmode();
    if (mode && *mode != arith::RoundingMode::to_nearest_even)
      return write.emitOpError()
             << "rounds to " << write.getType() << " by "
             << arith::stringifyRoundingMode(*mode)
             << "; expected to_nearest_even, the only mode of llm-run";
    write.replaceAllUsesWith(SmallRounding(write).run());
    write.erase();
    return success();
  }

  /// Returns a table with the number of each pattern of bits of the type.
  memref::GlobalOp getTable(FloatType type) {
    memref::GlobalOp &table = tables[type];
    if (table)
      return table;
    SmallVector<float> numbers;
    for (unsigned bits = 0; bits < (1U << type.getWidth()); ++bits) {
      char byte = static_cast<char>(bits);
      numbers.push_back(static_cast<float>(readElement(type, &byte)));
    }
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto shape = static_cast<int64_t>(numbers.size());
    Type element = builder.getF32Type();
    std::string name;
    llvm::raw_string_ostream(name) << "numbers." << type;
    table = memref::GlobalOp::create(
        builder, getOperation().getLoc(), name,
        builder.getStringAttr("private"), MemRefType::get(shape, element),
        DenseFPElementsAttr::get(RankedTensorType::get(shape, element),
                                 ArrayRef<float>(numbers)),
        /*constant=*/true, /*alignment=*/IntegerAttr());
    return table;
  }

  void lookUp(arith::ExtFOp read) {
    OpBuilder b(read);
    Location loc = read.getLoc();
    auto type = cast<FloatType>(read.getIn().getType());
    memref::GlobalOp table = getTable(type);
    Value bits = arith::BitcastOp::create(
        b, loc, b.getIntegerType(type.getWidth()), read.getIn());
    Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), bits);
    Value numbers = memref::GetGlobalOp::create(b, loc, table.getType(),
                                                table.getSymName());
    Value number = memref::LoadOp::create(b, loc, numbers, index);
    if (number.getType() != read.getType())
      number = arith::ExtFOp::create(b, loc, read.getType(), number);
    read.replaceAllUsesWith(number);
    read.erase();
  }

  DenseMap<Type, memref::GlobalOp> tables;
};

} // namespace

std::unique_ptr<Pass> mlir::llm::createSmallFloatsPass() {
  return std::make_unique<SmallFloats>();
}

float mlir::llm::returnBf16(float number) {
  return ::llvm::bit_cast<float>(uint32_t(roundToBf16(number)));
}
