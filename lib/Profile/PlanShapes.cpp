//===- PlanShapes.cpp - Shapes of common models, to be measured -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/MeasurementPlan.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// A weight as its model's config.json gives it: out[m, n] = in[m, k].
struct Weight {
  int64_t n, k;
};
/// Heads of one device.
struct Heads {
  int64_t heads, kvHeads;
};
} // namespace

/// Projections of queries, keys and values in one, output, gate and up in one,
/// down.
static constexpr Weight weights[] = {
    {4096, 1024},  {1024, 2048}, {6144, 1024},  {1024, 3072},  // Qwen3 0.6B
    {6144, 4096},  {4096, 4096}, {28672, 4096}, {4096, 14336}, // Llama 3.1 8B
    {24576, 4096}, {4096, 12288},                              // Qwen3 8B
    {10240, 5120}, {5120, 8192}, {51200, 5120}, {5120, 25600}, // Qwen3 32B
    {10240, 8192}, {8192, 8192}, {57344, 8192}, {8192, 28672}, // Llama 3.1 70B
    {5120, 8192},  {8192, 4096}, {28672, 8192}, {8192, 14336}, // over 2 chips
    {1280, 8192},  {8192, 1024}, {7168, 8192},  {8192, 3584},  // over 8 chips
    {128256, 4096},                                            // its head
};
static constexpr int64_t tokenCounts[] = {1,   4,    16,   32,   64,   128,
                                          256, 512,  1024, 2048, 4096, 8192,
                                          16384};
static constexpr Heads headCounts[] = {{32, 8}, {64, 8}, {8, 1}, {16, 8}};
static constexpr int64_t headDim = 128;

namespace {
class ShapeLister {
public:
  ShapeLister(const Target &target, ArrayRef<std::string> kinds,
              MLIRContext *context)
      : mostElements(target.dram().capacityBytes / 2 / bytesPerElement),
        kinds(kinds), location(UnknownLoc::get(context)) {}

  void addProducts();
  void addAttention();
  void addPlanes();
  std::vector<PlanCandidate> candidates;

private:
  static constexpr int64_t bytesPerElement = 2;

  bool isAsked(StringRef kind) const {
    return kinds.empty() || llvm::is_contained(kinds, kind);
  }
  /// Adds a row that touches so many elements, if it is asked for and fits.
  void add(StringRef kind, int64_t elements,
           function_ref<void(MeasuredRow &)> setSizes);
  void addAttentionOf(Heads heads, int64_t batch, int64_t queries,
                      int64_t keys);

  int64_t mostElements;
  ArrayRef<std::string> kinds;
  Location location;
};
} // namespace

void ShapeLister::add(StringRef kind, int64_t elements,
                      function_ref<void(MeasuredRow &)> setSizes) {
  if (!isAsked(kind) || elements > mostElements)
    return;
  MeasuredRow row(location);
  row.opKind = kind.str();
  row.dtype = "bf16";
  row.timing = "cudagraph";
  setSizes(row);
  candidates.push_back({std::move(row)});
}

void ShapeLister::addProducts() {
  for (Weight weight : weights)
    for (int64_t m : tokenCounts)
      add("gemm", weight.n * weight.k + m * (weight.n + weight.k),
          [&](MeasuredRow &row) {
            std::tie(row.m, row.n, row.k) = std::tuple(m, weight.n, weight.k);
          });
}

void ShapeLister::addAttentionOf(Heads heads, int64_t batch, int64_t queries,
                                 int64_t keys) {
  StringRef kind = queries == 1 ? "attention_decode" : "attention_prefill";
  int64_t elements = 2 * batch * headDim *
                     (keys * heads.kvHeads + queries * heads.heads);
  add(kind, elements, [&](MeasuredRow &row) {
    row.batch = batch;
    row.heads = heads.heads;
    row.kvHeads = heads.kvHeads;
    row.headDim = headDim;
    row.qLen = queries;
    row.kvLen = keys;
  });
}

void ShapeLister::addAttention() {
  for (Heads heads : headCounts) {
    for (int64_t tokens : {256, 1024, 2048, 4096, 8192, 16384, 32768})
      addAttentionOf(heads, /*batch=*/1, tokens, tokens);
    for (int64_t batch : {1, 4, 16, 64, 128, 256})
      for (int64_t keys : {256, 1024, 4096, 16384, 65536})
        addAttentionOf(heads, batch, /*queries=*/1, keys);
  }
}

/// Adds norms, activations and sums. The residual stream has the width of a
/// model, and activations that of its MLP.
void ShapeLister::addPlanes() {
  auto addPlane = [&](StringRef kind, int64_t tensors, int64_t rows,
                      int64_t cols) {
    add(kind, tensors * rows * cols, [&](MeasuredRow &row) {
      row.rows = rows;
      row.cols = cols;
    });
  };
  for (int64_t rows : tokenCounts) {
    for (int64_t cols : {1024, 4096, 5120, 8192}) {
      addPlane("rmsnorm", 2, rows, cols);
      addPlane("residual_add", 3, rows, cols);
    }
    for (int64_t cols : {3072, 14336, 28672})
      addPlane("silu_mul", 3, rows, cols);
  }
}

std::vector<PlanCandidate>
mlir::llm::listCommonShapes(const Target &target, ArrayRef<std::string> kinds,
                            MLIRContext *context) {
  ShapeLister lister(target, kinds, context);
  lister.addProducts();
  lister.addAttention();
  lister.addPlanes();
  return std::move(lister.candidates);
}
