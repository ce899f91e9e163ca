// RUN: llm-opt %s --canonicalize | FileCheck %s

// Ops that change nothing are gone: a factor of 1, the type and the heads that there are, no open size.
// CHECK-LABEL: func.func @same(
// CHECK-SAME: %[[X:.+]]: tensor<2x4xbf16>, %[[K:.+]]: tensor<1x8x2x16xbf16>)
// CHECK-NEXT: return %[[X]], %[[K]]
func.func @same(%x: tensor<2x4xbf16>, %k: tensor<1x8x2x16xbf16>) -> (tensor<2x4xbf16>, tensor<1x8x2x16xbf16>) {
  %a = llm.scale "scale" %x by 1.0 : tensor<2x4xbf16>
  %b = llm.quantize "quantize" %a to bf16 : tensor<2x4xbf16>
  %c = llm.sized %b [] : tensor<2x4xbf16>
  %d = llm.repeat_kv "repeat" %k heads 2 : tensor<1x8x2x16xbf16>
  return %c, %d : tensor<2x4xbf16>, tensor<1x8x2x16xbf16>
}

// Others stay: a factor next to 1, another type, another number of heads, an open size.
// CHECK-LABEL: func.func @others(
// CHECK-DAG: llm.scale
// CHECK-DAG: llm.quantize
// CHECK-DAG: llm.repeat_kv
// CHECK-DAG: llm.sized
// CHECK: return
func.func @others(%x: tensor<2x4xbf16>, %k: tensor<1x8x2x16xbf16>, %open: tensor<?x4xbf16>) -> (tensor<2x4xf8E4M3FN>, tensor<1x8x4x16xbf16>, tensor<?x4xbf16>) {
  %n = llm.size "tokens"
  %a = llm.scale "scale" %x by 1.0000000000000002 : tensor<2x4xbf16>
  %b = llm.quantize "quantize" %a to f8E4M3FN : tensor<2x4xbf16>
  %c = llm.repeat_kv "repeat" %k heads 4 : tensor<1x8x2x16xbf16>
  %d = llm.sized %open [%n] : tensor<?x4xbf16>
  return %b, %c, %d : tensor<2x4xf8E4M3FN>, tensor<1x8x4x16xbf16>, tensor<?x4xbf16>
}

// Inside of a kernel, too; one op alone is none.
// CHECK-LABEL: func.func @kernel(
// CHECK-NOT: llm.scale
// CHECK-NOT: llm.fused
// CHECK: llm.activation
func.func @kernel(%x: tensor<2x4xbf16>) -> tensor<2x4xbf16> {
  %y = llm.fused "scale+act" {
    %a = llm.scale "scale" %x by 1.0 : tensor<2x4xbf16>
    %b = llm.activation "act" relu %a : tensor<2x4xbf16>
    llm.yield %b : tensor<2x4xbf16>
  } : tensor<2x4xbf16>
  return %y : tensor<2x4xbf16>
}

// But a kernel hands on nothing that it has not computed.
// CHECK-LABEL: func.func @handed_on(
// CHECK: llm.fused
// CHECK-NEXT: %[[A:.+]] = llm.scale
// CHECK-NEXT: %[[B:.+]] = llm.activation {{.*}} %{{.+}}
// CHECK-NEXT: llm.activation
// CHECK-NEXT: llm.yield %[[A]]
func.func @handed_on(%x: tensor<2x4xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>) {
  %y:2 = llm.fused "scale+act" {
    %a = llm.scale "scale" %x by 1.0 : tensor<2x4xbf16>
    %b = llm.activation "act" relu %a : tensor<2x4xbf16>
    %c = llm.activation "act2" relu %b : tensor<2x4xbf16>
    llm.yield %a, %c : tensor<2x4xbf16>, tensor<2x4xbf16>
  } : tensor<2x4xbf16>, tensor<2x4xbf16>
  return %y#0, %y#1 : tensor<2x4xbf16>, tensor<2x4xbf16>
}
