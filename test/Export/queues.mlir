// Queues of small schedules, by hand. The machine: three cores and two DMA queues, of which
// each takes half of one byte per cycle (512 of 1024 lanes).
// RUN: rm -rf %t && split-file %s %t && cd %t

// "a" is cut into rows 0-1 and 2-3, each of 48 bytes: 96 cycles on two cores. "b" adds all of
// it to x, 96 bytes: 192 cycles, once both parts have ended. "m" waits for nothing but the fetch
// of its weight, 512 bytes in 1024 cycles; it does 16 x 16 x 16 macs in 4096 cycles, in which the
// other 1024 bytes take 256 lanes. Its working set of 3 x 512 bytes needs no room to stream the
// weight that was fetched: 1024 bytes at the upper end of 2560, and the slice at the lower one.
// The fetch writes where nothing was, and waits for nothing.
// RUN: llm-opt program.mlir --llm-target=file=toy.json --llm-cost --llm-schedule=policy=earliest | %one-line > earliest.mlir
// RUN: sed -e '/"m"/s/start_cycle = 96, end_cycle = 4192, lanes = {dram = 384}/start_cycle = 1120, end_cycle = 5216, lanes = {dram = 256} prefetches = [<"rhs", engine = "dma"[1], start_cycle = 96, end_cycle = 1120, lanes = {dram = 512}>]/' \
// RUN:     -e 's/makespan_cycles = 4192/makespan_cycles = 5216/' earliest.mlir > scheduled.mlir
// RUN: llm-opt scheduled.mlir --llm-verify-schedule --llm-export-queues "--llm-export-report=format=json file=r.json" -o out.mlir
// RUN: FileCheck program.mlir --match-full-lines < queues.json
// RUN: %python -B %integration/check_queues.py queues.json r.json | FileCheck %s --check-prefix=REPLAY
// REPLAY: ok: 5 entries

// The IR is as it was, a second run writes the same, and so do several threads.
// RUN: %one-line < out.mlir | diff scheduled.mlir -
// RUN: llm-opt scheduled.mlir --llm-export-queues=file=- --mlir-disable-threading -o out.mlir | diff queues.json -

// A loop is written once, with the queues of an iteration; all of its neighbours are stretches
// of their own, at whose ends everyone waits. An add moves 96 bytes in 192 cycles.
// RUN: llm-opt loop.mlir --llm-target=file=toy.json --llm-cost --llm-schedule=policy=earliest --llm-export-queues "--llm-export-report=format=json file=r.json" -o loops.mlir
// RUN: FileCheck loop.mlir --match-full-lines < queues.json
// RUN: %python -B %integration/check_queues.py queues.json r.json | FileCheck %s --check-prefix=LOOP
// LOOP: ok: 3 entries

// A schedule that breaks a rule has no queues, nor one of which a loop takes another time.
// RUN: sed '/"b"/s/start_cycle = 96, end_cycle = 288/start_cycle = 95, end_cycle = 287/' scheduled.mlir > bad.mlir
// RUN: not llm-opt bad.mlir --llm-export-queues=file=x -o out.mlir 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: bad.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'llm.add' op breaks rule S5 ('b' starts at cycle 95, expected not before the end of part 0 of 'a' at cycle 96), so that queues would block or overwrite what is in use: run --llm-schedule again, or --llm-verify-schedule to see all that is wrong
// RUN: sed 's/period_cycles = 192/period_cycles = 193/' loops.mlir > bad.mlir
// RUN: not llm-opt bad.mlir --llm-export-queues=file=x -o out.mlir 2>&1 | FileCheck %s --check-prefix=PERIOD
// PERIOD: error: 'scf.for' op starts at cycle 192 and takes 192 an iteration by the slots, but by the schedule it starts at 192 and takes 193: run --llm-schedule again

// Nor has one that was never made, or whose costs are stale.
// RUN: not llm-opt program.mlir --llm-target=file=toy.json --llm-cost --llm-export-queues=file=x -o out.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: function 'small' has no schedule ('llm.schedule'): run --llm-schedule first
// RUN: sed '/"m"/s/stamp = "./stamp = "/' scheduled.mlir > bad.mlir
// RUN: not llm-opt bad.mlir --llm-export-queues=file=x -o out.mlir 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: error: 'llm.matmul' op has a stale cost

// A module without functions has nothing to write; files are those of one export each.
// RUN: echo "module {}" | llm-opt --llm-export-queues=file=x -o out.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: warning: the module has no function with a body: there are no queues to write
// RUN: not ls x
// RUN: not llm-opt scheduled.mlir --llm-export-queues=file=q --llm-export-report=file=q -o out.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --llm-export-report=file=...: 'q' was just written by --llm-export-queues
// RUN: not llm-opt scheduled.mlir --llm-export-queues=file=no/such -o out.mlir 2>&1 | FileCheck %s --check-prefix=PATH
// PATH: error: --llm-export-queues=file=...: cannot write 'no/such': No such file or directory

//--- program.mlir
// CHECK:      {"format":"llm-queues","version":1,"target":"toy","clock_hz":1000,"engines":[
// CHECK-NEXT: {"name":"core","kinds":["matrix","vector"],"count":3,"private_bytes":2560},
// CHECK-NEXT: {"name":"dma","kinds":["memory"],"count":2,"private_bytes":0}],"memories":[
// CHECK-NEXT: {"name":"dram","bytes_per_second":1000,"lanes":1024}],"functions":[
// CHECK-NEXT: {"function":"small","policy":"earliest","makespan_cycles":5216,"body":[
// CHECK-NEXT: {"stretch":{"start_cycle":0,"end_cycle":5216,"ops":[
// CHECK-NEXT: {"name":"a","op":"llm.add","parts":2,"loops":{"d0":4,"d1":4}},
// CHECK-NEXT: {"name":"b","op":"llm.add","parts":1,"loops":{"d0":4,"d1":4}},
// CHECK-NEXT: {"name":"m","op":"llm.matmul","parts":1,"loops":{"m":16,"n":16,"k":16}}],
// CHECK-NEXT: "queues":[
// CHECK-NEXT: {"engine":"core","index":0,"entries":[
// CHECK-NEXT: {"op":0,"part":0,"box":{"d0":[0,2]},"start_cycle":0,"end_cycle":96,"lanes":{"dram":512},"working_set_bytes":48,"address":2512},
// CHECK-NEXT: {"op":1,"part":0,"start_cycle":96,"end_cycle":288,"lanes":{"dram":512},"working_set_bytes":96,"address":2464,"waits_for":[{"op":0,"count":2}]}]},
// CHECK-NEXT: {"engine":"core","index":1,"entries":[
// CHECK-NEXT: {"op":0,"part":1,"box":{"d0":[2,4]},"start_cycle":0,"end_cycle":96,"lanes":{"dram":512},"working_set_bytes":48,"address":2512},
// CHECK-NEXT: {"op":2,"part":0,"start_cycle":1120,"end_cycle":5216,"lanes":{"dram":256},"working_set_bytes":1024,"address":1536,"fetched":[{"buffer":"rhs","slice_bytes":512,"address":0}],"waits_for":[{"queue":2,"count":1}]}]},
// CHECK-NEXT: {"engine":"dma","index":1,"entries":[
// CHECK-NEXT: {"fetch":"rhs","op":2,"part":0,"into":{"engine":"core","index":1},"start_cycle":96,"end_cycle":1120,"lanes":{"dram":512},"slice_bytes":512,"address":0}]}]}}]}]}
#rows = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 4}, order = [d0, d1],
  buffers = {lhs = 1, out = 1, rhs = 1}>] split = {d0 = 2}>
#whole = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 4, d1 = 4}, order = [d0, d1],
  buffers = {lhs = 1, out = 1, rhs = 1}>]>
#product = #llm.tile<pinned levels = [<"sram", sizes = {k = 16, m = 16, n = 16}, order = [m, n, k],
  buffers = {lhs = 1, out = 1, rhs = 1}>]>
func.func @small(%x: tensor<4x4xbf16>, %z: tensor<16x16xbf16>) {
  %0 = llm.add "a" %x, %x {llm.tile = #rows} : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.add "b" %0, %x {llm.tile = #whole} : tensor<4x4xbf16>, tensor<4x4xbf16>
  %w = llm.weight "w" : tensor<16x16xbf16>
  %2 = llm.matmul "m" %z, %w {llm.tile = #product} : tensor<16x16xbf16>, tensor<16x16xbf16>
  return
}

//--- loop.mlir
// CHECK:      {"function":"loop","policy":"earliest","makespan_cycles":1152,"body":[
// CHECK-NEXT: {"stretch":{"start_cycle":0,"end_cycle":192,"ops":[
// CHECK-NEXT: {"name":"before","op":"llm.add","parts":1,"loops":{"d0":4,"d1":4}}],
// CHECK-NEXT: "queues":[
// CHECK-NEXT: {"engine":"core","index":0,"entries":[
// CHECK-NEXT: {"op":0,"part":0,"start_cycle":0,"end_cycle":192,"lanes":{"dram":512},"working_set_bytes":96,"address":2464}]}]}},
// CHECK-NEXT: {"loop":{"start_cycle":192,"period_cycles":192,"trips":4,"first_index":2,"index_step":3,"body":[
// CHECK-NEXT: {"stretch":{"start_cycle":0,"end_cycle":192,"ops":[
// CHECK-NEXT: {"name":"body.{}","op":"llm.add","parts":1,"loops":{"d0":4,"d1":4}}],
// CHECK-NEXT: "queues":[
// CHECK-NEXT: {"engine":"core","index":0,"entries":[
// CHECK-NEXT: {"op":0,"part":0,"start_cycle":0,"end_cycle":192,"lanes":{"dram":512},"working_set_bytes":96,"address":2464}]}]}}]}},
// CHECK-NEXT: {"stretch":{"start_cycle":960,"end_cycle":1152,"ops":[
// CHECK-NEXT: {"name":"after","op":"llm.add","parts":1,"loops":{"d0":4,"d1":4}}],
// CHECK-NEXT: "queues":[
// CHECK-NEXT: {"engine":"core","index":0,"entries":[
// CHECK-NEXT: {"op":0,"part":0,"start_cycle":960,"end_cycle":1152,"lanes":{"dram":512},"working_set_bytes":96,"address":2464}]}]}}]}]}
#whole = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 4, d1 = 4}, order = [d0, d1],
  buffers = {lhs = 1, out = 1, rhs = 1}>]>
func.func @loop(%x: tensor<4x4xbf16>) {
  %first = arith.constant 2 : index
  %last = arith.constant 14 : index
  %step = arith.constant 3 : index
  %0 = llm.add "before" %x, %x {llm.tile = #whole} : tensor<4x4xbf16>, tensor<4x4xbf16>
  scf.for %i = %first to %last step %step {
    %1 = llm.add "body.{}" %x, %x {llm.tile = #whole} : tensor<4x4xbf16>, tensor<4x4xbf16>
  }
  %2 = llm.add "after" %x, %x {llm.tile = #whole} : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

//--- toy.json
{
  "name": "toy", "clock_hz": 1000,
  "engines": {
    "core": { "kinds": ["matrix", "vector"], "count": 3, "private_memory": "sram",
              "macs_per_cycle_per_unit": { "bf16": 1 }, "alu_per_cycle_per_unit": 1,
              "port_bytes_per_second": { "dram": 500 } },
    "dma": { "kinds": ["memory"], "count": 2, "port_bytes_per_second": { "dram": 500 } }
  },
  "memories": { "sram": { "capacity_bytes": 2560 }, "dram": { "bytes_per_second": 1000 } }
}
