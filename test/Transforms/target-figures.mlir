// RUN: rm -rf %t && split-file %s %t

// Fitted figures stand on the module with what they were fitted on; calibrated=false leaves the
// datasheet, of presets and of files.
// RUN: llm-opt %t/empty.mlir --llm-target=name=a100-sxm --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=FITTED
// FITTED: "kernels" = #dlti.map<"contraction" = #dlti.map<"launch_nanoseconds" = {{[0-9]+}} : i64
// FITTED: "fitted_on" = "A100 80 GB kernel times
// RUN: llm-opt %t/empty.mlir "--llm-target=name=a100-sxm calibrated=false" --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=DATASHEET --implicit-check-not='"kernels" =' --implicit-check-not=fitted_on --implicit-check-not=sustained
// DATASHEET: "a100-sxm" =
// DATASHEET-SAME: "units" = 108 : i64
// RUN: llm-opt %t/empty.mlir --llm-target=file=%t/chip.json --mlir-print-local-scope | FileCheck %s --check-prefix=FILE
// FILE: "sustained_clock_hz" = 900000000 : i64
// FILE: "fitted_on" = "three rows"
// RUN: llm-opt %t/empty.mlir "--llm-target=file=%t/chip.json calibrated=false" --mlir-print-local-scope | FileCheck %s --check-prefix=NOTHING --implicit-check-not='"kernels" =' --implicit-check-not=fitted_on --implicit-check-not=sustained
// NOTHING: "mychip" =

// What is on a module already has no datasheet to go back to.
// RUN: not llm-opt %t/empty.mlir --llm-target=name=a100-sxm --llm-target=calibrated=false 2>&1 | FileCheck %s --check-prefix=NOTKEPT
// RUN: not llm-opt %t/empty.mlir --llm-target=calibrated=false 2>&1 | FileCheck %s --check-prefix=NOTKEPT
// NOTKEPT: error: --llm-target: option 'calibrated=false' needs 'name' or 'file': a module does not keep the figures of the datasheet

// A library's figures stand over those of none, and no others are left; also later, on the module.
// RUN: llm-opt %t/empty.mlir "--llm-target=file=%t/chip.json library=fast" --mlir-print-local-scope | FileCheck %s --check-prefix=FAST --implicit-check-not=@
// RUN: llm-opt %t/empty.mlir --llm-target=file=%t/chip.json --llm-target=library=fast --mlir-print-local-scope | FileCheck %s --check-prefix=FAST --implicit-check-not=@
// FAST: "kernels" = #dlti.map<"attention" = #dlti.map<"launch_nanoseconds" = 1000 : i64, "query_tile" = 128 : i64>>
// RUN: llm-opt %t/empty.mlir "--llm-target=file=%t/chip.json library=slow" --mlir-print-local-scope | FileCheck %s --check-prefix=SLOW --implicit-check-not=@
// SLOW: "kernels" = #dlti.map<"attention" = #dlti.map<"launch_nanoseconds" = 9000 : i64, "query_tile" = 64 : i64>>

// A library that is not there: an error that lists those that are.
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/chip.json library=fats" 2>&1 | FileCheck %s --check-prefix=SIMILAR
// SIMILAR: error: --llm-target: option 'library': target 'mychip' has no figures of library 'fats'; did you mean 'fast'? (libraries: fast, slow)
// RUN: not llm-opt %t/empty.mlir "--llm-target=name=npu library=vllm" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not llm-opt %t/empty.mlir "--llm-target=name=npu library=vllm" 2>/dev/null | count 0
// NONE: error: --llm-target: option 'library': target 'npu' has no figures of library 'vllm' (it has none of any library)
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/chip.json calibrated=false library=fast" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: target 'mychip' has no figures of library 'fast' (it has none of any library)

// Errors in a calibration point into it, whether it is used or not.
// RUN: sed 's/"fitted_on": "three rows",//' %t/chip.json > %t/unsaid.json
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/unsaid.json calibrated=false" 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID: unsaid.json:11:18: error: 'calibration.fitted_on' must say which measurements the figures were fitted on
// RUN: sed 's/"tile": { "sus/"tiel": { "sus/; s/query_tile/query_tyle/' %t/chip.json > %t/typo.json
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/typo.json" 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: typo.json:14:15: error: 'calibration.engines.tiel' is calibrated, but 'engines' has no 'tiel'

// Figures of ops that are not there would hold for nothing.
// RUN: sed 's/attention@fast/llm.rmsnrom@fast/; s/attention@slow/llm.nosuch/' %t/chip.json > %t/ops.json
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/ops.json" 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: not llm-prof validate --target=%t/ops.json %t/rows.csv 2>&1 | FileCheck %s --check-prefix=OPS
// OPS: ops.json:{{.*}}: error: 'engines.tile.kernels.llm.rmsnrom@fast' is no op of dialect 'llm'; did you mean 'llm.rmsnorm'?
// OPS: ops.json:{{.*}}: error: 'engines.tile.kernels.llm.nosuch' is no op of dialect 'llm'

// No stream is faster than the datasheet says; clocks may be, they boost.
// RUN: sed 's/"tile": { "sustained_clock_hz": 9e8/"tile": { "sustained_clock_hz": 11e8/' %t/chip.json > %t/boost.json
// RUN: llm-opt %t/empty.mlir --llm-target=file=%t/boost.json -o %t/boost.mlir
// RUN: sed 's/"bytes_per_second": 100e9/"bytes_per_second": 100e9, "sustained_bytes_per_second": 101e9/' %t/chip.json > %t/fast.json
// RUN: not llm-opt %t/empty.mlir --llm-target=file=%t/fast.json 2>&1 | FileCheck %s --check-prefix=SUSTAINED
// SUSTAINED: fast.json:9:{{[0-9]+}}: error: 'memories.dram.sustained_bytes_per_second' is above bytes_per_second, 100,000,000,000

//--- rows.csv
row_id,op_kind,m,n,k,measured_us
0,gemm,1,1,1,1
//--- empty.mlir
module {}

//--- chip.json
{
  "name": "mychip", "clock_hz": 1e9,
  "engines": {
    "tile": {
      "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "macs_per_cycle_per_unit": { "bf16": 2048 }
    }
  },
  "memories": {
    "dram": { "bytes_per_second": 100e9 }
  },
  "calibration": {
    "fitted_on": "three rows",
    "engines": {
      "tile": { "sustained_clock_hz": 9e8,
        "kernels": {
          "attention": { "launch_nanoseconds": 1000, "query_tile": 64 },
          "attention@fast": { "query_tile": 128 },
          "attention@slow": { "launch_nanoseconds": 9000 }
        }
      }
    }
  }
}
