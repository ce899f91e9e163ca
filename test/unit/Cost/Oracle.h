//===- Oracle.h - What ops touch, point by point ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The loops, sweeps and operands of some ops, written down from the op
// descriptions a second time, as plain strings, and counted by enumerating
// every iteration. Nothing here asks the op, its affine maps or its closed
// forms.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_ANALYSIS_ORACLE_H
#define LLM_TEST_UNIT_ANALYSIS_ORACLE_H

#include "Fixtures.h"

#include <set>

namespace mlir::llm {

using Point = std::vector<int64_t>;
using OracleBox = std::vector<Interval>;

struct OracleBuffer {
  std::string name;
  char role; ///< 'r', 'w' or 't'
  /// The loops that index its dimensions; "hg" is h * group + g, "e"
  /// the expert of row m, "0" the only index of a dimension.
  std::vector<std::string> indices;
  int64_t bits;
  /// Of values that are scaled in blocks: the bytes of the whole tensor, of
  /// which some elements take their share.
  int64_t wholeBytes = 0, wholeElements = 0;
  /// Of kernels of several ops: its tile stays until all work on it is done; it
  /// lies where another one is; it is fetched while sums are made.
  bool isKept = false, isInPlace = false, isLate = false;

  int64_t bytesOf(int64_t elements) const;
};

/// Which pairs of query and key are visible, asked pair by pair.
struct OracleMask {
  bool isCausal = false;
  int64_t window = 0, chunk = 0, firstKey = 0;
  /// Of a ragged batch: keys, and position of the first one, of each sequence.
  std::vector<int64_t> lengths = {}, firstKeys = {};

  std::string text() const;
  /// `offset`: keys before the first query, of a sequence that has them all;
  /// `keys` there are.
  bool isVisible(int64_t sequence, int64_t query, int64_t key, int64_t offset,
                 int64_t keys) const;
};

struct Oracle {
  std::string text; ///< the function to parse
  std::vector<std::string> loops;
  std::vector<int64_t> extents;
  std::vector<bool> tileable;
  int64_t group = 1;
  /// Of attention over selected keys: how many keys there are, of which loop t
  /// has as many as a query may select.
  int64_t keys = 0;
  std::vector<int64_t> rowsPerExpert;
  OracleMask mask;
  std::vector<std::vector<std::string>> stages;
  std::vector<OracleBuffer> buffers;

  size_t loop(const std::string &name) const;
  bool uses(const OracleBuffer &buffer, size_t loop) const;
  bool isVisible(const Point &point) const;
  int64_t indexOf(const std::string &index, const Point &point) const;
  Point elementOf(const OracleBuffer &buffer, const Point &point) const;
  /// Calls `visit` for each point of the box, visible or not.
  void forEachPoint(const OracleBox &box,
                    llvm::function_ref<void(const Point &)> visit) const;
  OracleBox fullBox() const;

  int64_t countPoints(size_t stage, const OracleBox &box) const;
  int64_t countElements(size_t buffer, const OracleBox &box) const;
  /// Counts these elements. Of keys that queries select, no more than there
  /// are, for each sequence, head and feature.
  int64_t sizeOf(const OracleBuffer &buffer,
                 const std::set<Point> &elements) const;
  /// Calls `visit` for each tile, in order.
  void forEachTile(const Tiling &tiling,
                   llvm::function_ref<void(const OracleBox &)> visit) const;
  /// Bytes of the bounding box of the elements of one tile at the origin.
  int64_t tileBytes(size_t buffer, const std::vector<int64_t> &sizes) const;
  /// Walks the tiles in order: whether one of the buffer is needed again after
  /// another one.
  bool comesBack(size_t buffer, const Tiling &tiling) const;
  /// Walks the tiles in order; a transfer each time that the buffer's tile
  /// changes.
  int64_t simulateTraffic(size_t buffer, const Tiling &tiling) const;
  /// Walks the tiles in order; each uses the elements of the buffer's tile.
  int64_t simulateUse(size_t buffer, const Tiling &tiling) const;
};

/// i8 values with an f16 for each block of 2 x 3.
inline constexpr const char *scaledText = "!llm.block_scaled<i8, [2, 3], f16>";
/// The buffer of a tensor of such values: its blocks are counted one by one.
OracleBuffer scaledBuffer(const std::string &name, char role,
                          const std::vector<std::string> &indices,
                          int64_t matrices, int64_t rows, int64_t columns);

Oracle matmulOracle(int64_t m, int64_t k, int64_t n, bool transposed,
                    bool bias);
Oracle batchMatmulOracle(int64_t b, int64_t m, int64_t k, int64_t n,
                         bool transposed, bool isScaled);
Oracle rmsNormOracle(int64_t rows, int64_t columns, bool weight);
Oracle addOracle(int64_t rows, int64_t columns);
Oracle swigluOracle(int64_t rows, int64_t columns, bool limit);
/// `type`: "i8", or scaled in blocks with scales that are found or "static".
Oracle quantizeOracle(int64_t rows, int64_t columns, const std::string &type);
/// `op`: "rope" or "position_scale"; ragged: each sequence begins elsewhere.
Oracle positionsOracle(const std::string &op, int64_t b, int64_t s, int64_t h,
                       int64_t d, bool isRagged);
Oracle softmaxOracle(int64_t b, int64_t h, int64_t s, int64_t t,
                     OracleMask mask, bool sinksAndCap);
/// `op`: "gqa_attn", "qk" or "pv"; values of gqa_attn may have another size
/// `c` than the keys (0: the same).
Oracle attentionOracle(const std::string &op, int64_t b, int64_t h, int64_t g,
                       int64_t s, int64_t t, int64_t d, OracleMask mask,
                       bool sinksAndCap = false, int64_t c = 0);
Oracle mlaOracle(int64_t b, int64_t h, int64_t s, int64_t t, int64_t d,
                 int64_t c, OracleMask mask);
/// `op`: "gqa_attn" or "mla_attn" (with h = 1), over the keys of `top` slots,
/// or of as many blocks; groups of one KV head, or of all.
Oracle selectedOracle(const std::string &op, int64_t b, int64_t h, int64_t g,
                      int64_t s, int64_t keys, int64_t d, OracleMask mask,
                      int64_t top, int64_t block, bool isGrouped);
/// Without blocks if `block` is 0.
Oracle selectKeysOracle(int64_t b, int64_t s, int64_t h, int64_t t, int64_t d,
                        OracleMask mask, int64_t top, int64_t block,
                        bool weights);
Oracle layerNormOracle(int64_t rows, int64_t columns);
Oracle repeatKvOracle(int64_t b, int64_t t, int64_t h, int64_t g, int64_t d,
                      bool toF32);
/// Rows spread over the experts at random.
Oracle groupedMatmulOracle(int64_t experts, int64_t topK, int64_t tokens,
                           int64_t k, int64_t n, bool transposed, bool bias,
                           bool isScaled, Random &random);
Oracle dispatchOracle(int64_t tokens, int64_t topK, int64_t hidden,
                      bool shares);
Oracle combineOracle(int64_t tokens, int64_t topK, int64_t hidden, bool shares);
/// `scoring`: "softmax", "sigmoid", "topk_softmax" or "topk_sigmoid".
Oracle routeOracle(const std::string &scoring, int64_t tokens, int64_t experts,
                   int64_t topK, bool bias, bool groups);
Oracle embeddingOracle(int64_t tokens, int64_t vocabulary, int64_t hidden,
                       bool toBf16);
Oracle sampleOracle(int64_t rows, int64_t vocabulary, bool greedy);
/// A kernel of several ops with random sizes, small ones unless said otherwise.
Oracle randomFusedOracle(Random &random, int64_t most = 6);
/// [5, 3]
std::string listText(const std::vector<int64_t> &numbers);
/// One of the above with small random sizes.
Oracle randomOracle(Random &random);

} // namespace mlir::llm

#endif // LLM_TEST_UNIT_ANALYSIS_ORACLE_H
