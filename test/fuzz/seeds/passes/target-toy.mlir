// tile schedule report=json
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"toy" = #dlti.target_device_spec<"clock_hz" = 1000 : i64, "engines" = #dlti.map<"core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 3 : i64, "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 1 : i64>, "alu_per_cycle_per_unit" = 1 : i64, "private_memory" = "sram", "port_bytes_per_second" = #dlti.map<"dram" = 500 : i64>, "overhead_cycles" = 0 : i64>, "dma" = #dlti.map<"kinds" = ["memory"], "count" = 2 : i64, "units" = 1 : i64, "port_bytes_per_second" = #dlti.map<"dram" = 500 : i64>, "overhead_cycles" = 0 : i64>>, "memories" = #dlti.map<"sram" = #dlti.map<"capacity_bytes" = 2560 : i64>, "dram" = #dlti.map<"bytes_per_second" = 1000 : i64, "lanes" = 1024 : i64>>>>} {
  func.func @cache(%arg0: tensor<1x1x1x8xbf16>) {
    %0 = llm.kv_cache "c" : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16>
    %1 = llm.kv_write "write" %0, %arg0, %arg0 at 3 : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16>, tensor<1x1x1x8xbf16>, tensor<1x1x1x8xbf16>
    %keys, %values = llm.kv_read %1 rows 0 to 4 : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16>
    %2 = llm.gqa_attn "attn" %arg0, %keys, %values mask full scale 1.000000e+00 : tensor<1x1x1x8xbf16>, tensor<1x4x1x8xbf16>, tensor<1x4x1x8xbf16>
    return
  }
}
