//===- OneDnnProducts.h - Products by oneDNN --------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices can be calls of oneDNN's matmul, while all else stays as
// it is. This is a yardstick for our own products.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_ONEDNNPRODUCTS_H
#define LLM_LIB_EXECUTION_ONEDNNPRODUCTS_H

#include "mlir/Pass/Pass.h"

#include <cstdint>
#include <memory>
#include <tuple>

namespace mlir::llm {

/// A product C += A B^T of row-major matrices, as compiled code asks for it.
struct ProductShape {
  int64_t rows, columns, terms;
  int64_t strideOfA, strideOfB, strideOfC; ///< of rows, in elements
  int64_t hasBf16; ///< whether A and B are bf16, else f32; C is f32

  auto key() const {
    return std::make_tuple(rows, columns, terms, strideOfA, strideOfB,
                           strideOfC, hasBf16);
  }
};

/// Calls the library, and keeps the products that it has compiled so far.
class OneDnn {
public:
  /// Returns nothing if this build has no oneDNN.
  static std::unique_ptr<OneDnn> create(unsigned threads);
  virtual ~OneDnn() = default;
  /// Whether it has a product of bf16 for this CPU. It has those of f32 for all.
  virtual bool multipliesBf16() const = 0;
  virtual void multiply(const ProductShape &shape, void *a, void *b,
                        void *c) = 0;
};

/// Replaces products in buffers that the library has by calls of
/// `oneDnnProductSymbol`.
std::unique_ptr<Pass> createOneDnnProductsPass(OneDnn &library);

/// The function that compiled code calls. Its argument `library` is the address
/// of a OneDnn.
constexpr char oneDnnProductSymbol[] = "llm.onednn_product";
void oneDnnProduct(int64_t library, int64_t a, int64_t b, int64_t c,
                   int64_t rows, int64_t columns, int64_t terms,
                   int64_t strideOfA, int64_t strideOfB, int64_t strideOfC,
                   int64_t hasBf16);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_ONEDNNPRODUCTS_H
