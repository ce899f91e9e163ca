//===- TracedOperands.cpp - The tensors that an op read -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceImport/TracedOperands.h"
#include "llvm/ADT/STLExtras.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;
using nlohmann::json;

using Sizes = SmallVector<int64_t, 4>;

static constexpr int64_t maxSize = int64_t(1) << 31;
static constexpr int64_t maxElements = int64_t(1) << 40;

std::optional<int64_t> mlir::llm::countElements(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(count, size, &count) || count > maxElements)
      return std::nullopt;
  return count;
}

//===----------------------------------------------------------------------===//
// Args
//===----------------------------------------------------------------------===//

static const json *findList(const json &object, ArrayRef<const char *> keys) {
  for (const char *key : keys)
    if (auto found = object.find(key);
        found != object.end() && found->is_array())
      return &*found;
  return nullptr;
}

/// Reads a list of sizes above 0. Returns none if the value is no such list.
static Sizes readSizes(const json &value) {
  Sizes sizes;
  if (!value.is_array())
    return sizes;
  for (const json &size : value) {
    bool isSize = size.is_number_integer() && size > 0 && size < maxSize;
    if (!isSize)
      return {};
    sizes.push_back(size.get<int64_t>());
  }
  return sizes;
}

static std::string readText(const json &value) {
  return value.is_string() ? value.get<std::string>() : "";
}

static std::vector<std::string> readTexts(const json *list) {
  std::vector<std::string> texts;
  if (list)
    ::llvm::transform(*list, std::back_inserter(texts), readText);
  return texts;
}

/// Reads PyTorch's args. Older profilers spell some keys with other capitals.
static TracedOperands readTorch(const json &dims, const json &args) {
  TracedOperands operands;
  std::vector<std::string> types =
      readTexts(findList(args, {"Input type", "Input Types"}));
  types.resize(std::max(types.size(), dims.size()));
  for (auto [each, type] : ::llvm::zip(dims, types))
    operands.tensors.push_back({readSizes(each), type});
  operands.constants = readTexts(findList(args, {"Concrete Inputs"}));
  return operands;
}

/// Reads ggml's sources, whose sizes are innermost first.
static TracedOperands readGgml(const json &sources) {
  TracedOperands operands;
  for (const json &source : sources) {
    TracedTensor &tensor = operands.tensors.emplace_back();
    if (!source.is_object())
      continue;
    if (const json *sizes = findList(source, {"ne"}))
      tensor.sizes = readSizes(*sizes);
    std::reverse(tensor.sizes.begin(), tensor.sizes.end());
    if (auto type = source.find("type"); type != source.end())
      tensor.type = readText(*type);
  }
  return operands;
}

std::optional<TracedOperands> TracedOperands::read(StringRef text) {
  json args = json::parse(text.begin(), text.end(), nullptr,
                          /*allow_exceptions=*/false);
  if (!args.is_object())
    return std::nullopt;
  if (const json *dims = findList(args, {"Input Dims", "Input dims"}))
    return readTorch(*dims, args);
  if (const json *sources = findList(args, {"sources"}))
    return readGgml(*sources);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// The operands that are multiplied.
struct ProductForm {
  unsigned lhs, rhs;
  bool isTransposed; ///< the right one is [n, k]
};
} // namespace

static std::optional<ProductForm> formOf(StringRef name) {
  if (name == "MUL_MAT" || name.starts_with("MUL_MAT "))
    return ProductForm{1, 0, true};
  if (name.ends_with("linear"))
    return ProductForm{0, 1, true};
  if (name.ends_with("addmm") || name.ends_with("baddbmm"))
    return ProductForm{1, 2, false};
  if (name.ends_with("mm") || name.ends_with("matmul"))
    return ProductForm{0, 1, false};
  return std::nullopt;
}

ProductReading mlir::llm::readProduct(StringRef name,
                                      const TracedOperands &operands) {
  std::optional<ProductForm> form = formOf(name);
  if (!form)
    return {};
  ArrayRef<int64_t> lhs = operands.sizes(form->lhs),
                    rhs = operands.sizes(form->rhs);
  if (lhs.empty() || rhs.size() < 2)
    return {std::nullopt, "a product that is not with one matrix"};
  if (countElements(rhs.drop_back(2)) != 1)
    return {std::nullopt, "products in a batch, each with a matrix of its own"};
  ProductSizes sizes;
  sizes.n = rhs.back();
  sizes.k = rhs[rhs.size() - 2];
  if (form->isTransposed)
    std::swap(sizes.n, sizes.k);
  std::optional<int64_t> rows = countElements(lhs.drop_back());
  if (lhs.back() != sizes.k || !rows)
    return {std::nullopt, "sizes that do not fit together"};
  sizes.m = *rows;
  return {sizes, ""};
}
