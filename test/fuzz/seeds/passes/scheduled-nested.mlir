// verify-cost verify-schedule perfetto report=json
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"npu" = #dlti.target_device_spec<"description" = "four equal compute engines and two DMA queues; all figures are invented and round", "clock_hz" = 1000000000 : i64, "engines" = #dlti.map<"core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 4 : i64, "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f8E4M3FN" = 8192 : i64, "f8E5M2" = 8192 : i64, "f16" = 4096 : i64, "bf16" = 4096 : i64, "f32" = 1024 : i64, "i8" = 8192 : i64>, "alu_per_cycle_per_unit" = 256 : i64, "special_per_cycle_per_unit" = 64 : i64, "compare_per_cycle_per_unit" = 256 : i64, "private_memory" = "sram", "port_bytes_per_second" = #dlti.map<"dram" = 100000000000 : i64>, "overhead_cycles" = 0 : i64>, "dma" = #dlti.map<"kinds" = ["memory"], "count" = 2 : i64, "units" = 1 : i64, "port_bytes_per_second" = #dlti.map<"dram" = 100000000000 : i64>, "overhead_cycles" = 0 : i64>>, "memories" = #dlti.map<"sram" = #dlti.map<"capacity_bytes" = 8388608 : i64>, "dram" = #dlti.map<"capacity_bytes" = 17179869184 : i64, "bytes_per_second" = 400000000000 : i64, "lanes" = 1024 : i64>>>>} {
  func.func @nested(%arg0: tensor<8x4xbf16>) attributes {llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 18, lower_bound_cycles = 18, bounds = {bytes_dram = 9, critical_path = 18, work_core = 9}, roofline_cycles = 5, loops = [<start_cycle = 0, period_cycles = 6, trips = 3>, <start_cycle = 2, period_cycles = 2, trips = 2>, <start_cycle = 18, period_cycles = 0, trips = 7>]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    scf.for %arg1 = %c0 to %c3 step %c1 {
      %0 = llm.add "outer" %arg0, %arg0 {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32}, traffic = {dram = {lhs = 64, out = 64, rhs = 64}}, working_set_bytes = 192, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 1, memory_cycles = 2, bound = memory>], stamp = "897119a3af5d7407">, llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 2, lanes = {dram = 246}>]>, llm.tile = #llm.tile<search levels = [<"sram", sizes = {d0 = 8, d1 = 4}, order = [d0, d1], buffers = {lhs = 1, out = 1, rhs = 1}>]>} : tensor<8x4xbf16>, tensor<8x4xbf16>
      scf.for %arg2 = %c0 to %c2 step %c1 {
        %1 = llm.add "inner" %arg0, %arg0 {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32}, traffic = {dram = {lhs = 64, out = 64, rhs = 64}}, working_set_bytes = 192, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 1, memory_cycles = 2, bound = memory>], stamp = "897119a3af5d7407">, llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 2, lanes = {dram = 246}>]>, llm.tile = #llm.tile<search levels = [<"sram", sizes = {d0 = 8, d1 = 4}, order = [d0, d1], buffers = {lhs = 1, out = 1, rhs = 1}>]>} : tensor<8x4xbf16>, tensor<8x4xbf16>
      }
    }
    scf.for %arg1 = %c0 to %c7 step %c1 {
    }
    return
  }
}
