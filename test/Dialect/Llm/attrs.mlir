// RUN: llm-opt %s --verify-roundtrip | %one-line | FileCheck %s
// RUN: llm-opt %s --mlir-print-op-generic | llm-opt | %one-line | FileCheck %s
// RUN: llm-opt %s --emit-bytecode | llm-opt | %one-line | FileCheck %s

// Every attribute of the dialect prints as it is written.

// The summary of a function's schedule and what the function was imported as; a policy
// may carry any name.
// CHECK-LABEL: func @function_attributes
// CHECK-SAME: llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = 512, layers = 1 of 16>
// CHECK-SAME: llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 100, lower_bound_cycles = 90,
// CHECK-SAME:   bounds = {bytes_dram = 90, critical_path = 80, work_core = 70}, roofline_cycles = 60,
// CHECK-SAME:   loops = [<start_cycle = 10, period_cycles = 20, trips = 4>, <start_cycle = 0, period_cycles = 5, trips = 2>]>
func.func @function_attributes() attributes {
    llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = 512, layers = 1 of 16>,
    llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 100, lower_bound_cycles = 90,
      bounds = {critical_path = 80, work_core = 70, bytes_dram = 90}, roofline_cycles = 60,
      loops = [<start_cycle = 10, period_cycles = 20, trips = 4>,
               <start_cycle = 0, period_cycles = 5, trips = 2>]>} {
  return
}

// The other phase; a schedule of a function without loops; a declaration.
// CHECK: func private @declaration()
// CHECK-SAME: llm.program = #llm.program<"qwen3", prefill, batch = 1, seq = 512, kv_len = 512, layers = 36 of 36>
// CHECK-SAME: llm.schedule = #llm.schedule<policy = "my own", makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>
func.func private @declaration() attributes {
    llm.program = #llm.program<"qwen3", prefill, batch = 1, seq = 512, kv_len = 512, layers = 36 of 36>,
    llm.schedule = #llm.schedule<policy = "my own", makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>}

// CHECK-LABEL: func @op_attributes
func.func @op_attributes(%x: tensor<4x8xf32>) {
  // A tile with two levels, a loop order, buffers that are held twice or resident, and a
  // split; dictionaries are sorted, lists are not.
  // CHECK: llm.add "tile"
  // CHECK-SAME: llm.tile = #llm.tile<pinned levels = [
  // CHECK-SAME: <"l2", sizes = {d0 = 4, d1 = 8}, order = [d1, d0], buffers = {lhs = 1, out = 1, rhs = 1}, resident = [rhs, lhs]>,
  // CHECK-SAME: <"sram", sizes = {d0 = 2, d1 = 8}, order = [d0, d1], buffers = {lhs = 2, out = 1, rhs = 2}>]
  // CHECK-SAME: split = {d0 = 2}>
  %0 = llm.add "tile" %x, %x {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {d1 = 8, d0 = 4}, order = [d1, d0], buffers = {lhs = 1, rhs = 1, out = 1},
        resident = [rhs, lhs]>,
      <"sram", sizes = {d0 = 2, d1 = 8}, order = [d0, d1], buffers = {lhs = 2, rhs = 2, out = 1}>]
      split = {d0 = 2}>} : tensor<4x8xf32>, tensor<4x8xf32>

  // No tile, of each strategy.
  // CHECK: llm.tile = #llm.tile<theoretical>}
  %1 = llm.add %x, %x {llm.tile = #llm.tile<theoretical>} : tensor<4x8xf32>, tensor<4x8xf32>
  // CHECK: llm.tile = #llm.tile<search>}
  %2 = llm.add %x, %x {llm.tile = #llm.tile<search>} : tensor<4x8xf32>, tensor<4x8xf32>

  // Loops and buffers whose names are no identifiers are quoted; those that need no
  // quotes lose them.
  // CHECK: sizes = {"a b" = 1, plain = 2}, order = [plain, "a b"], buffers = {"c+d" = 1}>
  %3 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [
      <"sram", sizes = {"a b" = 1, "plain" = 2}, order = ["plain", "a b"], buffers = {"c+d" = 1}>]>}
     : tensor<4x8xf32>, tensor<4x8xf32>

  // A cost with two shapes of parts, each kind of work, and each kind of bound.
  // CHECK: llm.cost = #llm.cost<engine = "core", parts = [
  // CHECK-SAME: <count = 3, work = {alu = 2, compare = 4, mac = 1, special = 3}, traffic = {dram = {lhs = 128, out = 64}, l2 = {}}, working_set_bytes = 192, overhead_cycles = 1, serial_cycles = 2, compute_cycles = 30, memory_cycles = 4, bound = compute>,
  // CHECK-SAME: <count = 1, work = {}, traffic = {}, working_set_bytes = 0, overhead_cycles = 9, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = overhead>,
  // CHECK-SAME: <count = 1, work = {mac = 0}, traffic = {}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 5, bound = memory>]
  // CHECK-SAME: stamp = "0123456789abcdef">
  %4 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [
      <count = 3, work = {mac = 1, alu = 2, special = 3, compare = 4},
        traffic = {l2 = {}, dram = {out = 64, lhs = 128}}, working_set_bytes = 192,
        overhead_cycles = 1, serial_cycles = 2, compute_cycles = 30, memory_cycles = 4, bound = compute>,
      <count = 1, work = {}, traffic = {}, working_set_bytes = 0,
        overhead_cycles = 9, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = overhead>,
      <count = 1, work = {mac = 0}, traffic = {}, working_set_bytes = 0,
        overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 5, bound = memory>],
      stamp = "0123456789abcdef">} : tensor<4x8xf32>, tensor<4x8xf32>

  // Slots as runs: one of four parts on four engines, one of two parts with prefetches and one
  // part between them. What has its default (one part, one by one, no stride) is not printed.
  // CHECK: llm.slots = #llm.slots<[
  // CHECK-SAME: <part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {dram = 256} count = 4 index_stride = 1 start_stride = 10>,
  // CHECK-SAME: <part = 4, engine = "core"[2], start_cycle = 50, end_cycle = 60, lanes = {} count = 2 part_stride = 2 start_stride = 20
  // CHECK-SAME: prefetches = [<"rhs", engine = "dma"[1], start_cycle = 30, end_cycle = 50, lanes = {dram = 128}>]>,
  // CHECK-SAME: <part = 5, engine = "core"[0], start_cycle = 60, end_cycle = 60, lanes = {}>]>
  %5 = llm.add %x, %x {llm.slots = #llm.slots<[
      <part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {dram = 256}
        count = 4 index_stride = 1 start_stride = 10>,
      <part = 4, engine = "core"[2], start_cycle = 50, end_cycle = 60, lanes = {}
        count = 2 part_stride = 2 start_stride = 20 prefetches = [<"rhs", engine = "dma"[1], start_cycle = 30, end_cycle = 50, lanes = {dram = 128}>]>,
      <part = 5, engine = "core"[0], start_cycle = 60, end_cycle = 60, lanes = {}
        count = 1 part_stride = 1 index_stride = 0 start_stride = 0>]>} : tensor<4x8xf32>, tensor<4x8xf32>

  // The values of enumerations stand for themselves.
  // CHECK: {activation = #llm<activation_kind gelu_tanh>, mask = #llm<mask causal>}
  %6 = tensor.empty() {activation = #llm<activation_kind gelu_tanh>, mask = #llm<mask causal>} : tensor<f32>

  // So do masks, scales and sequences; `?` is the whole dimension.
  // CHECK: {mask = #llm<mask causal chunk 8 from [4, 0] lengths [9, 3]>, scales = #llm.scales<[128, ?], f32>, sequences = #llm.sequences<batch = 2, seq = 1, kv_len = [9, 3]>}
  %7 = tensor.empty() {mask = #llm<mask causal chunk 8 from [4, 0] lengths [9, 3]>, scales = #llm.scales<[128, ?], f32>,
                       sequences = #llm.sequences<batch = 2, seq = 1, kv_len = [9, 3]>} : tensor<f32>
  return
}

// Programs of a ragged batch, and of sequences that decode beside a chunk of a prompt.
// CHECK: func private @ragged()
// CHECK-SAME: llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = [512, 100], layers = 1 of 16>
func.func private @ragged() attributes {
    llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = [512, 100], layers = 1 of 16>}
// CHECK: func private @mixed()
// CHECK-SAME: llm.program = #llm.program<"llama", mixed, batch = 16, seq = 1, kv_len = 2048 and batch = 1, seq = 512, kv_len = 1536, layers = 16 of 16, whole_model>
func.func private @mixed() attributes {
    llm.program = #llm.program<"llama", mixed, batch = 16, seq = 1, kv_len = 2048 and batch = 1, seq = 512, kv_len = 1536,
                               layers = 16 of 16, whole_model>}
// CHECK: func private @further()
// CHECK-SAME: llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = 512, layers = 16 of 16, whole_model, further_tokens = 2>
func.func private @further() attributes {
    llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = 512, layers = 16 of 16, whole_model, further_tokens = 2>}
