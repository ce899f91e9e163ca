//===- Passes.td - Passes that write files -----------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_PASSES
#define LLM_EXPORT_PASSES

include "mlir/Pass/PassBase.td"

def ExportPerfettoPass : Pass<"llm-export-perfetto", "::mlir::ModuleOp"> {
  let summary = "writes the schedule as a trace for ui.perfetto.dev";
  let description = [{
    Writes each function's schedule as one trace, in Chrome's JSON format, which
    ui.perfetto.dev, chrome://tracing and speedscope open, or in Perfetto's own.

    Requires: a target on the module, `llm.schedule` on each function with a body and
    `llm.slots` on its ops, as `--llm-schedule` leaves them; at most 10,000,000 slices. The
    IR is not changed.

    Both formats hold the same: `json` (`json.gz` compresses it with gzip, byte for byte)
    and `pftrace`, Perfetto's TrackEvent protocol: times are whole nanoseconds, arrows are
    at the slices themselves, and empty lists among the args are left out. In JSON each
    group of tracks is a process, in `pftrace` a track within that of the target. Events
    come in the order of time, and a loop is unrolled, iteration by iteration, in constant
    memory; the `{}` of a name is the index of the innermost loop.

    Tracks, all named and ordered:
    - of the target: the critical path, and all counters;
    - `layers`: a slice for each run of each layer, from the first start to the last end of
      its ops in that iteration, fetches not counted; layers that overlap are in different
      lanes. The ops of a stretch (between two loop boundaries) that are in no layer are
      one slice, named by the first and the last of them;
    - each group of engines: a track per engine, idle ones included.

    What lies on the tracks of engines is up to `detail`:
    - `tile` (the default): one slice per slot and run (category `op`), and one per fetch
      (`prefetch`). Slots of one run of an op that follow each other on an engine without a
      gap lie in a slice of the op (`parts`);
    - `op`: such slots are one slice, and such fetches of one buffer; `parts` says how many
      they are, `cost` is that of the whole op, and lanes are left out where they change;
    - `layer`: no tracks of engines and no arrows, for whole models. Where there are more
      than 10,000 slots and fetches, counters have one sample for each of 10,000 equal
      intervals: the most bytes, and the mean of everything else, engines with decimals.

    Guarantees:
    - slices of one track do not overlap unless one lies in the other, because start and
      end are rounded by one function;
    - `args` of a slice: op, shapes in and out, tile, cost (work, bytes per memory,
      compute and memory cycles, bound), lanes, exact cycles, the names of the runs
      that it waits for (`depends_on`), and of its op slack and what held it back;
    - one flow arrow for each slice and each run that it waits for: from that run's slice
      that ends last to the slice; and one from each fetch to its slot (`op`: from fetches
      to the slice that the first of them is for, if they end before it begins). Ids are
      whole numbers, one per arrow of a kind;
    - gaps between slices of an engine are slices of category `idle`, named by what most
      of the gap was for, "idle: dependence": the cause of what starts next on one of the
      engines of the group, which may change meanwhile. `idle_cycles` has all of them; over
      a group they add up to those of the report;
    - the critical path is one chain: back from the slot of a stretch that ends last, each
      time to what ends as the step starts, of several (`follows_by`) to what it waits for
      (`dependence`), its own `fetch`, the slot or fetch ahead on its engine (`engine`), or
      any other that ends then, and may have given back lanes or private memory
      (`bandwidth`). So there is no gap in it but before a step of `choice`, as which
      nothing ends: it follows what ended last. Steps of one op that follow each other are one slice (`steps`). It is a
      chain, not all ops whose `is_critical` is true: these may be side by side, and before
      a step of `bandwidth` or `choice` there need not be any;
    - counters: of each shared memory the bandwidth that is held, in GB/s; of each group of
      engines how many are busy, and the bytes of private memory that are in use (S7:
      working sets of running parts less the staging rooms of what was fetched, and slices
      from the start of their fetch to the end of their part); where costs have energies,
      the power in W: the energy of each part, bytes that were fetched for it included,
      spread evenly over its slot, and the target's idle watts; bytes that were written to
      KV caches since the start, each op's when it ends (S5: from then on they are read);
    - private memory is left out where a tile or a cost does not say it; slack, idle slices
      and the critical path where a schedule breaks a rule or a cost is stale and, with a
      remark, where a stretch has more slots than `explain-slots`; idle slices and the
      critical path also where the target has more engines than that;
    - a file appears whole or not at all.

    Several functions give several files; an explicit `file` holds one function only. A
    file that another export of the pipeline has written is an error.
    With `file=-` the trace goes to standard output, where the IR goes too unless the tool
    is told `-o`: a pass cannot see that, so give the IR a place of its own.

    Example:
    ```
    llm-opt block.mlir --llm-tile --llm-schedule=engines=4 --llm-export-perfetto
    llm-opt block.mlir --llm-tile --llm-schedule "--llm-export-perfetto=file=a.json time=cycles"
    llm-opt model.mlir --llm-tile --llm-schedule "--llm-export-perfetto=format=pftrace detail=layer"
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
           "::mlir::llm::TraceFormat::Json", "How to write it", [{
      ::llvm::cl::values(
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
           "The most slots of a stretch, between two loop boundaries, of which slack, "
           "causes and the critical path are found: that takes memory for each of them">
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
      add up to their last row, and says so where the target's figures are invented;
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
