//===- ProductShapes.cpp - Sizes of products in traces --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkMeaning.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;
using nlohmann::json;

using Sizes = SmallVector<int64_t, 4>;

/// Nothing for what is no list of sizes above 0.
static std::optional<Sizes> readSizes(const json &value) {
  if (!value.is_array() || value.empty())
    return std::nullopt;
  Sizes sizes;
  for (const json &size : value) {
    bool isSize = size.is_number_integer() && size > 0 && size < (1LL << 40);
    if (!isSize)
      return std::nullopt;
    sizes.push_back(size.get<int64_t>());
  }
  return sizes;
}

/// Lists of at least two sizes are matrices; a bias has one.
static std::vector<Sizes> readMatrices(const json &lists) {
  std::vector<Sizes> matrices;
  if (lists.is_array())
    for (const json &list : lists)
      if (std::optional<Sizes> sizes = readSizes(list);
          sizes && sizes->size() >= 2)
        matrices.push_back(std::move(*sizes));
  return matrices;
}

static int64_t countRows(ArrayRef<int64_t> sizes) {
  int64_t rows = 1;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(rows, size, &rows))
      return 0;
  return rows;
}

/// PyTorch: the last two matrices; the weight of `linear` is [n, k].
static std::optional<ProductShape> readTorchProduct(StringRef name,
                                                    const json &dims) {
  bool isLinear = name.ends_with("linear");
  bool isPlain = name.ends_with("mm") || name.ends_with("matmul");
  std::vector<Sizes> matrices = readMatrices(dims);
  if ((!isLinear && !isPlain) || matrices.size() < 2)
    return std::nullopt;
  // `linear` has its bias, and `addmm` its sum, around them.
  size_t first = isLinear ? 0 : matrices.size() - 2;
  const Sizes &lhs = matrices[first], &rhs = matrices[first + 1];
  ProductShape shape;
  shape.k = lhs.back();
  shape.m = countRows(ArrayRef(lhs).drop_back());
  shape.n = isLinear ? rhs.front() : rhs.back();
  bool agrees = rhs.size() == 2 &&
                (isLinear ? rhs.back() : rhs.front()) == shape.k && shape.m > 0;
  return agrees ? std::optional(shape) : std::nullopt;
}

/// ggml: the weight is [k, n] and comes first; sizes are innermost first.
static std::optional<ProductShape> readGgmlProduct(const json &sources) {
  json lists = json::array();
  if (sources.is_array())
    for (const json &source : sources)
      if (source.is_object() && source.contains("ne"))
        lists.push_back(source["ne"]);
  std::vector<Sizes> matrices = readMatrices(lists);
  if (matrices.size() < 2)
    return std::nullopt;
  const Sizes &weight = matrices[0], &input = matrices[1];
  bool isPlain = countRows(ArrayRef(weight).drop_front(2)) == 1;
  if (!isPlain || weight[0] != input[0])
    return std::nullopt;
  ProductShape shape;
  shape.k = weight[0];
  shape.n = weight[1];
  shape.m = countRows(ArrayRef(input).drop_front());
  return shape.m > 0 ? std::optional(shape) : std::nullopt;
}

std::optional<ProductShape> mlir::llm::readProductShape(StringRef name,
                                                        StringRef args) {
  json object = json::parse(args.begin(), args.end(), nullptr,
                            /*allow_exceptions=*/false);
  if (!object.is_object())
    return std::nullopt;
  for (const char *key : {"Input Dims", "Input dims"})
    if (auto dims = object.find(key); dims != object.end())
      return readTorchProduct(name, *dims);
  if (auto sources = object.find("sources");
      sources != object.end() && name.starts_with("MUL_MAT"))
    return readGgmlProduct(*sources);
  return std::nullopt;
}
