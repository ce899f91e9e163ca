//===- OneDnnProducts.h - Products by oneDNN --------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A yardstick: products of matrices are calls of oneDNN's matmul, all else is
// as it is without.
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
  int64_t hasBf16;                         ///< A and B, else f32; C is f32

  auto key() const {
    return std::make_tuple(rows, columns, terms, strideOfA, strideOfB,
                           strideOfC, hasBf16);
  }
};

/// The library, with what it has compiled of products so far.
class OneDnn {
public:
  /// Nothing if this build has no oneDNN.
  static std::unique_ptr<OneDnn> create(unsigned threads);
  virtual ~OneDnn() = default;
  virtual void multiply(const ProductShape &shape, void *a, void *b,
                        void *c) = 0;
};

/// Replaces products in buffers by calls of `oneDnnProductSymbol`.
std::unique_ptr<Pass> createOneDnnProductsPass(OneDnn &library);

/// What compiled code calls: `library` is the address of a OneDnn.
constexpr char oneDnnProductSymbol[] = "llm.onednn_product";
void oneDnnProduct(int64_t library, int64_t a, int64_t b, int64_t c,
                   int64_t rows, int64_t columns, int64_t terms,
                   int64_t strideOfA, int64_t strideOfB, int64_t strideOfC,
                   int64_t hasBf16);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_ONEDNNPRODUCTS_H
