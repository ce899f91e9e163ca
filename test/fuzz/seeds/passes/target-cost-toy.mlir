// fuse tile schedule report=csv
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"toy" = #dlti.target_device_spec<"clock_hz" = 1000 : i64, "engines" = #dlti.map<"core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64, "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 4 : i64>, "private_memory" = "sram", "port_bytes_per_second" = #dlti.map<"dram" = 1000 : i64>, "overhead_cycles" = 5 : i64>>, "memories" = #dlti.map<"sram" = #dlti.map<"capacity_bytes" = 512 : i64>, "dram" = #dlti.map<"bytes_per_second" = 2000 : i64, "lanes" = 1024 : i64>>>>} {
  func.func @qkv(%arg0: tensor<3x8xbf16>) -> (tensor<3x6xbf16>, tensor<3x2xbf16>, tensor<3x2xbf16>) {
    %0 = llm.weight "q" : tensor<6x8xbf16>
    %1 = llm.matmul "self_attn.q_proj" %arg0, %0 transpose_rhs : tensor<3x8xbf16>, tensor<6x8xbf16>
    %2 = llm.weight "k" : tensor<2x8xbf16>
    %3 = llm.matmul "self_attn.k_proj" %arg0, %2 transpose_rhs : tensor<3x8xbf16>, tensor<2x8xbf16>
    %4 = llm.weight "v" : tensor<2x8xbf16>
    %5 = llm.matmul "self_attn.v_proj" %arg0, %4 transpose_rhs : tensor<3x8xbf16>, tensor<2x8xbf16>
    return %1, %3, %5 : tensor<3x6xbf16>, tensor<3x2xbf16>, tensor<3x2xbf16>
  }
  func.func @gate_up(%arg0: tensor<3x8xbf16>, %arg1: tensor<5xf32>) -> tensor<3x5xbf16> {
    %0 = llm.weight "g" : tensor<8x5xi8>
    %1 = llm.matmul "mlp.gate_proj" %arg0, %0 bias %arg1 : tensor<3x8xbf16>, tensor<8x5xi8>, tensor<5xf32>
    %2 = llm.weight "u" : tensor<8x5xi8>
    %3 = llm.weight "c" : tensor<5xf32>
    %4 = llm.matmul "mlp.up_proj" %arg0, %2 bias %3 : tensor<3x8xbf16>, tensor<8x5xi8>, tensor<5xf32>
    %5 = llm.swiglu "mlp.swiglu" %1, %4 : tensor<3x5xbf16>, tensor<3x5xbf16>
    return %5 : tensor<3x5xbf16>
  }
  func.func @different(%arg0: tensor<4x4xbf16>, %arg1: tensor<4x4xbf16>, %arg2: tensor<4x4xbf16>, %arg3: tensor<4x4xi8>, %arg4: tensor<4xbf16>, %arg5: tensor<4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0 = llm.matmul "a" %arg0, %arg2 : tensor<4x4xbf16>, tensor<4x4xbf16>
    %1 = llm.matmul "b" %arg1, %arg2 : tensor<4x4xbf16>, tensor<4x4xbf16>
    %2 = llm.matmul "c" %arg0, %arg2 transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
    %3 = llm.matmul "d" %arg0, %arg3 : tensor<4x4xbf16>, tensor<4x4xi8>
    %4 = llm.matmul "e" %arg0, %arg2 bias %arg4 : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4xbf16>
    %5 = llm.matmul "f" %arg0, %arg2 bias %arg5 : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4xf32>
    scf.for %arg6 = %c0 to %c4 step %c1 {
      %7 = llm.matmul "g" %arg0, %arg2 : tensor<4x4xbf16>, tensor<4x4xbf16>
    }
    %6 = llm.matmul "h" %0, %arg2 : tensor<4x4xbf16>, tensor<4x4xbf16>
    return
  }
  func.func @later(%arg0: tensor<4x4xbf16>, %arg1: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
    %0 = llm.matmul "first" %arg0, %arg1 : tensor<4x4xbf16>, tensor<4x4xbf16>
    %1 = llm.matmul "second" %arg0, %0 : tensor<4x4xbf16>, tensor<4x4xbf16>
    return %1 : tensor<4x4xbf16>
  }
  func.func @names(%arg0: tensor<4x4xbf16>) {
    %0 = llm.weight "w" : tensor<4x4xbf16>
    %1 = llm.matmul "a.q" %arg0, %0 : tensor<4x4xbf16>, tensor<4x4xbf16>
    %2 = llm.matmul "b.k" %arg0, %0 : tensor<4x4xbf16>, tensor<4x4xbf16>
    %3 = llm.matmul "a.v" %arg0, %0 transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
    %4 = llm.matmul %arg0, %0 transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
    return
  }
  func.func @dynamic(%arg0: tensor<?x4xbf16>, %arg1: tensor<4x4xbf16>) {
    %0 = llm.matmul "a" %arg0, %arg1 : tensor<?x4xbf16>, tensor<4x4xbf16>
    %1 = llm.matmul "b" %arg0, %arg1 : tensor<?x4xbf16>, tensor<4x4xbf16>
    return
  }
}
