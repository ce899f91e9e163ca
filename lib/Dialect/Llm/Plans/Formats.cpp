//===- Formats.cpp - Number formats by name -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/Plans/Formats.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::llm {

static constexpr int64_t whole = ScalesAttr::wholeDimension;

Type getScaled(Type valueType, ArrayRef<int64_t> block, Type scaleType) {
  MLIRContext *context = valueType.getContext();
  return BlockScaledType::get(context, valueType,
                              ScalesAttr::get(context, block, scaleType));
}

SmallVector<int64_t> wholeBlock(Stored stored) {
  return SmallVector<int64_t>(stored == Stored::Cache ? 4 : 2, whole);
}

static Type getNvfp4(Stored stored, MLIRContext *context) {
  auto scales = [&](ArrayRef<int64_t> block, Type type) {
    return ScalesAttr::get(context, block, type);
  };
  return BlockScaledType::get(
      context, Float4E2M1FNType::get(context),
      {scales({16}, Float8E4M3FNType::get(context)),
       scales(wholeBlock(stored), Float32Type::get(context))});
}

/// Reads the number behind the underscore of int4_g32; returns null if there is
/// none.
static Type getInt4(StringRef name, MLIRContext *context) {
  constexpr int64_t largestGroup = 1 << 30;
  int64_t group = 128;
  if (name.consume_front("int4_g")) {
    if (name.getAsInteger(10, group) || group < 1 || group > largestGroup)
      return nullptr;
  } else if (name != "int4") {
    return nullptr;
  }
  return getScaled(IntegerType::get(context, 4), {group},
                   Float16Type::get(context));
}

Type findFormat(StringRef name, Stored stored, MLIRContext *context) {
  Builder b(context);
  if (name == "f32")
    return b.getF32Type();
  if (name == "f16")
    return b.getF16Type();
  if (name == "bf16")
    return b.getBF16Type();
  auto fp8 = [&](ArrayRef<int64_t> block) {
    return getScaled(Float8E4M3FNType::get(context), block, b.getF32Type());
  };
  auto microscaled = [&](Type values) {
    return getScaled(values, {32}, Float8E8M0FNUType::get(context));
  };
  if (name == "fp8")
    return fp8(wholeBlock(stored));
  if (name == "fp8_channel")
    return fp8({whole});
  if (name == "fp8_block")
    return stored == Stored::Weight ? fp8({128, 128}) : fp8({128});
  if (name == "int8")
    return getScaled(b.getI8Type(), {whole}, b.getF32Type());
  if (name == "mxfp8")
    return microscaled(Float8E4M3FNType::get(context));
  if (name == "mxfp4")
    return microscaled(Float4E2M1FNType::get(context));
  if (name == "nvfp4")
    return getNvfp4(stored, context);
  return getInt4(name, context);
}

ArrayRef<StringRef> scaledFormatNames() {
  static constexpr StringRef names[] = {"fp8",   "fp8_channel", "fp8_block",
                                        "int8",  "int4",        "mxfp8",
                                        "mxfp4", "nvfp4"};
  return names;
}

ArrayRef<StringRef> narrowTypeNames() {
  static constexpr StringRef names[] = {"f8E4M3FN", "f8E5M2", "f4E2M1FN", "i8",
                                        "i4"};
  return names;
}

StringRef nameOfNarrowType(Type type) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](Float8E4M3FNType) { return "f8E4M3FN"; })
      .Case([](Float8E5M2Type) { return "f8E5M2"; })
      .Case([](Float4E2M1FNType) { return "f4E2M1FN"; })
      .Case([](IntegerType integer) {
        return integer.getWidth() == 8   ? "i8"
               : integer.getWidth() == 4 ? "i4"
                                         : "";
      })
      .Default([](Type) { return ""; });
}

StringRef nameOfFormat(Type type) {
  if (isa_and_present<BlockScaledType>(type))
    for (StringRef name : scaledFormatNames())
      for (Stored stored : {Stored::Weight, Stored::Activation, Stored::Cache})
        if (findFormat(name, stored, type.getContext()) == type)
          return name;
  return "";
}

std::vector<StringRef> formatNames() {
  return {"f32",  "f16",  "bf16",    "fp8",   "fp8_channel", "fp8_block",
          "int8", "int4", "int4_gN", "mxfp8", "mxfp4",       "nvfp4"};
}

std::string describeFormats() {
  std::string all = llvm::join(formatNames(), ", ");
  return all + " (int4_gN: groups of N)";
}

} // namespace mlir::llm
