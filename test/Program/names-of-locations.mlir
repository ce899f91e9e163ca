// Ops of other dialects are called after their locations, as torch-mlir writes them; several of one location are counted.
// RUN: llm-opt %s --llm-tile --llm-schedule --llm-export-report -o /dev/null | FileCheck %s
// CHECK: {{^ *}}fc1{{ }}
// CHECK: {{^ *}}fc1_1{{ }}
// CHECK: {{^ *}}act{{ }}
// CHECK: {{^ *}}linalg.add#0{{ }}

func.func @mlp(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32> loc("encoder.fc1")
  %1 = linalg.add ins(%0, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32> loc("encoder.fc1"("fc.py":1:1))
  %2 = linalg.exp ins(%1 : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32> loc(callsite("encoder.act" at "main.py":2:1))
  %3 = linalg.add ins(%2, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32> loc("fc.py":3:1)
  return %3 : tensor<4x8xf32>
}
