// Ops of the dialect, one or a few a function; run by linalg-runs.test.

// CHECK: matmul: 35 elements agree
func.func @matmul(%x: tensor<5x6xf32>, %w: tensor<7x6xf32>, %b: tensor<7xf32>) -> tensor<5x7xf32> {
  %y = llm.matmul %x, %w bias %b transpose_rhs : tensor<5x6xf32>, tensor<7x6xf32>, tensor<7xf32>
  return %y : tensor<5x7xf32>
}

// CHECK: square: 25 elements agree
// One value as both operands: rows and columns of it.
func.func @square(%x: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %y = llm.matmul %x, %x : tensor<5x5xf32>, tensor<5x5xf32>
  return %y : tensor<5x5xf32>
}

// CHECK: batch_matmul: 90 elements agree
func.func @batch_matmul(%x: tensor<5x3x4xf32>, %w: tensor<3x4x6xf32>) -> tensor<5x3x6xf32> {
  %y = llm.batch_matmul %x, %w : tensor<5x3x4xf32>, tensor<3x4x6xf32>
  return %y : tensor<5x3x6xf32>
}

// CHECK: rmsnorm: 60 elements agree
func.func @rmsnorm(%x: tensor<5x3x4xf32>, %w: tensor<4xf32>) -> tensor<5x3x4xf32> {
  %y = llm.rmsnorm %x, %w epsilon 1.0e-5 : tensor<5x3x4xf32>, tensor<4xf32>
  return %y : tensor<5x3x4xf32>
}

// CHECK: unit_offset: 60 elements agree
func.func @unit_offset(%x: tensor<5x3x4xf32>, %w: tensor<4xf32>) -> tensor<5x3x4xf32> {
  %y = llm.rmsnorm %x, %w add_unit_offset epsilon 1.0e-5 : tensor<5x3x4xf32>, tensor<4xf32>
  return %y : tensor<5x3x4xf32>
}

// CHECK: scaled_rope: 960 elements agree
func.func @scaled_rope(%x: tensor<1x3x4x16xf32>) -> (tensor<1x3x4x16xf32>, tensor<1x3x4x16xf32>, tensor<1x3x4x16xf32>, tensor<1x3x4x16xf32>, tensor<1x3x4x16xf32>) {
  %0 = llm.rope %x at 5000 theta 10000.0 scaling <linear factor = 4.0> : tensor<1x3x4x16xf32>
  %1 = llm.rope %x at 5000 theta 5.0e5 scaling <llama3 factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_max_position_embeddings = 8192> : tensor<1x3x4x16xf32>
  %2 = llm.rope %x at 5000 theta 1.5e5 scaling <yarn factor = 32.0, beta_fast = 32.0, beta_slow = 1.0, original_max_position_embeddings = 4096, attention_factor = 1.35> : tensor<1x3x4x16xf32>
  %3 = llm.rope %x at 5000 theta 10000.0 scaling <yarn factor = 40.0, beta_fast = 32.0, beta_slow = 1.0, original_max_position_embeddings = 4096, truncate = true> interleaved : tensor<1x3x4x16xf32>
  %4 = llm.rope %x at 5000 theta 10000.0 scaling <listed factors = [1.0, 1.5, 2.0, 4.0, 8.0, 9.0, 10.0, 11.0], attention_factor = 1.2> : tensor<1x3x4x16xf32>
  return %0, %1, %2, %3, %4 : tensor<1x3x4x16xf32>, tensor<1x3x4x16xf32>, tensor<1x3x4x16xf32>, tensor<1x3x4x16xf32>, tensor<1x3x4x16xf32>
}

// CHECK: rope: 140 elements agree
func.func @rope(%x: tensor<2x5x7x2xf32>) -> tensor<2x5x7x2xf32> {
  %y = llm.rope %x at 11 theta 10000.0 : tensor<2x5x7x2xf32>
  return %y : tensor<2x5x7x2xf32>
}

// CHECK: ragged_rope: 140 elements agree
func.func @ragged_rope(%x: tensor<2x5x7x2xf32>) -> tensor<2x5x7x2xf32> {
  %y = llm.rope %x at [11, 3] theta 10000.0 : tensor<2x5x7x2xf32>
  return %y : tensor<2x5x7x2xf32>
}

// CHECK: position_scale: 45 elements agree
func.func @position_scale(%x: tensor<1x5x3x3xf32>) -> tensor<1x5x3x3xf32> {
  %y = llm.position_scale %x at 3 step 2 slope 0.5 : tensor<1x5x3x3xf32>
  return %y : tensor<1x5x3x3xf32>
}

// CHECK: elementwise: 35 elements agree
func.func @elementwise(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = llm.add %x, %x : tensor<5x7xf32>, tensor<5x7xf32>
  %1 = llm.mul %0, %y : tensor<5x7xf32>, tensor<5x7xf32>
  %2 = llm.swiglu %1, %y limit 2.0 : tensor<5x7xf32>, tensor<5x7xf32>
  %3 = llm.geglu %2, %y : tensor<5x7xf32>, tensor<5x7xf32>
  %4 = llm.scale %3 by 0.5 : tensor<5x7xf32>
  %5 = llm.soft_cap %4 cap 3.0 : tensor<5x7xf32>
  %6 = llm.activation gelu_tanh %5 : tensor<5x7xf32>
  %7 = llm.quantize %6 to f32 : tensor<5x7xf32>
  %8 = llm.quantize %7 to f32 : tensor<5x7xf32>
  return %8 : tensor<5x7xf32>
}

// CHECK: broadcast: 90 elements agree
func.func @broadcast(%x: tensor<2x5x9xf32>, %row: tensor<9xf32>, %one: tensor<1xf32>, %each: tensor<5x1xf32>, %all: tensor<f32>)
    -> tensor<2x5x9xf32> {
  %0 = llm.mul %x, %row : tensor<2x5x9xf32>, tensor<9xf32>
  %1 = llm.mul %0, %one : tensor<2x5x9xf32>, tensor<1xf32>
  %2 = llm.mul %1, %each : tensor<2x5x9xf32>, tensor<5x1xf32>
  %3 = llm.mul %2, %all : tensor<2x5x9xf32>, tensor<f32>
  return %3 : tensor<2x5x9xf32>
}

// CHECK: proportional: 90 elements agree
func.func @proportional(%x: tensor<1x5x3x6xf32>) -> tensor<1x5x3x6xf32> {
  %y = llm.rope %x at 7 theta 1.0e4 scaling <proportional factor = 0.67> : tensor<1x5x3x6xf32>
  return %y : tensor<1x5x3x6xf32>
}

// CHECK: causal: 160 elements agree
func.func @causal(%q: tensor<2x5x4x4xf32>, %k: tensor<2x7x2x4xf32>, %v: tensor<2x7x2x4xf32>, %sinks: tensor<4xf32>) -> tensor<2x5x4x4xf32> {
  %y = llm.gqa_attn %q, %k, %v sinks %sinks mask causal scale 0.5 soft_cap 4.0
    : tensor<2x5x4x4xf32>, tensor<2x7x2x4xf32>, tensor<2x7x2x4xf32>, tensor<4xf32>
  return %y : tensor<2x5x4x4xf32>
}

// CHECK: window: 160 elements agree
// Of another width of values, with three of four heads in the first part.
func.func @window(%q: tensor<2x5x4x2xf32>, %k: tensor<2x7x4x2xf32>, %v: tensor<2x7x4x4xf32>) -> tensor<2x5x4x4xf32> {
  %y = llm.gqa_attn %q, %k, %v mask causal window 3 scale 0.5
    : tensor<2x5x4x2xf32>, tensor<2x7x4x2xf32>, tensor<2x7x4x4xf32>
  return %y : tensor<2x5x4x4xf32>
}

// CHECK: chunk: 80 elements agree
func.func @chunk(%q: tensor<2x5x4x2xf32>, %k: tensor<2x7x2x2xf32>) -> tensor<2x5x4x2xf32> {
  %y = llm.gqa_attn %q, %k, %k mask causal chunk 3 from 5 scale 0.5
    : tensor<2x5x4x2xf32>, tensor<2x7x2x2xf32>, tensor<2x7x2x2xf32>
  return %y : tensor<2x5x4x2xf32>
}

// CHECK: ragged: 80 elements agree
func.func @ragged(%q: tensor<2x5x4x2xf32>, %k: tensor<2x7x2x2xf32>) -> tensor<2x5x4x2xf32> {
  %y = llm.gqa_attn %q, %k, %k mask causal lengths [7, 6] scale 0.5
    : tensor<2x5x4x2xf32>, tensor<2x7x2x2xf32>, tensor<2x7x2x2xf32>
  return %y : tensor<2x5x4x2xf32>
}

// CHECK: latent: 90 elements agree
func.func @latent(%q: tensor<2x5x3x4xf32>, %z: tensor<2x7x1x4xf32>) -> tensor<2x5x3x3xf32> {
  %y = llm.mla_attn %q, %z value_dim 3 mask causal scale 0.5
    : tensor<2x5x3x4xf32>, tensor<2x7x1x4xf32>
  return %y : tensor<2x5x3x3xf32>
}

// CHECK: pieces: 80 elements agree
func.func @pieces(%q: tensor<2x5x4x2xf32>, %k: tensor<2x7x2x2xf32>, %v: tensor<2x7x2x2xf32>) -> tensor<2x5x4x2xf32> {
  %s = llm.qk %q, %k mask causal scale 0.5 : tensor<2x5x4x2xf32>, tensor<2x7x2x2xf32>
  %p = llm.softmax %s mask causal : tensor<2x4x5x7xf32>
  %o = llm.pv %p, %v mask causal : tensor<2x4x5x7xf32>, tensor<2x7x2x2xf32>
  return %o : tensor<2x5x4x2xf32>
}

// CHECK: scores_of_all: 280 elements agree
// Without a mask keys can be cut, too.
func.func @scores_of_all(%q: tensor<2x5x4x2xf32>, %k: tensor<2x7x2x2xf32>) -> tensor<2x4x5x7xf32> {
  %s = llm.qk %q, %k mask full scale 0.5 : tensor<2x5x4x2xf32>, tensor<2x7x2x2xf32>
  return %s : tensor<2x4x5x7xf32>
}

// CHECK: repeat_kv: 120 elements agree
func.func @repeat_kv(%x: tensor<2x5x2x2xf32>) -> tensor<2x5x6x2xf32> {
  %y = llm.repeat_kv %x heads 6 : tensor<2x5x2x2xf32>
  return %y : tensor<2x5x6x2xf32>
}

// CHECK: sample: 7 elements agree
func.func @sample(%l: tensor<7x5xf32>) -> tensor<7xi32> {
  %t = llm.sample greedy %l : tensor<7x5xf32>
  return %t : tensor<7xi32>
}

// CHECK: sinks: 210 elements agree
func.func @sinks(%x: tensor<2x3x5x7xf32>, %s: tensor<3xf32>) -> tensor<2x3x5x7xf32> {
  %y = llm.softmax %x sinks %s mask causal window 4 soft_cap 2.0 : tensor<2x3x5x7xf32>, tensor<3xf32>
  return %y : tensor<2x3x5x7xf32>
}

// CHECK: full_lengths: 80 elements agree
func.func @full_lengths(%q: tensor<2x5x4x2xf32>, %k: tensor<2x7x2x2xf32>) -> tensor<2x5x4x2xf32> {
  %y = llm.gqa_attn %q, %k, %k mask full lengths [3, 7] scale 0.5 : tensor<2x5x4x2xf32>, tensor<2x7x2x2xf32>, tensor<2x7x2x2xf32>
  return %y : tensor<2x5x4x2xf32>
}

// CHECK: activations: 175 elements agree
func.func @activations(%x: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = llm.activation silu %x : tensor<5x7xf32>
  %1 = llm.activation gelu %x : tensor<5x7xf32>
  %2 = llm.activation relu %x : tensor<5x7xf32>
  %3 = llm.activation relu2 %x : tensor<5x7xf32>
  %4 = llm.swiglu %x, %x : tensor<5x7xf32>, tensor<5x7xf32>
  return %0, %1, %2, %3, %4 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>
}

// CHECK: ragged_scale: 90 elements agree
func.func @ragged_scale(%x: tensor<2x5x3x3xf32>) -> tensor<2x5x3x3xf32> {
  %y = llm.position_scale %x at [3, 100] step 2 slope 0.5 : tensor<2x5x3x3xf32>
  return %y : tensor<2x5x3x3xf32>
}

// CHECK: route_softmax: 30 elements agree
func.func @route_softmax(%l: tensor<5x8xf32>) -> (tensor<5x3xf32>, tensor<5x3xi32>) {
  %s, %e = llm.moe_route softmax %l top_k 3 normalize scale 2.5 : tensor<5x8xf32>
  return %s, %e : tensor<5x3xf32>, tensor<5x3xi32>
}

// CHECK: route_groups: 20 elements agree
func.func @route_groups(%l: tensor<5x8xf32>) -> (tensor<5x2xf32>, tensor<5x2xi32>) {
  %s, %e = llm.moe_route softmax %l top_k 2 groups 4 top_groups 2 : tensor<5x8xf32>
  return %s, %e : tensor<5x2xf32>, tensor<5x2xi32>
}

// CHECK: route_biased_groups: 30 elements agree
// As DeepSeek-V3: a bias, and groups by their two best.
func.func @route_biased_groups(%l: tensor<5x12xf32>, %b: tensor<12xf32>) -> (tensor<5x3xf32>, tensor<5x3xi32>) {
  %s, %e = llm.moe_route sigmoid %l bias %b top_k 3 groups 4 top_groups 2 normalize scale 2.5 : tensor<5x12xf32>, tensor<12xf32>
  return %s, %e : tensor<5x3xf32>, tensor<5x3xi32>
}

// CHECK: route_scaled: 60 elements agree
// Scales of experts, beside a bias and without one.
func.func @route_scaled(%l: tensor<5x8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>)
    -> (tensor<5x3xf32>, tensor<5x3xi32>, tensor<5x3xf32>, tensor<5x3xi32>) {
  %s, %e = llm.moe_route softmax %l expert_scales %c top_k 3 normalize : tensor<5x8xf32> expert_scales tensor<8xf32>
  %s1, %e1 = llm.moe_route sigmoid %l bias %b expert_scales %c top_k 3 scale 2.5
    : tensor<5x8xf32>, tensor<8xf32> expert_scales tensor<8xf32>
  return %s, %e, %s1, %e1 : tensor<5x3xf32>, tensor<5x3xi32>, tensor<5x3xf32>, tensor<5x3xi32>
}

// CHECK: route_selected: 50 elements agree
func.func @route_selected(%l: tensor<5x8xf32>) -> (tensor<5x4xf32>, tensor<5x4xi32>, tensor<5x1xf32>, tensor<5x1xi32>) {
  %s, %e = llm.moe_route topk_softmax %l top_k 4 : tensor<5x8xf32>
  %s1, %e1 = llm.moe_route topk_sigmoid %l top_k 1 : tensor<5x8xf32>
  return %s, %e, %s1, %e1 : tensor<5x4xf32>, tensor<5x4xi32>, tensor<5x1xf32>, tensor<5x1xi32>
}

// CHECK: experts: 20 elements agree
// Rows go where the router sends them, whatever rows_per_expert counts.
func.func @experts(%x: tensor<5x4xf32>, %l: tensor<5x6xf32>, %w: tensor<6x3x4xf32>, %b: tensor<6x3xf32>, %d: tensor<6x3x4xf32>) -> tensor<5x4xf32> {
  %s, %e = llm.moe_route softmax %l top_k 2 : tensor<5x6xf32>
  %rows = llm.moe_dispatch %x, %e shares %s : tensor<5x4xf32>, tensor<5x2xi32>, tensor<5x2xf32>
  %up = llm.grouped_matmul %rows, %w bias %b experts %e transpose_rhs rows_per_expert [2, 2, 2, 2, 1, 1] top_k 2 : tensor<10x4xf32>, tensor<6x3x4xf32>, tensor<6x3xf32> experts tensor<5x2xi32>
  %down = llm.grouped_matmul %up, %d experts %e rows_per_expert [2, 2, 2, 2, 1, 1] top_k 2 : tensor<10x3xf32>, tensor<6x3x4xf32> experts tensor<5x2xi32>
  %y = llm.moe_combine %down, %e, %s : tensor<10x4xf32>, tensor<5x2xi32>, tensor<5x2xf32>
  return %y : tensor<5x4xf32>
}

// CHECK: counted: 30 elements agree
// Nobody says where rows go: as many as are counted.
func.func @counted(%rows: tensor<10x4xf32>, %w: tensor<6x3x4xf32>) -> tensor<10x3xf32> {
  %up = llm.grouped_matmul %rows, %w transpose_rhs rows_per_expert [2, 0, 5, 2, 0, 1] top_k 2 : tensor<10x4xf32>, tensor<6x3x4xf32>
  return %up : tensor<10x3xf32>
}

// CHECK: grouped_norm: 96 elements agree
func.func @grouped_norm(%x: tensor<4x2x12xf32>, %w: tensor<2x12xf32>) -> tensor<4x2x12xf32> {
  %y = llm.rmsnorm %x, %w epsilon 1.0e-5 : tensor<4x2x12xf32>, tensor<2x12xf32>
  return %y : tensor<4x2x12xf32>
}

// CHECK: gates: 80 elements agree
func.func @gates(%x: tensor<5x8xf32>, %b: tensor<8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %y = llm.activation sigmoid %x : tensor<5x8xf32>
  %z = llm.activation softplus %x bias %b : tensor<5x8xf32>, tensor<8xf32>
  return %y, %z : tensor<5x8xf32>, tensor<5x8xf32>
}

// CHECK: conv1d: 136 elements agree
// More tokens than taps, fewer, and as many as the state keeps.
func.func @conv1d(%x: tensor<2x5x6xf32>, %one: tensor<2x1x4xf32>, %w: tensor<6x4xf32>, %b: tensor<6xf32>, %v: tensor<4x4xf32>)
    -> (tensor<2x5x6xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) {
  %0 = llm.state "conv" : !llm.state<batch = 2, 3x6xf32>
  %y, %1 = llm.conv1d %x, %w bias %b from %0 activation silu : tensor<2x5x6xf32>, tensor<6x4xf32>, tensor<6xf32>, !llm.state<batch = 2, 3x6xf32>
  %2 = llm.state "step" : !llm.state<batch = 2, 3x4xf32>
  %z, %3 = llm.conv1d %one, %v from %2 : tensor<2x1x4xf32>, tensor<4x4xf32>, !llm.state<batch = 2, 3x4xf32>
  %u, %4 = llm.conv1d %z, %v from %3 : tensor<2x1x4xf32>, tensor<4x4xf32>, !llm.state<batch = 2, 3x4xf32>
  return %y, %z, %u : tensor<2x5x6xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>
}

// CHECK: ssd: 800 elements agree
// Mamba-2, as steps and in chunks of which the last is not full.
func.func @ssd(%q: tensor<2x7x2x3xf32>, %k: tensor<2x7x2x3xf32>, %v: tensor<2x7x4x5xf32>, %dt: tensor<2x7x4xf32>, %a: tensor<4xf32>, %d: tensor<4xf32>)
    -> (tensor<2x7x4x5xf32>, tensor<2x7x4x5xf32>) {
  %step = llm.activation softplus %dt : tensor<2x7x4xf32>
  %0 = llm.state "steps" : !llm.state<batch = 2, 4x3x5xf32>
  %y, %1 = llm.linear_attn additive %q, %k, %v decay %step rate %a beta %step skip %d from %0 scale 1.0
     : tensor<2x7x2x3xf32>, tensor<2x7x2x3xf32>, tensor<2x7x4x5xf32>, tensor<2x7x4xf32>, tensor<4xf32>, tensor<2x7x4xf32>, tensor<4xf32>, !llm.state<batch = 2, 4x3x5xf32>
  %2 = llm.state "chunks" : !llm.state<batch = 2, 4x3x5xf32>
  %z, %3 = llm.linear_attn additive %q, %k, %v decay %step rate %a beta %step skip %d from %2 chunk 3 scale 1.0
     : tensor<2x7x2x3xf32>, tensor<2x7x2x3xf32>, tensor<2x7x4x5xf32>, tensor<2x7x4xf32>, tensor<4xf32>, tensor<2x7x4xf32>, tensor<4xf32>, !llm.state<batch = 2, 4x3x5xf32>
  return %y, %z : tensor<2x7x4x5xf32>, tensor<2x7x4x5xf32>
}

// CHECK: gated_delta: 264 elements agree
// The gated delta rule, whose decay is one number a head.
func.func @gated_delta(%q: tensor<1x7x2x4xf32>, %k: tensor<1x7x2x4xf32>, %v: tensor<1x7x4x3xf32>, %a: tensor<1x7x4xf32>, %r: tensor<4xf32>, %b: tensor<1x7x4xf32>)
    -> (tensor<1x7x4x3xf32>, tensor<1x7x4x3xf32>) {
  %step = llm.activation softplus %a : tensor<1x7x4xf32>
  %beta = llm.activation sigmoid %b : tensor<1x7x4xf32>
  %0 = llm.state "steps" : !llm.state<batch = 1, 4x4x3xf32>
  %y, %1 = llm.linear_attn delta %q, %k, %v decay %step rate %r beta %beta from %0 qk_norm 1.0e-6 scale 0.5
     : tensor<1x7x2x4xf32>, tensor<1x7x2x4xf32>, tensor<1x7x4x3xf32>, tensor<1x7x4xf32>, tensor<4xf32>, tensor<1x7x4xf32>, !llm.state<batch = 1, 4x4x3xf32>
  %2 = llm.state "chunks" : !llm.state<batch = 1, 4x4x3xf32>
  %z, %3 = llm.linear_attn delta %q, %k, %v decay %step rate %r beta %beta from %2 chunk 4 qk_norm 1.0e-6 scale 0.5
     : tensor<1x7x2x4xf32>, tensor<1x7x2x4xf32>, tensor<1x7x4x3xf32>, tensor<1x7x4xf32>, tensor<4xf32>, tensor<1x7x4xf32>, !llm.state<batch = 1, 4x4x3xf32>
  return %y, %z : tensor<1x7x4x3xf32>, tensor<1x7x4x3xf32>
}

// CHECK: channel_decay: 264 elements agree
// Kimi delta attention: a decay for each channel, with a limit and without.
func.func @channel_decay(%q: tensor<2x5x2x4xf32>, %k: tensor<2x5x2x4xf32>, %v: tensor<2x5x2x3xf32>, %a: tensor<2x5x2x4xf32>, %r: tensor<2xf32>, %b: tensor<2x5x2xf32>)
    -> (tensor<2x5x2x3xf32>, tensor<2x5x2x3xf32>) {
  %0 = llm.state "steps" : !llm.state<batch = 2, 2x4x3xf32>
  %y, %1 = llm.linear_attn delta %q, %k, %v decay %a rate %r limit -5.0 beta %b from %0 qk_norm 1.0e-6 scale 0.5
     : tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x3xf32>, tensor<2x5x2x4xf32>, tensor<2xf32>, tensor<2x5x2xf32>, !llm.state<batch = 2, 2x4x3xf32>
  %2 = llm.state "chunks" : !llm.state<batch = 2, 2x4x3xf32>
  %z, %3 = llm.linear_attn delta %q, %k, %v decay %a rate %r limit -5.0 beta %b from %2 chunk 2 qk_norm 1.0e-6 scale 0.5
     : tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x3xf32>, tensor<2x5x2x4xf32>, tensor<2xf32>, tensor<2x5x2xf32>, !llm.state<batch = 2, 2x4x3xf32>
  %4 = llm.state "open" : !llm.state<batch = 2, 2x4x3xf32>
  %u, %5 = llm.linear_attn additive %q, %k, %v decay %a from %4 chunk 8 scale 0.5
     : tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x3xf32>, tensor<2x5x2x4xf32>, !llm.state<batch = 2, 2x4x3xf32>
  %sum = llm.add %z, %u : tensor<2x5x2x3xf32>, tensor<2x5x2x3xf32>
  return %y, %sum : tensor<2x5x2x3xf32>, tensor<2x5x2x3xf32>
}

// CHECK: plain_linear: 96 elements agree
// No decay, and one that all tokens share (lightning attention).
func.func @plain_linear(%q: tensor<1x5x2x3xf32>, %k: tensor<1x5x2x3xf32>, %v: tensor<1x5x2x3xf32>, %r: tensor<2xf32>)
    -> (tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>) {
  %0 = llm.state "plain" : !llm.state<batch = 1, 2x3x3xf32>
  %y, %1 = llm.linear_attn delta %q, %k, %v from %0 chunk 2 scale 1.0
     : tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x3x3xf32>
  %2 = llm.state "fixed" : !llm.state<batch = 1, 2x3x3xf32>
  %z, %3 = llm.linear_attn additive %q, %k, %v rate %r from %2 chunk 2 scale 1.0
     : tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, tensor<2xf32>, !llm.state<batch = 1, 2x3x3xf32>
  %u, %4 = llm.linear_attn additive %q, %k, %v rate %r from %3 scale 1.0
     : tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, tensor<2xf32>, !llm.state<batch = 1, 2x3x3xf32>
  %sum = llm.add %z, %u : tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>
  return %y, %sum : tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>
}

// CHECK: gated_units: 70 elements agree
func.func @gated_units(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = llm.swiglu %x, %y clamp 0.5 : tensor<5x7xf32>, tensor<5x7xf32>
  %1 = llm.swiglu %x, %y caps 2.0, 3.0 : tensor<5x7xf32>, tensor<5x7xf32>
  return %0, %1 : tensor<5x7xf32>, tensor<5x7xf32>
}

// CHECK: every_step: 212 elements agree
// States behind each of 3 drafts.
func.func @every_step(%q: tensor<2x3x1x4xf32>, %v: tensor<2x3x2x3xf32>, %a: tensor<2x3x2xf32>, %x: tensor<1x3x4xf32>, %w: tensor<4x4xf32>)
    -> (tensor<2x3x2x3xf32>, tensor<1x3x4xf32>) {
  %0 = llm.state "drafts" : !llm.state<batch = 2, 2x4x3xf32>
  %y, %1 = llm.linear_attn delta %q, %q, %v decay %a beta %a from %0 scale 1.0 every_step
     : tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>, !llm.state<batch = 2, 2x4x3xf32>
  %2 = llm.state "inputs" : !llm.state<batch = 1, 3x4xf32>
  %z, %3 = llm.conv1d %x, %w from %2 every_step : tensor<1x3x4xf32>, tensor<4x4xf32>, !llm.state<batch = 1, 3x4xf32>
  return %y, %z : tensor<2x3x2x3xf32>, tensor<1x3x4xf32>
}
