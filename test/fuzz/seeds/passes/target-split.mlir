// decompose tile schedule verify-schedule report
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"split" = #dlti.target_device_spec<"clock_hz" = 1000 : i64, "engines" = #dlti.map<"matrix" = #dlti.map<"kinds" = ["matrix"], "count" = 1 : i64, "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 64 : i64>, "private_memory" = "sram", "overhead_cycles" = 0 : i64>, "vector" = #dlti.map<"kinds" = ["vector"], "count" = 1 : i64, "units" = 1 : i64, "private_memory" = "sram", "overhead_cycles" = 0 : i64>>, "memories" = #dlti.map<"sram" = #dlti.map<"capacity_bytes" = 4096 : i64>, "dram" = #dlti.map<"bytes_per_second" = 1000 : i64, "lanes" = 1024 : i64>>>>} {
  func.func @kinds(%arg0: tensor<4x4xbf16>) {
    %0 = llm.matmul "m" %arg0, %arg0 : tensor<4x4xbf16>, tensor<4x4xbf16>
    %1 = llm.add "a" %arg0, %arg0 : tensor<4x4xbf16>, tensor<4x4xbf16>
    return
  }
}
