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
    Writes `dlti.target_system_spec` from a built-in preset (`name=`), a JSON file
    (`file=`, see lib/Target/presets/README.md), or a CSV file with one column per device
    (`file=` and `column=`). `engines=` then sets the number of compute engines. Without
    `name` and `file` the module's own target is kept, or, if it has none, the preset
    `npu` is written, whose figures are invented.

    The preset `host` is the machine at hand: its cores, clock, vectors and caches as the
    system tells them, and the rate of its memory, which a short run measures.
    `llm-opt --llm-list-targets` lists the presets.

    Some targets carry figures that were fitted to measurements; `calibrated=false` leaves
    them out, so that the datasheet is left. Kernels may have figures of several libraries;
    `library=` takes those of one where it has any. Without it they are of no library.

    Requires: nothing. Guarantees: one sound target on the module, in place of any other.

    ```
    llm-opt block.mlir "--llm-target=name=h100-sxm"
    llm-opt block.mlir "--llm-target=file=chips.csv column=A40 engines=2"
    llm-opt block.mlir "--llm-target=name=a100-sxm library=vllm_0.19"
    ```
  }];
  let options = [
    Option<"name", "name", "std::string", "", "Built-in preset">,
    Option<"file", "file", "std::string", "", "JSON or CSV file">,
    Option<"column", "column", "std::string", "", "Device of a CSV file">,
    Option<"calibrated", "calibrated", "bool", "true",
           "false: the figures of the datasheet alone">,
    Option<"library", "library", "std::string", "",
           "Library whose kernels' figures are taken">,
    Option<"engines", "engines", "std::string", "",
           "Number of compute engines, or of named ones: 4, or mxu:4,vpu:2,dma:2">
  ];
  // Figures may be of its ops, whose names are checked.
  let dependentDialects = ["::mlir::DLTIDialect", "::mlir::llm::LlmDialect"];
}

def LlmBindShapesPass : Pass<"llm-bind-shapes", "::mlir::ModuleOp"> {
  let summary = "Give values to sizes that a program leaves open";
  let description = [{
    Replaces each `llm.size` whose name gets a value by that number, and computes all that
    depends on it: positions, types of tensors and caches, rows of experts, the function's
    type and the fields of `llm.program` with the same name. One text then serves a sweep.
    Sizes without a value stay open; costs need all of them.

    Requires: nothing. Guarantees: every given name is bound. Errors: a name that the
    program does not have, a value below 1, sizes that do not fit each other.

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
    the same mask; their names are the op's with `.qk`, `.softmax` and `.pv` behind it. The scores then
    lie in memory between the three ops. For machines whose matrix and vector units are
    apart and cannot work on one op together (Spec.md, Costs), or where fewer of one kind
    should not hold back the other, and to see the stages of softmax as work of their own.

    Requires: no attention in a `llm.fused`: the pass runs before `llm-fuse`. Guarantees: no
    `llm.gqa_attn` and no `llm.mla_attn` is left. Tiles, costs and slots of the replaced ops are
    dropped.

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

def LlmFuseProjectionsPass : Pass<"llm-fuse-projections", "::mlir::func::FuncOp"> {
  let summary = "Make one product of the matmuls on one activation";
  let description = [{
    Matmuls of one block with the same left operand, orientation and element types (q, k
    and v; gate and up), and those of experts with the same rows, become one: their right
    operands are joined by `tensor.concat`, as are biases, the result is taken apart by
    `tensor.extract_slice`; both are views and take no time. The activation is then read
    once. Left operands are also the same where ops quantize one activation alike; one of
    these ops is left then. Names are joined with `+`.

    Weights with scales are joined where the joined weight has the same scales: one for
    each column, or for blocks of columns that end where a weight ends ([128, 128], if all
    but the last one have a multiple of 128 columns). Of scales for a whole matrix (per
    tensor, and the second scales of NVFP4) the joined weight has one, as the type says: it
    is quantized anew with the greatest of them, as servers do when they load such a
    checkpoint (vLLM: `requantize_with_max_scale`; of NVFP4 it takes the greatest). Where
    weights stay apart, a remark says why.

    Requires: nothing. Guarantees: the same values, up to the rounding of weights whose
    scales become one. Tiles, costs and slots of the replaced ops are dropped.

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
  let summary = "Make one kernel of ops that pass values on";
  let description = [{
    Puts ops into `llm.fused`, where one reads what another one computes: what is done with
    the result of a matmul (a residual, an activation, a quantization, rotary embedding, the
    write into the cache) becomes its epilogue, a norm becomes the prologue of its consumer
    or follows the residual. The values between them are no longer moved.

    Workloads alone decide (Spec.md, `fused`): the loops that write a value and those that
    read it are the same ones, also through views; one kernel has one contraction, whose
    result must stay a box that can be cut. Ops are taken in program order, each is joined
    with the kernels whose values it reads, the largest value first. A kernel has at most 16
    ops, and does not grow where more than 1024 uses of its values lead to other ops.

    `when=cheaper` (default) joins ops where that moves fewer bytes in no more cycles of an
    engine, with the best tiles that `llm-tile` would find on the target; `when=legal` wherever
    it is possible and fits the target. A kernel starts when all that it needs is there, and all
    that it makes is there when it ends; it is never faster than one of its ops would be that
    leaves the same values on chip (Spec.md, Costs). On a target with several compute engines, `cheaper`
    does not join ops where another op would then start later than it can with an engine for each
    op. (Engines that only `llm-schedule` names are not known yet: put them on the target.)
    Remarks say what was joined, and what was not, and why. On a module without a target it
    writes the preset `npu`, as `llm-tile` does; on functions it runs as that does.

    Ops with effects on memory keep their order: ops are not joined where one would have to run
    between them. What stands before the kernel that it needs moves to right behind it.

    Runs after `llm-fuse-projections` and `llm-decompose-attention`, before `llm-tile`.

    Requires: static shapes (others are left alone). Guarantees: the same values and the same
    work; with `when=cheaper`, fewer bytes and no more cycles in each kernel. Tiles and costs of
    the joined ops, slots and schedules are dropped.

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
  let summary = "Choose tiles and annotate costs";
  let description = [{
    Gives every op that takes time an `llm.tile` for the private memory of its engine, and
    its `llm.cost`. Strategies:

    * `search` (default): enumerates legal tiles with integer sizes, ragged edges, traffic
      of the result, double buffers and loop order, for the fewest cycles, then the fewest
      bytes. Equal ops are searched once.
    * `theoretical`: the closed form of hand-made cost sheets for an m x k x n product
      (see `ClosedForm.h`); other ops get the plain roofline and no tile.

    On a module without a target it writes the preset `npu`, so that the IR says which
    machine its costs are for. On a function (`func.func(llm-tile)`) it runs at the same
    time as on others, and wants a target on the module.

    Requires: static shapes. Guarantees: a fresh `llm.tile` and `llm.cost` on every op that
    takes time; slots and schedules, which no longer hold, are dropped.

    ```
    llm-opt block.mlir --llm-tile
    llm-opt block.mlir "--llm-target=name=nvl-ax" "--llm-tile=strategy=theoretical"
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "::mlir::llm::TilingStrategy",
           "::mlir::llm::TilingStrategy::Search", "How tiles are chosen: search or theoretical",
           "::mlir::llm::strategyValues()">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmCostPass : Pass<"llm-cost"> {
  let summary = "Annotate costs anew for the tiles that are there";
  let description = [{
    After tiles, ops or the target were edited: computes `llm.cost` from each op's
    `llm.tile`.

    Requires: an `llm.tile` on every op that takes time. A module without a target gets
    the preset `npu`, as with `llm-tile`. Guarantees: a fresh `llm.cost` on each; slots and schedules are dropped.

    ```
    llm-opt edited.mlir --llm-cost --llm-schedule
    ```
  }];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmVerifyCostPass : Pass<"llm-verify-cost"> {
  let summary = "Check every cost against what is re-derived";
  let description = [{
    Derives each cost again from op, tile and target; a difference is an error that shows
    both. Changes nothing.

    Requires: a target on the module. Guarantees: every cost is what `llm-cost` would write.
  }];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmSchedulePass : Pass<"llm-schedule"> {
  let summary = "Give every op an engine, a start and an end";
  let description = [{
    Writes `llm.slots` on every op that takes time and `llm.schedule` on every function.
    The schedule obeys the rules S1 to S9 of Spec.md, which are checked before anything is
    written. Policies:

    * `list` (default): the part with the longest way to the end first. It cuts ops into
      parts for several engines (`split` of their tiles, with the cost of each part; along a
      reduction, with one more part that joins the others, where that is clearly shorter) and
      fetches weights and cache rows ahead on memory engines, where that is shorter and the
      slice has a range of private memory to itself. It begins with each op cut as it is
      shortest alone, and ends within 0.5 % of the lower bound; else it looks for better
      cuts, orders and habits, in the ops between two barriers first, then in all, and
      leaves each of three ways to do so where a number of tries have won less than that
      (100 for each op, at most 1,500, and in proportion fewer where it is less than 10 %
      above the bound), or where about a million parts were placed. It is never longer
      than `earliest`, nor than with fewer engines (1 to 8, 12, 16, 24, .. of each group),
      whose schedule it takes where that is shorter. Only what is within 0.5 % of the lower
      bound may be longer than with fewer: no more than a few tries are spent on it.
    * `earliest`: ops start in program order, each whole, on the first free engine;
      nothing is fetched ahead.
    * `exact`: starts with `list` and searches for shorter schedules until it is proven
      that there is none, or a limit is reached: `exact-nodes`, in nodes of its search
      tree, or `exact-seconds`, by the clock, which gives other schedules on other
      machines. `llm.schedule` then says `policy = "exact, optimal"`, or the gap to what
      it has proven: `"exact, feasible, gap 3.2 %"`. For some ten ops, in few parts: what
      is beyond it is an error. Optimal is meant for the tiles, costs and options as given:
      `proven_cycles` is what it has proven with these `options`, beside the lower bound,
      which holds with any.

    `improve=1000` searches on from `list`: a thousand times it cuts or starts some ops in
    another way or order and makes the schedule again, and it keeps the shortest. A `seed`
    gives the same schedule on every machine. `improve=10s` searches ten seconds by the
    clock: another run may give another schedule, and a remark says so (remarks are shown
    with `--remark-format=emitRemark --remarks-filter=llm-schedule`). Both are for one
    function, whose stretches of ops between loop boundaries share them in proportion to
    their ops.

    What takes more than a second shows on a terminal how far it is; a pipe gets nothing of
    that. Ctrl-C ends a search (`improve`, `exact`), but not the tool, which goes on with the
    best so far; a second one ends the tool. `llm.schedule` says
    `policy = "list, improved 1000"`, with `, interrupted` behind it where that was so.

    `granularity=op` leaves ops whole, `split-reductions=false` cuts none along a reduction
    (`llm-materialize-tiles` has no loop for these), `prefetch=false` fetches nothing ahead.
    Tiles with strategy `manual` keep the split that they have; of others it is decided
    anew. The lower bounds are those of the machine, whatever the options and the tiles;
    with one of these three `proven_cycles` says what no schedule that they allow is
    shorter than.

    A program that does not fit into the memory where its values live (S10) is scheduled all
    the same, with a warning that says what it holds and what would fit.

    `engines=` sets the number of compute engines in the target, or of engines by name
    (`engines=mxu:4,vpu:2,dma:2`): what is shared, such as the bandwidth of DRAM, does not
    grow. A loop is scheduled once; its boundary is a
    barrier.

    Requires: fresh costs (`llm-tile` or `llm-cost`): stale ones are refused by their
    stamp; whether figures were edited by hand is for `llm-verify-cost` to say. Guarantees:
    a valid schedule; its summary with lower bounds.

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
           "Nodes that policy=exact searches in each stretch of ops (0: no limit)">,
    Option<"exactSeconds", "exact-seconds", "double", "0",
           "Seconds that policy=exact searches in each stretch of ops (0: no limit)">,
    Option<"improve", "improve", "std::string", "",
           "Search on from policy=list: 1000 schedules, or 10s (seconds) (empty: do not)">,
    Option<"seed", "seed", "unsigned", "1",
           "Of the random numbers of improve">,
    Option<"granularity", "granularity", "::mlir::llm::ScheduleGranularity",
           "::mlir::llm::ScheduleGranularity::Tile", "What runs on one engine: parts of an op (tile) or whole ones (op)",
           "::mlir::llm::granularityValues()">,
    Option<"splitReductions", "split-reductions", "bool", "true",
           "Cut ops along reductions, too, with a part that joins the others">,
    Option<"prefetch", "prefetch", "bool", "true",
           "Fetch weights and cache rows ahead on memory engines">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmVerifySchedulePass : Pass<"llm-verify-schedule"> {
  let summary = "Check a schedule against the rules S1 to S10";
  let description = [{
    Re-derives every rule of Spec.md from the IR alone, knowing nothing of the pass that
    made the schedule. A broken rule is an error on the op that names the rule. Changes
    nothing.

    Requires: a target on the module, fresh costs, slots and a schedule. Guarantees: the
    schedule is valid and its summary is what is re-derived, and the program fits into the
    target's memory (S10; not with `capacity=false`, for a question about time alone). A schedule
    that was measured (`llm-run --measured`) need not obey S2, S3 and S6: its slots took as long as
    they took.
  }];
  let options = [
    Option<"capacity", "capacity", "bool", /*default=*/"true",
      "whether the program must fit into the memory where its values live">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::DLTIDialect"];
}

def LlmMaterializeTilesPass : Pass<"llm-materialize-tiles", "::mlir::ModuleOp"> {
  let summary = "Make loops of tiles and parts";
  let description = [{
    Replaces each op that its tile cuts by loops around the op on slices, through
    `TilingInterface`: `scf.forall` over the parts of `split`, which may run at once, and in it
    `scf.for` over the tiles of the outermost level, in its `order`. For backends that compile
    loops; Spec.md (Loops) is the contract.

    `llm.tile`, `llm.cost` and `llm.slots` move to the outermost of these loops. Iteration i of
    an `scf.forall`, counted in row-major order, is part i of the slots: which engine runs it,
    when, with which lanes and prefetches. An op of one part has no `scf.forall`.

    A reduction that the tile cuts starts from zeros, or the bias, and adds up in 32 bits: the
    partial sums that its cost counts. Slices at ragged edges have an open size (`affine.min`),
    all others a static one. `--canonicalize --cse` behind the pass tidy up.

    What cannot be cut into ops of its own kind stays whole, and a remark says why: a single
    loop of the tile (attention along the keys, whose partial softmax no op expresses), or, where
    the parts need it, the op, which then keeps its attributes: writes into caches (which are no
    tensors), kernels of several ops (`llm.fused`), ragged batches cut along the sequences, cuts
    through blocks of scales, experts cut along their rows, reductions in `split`, whose parts
    one more joins (`--llm-schedule=split-reductions=false` makes none).

    Requires: an `llm.tile` on every op that takes time; slots, if there are any, are those of
    its parts. Guarantees: the same values, but for the order in which floating-point sums are
    added up; each element of a result is written by one part. Runs last: passes on programs
    refuse the loops, and a module that has some already is left as it is.

    ```mlir
    %y = llm.matmul "up_proj" %x, %w {llm.tile = #llm.tile<manual split = {m = 2, n = 3}>, llm.slots = ..}
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
    } {llm.slots = .., llm.tile = #llm.tile<manual split = {m = 2, n = 3}>}
    ```
  }];
  let dependentDialects = ["::mlir::llm::LlmDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // LLM_TRANSFORMS_PASSES
