// perfetto report=csv
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "overhead_cycles" = 0 : i64>,
        "dma" = #dlti.map<"kinds" = ["memory"], "count" = 1 : i64, "units" = 1 : i64,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<"dram" = #dlti.map<
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @nested(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 120,
        lower_bound_cycles = 120, bounds = {}, roofline_cycles = 120,
        loops = [<start_cycle = 10, period_cycles = 50, trips = 2>,
                 <start_cycle = 10, period_cycles = 20, trips = 2>]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c10 = arith.constant 10 : index
    %c12 = arith.constant 12 : index
    %a = llm.add "first" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %b = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %a) -> (tensor<4x8xf32>) {
      %o = llm.add "outer.{}" %h, %h {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
      %p = scf.for %j = %c10 to %c12 step %c1 iter_args(%g = %o) -> (tensor<4x8xf32>) {
        %q = llm.add "inner.{}" %g, %g {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 20, lanes = {dram = 96}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
        scf.yield %q : tensor<4x8xf32>
      }
      scf.yield %p : tensor<4x8xf32>
    }
    %c = llm.add "last" %b, %b {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 110,
        end_cycle = 120, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %c : tensor<4x8xf32>
  }
}
