// report=json perfetto report
#binary = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#sum = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 12, serial_cycles = 3, compute_cycles = 5, memory_cycles = 2,
  bound = overhead>], stamp = "by hand">
#norm = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 128, special = 4},
  traffic = {dram = {x = 128, weight = 32, out = 128}}, working_set_bytes = 288,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#matmul = #llm.cost<engine = "core", parts = [<count = 1, work = {mac = 256},
  traffic = {dram = {lhs = 128, rhs = 256, out = 128}}, working_set_bytes = 512,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 30, memory_cycles = 3,
  bound = compute>], stamp = "by hand">
#whole = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 4, d1 = 8}, order = [d0, d1],
  buffers = {lhs = 1, out = 1, rhs = 1}>]>
#rows = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 4, d1 = 8}, order = [d0, d1],
  buffers = {out = 1, weight = 1, x = 1}>]>
#product = #llm.tile<pinned levels = [<"sram", sizes = {k = 8, m = 4, n = 8},
  order = [m, n, k], buffers = {lhs = 1, out = 1, rhs = 1}>]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "description" = "invented: for tests", "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = [ "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "private_memory" = "sram", "overhead_cycles" = 0 : i64>,
        "dma" = #dlti.map<"kinds" = ["memory"], "count" = 1 : i64, "units" = 1 : i64,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<
        "sram" = #dlti.map<"capacity_bytes" = 4096 : i64>,
        "dram" = #dlti.map<"capacity_bytes" = 1000000 : i64,
          "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @decode(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.program = #llm.program<"toy-3b", decode, batch = 1, seq = 1, kv_len = 4, layers = 3 of 6>,
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 200,
        lower_bound_cycles = 160, bounds = {critical_path = 160, dram = 42},
        roofline_cycles = 50,
        loops = [<start_cycle = 10, period_cycles = 60, trips = 3>]>} {
    %first = arith.constant 2 : index
    %last = arith.constant 8 : index
    %step = arith.constant 2 : index
    %e = llm.add "embed" %x, %x {llm.tile = #whole, llm.cost = #binary,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %r = scf.for %layer = %first to %last step %step iter_args(%h = %e) -> (tensor<4x8xf32>) {
      %wn = llm.weight "layers.{}.norm.weight"[%layer] : tensor<8xf32>
      %n = llm.rmsnorm "layers.{}.norm" %h, %wn epsilon 1.0e-5 {llm.tile = #rows,
        llm.cost = #norm, llm.slots = #llm.slots<[<part = 0, engine = "core"[0],
          start_cycle = 0, end_cycle = 10, lanes = {dram = 144}>]>}
        : tensor<4x8xf32>, tensor<8xf32>
      %wu = llm.weight "layers.{}.up.weight"[%layer] : tensor<8x8xf32>
      %u = llm.matmul "layers.{}.up" %n, %wu {llm.tile = #product,
        llm.cost = #matmul, llm.slots = #llm.slots<[<part = 0, engine = "core"[0],
          start_cycle = 10, end_cycle = 40, lanes = {dram = 86}>]>}
        : tensor<4x8xf32>, tensor<8x8xf32>
      %wg = llm.weight "layers.{}.gate.weight"[%layer] : tensor<8x8xf32>
      %g = llm.matmul "layers.{}.gate" %n, %wg {llm.tile = #product,
        llm.cost = #matmul, llm.slots = #llm.slots<[<part = 0, engine = "core"[1],
          start_cycle = 10, end_cycle = 40, lanes = {dram = 86}>]>}
        : tensor<4x8xf32>, tensor<8x8xf32>
      %s = llm.add "layers.{}.sum" %u, %g {llm.tile = #whole, llm.cost = #sum,
        llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 40,
          end_cycle = 60, lanes = {dram = 96}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
      scf.yield %s : tensor<4x8xf32>
    }
    %f = llm.add "final" %r, %r {llm.tile = #whole, llm.cost = #binary,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 190,
        end_cycle = 200, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %f : tensor<4x8xf32>
  }
}

