// Weights with scales, joined where the joined weight has the same ones, or where there is one for a
// whole matrix. Each element moves once on this machine, so that operands have the bytes of their
// types, which were computed by hand: 256 terms; values of a byte, half of one in NVFP4; scales of 4
// bytes, in NVFP4 a byte for 16 values.

// RUN: split-file %s %t
// RUN: llm-opt %t/program.mlir --llm-target=file=%t/plain.json --llm-fuse-projections --llm-tile --verify-roundtrip | %one-line | FileCheck %t/program.mlir
// RUN: llm-opt %t/program.mlir --llm-fuse-projections --remarks-filter=llm-fuse-projections \
// RUN:   --remark-format=emitRemark -o %t/joined.mlir 2>&1 | FileCheck %t/program.mlir --check-prefix=REMARK

// Llama 3.1 8B with a scale for each matrix, in FP8 and in NVFP4. q, k and v have 6144 rows of 4096
// values, gate and up 28672. What one activation is quantized to, all read: four ops are left of seven
// products. Bytes: 6144 x 4096 + 4 and 28672 x 4096 + 4; 6144 x (2048 + 256) + 4 and 28672 x (2048 +
// 256) + 4.
// RUN: llm-translate --import-hf-config %examples/llama-3.1-8b.json --weights=fp8 --activations=fp8 | %one-line > %t/fp8.mlir
// RUN: llm-opt %t/fp8.mlir --llm-target=file=%t/plain.json --llm-fuse-projections --llm-tile | %one-line > %t/fp8-joined.mlir
// RUN: FileCheck %s --check-prefix=FP8 --input-file=%t/fp8-joined.mlir
// FP8: llm.matmul "model.layers.0.self_attn.q_proj+k_proj+v_proj" {{.*}} rhs = 25165828}
// FP8: llm.matmul "model.layers.0.mlp.gate_proj+up_proj" {{.*}} rhs = 117440516}
// RUN: grep -c llm.quantize %t/fp8-joined.mlir | FileCheck %s --check-prefix=FOUR
// FOUR: 4
// RUN: llm-translate --import-hf-config %examples/llama-3.1-8b.json --weights=nvfp4 --activations=nvfp4 | %one-line > %t/nvfp4.mlir
// RUN: llm-opt %t/nvfp4.mlir --llm-target=file=%t/plain.json --llm-fuse-projections --llm-tile | %one-line | FileCheck %s --check-prefix=NVFP4
// NVFP4: llm.matmul "model.layers.0.self_attn.q_proj+k_proj+v_proj" {{.*}} rhs = 14155780}
// NVFP4: llm.matmul "model.layers.0.mlp.gate_proj+up_proj" {{.*}} rhs = 66060292}

// The checkpoint is as large as before, a scale for each of the seven matrices of a layer included:
// 218103808 values, seven scales, two norms of 4096 values of two bytes.
// RUN: llm-opt %t/fp8.mlir --llm-target=file=%t/plain.json --llm-fuse-projections --llm-tile --llm-schedule \
// RUN:   "--llm-export-report=format=json file=%t/fp8.report" -o %t/scheduled.mlir
// RUN: FileCheck %s --check-prefix=TOTALS --input-file=%t/fp8.report
// TOTALS: "weight_bytes": 218120220

//--- plain.json
{
  "name": "plain",
  "clock_hz": 1e9,
  "engines": {
    "core": {
      "kinds": ["matrix", "vector"],
      "macs_per_cycle_per_unit": { "bf16": 1024, "f8E4M3FN": 1024 },
      "alu_per_cycle_per_unit": 64,
      "special_per_cycle_per_unit": 64,
      "compare_per_cycle_per_unit": 64
    }
  },
  "memories": { "dram": { "capacity_bytes": 80e9, "bytes_per_second": 1e12 } }
}

//--- program.mlir
!x = tensor<4x256xbf16>
!token = !llm.block_scaled<f8E4M3FN, [?], f32>
!matrix = !llm.block_scaled<f8E4M3FN, [?, ?], f32>
!blocks = !llm.block_scaled<f8E4M3FN, [128, 128], f32>
!nvfp4 = !llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>
!groups = !llm.block_scaled<f8E4M3FN, [32], f32>

// One scale for each matrix, as q, k and v of a checkpoint have it: one for all of them. 512 x 256 + 4.
// CHECK-LABEL: func.func @matrix
// CHECK: llm.matmul "q+k+v" {{.*}} rhs = 131076}
// CHECK-NOT: llm.matmul
// REMARK: [Passed] fuse {{.*}}3 matmuls on one activation are now 'q+k+v'
func.func @matrix(%x: tensor<4x256x!matrix>) {
  %wq = llm.weight "q.weight" : tensor<256x256x!matrix>
  %q = llm.matmul "q" %x, %wq transpose_rhs to bf16 : tensor<4x256x!matrix>, tensor<256x256x!matrix>
  %wk = llm.weight "k.weight" : tensor<128x256x!matrix>
  %k = llm.matmul "k" %x, %wk transpose_rhs to bf16 : tensor<4x256x!matrix>, tensor<128x256x!matrix>
  %wv = llm.weight "v.weight" : tensor<128x256x!matrix>
  %v = llm.matmul "v" %x, %wv transpose_rhs to bf16 : tensor<4x256x!matrix>, tensor<128x256x!matrix>
  return
}

// NVFP4 with biases: 320 x 256 / 2 + 320 x 16 + 4; biases of 320 elements.
// CHECK-LABEL: func.func @nvfp4
// CHECK: llm.matmul "gate+up" {{.*}}bias = 640,{{.*}} rhs = 46084}
// CHECK-NOT: llm.matmul
// REMARK: [Passed] fuse {{.*}}2 matmuls on one activation are now 'gate+up'
func.func @nvfp4(%x: !x, %b: tensor<160xbf16>) {
  %wg = llm.weight "gate.weight" : tensor<160x256x!nvfp4>
  %g = llm.matmul "gate" %x, %wg bias %b transpose_rhs : !x, tensor<160x256x!nvfp4>, tensor<160xbf16>
  %wu = llm.weight "up.weight" : tensor<160x256x!nvfp4>
  %u = llm.matmul "up" %x, %wu bias %b transpose_rhs : !x, tensor<160x256x!nvfp4>, tensor<160xbf16>
  return
}

// A scale for each row: 192 x 256 + 192 x 4.
// CHECK-LABEL: func.func @rows
// CHECK: llm.matmul "gate+up" {{.*}} rhs = 49920}
// CHECK-NOT: llm.matmul
// REMARK: [Passed] fuse {{.*}}2 matmuls on one activation are now 'gate+up'
func.func @rows(%x: !x) {
  %wg = llm.weight "gate.weight" : tensor<128x256x!token>
  %g = llm.matmul "gate" %x, %wg transpose_rhs : !x, tensor<128x256x!token>
  %wu = llm.weight "up.weight" : tensor<64x256x!token>
  %u = llm.matmul "up" %x, %wu transpose_rhs : !x, tensor<64x256x!token>
  return
}

// Blocks that end where a weight ends; the last one may be shorter: 448 x 256 + 4 x 2 x 4.
// CHECK-LABEL: func.func @blocks
// CHECK: llm.matmul "q+k" {{.*}} rhs = 114720}
// CHECK-NOT: llm.matmul
// REMARK: [Passed] fuse {{.*}}2 matmuls on one activation are now 'q+k'
func.func @blocks(%x: !x) {
  %wq = llm.weight "q.weight" : tensor<256x256x!blocks>
  %q = llm.matmul "q" %x, %wq transpose_rhs : !x, tensor<256x256x!blocks>
  %wk = llm.weight "k.weight" : tensor<192x256x!blocks>
  %k = llm.matmul "k" %x, %wk transpose_rhs : !x, tensor<192x256x!blocks>
  return
}

// In the other order the second weight begins within a block. Both have as many scales as the joined
// one would have, 4 x 2, but not the same.
// CHECK-LABEL: func.func @cut_blocks
// CHECK-NOT: tensor.concat
// CHECK-COUNT-2: llm.matmul
// REMARK: [Missed] fuse {{.*}}'k' and 1 more on its activation stay apart: 'k' has 192 columns, which blocks of 128 with one scale do not fill
func.func @cut_blocks(%x: !x) {
  %wk = llm.weight "k.weight" : tensor<192x256x!blocks>
  %k = llm.matmul "k" %x, %wk transpose_rhs : !x, tensor<192x256x!blocks>
  %wq = llm.weight "q.weight" : tensor<256x256x!blocks>
  %q = llm.matmul "q" %x, %wq transpose_rhs : !x, tensor<256x256x!blocks>
  return
}

// Groups of 32 along the terms are in the way of no boundary, along the columns they are.
// CHECK-LABEL: func.func @groups
// CHECK: llm.matmul "a+b" {{.*}} rhs = 32256}
// CHECK: llm.matmul "c" %
// CHECK: llm.matmul "d" %
// REMARK: [Missed] fuse {{.*}}'c' stays apart from 'a': only one of their weights is transposed
// REMARK: [Passed] fuse {{.*}}2 matmuls on one activation are now 'a+b'
// REMARK: [Missed] fuse {{.*}}'c' and 1 more on its activation stay apart: 'c' has 48 columns, which blocks of 32 with one scale do not fill
func.func @groups(%x: !x) {
  // 112 x 256 + 112 x 8 x 4
  %wa = llm.weight "a.weight" : tensor<48x256x!groups>
  %a = llm.matmul "a" %x, %wa transpose_rhs : !x, tensor<48x256x!groups>
  %wb = llm.weight "b.weight" : tensor<64x256x!groups>
  %b = llm.matmul "b" %x, %wb transpose_rhs : !x, tensor<64x256x!groups>
  %wc = llm.weight "c.weight" : tensor<256x48x!groups>
  %c = llm.matmul "c" %x, %wc : !x, tensor<256x48x!groups>
  %wd = llm.weight "d.weight" : tensor<256x64x!groups>
  %d = llm.matmul "d" %x, %wd : !x, tensor<256x64x!groups>
  return
}

// Ops that quantize one activation alike are one; what is quantized in another way is not the same,
// nor is what is not quantized.
// CHECK-LABEL: func.func @quantize
// CHECK: %[[X:.+]] = llm.quantize "q.quantize"
// CHECK-NOT: "k.quantize"
// CHECK: llm.matmul "q+k" %[[X]],
// CHECK: %[[S:.+]] = llm.quantize "v.quantize" %{{.+}} static
// CHECK: llm.matmul "v" %[[S]],
// CHECK: llm.matmul "router" %
// REMARK: [Missed] fuse {{.*}}'v' stays apart from 'q': only one of them has a left operand with scales that are known before
// REMARK: [Missed] fuse {{.*}}'router' stays apart from 'q': their left operands have other types
// REMARK: [Passed] fuse {{.*}}2 matmuls on one activation are now 'q+k'
func.func @quantize(%x: !x) {
  %w = llm.weight "weight" : tensor<128x256x!token>
  %r = llm.weight "router.weight" : tensor<128x256xbf16>
  %xq = llm.quantize "q.quantize" %x to !token : !x
  %q = llm.matmul "q" %xq, %w transpose_rhs to bf16 : tensor<4x256x!token>, tensor<128x256x!token>
  %xk = llm.quantize "k.quantize" %x to !token : !x
  %k = llm.matmul "k" %xk, %w transpose_rhs to bf16 : tensor<4x256x!token>, tensor<128x256x!token>
  %xv = llm.quantize "v.quantize" %x static to !token : !x
  %v = llm.matmul "v" %xv, %w transpose_rhs to bf16 : tensor<4x256x!token>, tensor<128x256x!token>
  %s = llm.matmul "router" %x, %r transpose_rhs : !x, tensor<128x256xbf16>
  return
}

// Experts with the same rows: 2 experts with rows of 4, each 256 x 256 values and one scale, biases of
// 256; the result is taken apart. A product with other rows is another one.
// CHECK-LABEL: func.func @experts
// CHECK: tensor.concat dim(1) {{.*}} : (tensor<4x128x256x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<4x128x256x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>) -> tensor<4x256x256x
// CHECK: tensor.concat dim(1) {{.*}} -> tensor<4x256xbf16>
// CHECK: %[[BOTH:.+]] = llm.grouped_matmul "gate+up" {{.*}} rows_per_expert [3, 0, 1, 0] top_k 1 {{.*}}bias = 1024,{{.*}} out = 2048, rhs = 131080}
// CHECK: tensor.extract_slice %[[BOTH]][0, 0] [4, 128] [1, 1]
// CHECK: tensor.extract_slice %[[BOTH]][0, 128] [4, 128] [1, 1]
// CHECK: llm.grouped_matmul "other"
// REMARK: [Missed] fuse {{.*}}'other' stays apart from 'gate': their rows are not of the same experts
// REMARK: [Missed] fuse {{.*}}'shared' stays apart from 'gate': only one of them is of experts
// REMARK: [Passed] fuse {{.*}}2 matmuls on one activation are now 'gate+up'
func.func @experts(%x: !x, %bias: tensor<4x128xbf16>) -> (tensor<4x128xbf16>, tensor<4x128xbf16>) {
  %wg = llm.weight "gate.weight" : tensor<4x128x256x!matrix>
  %g = llm.grouped_matmul "gate" %x, %wg bias %bias transpose_rhs rows_per_expert [3, 0, 1, 0] top_k 1
     : !x, tensor<4x128x256x!matrix>, tensor<4x128xbf16>
  %wu = llm.weight "up.weight" : tensor<4x128x256x!matrix>
  %u = llm.grouped_matmul "up" %x, %wu bias %bias transpose_rhs rows_per_expert [3, 0, 1, 0] top_k 1
     : !x, tensor<4x128x256x!matrix>, tensor<4x128xbf16>
  %o = llm.grouped_matmul "other" %x, %wu bias %bias transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1
     : !x, tensor<4x128x256x!matrix>, tensor<4x128xbf16>
  %ws = llm.weight "shared.weight" : tensor<128x256x!matrix>
  %s = llm.matmul "shared" %x, %ws transpose_rhs : !x, tensor<128x256x!matrix>
  return %g, %u : tensor<4x128xbf16>, tensor<4x128xbf16>
}

// Other types of biases, results and weights, one without a bias, one in a loop.
// REMARK: [Missed] fuse {{.*}}'typed_bias' stays apart from 'first': their biases have other types
// REMARK: [Missed] fuse {{.*}}'no_bias' stays apart from 'first': only one of them has a bias
// REMARK: [Missed] fuse {{.*}}'result' stays apart from 'first': their results have other types
// REMARK: [Missed] fuse {{.*}}'weight' stays apart from 'first': their weights have other types
// REMARK: [Missed] fuse {{.*}}'inside' stays apart from 'first': they are in other blocks
// CHECK-LABEL: func.func @others
func.func @others(%x: !x, %w: tensor<256x64xbf16>, %b: tensor<64xbf16>, %c: tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = llm.weight "v.weight" : tensor<256x64x!token>
  %0 = llm.matmul "first" %x, %w bias %b : !x, tensor<256x64xbf16>, tensor<64xbf16>
  %1 = llm.matmul "typed_bias" %x, %w bias %c : !x, tensor<256x64xbf16>, tensor<64xf32>
  %2 = llm.matmul "no_bias" %x, %w : !x, tensor<256x64xbf16>
  %3 = llm.matmul "result" %x, %w bias %b to f32 : !x, tensor<256x64xbf16>, tensor<64xbf16>
  %4 = llm.matmul "weight" %x, %v bias %b : !x, tensor<256x64x!token>, tensor<64xbf16>
  scf.for %i = %c0 to %c4 step %c1 {
    %5 = llm.matmul "inside" %x, %w bias %b : !x, tensor<256x64xbf16>, tensor<64xbf16>
  }
  return
}
