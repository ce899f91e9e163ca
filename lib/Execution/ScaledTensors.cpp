//===- ScaledTensors.cpp - Values and scales in two tensors ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaledTensors.h"
#include "llm/Import/WeightNames.h"
#include "llm/Support/Units.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Values of 8 bits
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes;
  llvm::copy_if(shape, std::back_inserter(sizes),
                [](int64_t size) { return size != 1; });
  return sizes;
}

/// Returns how many neighbours share a scale along each dimension; nothing if
/// the scales are not of such blocks.
static std::optional<SmallVector<int64_t>>
findBlocks(ArrayRef<int64_t> shape, ArrayRef<int64_t> scales) {
  // This is the size of DeepSeek's blocks. Only the config would tell another
  // size.
  constexpr int64_t blockOfFp8 = 128;
  SmallVector<int64_t> sizes(scales);
  // There may be one scale for all, or one for each row.
  if (sizes.size() < shape.size() && sizes.size() <= 1)
    sizes.resize(shape.size(), 1);
  if (sizes.size() != shape.size())
    return std::nullopt;
  SmallVector<int64_t> blocks;
  for (auto [size, count] : llvm::zip_equal(shape, sizes)) {
    if (count == 1 || count == size)
      blocks.push_back(count == 1 ? std::max<int64_t>(size, 1) : 1);
    else if (count == llvm::divideCeilSigned(size, blockOfFp8))
      blocks.push_back(blockOfFp8);
    else
      return std::nullopt;
  }
  return blocks;
}

/// Calls `visit` with the number of each element and that of its scale.
template <typename Visit>
static void walkScales(ArrayRef<int64_t> shape, ArrayRef<int64_t> blocks,
                       Visit visit) {
  if (shape.empty())
    return visit(0, 0);
  int64_t columns = shape.back(), block = blocks.back();
  int64_t inRow = llvm::divideCeilSigned(columns, block), rows = 1;
  for (int64_t size : shape.drop_back())
    rows *= size;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, scale = 0, stride = inRow;
    for (size_t dim = shape.size() - 1; dim-- > 0;) {
      scale += rest % shape[dim] / blocks[dim] * stride;
      stride *= llvm::divideCeilSigned(shape[dim], blocks[dim]);
      rest /= shape[dim];
    }
    for (int64_t begin = 0; begin < columns; begin += block, ++scale)
      for (int64_t i = begin; i < std::min(begin + block, columns); ++i)
        visit(row * columns + i, scale);
  }
}

/// Lists the number of each pattern of 8 bits.
static SmallVector<double> listNumbers(Type type) {
  SmallVector<double> numbers;
  for (unsigned bits = 0; bits < 256; ++bits) {
    char byte = static_cast<char>(bits);
    numbers.push_back(readElement(type, &byte));
  }
  return numbers;
}

static FailureOr<WeightParts> dequantizeBytes(const StoredTensor &values,
                                              Type valueType,
                                              const StoredTensor &scales,
                                              const HostTensor &scaleNumbers,
                                              Type element) {
  std::optional<SmallVector<int64_t>> blocks =
      findBlocks(values.shape, scales.shape);
  if (!blocks)
    return emitError(scales.loc)
           << "tensor '" << scales.name << "' is "
           << describeShape(scales.shape) << ", and scales '" << values.name
           << "', " << describeShape(values.shape)
           << "; expected a scale for each 128 elements along a dimension, for "
              "each one, or for all; import the program with the weights' own "
              "format";
  SmallVector<double> numbers = listNumbers(valueType);
  HostTensor result(element, values.shape);
  walkScales(values.shape, *blocks, [&](int64_t i, int64_t scale) {
    auto bits = static_cast<unsigned char>(values.data[i]);
    result.set(i, numbers[bits] * scaleNumbers.get(scale));
  });
  return WeightParts{result};
}

FailureOr<WeightParts> llm::readScaledBytes(const StoredTensor &values,
                                            Type valueType,
                                            const StoredTensor &scales,
                                            Type scaleType,
                                            ArrayRef<RankedTensorType> parts) {
  Type element = parts.front().getElementType();
  if (failed(values.checkShape(parts.front().getShape())))
    return failure();
  bool isOne = parts.size() == 1;
  FailureOr<HostTensor> numbers = scales.readPlain(
      scaleType, isOne ? scaleType : parts.back().getElementType());
  if (failed(numbers))
    return failure();
  if (isOne && isa<FloatType>(element) && element != valueType)
    return dequantizeBytes(values, valueType, scales, *numbers, element);
  if (parts.size() != 2)
    return values.refuse(element)
           << " with " << parts.size() - 1
           << " layers of scales; the file has one, '" << scales.name << "'";
  ArrayRef<int64_t> shape = parts.back().getShape();
  if (withoutUnits(shape) != withoutUnits(scales.shape))
    return scales.checkShape(shape);
  FailureOr<HostTensor> given = values.readPlain(valueType, element);
  if (failed(given) || element != valueType)
    return failed(given) ? failure() : LogicalResult(values.refuse(element));
  return WeightParts{*given,
                     HostTensor(numbers->getElementType(), shape,
                                numbers->getData(), numbers->getOwner())};
}

//===----------------------------------------------------------------------===//
// MXFP4
//===----------------------------------------------------------------------===//

static constexpr int64_t blockOfMxfp4 = 32;

/// Whether the weight has all experts: [experts, rows, columns].
static bool areExperts(RankedTensorType type) { return type.getRank() == 3; }

/// Returns value `i`. Two values are in a byte, the first in the low bits.
static char pickNibble(const char *bytes, int64_t i) {
  auto byte = static_cast<unsigned char>(bytes[i / 2]);
  return static_cast<char>(i % 2 ? byte >> 4 : byte & 15);
}

/// Makes numbers of blocks. Element [e, r, c] of experts becomes [e, c, r], and
/// [r, c] of other weights stays where it is.
static HostTensor dequantizeMxfp4(const StoredTensor &blocks,
                                  const StoredTensor &scales,
                                  RankedTensorType type, Type value,
                                  Type exponent) {
  HostTensor result(type.getElementType(), type.getShape());
  SmallVector<double> exponents = listNumbers(exponent);
  bool isTurned = areExperts(type);
  int64_t rows = isTurned ? type.getDimSize(2) : 1,
          columns = isTurned ? type.getDimSize(1) : 1;
  for (int64_t i = 0, count = result.getNumElements(); i < count; ++i) {
    char bits = pickNibble(blocks.data, i);
    auto scale = static_cast<unsigned char>(scales.data[i / blockOfMxfp4]);
    int64_t expert = i / (rows * columns), row = i / columns % rows,
            column = i % columns;
    result.set((expert * columns + column) * rows + row,
               readElement(value, &bits) * exponents[scale]);
  }
  return result;
}

/// Checks that blocks of experts fit a plain weight of `type`, which is
/// transposed.
static LogicalResult checkExperts(const StoredTensor &blocks,
                                  RankedTensorType type) {
  if (blocks.shape.size() != 4)
    return success();
  std::optional<int64_t> columns = checkedMul(blocks.shape[2], blockOfMxfp4);
  const int64_t plain[] = {blocks.shape[0], columns.value_or(-1),
                           blocks.shape[1]};
  if (type.getShape() == ArrayRef(plain))
    return success();
  return emitError(blocks.loc)
         << "tensor '" << blocks.name << "' is " << describeShape(blocks.shape)
         << ", experts that are " << describeShape(plain)
         << " in a plain type, as transformers has them; the program expects "
         << describeShape(type.getShape());
}

/// Checks that the rows of blocks are those of `shape`.
static LogicalResult checkGroups(const StoredTensor &blocks,
                                 const StoredTensor &scales,
                                 ArrayRef<int64_t> shape) {
  SmallVector<int64_t> groups(shape);
  if (groups.empty() || groups.back() % blockOfMxfp4)
    return emitError(blocks.loc)
           << "tensor '" << blocks.name << "' has rows of blocks of "
           << blockOfMxfp4 << " values, and the program expects "
           << describeShape(shape);
  groups.back() /= blockOfMxfp4;
  SmallVector<int64_t> bytes(groups);
  bytes.push_back(blockOfMxfp4 / 2);
  return success(succeeded(blocks.checkShape(bytes)) &&
                 succeeded(scales.checkShape(groups)));
}

FailureOr<WeightParts> llm::readMxfp4(const StoredTensor &blocks,
                                      const StoredTensor &scales,
                                      ArrayRef<RankedTensorType> parts) {
  RankedTensorType type = parts.front();
  MLIRContext *context = type.getContext();
  Type value = Float4E2M1FNType::get(context),
       exponent = Float8E8M0FNUType::get(context),
       element = type.getElementType();
  bool isPlain =
      parts.size() == 1 && isa<FloatType>(element) && element != value;
  bool isScaled = parts.size() == 2 && element == value &&
                  parts.back().getElementType() == exponent;
  if (!isPlain && !isScaled)
    return blocks.refuse(element)
           << "; expected MXFP4, or a plain float type: import the program "
              "with --weights=mxfp4 or f32";
  SmallVector<int64_t> shape(type.getShape());
  if (isPlain && areExperts(type)) {
    if (failed(checkExperts(blocks, type)))
      return failure();
    std::swap(shape[1], shape[2]);
  }
  if (failed(checkGroups(blocks, scales, shape)))
    return failure();
  if (isPlain)
    return WeightParts{dequantizeMxfp4(blocks, scales, type, value, exponent)};
  if (failed(scales.checkShape(parts.back().getShape())))
    return failure();
  HostTensor values(value, type.getShape());
  for (int64_t i = 0, count = values.getNumElements(); i < count; ++i)
    values.getData()[i] = pickNibble(blocks.data, i);
  return WeightParts{values,
                     HostTensor(exponent, scales.shape,
                                const_cast<char *>(scales.data), scales.file)};
}

//===----------------------------------------------------------------------===//
// NVFP4
//===----------------------------------------------------------------------===//

static constexpr int64_t blockOfNvfp4 = 16;

static LogicalResult checkNvfp4(const Nvfp4Tensors &tensors,
                                ArrayRef<int64_t> shape) {
  if (shape.empty() || shape.back() % blockOfNvfp4)
    return emitError(tensors.values.loc)
           << "tensor '" << tensors.values.name << "' has rows of blocks of "
           << blockOfNvfp4 << " values, and the program expects "
           << describeShape(shape);
  SmallVector<int64_t> bytes(shape), blocks(shape);
  bytes.back() /= 2;
  blocks.back() /= blockOfNvfp4;
  if (failed(tensors.values.checkShape(bytes)) ||
      failed(tensors.scales.checkShape(blocks)))
    return failure();
  if (tensors.scales.type != "F8_E4M3")
    return tensors.scales.refuse(
        Float8E4M3FNType::get(tensors.values.loc.getContext()));
  if (!tensors.outer || tensors.outer->type != "F32" ||
      !withoutUnits(tensors.outer->shape).empty())
    return emitError(tensors.outer ? tensors.outer->loc : tensors.values.loc)
           << "tensor '" << tensors.values.name
           << "' needs one number of F32 that scales all of its blocks, "
           << (tensors.isDivisor ? "'weight_global_scale'"
                                 : "'weight_scale_2'");
  return success();
}

FailureOr<WeightParts> llm::readNvfp4(const Nvfp4Tensors &tensors,
                                      ArrayRef<RankedTensorType> parts) {
  RankedTensorType type = parts.front();
  MLIRContext *context = type.getContext();
  Type value = Float4E2M1FNType::get(context),
       scale = Float8E4M3FNType::get(context), f32 = Float32Type::get(context),
       element = type.getElementType();
  bool isPlain =
      parts.size() == 1 && isa<FloatType>(element) && element != value;
  bool isScaled = parts.size() == 3 && element == value &&
                  parts[1].getElementType() == scale &&
                  parts[2].getElementType() == f32;
  if (!isPlain && !isScaled)
    return tensors.values.refuse(element)
           << "; expected NVFP4, or a plain float type: import the program "
              "with --weights=nvfp4 or f32";
  if (failed(checkNvfp4(tensors, type.getShape())))
    return failure();
  double outer = readElement(f32, tensors.outer->data);
  if (tensors.isDivisor)
    outer = 1 / outer;
  if (isScaled) {
    if (failed(tensors.scales.checkShape(parts[1].getShape())))
      return failure();
    HostTensor values(value, type.getShape()), ofAll(f32, parts[2].getShape());
    if (ofAll.getNumElements() != 1)
      return tensors.outer->checkShape(parts[2].getShape());
    for (int64_t i = 0, count = values.getNumElements(); i < count; ++i)
      values.getData()[i] = pickNibble(tensors.values.data, i);
    ofAll.set(0, outer);
    return WeightParts{values,
                       HostTensor(scale, tensors.scales.shape,
                                  const_cast<char *>(tensors.scales.data),
                                  tensors.scales.file),
                       ofAll};
  }
  SmallVector<double> scales = listNumbers(scale);
  HostTensor result(element, type.getShape());
  for (int64_t i = 0, count = result.getNumElements(); i < count; ++i) {
    char bits = pickNibble(tensors.values.data, i);
    auto ofBlock =
        static_cast<unsigned char>(tensors.scales.data[i / blockOfNvfp4]);
    result.set(i, readElement(value, &bits) * scales[ofBlock] * outer);
  }
  return WeightParts{result};
}
