// A machine of two engines, on which each op has two parts.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "edge" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<"core" = #dlti.map<
        "kinds" = ["matrix", "vector"], "count" = 2 : i64, "units" = 1 : i64,
        "macs_per_cycle_per_unit" = #dlti.map<"f32" = 16 : i64>,
        "alu_per_cycle_per_unit" = 4 : i64, "special_per_cycle_per_unit" = 1 : i64, "private_memory" = "sram">>,
      "memories" = #dlti.map<
        "sram" = #dlti.map<"capacity_bytes" = 1048576 : i64>,
        "dram" = #dlti.map<"bytes_per_second" = 400000000000 : i64, "lanes" = 8 : i64>>>>} {
  func.func @block(%x: tensor<64x128xf32>) -> tensor<64x256xf32> {
    %up = llm.weight "up" : tensor<256x128xf32>
    %gate = llm.weight "gate" : tensor<256x128xf32>
    %a = llm.matmul "up_proj" %x, %up transpose_rhs : tensor<64x128xf32>, tensor<256x128xf32>
    %b = llm.matmul "gate_proj" %x, %gate transpose_rhs : tensor<64x128xf32>, tensor<256x128xf32>
    %y = llm.swiglu "swiglu" %b, %a : tensor<64x256xf32>, tensor<64x256xf32>
    return %y : tensor<64x256xf32>
  }
}
