//===- Passes.td - Passes that write files -----------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_PASSES
#define LLM_EXPORT_PASSES

include "mlir/Pass/PassBase.td"

def ExportChakraPass : Pass<"llm-export-chakra", "::mlir::ModuleOp"> {
  let summary = "Write the execution trace of each chip, for simulators of networks";
  let description = [{
    Writes the schedule of each function as execution traces of MLCommons' Chakra (schema
    0.0.4; Sridharan et al., 2023), which simulators of networks such as ASTRA-sim read: a
    file for each chip of the module's grid (`llm.grid`), and the groups of chips that
    exchange.

    Requires: a target on the module, and a schedule (`--llm-schedule`). The IR is not
    changed. Without a grid there is one chip, and nothing is exchanged.

    Guarantees:
    - `FILE.RANK.et` has GlobalMetadata and nodes, each preceded by its length. All chips
      have the same nodes. `FILE.groups.json` maps the numbers of groups, which are
      `pg_name` in the nodes, to ranks;
    - loops are unrolled. A collective is a node COMM_COLL_NODE with `comm_type` and
      `comm_size`. These are the bytes that each chip has, for an all_gather before it. It has
      no duration, because the simulator is to find it;
    - all work between two points at which a collective begins or ends is one node
      COMP_NODE, with `num_ops` (two for each multiply-accumulate), `tensor_size` (bytes of
      DRAM) and `duration_micros`. Microseconds are whole. A remainder goes to the next
      node, so that the sum is off by half a microsecond at most. While a collective is
      under way, only time in which something is computed or fetched ahead counts;
    - computation is a chain of nodes. Each depends on the collectives for which its ops
      wait. A collective depends on the node of the chain that ends before it, on the
      collectives for which it waits, and on the one before it on its link. If collectives
      take as long as in the schedule, the whole trace takes as long as the schedule, except
      for rounding;
    - each file appears whole or not at all.

    Example:
    ```
    llm-opt model.mlir --llm-target=name=h100-sxm --llm-shard=tp=8 --llm-partition --llm-tile --llm-schedule --llm-export-chakra=file=traces/model -o /dev/null
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "",
           "What the names of all files begin with (default: the function's name)">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportDotPass : Pass<"llm-export-dot", "::mlir::ModuleOp"> {
  let summary = "Write the data flow as a graph for Graphviz";
  let description = [{
    Writes the data flow of each function in Graphviz' DOT language. Ops that take time are
    nodes; modules (layers, attention, ...) are clusters around them.

    Requires: ops with a workload, as every pass does. The graph has times, bounds and their
    colours as far as the IR has them. With a target on the module, they come from the slots
    (`llm.schedule`), or without a schedule from the costs (`llm.cost`). If one of these is
    stale, a warning says so, and the graph has none. The IR is not changed.

    Guarantees:
    - a node shows the op's name without that of its cluster, the kind, the number of runs,
      the time of all runs together in us and its share of all, and what bounds it. Its
      tooltip has the whole name. A label is short: names above 40 letters lose their middle;
    - modules follow from the names (`model.layers.{}.mlp.up_proj` is in
      `model.layers.{}.mlp`). A module of a single op, or of a single module, has no
      cluster. `depth` says how many levels of modules are clusters. A module below these is
      one node, with the time of its ops and the bound of most of that time;
    - an edge stands for one or several dependences between two nodes. It shows the shapes of
      those results of the producer that the consumer uses. A dependence on the previous
      iteration of a loop is dashed, and does not count for the layout;
    - colours: `time` goes from white to red, which is the node that takes longest; `bound`
      is green for compute, blue for memory, orange for overhead; `kind` has one colour for
      each kind of op, that of the page. A kernel of several ops is called `matmul+swiglu`,
      and has the colour of its product or attention. What is not known is white;
    - a name may have any characters: quotes, backslashes, line ends and tags are escaped;
    - a file appears whole or not at all.

    Several functions give several files; an explicit `file` holds one function only. It is
    an error to write a file that another export of the pipeline has written.
    With `file=-` the graph goes to standard output. The IR goes there too, unless you give
    it a place of its own (`-o`). `llm-opt` says so before anything runs, `mlir-opt` does not.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule --llm-export-dot=file=block.dot -o /dev/null
    llm-opt model.mlir "--llm-export-dot=color=kind depth=1 file=-" -o /dev/null | dot -Tsvg -o model.svg
    ```
    with, in the file, one node or edge a line:
    ```
    op7 [label="up_proj\nllm.matmul, 16 runs\n235.445 us, 10.2 %\nmemory", tooltip=..., fillcolor="#f4baaf"];
    op6 -> op7 [label="1x1x2048xbf16", tooltip="1x1x2048xbf16"];
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "",
           "File to write, '-' for standard output "
           "(default: '<function name>.dot' in the current folder)">,
    Option<"color", "color", "::mlir::llm::DotColor", "::mlir::llm::DotColor::Time",
           "What the colours of nodes tell", [{
      ::llvm::cl::values(
          clEnumValN(::mlir::llm::DotColor::Time, "time", "how long they take"),
          clEnumValN(::mlir::llm::DotColor::Bound, "bound", "what bounds them"),
          clEnumValN(::mlir::llm::DotColor::Kind, "kind", "which op they are"))
    }]>,
    Option<"depth", "depth", "unsigned", "~0u",
           "Levels of modules that are clusters; those below are one node each (default: "
           "all are)", [{::llvm::cl::value_desc("N")}]>
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportHtmlPass : Pass<"llm-export-html", "::mlir::ModuleOp"> {
  let summary = "Write the schedule as a page for a browser";
  let description = [{
    Writes the schedules of all functions as one HTML file. It opens from disk and uses no
    network. These are its views:
    - overview: the time of a token or of the first one, tokens per second, shares of the
      machine's peak (MFU, MBU), whether the program fits, and what to change first: what
      binds most of the time, and an estimate of what twice as much of it would save. The
      timeline is under these, and the shares of modules are beside them. In the timeline,
      engines are rows, and bandwidth of memories, busy engines and private memory have the
      same axis. Wheel, drag, fingers and keys move it; `?` names the keys. Where slices are
      thinner than a pixel, each column shows the shares of kinds of ops, and counters show
      the mean, the least and the most. "Fold layers" leaves one iteration of each loop. A drag on the axis, or with Shift, chooses a part of
      time. The page sums up the ops, operations, bytes and shares of the peak in it. Slots
      that its ends cut count by their share;
    - graph: the data flow by modules, which open and close, with shapes on the edges. It
      says how often loops run, and edges that hand values to the next run are apart from the
      others. Colours show kind, time or bound;
    - roofline: each op, as if alone on the machine. Its size is its share of the engine
      time. Ceilings are shown if they matter: the main memory, products by the type at
      whose rate they run, and others that an op comes near. The target may have further
      limits, of ports, kernels and elementwise work;
    - memory: what lies in the main memory over time (weights, caches, values between ops)
      and in private memories;
    - table: the ops that a search finds, by module, with sums, and what each op achieves, as
      in the report's table. Layers that are alike fold. A
      click on a column sorts. The table can be copied as CSV, in which the rows of one
      `kind` count everything once;
    - facts: all figures of the whole function.

    A colour is a kind of op, the same in all views of all pages. A kernel of several ops has
    the colour of its product or attention, and the names of its ops: `gate_up+swiglu`.

    Engine time is the sum over engines. The elapsed time of an op is from its first start
    to its last end. The elapsed time of a module is the time in which at least one of its
    ops runs.

    An op that you choose in one view is chosen in all. A search finds ops in all views. The
    critical path (`follows_by` in the report) stands out in the first two and the table.
    The part of the address after `#` says what is shown, so that a reload, a link or Back
    shows it again. If scripts do not run, as in previews of mails, the page shows the lines
    above the table of the report.

    `baseline` is the JSON report of another run. The page shows its elapsed times beside
    each op, with the difference, and its timeline below this one. A list beside the
    overview has the largest differences. Matches and times are those of
    `--llm-export-report=baseline=...`. Ops that one run has fused are compared with the sum
    of their parts in the other run. A module that has only some of these parts is not
    compared, because work would have moved between modules. Functions are compared by name.
    If both runs have one function, their names may differ. There is a warning for a
    function without a counterpart. If the runs did different work, or if the schedule does
    not hold, the page says so above all views.

    Requires: what `--llm-export-report` requires, and a build with node 18 and npm (CMake's
    LLM_VIEWER). A build without them reports this as an error. The IR is not changed.

    Guarantees:
    - the page holds the JSON report (`docs/report.md`) and those lines, and its figures are
      those of the report;
    - a name may have any characters: the page shows it as text;
    - with `open`, the page opens in a browser. Without a display, standard error says how to
      open it elsewhere;
    - a page of more than 20 MB (some 200,000 slots) is written with a warning: browsers open
      it slowly;
    - a file appears whole or not at all; one that another export of the pipeline has
      written is an error.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule "--llm-export-html=file=block.html" -o /dev/null
    llm-opt block.mlir --llm-tile --llm-schedule=engines=8 "--llm-export-html=baseline=4.json" -o /dev/null
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "\"report.html\"",
           "File to write, '-' for standard output">,
    Option<"baseline", "baseline", "std::string", "",
           "JSON report of another run to compare with (--llm-export-report=format=json)">,
    Option<"open", "open", "bool", "false", "Show the page in a browser">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportModelExplorerPass : Pass<"llm-export-model-explorer", "::mlir::ModuleOp"> {
  let summary = "Write the data flow as graphs for Google's Model Explorer";
  let description = [{
    Writes the data flow of all functions as one graph collection in the JSON format of
    Google's Model Explorer, and data for its nodes: times, and what bounds them. The fields
    are those of `GraphCollection` and `NodeDataProviderGraphData` in its sources
    (`common/input_graph.ts` and `common/types.ts` of
    https://github.com/google-ai-edge/model-explorer).

    Requires: ops with a workload, as every pass does. The files have times and bounds as far
    as the IR has them. With a target on the module, they come from the slots
    (`llm.schedule`), or without a schedule from the costs (`llm.cost`). If one of these is
    stale, a warning says so, and the files have none. The IR is not changed.

    Guarantees:
    - each function has one graph. Its `id` is the function's name, which must be unique;
    - each op that takes time has one node. Its `id` is the op's name. Its `namespace` is the
      module (`model/layers.../mlp`), in which `/` and `;` are written `_`. If a module has
      more than 32 parts, the last ones are one. The attributes are name, kind, runs, shapes
      of the inputs, cycles and time of all runs, and bound. `outputsMetadata` has the shape
      of each result, which the explorer shows on edges;
    - each use of a result as an input has one incoming edge, also through views.
      `sourceNodeOutputId` is the number of the result, and `targetNodeInputId` that of the
      input among the shapes of `inputs`. If the consumer waits for an earlier iteration of a
      loop, or waits in the first one only, the edge's `metadata` says so;
    - `groupNodeAttributes` have the number of ops of each module, and their time;
    - if times are known, two files are written beside `<name>.json`: `<name>.time.json` with
      microseconds of all runs, coloured from white to red, and `<name>.bound.json`. Load
      them with "Add per node data". A device gets the collection only, and so does standard
      output (`file=-`). The IR goes there too, unless you give it a place of its own (`-o`);
    - each file appears whole or not at all; one that another export of the pipeline has
      written is an error.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule --llm-export-model-explorer=file=block.json -o /dev/null
    model-explorer block.json
    ```
    with, in the file, for each op:
    ```
    {"id": "model.layers.0.mlp.up_proj", "label": "up_proj", "namespace": "model/layers/0/mlp",
     "attrs": [{"key": "kind", "value": "matmul"}, ... ],
     "incomingEdges": [{"sourceNodeId": "model.layers.0.post_attention_layernorm", ... }, ... ],
     "outputsMetadata": [{"id": "0", "attrs": [ ... {"key": "shape", "value": "1x8192xbf16"} ] } ] }
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "\"model-explorer.json\"",
           "File to write, '-' for standard output; data for nodes go beside it">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportPerfettoPass : Pass<"llm-export-perfetto", "::mlir::ModuleOp"> {
  let summary = "Write the schedule as a trace for ui.perfetto.dev";
  let description = [{
    Writes the schedule of each function, or of the functions that are a pipeline, as one
    trace. It is in Chrome's JSON format, which ui.perfetto.dev, chrome://tracing and
    speedscope open, or in Perfetto's own.

    Requires: a target on the module, `llm.schedule` on each function with a body and
    `llm.slots` on its ops, as `--llm-schedule` leaves them; at most 10,000,000 slices and
    arrows. The IR is not changed.

    There are two formats: `json` and `pftrace`, Perfetto's TrackEvent protocol. `json.gz`
    and `pftrace.gz` are the same files, compressed with gzip, which Perfetto opens as they
    are. The suffix of `file` decides the format. It is an error if the suffix is that of
    another format or of another export. Both have the same slices with the same times
    (whole nanoseconds) and args, the same arrows, and the same samples of counters. An
    instant `schedule` at 0 says in its args what the trace is about (function, target,
    clock). If the schedule does not hold, for example because it is for another target, the
    name of the first group of tracks says so, and `problems` of the instant says why. The
    formats differ in this:
    - a group of tracks is a process in JSON. In `pftrace` it is a track within that of the
      target;
    - in `pftrace` an arrow is at the slices themselves. In JSON its ends are times inside
      them. If a schedule breaks a rule, arrows that lead back in time are lost there;
    - counters of `pftrace` have a unit, stand in the order of the list below, and say on
      their track what their name leaves open. JSON has no place for that: Perfetto puts the
      unit after the name, and sorts by name;
    - empty lists among the args are left out of `pftrace`;
    - readers of JSON store times in doubles, which are exact up to 2^51 nanoseconds, or 26
      days.

    The stages of a pipeline (`llm.stage`) are one trace, `pipeline.perfetto.json` if `file`
    names no other. Its first group has a track for each stage, with a slice for each of its
    microbatches, and a track for what it sends to another. Arrows lead from stage to stage.
    The groups and counters of each stage follow ("stage 1: layers"), with the slices of all
    its microbatches. Cycles among their args count from the start of the microbatch.

    Events are in the order of time, those of a pipeline stage by stage. A loop is unrolled,
    iteration by iteration, in constant memory. The `{}` of a name is the index of the
    innermost loop.

    Tracks, all named and ordered:
    - of the target: the critical path, and all counters;
    - `layers`: a slice for each run of each layer, from the first start to the last end of
      its ops in that iteration, without fetches. Layers that overlap are in different
      lanes. Such a slice contains a slice for each of its modules (`self_attn`, `mlp`;
      category `module`), unless modules of the layer overlap. The ops of a stretch (between
      two loop boundaries) that are in no layer are one slice, named by the first and the
      last of them;
    - each group of engines: a track per engine, also for idle ones. If a schedule breaks a
      rule, tracks (`core[0] overlap 1`) follow for slices that overlap another one of their
      engine without lying in it.

    `detail` says what lies on the tracks of engines:
    - `tile` (the default): one slice per slot and run (category `op`), and one per fetch
      (`prefetch`). Slots of one run of an op that follow each other on an engine without a
      gap lie in a slice of the op (`parts`);
    - `op`: such slots are one slice, and so are such fetches of one buffer. `parts` says how
      many they are, `cost` is that of these parts, and lanes are left out where they change.
      Only the first slice of a run of the op has what holds for the whole run (shapes, tile,
      `depends_on`, slack);
    - `layer`: there are no tracks of engines and no arrows, for whole models. With more than
      10,000 slots and fetches, counters have one sample for each of 10,000 equal intervals,
      written when it ends: the most bytes, and the mean of everything else, to a billionth
      of the unit.

    Guarantees:
    - slices of one track do not overlap unless one lies in the other, because one function
      rounds start and end. In JSON this also holds for readers that add `dur` to `ts` in
      doubles. With three decimals, a `dur` may end a slice behind the start of the next
      slice of the track, or behind the end of a slice around it. Such a `dur` has 15
      decimals, cut, and is shorter by less than a millionth of a nanosecond. (It has no
      more than 15, because Perfetto's reader of decimals overflows.);
    - a slice too short for a nanosecond has no length, but it has its arrows. A warning
      counts such slices. Perfetto would take a slice without length into a slice that
      starts at the same time. So in JSON that slice, and those that follow it without a
      gap, are a begin and an end (`B`, `E`) instead of one event (`X`). (speedscope does
      not read such a trace: use `time=cycles`);
    - `args` of a slice have the op, the shapes of its inputs and outputs, its tile, its
      cost (work, bytes per memory, compute and memory cycles, bound), lanes, exact cycles,
      and the names of the runs that it waits for (`depends_on`). They also have the slack
      of its op, and what held it back. Summed over the slices of a run of an op, `cost` is
      that of the op. `fetched_bytes` are those of its `bytes` that were fetched ahead.
      Slices of fetches have theirs as `bytes`. At the first part of an op, `all_runs` has
      what the report says of the op, under the names that it has there (`count`,
      `total_time_us`, `share_percent`, .., and `time_from`, `time_p10_us`, `time_p90_us`);
    - a flow arrow leads to each slice from each run that it waits for. It starts at that
      run's slice that ends last. One also leads from each fetch to its slot. (With
      `detail=op` it leads from fetches to the slice that the first of them is for, if they
      end before it begins.) Ids are whole numbers, one per arrow of a kind;
    - gaps between slices of an engine are slices of category `idle`. Their name has the
      cause of most of the gap, as in "idle: dependence". It is the cause of what starts
      next on one of the engines of the group, and it may change during the gap. After the
      last slice of a stretch, it is `layer_boundary` if engines of the group have work in a
      later stretch or iteration, and `no_work` if they have none. `idle_cycles` has all
      causes. The sums over a group are those of the report;
    - the critical path is one chain. It goes back from the slot of a stretch that ends
      last, each time to what ends as the step starts. If several end then, it goes to the
      first of these (`follows_by`): what the step waits for (`dependence`), its own `fetch`,
      the slot or fetch ahead on its engine (`engine`), or any other that ends then, and may
      have given back lanes or private memory (`bandwidth`). The first step of all follows
      `none`, and the first of each later stretch or iteration follows a `layer_boundary`.
      If nothing ends as a step starts, the step is a `choice`, and it follows what ended
      last. So the chain has gaps only before such steps, and before the first step of a
      stretch. Steps of one op that follow each other are one slice (`steps`). The path is a
      chain, and not all ops whose `is_critical` is true: these may be side by side, and
      before a step of `bandwidth` or `choice` there need not be any;
    - each shared memory has two counters in GB/s. One is the bandwidth at which slots and
      fetches move their bytes, spread evenly over each of them. The area under it is the
      bytes, and what was fetched for a slot moves once. The other is the bandwidth that
      their lanes hold, which is more while an overhead passes;
    - each group of engines has two counters: how many engines are busy, and the bytes of
      private memory that are in use. These are, as in S7, the working sets of running parts
      less the staging rooms of what was fetched, and slices from the start of their fetch
      to the end of their part;
    - if costs have energies, counters have the power in W of MACs and of bytes, which is all
      that the energies count. The energy of each part, with bytes that were fetched for it,
      is spread evenly over its slot. The target's idle watts are added;
    - a counter has the bytes in KV caches: those at the start, and what each op has written
      when it ends (from then on they are read, S5). If the program does not say what is
      there at the start, it has the bytes written since (`KV cache written`);
    - figures that are not known are left out: the bandwidth of bytes if an op has no cost,
      and private memory if a tile or a cost does not have it. Slack, idle slices and the
      critical path are left out if a schedule breaks a rule or a cost is stale. With a
      warning, they are also left out if a stretch has more slots than `explain-slots`, and
      so are idle slices and the critical path if the target has more engines than that;
    - a file appears whole or not at all.

    Several functions give several files. If one of them has no trace, no file is written.
    An explicit `file` is for one function only. It is an error to write a file that another
    export of the pipeline has written. With `file=-` the trace goes to standard output. The
    IR goes there too, unless you give it a place of its own (`-o`). `llm-opt` says so
    before anything runs, `mlir-opt` does not.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule=engines=4 --llm-export-perfetto
    llm-opt block.mlir --llm-tile --llm-schedule "--llm-export-perfetto=file=a.json time=cycles"
    llm-opt model.mlir --llm-tile --llm-schedule "--llm-export-perfetto=file=model.pftrace detail=layer"
    ```
    with, in the JSON file, one event a line:
    ```
    {"ph":"X","name":"model.layers.3.mlp.up_proj","cat":"op","pid":3,"tid":6,"ts":0.300,"dur":0.100,"args":{...}}
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "",
           "File to write, '-' for standard output "
           "(default: '<function name>.perfetto.json', '.perfetto.json.gz', "
           "'.pftrace' or '.pftrace.gz' in the current folder)">,
    Option<"open", "open", "bool", "false",
           "Show the trace in a browser, at ui.perfetto.dev, which reads it from this machine">,
    Option<"time", "time", "::mlir::llm::TraceTime",
           "::mlir::llm::TraceTime::Nanoseconds", "What the time axis shows", [{
      ::llvm::cl::values(
          clEnumValN(::mlir::llm::TraceTime::Nanoseconds, "ns",
                     "time, rounded to nanoseconds"),
          clEnumValN(::mlir::llm::TraceTime::Cycles, "cycles",
                     "cycles, one drawn as a nanosecond: short parts stay visible"))
    }]>,
    Option<"format", "format", "::mlir::llm::TraceFormat",
           "::mlir::llm::TraceFormat::Auto", "How to write it", [{
      ::llvm::cl::values(
          clEnumValN(::mlir::llm::TraceFormat::Auto, "auto",
                     "as the suffix of `file` says, else json"),
          clEnumValN(::mlir::llm::TraceFormat::Json, "json",
                     "Chrome's JSON format, which most viewers open"),
          clEnumValN(::mlir::llm::TraceFormat::JsonGzip, "json.gz",
                     "the same, compressed with gzip"),
          clEnumValN(::mlir::llm::TraceFormat::Proto, "pftrace",
                     "Perfetto's own format, smaller, for Perfetto only"),
          clEnumValN(::mlir::llm::TraceFormat::ProtoGzip, "pftrace.gz",
                     "the same, compressed with gzip"))
    }]>,
    Option<"detail", "detail", "::mlir::llm::TraceDetail",
           "::mlir::llm::TraceDetail::Tile", "What a slice of an engine stands for", [{
      ::llvm::cl::values(
          clEnumValN(::mlir::llm::TraceDetail::Layer, "layer",
                     "no tracks of engines: layers, critical path and counters"),
          clEnumValN(::mlir::llm::TraceDetail::Op, "op",
                     "slots of an op that follow each other"),
          clEnumValN(::mlir::llm::TraceDetail::Tile, "tile", "one slot"))
    }]>,
    Option<"explainSlots", "explain-slots", "int64_t", /*default=*/"100000",
           "The most slots of a stretch, between two loop boundaries, and the most engines of "
           "which slack, causes and the critical path are found: that takes memory for each "
           "of them", [{::llvm::cl::value_desc("N")}]>
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportProblemPass : Pass<"llm-export-problem", "::mlir::ModuleOp"> {
  let summary = "Write what llm-schedule solves, for llm-solve and other solvers";
  let description = [{
    Writes for each function the scheduling problem of its ops in JSON
    (`docs/scheduling-problems.md`): tasks with their parts, other ways to cut them and the
    least work of any way, engines, and memories whose bandwidth they share. `llm-solve`
    solves it, and checks schedules of other solvers against the rules.

    A stretch of ops between two loop boundaries is a problem of its own. If a function has
    several, `stretch` says which one is written.

    Requires: a target on the module; `llm.tile` and `llm.cost` on the ops
    (`--llm-tile`), not stale. The IR is not changed.

    Guarantees: `llm-solve` reads it as the problem that `llm-schedule` solves. A file
    appears whole or not at all. It is an error to write a file that another export of the
    pipeline has written.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-export-problem=file=problem.json -o /dev/null
    llm-solve problem.json -o solution.json
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "",
           "File to write, '-' for standard output; default: <function>.problem.json">,
    Option<"stretch", "stretch", "int64_t", "-1",
           "Number of the stretch of ops, from 0, if there are several",
           [{::llvm::cl::value_desc("N")}]>,
    Option<"alternatives", "alternatives", "bool", "true",
           "false: only the cuts of the tiles, not all ways to cut the ops">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportQueuesPass : Pass<"llm-export-queues", "::mlir::ModuleOp"> {
  let summary = "Write what each engine does in turn, for backends";
  let description = [{
    Writes the schedules of all functions as queues, in JSON. Each engine has a queue of the
    parts of ops in order, with what each part waits for. Memory engines have queues of
    fetches. Each entry says where its data lies in private memory. `docs/queues.md` is the
    contract, and `docs/queues.schema.json` is its schema.

    Requires: a target on the module; `llm.tile`, `llm.cost` and `llm.slots` on the ops and
    `llm.schedule` on each function with a body (`--llm-schedule`); costs that are not
    stale; and a schedule that obeys S1 to S8. Any other schedule is an error, because its
    queues would block, or overwrite what is in use. The IR is not changed.

    Guarantees:
    - an engine works through its queue, and starts each entry once the one before it has
      ended and the waits of the entry are met. If lengths are those of the schedule, it never
      starts an entry later than the schedule says. With any lengths, parts start after what
      they depend on and after their fetches, and nothing in private memory is overwritten
      while it is in use;
    - waits are for counters: ended parts of an op, or ended entries of a queue. So each
      dependence of an op has at most as many waits as there are engines. No wait is implied
      by the others. A loop is written once, and its boundaries are barriers;
    - what lives at a time in the private memory of an engine does not overlap. If no order
      that was tried achieves that, the engine's entries have no addresses, its queue has
      `missing_bytes`, and a remark says so (`--remarks-filter-missed=llm-export-queues`);
    - a file appears whole or not at all; one that another export of the pipeline has
      written is an error.

    With `file=-` the queues go to standard output. The IR goes there too, unless you give
    it a place of its own (`-o`). `llm-opt` says so before anything runs, `mlir-opt` does not.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule=engines=4 --llm-export-queues=file=q.json -o /dev/null
    ```
    with, in the file, one entry a line:
    ```
    {"op":1,"part":0,"box":{"n":[0,4]},"start_cycle":20,"end_cycle":40,"lanes":{"dram":64},"working_set_bytes":72,"address":56}
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "\"queues.json\"",
           "File to write, '-' for standard output">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportReportPass : Pass<"llm-export-report", "::mlir::ModuleOp"> {
  let summary = "Write what each op costs and when it runs";
  let description = [{
    Writes the schedule of each function as a table for people (at most 100 columns), as
    JSON, or as CSV with one row per op.

    Requires: a target on the module; `llm.tile` and `llm.cost` on the ops (`--llm-tile`),
    `llm.slots` on them and `llm.schedule` on each function with a body
    (`--llm-schedule`). The IR is not changed.

    Guarantees:
    - all formats say the same, under the same names, which traces have, too. JSON and CSV
      have full numbers, with the unit in the name of the field. The table has rounded
      numbers, with units in the header;
    - what most readers want to know comes first: whether the program fits into memory, how
      long it takes, tokens per second, what the time goes to, what twice the bandwidth,
      twice the arithmetic, half the launches, twice the power above idle and twice the rates
      of links would save, how long chips exchange, and the share of the machine's peak.
      Sentences say what is wrong with the schedule (`problems`), and what a reader must know
      of the machine or the cut (`remarks`). MFU, model FLOPs utilization, is how much of the
      makespan the multiply-accumulates take at the peak of all engines and the clock of the
      target, as in its datasheet. MBU, model bandwidth utilization, is the same for each byte
      that an op touches, once, at the full rate of DRAM. CSV has rows of ops only: for
      `file=ops.csv`, these figures are in `ops.summary.csv` beside it, with a row for each
      function;
    - the bound of an op is that on the whole machine: bytes of parts that run side by side
      add up;
    - each op has its engine time and its share of all engine time. It has the TFLOP/s and
      GB/s that it achieves from the start of its first slot to its last end. Bytes count
      from the first fetch ahead of it. The larger of its shares of the machine's peaks says
      how near it is to the roofline;
    - in JSON one function is the root object, and several are `{"functions": [...]}`. Figures of
      an op (`macs`, `bytes`, `..._cycles`) are of one run, and `count` says how many runs
      there are. `cycles` is its cost alone on the machine, summed over its parts.
      `scheduled_cycles` is what its slots take. `slots` are those of the first run, in
      cycles from the start of the program. For iteration i of a loop of the op's `loops`, add
      i times `period_cycles`. `depends_on` names the ops of the same iteration,
      `depends_on_previous_iteration` those of the one before, and
      `depends_on_in_first_iteration` those before the loop that the first one waits for;
    - JSON and table say what holds the schedule back, unless it breaks a rule or a cost is
      stale. An op has three figures within its stretch. `slack_cycles` says by how many
      cycles all its slots may start later without the stretch ending later, if what waits
      for them and what follows on their engines moves with them (lanes and private memory
      do not count). `is_critical` says that it has no slack. `held_back_by` says why the
      first of its slots does not start a cycle earlier: the stretch begins (`none`), an op
      that it waits for ends (`dependence`), its own `fetch` does, no `engine` is idle, too
      few lanes are free (`bandwidth`), no idle engine has room (`memory`), or nothing holds
      it back (`choice`). Engines have, over all runs, `busy_cycles` and `idle_cycles`. Idle
      cycles have the cause of what starts next on one of the engines in the stretch. The
      cause is `layer_boundary` if nothing starts until a later stretch or iteration, and
      `no_work` if nothing starts any more;
    - JSON marks the slots and fetches of the critical path, as the trace draws it, with
      their relation to the step before (`follows_by`);
    - the table names the largest bound, and the first one if several are equal;
    - the table counts all runs together, and times are engine time, so that times and
      shares add up to their last row. It says so if the target's figures are invented. Ops
      stand under their modules. A module has the sums of the rows under it, the rates that
      these achieve one after the other, and how often they run, if all run equally often.
      The last row has what is achieved over the makespan. Tiles by hand (`manual`,
      `pinned`) are named below. Modules are in the order of their first ops. A module of a
      single op has no row, and neither has a module that is in eight others. A figure above
      0 that would round to 0 is `<0.001`. A bar shows the share: `#` is 12.5 %, and `-` is
      half of that. There is no bar if names need its room. No line has more than 100
      columns, and names that do not fit lose their middle;
    - on a terminal the table has colours, unless the variable `NO_COLOR` is set to
      something. Its bars are Unicode's blocks if the locale is UTF-8. Files and pipes get
      ASCII, which is the same everywhere;
    - tokens per second need `llm.program`. They are the new tokens of one step over the
      makespan. For some layers of a model, the makespan is scaled to all layers, as if each
      took as long as these (`tokens_per_second_if_all_layers`);
    - with `baseline`, the JSON report of another run, the table ends with the differences,
      and JSON has `comparison`. Ops are matched by what they run: an op that one side has
      fused is compared with all its parts. Times are elapsed times, from the first start of
      a run to its last end, summed over all runs. Modules have the time of all their ops.
      With CSV, the comparison is in `ops.comparison.csv`. The page of
      `--llm-export-html=baseline=...` shows the same matches and times;
    - a file appears whole or not at all; one that another export of the pipeline has
      written is an error;
    - a makespan that the slots contradict, and a lower bound above it, are shown with a
      warning. An iteration that ends after its period is an error. `llm-verify-schedule`
      says whether a schedule is valid.

    Without `file` the report goes to standard output if the IR goes elsewhere (`-o file`),
    so that it can be piped. Otherwise it goes to standard error, also from `mlir-opt`, which
    does not say where the IR goes. With `file=-` it goes to standard output in any case:
    give the IR a place of its own. `llm-opt` says so before anything runs, `mlir-opt` does
    not.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule --llm-export-report -o /dev/null
    llm-opt block.mlir --llm-tile --llm-schedule --llm-export-report=format=json -o /dev/null | jq .mbu_percent
    llm-opt block.mlir --llm-tile --llm-schedule --llm-export-report=file=r.json
    llm-opt block.mlir --llm-fuse --llm-tile --llm-schedule --llm-export-report=baseline=r.json -o /dev/null
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "",
           "File to write, '-' for standard output (default: standard output where the IR "
           "goes elsewhere, else standard error)">,
    Option<"format", "format", "::mlir::llm::ReportFormat",
           "::mlir::llm::ReportFormat::Auto",
           "How to write it (default: json and csv by the suffix of the file, else a table)", [{
      ::llvm::cl::values(
          clEnumValN(::mlir::llm::ReportFormat::Auto, "auto", "by the suffix of the file"),
          clEnumValN(::mlir::llm::ReportFormat::Table, "table", "aligned, for people"),
          clEnumValN(::mlir::llm::ReportFormat::Json, "json", "for programs"),
          clEnumValN(::mlir::llm::ReportFormat::Csv, "csv", "one row per op"))
    }]>,
    Option<"baseline", "baseline", "std::string", "",
           "JSON report of another run to compare with (--llm-export-report=format=json)">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

#endif // LLM_EXPORT_PASSES
