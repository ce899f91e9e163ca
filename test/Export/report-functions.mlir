// Several functions, here without ops, share one report: a list in JSON, one table after
// the other, and one header in CSV. A bound of 0 has no gap, and a function that was not
// imported no tokens.
// RUN: llm-opt %s "--llm-export-report=file=- format=json" -o %t.mlir | FileCheck %s --check-prefix=JSON
// JSON:      "functions": [
// JSON:      "function": "decode",
// JSON-NOT:  "program":
// JSON-NOT:  "gap_percent"
// JSON-NOT:  "tokens_per_second
// JSON:      "ops": []
// JSON:      "function": "prefill",

// RUN: llm-opt %s --llm-export-report=file=- -o %t.mlir | FileCheck %s --check-prefix=TABLE
// TABLE:     {{^}}decode on toy{{$}}
// TABLE:     {{^}}total 0.000 0.0 0.0 0.0
// TABLE:     {{^}}prefill on toy{{$}}

// RUN: llm-opt %s "--llm-export-report=file=- format=csv" -o %t.mlir | FileCheck %s --check-prefix=CSV
// CSV:       {{^}}function,target,{{.*}},compulsory_bytes,kind,elapsed_us,start_us,end_us,exposed_us,time_from,time_p10_us,time_p90_us{{$}}
// CSV-NOT:   {{.}}

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
  func.func @prefill() attributes {llm.schedule = #llm.schedule<policy = "list",
      makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>} {
    return
  }
}
