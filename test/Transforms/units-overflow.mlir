// Attention and products near the limits of what is counted, on an engine of many units: an error
// at the op, or a time, and neither takes long.
// RUN: llm-opt %s --llm-target=name=a100-sxm --llm-tile -split-input-file -verify-diagnostics -o %t
// RUN: %one-line < %t | FileCheck %s

// 2^74 pairs of query and key, of 2^37 elements each.
func.func @pairs(%q: tensor<1x137438953472x1x1xbf16>) {
  // expected-error@+1 {{has work, bytes or cycles above 2^61 - 1}}
  %0 = llm.gqa_attn "pairs" %q, %q, %q mask full scale 1.0 : tensor<1x137438953472x1x1xbf16>, tensor<1x137438953472x1x1xbf16>, tensor<1x137438953472x1x1xbf16>
  return
}

// -----

// The same, of which a causal mask leaves half.
func.func @causal(%q: tensor<1x137438953472x1x1xbf16>) {
  // expected-error@+1 {{has work, bytes or cycles above 2^61 - 1}}
  %0 = llm.gqa_attn "causal" %q, %q, %q mask causal scale 1.0 : tensor<1x137438953472x1x1xbf16>, tensor<1x137438953472x1x1xbf16>, tensor<1x137438953472x1x1xbf16>
  return
}

// -----

// 2^20 x 2^20 pairs of 2^10 heads with 2^10 features: 2^60 multiply-accumulates for each of two
// products are one too many for what is added up.
func.func @features(%q: tensor<1x1048576x1024x1024xbf16>) {
  // expected-error@+1 {{has work, bytes or cycles above 2^61 - 1}}
  %0 = llm.gqa_attn "features" %q, %q, %q mask full scale 1.0 : tensor<1x1048576x1024x1024xbf16>, tensor<1x1048576x1024x1024xbf16>, tensor<1x1048576x1024x1024xbf16>
  return
}

// -----

// 2^74 multiply-accumulates of a product.
func.func @product(%x: tensor<137438953472x1xbf16>, %w: tensor<137438953472x1xbf16>) {
  // expected-error@+1 {{has work, bytes or cycles above 2^61 - 1}}
  %0 = llm.matmul "product" %x, %w transpose_rhs : tensor<137438953472x1xbf16>, tensor<137438953472x1xbf16>
  return
}

// -----

// 2^38 queries, 2^32 tiles of them, which are not looked at one by one.
// CHECK: "queries" {{.*}}mac = 549755813888{{.*}}<"unit", sizes = {b = 1, d = 1, g = 1, h = 1, s = 64, t = 1}
func.func @queries(%q: tensor<1x274877906944x1x1xbf16>, %k: tensor<1x1x1x1xbf16>) {
  %0 = llm.gqa_attn "queries" %q, %k, %k mask full scale 1.0 : tensor<1x274877906944x1x1xbf16>, tensor<1x1x1x1xbf16>, tensor<1x1x1x1xbf16>
  return
}

// -----

// 2^38 rows of two experts.
// CHECK: "rows" {{.*}}mac = 274877906944{{.*}}<"unit", sizes = {k = 1, m = {{[0-9]+}}, n = 1}
func.func @rows(%x: tensor<274877906944x1xbf16>, %w: tensor<2x1x1xbf16>) {
  %0 = llm.grouped_matmul "rows" %x, %w rows_per_expert [137438953472, 137438953472] top_k 1 : tensor<274877906944x1xbf16>, tensor<2x1x1xbf16>
  return
}
