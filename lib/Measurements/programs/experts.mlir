// The routed experts of one rank: the choice of experts, the order of rows, both products with the activation between them
// (and what brings rows into 8 bits), and the weighted sum. There is no product of a router, no shared expert, and nothing is
// exchanged. If ranks share the experts, the choice is not in the time, and the rows of products are those of the rank. The
// activation and the sum go over the rows of all experts of all tokens, as in the kernels of Triton and Marlin. SGLang's kernel of
// Triton gets MXFP4 weights that were brought into bf16 when they were loaded (Mxfp4MoEMethod).
//
// Kernels of Triton and Marlin gather rows while they multiply: only numbers of tokens are sorted (moe_align_block_size), and tokens are
// brought into 8 bits once, whatever number of experts they go to. FlashInfer's kernels of CUTLASS have a kernel that copies the rows
// (expandInputRows), in 8 bits where weights have one scale, and in 16 where scales are of blocks. Where ranks share the experts, and
// scales are not of blocks, activation and sum leave out rows of other ranks: the sum reads the rows of the rank and writes all tokens,
// which here is as many rows as their mean, each read and written (https://github.com/flashinfer-ai/flashinfer,
// finalizeMoeRoutingKernel).
//
// SGLang tunes its kernel of Triton for some numbers of experts and widths on some devices, and takes a default configuration
// elsewhere, which is slower by up to two. These are those of H100 in bf16
// (https://github.com/sgl-project/sglang, moe_runner/triton_utils/configs).

//! moe device=H100-SXM-80GB dtype=bf16 backend=sglang_0.5.14_fused_moe_triton gated=1 expert_parallel=1 experts_per_rank=128 expert_inter_per_rank=96|192|352|384|704|768
//! moe device=H100-SXM-80GB dtype=bf16 backend=sglang_0.5.14_fused_moe_triton gated=1 expert_parallel=1 experts_per_rank=64 expert_inter_per_rank=192|384|768|1536
//! moe dtype=bf16 backend=sglang_0.5.14_fused_moe_triton gated=1 expert_parallel=1 with library=sglang_0.5.14_fused_moe_triton_default_config
//! moe dtype=bf16 gated=1 expert_parallel=1
//! moe dtype=w4a16_mxfp4 backend=sglang_0.5.14_fused_moe_triton gated=1 expert_parallel=1 with library=sglang_0.5.14_fused_moe_triton_default_config
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)xbf16>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16>,
    %rows: tensor<$(tokens * topk)x$(hidden)xbf16>,
    %ids: tensor<$(tokens)x1xbf16>,
    %logits: tensor<$(tokens)x$(experts)xbf16>) {
  %shares, %experts = llm.moe_route "route" softmax %logits top_k $(topk) normalize : tensor<$(tokens)x$(experts)xbf16>
  %sorted = llm.moe_dispatch "sort" %ids, %experts : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk)
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)xbf16> experts tensor<$(tokens)x$(topk)xi32>
  %gate = tensor.extract_slice %up[0, 0] [$(tokens * topk), $(expert_inter_per_rank)] [1, 1] : tensor<$(tokens * topk)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %half = tensor.extract_slice %up[0, $(expert_inter_per_rank)] [$(tokens * topk), $(expert_inter_per_rank)] [1, 1] : tensor<$(tokens * topk)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %act = llm.swiglu "act" %gate, %half : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %act, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk)
      : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16> experts tensor<$(tokens)x$(topk)xi32>
  %y = llm.moe_combine "combine" %down, %experts, %shares : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe device=H100-SXM-80GB dtype=bf16 backend=sglang_0.5.14_fused_moe_triton gated=1 experts_per_rank=128 expert_inter_per_rank=96|192|352|384|704|768
//! moe device=H100-SXM-80GB dtype=bf16 backend=sglang_0.5.14_fused_moe_triton gated=1 experts_per_rank=64 expert_inter_per_rank=192|384|768|1536
//! moe dtype=bf16 backend=sglang_0.5.14_fused_moe_triton gated=1 with library=sglang_0.5.14_fused_moe_triton_default_config
//! moe dtype=bf16 gated=1
//! moe dtype=w4a16_mxfp4 backend=sglang_0.5.14_fused_moe_triton gated=1 with library=sglang_0.5.14_fused_moe_triton_default_config
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)xbf16>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16>,
    %rows: tensor<$(rows_of_rank)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %ids: tensor<$(tokens)x1xbf16>,
    %all: tensor<$(tokens)x$(topk)xi32>,
    %shares: tensor<$(tokens)x$(topk)xbf16>,
    %gate: tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>,
    %mid: tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>,
    %out: tensor<$(tokens * topk)x$(hidden)xbf16>) {
  %sorted = llm.moe_dispatch "sort" %ids, %all : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1
      : tensor<$(rows_of_rank)x$(hidden)xbf16>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)xbf16> experts tensor<$(rows_of_rank)x1xi32>
  %act = llm.swiglu "act" %gate, %gate : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %mid, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %out, %all, %shares
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=bf16 backend=sglang_0.5.14_flashinfer_cutlass_moe gated=0 expert_parallel=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)xbf16>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %logits: tensor<$(tokens)x$(experts)xbf16>) {
  %shares, %experts = llm.moe_route "route" softmax %logits top_k $(topk) normalize : tensor<$(tokens)x$(experts)xbf16>
  %rows = llm.moe_dispatch "dispatch" %x, %experts : tensor<$(tokens)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk)
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)xbf16> experts tensor<$(tokens)x$(topk)xi32>
  %act = llm.activation "act" relu2 %up : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %act, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk)
      : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16> experts tensor<$(tokens)x$(topk)xi32>
  %y = llm.moe_combine "combine" %down, %experts, %shares : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=bf16 gated=0 expert_parallel=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)xbf16>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16>,
    %rows: tensor<$(tokens * topk)x$(hidden)xbf16>,
    %ids: tensor<$(tokens)x1xbf16>,
    %logits: tensor<$(tokens)x$(experts)xbf16>) {
  %shares, %experts = llm.moe_route "route" softmax %logits top_k $(topk) normalize : tensor<$(tokens)x$(experts)xbf16>
  %sorted = llm.moe_dispatch "sort" %ids, %experts : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk)
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)xbf16> experts tensor<$(tokens)x$(topk)xi32>
  %act = llm.activation "act" relu2 %up : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %act, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk)
      : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16> experts tensor<$(tokens)x$(topk)xi32>
  %y = llm.moe_combine "combine" %down, %experts, %shares : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=bf16 backend=sglang_0.5.14_flashinfer_cutlass_moe gated=0
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)xbf16>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16>,
    %x: tensor<$(rows_of_rank)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %one: tensor<$((rows_of_rank + tokens) ceildiv 2)x1xi32>,
    %shares: tensor<$((rows_of_rank + tokens) ceildiv 2)x1xbf16>,
    %moved: tensor<$((rows_of_rank + tokens) ceildiv 2)x$(hidden)xbf16>) {
  %rows = llm.moe_dispatch "dispatch" %x, %experts : tensor<$(rows_of_rank)x$(hidden)xbf16>, tensor<$(rows_of_rank)x1xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1
      : tensor<$(rows_of_rank)x$(hidden)xbf16>, tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)xbf16> experts tensor<$(rows_of_rank)x1xi32>
  %act = llm.activation "act" relu2 %up : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %act, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %moved, %one, %shares
      : tensor<$((rows_of_rank + tokens) ceildiv 2)x$(hidden)xbf16>, tensor<$((rows_of_rank + tokens) ceildiv 2)x1xi32>, tensor<$((rows_of_rank + tokens) ceildiv 2)x1xbf16>
  return
}

//! moe dtype=bf16 gated=0
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)xbf16>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16>,
    %rows: tensor<$(rows_of_rank)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %ids: tensor<$(tokens)x1xbf16>,
    %all: tensor<$(tokens)x$(topk)xi32>,
    %shares: tensor<$(tokens)x$(topk)xbf16>,
    %gate: tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>,
    %mid: tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>,
    %out: tensor<$(tokens * topk)x$(hidden)xbf16>) {
  %sorted = llm.moe_dispatch "sort" %ids, %all : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1
      : tensor<$(rows_of_rank)x$(hidden)xbf16>, tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)xbf16> experts tensor<$(rows_of_rank)x1xi32>
  %act = llm.activation "act" relu2 %gate : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %mid, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)xbf16> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %out, %all, %shares
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=fp8_block128 gated=1 expert_parallel=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %rows: tensor<$(tokens * topk)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %ids: tensor<$(tokens)x1xbf16>,
    %logits: tensor<$(tokens)x$(experts)xbf16>) {
  %shares, %experts = llm.moe_route "route" softmax %logits top_k $(topk) normalize : tensor<$(tokens)x$(experts)xbf16>
  %sorted = llm.moe_dispatch "sort" %ids, %experts : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up_q = llm.quantize "up.quantize" %x to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(tokens)x$(hidden)xbf16>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(tokens)x$(topk)xi32>
  %gate = tensor.extract_slice %up[0, 0] [$(tokens * topk), $(expert_inter_per_rank)] [1, 1] : tensor<$(tokens * topk)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %half = tensor.extract_slice %up[0, $(expert_inter_per_rank)] [$(tokens * topk), $(expert_inter_per_rank)] [1, 1] : tensor<$(tokens * topk)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %act = llm.swiglu "act" %gate, %half : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %act to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(tokens)x$(topk)xi32>
  %y = llm.moe_combine "combine" %down, %experts, %shares : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=fp8_block128 backend=vllm_0.24.0_fp8moe_flashinfer_cutlass_flashinferexperts gated=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %x: tensor<$(rows_of_rank)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %all: tensor<$(tokens)x$(topk)xi32>,
    %shares: tensor<$(tokens)x$(topk)xbf16>,
    %gate: tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>,
    %mid: tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>,
    %out: tensor<$(tokens * topk)x$(hidden)xbf16>) {
  %rows = llm.moe_dispatch "dispatch" %x, %experts : tensor<$(rows_of_rank)x$(hidden)xbf16>, tensor<$(rows_of_rank)x1xi32>
  %up_q = llm.quantize "up.quantize" %rows to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(rows_of_rank)x$(hidden)xbf16>
  %up = llm.grouped_matmul "up" %up_q, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %act = llm.swiglu "act" %gate, %gate : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %mid to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %out, %all, %shares
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=fp8_block128 gated=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %rows: tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %ids: tensor<$(tokens)x1xbf16>,
    %all: tensor<$(tokens)x$(topk)xi32>,
    %shares: tensor<$(tokens)x$(topk)xbf16>,
    %gate: tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>,
    %mid: tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>,
    %out: tensor<$(tokens * topk)x$(hidden)xbf16>) {
  %sorted = llm.moe_dispatch "sort" %ids, %all : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up_q = llm.quantize "up.quantize" %x to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(tokens)x$(hidden)xbf16>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %act = llm.swiglu "act" %gate, %gate : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %mid to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %out, %all, %shares
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=fp8_block128 gated=0 expert_parallel=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %rows: tensor<$(tokens * topk)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %ids: tensor<$(tokens)x1xbf16>,
    %logits: tensor<$(tokens)x$(experts)xbf16>) {
  %shares, %experts = llm.moe_route "route" softmax %logits top_k $(topk) normalize : tensor<$(tokens)x$(experts)xbf16>
  %sorted = llm.moe_dispatch "sort" %ids, %experts : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up_q = llm.quantize "up.quantize" %x to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(tokens)x$(hidden)xbf16>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(tokens)x$(topk)xi32>
  %act = llm.activation "act" relu2 %up : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %act to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(tokens)x$(topk)xi32>
  %y = llm.moe_combine "combine" %down, %experts, %shares : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=fp8_block128 gated=0
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %rows: tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %ids: tensor<$(tokens)x1xbf16>,
    %all: tensor<$(tokens)x$(topk)xi32>,
    %shares: tensor<$(tokens)x$(topk)xbf16>,
    %gate: tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>,
    %mid: tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>,
    %out: tensor<$(tokens * topk)x$(hidden)xbf16>) {
  %sorted = llm.moe_dispatch "sort" %ids, %all : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up_q = llm.quantize "up.quantize" %x to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(tokens)x$(hidden)xbf16>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %act = llm.activation "act" relu2 %gate : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %mid to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %out, %all, %shares
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=fp8 gated=1 expert_parallel=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %narrow: tensor<$(tokens)x$(hidden)xf8E4M3FN>,
    %rows: tensor<$(tokens * topk)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %logits: tensor<$(tokens)x$(experts)xbf16>) {
  %shares, %experts = llm.moe_route "route" softmax %logits top_k $(topk) normalize : tensor<$(tokens)x$(experts)xbf16>
  %up_q = llm.quantize "up.quantize" %x static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(tokens)x$(hidden)xbf16>
  %copied = llm.moe_dispatch "dispatch" %narrow, %experts : tensor<$(tokens)x$(hidden)xf8E4M3FN>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> experts tensor<$(tokens)x$(topk)xi32>
  %gate = tensor.extract_slice %up[0, 0] [$(tokens * topk), $(expert_inter_per_rank)] [1, 1] : tensor<$(tokens * topk)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %half = tensor.extract_slice %up[0, $(expert_inter_per_rank)] [$(tokens * topk), $(expert_inter_per_rank)] [1, 1] : tensor<$(tokens * topk)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %act = llm.swiglu "act" %gate, %half : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %act static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> experts tensor<$(tokens)x$(topk)xi32>
  %y = llm.moe_combine "combine" %down, %experts, %shares : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=fp8 gated=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %narrow: tensor<$(rows_of_rank)x$(hidden)xf8E4M3FN>,
    %rows: tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %one: tensor<$((rows_of_rank + tokens) ceildiv 2)x1xi32>,
    %shares: tensor<$((rows_of_rank + tokens) ceildiv 2)x1xbf16>,
    %moved: tensor<$((rows_of_rank + tokens) ceildiv 2)x$(hidden)xbf16>) {
  %up_q = llm.quantize "up.quantize" %x static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(tokens)x$(hidden)xbf16>
  %copied = llm.moe_dispatch "dispatch" %narrow, %experts : tensor<$(rows_of_rank)x$(hidden)xf8E4M3FN>, tensor<$(rows_of_rank)x1xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %gate = tensor.extract_slice %up[0, 0] [$(rows_of_rank), $(expert_inter_per_rank)] [1, 1] : tensor<$(rows_of_rank)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %half = tensor.extract_slice %up[0, $(expert_inter_per_rank)] [$(rows_of_rank), $(expert_inter_per_rank)] [1, 1] : tensor<$(rows_of_rank)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %act = llm.swiglu "act" %gate, %half : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>, tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %act static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %moved, %one, %shares
      : tensor<$((rows_of_rank + tokens) ceildiv 2)x$(hidden)xbf16>, tensor<$((rows_of_rank + tokens) ceildiv 2)x1xi32>, tensor<$((rows_of_rank + tokens) ceildiv 2)x1xbf16>
  return
}

//! moe dtype=fp8 gated=0 expert_parallel=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %narrow: tensor<$(tokens)x$(hidden)xf8E4M3FN>,
    %rows: tensor<$(tokens * topk)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %logits: tensor<$(tokens)x$(experts)xbf16>) {
  %shares, %experts = llm.moe_route "route" softmax %logits top_k $(topk) normalize : tensor<$(tokens)x$(experts)xbf16>
  %up_q = llm.quantize "up.quantize" %x static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(tokens)x$(hidden)xbf16>
  %copied = llm.moe_dispatch "dispatch" %narrow, %experts : tensor<$(tokens)x$(hidden)xf8E4M3FN>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> experts tensor<$(tokens)x$(topk)xi32>
  %act = llm.activation "act" relu2 %up : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %act static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> experts tensor<$(tokens)x$(topk)xi32>
  %y = llm.moe_combine "combine" %down, %experts, %shares : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=fp8 gated=0
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %narrow: tensor<$(rows_of_rank)x$(hidden)xf8E4M3FN>,
    %rows: tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>,
    %x: tensor<$(tokens)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %one: tensor<$((rows_of_rank + tokens) ceildiv 2)x1xi32>,
    %shares: tensor<$((rows_of_rank + tokens) ceildiv 2)x1xbf16>,
    %moved: tensor<$((rows_of_rank + tokens) ceildiv 2)x$(hidden)xbf16>) {
  %up_q = llm.quantize "up.quantize" %x static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(tokens)x$(hidden)xbf16>
  %copied = llm.moe_dispatch "dispatch" %narrow, %experts : tensor<$(rows_of_rank)x$(hidden)xf8E4M3FN>, tensor<$(rows_of_rank)x1xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<$(experts_per_rank)x$(expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %act = llm.activation "act" relu2 %up : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %down_q = llm.quantize "down.quantize" %act static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %down_q, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %moved, %one, %shares
      : tensor<$((rows_of_rank + tokens) ceildiv 2)x$(hidden)xbf16>, tensor<$((rows_of_rank + tokens) ceildiv 2)x1xi32>, tensor<$((rows_of_rank + tokens) ceildiv 2)x1xbf16>
  return
}

//! moe dtype=w4a16_mxfp4 gated=1 expert_parallel=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>,
    %rows: tensor<$(tokens * topk)x$(hidden)xbf16>,
    %ids: tensor<$(tokens)x1xbf16>,
    %logits: tensor<$(tokens)x$(experts)xbf16>) {
  %shares, %experts = llm.moe_route "route" softmax %logits top_k $(topk) normalize : tensor<$(tokens)x$(experts)xbf16>
  %sorted = llm.moe_dispatch "sort" %ids, %experts : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>> experts tensor<$(tokens)x$(topk)xi32>
  %gate = tensor.extract_slice %up[0, 0] [$(tokens * topk), $(expert_inter_per_rank)] [1, 1] : tensor<$(tokens * topk)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %half = tensor.extract_slice %up[0, $(expert_inter_per_rank)] [$(tokens * topk), $(expert_inter_per_rank)] [1, 1] : tensor<$(tokens * topk)x$(2 * expert_inter_per_rank)xbf16> to tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %act = llm.swiglu "act" %gate, %half : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %act, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k $(topk) to bf16
      : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>> experts tensor<$(tokens)x$(topk)xi32>
  %y = llm.moe_combine "combine" %down, %experts, %shares : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}

//! moe dtype=w4a16_mxfp4 gated=1
func.func @row(
    %w1: tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>,
    %w2: tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>,
    %rows: tensor<$(rows_of_rank)x$(hidden)xbf16>,
    %experts: tensor<$(rows_of_rank)x1xi32>,
    %ids: tensor<$(tokens)x1xbf16>,
    %all: tensor<$(tokens)x$(topk)xi32>,
    %shares: tensor<$(tokens)x$(topk)xbf16>,
    %gate: tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>,
    %mid: tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>,
    %out: tensor<$(tokens * topk)x$(hidden)xbf16>) {
  %sorted = llm.moe_dispatch "sort" %ids, %all : tensor<$(tokens)x1xbf16>, tensor<$(tokens)x$(topk)xi32>
  %up = llm.grouped_matmul "up" %rows, %w1 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(hidden)xbf16>, tensor<$(experts_per_rank)x$(2 * expert_inter_per_rank)x$(hidden)x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>> experts tensor<$(rows_of_rank)x1xi32>
  %act = llm.swiglu "act" %gate, %gate : tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>, tensor<$(tokens * topk)x$(expert_inter_per_rank)xbf16>
  %down = llm.grouped_matmul "down" %mid, %w2 experts %experts transpose_rhs rows_per_expert $(rows_per_expert) top_k 1 to bf16
      : tensor<$(rows_of_rank)x$(expert_inter_per_rank)xbf16>, tensor<$(experts_per_rank)x$(hidden)x$(expert_inter_per_rank)x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>> experts tensor<$(rows_of_rank)x1xi32>
  %y = llm.moe_combine "combine" %out, %all, %shares
      : tensor<$(tokens * topk)x$(hidden)xbf16>, tensor<$(tokens)x$(topk)xi32>, tensor<$(tokens)x$(topk)xbf16>
  return
}
