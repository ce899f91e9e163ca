module {
  func.func @step(%arg0: tensor<2x1x4x16xbf16>, %arg1: tensor<16xbf16>) -> tensor<2x1x4x16xbf16> {
    %q_norm = llm.rmsnorm "self_attn.q_norm" %arg0, %arg1 add_unit_offset epsilon 1.0e-6 : tensor<2x1x4x16xbf16>, tensor<16xbf16>
    %q_rope = llm.rope "self_attn.q_rope" %q_norm at [23, 8] theta 500000.0 scaling <llama3 factor = 32.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_max_position_embeddings = 8192> interleaved : tensor<2x1x4x16xbf16>
    return %q_rope : tensor<2x1x4x16xbf16>
  }
}

