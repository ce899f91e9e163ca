// tile schedule verify-schedule perfetto=cycles
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"half" = #dlti.target_device_spec<"clock_hz" = 1000 : i64, "engines" = #dlti.map<"core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64, "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 64 : i64>, "private_memory" = "sram", "port_bytes_per_second" = #dlti.map<"dram" = 500 : i64>, "overhead_cycles" = 0 : i64>>, "memories" = #dlti.map<"sram" = #dlti.map<"capacity_bytes" = 4096 : i64>, "dram" = #dlti.map<"bytes_per_second" = 1000 : i64, "lanes" = 1024 : i64>>>>} {
  func.func @loop(%arg0: tensor<8x4xbf16>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %0 = llm.add "before" %arg0, %arg0 : tensor<8x4xbf16>, tensor<8x4xbf16>
    %1 = scf.for %arg1 = %c0 to %c5 step %c1 iter_args(%arg2 = %arg0) -> (tensor<8x4xbf16>) {
      %3 = llm.add "first.{}" %arg2, %arg0 : tensor<8x4xbf16>, tensor<8x4xbf16>
      %4 = llm.add "second.{}" %arg0, %arg0 : tensor<8x4xbf16>, tensor<8x4xbf16>
      scf.yield %4 : tensor<8x4xbf16>
    }
    %2 = llm.add "after" %arg0, %arg0 : tensor<8x4xbf16>, tensor<8x4xbf16>
    return
  }
}
