// 
func.func @function_attributes() attributes {
    llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = 512, layers = 1 of 16>,
    llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 100, lower_bound_cycles = 90,
      bounds = {critical_path = 80, work_core = 70, bytes_dram = 90}, roofline_cycles = 60,
      loops = [<start_cycle = 10, period_cycles = 20, trips = 4>,
               <start_cycle = 0, period_cycles = 5, trips = 2>]>} {
  return
}

func.func private @declaration() attributes {
    llm.program = #llm.program<"qwen3", prefill, batch = 1, seq = 512, kv_len = 512, layers = 36 of 36>,
    llm.schedule = #llm.schedule<policy = "my own", makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>}

func.func @op_attributes(%x: tensor<4x8xf32>) {
  %0 = llm.add "tile" %x, %x {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {d1 = 8, d0 = 4}, order = [d1, d0], buffers = {lhs = 1, rhs = 1, out = 1},
        resident = [rhs, lhs]>,
      <"sram", sizes = {d0 = 2, d1 = 8}, order = [d0, d1], buffers = {lhs = 2, rhs = 2, out = 1}>]
      split = {d0 = 2}>} : tensor<4x8xf32>, tensor<4x8xf32>

  %1 = llm.add %x, %x {llm.tile = #llm.tile<theoretical>} : tensor<4x8xf32>, tensor<4x8xf32>
  %2 = llm.add %x, %x {llm.tile = #llm.tile<search>} : tensor<4x8xf32>, tensor<4x8xf32>

  %3 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [
      <"sram", sizes = {"a b" = 1, "plain" = 2}, order = ["plain", "a b"], buffers = {"c+d" = 1}>]>}
     : tensor<4x8xf32>, tensor<4x8xf32>

  %4 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [
      <count = 3, work = {mac = 1, alu = 2, special = 3, compare = 4},
        traffic = {l2 = {}, dram = {out = 64, lhs = 128}}, working_set_bytes = 192,
        overhead_cycles = 1, serial_cycles = 2, compute_cycles = 30, memory_cycles = 4, bound = compute>,
      <count = 1, work = {}, traffic = {}, working_set_bytes = 0,
        overhead_cycles = 9, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = overhead>,
      <count = 1, work = {mac = 0}, traffic = {}, working_set_bytes = 0,
        overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 5, bound = memory>],
      stamp = "0123456789abcdef">} : tensor<4x8xf32>, tensor<4x8xf32>

  %5 = llm.add %x, %x {llm.slots = #llm.slots<[
      <part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {dram = 256}
        count = 4 index_stride = 1 start_stride = 10>,
      <part = 4, engine = "core"[2], start_cycle = 50, end_cycle = 60, lanes = {}
        prefetches = [<"rhs", engine = "dma"[1], start_cycle = 30, end_cycle = 50, lanes = {dram = 128}>]>,
      <part = 5, engine = "core"[0], start_cycle = 60, end_cycle = 60, lanes = {}
        count = 1 index_stride = 0 start_stride = 0>]>} : tensor<4x8xf32>, tensor<4x8xf32>

  %6 = tensor.empty() {activation = #llm<activation_kind gelu_tanh>, mask = #llm<mask causal>} : tensor<f32>
  return
}
