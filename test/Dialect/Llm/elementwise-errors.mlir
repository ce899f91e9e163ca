// RUN: llm-opt %s -split-input-file -verify-diagnostics

// rmsnorm-C1: a scalar has no last dimension.
func.func @norm_of_scalar(%x: tensor<f32>, %w: tensor<1xf32>) {
  // expected-error @+1 {{'llm.rmsnorm' op needs at least one dimension}}
  %0 = llm.rmsnorm %x, %w epsilon 0.0 : tensor<f32>, tensor<1xf32>
  return
}

// -----

// rmsnorm-C2: the weight has another size than the last dimension.
func.func @norm_weight(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'llm.rmsnorm' op weight 'tensor<4xf32>' must have the last dimension of 'tensor<4x8xf32>', or the last several}}
  %0 = llm.rmsnorm %x, %w epsilon 0.0 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

// rmsnorm-C3: epsilon is below 0.
func.func @norm_epsilon(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'llm.rmsnorm' op epsilon must be finite and not negative}}
  %0 = llm.rmsnorm %x, %w epsilon -1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

// rmsnorm-C3: epsilon is not a number.
func.func @norm_epsilon_nan(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'llm.rmsnorm' op epsilon must be finite and not negative}}
  %0 = llm.rmsnorm %x, %w epsilon 0x7FF8000000000000 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

// rmsnorm-C3: an epsilon without end makes all values 0.
func.func @norm_epsilon_infinite(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'llm.rmsnorm' op epsilon must be finite and not negative}}
  %0 = llm.rmsnorm %x, %w epsilon 0x7FF0000000000000 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

// rope-C1: an odd head_dim leaves one element without a partner.
func.func @rope_odd(%x: tensor<1x2x4x7xf32>) {
  // expected-error @+1 {{'llm.rope' op rotates pairs: head_dim must be even, got 7}}
  %0 = llm.rope %x at 0 theta 1.0e4 : tensor<1x2x4x7xf32>
  return
}

// -----

// rope-C2: there is no position before the first.
func.func @rope_begin(%x: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{'llm.rope' op the first position must not be negative}}
  %0 = llm.rope %x at -1 theta 1.0e4 : tensor<1x2x4x8xf32>
  return
}

// -----

// rope-C3: theta is 0.
func.func @rope_theta(%x: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{'llm.rope' op theta must be finite and positive}}
  %0 = llm.rope %x at 0 theta 0.0 : tensor<1x2x4x8xf32>
  return
}

// -----

// rope-C3: theta has no end, which only the first pair would survive.
func.func @rope_theta_infinite(%x: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{'llm.rope' op theta must be finite and positive}}
  %0 = llm.rope %x at 0 theta 0x7FF0000000000000 : tensor<1x2x4x8xf32>
  return
}

// -----

// rope-C3: theta is not a number.
func.func @rope_theta_nan(%x: tensor<1x2x4x8xf32>) {
  // expected-error @+1 {{'llm.rope' op theta must be finite and positive}}
  %0 = llm.rope %x at 0 theta 0x7FF8000000000000 : tensor<1x2x4x8xf32>
  return
}

// -----

// binary-C1: a sum of two shapes.
func.func @add(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'llm.add' op operands must have one type, got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0 = llm.add %x, %y : tensor<4xf32>, tensor<5xf32>
  return
}

// -----

// mul-C1: one factor for each row, where there is one for each column.
func.func @mul(%x: tensor<4x5xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{needs a right operand that has the last dimensions of the left one, or size 1 there, got 'tensor<4x5xf32>' and 'tensor<4xf32>'}}
  %0 = llm.mul %x, %y : tensor<4x5xf32>, tensor<4xf32>
  return
}

// -----

// mul-C1: the left operand is not broadcast.
func.func @mul(%x: tensor<4xf32>, %y: tensor<1x4xf32>) {
  // expected-error @+1 {{or size 1 there, got 'tensor<4xf32>' and 'tensor<1x4xf32>'}}
  %0 = llm.mul %x, %y : tensor<4xf32>, tensor<1x4xf32>
  return
}

// -----

// mul-C1: neither where it has size 1.
func.func @mul(%x: tensor<1x4xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+1 {{or size 1 there, got 'tensor<1x4xf32>' and 'tensor<3x4xf32>'}}
  %0 = llm.mul %x, %y : tensor<1x4xf32>, tensor<3x4xf32>
  return
}

// -----

// binary-C1: a gate and an up projection of two ranks.
func.func @swiglu(%x: tensor<4xf32>, %y: tensor<1x4xf32>) {
  // expected-error @+1 {{'llm.swiglu' op operands must have one type, got 'tensor<4xf32>' and 'tensor<1x4xf32>'}}
  %0 = llm.swiglu %x, %y : tensor<4xf32>, tensor<1x4xf32>
  return
}

// -----

// An activation that is not known: the parser lists those that are.
func.func @activation(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to parse Llm_ActivationKindAttr parameter 'value'}}
  // expected-error @+1 {{custom op 'llm.activation' expected one of [silu, gelu, gelu_tanh, relu, relu2, sigmoid, softplus] for elementwise nonlinearity, got: tanh}}
  %0 = llm.activation tanh %x : tensor<4xf32>
  return
}

// -----

// binary-C1: a gate of another shape.
func.func @geglu(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'llm.geglu' op operands must have one type, got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0 = llm.geglu %x, %y : tensor<4xf32>, tensor<5xf32>
  return
}

// -----

// scale-C1: a factor that is no number.
func.func @scale(%x: tensor<4xf32>) {
  // expected-error @+1 {{'llm.scale' op factor must be finite}}
  %0 = llm.scale %x by 0x7FF8000000000000 : tensor<4xf32>
  return
}

// -----

// soft_cap-C1: a cap below nothing.
func.func @soft_cap(%x: tensor<4xf32>) {
  // expected-error @+1 {{'llm.soft_cap' op cap must be finite and positive}}
  %0 = llm.soft_cap %x cap -30.0 : tensor<4xf32>
  return
}

// -----

// rope-C2: three positions for two sequences.
func.func @rope_positions(%x: tensor<2x3x4x8xf32>) {
  // expected-error @+1 {{'llm.rope' op has 3 positions for 2 sequences}}
  %0 = llm.rope %x at [1, 2, 3] theta 1.0e4 : tensor<2x3x4x8xf32>
  return
}

// -----

// rope-C2: a position of one sequence before the first.
func.func @rope_begins(%x: tensor<2x3x4x8xf32>) {
  // expected-error @+1 {{'llm.rope' op the first position must not be negative}}
  %0 = llm.rope %x at [1, -1] theta 1.0e4 : tensor<2x3x4x8xf32>
  return
}

// -----

// position_scale-C1: three positions for two sequences.
func.func @position_scale_positions(%x: tensor<2x3x4x8xf32>) {
  // expected-error @+1 {{'llm.position_scale' op has 3 positions for 2 sequences}}
  %0 = llm.position_scale %x at [1, 2, 3] step 8192 slope 0.1 : tensor<2x3x4x8xf32>
  return
}

// -----

// position_scale-C1: a position before the first.
func.func @position_scale_begin(%x: tensor<2x3x4x8xf32>) {
  // expected-error @+1 {{'llm.position_scale' op the first position must not be negative}}
  %0 = llm.position_scale %x at -1 step 8192 slope 0.1 : tensor<2x3x4x8xf32>
  return
}

// -----

// position_scale-C2: a step of nothing.
func.func @position_scale_step(%x: tensor<2x3x4x8xf32>) {
  // expected-error @+1 {{'llm.position_scale' op step must be positive}}
  %0 = llm.position_scale %x at 0 step 0 slope 0.1 : tensor<2x3x4x8xf32>
  return
}

// -----

// position_scale-C3: a slope that is no number.
func.func @position_scale_slope(%x: tensor<2x3x4x8xf32>) {
  // expected-error @+1 {{'llm.position_scale' op slope must be finite}}
  %0 = llm.position_scale %x at 0 step 8192 slope 0x7FF8000000000000 : tensor<2x3x4x8xf32>
  return
}

// -----

// quantize-C1: a type that is no number.
func.func @quantize_type(%x: tensor<2x3x4x8xf32>) {
  // expected-error @+1 {{'llm.quantize' op quantizes to a float, integer or block-scaled type, got 'index'}}
  %0 = llm.quantize %x to index : tensor<2x3x4x8xf32>
  return
}

// -----

// quantize-C2: a scalar has no block.
func.func @quantize_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.quantize' op needs at least one dimension}}
  %0 = llm.quantize %x to i8 : tensor<f32>
  return
}

// -----

// quantize-C3: a scale that is not known before; one of rows, of which none is that of all.
func.func @quantize_dynamic(%x: tensor<2x8xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'llm.quantize' op takes a scale where it is 'static', to a block-scaled type whose last layer has one for all of 'tensor<2x8xf32>'}}
  %0 = llm.quantize %x by %s to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<2x8xf32>, tensor<f32>
  return
}

// -----

func.func @quantize_rows(%x: tensor<2x8xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'llm.quantize' op takes a scale where it is 'static', to a block-scaled type whose last layer has one for all of 'tensor<2x8xf32>'}}
  %0 = llm.quantize %x static by %s to !llm.block_scaled<f8E4M3FN, [?], f32> : tensor<2x8xf32>, tensor<f32>
  return
}

// -----

// quantize-C4: a scale of another type.
func.func @quantize_scale_type(%x: tensor<2x8xf32>, %s: tensor<1xf32>) {
  // expected-error @+1 {{'llm.quantize' op takes a scale of the last layer, 'tensor<f32>', got 'tensor<1xf32>'}}
  %0 = llm.quantize %x static by %s to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<2x8xf32>, tensor<1xf32>
  return
}

// -----

// swiglu-C1: a limit of nothing.
func.func @swiglu_limit(%x: tensor<4xf32>) {
  // expected-error @+1 {{'llm.swiglu' op limit must be finite and positive}}
  %0 = llm.swiglu %x, %x limit 0.0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// swiglu-C1: a cap of nothing.
func.func @swiglu_caps(%x: tensor<4xf32>) {
  // expected-error @+1 {{'llm.swiglu' op caps must be finite and positive}}
  %0 = llm.swiglu %x, %x caps 4.0, 0.0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// swiglu-C2: two forms at once.
func.func @swiglu_forms(%x: tensor<4xf32>) {
  // expected-error @+1 {{'llm.swiglu' op has one of limit, clamp and two caps at most}}
  %0 = llm.swiglu %x, %x limit 7.0 clamp 7.0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// swiglu-C1: a limit without end is none.
func.func @swiglu_limit_infinite(%x: tensor<4xf32>) {
  // expected-error @+1 {{'llm.swiglu' op limit must be finite and positive}}
  %0 = llm.swiglu %x, %x limit 0x7FF0000000000000 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// rmsnorm-C4: there is no weight to which 1 could be added.
func.func @offset_of_nothing(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{adds add_unit_offset to a weight, and has none}}
  %0 = llm.rmsnorm %x add_unit_offset epsilon 0.0 : tensor<4x8xf32>
  return
}

// -----

// rope-C4: 2 factors for 4 pairs.
func.func @few_factors(%x: tensor<1x2x3x8xf32>) {
  // expected-error @+1 {{scaling has 2 factors for the pairs of 'tensor<1x2x3x8xf32>'}}
  %0 = llm.rope %x at 0 theta 1.0e4 scaling <listed factors = [1.0, 2.0]> : tensor<1x2x3x8xf32>
  return
}

// -----

// layernorm-C1: a scalar has no last dimension.
func.func @scalar(%x: tensor<f32>, %w: tensor<1xf32>) {
  // expected-error @+1 {{'llm.layernorm' op needs at least one dimension}}
  %0 = llm.layernorm %x, %w, %w epsilon 0.0 : tensor<f32>, tensor<1xf32>, tensor<1xf32>
  return
}

// -----

// layernorm-C2: the bias has another size than the last dimension.
func.func @bias(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'llm.layernorm' op 'tensor<4xf32>' must have the 8 elements of the last dimension of 'tensor<4x8xf32>'}}
  %0 = llm.layernorm %x, %w, %b epsilon 0.0 : tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

// layernorm-C3: epsilon is below 0.
func.func @epsilon(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'llm.layernorm' op epsilon must be finite and not negative}}
  %0 = llm.layernorm %x, %w, %w epsilon -1.0 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}
