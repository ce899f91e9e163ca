//===- LlmAttrs.td - Decisions as attributes ---------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMATTRS
#define LLM_DIALECT_LLMATTRS

include "LlmBase.td"
include "LlmEnums.td"

class Llm_Attr<string name, string attrMnemonic, string attrSummary>
    : AttrDef<Llm_Dialect, name> {
  let mnemonic = attrMnemonic;
  let summary = attrSummary;
  let genVerifyDecl = 1;
}

/// A dictionary of whole numbers, printed `{k = 512, m = 1}`.
class Llm_Amounts<string desc> : AttrParameter<"::mlir::DictionaryAttr", desc>;
class Llm_Names<string desc> : ArrayRefParameter<"::mlir::StringAttr", desc>;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

def Llm_MaskAttr : Llm_Attr<"Mask", "mask", "which keys a query sees"> {
  let description = [{
    With `full`, a query sees every key. With `causal`, query s of S sees key t of T iff t
    <= s + (T - S), so that the last query has the position of the last key. With `causal`,
    a `window` of w limits a query to the newest w of these keys (sliding window attention:
    Mistral, Gemma, gpt-oss). A `chunk` of c limits it to the keys in its own chunk of c
    positions (Llama 4). `from` is then the position of the first key; it is 0 if it is left
    out.

    In a ragged batch, `lengths` says how many of the T keys each sequence has. These are
    the first ones, and the last query of the sequence has the position of the last of them.
    `from` may have one number for each sequence.

    With a `stride` m, key t stands for the tokens t m to t m + m - 1 of its sequence. A
    query sees the key if its position is at or after the last of these tokens (compressed
    keys: DeepSeek-V4). Lengths then count tokens, and the last query has the position of
    the last token.

    In ops: `mask causal`, `mask full`, `mask causal window 128`,
    `mask causal chunk 8192 from 4096`, `mask causal lengths [512, 100]`, `mask causal stride 4 lengths [1023]`.
  }];
  let parameters = (ins EnumParameter<Llm_MaskKind>:$kind,
    DefaultValuedParameter<"int64_t", "0", "keys a query sees; 0: all">:$window,
    DefaultValuedParameter<"int64_t", "0", "positions of a chunk; 0: none">:$chunk,
    OptionalArrayRefParameter<"int64_t", "position of the first key of each sequence">:$firstKeys,
    OptionalArrayRefParameter<"int64_t", "keys of each sequence">:$lengths,
    DefaultValuedParameter<"int64_t", "1", "tokens that a key stands for">:$stride);
  let builders = [AttrBuilder<(ins "::mlir::llm::MaskKind":$kind), [{
    return $_get($_ctxt, kind, 0, 0, ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>(), 1);
  }]>, AttrBuilder<(ins "::mlir::llm::MaskKind":$kind, "int64_t":$window, "int64_t":$chunk,
      "::llvm::ArrayRef<int64_t>":$firstKeys, "::llvm::ArrayRef<int64_t>":$lengths), [{
    return $_get($_ctxt, kind, window, chunk, firstKeys, lengths, 1);
  }]>];
  let assemblyFormat = [{
    $kind (`window` $window^)? (`chunk` $chunk^)? (`from` custom<Positions>($firstKeys)^)?
    (`stride` $stride^)? (`lengths` custom<Lengths>($lengths)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

def Llm_RopeScalingAttr : Llm_Attr<"RopeScaling", "rope_scaling", "rotary embeddings of longer contexts"> {
  let description = [{
    The scaling changes the frequency f of each pair, in radians per position, so that a
    model reads longer contexts than those it was trained with. The figures have the names
    of `rope_scaling` in a Hugging Face config.json. The new frequency is:

    - `linear`: f / factor (Chen et al., 2023);
    - `llama3`: with the turns t = original_max_position_embeddings f / (2 pi), f if
      t > high_freq_factor, f / factor if t < low_freq_factor, and otherwise a value between
      the two, in proportion to t (Llama 3.1);
    - `yarn`: f if the number of the pair is below that of beta_fast turns, f / factor if it
      is above that of beta_slow turns, and otherwise a value between the two, in proportion
      to the number. `truncate` rounds both numbers away from each other (Peng et al., 2023);
    - `listed`: f / factors[i] (LongRoPE: Ding et al., 2024);
    - `proportional`: f for the first factor x pairs, rounded down, and 0 for the others,
      which do not turn (Gemma 4, whose configs call this factor partial_rotary_factor).

    Cosines and sines are multiplied by attention_factor, which is 1 if it is left out.

    In ops: `scaling <llama3 factor = 3.2e1, low_freq_factor = 1.0, high_freq_factor = 4.0,
    original_max_position_embeddings = 8192>`.
  }];
  let parameters = (ins EnumParameter<Llm_RopeScalingKind>:$kind,
    OptionalParameter<"::mlir::FloatAttr">:$factor,
    OptionalParameter<"::mlir::FloatAttr", "turns">:$low_freq_factor,
    OptionalParameter<"::mlir::FloatAttr", "turns">:$high_freq_factor,
    OptionalParameter<"::mlir::FloatAttr", "turns">:$beta_fast,
    OptionalParameter<"::mlir::FloatAttr", "turns">:$beta_slow,
    DefaultValuedParameter<"int64_t", "0">:$original_max_position_embeddings,
    DefaultValuedParameter<"bool", "false">:$truncate,
    OptionalParameter<"::mlir::DenseF64ArrayAttr", "one for each pair">:$factors,
    OptionalParameter<"::mlir::FloatAttr">:$attention_factor);
  let assemblyFormat = [{
    `<` $kind struct(custom<Figure>($factor), custom<Figure>($low_freq_factor),
    custom<Figure>($high_freq_factor), custom<Figure>($beta_fast), custom<Figure>($beta_slow),
    $original_max_position_embeddings, custom<Flag>($truncate), custom<Figures>($factors),
    custom<Figure>($attention_factor)) `>`
  }];
  let extraClassDeclaration = [{
    /// Scales frequencies, in radians per position. That of pair i is
    /// theta^(-i / pairs).
    ::llvm::SmallVector<double> scale(::llvm::ArrayRef<double> frequencies, double theta);
    /// Returns the factor of cosines and sines.
    double getAmplitude();
  }];
}

//===----------------------------------------------------------------------===//
// Number formats
//===----------------------------------------------------------------------===//

def Llm_ScalesAttr : Llm_Attr<"Scales", "scales", "numbers that belong to blocks of values"> {
  let description = [{
    There is one number of `type` (a scale, a zero point, a minimum) for each block of the
    trailing dimensions of a tensor and each index of the other dimensions. `?` stands for
    the whole dimension.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$block, "::mlir::Type":$type);
  let assemblyFormat = "`<` custom<Block>($block) `,` $type `>`";
  let extraClassDeclaration = "static constexpr int64_t wholeDimension = ::mlir::ShapedType::kDynamic;";
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def Llm_TileLevelAttr : Llm_Attr<"TileLevel", "tile_level", "a tile in one memory"> {
  let description = [{
    A tile is the box of iterations whose data lies in `memory` at a time. `sizes` has the
    iterations of every loop of the op's workload; the last tile along a loop may be
    smaller. `order` says in which order the tiles are visited, with the outermost loop
    first. `buffers` says how many tiles of each buffer are held; with 2, the next tile is
    fetched while this one is used. `resident` names buffers that already lie in this memory
    when the op starts.
  }];
  let parameters = (ins "::mlir::StringAttr":$memory,
    Llm_Amounts<"iterations of each loop">:$sizes,
    Llm_Names<"loops, outermost first">:$order,
    Llm_Amounts<"tiles held of each buffer">:$buffers,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$resident);
  let assemblyFormat = [{
    `<` $memory `,` `sizes` `=` custom<Amounts>($sizes) `,`
    `order` `=` custom<Names>($order) `,`
    `buffers` `=` custom<Amounts>($buffers)
    (`,` `resident` `=` custom<Names>($resident)^)? `>`
  }];
}

def Llm_TileAttr : Llm_Attr<"Tile", "tile", "how an op is cut to fit the memories"> {
  let description = [{
    `levels` has a tile for the private memory of the engine, and one for its units if they
    share ops as tiles. It is empty if the strategy has no tile for the op. `split` cuts
    loops into parts that may run at once, each of which is scheduled (S1). If one of these
    loops is a reduction, one more part joins the others. Without `split`, there is one
    part.
  }];
  let parameters = (ins EnumParameter<Llm_TileStrategy>:$strategy,
    OptionalArrayRefParameter<"::mlir::llm::TileLevelAttr">:$levels,
    OptionalParameter<"::mlir::DictionaryAttr">:$split);
  let assemblyFormat = [{
    `<` $strategy (`levels` `=` custom<Lines>($levels)^)?
    (`split` `=` custom<Amounts>($split)^)? `>`
  }];
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

def Llm_PartCostAttr : Llm_Attr<"PartCost", "part_cost", "cost of parts of one shape"> {
  let description = [{
    The record says what each of `count` equal parts costs on the op's engine, alone on the
    machine. `work` is the arithmetic by kind, `traffic` the bytes moved by memory and
    buffer, and `working_set_bytes` the private memory that the part needs. The length of a
    part is

        overhead_cycles + serial_cycles + max(compute_cycles, memory_cycles)

    `memory_cycles` holds for the full port of the engine. If several memories have a rate,
    it is the longest of `cycles_by_memory`. If units share the op as tiles,
    `compute_cycles` is the time of the slowest unit, with its own port, and `serial_cycles`
    is the time of the kernel that does not overlap. `bound` names the largest of these.
    `energy_picojoules` is the energy of multiply-accumulates and bytes, as far as the
    target gives energies. It is left out if the target gives none.
  }];
  let parameters = (ins "int64_t":$count,
    Llm_Amounts<"operations by kind">:$work,
    AttrParameter<"::mlir::DictionaryAttr", "memory -> buffer -> bytes">:$traffic,
    "int64_t":$workingSetBytes, "int64_t":$overheadCycles, "int64_t":$serialCycles,
    "int64_t":$computeCycles, "int64_t":$memoryCycles,
    OptionalParameter<"::mlir::DictionaryAttr", "memory -> cycles">:$cyclesByMemory,
    EnumParameter<Llm_CostBound>:$bound,
    DefaultValuedParameter<"int64_t", "0">:$energyPicojoules);
  let assemblyFormat = [{
    `<` `count` `=` $count `,` `work` `=` custom<Amounts>($work) `,`
    `traffic` `=` custom<Traffic>($traffic) `,`
    `` custom<WorkingSetLine>($workingSetBytes) `,`
    `overhead_cycles` `=` $overheadCycles `,` `serial_cycles` `=` $serialCycles `,`
    `compute_cycles` `=` $computeCycles `,` `memory_cycles` `=` $memoryCycles `,`
    (`cycles_by_memory` `=` custom<Amounts>($cyclesByMemory)^ `,`)?
    `bound` `=` $bound (`,` `energy_picojoules` `=` $energyPicojoules^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Returns the part's length alone on the machine.
    int64_t getCycles() const;
    /// Returns the bytes of all buffers through `memory`.
    int64_t getBytes(::llvm::StringRef memory) const;
    /// Returns the bytes of one buffer through `memory`.
    int64_t getBytes(::llvm::StringRef memory, ::llvm::StringRef buffer) const;
    int64_t getWork(::llvm::StringRef kind) const;
    /// Returns the cycles that the part streams through `memory` or uses it; 0 if
    /// it does neither.
    int64_t getMemoryCycles(::llvm::StringRef memory) const;
  }];
}

def Llm_CostAttr : Llm_Attr<"Cost", "cost", "what an op costs with its tile"> {
  let description = [{
    There is one record for each distinct shape of part. `engine` is the engine group that
    the cost was computed for; no other group runs the op (S4). If the op needs kinds of
    several groups (attention on separate matrix and vector engines), each part also holds
    an engine of each group of `with`, from its start to its end. `stamp` is a fingerprint
    of the op, its tile and the description of these engines, but not of how many there are.
    A cost whose stamp is not that of its op is stale, and `llm-schedule` refuses it.
  }];
  let parameters = (ins "::mlir::StringAttr":$engine,
    OptionalArrayRefParameter<"::mlir::StringAttr", "groups beside it">:$with,
    ArrayRefParameter<"::mlir::llm::PartCostAttr">:$parts,
    "::mlir::StringAttr":$stamp);
  let assemblyFormat = [{
    `<` `engine` `=` $engine (`with` `=` custom<Names>($with)^)? `,`
    `parts` `=` custom<Lines>($parts) `,` `stamp` `=` $stamp `>`
  }];
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

def Llm_PrefetchAttr : Llm_Attr<"Prefetch", "prefetch", "a fetch ahead of a part"> {
  let description = [{
    In [start_cycle, end_cycle), a memory engine fetches the data of `buffer` that the part
    would stream into the part's private memory. The part then streams none of it (S8). The
    slice, which is the elements that the part touches, takes room from the start of the
    fetch to the end of the part (S7).
  }];
  let parameters = (ins "::mlir::StringAttr":$buffer, "::mlir::StringAttr":$engine,
    "int64_t":$index, "int64_t":$startCycle, "int64_t":$endCycle,
    Llm_Amounts<"lanes per shared memory">:$lanes);
  let assemblyFormat = [{
    `<` $buffer `,` `engine` `=` $engine `[` $index `]` `,`
    `start_cycle` `=` $startCycle `,` `end_cycle` `=` $endCycle `,`
    `lanes` `=` custom<Amounts>($lanes) `>`
  }];
}

def Llm_SlotRunAttr : Llm_Attr<"SlotRun", "slot_run", "slots of parts that repeat"> {
  let description = [{
    A run stands for `count` parts. Part number part + i * part_stride runs on engine
    index + i * index_stride in the cycles [start_cycle + i * start_stride,
    end_cycle + i * start_stride). It holds `lanes` of each shared memory. `with` says which
    engine of each other group it holds; i * index_stride is added there, too. `prefetches`
    are those of the first part. For part + i * part_stride each of them is i * start_stride
    cycles later, on the same engine. Cycles are relative to the iteration of the enclosing
    loop.
  }];
  let parameters = (ins "int64_t":$part, "::mlir::StringAttr":$engine, "int64_t":$index,
    "int64_t":$startCycle, "int64_t":$endCycle,
    Llm_Amounts<"lanes per shared memory">:$lanes,
    DefaultValuedParameter<"int64_t", "1">:$count,
    DefaultValuedParameter<"int64_t", "1">:$partStride,
    DefaultValuedParameter<"int64_t", "0">:$indexStride,
    DefaultValuedParameter<"int64_t", "0">:$startStride,
    OptionalArrayRefParameter<"::mlir::llm::PrefetchAttr">:$prefetches,
    OptionalParameter<"::mlir::DictionaryAttr", "group -> engine beside its own">:$with);
  let assemblyFormat = [{
    `<` `part` `=` $part `,` `engine` `=` $engine `[` $index `]`
    (`with` `=` custom<Amounts>($with)^)? `,`
    `start_cycle` `=` $startCycle `,` `end_cycle` `=` $endCycle `,`
    `lanes` `=` custom<Amounts>($lanes)
    (`count` `=` $count^)? (`part_stride` `=` $partStride^)?
    (`index_stride` `=` $indexStride^)? (`start_stride` `=` $startStride^)?
    (`prefetches` `=` `[` $prefetches^ `]`)? `>`
  }];
  let extraClassDeclaration = [{
    /// Returns group and index of the engines that slot `i` of the run holds
    /// beside its own.
    ::llvm::SmallVector<::std::pair<::llvm::StringRef, int64_t>, 1> getEnginesBeside(int64_t i);
  }];
}

def Llm_SlotsAttr : Llm_Attr<"Slots", "slots", "when and where the parts of an op run"> {
  let parameters = (ins ArrayRefParameter<"::mlir::llm::SlotRunAttr">:$runs);
  let assemblyFormat = "`<` custom<Lines>($runs) `>`";
  let extraClassDeclaration = [{
    /// Does each of `parts` parts have one slot, and nothing else?
    bool areOfParts(int64_t parts) const;
  }];
}

def Llm_LoopPeriodAttr : Llm_Attr<"LoopPeriod", "loop_period", "time of one loop"> {
  let description = [{
    The loop's first iteration starts at `start_cycle`, relative to the enclosing iteration.
    Each of its `trips` takes `period_cycles`, because a loop boundary is a barrier.
  }];
  let parameters = (ins "int64_t":$startCycle, "int64_t":$periodCycles, "int64_t":$trips);
  let assemblyFormat = [{
    `<` `start_cycle` `=` $startCycle `,` `period_cycles` `=` $periodCycles `,`
    `trips` `=` $trips `>`
  }];
}

def Llm_ScheduleAttr : Llm_Attr<"Schedule", "schedule", "summary of a function's schedule"> {
  let description = [{
    `makespan_cycles` is the time from cycle 0 to the last end. No schedule that obeys S1 to
    S9 is shorter than `lower_bound_cycles`, with any tiles and any cuts of ops. This is the
    sum of the largest bounds of all stretches between loop boundaries. `bounds` has the sum
    of each bound by name. `roofline_cycles` is the longer of all arithmetic at peak rate
    and compulsory bytes at full bandwidth. No schedule of legal tiles is shorter; one of
    `theoretical` costs may be, because these leave bytes out. `options` has the options of
    llm-schedule that forbade it something. No schedule that they allow is shorter than
    `proven_cycles`, which is present with such options and after an exact search. `loops`
    are in the order of the program. If the policy begins with `measured`, the slots and
    their lengths were measured and not planned.
  }];
  let parameters = (ins "::mlir::StringAttr":$policy, "int64_t":$makespanCycles,
    "int64_t":$lowerBoundCycles, Llm_Amounts<"each bound by name">:$bounds,
    "int64_t":$rooflineCycles, OptionalParameter<"::mlir::StringAttr">:$options,
    DefaultValuedParameter<"int64_t", "0">:$provenCycles,
    OptionalArrayRefParameter<"::mlir::llm::LoopPeriodAttr">:$loops);
  let assemblyFormat = [{
    `<` `` custom<PolicyLine>($policy) `,` `makespan_cycles` `=` $makespanCycles `,`
    `lower_bound_cycles` `=` $lowerBoundCycles `,` `` custom<BoundsLine>($bounds) `,`
    `roofline_cycles` `=` $rooflineCycles (`options` `=` $options^)?
    (`proven_cycles` `=` $provenCycles^)? (`,` `loops` `=` custom<Lines>($loops)^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Says in words what `proven_cycles` mean.
    ::std::string describeProven();
    /// Returns the beginning of the policy of what was measured.
    static ::llvm::StringRef getMeasuredPolicy() { return "measured"; }
    bool isMeasured() {
      return getPolicy().getValue().starts_with(getMeasuredPolicy());
    }
    /// Do slots obey the rule, such as "S2"? Measured slots obey no rule of how
    /// long a slot takes, or of what it holds of memories meanwhile.
    bool obeys(::llvm::StringRef rule);
  }];
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

def Llm_SequencesAttr : Llm_Attr<"Sequences", "sequences", "sequences of a batch that are alike"> {
  let description = [{
    There are `batch` sequences, each with `seq` new tokens. Each sees `kv_len` keys, new
    ones included. In a ragged batch, `kv_len` is a list with one number for each sequence.
    `?` is a size that is open; it has the name of the field (`llm.size`).
  }];
  let parameters = (ins "int64_t":$batch, "int64_t":$seq, ArrayRefParameter<"int64_t">:$kvLens);
  let assemblyFormat = [{
    `<` `batch` `=` custom<Size>($batch) `,` `seq` `=` custom<Size>($seq) `,`
    `kv_len` `=` custom<Positions>($kvLens) `>`
  }];
  let extraClassDeclaration = [{
    /// Returns the keys of the longest sequence.
    int64_t getMaxKvLen() const;
    /// Is the number of new tokens known?
    bool hasKnownTokens() const {
      return !::mlir::ShapedType::isDynamic(getBatch()) &&
             !::mlir::ShapedType::isDynamic(getSeq());
    }
  }];
}

def Llm_ProgramAttr : Llm_Attr<"Program", "program", "what a function was imported as"> {
  let description = [{
    The attribute says which phase of inference the function stands for. Its groups of
    sequences (`#llm.sequences`) are joined by `and`. A chunk of a prompt comes after the
    sequences that decode in the same step. The program has `layers` of the model's
    `model_layers` decoder layers. A `whole_model` also has embedding, head and sampling.
    After these, `further_tokens` modules may each predict a further token. Reports derive
    tokens per second from this.
  }];
  let parameters = (ins "::mlir::StringAttr":$model, EnumParameter<Llm_Phase>:$phase,
    ArrayRefParameter<"::mlir::llm::SequencesAttr">:$groups, "int64_t":$layers,
    "int64_t":$modelLayers, DefaultValuedParameter<"bool", "false">:$isWhole,
    DefaultValuedParameter<"int64_t", "0">:$furtherTokens);
  let assemblyFormat = [{
    `<` $model `,` $phase `,` custom<SequenceGroups>($groups) `,`
    `layers` `=` $layers `of` $modelLayers
    (`,` custom<WholeModel>($isWhole)^)?
    (`,` `further_tokens` `=` $furtherTokens^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Counts the new tokens of all sequences. No size may be open.
    int64_t countTokens() const;
    int64_t countSequences() const;
    /// More than any model predicts: each has modules and a result of its own.
    static constexpr int64_t maxFurtherTokens = 64;
  }];
}

//===----------------------------------------------------------------------===//
// Many chips
//===----------------------------------------------------------------------===//

/// Names of axes of the grid: an ArrayAttr of strings, printed `[dp, tp]`.
def Llm_AxesAttr : TypedArrayAttrBase<StrAttr, "names of axes of the grid">;

def Llm_GridAttr : Llm_Attr<"Grid", "grid", "the chips that run a program together"> {
  let description = [{
    The grid has axes with their numbers of chips, from the outermost to the innermost.
    Chips are numbered in row-major order, so that neighbours along the last axis have
    consecutive numbers and share the nearest link.

    Example: `llm.grid = #llm.grid<dp = 2, tp = 8>` on the module: 16 chips.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes,
    ArrayRefParameter<"int64_t">:$sizes);
  let assemblyFormat = "`<` custom<GridAxes>($axes, $sizes) `>`";
  let extraClassDeclaration = [{
    /// The most chips that a grid may have.
    static constexpr int64_t maxChips = 1 << 20;
    int64_t countChips() const;
    /// Chips along an axis; nothing for one that the grid does not have.
    ::std::optional<int64_t> sizeOf(::llvm::StringRef axis) const;
    /// How many chips further the next chip along an axis of the grid is.
    int64_t strideOf(::llvm::StringRef axis) const;
    /// Chips of a group along axes of the grid.
    int64_t countChips(::mlir::ArrayAttr axes) const;
    /// How many neighbouring chips such a group lies within.
    int64_t spanOf(::mlir::ArrayAttr axes) const;
    /// The grid of the module that the op is in; null if there is none.
    static GridAttr ofModule(::mlir::Operation *op);
  }];
}

def Llm_ShardAttr : Llm_Attr<"Shard", "shard", "what is cut over which axes of the grid"> {
  let description = [{
    The attribute names loops of an op (`llm.shard`) or dimensions of a source (`llm.piece`:
    d0, d1, .. of a weight, or the fields of a cache's type), each with the axes over which
    it is cut. It is cut into as many equal intervals as the axes together have chips. The
    first axis is the outermost. If several things lie side by side, such as the queries,
    keys and values of one weight, their sizes follow `of`. Each of them is cut by itself,
    so that a chip has a piece of each. Many of the same size are written as `512 x 8`: 512
    of size 8.

    Example: `llm.shard = #llm.shard<{n = [tp]}>`, `llm.piece = #llm.shard<{d0 = [tp] of [4096, 1024, 1024]}>`
  }];
  let parameters = (ins AttrParameter<"::mlir::DictionaryAttr", "axes by loop">:$loops);
  let assemblyFormat = "`<` custom<AxesByLoop>($loops) `>`";
}

def Llm_StageAttr : Llm_Attr<"Stage", "stage", "the stage of a pipeline that a function is"> {
  let description = [{
    The chips of stage `number` of `count` stages run this function (GPipe: Huang et al.,
    2019). `microbatches` groups of sequences go through the stages. Each group has the size
    that the function's types have, and a stage holds the caches of all groups. A `backward`
    function computes gradients, and its results go to the stage before.

    With `rounds` above 1, chips have that many stages each (interleaved pipeline: Narayanan
    et al., 2021). Of P places, stage s is on place s mod P, so that a microbatch goes around
    `rounds` times.

    Example: `llm.stage = #llm.stage<1 of 4, microbatches = 4>`,
    `llm.stage = #llm.stage<5 of 8 in 2 rounds, microbatches = 4>`
  }];
  let parameters = (ins "int64_t":$number, "int64_t":$count,
    DefaultValuedParameter<"int64_t", "1", "stages on each chip">:$rounds, "int64_t":$microbatches,
    DefaultValuedParameter<"bool", "false">:$isBackward);
  let assemblyFormat = [{
    `<` $number `of` $count (`in` $rounds^ `rounds`)? `,` `microbatches` `=` $microbatches
    (`,` custom<Backward>($isBackward)^)? `>`
  }];
  let extraClassDeclaration = [{
    /// The most microbatches that a pipeline may have.
    static constexpr int64_t maxMicrobatches = 1 << 16;
    /// How many groups of chips the stages are on, and on which this one is.
    int64_t countPlaces() const { return getCount() / getRounds(); }
    int64_t getPlace() const { return getNumber() % countPlaces(); }
  }];
}

def Llm_StageSlotAttr : Llm_Attr<"StageSlot", "stage_slot", "when a microbatch is in a stage"> {
  let description = [{
    The function runs for this microbatch in cycles [`start_cycle`, `end_cycle`). With `to`,
    these are the cycles in which its results are sent to the chips of that function.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$function,
    OptionalParameter<"::mlir::FlatSymbolRefAttr">:$to, "int64_t":$microbatch,
    "int64_t":$startCycle, "int64_t":$endCycle);
  let assemblyFormat = [{
    `<` $function (`to` $to^)? `,` `microbatch` `=` $microbatch `,`
    `start_cycle` `=` $startCycle `,` `end_cycle` `=` $endCycle `>`
  }];
}

def Llm_PipelineAttr : Llm_Attr<"Pipeline", "pipeline", "when microbatches are in which stage"> {
  let description = [{
    All microbatches go through all stages once in `makespan_cycles`. No order of them takes
    less than `lower_bound_cycles`. If the pipeline is full, the next microbatches follow
    every `period_cycles`: in a decode, a microbatch begins its next step when its tokens
    have come back from the last stage.
  }];
  let parameters = (ins "int64_t":$makespanCycles, "int64_t":$lowerBoundCycles,
    "int64_t":$periodCycles, ArrayRefParameter<"::mlir::llm::StageSlotAttr">:$slots);
  let assemblyFormat = [{
    `<` `makespan_cycles` `=` $makespanCycles `,` `lower_bound_cycles` `=` $lowerBoundCycles `,`
    `period_cycles` `=` $periodCycles `,` `slots` `=` custom<Lines>($slots) `>`
  }];
}

#endif // LLM_DIALECT_LLMATTRS
