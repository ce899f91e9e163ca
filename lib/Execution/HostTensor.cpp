//===- HostTensor.cpp - Tensors in the memory of this machine -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Execution/HostTensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cmath>
#include <cstring>
#include <map>

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace mlir;
using namespace mlir::llm;

int64_t llm::getElementBytes(Type element) {
  // These are asked for with every element of a weight.
  if (element.isBF16() || element.isF16())
    return 2;
  if (element.isF32())
    return 4;
  if (element.isIndex())
    return sizeof(int64_t);
  return llvm::divideCeilSigned(element.getIntOrFloatBitWidth(), 8);
}

template <typename T>
static T load(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T>
static void store(char *bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

/// Loads the bits of an element. Most types have far fewer than 64.
static uint64_t loadBits(const char *bytes, int64_t count) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, count);
  return bits;
}

/// The numbers of all bytes that hold a small float, which are found once. Bits
/// that the type does not have count for nothing.
static const std::array<double, 256> &listNumbers(FloatType type) {
  using Numbers = std::array<double, 256>;
  thread_local std::map<const llvm::fltSemantics *, Numbers> known;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  auto [found, isNew] = known.try_emplace(&semantics);
  for (unsigned bits = 0; isNew && bits < found->second.size(); ++bits) {
    llvm::APFloat number(semantics,
                         llvm::APInt(type.getWidth(), bits, /*isSigned=*/false,
                                     /*implicitTrunc=*/true));
    found->second[bits] = number.isNaN() ? NAN : number.convertToDouble();
  }
  return found->second;
}

/// Moves the bits of a half to those of a double.
static double readHalf(uint16_t bits) {
  uint64_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = static_cast<double>(fraction) * 0x1p-24;
  if (exponent) {
    exponent = exponent == 31 ? 2047 : exponent - 15 + 1023;
    size = llvm::bit_cast<double>(exponent << 52 | fraction << 42);
  }
  return bits >> 15 ? -size : size;
}

double llm::readElement(Type element, const char *bytes) {
  if (element.isF32())
    return load<float>(bytes);
  if (element.isF64())
    return load<double>(bytes);
  if (element.isBF16())
    return llvm::bit_cast<float>(uint32_t(load<uint16_t>(bytes)) << 16);
  if (element.isF16())
    return readHalf(load<uint16_t>(bytes));
  uint64_t bits = loadBits(bytes, getElementBytes(element));
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (auto type = dyn_cast<FloatType>(element)) {
    if (width <= 8)
      return listNumbers(type)[bits];
    llvm::APFloat number(type.getFloatSemantics(),
                         llvm::APInt(width, bits, false, true));
    return number.convertToDouble();
  }
  if (width == 1) // a truth value, which has no sign
    return static_cast<double>(bits & 1);
  return static_cast<double>(llvm::SignExtend64(bits, width));
}

/// Rounds a finite number.
uint16_t llm::roundToBf16(float number) {
  auto bits = llvm::bit_cast<uint32_t>(number);
  if (std::isnan(number))
    return (bits >> 16) | 1 << 6; // quiet, whatever is cut off
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

namespace {
/// A float with a sign, zeros and subnormal numbers, of which larger numbers
/// have larger codes.
struct FloatLayout {
  int fractionBits;
  int leastExponent; ///< of a normal number
  uint64_t endCode;  ///< behind the largest number; infinity if there is one
  uint64_t nanCode;  ///< the largest number if there is none
  unsigned signBit;
};
} // namespace

static const FloatLayout *findLayout(Type type) {
  static constexpr FloatLayout bf16 = {7, -126, 0x7F80, 0x7FC0, 15},
                               f16 = {10, -14, 0x7C00, 0x7E00, 15},
                               f8E4M3FN = {3, -6, 0x7F, 0x7F, 7},
                               f8E5M2 = {2, -14, 0x7C, 0x7E, 7},
                               f6E2M3FN = {3, 0, 0x20, 0x1F, 5},
                               f6E3M2FN = {2, -2, 0x20, 0x1F, 5},
                               f4E2M1FN = {1, 0, 0x8, 0x7, 3};
  return ::llvm::TypeSwitch<Type, const FloatLayout *>(type)
      .Case([](BFloat16Type) { return &bf16; })
      .Case([](Float16Type) { return &f16; })
      .Case([](Float8E4M3FNType) { return &f8E4M3FN; })
      .Case([](Float8E5M2Type) { return &f8E5M2; })
      .Case([](Float6E2M3FNType) { return &f6E2M3FN; })
      .Case([](Float6E3M2FNType) { return &f6E3M2FN; })
      .Case([](Float4E2M1FNType) { return &f4E2M1FN; })
      .Default([](Type) { return nullptr; });
}

/// Rounds to nearest, ties to even. Of what is too large, floats of 16 bits
/// make infinity, and smaller ones their largest number, as programs do.
/// (APFloat rounds, too, and takes ten times as long.)
static uint64_t roundToCode(const FloatLayout &layout, double number) {
  if (std::isnan(number))
    return layout.nanCode;
  constexpr int bias = 1023, fractionBits = 52;
  auto bits = llvm::bit_cast<uint64_t>(std::fabs(number));
  int exponent = std::max(static_cast<int>(bits >> fractionBits) - bias,
                          layout.leastExponent);
  auto scale = llvm::bit_cast<double>(
      uint64_t(bias + layout.fractionBits - exponent) << fractionBits);
  uint64_t code = layout.endCode;
  if (exponent <= bias) { // else it is infinite
    // The sum has no bits for fractions.
    double steps = std::fabs(number) * scale + 0x1p52;
    // More steps than a fraction has carry to the exponent.
    code = (uint64_t(exponent - layout.leastExponent) << layout.fractionBits) +
           static_cast<uint64_t>(steps - 0x1p52);
  }
  bool saturates = layout.signBit < 15;
  code = std::min(code, layout.endCode - saturates);
  return code | uint64_t(std::signbit(number)) << layout.signBit;
}

/// Rounds to a power of two, of two equally near ones to that
/// of the even code. (APFloat takes the larger one.)
static uint8_t roundToExponent(double number) {
  constexpr int bias = 127, largest = 254, notANumber = 255;
  if (std::isnan(number))
    return notANumber;
  if (number <= 0x1p-127)
    return 0;
  if (number >= 0x1p+127)
    return largest;
  int code = std::ilogb(number) + bias;
  double part = std::scalbn(number, bias - code); // 1 or more, below 2
  bool isNextNearer = part > 1.5 || (part == 1.5 && code % 2 == 1);
  return static_cast<uint8_t>(code + isNextNearer);
}

/// Writes a number to a type of whose codes nothing is known here.
static void writeFloat(FloatType type, char *bytes, double number) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  double largest = llvm::APFloat::getLargest(semantics).convertToDouble();
  // Programs round to floats of less than 16 bits in this way.
  if (type.getWidth() < 16 && std::fabs(number) > largest)
    number = std::copysign(largest, number);
  llvm::APFloat value(number);
  bool losesInfo;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  std::memcpy(bytes, &bits, getElementBytes(type));
}

void llm::writeElement(Type element, char *bytes, double number) {
  if (element.isF32())
    return store(bytes, static_cast<float>(number));
  if (element.isF64())
    return store(bytes, number);
  if (const FloatLayout *layout = findLayout(element)) {
    uint64_t bits = roundToCode(*layout, number);
    std::memcpy(bytes, &bits, layout->signBit > 7 ? 2 : 1);
    return;
  }
  if (isa<Float8E8M0FNUType>(element))
    return store(bytes, roundToExponent(number));
  if (auto type = dyn_cast<FloatType>(element))
    return writeFloat(type, bytes, number);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (width == 1 || std::isnan(number))
    number = number != 0 && !std::isnan(number) ? -1 : 0; // all bits, or none
  double end = std::ldexp(1.0, static_cast<int>(width) - 1);
  double whole = std::nearbyint(number);
  int64_t value = whole >= end    ? llvm::maxIntN(width)
                  : whole <= -end ? llvm::minIntN(width)
                                  : static_cast<int64_t>(whole);
  // Compiled code does not set bits behind the last one either.
  uint64_t bits = value & llvm::maskTrailingOnes<uint64_t>(width);
  std::memcpy(bytes, &bits, getElementBytes(element));
}

/// Allocates memory, for large tensors in large pages if the system has them. A
/// memory is read 1.5 times as fast there as in pages of 4 KiB, because a CPU
/// does not fetch ahead across pages.
static char *allocate(size_t bytes) {
  constexpr size_t vectorBytes = 64, pageBytes = 2 << 20;
  bool isLarge = bytes >= 2 * pageBytes;
  size_t alignment = isLarge ? pageBytes : vectorBytes;
  bytes = llvm::alignTo(bytes, alignment);
  auto *data = static_cast<char *>(std::aligned_alloc(alignment, bytes));
  if (!data)
    llvm::report_bad_alloc_error("no memory for a tensor");
#ifdef __linux__
  if (isLarge)
    (void)madvise(data, bytes, MADV_HUGEPAGE); // only a hint
#endif
  return data;
}

HostTensor::HostTensor(Type element, ArrayRef<int64_t> shape)
    : element(element), shape(shape) {
  size_t bytes = std::max<int64_t>(getSizeBytes(), 1);
  data = allocate(bytes);
  std::memset(data, 0, bytes);
  owner = std::shared_ptr<void>(data, std::free);
}

HostTensor HostTensor::copy() const {
  size_t bytes = std::max<int64_t>(getSizeBytes(), 1);
  char *own = allocate(bytes);
  std::memcpy(own, data, getSizeBytes());
  return {element, shape, own, std::shared_ptr<void>(own, std::free)};
}

int64_t HostTensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

void HostTensor::fill(function_ref<float()> next) {
  int64_t count = getNumElements();
  // These types are fast, because the many weights have them.
  if (element.isF32()) {
    for (int64_t i = 0; i < count; ++i)
      store(data + i * sizeof(float), next());
  } else if (element.isBF16()) {
    for (int64_t i = 0; i < count; ++i)
      store(data + i * sizeof(uint16_t), roundToBf16(next()));
  } else {
    for (int64_t i = 0; i < count; ++i)
      set(i, next());
  }
}

HostTensor HostTensor::convertTo(Type type) const {
  if (type == element)
    return *this;
  HostTensor result(type, shape);
  int64_t count = getNumElements();
  auto small = dyn_cast<FloatType>(element);
  if (small && small.getWidth() <= 8) {
    const std::array<double, 256> &numbers = listNumbers(small);
    for (int64_t i = 0; i < count; ++i)
      result.set(i, numbers[static_cast<unsigned char>(data[i])]);
    return result;
  }
  for (int64_t i = 0; i < count; ++i)
    result.set(i, get(i));
  return result;
}

std::string llm::describe(const HostTensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : tensor.getShape())
    os << size << "x";
  os << tensor.getElementType();
  return text;
}

/// Finds the first word of floats in which all bits of the exponent are set.
/// Whole blocks are looked at first, which takes no longer than reading them.
template <typename Word>
static std::optional<int64_t> findExponent(const char *data, int64_t count,
                                           Word exponent) {
  constexpr int64_t blockSize = 4096;
  auto isSet = [&](int64_t i) {
    Word word;
    std::memcpy(&word, data + i * sizeof(Word), sizeof(Word));
    return (word & exponent) == exponent;
  };
  for (int64_t begin = 0; begin < count; begin += blockSize) {
    int64_t end = std::min(count, begin + blockSize);
    bool isAnySet = false;
    for (int64_t i = begin; i < end; ++i)
      isAnySet |= isSet(i);
    for (int64_t i = begin; isAnySet && i < end; ++i)
      if (isSet(i))
        return i;
  }
  return std::nullopt;
}

std::optional<int64_t> llm::findNonFinite(const HostTensor &tensor) {
  Type element = tensor.getElementType();
  int64_t count = tensor.getNumElements();
  if (element.isBF16())
    return findExponent<uint16_t>(tensor.getData(), count, 0x7F80);
  if (element.isF16())
    return findExponent<uint16_t>(tensor.getData(), count, 0x7C00);
  if (element.isF32())
    return findExponent<uint32_t>(tensor.getData(), count, 0x7F800000);
  if (!isa<FloatType>(element))
    return std::nullopt;
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(tensor.get(i)))
      return i;
  return std::nullopt;
}

Difference llm::compare(const HostTensor &found, const HostTensor &expected) {
  Difference difference;
  double largest = 0;
  for (int64_t i = 0, count = expected.getNumElements(); i < count; ++i)
    if (std::isfinite(expected.get(i)))
      largest = std::fmax(largest, std::fabs(expected.get(i)));
  for (int64_t i = 0, count = expected.getNumElements(); i < count; ++i) {
    double wanted = expected.get(i), got = found.get(i);
    if (wanted == got || (std::isnan(wanted) && std::isnan(got)))
      continue;
    if (!std::isfinite(got) || !std::isfinite(wanted)) {
      if (!difference.hasNonFinite)
        difference.index = i;
      difference.hasNonFinite = true;
      continue;
    }
    double error = std::fabs(got - wanted) / (largest > 0 ? largest : 1);
    if (error > difference.worst && !difference.hasNonFinite)
      difference.index = i;
    difference.worst = std::fmax(difference.worst, error);
  }
  return difference;
}
