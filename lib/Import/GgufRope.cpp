//===- GgufRope.cpp - Angles of a model in a GGUF file --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are those of ggml's docs/gguf.md and llama.cpp's gguf-py (constants.py).
// Defaults are those of llama.cpp.
//
//===----------------------------------------------------------------------===//

#include "GgufFields.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <cmath>

namespace mlir::llm {

bool isGgufRopeScalingKey(StringRef key) {
  static constexpr llvm::StringLiteral known[] = {
      "rope.scaling.type",
      "rope.scaling.factor",
      "rope.scaling.original_context_length",
      "rope.scaling.finetuned",
      "rope.scaling.attn_factor",
      "rope.scaling.yarn_ext_factor",
      "rope.scaling.yarn_attn_factor",
      "rope.scaling.yarn_beta_fast",
      "rope.scaling.yarn_beta_slow"};
  return llvm::is_contained(known, key);
}

namespace {
class ScalingReader {
public:
  ScalingReader(const GgufFields &fields, int64_t pairs)
      : fields(fields), pairs(pairs), b(fields.header.loc().getContext()) {}

  LogicalResult read(RopeConfig &rope);

private:
  FailureOr<RopeScalingAttr> readKeys();
  FailureOr<RopeScalingAttr> readYarn(double factor);
  /// Reads factors. They are null if all are 1, or if there is no tensor.
  FailureOr<RopeScalingAttr> readFactors();
  LogicalResult expectOne(StringRef key);
  FloatAttr attr(double value) { return b.getF64FloatAttr(value); }

  const GgufFields &fields;
  int64_t pairs;
  Builder b;
};
} // namespace

LogicalResult ScalingReader::expectOne(StringRef key) {
  FailureOr<double> value = fields.number(key, 1);
  if (failed(value))
    return failure();
  if (*value != 1)
    return fields.refuse(fields.keyOf(key))
           << "other than 1 is not supported, got " << *value;
  return success();
}

FailureOr<RopeScalingAttr> ScalingReader::readYarn(double factor) {
  FailureOr<double> fast = fields.number("rope.scaling.yarn_beta_fast", 32),
                    slow = fields.number("rope.scaling.yarn_beta_slow", 1);
  if (failed(fast) || failed(slow))
    return failure();
  if (*slow > *fast)
    return fields.refuse(fields.keyOf("rope.scaling.yarn_beta_slow"))
           << "must not be above 'yarn_beta_fast', got " << *slow;
  StringRef original = "rope.scaling.original_context_length";
  FailureOr<int64_t> positions = fields.has(original)
                                     ? fields.size(original)
                                     : fields.size("context_length");
  if (failed(positions))
    return failure();
  double amplitude = factor <= 1 ? 1 : 0.1 * std::log(factor) + 1;
  return RopeScalingAttr::get(b.getContext(), RopeScalingKind::Yarn,
                              attr(factor), {}, {}, attr(*fast), attr(*slow),
                              *positions, /*truncate=*/true, {},
                              amplitude == 1 ? FloatAttr() : attr(amplitude));
}

FailureOr<RopeScalingAttr> ScalingReader::readKeys() {
  std::string key = fields.keyOf("rope.scaling.type");
  auto named = fields.header.findString(key);
  FailureOr<double> factor = fields.number("rope.scaling.factor", 1);
  if (failed(named) || failed(factor))
    return failure();
  for (StringRef each :
       {"rope.scaling.attn_factor", "rope.scaling.yarn_ext_factor",
        "rope.scaling.yarn_attn_factor"})
    if (failed(expectOne(each)))
      return failure();
  StringRef kind = named->value_or("linear");
  if (kind == "yarn")
    return readYarn(*factor);
  if (kind != "linear" && kind != "none")
    return fields.refuse(key)
           << "must be one of none, linear, yarn; got \"" << kind << "\"";
  if (kind == "none" || *factor == 1)
    return RopeScalingAttr();
  return RopeScalingAttr::get(b.getContext(), RopeScalingKind::Linear,
                              attr(*factor), {}, {}, {}, {}, 0, false, {}, {});
}

FailureOr<RopeScalingAttr> ScalingReader::readFactors() {
  const GgufTensor *tensor = fields.header.findTensor(ggufRopeFactors);
  if (!tensor)
    return RopeScalingAttr();
  auto refuse = [&]() {
    return mlir::emitError(fields.header.loc(*tensor))
           << "tensor '" << tensor->name << "' ";
  };
  if (tensor->type->name != "f32" || tensor->shape.size() != 1 ||
      tensor->shape.front() != pairs)
    return refuse() << "must be " << pairs
                    << " numbers of f32, one for each pair of features of a "
                       "head";
  SmallVector<double> factors;
  for (int64_t i = 0; i < pairs; ++i)
    factors.push_back(llvm::bit_cast<float>(llvm::support::endian::read32le(
        fields.header.getData(*tensor).data() + i * sizeof(float))));
  for (auto [i, factor] : llvm::enumerate(factors))
    if (!std::isfinite(factor) || factor <= 0)
      return refuse() << "must have positive numbers, got " << factor
                      << " for pair " << i;
  if (llvm::all_of(factors, [](double factor) { return factor == 1; }))
    return RopeScalingAttr();
  return RopeScalingAttr::get(b.getContext(), RopeScalingKind::Listed, {}, {},
                              {}, {}, {}, 0, false,
                              b.getDenseF64ArrayAttr(factors), {});
}

LogicalResult ScalingReader::read(RopeConfig &rope) {
  FailureOr<RopeScalingAttr> byKeys = readKeys(), byFactors = readFactors();
  if (failed(byKeys) || failed(byFactors))
    return failure();
  if (*byKeys && *byFactors)
    return fields.refuse(fields.keyOf("rope.scaling.factor"))
           << "is not supported beside the tensor '" << ggufRopeFactors << "'";
  rope.scaling = *byKeys ? *byKeys : *byFactors;
  return success();
}

LogicalResult readGgufRopeScaling(const GgufFields &fields, int64_t pairs,
                                  RopeConfig &rope) {
  return ScalingReader(fields, pairs).read(rope);
}

} // namespace mlir::llm
