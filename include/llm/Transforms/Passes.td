//===- Passes.td - Passes that decide and write ------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRANSFORMS_PASSES
#define LLM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def LlmTargetPass : Pass<"llm-target", "::mlir::ModuleOp"> {
  let summary = "Put the description of a machine on the module";
  let description = [{
    Writes the machine into the module as `dlti.target_system_spec`. It is printed above the
    module as `#target`, with a line for each engine, memory, link and kernel, so that a diff
    of two machines shows the lines in which they differ. The machine comes from a
    built-in preset (`name=`), from a JSON file (`file=`, see lib/Target/presets/README.md),
    or from a CSV file with one column per device (`file=` and `column=`). Without `name`
    and `file` the module keeps its own target. If it has none, the preset `npu` is written,
    whose figures are invented. `engines=` then sets the number of compute engines.

    The preset `host` is the machine on which the tool runs. Its cores, clock, vectors and
    caches come from the operating system, and a short run measures the rate of its memory.
    `llm-opt --llm-list-targets` lists the presets.

    Some targets have figures that were fitted to measurements. `calibrated=false` leaves
    these out, so that the figures of the datasheet remain. Kernels may have figures of
    several libraries. `library=` takes those of one library, or of several, which commas
    separate. Kernels of which no library is named have the figures that belong to none, or
    those of the library that the target says (`is_default`).

    `set=` answers what-if questions. It sets any field of a target file, by its path and
    with its unit (lib/Target/presets/README.md). Several fields are separated by commas. If
    the rate of a memory is set, `sustained_bytes_per_second` keeps its share of the rate,
    unless it is set, too. The same holds for the clocks of engines if `clock_hz` is set.
    `port_bytes_per_second` of engines and all other fields stay as they are. The name of
    the target then says what was set, in the IR and in every report and trace:
    `h100-sxm + memories.dram.bytes_per_second=4e12`.

    A device draws more than its power limit for a moment (`burst_percent`). A program whose
    multiply-accumulates alone take longer at the limit than 50 such moments gets a target
    without them: it runs at the limit.

    `measured=` puts measured times beside the formula. It reads tables of the form that
    `llm-prof validate` reads (docs/accuracy.md). An op of a measured size takes the measured
    time, and ops like it take the formula's time, corrected by those of near sizes
    (dialects/llm/Spec.md, "Measured times"). Reports say which op has which. The rows must be of
    one device, and of one library for each kind of op. `measured-device=` and
    `measured-backend=` choose. The times become part of the module.

    Requires: nothing. Guarantees: the module has one sound target, which replaces any other.

    ```
    llm-opt block.mlir "--llm-target=name=h100-sxm"
    llm-opt block.mlir "--llm-target=name=h100-sxm measured=mine.csv"
    llm-opt block.mlir "--llm-target=name=h100-sxm set=memories.dram.bytes_per_second=4e12,engines.gpu.units=144"
    llm-opt block.mlir "--llm-target=file=chips.csv column=A40 engines=2"
    llm-opt block.mlir "--llm-target=name=a100-sxm library=vllm_0.19"
    ```
  }];
  let options = [
    Option<"name", "name", "std::string", "", "Built-in preset">,
    Option<"file", "file", "std::string", "", "JSON or CSV file">,
    Option<"column", "column", "std::string", "",
           "Device of a CSV file (default: the only one)">,
    Option<"calibrated", "calibrated", "bool", "true",
           "false: take the figures of the datasheet alone">,
    Option<"library", "library", "std::string", "",
           "Libraries whose figures of kernels are taken, separated by commas">,
    ListOption<"changes", "set", "std::string",
      "What if: fields by their paths, such as memories.dram.bytes_per_second=4e12">,
    ListOption<"measured", "measured", "std::string",
      "Tables of measured times (.csv), which correct costs">,
    ListOption<"measuredDevices", "measured-device", "std::string",
      "Only their rows of this device">,
    ListOption<"measuredBackends", "measured-backend", "std::string",
      "Only their rows of these libraries">,
    Option<"engines", "engines", "std::string", "",
           "Number of compute engines, or of named ones: 4, or mxu:4,vpu:2,dma:2">
  ];
  // Figures may be of its ops, whose names are checked.
  let dependentDialects = ["::mlir::DLTIDialect", "::mlir::llm::LlmDialect"];
}

def LlmBindShapesPass : Pass<"llm-bind-shapes", "::mlir::ModuleOp"> {
  let summary = "Give values to sizes that a program leaves open";
  let description = [{
    Replaces each `llm.size` whose name gets a value by that number. Then it recomputes
    everything that depends on the number: positions, types of tensors and caches, rows of
    experts, the type of the function, and the fields of `llm.program` with the same name.
    So one program text serves a whole sweep. Sizes without a value stay open. Costs need a
    value for each size.

    Requires: nothing. Guarantees: every given name is bound. Errors: the program does not
    have the name, the value is below 1, or sizes do not fit each other. If every open size
    has a value, an unknown name is only a warning.

    ```mlir
    %batch = llm.size "batch"
    %y = llm.sized %x [%batch] : tensor<?x2048xbf16>
    // becomes, with "--llm-bind-shapes=sizes=batch=8", %x : tensor<8x2048xbf16>
    ```
  }];
  let options = [
    ListOption<"sizes", "sizes", "std::string",
      "Names with their values, such as batch=8,kv_len=2048">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"];
}

def LlmDecomposeAttentionPass : Pass<"llm-decompose-attention", "::mlir::func::FuncOp"> {
  let summary = "Replace fused attention by qk, softmax and pv";
  let description = [{
    Replaces `llm.gqa_attn` and `llm.mla_attn` by `llm.qk`, `llm.softmax` and `llm.pv` with
    the same mask. Their names are the name of the op, followed by `.qk`, `.softmax` and
    `.pv`. The scores then lie in memory between the three ops.

    The pass is for machines whose matrix and vector units are separate engines that cannot
    work on one op together (Spec.md, Costs), and for machines where a few engines of one
    kind would hold back the other kind. It also shows the stages of softmax as separate
    work.

    Requires: no attention is in an `llm.fused`, so the pass runs before `llm-fuse`.
    Guarantees: no `llm.gqa_attn` and no `llm.mla_attn` is left, except for those whose keys
    are `selected` at run time, and those that return log-sum-exps (`return_lse`). Tiles, costs and slots of the replaced ops are dropped.

    ```mlir
    %o = llm.gqa_attn "attn" %q, %k, %v mask causal scale 0.125 : ...
    // becomes
    %s = llm.qk "attn.qk" %q, %k mask causal scale 0.125 : ...
    %p = llm.softmax "attn.softmax" %s mask causal : ...
    %o = llm.pv "attn.pv" %p, %v mask causal : ...
    ```
  }];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::tensor::TensorDialect"];
}

def LlmShardPass : Pass<"llm-shard", "::mlir::ModuleOp"> {
  let summary = "Decide how a program is cut over chips";
  let description = [{
    Writes the grid of chips on the module (`llm.grid`). On each op that is cut, it writes
    which loops are cut over which axes of the grid (`llm.shard`). From these,
    `--llm-partition` makes the program of one chip.

    `tp=8` is tensor parallelism over 8 chips (Shoeybi et al., Megatron-LM, 2019). A product
    with a weight is cut along its columns. A product whose input is cut along its reduction
    is cut there, too. Attention is cut along its heads. Cuts follow from workloads, not
    from names. A product stays whole if a later op reads a whole row of its result
    (routers, latents before their norm). Tables whose rows are looked up are cut along
    their columns. If there are fewer KV heads than chips, the axis is split: `tp=8` on 4 KV
    heads gives the grid `<tp = 4, tp_copies = 2>`, and two chips each have a copy of a KV
    head. The second axis then does not reduce the cache bytes of a chip.

    `ep=8` gives each of 8 chips an eighth of the experts. The rest of the program is cut
    over these chips as with `tp=8`. All chips have all tokens, so that nothing is sent to
    experts: each chip takes the rows of its own experts, and the sum over experts is one
    `all_reduce` (as in vLLM and SGLang, if expert parallelism is combined with tensor
    parallelism). With `tp=2 ep=4`, 8 chips share what every token goes through, and two
    chips share each expert. Chips differ in their numbers of rows: see `--llm-partition`.

    `dp=4` gives each of 4 chips a quarter of the sequences, and their caches. Weights are
    copied, and nothing is exchanged in a dense model. With experts, `ep` is a multiple of
    `dp`, and both use the same chips, so that `dp=32 ep=32` are 32 chips. The tokens of all
    chips are gathered before the experts, and after them each chip gets the sums of its own
    tokens (`reduce_scatter`).

    `sp` together with `tp` is sequence parallelism (Korthikanti et al., 2022): the ops
    between products, such as norms and residuals, are cut along the rows of tokens over the
    same chips. Each `all_reduce` becomes a `reduce_scatter` before these ops and an
    `all_gather` after them. The axis is called `tp_sp`. If the number of chips does not
    divide the tokens, as in a decode of few sequences, nothing changes.

    `cp=4` together with `tp` or `ep` is context parallelism of a decode (vLLM's
    `decode_context_parallel_size`; Helix parallelism, 2025): of the chips of `tp` and `ep`,
    those that would have copies of a KV head share its keys, 4 chips each. With `tp=8
    cp=4`, 2 KV heads give the grid `<tp = 2, tp_cp = 4>`; a cache of latents has one head,
    so that all these chips could share its keys. Each chip has the positions r, r + 4, r + 8, .., and
    attends with the queries of all four to its own keys. An `all_to_all` gives each chip
    the results of its own heads, and `llm.join_attn` joins these. A cache of which this is
    not possible, as a query sees some of the keys that are read, or chips do not divide
    them, stays whole on each chip; a warning says which and why. What a prompt writes and
    reads at once is not read from the cache.

    `pp=4` is pipeline parallelism: each of 4 stages has a run of layers (GPipe: Huang et
    al., 2019; vLLM's `pipeline_parallel_size`). The pass writes `llm.stage` on ops, and on
    loops how many iterations each stage has. It makes the longest stage as short as
    possible, by the roofline of the module's target, or by bytes if there is no target. Ops
    of one layer stay together. The program is that of one of `microbatches` groups of
    sequences, which go through the stages one after the other (0: as many as there are
    stages, so that no stage waits in a decode). Each of the tp x ep chips of a stage sends
    its values to one chip of the next stage. With `pp-rounds=2`, each chip has two stages,
    and a microbatch goes around twice (interleaved pipeline: Narayanan et al., 2021): the
    first and last stages wait half as long, and twice as many values are sent.

    `interleave=2` puts two halves of the batch next to each other into the program of one chip,
    so that one half computes while the other exchanges (two-batch overlap: DeepSeek-V3 technical
    report, 2024; vLLM's dual batch overlap). Each half streams the weights. Between the two
    passes, `interleave` is an axis of the grid, which `--llm-partition` removes. An op that needs
    the whole batch, such as one that works on experts, waits for both halves.

    Where chips do not divide the columns of a weight, or the experts, there are zeros behind
    them (`llm.unpadded` has the sizes without these), and slices drop them where they are
    read. Heads that chips do not divide are copied.

    An op that already has `llm.shard` keeps it, and the cuts of other ops follow from it.
    If an op of a function already has `llm.stage`, the pass adds none to that function.

    A loop whose size is open stays whole. So columns and heads of a program with open
    sizes can be cut, and it becomes what it would with these sizes bound. `dp` and `ep` need
    to know how many tokens there are, and `cp` how many positions a cache has.

    Requires: the pass runs before `--llm-fuse`. Guarantees: `--llm-partition` can make every
    cut; the results of the program do not change.

    ```
    llm-opt block.mlir --llm-target=name=h100-sxm --llm-shard=tp=8 --llm-partition --llm-tile --llm-schedule
    ```
  }];
  let options = [
    Option<"tp", "tp", "int64_t", "0", "Chips of tensor parallelism">,
    Option<"ep", "ep", "int64_t", "0", "Chips that share the experts">,
    Option<"cp", "cp", "int64_t", "0", "Chips, of those of tp and ep, that share the keys of a KV head">,
    Option<"dp", "dp", "int64_t", "0", "Chips that share the sequences of a batch">,
    Option<"sp", "sp", "bool", "false", "Cut what lies between products along the rows of tokens, too">,
    Option<"pp", "pp", "int64_t", "0", "Stages of a pipeline, each with a run of layers">,
    Option<"ppRounds", "pp-rounds", "int64_t", "1", "Stages on each of the chips of pp, which a microbatch goes through in turns">,
    Option<"interleave", "interleave", "int64_t", "0", "Parts of a batch side by side on each chip">,
    Option<"microbatches", "microbatches", "int64_t", "0", "Groups of sequences in the pipeline (0: as many as stages)">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def LlmPartitionPass : Pass<"llm-partition", "::mlir::ModuleOp"> {
  let summary = "Make the program of one chip, with collectives";
  let description = [{
    Turns a program with `llm.shard` into the one that each chip of the grid runs. Weights
    and caches become the pieces that a chip has (`llm.piece` says which), and ops work on
    pieces. If an op needs a value in another form than its chip has it, a collective is
    added. If each chip has a summand of a value, `all_reduce` adds these up before anything
    reads the value. If a value is cut and an op needs all of it, `all_gather` gathers it.
    Arguments and results of the function are whole on all chips.

    The stages of a pipeline become functions, `@decode_stage0` and so on (`llm.stage`). The
    first arguments of a stage are the results of the stage before. For each other argument,
    `llm.input` says which argument of the whole program it is.

    If chips share experts, their numbers of rows differ, and all wait for the chip with the
    most rows. With `expert-rows=counted`, the program is that of the chip with the most
    rows, and rows_per_expert says how many rows it has. With `expert-rows=all`, there is
    room for the rows of any routing.

    Tokens of other chips, with which these share experts (`dp` with `ep`, or rows of `sp`),
    come by an `expert_dispatch`, and sums of what experts make of them go back by an
    `expert_combine`: each token goes to the chips that have experts for it. How many tokens
    a chip gets is counted as if the experts of a token were independent of each other. With
    `expert-exchange=all-gather`, all tokens are gathered, and a `reduce_scatter` makes the
    sums.

    `overlap-chunks=4` divides each product whose summands the chips add up into four chunks of
    rows, `o_proj_chunk0` and so on. Each has an `all_reduce` of its own, which passes while
    the next chunk is computed (Transformer Engine: pipelined overlap of GEMM and collective).
    Each chunk reads the weight, and each sum starts anew: it helps long prompts, and not
    decodes. With `sp`, chips get their rows of sums (`reduce_scatter`), and a chunk has some
    columns of all rows. Unlike `interleave`, it needs one sequence only. Products with fewer
    rows than chunks stay whole.

    Requires: `llm.grid`; the pass runs before `--llm-tile` and `--llm-fuse`. Guarantees: the
    results are those of the program before, except for the order of sums, and for scales of
    rows that are cut, because each chip finds its own scales. For one chip nothing changes.
    Without a grid nothing changes either, and a warning says so, unless `--llm-shard` was
    asked for one chip. Errors: an op is cut along a loop that it does not have, that its
    chips do not divide, whose size is open, or that needs all iterations on one chip.

    ```mlir
    %y = llm.matmul "down_proj" %x, %w transpose_rhs {llm.shard = #llm.shard<{k = [tp]}>}
       : tensor<1x8192xbf16>, tensor<2048x8192xbf16>
    // becomes, on a grid of 8 chips
    %p = llm.matmul "down_proj" %x, %w transpose_rhs : tensor<1x1024xbf16>, tensor<2048x1024xbf16>
    %y = llm.all_reduce "down_proj.all_reduce" sum %p over [tp] : tensor<1x2048xbf16>
    ```
  }];
  let options = [
    Option<"expertRows", "expert-rows", "::mlir::llm::ExpertRoom", "::mlir::llm::ExpertRoom::Counted",
           "Room for the rows of a chip's experts: counted or all", "::mlir::llm::expertRoomValues()">,
    Option<"expertExchange", "expert-exchange", "::mlir::llm::ExpertExchange",
           "::mlir::llm::ExpertExchange::AllToAll",
           "How tokens of other chips come to their experts: all-to-all or all-gather",
           "::mlir::llm::expertExchangeValues()">,
    Option<"overlapChunks", "overlap-chunks", "int64_t", "1",
           "Chunks of rows of each product whose sum chips add up, of which one computes while another is added up">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def LlmFuseProjectionsPass : Pass<"llm-fuse-projections", "::mlir::func::FuncOp"> {
  let summary = "Join the matmuls that read one activation";
  let description = [{
    Joins matmuls of one block that have the same left operand, orientation and element
    types (q, k and v; gate and up), and matmuls of experts that have the same rows.
    `tensor.concat` joins their right operands and their biases, and `tensor.extract_slice`
    takes the result apart. Both are views and take no time. The activation is then read
    once. Left operands also count as the same if they are one activation that several ops
    quantize in the same way. Only one of these ops is then left. The names are joined with
    `+`. Products whose results chips add up stay apart: they are chunks of columns, of which
    one is computed while another is added up (`overlap-chunks` of `--llm-partition`).

    Weights with scales are joined if the joined weight can have the same scales. It can if
    there is one scale for each column, or one for each block of columns and the blocks end
    where a weight ends (for [128, 128]: if all weights but the last have a multiple of 128
    columns). If a scale is for a whole matrix (per tensor, and the second scales of NVFP4),
    the joined weight has one such scale. It is quantized again with the largest scale, as
    servers do when they load such a checkpoint (vLLM: `requantize_with_max_scale`; for
    NVFP4 it takes the largest). If weights are not joined, a remark says why.

    Requires: nothing. Guarantees: the values stay the same, up to the rounding of weights
    whose scales become one. Tiles, costs and slots of the replaced ops are dropped.

    ```mlir
    %g = llm.matmul "mlp.gate_proj" %x, %wg transpose_rhs : ...
    %u = llm.matmul "mlp.up_proj" %x, %wu transpose_rhs : ...
    // becomes
    %w = tensor.concat dim(0) %wg, %wu : ...
    %gu = llm.matmul "mlp.gate_proj+up_proj" %x, %w transpose_rhs : ...
    ```
  }];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::tensor::TensorDialect"];
}

def LlmFusePass : Pass<"llm-fuse"> {
  let summary = "Join ops that pass values on into one kernel";
  let description = [{
    Puts ops into one `llm.fused` where one reads what another computes. Ops that use the
    result of a matmul (a residual, an activation, a quantization, rotary embedding, the
    write into the cache) become its epilogue. A norm becomes the prologue of its consumer,
    or follows the residual. The values between the ops are no longer moved.

    Workloads alone decide (Spec.md, `fused`). The loops that write a value must be those
    that read it, also through views. A kernel has one contraction, and the result of that
    must stay a box that can be cut. Ops are taken in program order. Each op is joined with
    the kernels whose values it reads, the largest value first. A kernel has at most 16
    ops. It does not grow if more than 1024 uses of its values lead to other ops.

    `when=cheaper` (default) joins ops if that moves fewer bytes in no more cycles of an
    engine, with the best tiles that `llm-tile` would find on the target. `when=legal`
    joins them wherever it is possible and fits the target. A kernel starts when all that
    it needs is there, and all that it makes is there when it ends. It is never faster than
    one of its ops would be that leaves the same values on chip (Spec.md, Costs). On a
    target with several compute engines, `cheaper` does not join ops if another op would
    then start later than it can with an engine for each op. (Engines that only
    `llm-schedule` names are not known yet: put them on the target.) Remarks say what was
    joined, what was not, and why. The pass finds or writes the target as `llm-tile` does.

    Ops with effects on memory keep their order: ops are not joined if one would have to
    run between them. An op that stands before the kernel that it needs moves behind it.

    The pass runs after `llm-fuse-projections` and `llm-decompose-attention`, and before
    `llm-tile`.

    Requires: static shapes; ops with other shapes are left alone. Guarantees: values and
    work stay the same; with `when=cheaper`, each kernel has fewer bytes and no more cycles.
    Tiles and costs of the joined ops, slots and schedules are dropped.

    ```mlir
    %o = llm.matmul "mlp.down_proj" %h, %w transpose_rhs : ...
    %y = llm.add "mlp_residual" %x, %o : ...
    // becomes
    %y = llm.fused "mlp.down_proj+mlp_residual" {
      %o = llm.matmul "mlp.down_proj" %h, %w transpose_rhs : ...
      %s = llm.add "mlp_residual" %x, %o : ...
      llm.yield %s : ...
    } : ...
    ```
  }];
  let options = [
    Option<"when", "when", "::mlir::llm::FusionRule",
           "::mlir::llm::FusionRule::Cheaper", "Where ops are joined: cheaper or legal", [{
      ::llvm::cl::values(
          clEnumValN(::mlir::llm::FusionRule::Cheaper, "cheaper",
                     "where the kernel is shorter than its ops"),
          clEnumValN(::mlir::llm::FusionRule::Legal, "legal", "wherever it may be"))
    }]>
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmTilePass : Pass<"llm-tile"> {
  let summary = "Choose tiles and compute costs";
  let description = [{
    Gives every op that takes time an `llm.tile` that fits the private memory of its engine,
    and the `llm.cost` of this tile. There are two strategies:

    * `search` (default) tries legal tiles: integer sizes, ragged edges, double buffers and
      loop orders, with the traffic of the result. It takes the tile with the fewest cycles,
      and of equal ones the one with the fewest bytes. It searches only once for equal ops.
    * `theoretical` is the closed form of hand-made cost sheets for an m x k x n product
      (see `ClosedForm.h`). Other ops get the plain roofline and no tile.

    With `chunks=search`, linear attention that runs in chunks gets the size of chunk with
    the fewest cycles, and of equal ones the one with the fewest bytes. Chunks of 16, 32, 64
    and so on up to 512 tokens are tried, each with its best tile, and so is the chunk that
    the program has. It stays if no other is better. The result of the op is the same with
    any chunk, up to the order of sums. On a target whose cost model is `kernels`, chunks
    stay as they are, because the library of the kernels fixes them.

    On a module without a target, the pass writes the preset `npu`, so that the IR says for
    which machine its costs are. Nested on a function (`func.func(llm-tile)`) it runs on
    several functions at a time, and the module must have a target.

    A tile by hand, whose strategy is `manual` or `pinned`, stays as it is, and only its cost
    is computed. It is an error if it does not fit the op or the target. If the target has no
    memory of that name, a warning says so, and another tile is chosen. Remove `llm.tile` to
    have a tile chosen.

    Requires: static shapes. Guarantees: every op that takes time has an `llm.tile` and a
    fresh `llm.cost`. Slots and schedules, which no longer hold, are dropped.

    ```
    llm-opt block.mlir --llm-tile
    llm-opt block.mlir "--llm-target=name=nvl-ax" "--llm-tile=strategy=theoretical"
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "::mlir::llm::TilingStrategy",
           "::mlir::llm::TilingStrategy::Search", "How tiles are chosen: search or theoretical",
           "::mlir::llm::strategyValues()">,
    Option<"chunks", "chunks", "::mlir::llm::ChunkChoice", "::mlir::llm::ChunkChoice::Given",
           "Tokens that linear attention takes at once: given or search",
           "::mlir::llm::chunkValues()">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmCostPass : Pass<"llm-cost"> {
  let summary = "Compute costs anew for the tiles that are there";
  let description = [{
    Computes the `llm.cost` of each op from its `llm.tile`. Run it after you have edited
    tiles, ops or the target.

    Requires: every op that takes time has an `llm.tile`. A module without a target gets the
    preset `npu`, as with `llm-tile`. Guarantees: each of these ops has a fresh `llm.cost`.
    Slots and schedules are dropped.

    ```
    llm-opt edited.mlir --llm-cost --llm-schedule
    ```
  }];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmVerifyCostPass : Pass<"llm-verify-cost"> {
  let summary = "Check costs by deriving them again";
  let description = [{
    Derives each cost again from op, tile and target. A difference is an error that shows
    both. The IR is not changed.

    Requires: the module has a target. Guarantees: every cost is what `llm-cost` would write.
  }];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmSchedulePass : Pass<"llm-schedule"> {
  let summary = "Give every op an engine, a start and an end";
  let description = [{
    Writes `llm.slots` on every op that takes time and `llm.schedule` on every function.
    The schedule obeys the rules S1 to S9 of Spec.md, which are checked before anything is
    written. There are three policies:

    * `list` (default) starts the part with the longest way to the end first. It cuts ops
      into parts for several engines (`split` of their tiles, with the cost of each part).
      It cuts along a reduction only if that is clearly shorter; one more part then joins
      the others. It fetches weights and cache rows ahead on memory engines, if that is
      shorter and the slice gets a range of private memory of its own. At first, each op is
      cut so that it alone is shortest. The search ends as soon as a schedule is within 0.5
      % of the lower bound. Otherwise it looks for better cuts, orders and habits, first
      between two barriers, then among all ops. It leaves each of the three searches after a
      number of tries that gain less than 0.5 % (100 tries for each op, at most 1,500, and
      in proportion fewer if the schedule is less than 10 % above the bound), or after a
      number of placed parts: about 30,000 between barriers, and as many among all ops. Ops
      that a loop runs eight times or more (the layers of a whole model) get three times as
      many tries, fewer only if the schedule is less than 3.3 % above the bound, up to about
      a million parts, and in more ways. So a block by itself may take some percent more
      cycles than as a layer; `improve=` continues the search. The schedule is never longer
      than that of `earliest`. The pass also looks for a schedule with fewer engines (1 to
      8, 12, 16, 24, .. of each group), and takes it if it is shorter. It makes only a few
      tries if the schedule is within 0.5 % of the lower bound, or if these tries end 1 %
      above it. Only in these cases may the schedule be longer than one with fewer engines.
    * `earliest` starts ops in program order, each whole, on the first free engine. It
      fetches nothing ahead.
    * `exact` starts with `list`. It searches for shorter schedules until it has proven that
      there is none, or until a limit: `exact-nodes` counts nodes of its search tree, and
      `exact-seconds` is by the clock, so that schedules differ between machines.
      `llm.schedule` then says `policy = "exact, optimal"`, or how far the schedule is from
      what is proven: `"exact, feasible, gap 3.2 %"`. It is for about ten ops in few parts.
      Larger problems are an error. A schedule is optimal for the given tiles, costs and
      options. `proven_cycles` is proven for these `options`; the lower bound beside it
      holds for all options.

    `improve=1000` continues the search after `list`. A thousand times, it changes how or in
    which order some ops are cut or started, makes the schedule again, and keeps the
    shortest. A `seed` gives the same schedule on every machine. `improve=10s` searches for
    ten seconds by the clock. Another run may then give another schedule, and a remark says
    so (`--remark-format=emitRemark --remarks-filter=llm-schedule` shows remarks). Both
    limits are for one function. Its stretches of ops between loop boundaries share them in
    proportion to their ops.

    If the work takes more than a second, a terminal shows its progress; a pipe does not get
    it. Ctrl-C ends a search (`improve`, `exact`), and the tool goes on with the best
    schedule so far. A second Ctrl-C ends the tool. `llm.schedule` says
    `policy = "list, improved 1000"`, followed by `, interrupted` if it was.

    `granularity=op` leaves ops whole. `split-reductions=false` cuts no op along a reduction
    (`llm-materialize-tiles` cannot make loops of such cuts). `prefetch=false` fetches
    nothing ahead. The pass decides the split of each tile anew. A tile with strategy
    `manual` keeps only its sizes. A tile with strategy `pinned` also keeps its split, or
    stays whole if it has none. Reports say which tiles are `manual` or `pinned`. The lower
    bounds are those of the machine, whatever the options and the tiles. With one of these
    three options, no schedule that they allow is shorter than `proven_cycles`.

    If functions are stages of a pipeline (`llm.stage`), the module gets `llm.pipeline`. It
    says when each microbatch is in which stage, and after which period the next ones
    follow. A stage takes its makespan, and the transfer of its results takes the time of
    the link. With `backward` functions, the order is 1F1B (PipeDream-Flush: Narayanan et
    al., 2021).

    A program that does not fit into the memory in which its values live (S10) is scheduled
    all the same. A warning says how many bytes it needs and what would fit.

    `engines=` sets the number of compute engines in the target, or of engines by name
    (`engines=mxu:4,vpu:2,dma:2`). Resources that engines share, such as the bandwidth of
    DRAM, do not grow with it. A loop is scheduled once, and its boundary is a barrier.

    Requires: fresh costs (`llm-tile` or `llm-cost`). Stale costs are refused by their
    stamp; `llm-verify-cost` finds figures that were edited by hand. Guarantees: a valid
    schedule, and its summary with lower bounds.

    ```
    llm-opt block.mlir --llm-tile --llm-schedule=engines=4
    llm-opt block.mlir --llm-tile "--llm-schedule=engines=2 policy=earliest"
    llm-opt block.mlir --llm-tile "--llm-schedule=engines=4 improve=1000"
    llm-opt block.mlir --llm-tile "--llm-schedule=policy=exact exact-nodes=10000 granularity=op"
    ```
  }];
  let options = [
    Option<"engines", "engines", "std::string", "",
           "Number of compute engines, or of named ones: 4, or mxu:4,vpu:2,dma:2">,
    Option<"policy", "policy", "::mlir::llm::SchedulePolicy",
           "::mlir::llm::SchedulePolicy::List", "How the schedule is made: list, earliest or exact",
           "::mlir::llm::policyValues()">,
    Option<"exactNodes", "exact-nodes", "int64_t", "100000",
           "Nodes that policy=exact searches in each stretch of ops (0: no limit)",
           [{::llvm::cl::value_desc("N")}]>,
    Option<"exactSeconds", "exact-seconds", "double", "0",
           "Seconds that policy=exact searches in each stretch of ops (0: no limit)",
           [{::llvm::cl::value_desc("seconds")}]>,
    Option<"improve", "improve", "std::string", "",
           "Search on from policy=list: 1000 (schedules) or 10s (seconds); empty: do not">,
    Option<"seed", "seed", "unsigned", "1",
           "Seed of the random numbers of improve",
           [{::llvm::cl::value_desc("N")}]>,
    Option<"granularity", "granularity", "::mlir::llm::ScheduleGranularity",
           "::mlir::llm::ScheduleGranularity::Tile", "What runs on one engine: parts of an op (tile) or whole ops (op)",
           "::mlir::llm::granularityValues()">,
    Option<"splitReductions", "split-reductions", "bool", "true",
           "Also cut ops along reductions; one more part joins the others (default: true)">,
    Option<"prefetch", "prefetch", "bool", "true",
           "Fetch weights and cache rows ahead on memory engines (default: true)">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmVerifySchedulePass : Pass<"llm-verify-schedule"> {
  let summary = "Check a schedule against the rules S1 to S14";
  let description = [{
    Derives every rule of Spec.md again from the IR alone. It knows nothing of the pass that
    made the schedule. A broken rule is an error on the op, and the error names the rule.
    The IR is not changed.

    Requires: the module has a target; costs are fresh; there are slots and a schedule.
    Guarantees: the schedule is valid, its summary is correct, and the program fits into the
    memory of the target (S10). With `capacity=false` it need not fit, if only time matters.
    A measured schedule (`llm-run --measured`) need not obey S2, S3 and S6, because the
    lengths of its slots were measured and not planned.
  }];
  let options = [
    Option<"capacity", "capacity", "bool", /*default=*/"true",
      "false: the program need not fit into the memory">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmMaterializeTilesPass : Pass<"llm-materialize-tiles", "::mlir::ModuleOp"> {
  let summary = "Turn tiles and parts into loops";
  let description = [{
    Replaces each op that its tile cuts by loops around the op on slices, through
    `TilingInterface`: `scf.forall` over the parts of `split`, which may run at once, and in
    it `scf.for` over the tiles of the outermost level, in its `order`. The loops are for
    backends that compile them. Spec.md (Loops) is the contract.

    `llm.tile`, `llm.cost` and `llm.slots` move to the outermost of these loops. Iteration i
    of an `scf.forall`, counted in row-major order, is part i of the slots. The slots say
    which engine runs it, when, and with which lanes and prefetches. An op of one part has no
    `scf.forall`.

    A reduction that the tile cuts starts from zeros, or from the bias. It adds up in 32
    bits, which are the partial sums that its cost counts. Slices at ragged edges have an
    open size (`affine.min`), all others a static one. `--canonicalize --cse` after the pass
    tidy up.

    If an op cannot be cut along a loop into ops of its own kind, a remark says why. If only
    tiles need the loop, it is not cut: attention along the keys, because no op expresses
    its partial softmax. If parts need the loop, the whole op stays as it is and keeps its
    attributes. This holds for writes into caches (which are no tensors), kernels of several
    ops (`llm.fused`), ragged batches cut along the sequences, cuts through blocks of
    scales, experts cut along their rows, and reductions in `split`, whose parts one more
    part joins (`--llm-schedule=split-reductions=false` makes none).

    Requires: every op that takes time has an `llm.tile`; slots, if there are any, are those
    of its parts. Guarantees: the values stay the same, except for the order in which
    floating-point sums are added up; each element of a result is written by one part. The
    pass runs last: passes on programs refuse the loops, and a module that has some already
    is left as it is.

    ```mlir
    %y = llm.matmul "up_proj" %x, %w {llm.tile = #llm.tile<pinned split = {m = 2, n = 3}>, llm.slots = ..}
      : tensor<4x8xbf16>, tensor<8x8xbf16>
    // becomes
    %out = tensor.empty() : tensor<4x8xbf16>
    %y = scf.forall (%m, %n) = (0, 0) to (4, 8) step (2, 3) shared_outs(%o = %out) -> (tensor<4x8xbf16>) {
      %columns = affine.min affine_map<(d0) -> (-d0 + 8, 3)>(%n)
      %xs = tensor.extract_slice %x[%m, 0] [2, 8] [1, 1] : tensor<4x8xbf16> to tensor<2x8xbf16>
      %ws = tensor.extract_slice %w[0, %n] [8, %columns] [1, 1] : tensor<8x8xbf16> to tensor<8x?xbf16>
      %p = llm.matmul "up_proj" %xs, %ws : tensor<2x8xbf16>, tensor<8x?xbf16>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %p into %o[%m, %n] [2, %columns] [1, 1] : tensor<2x?xbf16> into tensor<4x8xbf16>
      }
    } {llm.slots = .., llm.tile = #llm.tile<pinned split = {m = 2, n = 3}>}
    ```
  }];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // LLM_TRANSFORMS_PASSES
