// RUN: llm-opt %s "--llm-export-perfetto=file=%t.tile.json" "--llm-export-perfetto=file=%t.op.json detail=op" \
// RUN:   "--llm-export-perfetto=file=%t.layer.json detail=layer" \
// RUN:   "--llm-export-report=file=%t.report.json format=json" -o %t.mlir
// RUN: %python %integration/check_trace.py %t.tile.json %t.report.json
// RUN: %python %integration/check_trace.py %t.op.json %t.report.json --detail op
// RUN: %python %integration/check_trace.py %t.layer.json %t.report.json --detail layer

// Two of the parts of "a" follow each other on core[0]; on core[1] there is a gap between them:
//
//   cycle   0      10  12     20  22     32
//   core[0] a.0    a.1            b
//   core[1] a.2        a.3

// By tiles each is a slice, and the two lie in one of the op.
// RUN: FileCheck %s --check-prefix=TILE < %t.tile.json
// TILE:          "name":"a","cat":"parts","pid":3,"tid":5,"ts":0.000,"dur":0.040,"args":{"op":"llm.add","parts":2,"start_cycle":0,"end_cycle":20}
// TILE-NOT:      "cat":"parts"
// TILE-COUNT-4:  "name":"a","cat":"op",
// TILE-NOT:      "cat":"parts"
// TILE:          "name":"b","cat":"op"
// TILE-NOT:      "cat":"parts"

// By ops the two are one slice, the others one each. The cost is that of its parts; what is of the
// whole op stands at the first of them, and the part that ends last leads to b.
// RUN: FileCheck %s --check-prefix=OP < %t.op.json
// OP:      "name":"a","cat":"op","pid":3,"tid":5,"ts":0.000,"dur":0.040,"args":{"op":"llm.add","parts":2,"start_cycle":0,"end_cycle":20,"lanes":{"dram":48},
// OP-SAME:   "tile":{{.*}}"cost":{"work":{"alu":16},"bytes":{"dram":192},"overhead_cycles":0,"serial_cycles":0,"compute_cycles":20,"memory_cycles":2,"bound":"compute"},"depends_on":[]}
// OP-NEXT: "name":"a","cat":"op","pid":3,"tid":6,"ts":0.000,"dur":0.020,"args":{"op":"llm.add","parts":1,"start_cycle":0,"end_cycle":10,"lanes":{"dram":48},"cost":{"work":{"alu":8},"bytes":{"dram":96},"overhead_cycles":0,"serial_cycles":0,"compute_cycles":10,"memory_cycles":1,"bound":"compute"}}
// OP:      "name":"a","cat":"op","pid":3,"tid":6,"ts":0.024,"dur":0.020,{{.*}}"parts":1,{{.*}}"bytes":{"dram":96},
// OP-NEXT: {"ph":"s","name":"dependence",{{.*}}"tid":6,"ts":0.043}
// OP:      "name":"b","cat":"op",{{.*}}"depends_on":["a"]
// OP-NEXT: {"ph":"f","name":"dependence",{{.*}}"tid":5,"ts":0.045}

// By layers there is no engine. (The costs are not fresh, so there is no critical path.)
// RUN: FileCheck %s --check-prefix=LAYER --implicit-check-not=core[ --implicit-check-not='"ph":"s"' < %t.layer.json
// LAYER: "name":"process_name","pid":2,"tid":2,"args":{"name":"layers"}
// LAYER: {"ph":"X","name":"a .. b","cat":"layer","pid":2,"tid":3,"ts":0.000,"dur":0.064,"args":{"start_cycle":0,"end_cycle":32,"ops":2}}

// Counters, the same in all. Each part of a spends 1000 pJ in 20 ns, 0.050 W, and b 3000 pJ,
// 0.150 W, over the 2 W of the idle machine; each part holds 192 bytes, b 300.
// RUN: grep '"power of MACs and bytes","pid"' %t.tile.json | FileCheck %s --check-prefix=POWER
// RUN: grep '"power of MACs and bytes","pid"' %t.layer.json | FileCheck %s --check-prefix=POWER
// POWER:      "ts":0.000,"args":{"W":2.1}
// POWER-NEXT: "ts":0.020,"args":{"W":2.05}
// POWER-NEXT: "ts":0.024,"args":{"W":2.1}
// POWER-NEXT: "ts":0.040,"args":{"W":2.05}
// POWER-NEXT: "ts":0.044,"args":{"W":2.15}
// POWER-NEXT: "ts":0.064,"args":{"W":2}
// RUN: grep -o '"otherData":.*,"power of MACs and bytes":"[^"]*"' %t.tile.json | FileCheck %s --check-prefix=HEAD
// HEAD: "power of MACs and bytes":"energy of MACs and of bytes that are moved, spread evenly over slots, and idle watts; of other work none"
// RUN: grep '"private memory core"' %t.op.json | FileCheck %s --check-prefix=MEMORY
// MEMORY:      "ts":0.000,"args":{"bytes":384}
// MEMORY-NEXT: "ts":0.020,"args":{"bytes":192}
// MEMORY-NEXT: "ts":0.024,"args":{"bytes":384}
// MEMORY-NEXT: "ts":0.040,"args":{"bytes":192}
// MEMORY-NEXT: "ts":0.044,"args":{"bytes":300}
// MEMORY-NEXT: "ts":0.064,"args":{"bytes":0}

#tile = #llm.tile<pinned>
#a = #llm.cost<engine = "core", parts = [<count = 4, work = {alu = 8},
  traffic = {dram = {lhs = 32, rhs = 32, out = 32}}, working_set_bytes = 192,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 1,
  bound = compute, energy_picojoules = 1000>], stamp = "by hand">
#b = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 300,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute, energy_picojoules = 3000>], stamp = "by hand">
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64, "idle_watts" = 2 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "private_memory" = "sram", "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<
        "sram" = #dlti.map<"capacity_bytes" = 4096 : i64>,
        "dram" = #dlti.map<
          "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @detail(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 32,
        lower_bound_cycles = 32, bounds = {}, roofline_cycles = 32>} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #a,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 48} count = 2 start_stride = 10>,
        <part = 2, engine = "core"[1], start_cycle = 0, end_cycle = 10,
          lanes = {dram = 48} count = 2 start_stride = 12>]>}
      : tensor<4x8xf32>, tensor<4x8xf32>
    %b = llm.add "b" %a, %a {llm.tile = #tile, llm.cost = #b,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 22,
        end_cycle = 32, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %b : tensor<4x8xf32>
  }
}
