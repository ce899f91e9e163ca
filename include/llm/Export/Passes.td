//===- Passes.td - Passes that write files -----------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_PASSES
#define LLM_EXPORT_PASSES

include "mlir/Pass/PassBase.td"

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
      `model.layers.{}.mlp`). A module of a single op, or of a single module, has no cluster.
      `depth` says how many levels of modules are clusters. A module below these is one node,
      with the time of its ops and the bound of most of it;
    - an edge stands for one or several dependences between two nodes. It shows the shapes of
      those results of the producer that the consumer uses. A dependence on the previous
      iteration of a loop is dashed, and does not count for the layout;
    - colours: `time` goes from white to red, which is the node that takes longest; `bound`
      is green for compute, blue for memory, orange for overhead; `kind` has one colour for
      each kind of op. What is not known is white;
    - a name may hold anything: quotes, backslashes, line ends and tags are escaped;
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
           "all are)">
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
      the mean, the least and the most. A drag on the axis, or with Shift, chooses a part of
      time. The page sums up the ops, operations, bytes and shares of the peak in it. Slots
      that its ends cut count by their share;
    - graph: the data flow by modules, which open and close, with shapes on the edges. It
      says how often loops run, and edges that hand values to the next run are apart from the
      others. Colours show kind, time or bound;
    - roofline: each op, as if alone on the machine. Its size is its share of the engine
      time. The ceilings are those that count: the main memory, products by the type whose
      rate they run at, and others that an op comes near. The target may have figures of
      more: of ports, of kernels, of elementwise work;
    - memory: what lies in the main memory over time (weights, caches, values between ops)
      and in private memories;
    - table: the ops that a search finds, by module, with sums. Layers that are alike fold. A
      click on a column sorts. The table can be copied as CSV, in which the rows of one
      `kind` count everything once;
    - facts: all figures of the whole function.

    A colour is a kind of op, the same in all views of all pages. A kernel of several ops has
    a mix of the colours of its ops, and their names: `gate_up+swiglu`.

    Engine time is the sum over engines. The elapsed time of an op is from its first start to
    its last end. The elapsed time of a module is that in which one of its ops is under way.

    An op that you choose in one view is chosen in all. A search finds ops in all views. The
    critical path (`follows_by` in the report) stands out in the first two and the table. The
    address has after the `#` what is shown, so that a reload, a link or Back shows it again.
    Where no script runs, as in previews of mails, the page shows the lines above the table of
    the report.

    `baseline` is the JSON report of another run. Its elapsed times stand beside each op, with
    the difference, and its timeline is beneath this one. What one run has fused is compared
    with the sum of its parts in the other run. A module that has only some of these parts is
    not compared, because rows would have moved. Functions are compared by name; a single one
    is compared with a single one. A function without a counterpart is a warning. If the runs
    did other work, or if the schedule does not hold, the page says so above all views.

    Requires: what `--llm-export-report` requires, and a build with node 18 and npm
    (CMake's LLM_VIEWER). Another build says so. The IR is not changed.

    Guarantees:
    - the page holds the JSON report (`docs/report.md`) and those lines, and its figures are
      those of the report;
    - a name may hold anything: it is text in the page;
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
           "JSON report of another run to compare with (--llm-export-report=format=json)">
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
    - one graph for each function; its `id` is the function's name, which must be unique;
    - one node for each op that takes time; its `id` is the op's name, its `namespace` the
      module (`model/layers.../mlp`), in which `/` and `;` are written `_`, and of more than
      32 parts the last ones are one. Its attributes:
      name, kind, runs, shapes of the inputs, cycles and time of all runs, bound.
      `outputsMetadata` has the shape of each result, which the explorer shows on edges;
    - one incoming edge for each use of a result as an input, also through views:
      `sourceNodeOutputId` is the number of the result, `targetNodeInputId` that of the
      input among the shapes of `inputs`. Where the consumer waits for an earlier iteration
      of a loop, or in the first one only, its `metadata` says so;
    - `groupNodeAttributes`: of each module the number of its ops and their time;
    - beside `<name>.json`, where times are known: `<name>.time.json` with microseconds of
      all runs, coloured from white to red, and `<name>.bound.json`. Load them with "Add per
      node data". A device gets the collection only, and so does standard output
      (`file=-`), where the IR goes too unless the tool is told `-o`;
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
     "attrs": [{"key": "kind", "value": "llm.matmul"}, ... ],
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
    Writes the schedule of each function as one trace. It is in Chrome's JSON format, which
    ui.perfetto.dev, chrome://tracing and speedscope open, or in Perfetto's own.

    Requires: a target on the module, `llm.schedule` on each function with a body and
    `llm.slots` on its ops, as `--llm-schedule` leaves them; at most 10,000,000 slices and
    arrows. The IR is not changed.

    There are two formats: `json` (`json.gz` compresses it with gzip, byte for byte) and
    `pftrace`, Perfetto's TrackEvent protocol. Both have the same slices with the same times
    (whole nanoseconds) and args, the same arrows, and the same samples of counters. An
    instant `schedule` at 0 says in its args what the trace is about (function, target,
    clock). The formats differ in this:
    - a group of tracks is a process in JSON. In `pftrace` it is a track within that of the
      target;
    - in `pftrace` an arrow is at the slices themselves. In JSON its ends are times inside
      them. If a schedule breaks a rule, arrows that lead back in time are lost there;
    - counters of `pftrace` have a unit, stand in the order of the list below, and say on
      their track what their name leaves open. JSON has no place for that: Perfetto puts the
      unit after the name, and sorts by name;
    - empty lists among the args are left out of `pftrace`;
    - readers of JSON hold times in doubles, which have all nanoseconds up to 2^51 of them,
      26 days.

    Events are in the order of time. A loop is unrolled, iteration by iteration, in constant
    memory. The `{}` of a name is the index of the innermost loop.

    Tracks, all named and ordered:
    - of the target: the critical path, and all counters;
    - `layers`: a slice for each run of each layer, from the first start to the last end of
      its ops in that iteration, without fetches. Layers that overlap are in different lanes.
      A slice has in it a slice for each of its modules (`self_attn`, `mlp`; category
      `module`), unless modules of the layer overlap. The ops of a stretch (between two loop
      boundaries) that are in no layer are one slice, named by the first and the last of
      them;
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
    - slices of one track do not overlap unless one lies in the other, because start and
      end are rounded by one function. In JSON that holds for readers, too, that add `dur`
      to `ts` in doubles: a `dur` whose three decimals would end a slice behind the start of
      the next one there, or behind the end of one around it, has 15, cut, and is shorter by
      less than a millionth of a nanosecond. (No more than 15: Perfetto's reader of decimals
      overflows.);
    - a slice too short for a nanosecond has no length, and its arrows all the same; a
      warning counts them. In JSON what starts where one lies, and what then follows without
      a gap, is a begin and an end (`B`, `E`) instead of one event (`X`), as Perfetto would
      take the one without length into it (speedscope reads no such trace: `time=cycles`);
    - `args` of a slice: op, shapes in and out, tile, cost (work, bytes per memory,
      compute and memory cycles, bound), lanes, exact cycles, the names of the runs
      that it waits for (`depends_on`), and of its op slack and what held it back. Summed
      over the slices of a run of an op, `cost` is that of the op. `fetched_bytes` are those
      of its `bytes` that were fetched ahead; slices of fetches have theirs as `bytes`.
      At the first part of an op, `all_runs` has what the report says of the op, under the
      names that it has there (`count`, `total_time_us`, `share_percent`, ..);
    - one flow arrow for each slice and each run that it waits for: from that run's slice
      that ends last to the slice; and one from each fetch to its slot (`op`: from fetches
      to the slice that the first of them is for, if they end before it begins). Ids are
      whole numbers, one per arrow of a kind;
    - gaps between slices of an engine are slices of category `idle`, named by what most
      of the gap was for, "idle: dependence": the cause of what starts next on one of the
      engines of the group, which may change meanwhile; behind the last one of a stretch
      `layer_boundary` where engines of the group have work in a later stretch or iteration,
      and `no_work` where they have none. `idle_cycles` has all of them; over a group they
      add up to those of the report;
    - the critical path is one chain: back from the slot of a stretch that ends last, each
      time to what ends as the step starts, of several (`follows_by`) to what it waits for
      (`dependence`), its own `fetch`, the slot or fetch ahead on its engine (`engine`), or
      any other that ends then, and may have given back lanes or private memory
      (`bandwidth`); the first step of all follows `none`, the first of each later stretch
      or iteration a `layer_boundary`. So there is no gap in it but before a step of
      `choice`, as which nothing ends: it follows what ended last, and before the first of
      a stretch. Steps of one op that follow each other are one slice (`steps`). It is a
      chain, not all ops whose `is_critical` is true: these may be side by side, and before
      a step of `bandwidth` or `choice` there need not be any;
    - counters: of each shared memory the bandwidth in GB/s at which slots and fetches move
      their bytes (the area under it is the bytes; what was fetched for a slot moves once),
      spread evenly over each of them, and the bandwidth that their lanes hold, which is
      more while an overhead passes; of each group of
      engines how many are busy, and the bytes of private memory that are in use (S7:
      working sets of running parts less the staging rooms of what was fetched, and slices
      from the start of their fetch to the end of their part); where costs have energies,
      the power in W of MACs and of bytes, which is all that they count: the energy of each
      part, bytes that were fetched for it included, spread evenly over its slot, and the
      target's idle watts; the bytes in KV caches, those at the start and what each op has
      written when it ends (S5: from then on they are read), or where the program does not
      say what is there at the start, those written since (`KV cache written`);
    - the bandwidth of bytes is left out where an op has no cost, private memory where a tile
      or a cost does not say it; slack, idle slices and the critical path where a schedule
      breaks a rule or a cost is stale and, with a warning, where a stretch has more slots
      than `explain-slots`; idle slices and the critical path also, with a warning, where the
      target has more engines than that;
    - a file appears whole or not at all.

    Several functions give several files. If one of them has no trace, no file is written. An
    explicit `file` holds one function only. It is an error to write a file that another
    export of the pipeline has written.
    With `file=-` the trace goes to standard output. The IR goes there too, unless you give
    it a place of its own (`-o`). `llm-opt` says so before anything runs, `mlir-opt` does not.

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
           "(default: '<function name>.perfetto.json', '.perfetto.json.gz' or "
           "'.pftrace' in the current folder)">,
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
                     "as the end of `file` says, .json.gz or .pftrace, else json"),
          clEnumValN(::mlir::llm::TraceFormat::Json, "json",
                     "Chrome's JSON format, which most viewers open"),
          clEnumValN(::mlir::llm::TraceFormat::JsonGzip, "json.gz",
                     "the same, compressed with gzip"),
          clEnumValN(::mlir::llm::TraceFormat::Proto, "pftrace",
                     "Perfetto's own format, smaller, for Perfetto only"))
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
           "of them">
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
           "Number of the stretch of ops, from 0, if there are several">,
    Option<"alternatives", "alternatives", "bool", "true",
           "false: only the cuts of the tiles, not all ways to cut the ops">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportQueuesPass : Pass<"llm-export-queues", "::mlir::ModuleOp"> {
  let summary = "Write what each engine does in turn, for backends";
  let description = [{
    Writes the schedules of all functions as queues, in JSON. For each engine they have the
    parts of ops in order, what each part waits for, the fetches ahead of it on the queues of
    memory engines, and where everything lies in private memory. `docs/queues.md` is the
    contract, and `docs/queues.schema.json` is its schema.

    Requires: a target on the module; `llm.tile`, `llm.cost` and `llm.slots` on the ops and
    `llm.schedule` on each function with a body (`--llm-schedule`); costs that are not
    stale; and a schedule that obeys S1 to S8. Any other schedule is an error, because its
    queues would block, or overwrite what is in use. The IR is not changed.

    Guarantees:
    - an engine that works through its queue, starting each entry once the one before it
      has ended and its waits are met, never starts one later than the schedule says when
      lengths are those of the schedule; with any lengths, parts start after what they
      depend on and after their fetches, and nothing in private memory is overwritten
      while it is in use;
    - waits are for counters (ended parts of an op, ended entries of a queue), so that
      there are at most as many as engines for each dependence of an op, and no wait is
      implied by the others. A loop is written once: its boundaries are barriers;
    - what lives at a time in the private memory of an engine does not overlap. Where no
      order that was tried achieves that, the engine's entries have no addresses, its queue
      has `missing_bytes`, and a remark says so (`--remarks-filter-missed=llm-export-queues`);
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
      long it takes, tokens per second, what binds most of the engine time, and the share of
      the machine's peak. MFU, model FLOPs utilization, is how much of the makespan the
      multiply-accumulates take at the peak of all engines. MBU, model bandwidth utilization,
      is the same for each byte that an op touches, once, at the full rate of DRAM. CSV has
      rows of ops only: for `file=ops.csv`, these figures are in `ops.summary.csv` beside it,
      with a row for each function;
    - each op has its engine time and the share of it, the TFLOP/s and GB/s that it achieves
      (from the start of its first slot, for bytes from the first fetch ahead of it, to its
      last end), and how near that is to the roofline: the larger of its shares of the
      machine's peaks;
    - JSON: one function is the root object; several are `{"functions": [...]}`. Figures of
      an op (`macs`, `bytes`, `..._cycles`) are of one run, and `count` says how many runs
      there are. `cycles` is its cost alone on the machine, summed over its parts.
      `scheduled_cycles` is what its slots take. `slots` are those of the first run, in
      cycles from the start of the program; in iteration i of a loop of the op's `loops`, i
      times `period_cycles` is added. `depends_on` names the ops of the same
      iteration, `depends_on_previous_iteration` those of the one before, and
      `depends_on_in_first_iteration` those before the loop that the first one waits for;
    - JSON and table say what holds the schedule back, unless it breaks a rule or a cost
      is stale. Of an op, within its stretch: `slack_cycles`, by how much all its slots
      may start later before the stretch ends later, when what waits for them and what
      follows on their engines moves along (lanes and private memory do not count);
      `is_critical`, without slack; `held_back_by`, why the first of its slots does not
      start a cycle earlier: the stretch begins (`none`), an op that it waits for ends
      (`dependence`), its own `fetch` does, no `engine` is idle, too few lanes are free
      (`bandwidth`), no idle engine has room (`memory`), or nothing (`choice`). Of
      engines, over all runs: `busy_cycles`, and `idle_cycles` by that cause of what
      starts next on one of them in the stretch, `layer_boundary` where nothing does until
      a later stretch or iteration, `no_work` where nothing does any more;
    - JSON marks the slots and fetches of the critical path, as the trace draws it, with
      what they have to do with the step before (`follows_by`);
    - the table names the largest bound, the first of equal ones;
    - the table counts all runs together (times are engine time), so that times and shares
      add up to their last row, and says so where the target's figures are invented. Ops
      stand under their modules, which have the sums of the rows under them, what these
      achieve one behind the other, and how often all of these run, if equally often; the
      last row has what is achieved over the makespan. Tiles by hand (`manual`, `pinned`)
      are named below. Modules are in the order of their first ops. A module of one op
      alone has no row, nor has one that is in eight others. A figure above 0 that would
      round to 0 is `<0.001`. A bar shows the share: of `#`, each 12.5 %, and `-`, half of
      that; there is none where names need its room. No line has more than 100 columns, and
      names that do not fit lose their middle;
    - on a terminal the table has colours, unless the variable `NO_COLOR` is set to
      something, and bars of Unicode's blocks where the locale is UTF-8; files and pipes
      get ASCII, the same everywhere;
    - tokens per second (where `llm.program` is given): the new tokens of one step over
      the makespan; of some layers of a model, over the makespan scaled to all of them, as
      if each took as long as these (`tokens_per_second_if_all_layers`);
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
    llm-opt block.mlir --llm-tile --llm-schedule "--llm-export-report=file=r.json format=json"
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "",
           "File to write, '-' for standard output (default: standard output where the IR "
           "goes elsewhere, else standard error)">,
    Option<"format", "format", "::mlir::llm::ReportFormat",
           "::mlir::llm::ReportFormat::Table", "How to write it", [{
      ::llvm::cl::values(
          clEnumValN(::mlir::llm::ReportFormat::Table, "table", "aligned, for people"),
          clEnumValN(::mlir::llm::ReportFormat::Json, "json", "for programs"),
          clEnumValN(::mlir::llm::ReportFormat::Csv, "csv", "one row per op"))
    }]>
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

#endif // LLM_EXPORT_PASSES
