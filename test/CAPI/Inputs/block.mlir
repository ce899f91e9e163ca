// A product and a sum on one engine at 500 MHz that takes 8 bytes and 1024 products in a cycle,
// 64 sums, and 100 cycles before anything happens; a megabyte beside it holds all that an op
// touches.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "edge" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<"core" = #dlti.map<
        "kinds" = ["matrix", "vector"], "count" = 1 : i64, "units" = 1 : i64,
        "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 1024 : i64>,
        "alu_per_cycle_per_unit" = 64 : i64, "private_memory" = "sram",
        "overhead_cycles" = 100 : i64>>,
      "memories" = #dlti.map<
        "sram" = #dlti.map<"capacity_bytes" = 1048576 : i64>,
        "dram" = #dlti.map<"bytes_per_second" = 4000000000 : i64, "lanes" = 8 : i64>>>>} {
  func.func @block(%x: tensor<64x256xbf16>, %y: tensor<64x128xbf16>) -> tensor<64x128xbf16> {
    %w = llm.weight "up.weight" : tensor<128x256xbf16>
    %up = llm.matmul "up" %x, %w transpose_rhs : tensor<64x256xbf16>, tensor<128x256xbf16>
    %sum = llm.add "sum" %up, %y : tensor<64x128xbf16>, tensor<64x128xbf16>
    return %sum : tensor<64x128xbf16>
  }
}
