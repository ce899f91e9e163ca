//===- RandomOracle.cpp - Any op with small random sizes ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

namespace mlir::llm {

static OracleMask randomMask(Random &random) {
  switch (random(0, 3)) {
  case 0:
    return {};
  case 1:
    return {true};
  case 2:
    return {true, random(1, 7)};
  default:
    return {true, 0, random(1, 7), random(0, 9)};
  }
}

/// Lengths of the sequences of a ragged batch, and the positions of their first
/// keys where the mask has chunks.
static void makeRagged(OracleMask &mask, int64_t batch, int64_t queries,
                       int64_t keys, Random &random) {
  for (int64_t sequence = 0; sequence < batch; ++sequence) {
    mask.lengths.push_back(random(mask.isCausal ? queries : 1, keys));
    if (mask.chunk)
      mask.firstKeys.push_back(random(0, 9));
  }
}

/// What selects keys, or attention over keys that are selected.
static Oracle randomSelection(int64_t b, int64_t h, int64_t g, int64_t s,
                              int64_t t, int64_t d, const OracleMask &mask,
                              Random &random) {
  int64_t top = random(1, 4), block = random(1, 3);
  switch (random(0, 2)) {
  case 0:
    return selectKeysOracle(b, s, h, t, d, mask, top, random(0, 3),
                            random(0, 1));
  case 1:
    return selectedOracle("mla_attn", b, 1, g, s, t, d + 1, mask, top, block,
                          false);
  default:
    return selectedOracle("gqa_attn", b, h, g, s, t, d, mask, top, block,
                          random(0, 1));
  }
}

/// One of the attention ops and their pieces.
static Oracle randomAttention(Random &random) {
  OracleMask mask = randomMask(random);
  int64_t b = random(1, 2), h = random(1, 2), g = random(1, 3);
  int64_t s = random(1, 5), t = random(mask.isCausal ? s : 1, 6);
  int64_t d = random(1, 2);
  bool isSelective = random(0, 2) == 0;
  if (isSelective)
    mask.window = mask.chunk = mask.firstKey = 0;
  if (random(0, 1))
    makeRagged(mask, b, s, t, random);
  if (isSelective)
    return randomSelection(b, h, g, s, t, d, mask, random);
  switch (random(0, 5)) {
  case 0:
    return attentionOracle("qk", b, h, g, s, t, d, mask);
  case 1:
    return attentionOracle("pv", b, h, g, s, t, d, mask);
  case 2:
    return softmaxOracle(b, h, s, t, mask, random(0, 1));
  case 3:
    return mlaOracle(b, h, s, t, d + 1, random(1, d + 1), mask);
  case 4:
    return attentionOracle("gqa_attn", b, h, g, s, t, d, mask, random(0, 1),
                           random(1, 3));
  default:
    return attentionOracle("gqa_attn", b, h, g, s, t, d, mask, random(0, 1));
  }
}

/// One of the ops of a mixture of experts.
static Oracle randomExperts(Random &random) {
  switch (random(0, 3)) {
  case 0: {
    int64_t experts = random(1, 4), topK = random(1, experts);
    return groupedMatmulOracle(experts, topK, random(1, 3), random(1, 5),
                               random(1, 5), random(0, 1), random(0, 1),
                               random(0, 1), random);
  }
  case 1:
    return dispatchOracle(random(1, 5), random(1, 3), random(1, 5),
                          random(0, 1));
  case 2:
    return combineOracle(random(1, 5), random(1, 3), random(1, 5),
                         random(0, 1));
  default: {
    const char *scorings[] = {"softmax", "sigmoid", "topk_softmax",
                              "topk_sigmoid"};
    int64_t experts = random(1, 6);
    return routeOracle(scorings[random(0, 3)], random(1, 4), experts,
                       random(1, experts), random(0, 1),
                       experts % 2 == 0 && random(0, 1));
  }
  }
}

Oracle randomOracle(Random &random) {
  switch (random(0, 23)) {
  case 0:
    return matmulOracle(random(1, 7), random(1, 7), random(1, 7), random(0, 1),
                        random(0, 1));
  case 1:
    if (random(0, 3) == 0)
      return layerNormOracle(random(1, 9), random(1, 9));
    return rmsNormOracle(random(1, 9), random(1, 9), random(0, 1));
  case 2:
    return addOracle(random(1, 9), random(1, 9));
  case 3: {
    int64_t b = random(1, 3);
    return positionsOracle("rope", b, random(1, 3), random(1, 3),
                           2 * random(1, 2), b > 1 && random(0, 1));
  }
  case 4: {
    int64_t b = random(1, 3);
    return positionsOracle("position_scale", b, random(1, 3), random(1, 3),
                           random(1, 3), b > 1 && random(0, 1));
  }
  case 5:
    return batchMatmulOracle(random(1, 4), random(1, 4), random(1, 5),
                             random(1, 5), random(0, 1), random(0, 1));
  case 6:
    return swigluOracle(random(1, 9), random(1, 9), random(0, 1));
  case 7:
    return embeddingOracle(random(1, 7), random(1, 9), random(1, 7),
                           random(0, 1));
  case 8:
    return sampleOracle(random(1, 5), random(1, 9), random(0, 1));
  case 9: {
    const char *types[] = {"i8", "found", "static"};
    return quantizeOracle(random(1, 9), random(1, 9), types[random(0, 2)]);
  }
  case 10:
    return repeatKvOracle(random(1, 2), random(1, 4), random(1, 2),
                          random(1, 3), random(1, 3), random(0, 1));
  case 11:
  case 12:
  case 13:
  case 14:
    return randomExperts(random);
  case 15:
  case 16:
  case 17:
  case 18:
    return randomFusedOracle(random);
  default:
    return randomAttention(random);
  }
}

} // namespace mlir::llm
