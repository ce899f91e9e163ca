// tile schedule verify-schedule report=json perfetto
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"groups" = #dlti.target_device_spec<"clock_hz" = 1000000000 : i64, "engines" = #dlti.map<"fast" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 16 : i64, "units" = 16 : i64, "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 1000 : i64>, "overhead_cycles" = 0 : i64>, "slow" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 8 : i64, "units" = 16 : i64, "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 16 : i64>, "overhead_cycles" = 0 : i64>>, "memories" = #dlti.map<"dram" = #dlti.map<"bytes_per_second" = 1000000000000 : i64, "lanes" = 1024 : i64>>>>} {
  func.func @groups(%arg0: tensor<100x100xbf16>) {
    %0 = llm.matmul "a" %arg0, %arg0 {llm.cost = #llm.cost<engine = "fast", parts = [<count = 16, work = {mac = 1000000}, traffic = {dram = {lhs = 20000, out = 20000, rhs = 20000}}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 1000, memory_cycles = 60, bound = compute>], stamp = "e11a2d9fe6946c60">, llm.tile = #llm.tile<search>} : tensor<100x100xbf16>, tensor<100x100xbf16>
    %1 = llm.matmul "b" %arg0, %arg0 {llm.cost = #llm.cost<engine = "fast", parts = [<count = 16, work = {mac = 1000000}, traffic = {dram = {lhs = 20000, out = 20000, rhs = 20000}}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 1000, memory_cycles = 60, bound = compute>], stamp = "e11a2d9fe6946c60">, llm.tile = #llm.tile<search>} : tensor<100x100xbf16>, tensor<100x100xbf16>
    return
  }
}


