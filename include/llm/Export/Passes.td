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
  let summary = "writes the data flow as a graph for Graphviz";
  let description = [{
    Writes the data flow of each function in Graphviz' DOT language: ops that take time as
    nodes, modules (layers, attention, ...) as clusters around them.

    Requires: ops with a workload, as every pass does. Times, bounds and their colours are
    there as far as the IR has them: with a target on the module, those of the slots
    (`llm.schedule`), or without a schedule those of the costs (`llm.cost`). The IR is not
    changed.

    Guarantees:
    - a node shows the op's name without that of its cluster, kind, runs, time of all runs
      together in us and its share of all, and what bounds it; its tooltip the whole name.
      A label is short: names above 40 letters lose their middle;
    - modules are those of the names (`model.layers.{}.mlp.up_proj` is in
      `model.layers.{}.mlp`); one of a single op, or of a single module, has no cluster.
      `depth` is how many levels of them are clusters. A module below these is one node,
      with the time of its ops and the bound of most of it;
    - an edge stands for a dependence, or several between the same two nodes, and shows the
      shapes of the producer's results. A dependence on the previous iteration of a loop is
      dashed, and does not count for the layout;
    - colours: `time` from white to red, of the node that takes longest; `bound` green for
      compute, blue for memory, orange for overhead; `kind` one for each kind of op. What
      is not known is white;
    - a name may hold anything: quotes, backslashes, line ends and tags are escaped;
    - a file appears whole or not at all.

    Several functions give several files; an explicit `file` holds one function only. A
    file that another export of the pipeline has written is an error.
    With `file=-` the graph goes to standard output, where the IR goes too unless the tool
    is told `-o`: a pass cannot see that, so give the IR a place of its own.

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
  let summary = "writes the schedule as a page for a browser";
  let description = [{
    Writes the schedules of all functions as one HTML file that opens from disk and asks
    nothing of any network:
    - timeline: engines as rows, with the bandwidth of memories, busy engines and private
      memory on the same axis; wheel and drag, or the keys that its label names;
    - graph: the data flow by modules, which open and close, shapes on its edges;
    - roofline: each op, as if alone on the machine, under the machine's ceilings;
    - table: ops by module, with sums; sorted by a click on a column, copied as CSV;
    - summary: what the answer is, what bounds it, what to change first.

    An op that is chosen in one of them is chosen in all. A search finds ops in all.
    `baseline` is the JSON report of another run: differences stand beside each op, and its
    timeline beneath this one.

    Requires: what `--llm-export-report` requires, and a build with node 18 and npm
    (CMake's LLM_VIEWER): another one says so. The IR is not changed.

    Guarantees:
    - the page holds the JSON report (`docs/report.md`) and nothing else: its figures are
      those of the report;
    - a name may hold anything: it is text in the page;
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
  let summary = "writes the data flow as graphs for Google's Model Explorer";
  let description = [{
    Writes the data flow of all functions as one graph collection in the JSON format of
    Google's Model Explorer, and data for its nodes: times and what bounds them. The fields
    are those of `GraphCollection` and `NodeDataProviderGraphData` in its sources
    (`common/input_graph.ts` and `common/types.ts` of
    https://github.com/google-ai-edge/model-explorer).

    Requires: ops with a workload, as every pass does. Times and bounds are there as far as
    the IR has them: with a target on the module, those of the slots (`llm.schedule`), or
    without a schedule those of the costs (`llm.cost`). The IR is not changed.

    Guarantees:
    - one graph for each function; its `id` is the function's name, which must be unique;
    - one node for each op that takes time; its `id` is the op's name, its `namespace` the
      module (`model/layers.../mlp`), in which `/` and `;` are written `_`. Its attributes:
      name, kind, runs, shapes of the inputs, cycles and time of all runs, bound.
      `outputsMetadata` has the shape of each result, which the explorer shows on edges;
    - one incoming edge for each dependence; on an earlier iteration of a loop, or in the
      first one only, its `metadata` says so;
    - `groupNodeAttributes`: of each module the number of its ops and their time;
    - beside `<name>.json`, where times are known: `<name>.time.json` with microseconds of
      all runs, coloured from white to red, and `<name>.bound.json`. Load them with "Add per
      node data". With `file=-` there is the collection only, on standard output, where the
      IR goes too unless the tool is told `-o`;
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
  let summary = "writes the schedule as a trace for ui.perfetto.dev";
  let description = [{
    Writes each function's schedule as one trace in Chrome's JSON format, which
    ui.perfetto.dev, chrome://tracing and speedscope open.

    Requires: a target on the module, `llm.schedule` on each function with a body and
    `llm.slots` on its ops, as `--llm-schedule` leaves them; at most 10,000,000 slices. The
    IR is not changed.

    Guarantees:
    - one process, named as the target, with one track per engine of the target, idle
      ones included; all have names and sort indexes;
    - one slice per slot and run: a loop is unrolled, iteration by iteration, in constant
      memory, and the `{}` of a name is the index of the innermost loop. Slices that share
      an engine never overlap, because start and end are rounded by one function;
    - `args` of a slice: op, shapes in and out, tile, cost (work, bytes per memory,
      compute and memory cycles, bound), lanes, exact cycles, the names of the runs
      that it waits for (`depends_on`), and of its op slack and what held it back. The last
      two are left out, with a remark, where there are more slots than `explain-slots`;
    - one flow arrow for each slice and each run that it waits for: from that run's part
      that ends last to the slice. Ids are whole numbers, one per arrow;
    - counters: the share of each shared memory's bandwidth that is held, in GB/s, and the
      engines that are busy, per group;
    - a file appears whole or not at all.

    Several functions give several files; an explicit `file` holds one function only. A
    file that another export of the pipeline has written is an error.
    With `file=-` the trace goes to standard output, where the IR goes too unless the tool
    is told `-o`: a pass cannot see that, so give the IR a place of its own.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule=engines=4 --llm-export-perfetto
    llm-opt block.mlir --llm-tile --llm-schedule "--llm-export-perfetto=file=a.json time=cycles"
    ```
    with, in the file, one event a line:
    ```
    {"ph":"X","name":"model.layers.3.mlp.up_proj","cat":"op","pid":1,"tid":2,"ts":0.300,"dur":0.100,"args":{...}}
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "",
           "File to write, '-' for standard output "
           "(default: '<function name>.perfetto.json' in the current folder)">,
    Option<"time", "time", "::mlir::llm::TraceTime",
           "::mlir::llm::TraceTime::Nanoseconds", "What the time axis shows", [{
      ::llvm::cl::values(
          clEnumValN(::mlir::llm::TraceTime::Nanoseconds, "ns",
                     "time, rounded to nanoseconds"),
          clEnumValN(::mlir::llm::TraceTime::Cycles, "cycles",
                     "cycles, one drawn as a nanosecond: short parts stay visible"))
    }]>,
    Option<"explainSlots", "explain-slots", "int64_t", /*default=*/"100000",
           "The most slots of a stretch, between two loop boundaries, of which slack and "
           "causes are found: that takes memory for each of them">
  ];
  let dependentDialects = ["::mlir::llm::LlmDialect"];
}

def ExportQueuesPass : Pass<"llm-export-queues", "::mlir::ModuleOp"> {
  let summary = "writes what each engine does in turn, for backends";
  let description = [{
    Writes the schedules of all functions as queues, in JSON: for each engine the parts of
    ops in order, what each of them waits for, the fetches ahead of them on the queues of
    memory engines, and where everything lies in private memory. `docs/queues.md` is the
    contract, `docs/queues.schema.json` its schema.

    Requires: a target on the module; `llm.tile`, `llm.cost` and `llm.slots` on the ops and
    `llm.schedule` on each function with a body (`--llm-schedule`); costs that are not
    stale, and a schedule that obeys S1 to S8: another one is an error, because its queues
    would block, or overwrite what is in use. The IR is not changed.

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

    With `file=-` the queues go to standard output, where the IR goes too unless the tool
    is told `-o`: a pass cannot see that, so give the IR a place of its own.

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
  let summary = "writes what each op costs and when it runs";
  let description = [{
    Writes the schedule of each function as a table for people (at most 100 columns), as
    JSON, or as CSV with one row per op.

    Requires: a target on the module; `llm.tile` and `llm.cost` on the ops (`--llm-tile`),
    `llm.slots` on them and `llm.schedule` on each function with a body
    (`--llm-schedule`). The IR is not changed.

    Guarantees:
    - all formats say the same: JSON and CSV in whole numbers with the unit in the name
      of the field, the table in rounded ones with units in the header;
    - JSON: one function is the root object; several are `{"functions": [...]}`.
      Figures of an op (`macs`, `bytes`, `..._cycles`) are of one run, and `count` says
      how many runs there are. `cycles` is its cost alone on the machine, summed over its
      parts; `scheduled_cycles` is what its slots take. `slots` are those of the first
      run, in cycles from the program's start: in iteration i of a loop of the op's
      `loops`, i times `period_cycles` is added. `depends_on` names the ops of the same
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
      starts next on one of them in the stretch, `no_work` where nothing does;
    - the table names the largest bound, the first of equal ones;
    - the table counts all runs together (cycles are engine time), so that its columns
      add up to their last row, and says so where the target's figures are invented. Ops
      stand under their modules, which have the sums of the rows under them, and how often
      all of these run, if equally often; modules are in the order of their first ops. A
      module of one op alone has no row. A bar shows the share: of `#`, each 12.5 %, and
      `-`, half of that;
    - on a terminal the table has colours, unless the variable `NO_COLOR` is set to
      something, and bars of Unicode's blocks where the locale is UTF-8; files and pipes
      get ASCII, the same everywhere;
    - tokens per second (where `llm.program` is given): the new tokens of one step over
      the makespan scaled to all layers of the model, as if each took as long as these;
    - a file appears whole or not at all; one that another export of the pipeline has
      written is an error;
    - a makespan that the slots contradict and a lower bound above it are shown with a
      warning, an iteration that ends after its period is an error. Whether a schedule is
      valid is for `llm-verify-schedule` to say.

    With `file=-` the report goes to standard output, where the IR goes too unless the
    tool is told `-o`: a pass cannot see that, so give the IR a place of its own.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule --llm-export-report -o /dev/null
    llm-opt block.mlir --llm-tile --llm-schedule "--llm-export-report=file=r.json format=json"
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "",
           "File to write, '-' for standard output (default: standard error)">,
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
