//===- HostTensor.cpp - Tensors in the memory of this machine -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Execution/HostTensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace mlir;
using namespace mlir::llm;

int64_t llm::getElementBytes(Type element) {
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

double llm::readElement(Type element, const char *bytes) {
  if (element.isF32())
    return load<float>(bytes);
  if (element.isF64())
    return load<double>(bytes);
  if (element.isBF16())
    return llvm::bit_cast<float>(uint32_t(load<uint16_t>(bytes)) << 16);
  uint64_t bits = loadBits(bytes, getElementBytes(element));
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (auto type = dyn_cast<FloatType>(element)) {
    llvm::APFloat number(type.getFloatSemantics(),
                         llvm::APInt(width, bits, false, true));
    return number.convertToDouble();
  }
  if (width == 1) // a truth value, which has no sign
    return static_cast<double>(bits & 1);
  return static_cast<double>(llvm::SignExtend64(bits, width));
}

/// Rounds a finite number.
static uint16_t roundToBf16(float number) {
  auto bits = llvm::bit_cast<uint32_t>(number);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

static void writeFloat(FloatType type, char *bytes, double number) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  double largest = llvm::APFloat::getLargest(semantics).convertToDouble();
  // Programs round to floats of less than 16 bits in this way.
  if (type.getWidth() < 16 && std::fabs(number) > largest)
    number = std::copysign(largest, number);
  bool isNaN = std::isnan(number);
  if (isNaN && !llvm::APFloat::semanticsHasNaN(semantics))
    number = largest;
  else if (!isNaN && !llvm::APFloat::semanticsHasZero(semantics))
    number = std::fmax(number,
                       llvm::APFloat::getSmallest(semantics).convertToDouble());
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
  for (int64_t i = 0, count = getNumElements(); i < count; ++i)
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
