//===- GgmlFormats.cpp - ggml's tensor types as element types -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/Checkpoints.h"
#include "llm/Support/GgmlTypes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::llm {

namespace {
/// The `bits` of each value, and the numbers that blocks of values share, as
/// the size of the block and the bits of the number. These are the structs of
/// ggml's ggml-common.h. Codebooks of i-quants are the same for all tensors,
/// and not stored.
struct BlockLayout {
  llvm::StringLiteral name;
  unsigned bits;
  std::pair<int64_t, unsigned> shared[4];
};
} // namespace

static constexpr BlockLayout layouts[] = {
    {"q4_0", 4, {{32, 16}}},
    {"q4_1", 4, {{32, 16}, {32, 16}}},
    {"q5_0", 5, {{32, 16}}},
    {"q5_1", 5, {{32, 16}, {32, 16}}},
    {"q8_0", 8, {{32, 16}}},
    {"q8_1", 8, {{32, 16}, {32, 16}}},
    {"q2_K", 2, {{16, 4}, {16, 4}, {256, 16}, {256, 16}}},
    {"q3_K", 3, {{16, 6}, {256, 16}}},
    {"q4_K", 4, {{32, 6}, {32, 6}, {256, 16}, {256, 16}}},
    {"q5_K", 5, {{32, 6}, {32, 6}, {256, 16}, {256, 16}}},
    {"q6_K", 6, {{16, 8}, {256, 16}}},
    // q8_K has a sum of 16 values each, beside the scale.
    {"q8_K", 8, {{16, 16}, {256, 32}}},
    {"iq2_xxs", 2, {{256, 16}}},
    {"iq2_xs", 2, {{32, 8}, {256, 16}}},
    {"iq2_s", 2, {{32, 8}, {32, 8}, {256, 16}}},
    {"iq3_xxs", 3, {{256, 16}}},
    {"iq3_s", 3, {{32, 8}, {64, 8}, {256, 16}}},
    {"iq1_s", 1, {{32, 16}, {256, 16}}},
    {"iq1_m", 1, {{16, 8}, {32, 8}}},
    {"iq4_nl", 4, {{32, 16}}},
    {"iq4_xs", 4, {{32, 6}, {256, 16}}},
    {"tq2_0", 2, {{256, 16}}}};

/// Numbers of 16 and 32 bits are floats, others are integers.
static Type numberType(Builder &b, unsigned bits) {
  if (bits == 16)
    return b.getF16Type();
  return bits == 32 ? Type(b.getF32Type()) : b.getIntegerType(bits);
}

static Type getPlainType(StringRef name, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(name)
      .Case("f32", b.getF32Type())
      .Case("f16", b.getF16Type())
      .Case("bf16", b.getBF16Type())
      .Case("f64", b.getF64Type())
      .Case("i8", b.getI8Type())
      .Case("i16", b.getI16Type())
      .Case("i32", b.getI32Type())
      .Case("i64", b.getI64Type())
      .Default(nullptr);
}

Type getGgmlElementType(const GgmlType &type, MLIRContext *context) {
  StringRef name(type.name.data(), type.name.size());
  if (Type plain = getPlainType(name, context))
    return plain;
  Builder b(context);
  auto scales = [&](int64_t block, Type number) {
    return ScalesAttr::get(context, block, number);
  };
  Type e2m1 = Float4E2M1FNType::get(context);
  if (name == "mxfp4")
    return BlockScaledType::get(context, e2m1,
                                scales(32, Float8E8M0FNUType::get(context)));
  if (name == "nvfp4")
    return BlockScaledType::get(context, e2m1,
                                scales(16, Float8E4M3FNType::get(context)));
  const auto *layout = llvm::find_if(
      layouts, [&](const BlockLayout &each) { return each.name == name; });
  if (layout == std::end(layouts))
    return nullptr;
  SmallVector<ScalesAttr> shared;
  for (auto [block, bits] : layout->shared)
    if (block)
      shared.push_back(scales(block, numberType(b, bits)));
  return BlockScaledType::get(context, b.getIntegerType(layout->bits), shared);
}

} // namespace mlir::llm
