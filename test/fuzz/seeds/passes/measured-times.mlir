// 
#by_type = #dlti.map<"bf16" = 512 : i64>
#private_memory = #dlti.map<"capacity_bytes" = 8388608 : i64>
#shared_memory = #dlti.map<"bytes_per_second" = 200000000000 : i64, "lanes" = 1024 : i64>
#matrix_vector_engine = #dlti.map<"kinds" = ["matrix", "vector"], "cost_model" = "kernels", "count" = 1 : i64, "units" = 4 : i64, "alu_per_cycle_per_unit" = 64 : i64, "special_per_cycle_per_unit" = 16 : i64, "compare_per_cycle_per_unit" = 64 : i64, "overhead_cycles" = 0 : i64, "macs_per_cycle_per_unit" = #by_type, "private_memory" = "l2">
#target = #dlti.target_system_spec<"fz" = #dlti.target_device_spec<"clock_hz" = 1000000000 : i64, "engines" = #dlti.map<"gpu" = #matrix_vector_engine>, "memories" = #dlti.map<"l2" = #private_memory, "dram" = #shared_memory>, "measured" = #dlti.map<"llm.matmul bf16,bf16,bf16 m,n,k" = [array<i64: 16, 64, 64, 3000000, 5847953, 1>, array<i64: 16, 64, 128, 4000000, 3902439, 1>]>>>
module attributes {dlti.target_system_spec = #target} {
  func.func @f(%arg0: tensor<16x64xbf16>, %arg1: tensor<64xbf16>, %arg2: tensor<64x64xbf16>, %arg3: tensor<64x128xbf16>) -> tensor<16x128xbf16> {
    %norm = llm.rmsnorm "norm" %arg0, %arg1 epsilon 1.0e-5 {llm.cost = #llm.cost<engine = "gpu", parts = [
        <count = 1, work = {alu = 4096, special = 16}, traffic = {dram = {out = 2048, weight = 128, x = 2048}},
         working_set_bytes = 4224, overhead_cycles = 0, serial_cycles = 5, compute_cycles = 16, memory_cycles = 22, bound = memory>
      ], stamp = "72de73cd203ce0f3">, llm.tile = #llm.tile<search levels = [
        <"l2", sizes = {d0 = 16, d1 = 64}, order = [d0, d1], buffers = {out = 1, weight = 1, x = 1}>,
        <"unit", sizes = {d0 = 1, d1 = 64}, order = [], buffers = {}>
      ]>} : tensor<16x64xbf16>, tensor<64xbf16>
    %known = llm.matmul "known" %norm, %arg2 {llm.cost = #llm.cost<engine = "gpu", parts = [
        <count = 1, work = {mac = 65536}, traffic = {dram = {lhs = 2048, out = 2048, rhs = 8192}},
         working_set_bytes = 12288, overhead_cycles = 0, serial_cycles = 6, compute_cycles = 2994, memory_cycles = 62, bound = compute>
      ], stamp = "c1a0db3b185c7ec9">, llm.tile = #llm.tile<search levels = [
        <"l2", sizes = {k = 64, m = 16, n = 64}, order = [m, n, k], buffers = {lhs = 1, out = 1, rhs = 1}>,
        <"unit", sizes = {k = 64, m = 16, n = 64}, order = [], buffers = {}>
      ]>} : tensor<16x64xbf16>, tensor<64x64xbf16>
    %near = llm.matmul "near" %known, %arg3 {llm.cost = #llm.cost<engine = "gpu", parts = [
        <count = 1, work = {mac = 131072}, traffic = {dram = {lhs = 2048, out = 4096, rhs = 16384}},
         working_set_bytes = 22528, overhead_cycles = 0, serial_cycles = 6, compute_cycles = 2994, memory_cycles = 113, bound = compute>
      ], stamp = "c0961baeb3d6fb94">, llm.tile = #llm.tile<search levels = [
        <"l2", sizes = {k = 64, m = 16, n = 128}, order = [m, n, k], buffers = {lhs = 1, out = 1, rhs = 1}>,
        <"unit", sizes = {k = 64, m = 16, n = 64}, order = [], buffers = {}>
      ]>} : tensor<16x64xbf16>, tensor<64x128xbf16>
    return %near : tensor<16x128xbf16>
  }
}

