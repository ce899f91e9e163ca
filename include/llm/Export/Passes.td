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
