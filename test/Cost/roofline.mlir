// RUN: llm-opt %s --llm-tile --llm-schedule --llm-verify-schedule | %one-line | FileCheck %s

// The roofline is a bound where a kind of work has several rates, too. On npu two products
// of one MAC each, in bf16 (4 x 4096 a cycle) and in i8 (4 x 8192), take one cycle side by
// side; bytes: 3 x 2 + 3 x 1 = 9 at 400 a cycle, 1 cycle.
// CHECK: makespan_cycles = 1,
// CHECK-SAME: roofline_cycles = 1>
func.func @two_rates(%a: tensor<1x1xbf16>, %b: tensor<1x1xi8>) {
  %0 = llm.matmul %a, %a : tensor<1x1xbf16>, tensor<1x1xbf16>
  %1 = llm.matmul %b, %b : tensor<1x1xi8>, tensor<1x1xi8>
  return
}
