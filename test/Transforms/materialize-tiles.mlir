// Loops of tiles and parts. The sizes divide little, so that edges are ragged.
// RUN: llm-opt %s --llm-materialize-tiles --verify-roundtrip --canonicalize --cse | %one-line | FileCheck %s
// RUN: llm-opt %s --llm-materialize-tiles --remarks-filter=llm-materialize-tiles --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: llm-opt %s --llm-materialize-tiles | %one-line | FileCheck %s --check-prefix=WHOLE
// RUN: echo 'module {}' | llm-opt --llm-materialize-tiles | %one-line | FileCheck %s --check-prefix=EMPTY
// EMPTY: module {
// CHECK-DAG: #[[$COLUMNS_OF:.+]] = affine_map<(d0) -> (-d0 + 8, 3)>
// CHECK-DAG: #[[$KEYS_OF:.+]] = affine_map<(d0, d1) -> (d0 + d1 + 2)>
// CHECK-DAG: #[[$HEAD_OF:.+]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-DAG: #[[$AT_OF:.+]] = affine_map<(d0) -> (d0 + 11)>

// Six parts: iteration 0 of the loop is part 0, the last index is the fastest. The second part
// along n ends at 8. A slot for each, on four engines and then on two of them.
// CHECK-LABEL: func.func @parts
// CHECK: %[[OUT:.+]] = tensor.empty() : tensor<4x8xbf16>
// CHECK: %[[Y:.+]] = scf.forall (%[[M:.+]], %[[N:.+]]) = (0, 0) to (4, 8) step (2, 3) shared_outs(%[[O:.+]] = %[[OUT]]) -> (tensor<4x8xbf16>) {
// CHECK-NEXT: %[[COLUMNS:.+]] = affine.min #[[$COLUMNS_OF]](%[[N]])
// CHECK-NEXT: %[[X:.+]] = tensor.extract_slice %{{.+}}[%[[M]], 0] [2, 8] [1, 1] : tensor<4x8xbf16> to tensor<2x8xbf16>
// CHECK-NEXT: %[[W:.+]] = tensor.extract_slice %{{.+}}[0, %[[N]]] [8, %[[COLUMNS]]] [1, 1] : tensor<8x8xbf16> to tensor<8x?xbf16>
// CHECK-NEXT: %[[P:.+]] = llm.matmul "up_proj" %[[X]], %[[W]] : tensor<2x8xbf16>, tensor<8x?xbf16>
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[P]] into %[[O]][%[[M]], %[[N]]] [2, %[[COLUMNS]]] [1, 1]
// CHECK: } {llm.slots = #llm.slots<[<part = 0, {{.*}}count = 4{{.*}}>, <part = 4, {{.*}}count = 2{{.*}}>]>, llm.tile = #llm.tile<pinned split = {m = 2, n = 3}>}
// CHECK-NEXT: return %[[Y]]
func.func @parts(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
  %y = llm.matmul "up_proj" %x, %w {llm.tile = #llm.tile<pinned split = {m = 2, n = 3}>,
    llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 9, lanes = {dram = 256} count = 4 index_stride = 1>,
                            <part = 4, engine = "core"[0], start_cycle = 9, end_cycle = 18, lanes = {dram = 256} count = 2 index_stride = 1>]>}
    : tensor<4x8xbf16>, tensor<8x8xbf16>
  return %y : tensor<4x8xbf16>
}

// One part: no loop over parts. Tiles in their order, n outside of m; the reduction is cut, so
// that the sums of a tile are 32 bits wide and start at the bias, on each row.
// CHECK-LABEL: func.func @sums_inside
// CHECK-NOT: scf.forall
// CHECK: scf.for %[[N:.+]] = %c0 to %c7 step %c3 iter_args(%[[A:.+]] = %{{.+}}) -> (tensor<5x7xbf16>) {
// CHECK: scf.for %[[M:.+]] = %c0 to %c5 step %c2 iter_args(%[[B:.+]] = %[[A]]) -> (tensor<5x7xbf16>) {
// CHECK: %[[BIAS:.+]] = tensor.extract_slice %{{.+}}[%[[N]]] [%{{.+}}] [1] : tensor<7xbf16> to tensor<?xbf16>
// CHECK: %[[WIDE:.+]] = llm.quantize %[[BIAS]] to f32
// CHECK: %[[START:.+]] = linalg.broadcast ins(%[[WIDE]] : tensor<?xf32>) outs(%{{.+}} : tensor<?x?xf32>) dimensions = [0]
// CHECK: %[[SUMS:.+]] = scf.for %[[K:.+]] = %c0 to %c6 step %c4 iter_args(%[[C:.+]] = %[[START]]) -> (tensor<?x?xf32>) {
// CHECK: %[[P:.+]] = llm.matmul "down_proj" %{{.+}}, %{{.+}} transpose_rhs to f32 : tensor<?x?xbf16>, tensor<?x?xbf16>
// CHECK-NEXT: %[[ADDED:.+]] = llm.add %[[C]], %[[P]] : tensor<?x?xf32>, tensor<?x?xf32>
// CHECK-NEXT: scf.yield %[[ADDED]]
// CHECK: %[[DONE:.+]] = llm.quantize %[[SUMS]] to bf16
// CHECK-NEXT: tensor.insert_slice %[[DONE]] into %[[B]][%[[M]], %[[N]]]
// CHECK: llm.tile = #llm.tile<pinned levels
func.func @sums_inside(%x: tensor<5x6xbf16>, %w: tensor<7x6xbf16>, %b: tensor<7xbf16>) -> tensor<5x7xbf16> {
  %y = llm.matmul "down_proj" %x, %w bias %b transpose_rhs {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {k = 4, m = 2, n = 3}, order = [n, m, k], buffers = {}>]>} : tensor<5x6xbf16>, tensor<7x6xbf16>, tensor<7xbf16>
  return %y : tensor<5x7xbf16>
}

// The reduction outside: partial sums of all rows of a part, as the cost of such a tile says. The
// tile of 4 rows is clipped to the part of 3, so that there is no loop over rows.
// CHECK-LABEL: func.func @sums_outside
// CHECK: scf.forall (%[[M:.+]]) = (0) to (5) step (3)
// CHECK: %[[ROWS:.+]] = affine.min #{{.+}}(%[[M]])
// CHECK: %[[ZERO:.+]] = tensor.splat %cst[%[[ROWS]]] : tensor<?x7xf32>
// CHECK: scf.for %[[K:.+]] = %c0 to %c6 step %c2 iter_args(%[[A:.+]] = %[[ZERO]]) -> (tensor<?x7xf32>) {
// CHECK: scf.for %[[N:.+]] = %c0 to %c7 step %c3 iter_args(%[[B:.+]] = %[[A]]) -> (tensor<?x7xf32>) {
// CHECK: tensor.extract_slice %{{.+}}[%[[M]], %[[K]]] [%[[ROWS]], 2] [1, 1] : tensor<5x6xf32> to tensor<?x2xf32>
// CHECK: %[[P:.+]] = llm.matmul "o_proj"
// CHECK: %[[OLD:.+]] = tensor.extract_slice %[[B]][0, %[[N]]]
// CHECK: %[[NEW:.+]] = llm.add %[[OLD]], %[[P]]
// CHECK: tensor.insert_slice %[[NEW]] into %[[B]][0, %[[N]]]
// CHECK-NOT: llm.quantize
// CHECK-LABEL: func.func @queries
func.func @sums_outside(%x: tensor<5x6xf32>, %w: tensor<6x7xf32>) -> tensor<5x7xf32> {
  %y = llm.matmul "o_proj" %x, %w {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {k = 2, m = 4, n = 3}, order = [k, n, m], buffers = {}>] split = {m = 2}>} : tensor<5x6xf32>, tensor<6x7xf32>
  return %y : tensor<5x7xf32>
}

// 5 queries on 7 keys. A slice of the queries sees no key behind that of its last one, at 7 - 5
// more: it gets the keys before, and the mask means the same on them. Head h of the keys is that
// of heads 2 h and 2 h + 1. Sums of a softmax are not added up: no loop over keys.
// CHECK: scf.forall (%[[S:.+]]) = (0) to (5) step (3)
// CHECK: %[[QUERIES:.+]] = affine.min #{{.+}}(%[[S]])
// CHECK: scf.for %[[H:.+]] = %c0 to %c2 step %c1
// CHECK: %[[KEYS:.+]] = affine.apply #[[$KEYS_OF]](%[[S]], %[[QUERIES]])
// CHECK: %[[HEAD:.+]] = affine.apply #[[$HEAD_OF]](%[[H]])
// CHECK: %[[Q:.+]] = tensor.extract_slice %{{.+}}[0, %[[S]], %[[HEAD]], 0] [1, %[[QUERIES]], 2, 4]
// CHECK: %[[K:.+]] = tensor.extract_slice %{{.+}}[0, 0, %[[H]], 0] [1, %[[KEYS]], 1, 4]
// CHECK: %[[V:.+]] = tensor.extract_slice %{{.+}}[0, 0, %[[H]], 0] [1, %[[KEYS]], 1, 4]
// CHECK: llm.gqa_attn "attn" %[[Q]], %[[K]], %[[V]] mask causal scale
// CHECK-NOT: scf.for %
// REMARK: [Missed] materialize {{.*}}'attn' has no loop over tiles of 't': parts of the reduction 't' are not added up
func.func @queries(%q: tensor<1x5x4x4xbf16>, %k: tensor<1x7x2x4xbf16>, %v: tensor<1x7x2x4xbf16>) -> tensor<1x5x4x4xbf16> {
  %o = llm.gqa_attn "attn" %q, %k, %v mask causal scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, h = 1, g = 2, s = 5, t = 4, d = 4}, order = [b, h, g, s, t, d], buffers = {}>] split = {s = 2}>}
    : tensor<1x5x4x4xbf16>, tensor<1x7x2x4xbf16>, tensor<1x7x2x4xbf16>
  return %o : tensor<1x5x4x4xbf16>
}

// Probabilities of keys that nobody sees are 0.
// CHECK-LABEL: func.func @padded
// CHECK: scf.for %[[S:.+]] = %c0 to %c5 step %c2
// CHECK: %[[P:.+]] = llm.softmax "softmax" %{{.+}} mask causal : tensor<1x2x?x?xbf16>
// CHECK: %[[ALL:.+]] = tensor.pad %[[P]] low[0, 0, 0, 0] high[0, 0, 0, %{{.+}}]
// CHECK: tensor.yield %cst : bf16
// CHECK: tensor.insert_slice %[[ALL]] into %{{.+}}[0, 0, %[[S]], 0] [1, 2, %{{.+}}, 7]
func.func @padded(%x: tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xbf16> {
  %p = llm.softmax "softmax" %x mask causal {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, h = 2, s = 2, t = 7}, order = [b, h, s, t], buffers = {}>]>} : tensor<1x2x5x7xbf16>
  return %p : tensor<1x2x5x7xbf16>
}

// Token s of a slice stands as many positions later as the slice does: from 11 on.
// CHECK-LABEL: func.func @positions
// CHECK: scf.forall (%[[S:.+]]) = (0) to (6) step (2)
// CHECK: %[[AT:.+]] = affine.apply #[[$AT_OF]](%[[S]])
// CHECK: llm.rope "rope" %{{.+}} at %[[AT]] theta 10000.0 : tensor<1x2x2x4xbf16>
func.func @positions(%x: tensor<1x6x2x4xbf16>) -> tensor<1x6x2x4xbf16> {
  %r = llm.rope "rope" %x at 11 theta 10000.0 {llm.tile = #llm.tile<pinned split = {s = 3}>} : tensor<1x6x2x4xbf16>
  return %r : tensor<1x6x2x4xbf16>
}

// An op with two results. All of the experts are there in each part.
// CHECK-LABEL: func.func @two_results
// CHECK: scf.forall (%[[M:.+]]) = (0) to (4) step (2) shared_outs(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}})
// CHECK: %[[SHARES:.+]], %[[EXPERTS:.+]] = llm.moe_route softmax %{{.+}} top_k 2 : tensor<2x8xf32>
// CHECK: tensor.parallel_insert_slice %[[SHARES]] into %[[A]][%[[M]], 0] [2, 2]
// CHECK: tensor.parallel_insert_slice %[[EXPERTS]] into %[[B]][%[[M]], 0] [2, 2]
func.func @two_results(%l: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %s, %e = llm.moe_route softmax %l top_k 2 {llm.tile = #llm.tile<pinned split = {m = 2}>} : tensor<4x8xf32>
  return %s, %e : tensor<4x2xf32>, tensor<4x2xi32>
}

// Of the weights of all experts the same columns.
// CHECK-LABEL: func.func @experts
// CHECK: scf.forall (%[[N:.+]]) = (0) to (6) step (3)
// CHECK: tensor.extract_slice %{{.+}}[0, %[[N]], 0] [4, 3, 4] [1, 1, 1] : tensor<4x6x4xbf16> to tensor<4x3x4xbf16>
// CHECK: llm.grouped_matmul
func.func @experts(%x: tensor<8x4xbf16>, %w: tensor<4x6x4xbf16>) -> tensor<8x6xbf16> {
  %y = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 {llm.tile = #llm.tile<pinned split = {n = 2}>} : tensor<8x4xbf16>, tensor<4x6x4xbf16>
  return %y : tensor<8x6xbf16>
}

// Linalg ops add to what is there: they need no sums of their own.
// CHECK-LABEL: func.func @linalg
// CHECK: scf.forall (%[[M:.+]]) = (0) to (4) step (2) shared_outs(%[[O:.+]] = %arg2)
// CHECK: %[[START:.+]] = tensor.extract_slice %[[O]][%[[M]], 0] [2, 8]
// CHECK: %[[DONE:.+]] = scf.for %[[K:.+]] = %c0 to %c6 step %c3 iter_args(%[[A:.+]] = %[[START]])
// CHECK: %[[P:.+]] = linalg.matmul ins(%{{.+}}, %{{.+}} : tensor<2x3xf32>, tensor<3x8xf32>) outs(%[[A]] : tensor<2x8xf32>)
// CHECK-NEXT: scf.yield %[[P]]
// CHECK: tensor.parallel_insert_slice %[[DONE]] into %[[O]][%[[M]], 0] [2, 8]
func.func @linalg(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = linalg.matmul {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 4, d1 = 8, d2 = 3}, order = [d0, d1, d2], buffers = {}>] split = {d0 = 2}>}
    ins(%x, %w : tensor<4x6xf32>, tensor<6x8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Whole ops keep what they have, and a remark says why they are whole.
// WHOLE-LABEL: func.func @whole
// WHOLE-NOT: scf.
// WHOLE: llm.kv_write "kv_write" {{.*}}llm.tile = #llm.tile<pinned split = {h = 2}>
// REMARK: [Missed] materialize {{.*}}'kv_write' stays whole: it has no TilingInterface, which would say what it is on slices
// WHOLE: llm.gqa_attn "ragged" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'ragged' stays whole: the lengths of the sequences in the mask are no operand
// WHOLE: llm.qk "keys" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'keys' stays whole: the mask does not say where the first of some keys stands
// WHOLE: llm.qk "heads" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'heads' stays whole: the elements of 'query' that some iterations of 'g' touch are no slice
// WHOLE: llm.rope "ragged_rope" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'ragged_rope' stays whole: the positions of the sequences differ, and are no operand
func.func @whole(%q: tensor<2x1x4x4xbf16>, %k: tensor<2x6x2x4xbf16>, %n: tensor<2x1x2x4xbf16>) {
  %c = llm.kv_cache "cache" : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 4, capacity = 6, bf16>
  %0 = llm.kv_write "kv_write" %c, %n, %n at 5 {llm.tile = #llm.tile<pinned split = {h = 2}>} : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 4, capacity = 6, bf16>, tensor<2x1x2x4xbf16>, tensor<2x1x2x4xbf16>
  %1 = llm.gqa_attn "ragged" %q, %k, %k mask causal lengths [6, 3] scale 0.5 {llm.tile = #llm.tile<pinned split = {b = 2}>} : tensor<2x1x4x4xbf16>, tensor<2x6x2x4xbf16>, tensor<2x6x2x4xbf16>
  %2 = llm.qk "keys" %q, %k mask causal scale 0.5 {llm.tile = #llm.tile<pinned split = {t = 2}>} : tensor<2x1x4x4xbf16>, tensor<2x6x2x4xbf16>
  %3 = llm.qk "heads" %q, %k mask full scale 0.5 {llm.tile = #llm.tile<pinned split = {g = 2}>} : tensor<2x1x4x4xbf16>, tensor<2x6x2x4xbf16>
  %4 = llm.rope "ragged_rope" %q at [5, 2] theta 1.0e4 {llm.tile = #llm.tile<pinned split = {b = 2}>} : tensor<2x1x4x4xbf16>
  return
}

// More of them: blocks that share a scale, kernels of several ops, tables, numbers of heads and
// rows that are attributes. With all groups of 1 head, heads are slices: "one_head" is cut.
// WHOLE-LABEL: func.func @more_whole
// WHOLE: llm.matmul "blocks" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'blocks' stays whole: a cut of 'n' into 3 goes through blocks of 2 in 'rhs'
// WHOLE: llm.quantize "per_matrix" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'per_matrix' stays whole: a scale is found along all of 'd0'
// WHOLE: llm.repeat_kv "repeat" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'repeat' stays whole: the number of heads is no operand, and the last slice along 'g' has fewer than the others
// REMARK: [Missed] materialize {{.*}}'part' has no loop over tiles of 'h': the number of heads is no operand, and the last slice along 'h' has fewer than the others
// WHOLE: llm.grouped_matmul "rows" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'rows' stays whole: how many of some rows each expert has is no operand
// WHOLE: llm.embedding "embed_tokens" {{.*}}llm.tile
// REMARK: [Missed] materialize {{.*}}'embed_tokens' stays whole: it has no TilingInterface
// WHOLE: llm.fused "fused"
// REMARK: [Missed] materialize {{.*}}'fused' stays whole: it has no TilingInterface
// REMARK: [Missed] materialize {{.*}}'biased' has no loop over tiles of 'k': the bias of each row is added to a complete sum
// WHOLE: llm.grouped_matmul "biased" {{.*}}llm.tile
func.func @more_whole(%x: tensor<6x4xbf16>, %w: tensor<6x4x!llm.block_scaled<f8E4M3FN, [2, 4], f32>>, %k: tensor<1x6x1x4xbf16>,
                      %e: tensor<2x6x4xbf16>, %b: tensor<2x6xbf16>, %t: tensor<6xi32>) {
  %0 = llm.matmul "blocks" %x, %w transpose_rhs {llm.tile = #llm.tile<pinned split = {n = 2}>} : tensor<6x4xbf16>, tensor<6x4x!llm.block_scaled<f8E4M3FN, [2, 4], f32>>
  %1 = llm.quantize "per_matrix" %x to !llm.block_scaled<f8E4M3FN, [?, ?], f32> {llm.tile = #llm.tile<pinned split = {d0 = 2}>} : tensor<6x4xbf16>
  %2 = llm.repeat_kv "repeat" %k heads 5 {llm.tile = #llm.tile<pinned split = {g = 2}>} : tensor<1x6x1x4xbf16>
  // 6 of 12 heads in each part, of which 4 are no tile.
  %h = tensor.empty() : tensor<1x2x12x4xbf16>
  %p = llm.repeat_kv "part" %h heads 24 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, t = 2, h = 4, g = 2, d = 4}, order = [b, t, h, g, d], buffers = {}>] split = {h = 2}>} : tensor<1x2x12x4xbf16>
  %3 = llm.grouped_matmul "rows" %x, %e transpose_rhs rows_per_expert [5, 1] top_k 1 {llm.tile = #llm.tile<pinned split = {m = 2}>} : tensor<6x4xbf16>, tensor<2x6x4xbf16>
  %4 = llm.embedding "embed_tokens" %t, %x {llm.tile = #llm.tile<pinned split = {m = 2}>} : tensor<6xi32>, tensor<6x4xbf16>
  %5 = llm.fused "fused" attributes {llm.tile = #llm.tile<pinned split = {d0 = 2}>} {
    %s = llm.add "sum" %x, %x : tensor<6x4xbf16>, tensor<6x4xbf16>
    %a = llm.activation "act" silu %s : tensor<6x4xbf16>
    llm.yield %a : tensor<6x4xbf16>
  } : tensor<6x4xbf16>
  %6 = llm.grouped_matmul "biased" %x, %e bias %b transpose_rhs rows_per_expert [5, 1] top_k 1 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {k = 2, m = 6, n = 6}, order = [m, n, k], buffers = {}>]>} : tensor<6x4xbf16>, tensor<2x6x4xbf16>, tensor<2x6xbf16>
  return
}

// The pipeline: every op of a block is made loops, but for what the cache takes.
// RUN: llm-opt %root/dialects/llm/examples/dense-block-prefill.mlir --llm-tile --llm-schedule --llm-materialize-tiles --verify-roundtrip --remarks-filter=llm-materialize-tiles --remark-format=emitRemark -o %t.block 2> %t.remarks
// RUN: FileCheck %s --check-prefix=BLOCK --input-file=%t.block
// RUN: FileCheck %s --check-prefix=BLOCKREMARK --input-file=%t.remarks
// BLOCK: llm.schedule = #llm.schedule<
// BLOCK: scf.forall
// BLOCKREMARK-COUNT-1: [Missed]
// BLOCKREMARK-NOT: [Missed]
