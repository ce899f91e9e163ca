// What attention reads, in bytes of its buffers: of the search, and of tiles by hand.
// RUN: rm -rf %t && split-file %s %t
// RUN: llm-opt %t/search.mlir --llm-tile --llm-verify-cost | %one-line | FileCheck %t/search.mlir
// RUN: llm-opt %t/manual.mlir --llm-cost --llm-verify-cost | %one-line | FileCheck %t/manual.mlir

//--- search.mlir
// Decode with latent attention, in the shapes of DeepSeek-V3: all 128 heads share the latents, so
// that each is read once, of 4 sequences 4 x 1024 x 576 x 2 bytes, whether the memory of 8 MiB has
// room for those of a sequence or not: 16384 x 576 x 2 bytes. As macs: 128 heads, 576 features of
// the key and 512 of the value, 4 x 1024 x 128 x 1088.
// CHECK-LABEL: func @latents
// CHECK: "short" {{.*}}mac = 570425344{{.*}}latents = 4718592, out = 524288, query = 589824}
// CHECK: "long" {{.*}}latents = 18874368, out = 131072, query = 147456}
func.func @latents(%q: tensor<4x1x128x576xbf16>, %z: tensor<4x1024x1x576xbf16>,
                   %q1: tensor<1x1x128x576xbf16>, %z1: tensor<1x16384x1x576xbf16>) {
  %0 = llm.mla_attn "short" %q, %z value_dim 512 mask causal scale 0.0721687
     : tensor<4x1x128x576xbf16>, tensor<4x1024x1x576xbf16>
  %1 = llm.mla_attn "long" %q1, %z1 value_dim 512 mask causal scale 0.0721687
     : tensor<1x1x128x576xbf16>, tensor<1x16384x1x576xbf16>
  return
}

// Decode with grouped queries: 4 heads share a KV head, which is read once for all of them:
// 4096 x 8 x 128 x 2 bytes of keys, not four times as many. A window of 128 leaves 128 keys, a
// chunk of 1000 those from position 4000 on, 96 of them. In a ragged batch each sequence has its
// own keys: 4096 + 100 of them.
// CHECK-LABEL: func @groups
// CHECK: "all" {{.*}}keys = 8388608, out = 8192, query = 8192, values = 8388608}
// CHECK: "window" {{.*}}keys = 262144, out = 8192, query = 8192, values = 262144}
// CHECK: "chunk" {{.*}}keys = 196608, out = 8192, query = 8192, values = 196608}
// CHECK: "ragged" {{.*}}keys = 8593408, out = 16384, query = 16384, values = 8593408}
func.func @groups(%q: tensor<1x1x32x128xbf16>, %k: tensor<1x4096x8x128xbf16>,
                  %q2: tensor<2x1x32x128xbf16>, %k2: tensor<2x4096x8x128xbf16>) {
  %0 = llm.gqa_attn "all" %q, %k, %k mask causal scale 0.0883883
     : tensor<1x1x32x128xbf16>, tensor<1x4096x8x128xbf16>, tensor<1x4096x8x128xbf16>
  %1 = llm.gqa_attn "window" %q, %k, %k mask causal window 128 scale 0.0883883
     : tensor<1x1x32x128xbf16>, tensor<1x4096x8x128xbf16>, tensor<1x4096x8x128xbf16>
  %2 = llm.gqa_attn "chunk" %q, %k, %k mask causal chunk 1000 from 0 scale 0.0883883
     : tensor<1x1x32x128xbf16>, tensor<1x4096x8x128xbf16>, tensor<1x4096x8x128xbf16>
  %3 = llm.gqa_attn "ragged" %q2, %k2, %k2 mask causal lengths [4096, 100] scale 0.0883883
     : tensor<2x1x32x128xbf16>, tensor<2x4096x8x128xbf16>, tensor<2x4096x8x128xbf16>
  return
}

// Prefill of 512 tokens: under a causal mask 512 x 513 / 2 = 131328 pairs, about half of 512 x 512;
// behind 1024 keys 512 x 1024 more. 32 heads, 64 features of the key and 64 of the value.
// CHECK-LABEL: func @visible_half
// CHECK: "causal" {{.*}}mac = 537919488,
// CHECK: "full" {{.*}}mac = 1073741824,
// CHECK: "behind" {{.*}}mac = 2685403136,
func.func @visible_half(%q: tensor<1x512x32x64xbf16>, %k: tensor<1x512x8x64xbf16>, %l: tensor<1x1536x8x64xbf16>) {
  %0 = llm.gqa_attn "causal" %q, %k, %k mask causal scale 0.125
     : tensor<1x512x32x64xbf16>, tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>
  %1 = llm.gqa_attn "full" %q, %k, %k mask full scale 0.125
     : tensor<1x512x32x64xbf16>, tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>
  %2 = llm.gqa_attn "behind" %q, %l, %l mask causal scale 0.125
     : tensor<1x512x32x64xbf16>, tensor<1x1536x8x64xbf16>, tensor<1x1536x8x64xbf16>
  return
}

//--- manual.mlir
// 8 queries of 2 heads that share a KV head, 8 keys of 16 x 2 = 32 bytes; tiles of 4 queries, of
// both heads, and of 4 keys, keys inside: each tile of queries reads the keys that it sees again.
// CHECK-LABEL: func @prefill
func.func @prefill(%q: tensor<1x8x2x16xbf16>, %k: tensor<1x8x1x16xbf16>) {
  // All 8 keys for both tiles: 16 x 32. Queries and results move once, 8 x 2 x 32.
  // CHECK: "full" {{.*}}keys = 512, out = 512, query = 512, values = 512}
  %0 = llm.gqa_attn "full" %q, %k, %k mask full scale 0.25 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, d = 16, g = 2, h = 1, s = 4, t = 4}, order = [b, h, g, s, t, d],
      buffers = {keys = 2, out = 2, query = 2, scores = 1, values = 2}>]>}
    : tensor<1x8x2x16xbf16>, tensor<1x8x1x16xbf16>, tensor<1x8x1x16xbf16>
  // The first tile sees keys 0 to 3, the second 0 to 7: 12 x 32.
  // CHECK: "causal" {{.*}}keys = 384, out = 512, query = 512, values = 384}
  %1 = llm.gqa_attn "causal" %q, %k, %k mask causal scale 0.25 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, d = 16, g = 2, h = 1, s = 4, t = 4}, order = [b, h, g, s, t, d],
      buffers = {keys = 2, out = 2, query = 2, scores = 1, values = 2}>]>}
    : tensor<1x8x2x16xbf16>, tensor<1x8x1x16xbf16>, tensor<1x8x1x16xbf16>
  // With a window of 2 the second sees 3 to 7: 9 x 32.
  // CHECK: "window" {{.*}}keys = 288, out = 512, query = 512, values = 288}
  %2 = llm.gqa_attn "window" %q, %k, %k mask causal window 2 scale 0.25 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, d = 16, g = 2, h = 1, s = 4, t = 4}, order = [b, h, g, s, t, d],
      buffers = {keys = 2, out = 2, query = 2, scores = 1, values = 2}>]>}
    : tensor<1x8x2x16xbf16>, tensor<1x8x1x16xbf16>, tensor<1x8x1x16xbf16>
  // With chunks of 4 each sees its own 4: 8 x 32.
  // CHECK: "chunk" {{.*}}keys = 256, out = 512, query = 512, values = 256}
  %3 = llm.gqa_attn "chunk" %q, %k, %k mask causal chunk 4 scale 0.25 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, d = 16, g = 2, h = 1, s = 4, t = 4}, order = [b, h, g, s, t, d],
      buffers = {keys = 2, out = 2, query = 2, scores = 1, values = 2}>]>}
    : tensor<1x8x2x16xbf16>, tensor<1x8x1x16xbf16>, tensor<1x8x1x16xbf16>
  // One head at a time: the shared KV head is read for each of them, 2 x 12 x 32.
  // CHECK: "head" {{.*}}keys = 768, out = 512, query = 512, values = 768}
  %4 = llm.gqa_attn "head" %q, %k, %k mask causal scale 0.25 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, d = 16, g = 1, h = 1, s = 4, t = 4}, order = [b, h, g, s, t, d],
      buffers = {keys = 2, out = 2, query = 2, scores = 1, values = 2}>]>}
    : tensor<1x8x2x16xbf16>, tensor<1x8x1x16xbf16>, tensor<1x8x1x16xbf16>
  // Keys outside: each is read once, 8 x 32, but the 4 queries that see both tiles of keys are read
  // twice, 12 x 2 x 32, and their 4 x 2 x 16 results go out and in again as 4 bytes each: 512 + 1024.
  // CHECK: "keys" {{.*}}keys = 256, out = 1536, query = 768, values = 256}
  %5 = llm.gqa_attn "keys" %q, %k, %k mask causal scale 0.25 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, d = 16, g = 2, h = 1, s = 4, t = 4}, order = [b, h, g, t, s, d],
      buffers = {keys = 2, out = 2, query = 2, scores = 1, values = 2}>]>}
    : tensor<1x8x2x16xbf16>, tensor<1x8x1x16xbf16>, tensor<1x8x1x16xbf16>
  return
}

// 2 sequences of 8 and 5 keys, 4 queries of each in tiles of 2. The tiles of the first end at keys 5
// and 7, those of the second at 2 and 4: 6 + 8 + 3 + 5 keys or latents of 32 bytes. One head of the
// latents at a time reads them once more.
// CHECK-LABEL: func @ragged
func.func @ragged(%q: tensor<2x4x2x16xbf16>, %k: tensor<2x8x1x16xbf16>) {
  // CHECK: "keys" {{.*}}keys = 704, out = 512, query = 512, values = 704}
  %0 = llm.gqa_attn "keys" %q, %k, %k mask causal lengths [8, 5] scale 0.25 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, d = 16, g = 2, h = 1, s = 2, t = 4}, order = [b, h, g, s, t, d],
      buffers = {keys = 2, out = 2, query = 2, scores = 1, values = 2}>]>}
    : tensor<2x4x2x16xbf16>, tensor<2x8x1x16xbf16>, tensor<2x8x1x16xbf16>
  // CHECK: "latents" {{.*}}latents = 704, out = 384, query = 512}
  %1 = llm.mla_attn "latents" %q, %k value_dim 12 mask causal lengths [8, 5] scale 0.25 {llm.tile = #llm.tile<pinned
      levels = [<"sram", sizes = {b = 1, c = 12, d = 16, h = 2, s = 2, t = 4}, order = [b, h, s, t, d, c],
      buffers = {latents = 2, out = 2, query = 2, scores = 1}>]>}
    : tensor<2x4x2x16xbf16>, tensor<2x8x1x16xbf16>
  // CHECK: "one_head" {{.*}}latents = 1408, out = 384, query = 512}
  %2 = llm.mla_attn "one_head" %q, %k value_dim 12 mask causal lengths [8, 5] scale 0.25 {llm.tile = #llm.tile<pinned
      levels = [<"sram", sizes = {b = 1, c = 12, d = 16, h = 1, s = 2, t = 4}, order = [b, h, s, t, d, c],
      buffers = {latents = 2, out = 2, query = 2, scores = 1}>]>}
    : tensor<2x4x2x16xbf16>, tensor<2x8x1x16xbf16>
  return
}

// Scales move with the tiles of a weight: 4 x 64 values in tiles of 2 rows, each of which reads 32 x
// 64 values in MXFP4 again, 32 x (32 + 2) bytes.
// CHECK-LABEL: func @scales
// CHECK: {{.*}}lhs = 512, out = 256, rhs = 2176}
func.func @scales(%x: tensor<4x64xbf16>, %w: tensor<32x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>) {
  %0 = llm.matmul %x, %w transpose_rhs {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {k = 64, m = 2, n = 16}, order = [m, n, k], buffers = {lhs = 2, out = 2, rhs = 2}>]>}
    : tensor<4x64xbf16>, tensor<32x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  return
}
