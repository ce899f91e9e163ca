// RUN: llm-opt %s -split-input-file -verify-diagnostics

// attr-C1: an attribute that the dialect does not know.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.add' op has unknown attribute 'llm.tiles'; did you mean 'llm.tile'? (known: llm.tile, llm.cost, llm.slots, llm.schedule, llm.program, llm.grid, llm.shard, llm.piece, llm.unpadded, llm.stage, llm.pipeline)}}
  %0 = llm.add %x, %x {llm.tiles = 1 : i32} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C1: such an attribute on an op of another dialect.
// expected-error @+1 {{'builtin.module' op has unknown attribute 'llm.target'}}
module attributes {llm.target} {}

// -----

// attr-C2: a number where a tile belongs.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.add' op attribute 'llm.tile' must be a #llm.tile, got 4 : i64}}
  %0 = llm.add %x, %x {llm.tile = 4 : i64} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C2: a tile where a cost belongs.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.add' op attribute 'llm.cost' must be a #llm.cost, got #llm.tile<pinned>}}
  %0 = llm.add %x, %x {llm.cost = #llm.tile<pinned>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C2: a flag where slots belong.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.add' op attribute 'llm.slots' must be a #llm.slots, got unit}}
  %0 = llm.add %x, %x {llm.slots} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C2: a string where a schedule belongs.
// expected-error @+1 {{'func.func' op attribute 'llm.schedule' must be a #llm.schedule, got "list"}}
func.func private @f() attributes {llm.schedule = "list"}

// -----

// attr-C2: a tile where a program belongs.
// expected-error @+1 {{'func.func' op attribute 'llm.program' must be a #llm.program, got #llm.tile<pinned>}}
func.func private @f() attributes {llm.program = #llm.tile<pinned>}

// -----

// attr-C2: on an op of another dialect too.
func.func @f() {
  // expected-error @+1 {{'tensor.empty' op attribute 'llm.tile' must be a #llm.tile, got 4 : i64}}
  %0 = tensor.empty() {llm.tile = 4 : i64} : tensor<4xf32>
  return
}

// -----

// attr-C3: a function is cut, costed and placed op by op.
// expected-error @+1 {{'func.func' op attribute 'llm.tile' belongs on an op that takes time}}
func.func private @f() attributes {llm.tile = #llm.tile<pinned>}

// -----

// attr-C3: a constant takes no time.
func.func @f() {
  // expected-error @+1 {{'arith.constant' op attribute 'llm.tile' belongs on an op that takes time}}
  %0 = arith.constant {llm.tile = #llm.tile<pinned>} 1 : index
  return
}

// -----

// attr-C3: a module is no op that takes time.
// expected-error @+1 {{'builtin.module' op attribute 'llm.tile' belongs on an op that takes time}}
module attributes {llm.tile = #llm.tile<pinned>} {}

// -----

// attr-C3: an op is not a program.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.add' op attribute 'llm.program' belongs on a function}}
  %0 = llm.add %x, %x {llm.program = #llm.program<"llama", decode, batch = 1, seq = 1, kv_len = 1, layers = 1 of 1>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C3: a schedule is that of a function, not of the module.
// expected-error @+1 {{'builtin.module' op attribute 'llm.schedule' belongs on a function}}
module attributes {llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 1, lower_bound_cycles = 1, bounds = {}, roofline_cycles = 1>} {}

// -----

// attr-C4: an argument takes no time, whatever the attribute.
// expected-error @+1 {{'func.func' op argument attribute 'llm.tile' is not allowed: attributes of the llm dialect belong on ops and functions}}
func.func private @f(tensor<4xf32> {llm.tile = #llm.tile<pinned>})

// -----

// attr-C4: nor does a result.
// expected-error @+1 {{'func.func' op result attribute 'llm.slots' is not allowed: attributes of the llm dialect belong on ops and functions}}
func.func private @f() -> (tensor<4xf32> {llm.slots})

// -----

// attr-C5: a loop has two sizes.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{name 'm' is given twice}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {m = 1, m = 2}, order = [m], buffers = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C5: a buffer has no name.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{name '' is empty}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {}, order = [], buffers = {"" = 1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C1: a level in no memory.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the memory of a tile needs a name}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"", sizes = {}, order = [], buffers = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C2: a tile of no iterations.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{tile size 'm' must be in [1, 2^61), got 0}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {m = 0}, order = [m], buffers = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C2: no tile of a buffer is held.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{number of tiles held of 'lhs' must be in [1, 2^61), got 0}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {}, order = [], buffers = {lhs = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C3: the order names a loop without a size.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{order names loop 'n', for which there is no size}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {m = 1}, order = [m, n], buffers = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C3: the order names a loop twice.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{order names loop 'm' twice}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {m = 1}, order = [m, m], buffers = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C3: the order leaves a loop out.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{order names 1 of 2 loops}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {m = 1, n = 1}, order = [m], buffers = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C4: a buffer that is not held cannot be resident.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{resident buffer 'rhs' is not one of the tile's buffers}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {}, order = [], buffers = {lhs = 1}, resident = [rhs]>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C5: two tiles for one memory.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{memory 'sram' has two tile levels}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {}, order = [], buffers = {}>, <"sram", sizes = {}, order = [], buffers = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// tile-C6: a loop cut into no parts.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{split of 'm' must be in [1, 2^61), got 0}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned split = {m = 0}>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// A strategy that is not known: the parser lists those that are.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{expected one of [theoretical, search, manual, pinned] for who chose a tile, got: guess}}
  // expected-error @+1 {{failed to parse Llm_TileAttr parameter 'strategy'}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<guess>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C1: a record of no parts.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'count' must be in [1, 2^61), got 0}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [<count = 0, work = {}, traffic = {}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = compute>], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C2: a working set below 0.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'working_set_bytes' must be in [0, 2^61), got -1}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {}, traffic = {}, working_set_bytes = -1, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = compute>], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C2: more cycles than the compiler counts.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'memory_cycles' must be in [0, 2^61), got 2305843009213693952}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {}, traffic = {}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 2305843009213693952, bound = compute>], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C2: work below 0.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{work 'mac' must be in [0, 2^61), got -1}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {mac = -1}, traffic = {}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = compute>], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C2: traffic below 0.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{traffic of 'lhs' must be in [0, 2^61), got -1}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {}, traffic = {dram = {lhs = -1}}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = compute>], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C3: a kind of work that is not known.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{unknown kind of work 'flops'; expected mac, alu, special or compare}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {flops = 1}, traffic = {}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = compute>], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C4: each buffer's bytes can be counted, their sum cannot.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the bytes through 'dram' are above 2^61 - 1}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {}, traffic = {dram = {lhs = 2305843009213693951, rhs = 1}}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = compute>], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C7: no memory takes as long as they do together.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{memory_cycles must be the longest of cycles_by_memory, 7, got 10}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [<count = 1, work = {}, traffic = {}, working_set_bytes = 0, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 10, cycles_by_memory = {dram = 3, l2 = 7}, bound = compute>], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// cost-C5: a cost without a record.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{a cost needs at least one record of parts}}
  %0 = llm.add %x, %x {llm.cost = #llm.cost<engine = "core", parts = [], stamp = "0">} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C1: a part before the first.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'part' must be in [0, 2^61), got -1}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = -1, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C1: an engine before the first.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'engine index' must be in [0, 2^61), got -1}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[-1], start_cycle = 5, end_cycle = 25, lanes = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C1: a start before the program.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'start_cycle' must be in [0, 2^61), got -5}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = -5, end_cycle = 25, lanes = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C1: lanes below 0.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{lanes of 'dram' must be in [0, 2^61), got -1}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {dram = -1}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C1: a run of no parts.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'count' must be in [1, 2^61), got 0}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {} count = 0>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C1: parts that go back in time.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'start_stride' must be in [0, 2^61), got -5}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {} count = 2 start_stride = -5>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C2: an end before the start.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{end_cycle 4 is before start_cycle 5}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 4, lanes = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C1: a fetch by an engine before the first.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{'engine index' must be in [0, 2^61), got -1}}
  // expected-error @+1 {{failed to parse Llm_SlotRunAttr parameter 'prefetches'}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {} prefetches = [<"rhs", engine = "dma"[-1], start_cycle = 1, end_cycle = 5, lanes = {}>]>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C2: a fetch that ends before it starts.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{end_cycle 5 is before start_cycle 6}}
  // expected-error @+1 {{failed to parse Llm_SlotRunAttr parameter 'prefetches'}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {} prefetches = [<"rhs", engine = "dma"[0], start_cycle = 6, end_cycle = 5, lanes = {}>]>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C3: parts of a run are not one part.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'part_stride' must be in [1, 2^61), got 0}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {} count = 2 part_stride = 0>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C4: the last part of the run would start after 2^61 cycles.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the strides of 1152921504606846976 parts are above 2^61 - 1}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5, end_cycle = 25, lanes = {} count = 1152921504606846976 start_stride = 4>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// slots-C5: no slots at all.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{slots need at least one run}}
  %0 = llm.add %x, %x {llm.slots = #llm.slots<[]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// schedule-C1: a loop that never runs.
// expected-error @+1 {{'trips' must be in [1, 2^61), got 0}}
func.func private @f() attributes {llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 1, lower_bound_cycles = 1, bounds = {}, roofline_cycles = 1, loops = [<start_cycle = 0, period_cycles = 1, trips = 0>]>}

// -----

// schedule-C1: a period below 0.
// expected-error @+1 {{'period_cycles' must be in [0, 2^61), got -1}}
func.func private @f() attributes {llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 1, lower_bound_cycles = 1, bounds = {}, roofline_cycles = 1, loops = [<start_cycle = 0, period_cycles = -1, trips = 1>]>}

// -----

// schedule-C2: a makespan below 0.
// expected-error @+1 {{'makespan_cycles' must be in [0, 2^61), got -1}}
func.func private @f() attributes {llm.schedule = #llm.schedule<policy = "list", makespan_cycles = -1, lower_bound_cycles = 1, bounds = {}, roofline_cycles = 1>}

// -----

// schedule-C2: a bound below 0.
// expected-error @+1 {{bound 'critical_path' must be in [0, 2^61), got -1}}
func.func private @f() attributes {llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 1, lower_bound_cycles = 1, bounds = {critical_path = -1}, roofline_cycles = 1>}

// -----

// program-C1: no sequence.
// expected-error @+1 {{'batch' must be in [1, 2^61), got 0}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, batch = 0, seq = 1, kv_len = 1, layers = 1 of 1>}

// -----

// program-C1: no layer.
// expected-error @+1 {{'layers' must be in [1, 2^61), got 0}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, batch = 1, seq = 1, kv_len = 1, layers = 0 of 1>}

// -----

// program-C3: a model of 16 layers has no 32.
// expected-error @+1 {{32 layers are more than the model's 16}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, batch = 1, seq = 1, kv_len = 1, layers = 32 of 16>}

// -----

// program-C4: a whole model of half of its layers.
// expected-error @+1 {{the whole model has 16 layers, not 8}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, batch = 1, seq = 1, kv_len = 1, layers = 8 of 16, whole_model>}

// -----

// program-C7: a part of a model predicts no further tokens.
// expected-error @+1 {{expected 'whole_model'}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, batch = 1, seq = 1, kv_len = 1, layers = 8 of 16, further_tokens = 1>}

// -----

// program-C7: more further tokens than there can be.
// expected-error @+1 {{further_tokens must be in [0, 64], got 65}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, batch = 1, seq = 1, kv_len = 1, layers = 16 of 16, whole_model, further_tokens = 65>}

// -----

// program-C2: 4 new tokens cannot be among 3 keys.
// expected-error @+1 {{kv_len 3 includes the 4 new tokens}}
func.func private @f() attributes {llm.program = #llm.program<"llama", prefill, batch = 1, seq = 4, kv_len = 3, layers = 1 of 1>}

// -----

// program-C1: a sequence without keys.
// expected-error @+1 {{'kv_len' must be in [1, 2^61), got 0}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = [3, 0], layers = 1 of 1>}

// -----

// program-C1: 2 x 2 x 10^18 new tokens are more than the compiler counts.
// expected-error @+1 {{has more than 2^61 - 1 new tokens}}
func.func private @f() attributes {llm.program = #llm.program<"llama", prefill, batch = 2, seq = 2000000000000000000, kv_len = 2000000000000000000, layers = 1 of 1>}

// -----

// program-C2: 3 new tokens cannot be among the 2 keys of the second sequence.
// expected-error @+1 {{kv_len 2 includes the 3 new tokens}}
func.func private @f() attributes {llm.program = #llm.program<"llama", verify, batch = 2, seq = 3, kv_len = [3, 2], layers = 1 of 1>}

// -----

// program-C5: three numbers for two sequences.
// expected-error @+1 {{kv_len has 3 numbers for 2 sequences}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, batch = 2, seq = 1, kv_len = [3, 4, 5], layers = 1 of 1>}

// -----

// program-C6: each group can be counted, their sum cannot.
// expected-error @+1 {{needs sequences with fewer than 2^61 new tokens}}
func.func private @f() attributes {llm.program = #llm.program<"llama", mixed, batch = 1, seq = 1, kv_len = 1 and batch = 1, seq = 2305843009213693951, kv_len = 2305843009213693951, layers = 1 of 1>}

// -----

// program-C6: no sequences at all; the parser wants some already.
// expected-error @+1 {{expected 'batch'}}
func.func private @f() attributes {llm.program = #llm.program<"llama", decode, layers = 1 of 1>}

// -----

// attr-C6: two slots on a loop of four iterations.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'scf.forall' op must have one slot for each iteration}}
  scf.forall (%i) in (4) {
  } {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 1, lanes = {} count = 2 start_stride = 1>]>}
  return
}

// -----

// attr-C6: iterations that cannot be counted.
func.func @f(%n: index) {
  // expected-error @+1 {{'scf.forall' op must have one slot for each iteration}}
  scf.forall (%i) in (%n) {
  } {llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 1, lanes = {}>]>}
  return
}

// -----

// rope_scaling-C1: a figure is missing.
// expected-error @+1 {{llama3 needs high_freq_factor}}
#few = #llm.rope_scaling<llama3 factor = 8.0, low_freq_factor = 1.0, original_max_position_embeddings = 8192>

// -----

// rope_scaling-C1: a figure of another kind.
// expected-error @+1 {{linear has no beta_fast}}
#other = #llm.rope_scaling<linear factor = 8.0, beta_fast = 32.0>

// -----

// rope_scaling-C2
// expected-error @+1 {{figures must be finite and positive, got 0.000000e+00}}
#zero = #llm.rope_scaling<linear factor = 0.0>

// -----

// rope_scaling-C2
// expected-error @+1 {{original_max_position_embeddings and factors must be positive}}
#negative = #llm.rope_scaling<listed factors = [1.0, -1.0]>

// -----

// rope_scaling-C3
// expected-error @+1 {{beta_slow must not be above beta_fast}}
#crossed = #llm.rope_scaling<yarn factor = 8.0, beta_fast = 1.0, beta_slow = 32.0, original_max_position_embeddings = 8192>

// -----

// rope_scaling-C3
// expected-error @+1 {{low_freq_factor must not be above high_freq_factor}}
#crossed = #llm.rope_scaling<llama3 factor = 8.0, low_freq_factor = 4.0, high_freq_factor = 1.0, original_max_position_embeddings = 8192>

// -----

// rope_scaling-C4
// expected-error @+1 {{factor, the part of the pairs that turn, must not be above 1, got 1.500000e+00}}
#more = #llm.rope_scaling<proportional factor = 1.5>

// -----

// attr-C7: chips run a whole module.
// expected-error @+1 {{'func.func' op attribute 'llm.grid' belongs on a module}}
func.func private @f() attributes {llm.grid = #llm.grid<tp = 2>}

// -----

// attr-C2: a grid is one.
// expected-error @+1 {{'builtin.module' op attribute 'llm.grid' must be a #llm.grid, got 8 : i64}}
module attributes {llm.grid = 8} {}

// -----

// attr-C7: a view takes no time, so that no loop of it is cut.
func.func @f() {
  // expected-error @+1 {{'llm.weight' op attribute 'llm.shard' belongs on an op that takes time}}
  %0 = llm.weight "w" {llm.shard = #llm.shard<{n = [tp]}>} : tensor<4x8xf32>
  return
}

// -----

// attr-C7: an op has all of what it makes.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.add' op attribute 'llm.piece' belongs on a weight, a cache or a state}}
  %0 = llm.add %x, %x {llm.piece = #llm.shard<{d0 = [tp]}>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C2: what is cut is a #llm.shard.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.add' op attribute 'llm.shard' must be a #llm.shard, got "n"}}
  %0 = llm.add %x, %x {llm.shard = "n"} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// grid-C1: each axis has a name of its own.
// expected-error @+1 {{axis 'tp' of a grid is there twice}}
module attributes {llm.grid = #llm.grid<tp = 2, tp = 4>} {}

// -----

// grid-C2: no chip is no grid.
// expected-error @+1 {{axis 'tp' of a grid must have one chip or more, and the grid at most 1048576, got 0}}
module attributes {llm.grid = #llm.grid<tp = 0>} {}

// -----

// grid-C2: 2^11 times 2^10 chips.
// expected-error @+1 {{axis 'tp' of a grid must have one chip or more, and the grid at most 1048576, got 1024}}
module attributes {llm.grid = #llm.grid<dp = 2048, tp = 1024>} {}

// -----

// shard-C2: one segment is the loop.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{segments of 'd1' must be two or more, each of one index or more}}
  %0 = llm.add %x, %x {llm.shard = #llm.shard<{d1 = [tp] of [8]}>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// shard-C2: an empty segment.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{segments of 'd1' must be two or more, each of one index or more}}
  %0 = llm.add %x, %x {llm.shard = #llm.shard<{d1 = [tp] of [8, 0]}>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// shard-C1: a loop that is cut over nothing is not cut.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'n' must be cut over a list of axes}}
  %0 = llm.add %x, %x {llm.shard = #llm.shard<{n = []}>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C8: a function is a stage, and has more than a number.
// expected-error @+1 {{'func.func' op attribute 'llm.stage' must be a #llm.stage on a function, the number of a stage on an op (1 : i64), or how many iterations of a loop are in stages 0, 1, .. (array<i64: 8, 8>), got 1 : i64}}
func.func private @f() attributes {llm.stage = 1 : i64}

// -----

// attr-C8: no op is in a stage before the first.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the number of a stage on an op (1 : i64), or how many iterations of a loop are in stages 0, 1, .. (array<i64: 8, 8>), got -1 : i64}}
  %0 = llm.add %x, %x {llm.stage = -1 : i64} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C8: an op has no iterations.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{(array<i64: 8, 8>), got array<i64: 1, 1>}}
  %0 = llm.add %x, %x {llm.stage = array<i64: 1, 1>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// attr-C7: stages are functions of a module.
// expected-error @+1 {{'func.func' op attribute 'llm.pipeline' belongs on a module}}
func.func private @f() attributes {llm.pipeline = #llm.pipeline<makespan_cycles = 0, lower_bound_cycles = 0, period_cycles = 0, slots = []>}

// -----

// attr-C2: a pipeline is one.
// expected-error @+1 {{'builtin.module' op attribute 'llm.pipeline' must be a #llm.pipeline, got 8 : i64}}
module attributes {llm.pipeline = 8} {}

// -----

// stage-C1: stages are numbered from 0.
// expected-error @+1 {{a stage must have a number from 0 to one less than there are stages, got 2 of 2}}
func.func private @f() attributes {llm.stage = #llm.stage<2 of 2, microbatches = 2>}

// -----

// stage-C2: nothing goes through the pipeline.
// expected-error @+1 {{a pipeline must have 1 to 65536 microbatches, got 0}}
func.func private @f() attributes {llm.stage = #llm.stage<1 of 2, microbatches = 0>}

// -----

// stage-C4: three stages in two rounds.
// expected-error @+1 {{the 3 stages of a pipeline cannot be shared in 2 rounds}}
func.func private @f() attributes {llm.stage = #llm.stage<1 of 3 in 2 rounds, microbatches = 2>}

// -----

// stage-C4: no round.
// expected-error @+1 {{the 3 stages of a pipeline cannot be shared in 0 rounds}}
func.func private @f() attributes {llm.stage = #llm.stage<1 of 3 in 0 rounds, microbatches = 2>}

// -----

// stage-C4: gradients go back in one round.
// expected-error @+1 {{a pipeline with gradients has one round, got 2}}
func.func private @f() attributes {llm.stage = #llm.stage<1 of 4 in 2 rounds, microbatches = 2, backward>}

// -----

// stage_slot-C1: it ends before it starts.
// expected-error @+1 {{the slot of @f must have a microbatch and a start of 0 or more, and end no earlier than it starts; got microbatch 0, cycles 5 to 4}}
module attributes {llm.pipeline = #llm.pipeline<makespan_cycles = 5, lower_bound_cycles = 0, period_cycles = 0, slots = [<@f, microbatch = 0, start_cycle = 5, end_cycle = 4>]>} {}

// -----

// pipeline-C1: time does not run backwards.
// expected-error @+1 {{a pipeline must take 0 cycles or more, got makespan_cycles = 0, lower_bound_cycles = 0, period_cycles = -1}}
module attributes {llm.pipeline = #llm.pipeline<makespan_cycles = 0, lower_bound_cycles = 0, period_cycles = -1, slots = []>} {}

// -----

// attr-C2, attr-C7: llm.unpadded.
func.func @unpadded_kind() {
  // expected-error @+1 {{'llm.weight' op attribute 'llm.unpadded' must be sizes of 1 or more (array<i64: ..>), got 3 : i64}}
  %w = llm.weight "w" {llm.unpadded = 3 : i64} : tensor<8x16xf32>
  return
}

// -----

func.func @unpadded_zero() {
  // expected-error @+1 {{'llm.weight' op attribute 'llm.unpadded' must be sizes of 1 or more (array<i64: ..>), got array<i64: 0, 16>}}
  %w = llm.weight "w" {llm.unpadded = array<i64: 0, 16>} : tensor<8x16xf32>
  return
}

// -----

func.func @unpadded_place(%x: tensor<8x16xf32>) {
  // expected-error @+1 {{'llm.add' op attribute 'llm.unpadded' belongs on a weight}}
  %y = llm.add %x, %x {llm.unpadded = array<i64: 6, 16>} : tensor<8x16xf32>, tensor<8x16xf32>
  return
}

// -----

func.func @unpadded_rank() {
  // expected-error @+1 {{'llm.weight' op attribute 'llm.unpadded' has 1 sizes; expected one for each of the 2 dimensions of 'tensor<8x16xf32>'}}
  %w = llm.weight "w" {llm.unpadded = array<i64: 6>} : tensor<8x16xf32>
  return
}

// -----

module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @unpadded_size() {
    %w = llm.weight "w" {llm.piece = #llm.shard<{d0 = [tp]}>, llm.unpadded = array<i64: 16, 16>} : tensor<8x16xf32>
    // expected-error @+1 {{'llm.weight' op attribute 'llm.unpadded' has the size 17 in dimension 0, of which all chips have 16}}
    %v = llm.weight "v" {llm.piece = #llm.shard<{d0 = [tp]}>, llm.unpadded = array<i64: 17, 16>} : tensor<8x16xf32>
    return
  }
}
