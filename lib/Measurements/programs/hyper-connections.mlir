// Hyper-connections (mHC, DeepSeek-V4): what reads one stream out of several, and what writes them back. A row is two calls. The
// norm in front of the product is a factor of its results, so the streams are read for the product and for the mix. The product
// runs in TF32, of which targets have no rate; in bf16, it waits for memory as well.

//! mhc_pre streams=4
func.func @row(%x: tensor<$(tokens)x$(streams)x$(hidden)xbf16>, %flat: tensor<$(tokens)x$(streams * hidden)xbf16>,
    %fn: tensor<24x$(streams * hidden)xbf16>, %scale: tensor<3xf32>, %bias: tensor<24xf32>, %own: tensor<$(tokens)x1x$(streams)xf32>) {
  %p1 = llm.matmul "fn1" %flat, %fn transpose_rhs to f32 : tensor<$(tokens)x$(streams * hidden)xbf16>, tensor<24x$(streams * hidden)xbf16>
  %w1 = llm.stream_weights "weights1" %p1 scale %scale bias %bias streams $(streams) iterations $(sinkhorn_iters) epsilon 1.0e-6 : tensor<$(tokens)x24xf32>, tensor<3xf32>, tensor<24xf32>
  %y1 = llm.mix_streams "read1" %own, %x : tensor<$(tokens)x1x$(streams)xf32>, tensor<$(tokens)x$(streams)x$(hidden)xbf16>
  %p2 = llm.matmul "fn2" %flat, %fn transpose_rhs to f32 : tensor<$(tokens)x$(streams * hidden)xbf16>, tensor<24x$(streams * hidden)xbf16>
  %w2 = llm.stream_weights "weights2" %p2 scale %scale bias %bias streams $(streams) iterations $(sinkhorn_iters) epsilon 1.0e-6 : tensor<$(tokens)x24xf32>, tensor<3xf32>, tensor<24xf32>
  %y2 = llm.mix_streams "read2" %own, %x : tensor<$(tokens)x1x$(streams)xf32>, tensor<$(tokens)x$(streams)x$(hidden)xbf16>
  return
}

//! mhc_post
func.func @row(%x: tensor<$(tokens)x$(streams + 1)x$(hidden)xbf16>, %w: tensor<$(tokens)x$(streams)x$(streams + 1)xf32>) {
  %1 = llm.mix_streams "write1" %w, %x : tensor<$(tokens)x$(streams)x$(streams + 1)xf32>, tensor<$(tokens)x$(streams + 1)x$(hidden)xbf16>
  %2 = llm.mix_streams "write2" %w, %x : tensor<$(tokens)x$(streams)x$(streams + 1)xf32>, tensor<$(tokens)x$(streams + 1)x$(hidden)xbf16>
  return
}
