// RUN: llm-opt %s --llm-export-report=file=%t.txt -o %t.out.mlir
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.txt

// Rows of modules, by hand. The ops of attn and of mlp take turns in the program, and stand
// together here, in the order of the first of each; norm has one op alone and no row. Of 100
// cycles attn has 10 + 30, mlp 10 + 2 x 10, and block these and 5 of norm: 75. Each op does 1000
// MACs and moves 600 bytes in each run. mlp and block have an op that runs twice and others
// that run once: how often they run is left out. A cycle is 2 ns: embed does 2000 operations in 10 ns, 200 GFLOP/s,
// and moves 600 bytes in them, 60 of the 100 GB/s that there are. block does 12000 in 150 ns, the whole 16000 in 200. Half a # is a sixteenth: of 5 % there
// are 0.8, of 10 % 1.6, of 20 % 3.2, of 30 % 4.8, of 40 % 6.4, of 75 % 12.
//      CHECK:op            count  engine    time  share            compute  dram  limit  bound
// CHECK-NEXT:                                 us      %            GFLOP/s  GB/s      %
// CHECK-NEXT:----------------------------------------------------------------------------------
// CHECK-NEXT:embed             1  core[0]  0.010    5.0  -           200.0  60.0   60.0  memory
// CHECK-NEXT:block                         0.150   75.0  ######       80.0  24.0
// CHECK-NEXT:  attn            1           0.080   40.0  ###          50.0  15.0
// CHECK-NEXT:    q             1  core[0]  0.020   10.0  #           100.0  30.0   30.0  memory
// CHECK-NEXT:    o             1  core[1]  0.060   30.0  ##-          33.3  10.0   10.0  memory
// CHECK-NEXT:  mlp                         0.060   30.0  ##-         100.0  30.0
// CHECK-NEXT:    up            1  core[0]  0.020   10.0  #           100.0  30.0   30.0  memory
// CHECK-NEXT:    down          2  core[0]  0.040   20.0  #-          100.0  30.0   30.0  memory
// CHECK-NEXT:  norm.scale      1  core[0]  0.010    5.0  -           200.0  60.0   60.0  memory
// CHECK-NEXT:head              1  core[0]  0.040   20.0  #-           50.0  15.0   15.0  memory
// CHECK-NEXT:----------------------------------------------------------------------------------
// CHECK-NEXT:total                         0.200  100.0  ########     80.0  24.0

#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {mac = 1000},
  traffic = {dram = {lhs = 200, rhs = 200, out = 200}},
  working_set_bytes = 384, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 1,
  memory_cycles = 3, bound = memory>], stamp = "by hand">
#tile = #llm.tile<pinned>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<"dram" = #dlti.map<
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @modules(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 100,
        lower_bound_cycles = 100, bounds = {}, roofline_cycles = 100,
        loops = [<start_cycle = 55, period_cycles = 10, trips = 2>]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %e = llm.add "embed" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 5,
        lanes = {dram = 1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %q = llm.add "block.attn.q" %e, %e {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 15,
        lanes = {dram = 1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %u = llm.add "block.mlp.up" %q, %q {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 15, end_cycle = 25,
        lanes = {dram = 1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %o = llm.add "block.attn.o" %u, %u {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[1], start_cycle = 25, end_cycle = 55,
        lanes = {dram = 1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %o) -> (tensor<4x8xf32>) {
      %d = llm.add "block.mlp.down" %h, %h {llm.tile = #tile, llm.cost = #cost,
        llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
          lanes = {dram = 1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
      scf.yield %d : tensor<4x8xf32>
    }
    %n = llm.add "block.norm.scale" %r, %r {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 75, end_cycle = 80,
        lanes = {dram = 1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %z = llm.add "head" %n, %n {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 80, end_cycle = 100,
        lanes = {dram = 1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %z : tensor<4x8xf32>
  }
}
