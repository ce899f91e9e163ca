// Each rule broken by hand in a schedule that is otherwise sound.
// RUN: rm -rf %t && split-file %s %t

// The schedule: three cores and two DMA queues, of which each takes half of one byte per
// cycle (512 of 1024 lanes). a, b, c and d move 96 bytes each, 192 cycles; c waits for a,
// and d for lanes. m does 16 x 16 x 16 macs, one per cycle: 4096 cycles, in which its 1536
// bytes need 1536 / 4096 of the lanes: 384.
// RUN: llm-opt %t/base.mlir --llm-target=file=%t/toy.json --llm-tile | %one-line | sed 's/tile<search/tile<pinned/' | llm-opt --llm-cost --llm-schedule=policy=earliest --llm-verify-schedule | %one-line > %t/ok.mlir
// RUN: FileCheck %t/base.mlir < %t/ok.mlir
// RUN: llm-opt %t/ok.mlir --llm-verify-schedule | %one-line | diff %t/ok.mlir -

// Rule S1, each part has exactly one slot: not two, not another part's, not none.
// RUN: sed '/"b"/s/slots<\[\(.*\)\]>, llm.tile/slots<[\1, \1]>, llm.tile/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE1
// RULE1: bad.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'llm.add' op S1: {{.*}}'b' has 2 slots, expected 1
// RUN: sed '/"b"/s/part = 0/part = 1/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE1PART
// RULE1PART: error: 'llm.add' op S1: its slots are for parts 1 to 1, but its cost has 1
// RUN: sed '/"b"/s/llm.slots = .*, llm.tile/llm.tile/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE1NONE
// RULE1NONE: error: 'llm.add' op has no slot; run --llm-schedule after the pass that added it

// Rule S2, the length follows from the lanes: not a cycle more, nor less.
// RUN: sed '/"d"/s/end_cycle = 384/end_cycle = 385/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE2
// RUN: sed '/"d"/s/end_cycle = 384/end_cycle = 383/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE2
// RUN: sed '/"d"/s/dram = 512/dram = 511/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE2
// RULE2: error: 'llm.add' op S2: {{.*}}'d'

// Rule S3, lanes are the fewest that give the length, at most those of the port, none without
// bytes.
// RUN: sed '/"m"/s/dram = 384/dram = 385/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE3
// RULE3: error: 'llm.matmul' op S3: {{.*}}'m'{{.*}}384
// RUN: sed '/"m"/s/dram = 384/dram = 513/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE3PORT
// RULE3PORT: error: 'llm.matmul' op S3: {{.*}}'m'
// RUN: sed '/"m"/s/{dram = 384}/{}/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE3NONE
// RULE3NONE: error: 'llm.matmul' op S{{[23]}}: {{.*}}'m'

// Rule S4, one slot at a time on one engine, of the group that the cost names.
// RUN: sed '/"b"/s/"core"\[1\]/"core"[0]/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE4
// RULE4: error: 'llm.add' op S4: 'b' starts on core[0] at cycle 0, expected not before the end of 'a' at cycle 192
// RUN: sed '/"b"/s/slots<\[<part = 0, engine = "core"/slots<[<part = 0, engine = "dma"/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE4KIND
// RULE4KIND: error: 'llm.add' op S4: 'b' is on dma[1] of kind memory, expected vector

// Rule S5, no op starts before the end of what it depends on.
// RUN: sed '/"c"/s/"core"\[0\], start_cycle = 192, end_cycle = 384/"core"[2], start_cycle = 191, end_cycle = 383/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE5
// RULE5: error: 'llm.add' op S5: 'c' starts at cycle 191, expected not before the end of 'a' at cycle 192

// Rule S6, all lanes held at a time are at most those that there are: 3 x 512.
// RUN: sed '/"d"/s/"core"\[1\], start_cycle = 192, end_cycle = 384/"core"[2], start_cycle = 0, end_cycle = 192/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE6
// RULE6: error: {{.*}} S6: from cycle 0 on, {{.*}} 1536 lanes of 'dram' are held, expected at most 1024

// S8, a sound prefetch: the weight of 512 bytes is fetched by a DMA queue, 1024 cycles in
// half the lanes; then m streams 1024 bytes in 4096 cycles, in 256 lanes.
// RUN: sed -e '/"m"/s/start_cycle = 384, end_cycle = 4480, lanes = {dram = 384}/start_cycle = 1408, end_cycle = 5504, lanes = {dram = 256} prefetches = [<"rhs", engine = "dma"[0], start_cycle = 384, end_cycle = 1408, lanes = {dram = 512}>]/' \
// RUN:     -e 's/makespan_cycles = 4480/makespan_cycles = 5504/' %t/ok.mlir > %t/fetch.mlir
// RUN: llm-opt %t/fetch.mlir --llm-verify-schedule --verify-roundtrip -o %t/out

// It must be done before the part starts,
// RUN: sed '/"m"/s/start_cycle = 384, end_cycle = 1408/start_cycle = 385, end_cycle = 1409/' %t/fetch.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE8LATE
// RULE8LATE: error: 'llm.matmul' op S8: {{.*}}ends at cycle 1409, expected by the start of the part at cycle 1408
// by an engine that moves memory,
// RUN: sed '/"m"/s/engine = "dma"\[0\]/engine = "core"[1]/' %t/fetch.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE8ENGINE
// RULE8ENGINE: error: 'llm.matmul' op S{{[48]}}: {{.*}}memory
// of a weight or a cache,
// RUN: sed '/"m"/s/<"rhs", engine/<"lhs", engine/' %t/fetch.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE8SOURCE
// RULE8SOURCE: error: 'llm.matmul' op has a slot that prefetches 'lhs', which is neither a weight nor rows of a cache, or which the op itself selects
// once,
// RUN: sed '/"m"/s/prefetches = \[\(.*\)\]>\]>, llm.tile/prefetches = [\1, \1]>]>, llm.tile/' %t/fetch.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE8TWICE
// RULE8TWICE: error: 'llm.matmul' op S8: 'm' fetches a source more than once
// and its length follows from its lanes too.
// RUN: sed '/"m"/s/end_cycle = 1408, lanes/end_cycle = 1407, lanes/' %t/fetch.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE8LENGTH
// RULE8LENGTH: error: 'llm.matmul' op S8: the fetch of 'rhs' for 'm' takes 1023 cycles, expected 1024

// Rule S7: lhs and four columns of weight and result take 512 + 128 + 128 bytes; with the 512 of
// the fetched weight in place of its 128, these are 1152. The private memory of this machine has
// 1100.
// RUN: sed 's/2560/1100/' %t/toy.json > %t/tight.json
// RUN: llm-opt %t/base.mlir --llm-target=file=%t/toy.json --llm-tile | %one-line | sed -e 's/tile<search/tile<pinned/' -e '/"m"/s/n = 16/n = 4/' > %t/narrow.mlir
// RUN: llm-opt %t/narrow.mlir --llm-target=file=%t/tight.json --llm-cost --llm-schedule=policy=earliest | %one-line > %t/tight.mlir
// RUN: sed -e '/"m"/s/start_cycle = 384, end_cycle = 4480, lanes = {dram = 384}/start_cycle = 1408, end_cycle = 5504, lanes = {dram = 256} prefetches = [<"rhs", engine = "dma"[0], start_cycle = 384, end_cycle = 1408, lanes = {dram = 512}>]/' \
// RUN:     -e 's/makespan_cycles = 4480/makespan_cycles = 5504/' %t/tight.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE7
// RULE7: error: 'llm.matmul' op S7: from cycle 1408 on, with 'm', 1152 private bytes of core[0] are held, expected at most 1100

// Rule S9, the summary is what is re-derived, figure by figure.
// RUN: sed 's/makespan_cycles = 4480/makespan_cycles = 4479/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE9
// RULE9: error: function 'base' S9: llm.schedule says makespan_cycles = 4479, derived is 4480
// RUN: sed 's/lower_bound_cycles = 4096/lower_bound_cycles = 4097/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE9BOUND
// RULE9BOUND: S9: llm.schedule says lower_bound_cycles = 4097, derived is 4096
// RUN: sed 's/bytes_dram = 1920/bytes_dram = 1921/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE9BYTES
// RULE9BYTES: S9: llm.schedule says bound bytes_dram = 1921, derived is 1920
// RUN: sed 's/roofline_cycles = 1920/roofline_cycles = 1/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE9ROOF
// RULE9ROOF: S9: llm.schedule says roofline_cycles = 1, derived is 1920
// RUN: sed 's/bytes_dram = 1920, //' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE9COUNT
// RULE9COUNT: S9: llm.schedule says the number of bounds =
// A bound is known by its name.
// RUN: sed 's/bytes_dram = 1920/bytes_hbm = 1920/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE9NAME
// RULE9NAME: S9: llm.schedule has no bound bytes_dram, derived is 1920

// Loops: period, start and trips are derived, each loop has one record, and no op starts
// before its boundary.
// RUN: llm-opt %t/loop.mlir --llm-target=file=%t/toy.json --llm-tile | %one-line | sed 's/tile<search/tile<pinned/' | llm-opt --llm-cost --llm-schedule=policy=earliest --llm-verify-schedule | %one-line > %t/loops.mlir
// RUN: sed 's/period_cycles = 192/period_cycles = 193/' %t/loops.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=PERIOD
// PERIOD: error: S9: the function's llm.schedule says start_cycle = 192, period_cycles = 193, trips = 4; derived are 192, 192 and 4
// RUN: sed 's/trips = 4/trips = 5/' %t/loops.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=TRIPS
// TRIPS: S9: {{.*}}trips = 5; derived are 192, 192 and 4
// RUN: sed 's/, loops = \[[^]]*\]//' %t/loops.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=NORECORD
// NORECORD: S9: the function's llm.schedule has no record for it
// RUN: sed 's/loops = \[\([^]]*\)\]/loops = [\1, \1]/' %t/loops.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=TWORECORDS
// TWORECORDS: S9: llm.schedule says the number of loops = 2, derived is 1
// RUN: sed '/"after"/s/start_cycle = 960, end_cycle = 1152/start_cycle = 959, end_cycle = 1151/' %t/loops.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: error: 'llm.add' op S5: starts at cycle 959, before what is ahead of it ends at 960 (a loop boundary is a barrier)

// Engines and memories that the target does not have.
// RUN: sed '/"b"/s/"core"\[1\]/"core"[3]/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: 'llm.add' op has a slot on engine 'core[3]', but the target has 3 of them
// RUN: sed '/"b"/s/engine = "core"\[1\]/engine = "gpu"[1]/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: 'llm.add' op has a slot on engine 'gpu', which the target does not have; run --llm-schedule again
// RUN: sed '/"b"/s/lanes = {dram/lanes = {hbm/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: error: 'llm.add' op has a slot that holds lanes of a memory that the target does not share
// A target of fewer engines than the schedule uses, and one of more, whose bounds are others.
// RUN: not llm-opt %t/ok.mlir --llm-target=engines=1 --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: error: 'llm.add' op has a slot on engine 'core[1]', but the target has 1 of them

// What is missing is said with the pass that gives it; a cost that was changed is stale.
// RUN: sed 's/, llm.schedule = .*roofline_cycles = 1920>//; s/llm.schedule = .*roofline_cycles = 1920>//' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=NOSCHEDULE
// NOSCHEDULE: error: function 'base' has no schedule; run --llm-schedule first
// RUN: sed '/"b"/s/stamp = "[0-9a-f]*"/stamp = "0"/' %t/ok.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: error: 'llm.add' op has a stale cost
// RUN: not llm-opt %t/base.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=NOTARGET
// NOTARGET: error: {{.*}}has no target; run --llm-target or --llm-tile first

// Rows of a cache that the program itself writes are fetched when they have been written, not
// before. attn waits for write: 128 + 320 cycles, or 128 + 128 + 192 with its keys fetched.
// RUN: llm-opt %t/cache.mlir --llm-target=file=%t/toy.json --llm-tile | %one-line | sed 's/tile<search/tile<pinned/' | llm-opt --llm-cost --llm-schedule=policy=earliest --llm-verify-schedule | %one-line > %t/cached.mlir
// RUN: FileCheck %t/cache.mlir < %t/cached.mlir
// RUN: sed '/"attn"/s/start_cycle = 128, end_cycle = 448, lanes = {dram = 512}/start_cycle = 256, end_cycle = 448, lanes = {dram = 512} prefetches = [<"keys", engine = "dma"[0], start_cycle = 128, end_cycle = 256, lanes = {dram = 512}>]/' %t/cached.mlir > %t/fetched.mlir
// RUN: llm-opt %t/fetched.mlir --llm-verify-schedule --verify-roundtrip -o %t/out
// RUN: sed '/"attn"/s/start_cycle = 128, end_cycle = 256/start_cycle = 127, end_cycle = 255/' %t/fetched.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=NEWROWS
// NEWROWS: error: {{.*}}S8: the fetch of 'keys' for 'attn' starts at cycle 127, expected not before the end of 'write', which writes or selects what it fetches, at cycle 128

// So is what an op selects that computes something: the weights of experts when the router has
// chosen them. up streams 96 bytes in 192 cycles, or 32 in 64 behind a fetch of 64 in 128.
// RUN: llm-opt %t/experts.mlir --llm-target=file=%t/toy.json --llm-tile | %one-line | sed 's/tile<search/tile<pinned/' | llm-opt --llm-cost --llm-schedule=policy=earliest --llm-verify-schedule | %one-line > %t/chosen.mlir
// RUN: FileCheck %t/experts.mlir < %t/chosen.mlir
// RUN: sed '/"up"/s/start_cycle = 56, end_cycle = 248, lanes = {dram = 512}/start_cycle = 184, end_cycle = 248, lanes = {dram = 512} prefetches = [<"rhs", engine = "dma"[0], start_cycle = 56, end_cycle = 184, lanes = {dram = 512}>]/' %t/chosen.mlir > %t/fetched.mlir
// RUN: llm-opt %t/fetched.mlir --llm-verify-schedule --verify-roundtrip -o %t/out
// RUN: sed '/"up"/s/start_cycle = 56, end_cycle = 184/start_cycle = 55, end_cycle = 183/' %t/fetched.mlir > %t/bad.mlir
// RUN: not llm-opt %t/bad.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: error: {{.*}}S8: the fetch of 'rhs' for 'up' starts at cycle 55, expected not before the end of 'route', which writes or selects what it fetches, at cycle 56
// The judge in Python says so, too.
// RUN: llm-opt %t/fetched.mlir "--llm-export-report=format=json file=%t/fetched.json" -o %t/out
// RUN: %python -B %integration/judge %t/fetched.json
// RUN: llm-opt %t/bad.mlir "--llm-export-report=format=json file=%t/bad.json" -o %t/out
// RUN: not %python -B %integration/judge %t/bad.json | FileCheck %s --check-prefix=JUDGED
// JUDGED: S8 up, prefetch of rhs: route still writes or selects it

//--- base.mlir
// Bounds: 4 x 96 + 1536 bytes at one per cycle; m alone takes 4096 cycles; the work of the
// three cores is (4 x 192 + 4096) / 3 = 1621.3. Nothing waits for all others: one stage. To fetch
// the weight ahead saves nothing, and there is room for it. (Tiles by hand are not cut.)
// CHECK: makespan_cycles = 4480, lower_bound_cycles = 4096, bounds = {bytes_dram = 1920, critical_path = 4096, room_core = 1622, stages = 4096, streams_core = 1622, work_core = 1622}, roofline_cycles = 1920
// CHECK: "a" {{.*}}engine = "core"[0], start_cycle = 0, end_cycle = 192, lanes = {dram = 512}
// CHECK: "b" {{.*}}engine = "core"[1], start_cycle = 0, end_cycle = 192, lanes = {dram = 512}
// CHECK: "c" {{.*}}engine = "core"[0], start_cycle = 192, end_cycle = 384, lanes = {dram = 512}
// CHECK: "d" {{.*}}engine = "core"[1], start_cycle = 192, end_cycle = 384, lanes = {dram = 512}
// CHECK: "m" {{.*}}engine = "core"[0], start_cycle = 384, end_cycle = 4480, lanes = {dram = 384}
func.func @base(%x: tensor<4x4xbf16>, %z: tensor<16x16xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.add "b" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = llm.add "c" %0, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %3 = llm.add "d" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %w = llm.weight "w" : tensor<16x16xbf16>
  %4 = llm.matmul "m" %z, %w : tensor<16x16xbf16>, tensor<16x16xbf16>
  return
}

//--- loop.mlir
func.func @loop(%x: tensor<4x4xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = llm.add "before" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  scf.for %i = %c0 to %c4 step %c1 {
    %1 = llm.add "body.{}" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  }
  %2 = llm.add "after" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

//--- cache.mlir
// write takes 64 / 0.5 cycles; attn streams 160 bytes, 32 of them if both its sources are fetched,
// and computes 81 cycles then: the path is 128 + 81, and behind write work takes 81 / 3. All
// bytes: 224. Streams: fetching the keys, 64 bytes, saves 128 of the 448 cycles, the values as many
// bytes and 111 more: 3 T = 320 - 111 / 64 (T - 64), T = 91.04. There is room for all of it, so that
// a sixth counts for each engine: 3 T = 320 - 111 / 64 (4/3 T - 64), T = 81.1. Stages: the two, one
// after the other, are 209; both together stream all bytes.
// CHECK: makespan_cycles = 448, lower_bound_cycles = 224, bounds = {bytes_dram = 224, critical_path = 209, room_core = 82, stages = 224, streams_core = 92, work_core = 155}
!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16>
func.func @cache(%q: tensor<1x1x1x8xbf16>) {
  %0 = llm.kv_cache "c" : !cache
  %1 = llm.kv_write "write" %0, %q, %q at 3 : !cache, tensor<1x1x1x8xbf16>, tensor<1x1x1x8xbf16>
  %keys, %values = llm.kv_read %1 rows 0 to 4 : !cache
  %2 = llm.gqa_attn "attn" %q, %keys, %values mask full scale 1.0
    : tensor<1x1x1x8xbf16>, tensor<1x4x1x8xbf16>, tensor<1x4x1x8xbf16>
  return
}

//--- experts.mlir
// route moves 28 bytes in 56 cycles, half a byte per cycle, and computes 6; up computes 32.
// CHECK: "route" {{.*}}start_cycle = 0, end_cycle = 56, lanes = {dram = 512}
// CHECK: "up" {{.*}}start_cycle = 56, end_cycle = 248, lanes = {dram = 512}
func.func @experts(%x: tensor<2x4xbf16>, %l: tensor<2x4xbf16>) -> tensor<2x4xbf16> {
  %s, %e = llm.moe_route "route" topk_softmax %l top_k 1 : tensor<2x4xbf16>
  %w = llm.weight "w" : tensor<4x4x4xbf16>
  %0 = llm.grouped_matmul "up" %x, %w experts %e rows_per_expert [1, 1, 0, 0] top_k 1
    : tensor<2x4xbf16>, tensor<4x4x4xbf16> experts tensor<2x1xi32>
  return %0 : tensor<2x4xbf16>
}

//--- toy.json
{
  "name": "toy", "clock_hz": 1000,
  "engines": {
    "core": { "kinds": ["matrix", "vector"], "count": 3, "private_memory": "sram",
              "macs_per_cycle_per_unit": { "bf16": 1 }, "alu_per_cycle_per_unit": 1,
              "special_per_cycle_per_unit": 1000000, "compare_per_cycle_per_unit": 1000000,
              "port_bytes_per_second": { "dram": 500 } },
    "dma": { "kinds": ["memory"], "count": 2, "port_bytes_per_second": { "dram": 500 } }
  },
  "memories": { "sram": { "capacity_bytes": 2560 }, "dram": { "bytes_per_second": 1000 } }
}
