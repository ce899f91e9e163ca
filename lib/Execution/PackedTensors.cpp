//===- PackedTensors.cpp - Whole numbers, several in a word ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts are those that AutoGPTQ, AutoAWQ and compressed-tensors write.
//
//===----------------------------------------------------------------------===//

#include "PackedTensors.h"
#include "llm/Import/WeightNames.h"
#include "llm/Support/Units.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

constexpr int64_t wordBits = 32;

/// A matrix of unsigned whole numbers. Several neighbours along one dimension
/// share a word, the first in its low bits.
struct PackedMatrix {
  const StoredTensor *stored;
  int64_t bits;
  unsigned packedDim;
  /// Whether even neighbours are in the lower half of a word and odd ones in
  /// the upper, as AWQ has them.
  bool isInterleaved = false;

  int64_t inWord() const { return wordBits / bits; }

  int64_t get(int64_t row, int64_t column) const {
    int64_t at[] = {row, column};
    int64_t place = at[packedDim] % inWord();
    at[packedDim] /= inWord();
    if (isInterleaved)
      place = place / 2 + place % 2 * (inWord() / 2);
    const char *word = stored->data + 4 * (at[0] * stored->shape[1] + at[1]);
    return llvm::support::endian::read32le(word) >> (place * bits) &
           ((int64_t(1) << bits) - 1);
  }
};

/// How a format stores one layer.
struct Layout {
  int64_t bits;
  PackedMatrix values;
  std::optional<PackedMatrix> zeros;
  /// Whether rows of values, scales and zero points are outputs.
  bool rowsAreOutputs;
  int64_t addToZeros = 0;
};

class PackedReader {
public:
  PackedReader(const PackedTensors &tensors, const Layout &layout,
               ArrayRef<RankedTensorType> parts)
      : tensors(tensors), layout(layout), parts(parts),
        outputs(parts.front().getDimSize(0)),
        inputs(parts.front().getDimSize(1)) {}

  FailureOr<WeightParts> read() {
    if (failed(readScales()) || failed(checkZeros()) || failed(readGroups()))
      return failure();
    Type element = parts.front().getElementType();
    if (parts.size() == 1 && isa<FloatType>(element))
      return dequantize(element);
    return split();
  }

private:
  int64_t middle() const { return int64_t(1) << (layout.bits - 1); }
  std::pair<int64_t, int64_t> place(int64_t output, int64_t other) const {
    return layout.rowsAreOutputs ? std::pair(output, other)
                                 : std::pair(other, output);
  }
  int64_t valueAt(int64_t output, int64_t input) const {
    auto [row, column] = place(output, input);
    return layout.values.get(row, column);
  }
  int64_t zeroAt(int64_t output, int64_t group) const {
    if (!layout.zeros)
      return middle();
    auto [row, column] = place(output, group);
    return layout.zeros->get(row, column) + layout.addToZeros;
  }
  double scaleAt(int64_t output, int64_t group) const {
    auto [row, column] = place(output, group);
    return scales.get(row * scales.getShape()[1] + column);
  }

  LogicalResult readScales() {
    auto isOfOutputs = [&] {
      ArrayRef<int64_t> shape = tensors.scales.shape;
      return shape.size() == 2 &&
             shape[layout.rowsAreOutputs ? 0 : 1] == outputs &&
             shape[layout.rowsAreOutputs ? 1 : 0] > 0 &&
             (tensors.groups ||
              inputs % shape[layout.rowsAreOutputs ? 1 : 0] == 0);
    };
    if (!isOfOutputs())
      return emitError(tensors.scales.loc)
             << "tensor '" << tensors.scales.name << "' is "
             << describeShape(tensors.scales.shape) << ", and scales '"
             << tensors.values.name << "', which is "
             << describeShape(parts.front().getShape())
             << " in the program; expected "
             << (layout.rowsAreOutputs ? "[out, groups]" : "[groups, out]")
             << ", with groups of as many inputs";
    FailureOr<HostTensor> read =
        tensors.scales.readPlain(tensors.scaleType, tensors.scaleType);
    if (failed(read))
      return failure();
    scales = *read;
    groupCount = scales.getShape()[layout.rowsAreOutputs ? 1 : 0];
    return success();
  }

  LogicalResult checkZeros() const {
    if (!layout.zeros)
      return success();
    auto [rows, columns] = place(outputs, groupCount);
    int64_t shape[] = {rows, columns};
    int64_t &packed = shape[layout.zeros->packedDim];
    packed = llvm::divideCeilSigned(packed, layout.zeros->inWord());
    return layout.zeros->stored->checkShape(shape);
  }

  LogicalResult readGroups() {
    int64_t size = llvm::divideCeilSigned(inputs, groupCount);
    for (int64_t input = 0; input < inputs; ++input)
      groupOf.push_back(input / size);
    if (!tensors.groups)
      return success();
    const int64_t shape[] = {inputs};
    if (failed(tensors.groups->checkShape(shape)))
      return failure();
    for (auto [input, group] : llvm::enumerate(groupOf)) {
      auto said = static_cast<int32_t>(
          llvm::support::endian::read32le(tensors.groups->data + 4 * input));
      if (said < 0 || said >= groupCount)
        return emitError(tensors.groups->loc)
               << "tensor '" << tensors.groups->name << "' says group " << said
               << " of input " << input << ", and there are " << groupCount
               << " groups";
      isInOrder &= said == group;
      group = said;
    }
    return success();
  }

  WeightParts dequantize(Type element) const {
    HostTensor result(element, parts.front().getShape());
    for (int64_t output = 0; output < outputs; ++output)
      for (int64_t input = 0; input < inputs; ++input) {
        int64_t group = groupOf[input];
        auto steps =
            static_cast<double>(valueAt(output, input) - zeroAt(output, group));
        result.set(output * inputs + input, steps * scaleAt(output, group));
      }
    return {result};
  }

  bool hasMiddleZeros() const {
    for (int64_t output = 0; output < outputs; ++output)
      for (int64_t group = 0; group < groupCount; ++group)
        if (zeroAt(output, group) != middle())
          return false;
    return true;
  }

  /// Returns signed values, and scales [out, groups].
  FailureOr<WeightParts> split() const {
    Type element = parts.front().getElementType();
    if (parts.size() != 2 || !element.isInteger(layout.bits) ||
        !isa<FloatType>(parts.back().getElementType()))
      return refuse("it has values of " + Twine(layout.bits) +
                    " bits, and one layer of scales");
    if (!isInOrder)
      return refuse("the groups of its inputs are no neighbours");
    if (!hasMiddleZeros())
      return refuse("its zero points are not all " + Twine(middle()) +
                    ", so that its numbers are no products of values and "
                    "scales");
    SmallVector<int64_t> shape = {outputs, groupCount};
    if (groupCount == 1 && parts.back().getRank() == 1)
      shape.pop_back();
    if (parts.back().getShape() != ArrayRef(shape))
      return refuse("it has " + Twine(groupCount) + " groups of inputs");
    HostTensor values(element, parts.front().getShape()),
        ofGroups(parts.back().getElementType(), shape);
    for (int64_t output = 0; output < outputs; ++output) {
      for (int64_t input = 0; input < inputs; ++input)
        values.set(output * inputs + input,
                   static_cast<double>(valueAt(output, input) - middle()));
      for (int64_t group = 0; group < groupCount; ++group)
        ofGroups.set(output * groupCount + group, scaleAt(output, group));
    }
    return WeightParts{values, ofGroups};
  }

  LogicalResult refuse(const Twine &reason) const {
    return tensors.values.refuse(parts.front().getElementType())
           << (parts.size() > 1 ? " with scales" : "") << ": " << reason
           << "; import the program with --weights=f32 (or f16, bf16), and the "
              "weights are converted";
  }

  const PackedTensors &tensors;
  const Layout &layout;
  ArrayRef<RankedTensorType> parts;
  int64_t outputs, inputs, groupCount = 0;
  HostTensor scales;
  SmallVector<int64_t> groupOf;
  bool isInOrder = true;
};

/// Returns the bits of each of `count` neighbours in so many words. Returns
/// nothing if these are not 2, 4 or 8.
std::optional<int64_t> findBits(int64_t words, int64_t count) {
  for (int64_t bits : {2, 4, 8})
    if (words == llvm::divideCeilSigned(count, wordBits / bits))
      return bits;
  return std::nullopt;
}

LogicalResult refuseShape(const StoredTensor &values, RankedTensorType type) {
  return emitError(values.loc)
         << "tensor '" << values.name << "' is " << describeShape(values.shape)
         << " of " << values.type << ", and the program expects "
         << describeShape(type.getShape())
         << "; expected values of 2, 4 or 8 bits in words of 32 for them";
}

bool isMatrixOfWords(const StoredTensor &stored) {
  return stored.shape.size() == 2 && stored.type == "I32";
}

bool areWords(const PackedTensors &tensors) {
  return isMatrixOfWords(tensors.values) &&
         (!tensors.zeros || isMatrixOfWords(*tensors.zeros)) &&
         (!tensors.groups || tensors.groups->type == "I32");
}

} // namespace

FailureOr<WeightParts> llm::readGptqOrAwq(const PackedTensors &tensors,
                                          int64_t addToZeros,
                                          ArrayRef<RankedTensorType> parts) {
  RankedTensorType type = parts.front();
  const StoredTensor &values = tensors.values;
  if (type.getRank() != 2 || !areWords(tensors))
    return refuseShape(values, type);
  int64_t outputs = type.getDimSize(0), inputs = type.getDimSize(1);
  std::optional<int64_t> bits;
  bool isAwq = values.shape[0] == inputs;
  if (isAwq)
    bits = findBits(values.shape[1], outputs);
  else if (values.shape[1] == outputs)
    bits = findBits(values.shape[0], inputs);
  if (!bits || (isAwq && *bits != 4))
    return refuseShape(values, type);
  Layout layout{*bits,
                {&values, *bits, isAwq ? 1U : 0U, isAwq},
                std::nullopt,
                /*rowsAreOutputs=*/false,
                isAwq ? 0 : addToZeros};
  if (tensors.zeros)
    layout.zeros = PackedMatrix{&*tensors.zeros, *bits, 1, isAwq};
  return PackedReader(tensors, layout, parts).read();
}

FailureOr<WeightParts>
llm::readPackQuantized(const PackedTensors &tensors,
                       ArrayRef<RankedTensorType> parts) {
  RankedTensorType type = parts.front();
  const StoredTensor &values = tensors.values;
  if (type.getRank() != 2 || !areWords(tensors) ||
      values.shape[0] != type.getDimSize(0))
    return refuseShape(values, type);
  std::optional<int64_t> bits = findBits(values.shape[1], type.getDimSize(1));
  if (!bits)
    return refuseShape(values, type);
  Layout layout{*bits,
                {&values, *bits, 1},
                std::nullopt,
                /*rowsAreOutputs=*/true};
  if (tensors.zeros)
    layout.zeros = PackedMatrix{&*tensors.zeros, *bits, 0};
  return PackedReader(tensors, layout, parts).read();
}
