// RUN: rm -rf %t && split-file %s %t && cd %t

// Where one of two functions has no trace, none is written.
// RUN: sed '/@prefill/s/llm.schedule/test.schedule/' two.mlir > one.mlir
// RUN: not llm-opt one.mlir --allow-unregistered-dialect --llm-export-perfetto -o out.mlir 2>&1 | FileCheck two.mlir --check-prefix=ONE
// RUN: not ls decode.perfetto.json

// Without `file` each function gets a file of its own in the current folder.
// RUN: llm-opt two.mlir --llm-export-perfetto -o out.mlir
// RUN: FileCheck two.mlir --check-prefix=DECODE < decode.perfetto.json
// RUN: FileCheck two.mlir --check-prefix=PREFILL < prefill.perfetto.json

// One file for both would hold only one of them.
// RUN: not llm-opt two.mlir --llm-export-perfetto=file=both.json -o out.mlir 2>&1 | FileCheck two.mlir --check-prefix=BOTH
// RUN: not ls both.json

// A function whose name no file can have needs `file`.
// RUN: not llm-opt name.mlir --llm-export-perfetto -o out.mlir 2>&1 | FileCheck name.mlir
// RUN: llm-opt name.mlir --llm-export-perfetto=file=named.json -o out.mlir
// RUN: FileCheck name.mlir --check-prefix=NAMED < named.json

// A module without functions needs no target and gives nothing but a warning.
// RUN: llm-opt empty.mlir --llm-export-perfetto -o out.mlir 2>&1 | FileCheck empty.mlir

//--- two.mlir
// ONE: error: {{.*}}--llm-schedule
// DECODE: "function":"decode"
// PREFILL: "function":"prefill"
// BOTH: error: functions 'decode' and 'prefill' would both be written to 'both.json', but a trace holds one: leave out 'file' to get a file for each
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "overhead_cycles" = 0 : i64>,
        "dma" = #dlti.map<"kinds" = ["memory"], "count" = 1 : i64, "units" = 1 : i64,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<"dram" = #dlti.map<
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @decode() attributes {llm.schedule = #llm.schedule<policy = "list",
      makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>} {
    return
  }
  func.func private @declared()
  func.func @prefill() attributes {llm.schedule = #llm.schedule<policy = "list",
      makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>} {
    return
  }
}

//--- name.mlir
// CHECK: error: the function's name cannot be a file's name: say where its trace goes, --llm-export-perfetto=file=...
// NAMED: "function":"a/b \"\\ {{.+}}","target"
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "overhead_cycles" = 0 : i64>,
        "dma" = #dlti.map<"kinds" = ["memory"], "count" = 1 : i64, "units" = 1 : i64,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<"dram" = #dlti.map<
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @"a/b \22\\ \FF"() attributes {llm.schedule = #llm.schedule<policy = "list",
      makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>} {
    return
  }
}

//--- empty.mlir
// CHECK: warning: the module has no function with a body: there is no trace to write
module {}
