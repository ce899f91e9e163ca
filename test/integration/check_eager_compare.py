#!/usr/bin/env python3
"""What `llm-prof compare` says of a trace of Hugging Face's Qwen3 in eager mode, where no module has a name.

    check_eager_compare.py PROGRAM REPORT PHASE FOLDER

The kernels of a layer, their order, names and operands are those that PyTorch 2.11 recorded on an H100. A norm is seven kernels and
a rope is five. Queries are normalized before keys are computed, and the activation runs before the second product of the MLP. Its
time counts with the first product, and the cast before a norm counts with what ran before it. The lengths are made up.
"""
import sys
from pathlib import Path

from compared_rows import check_rows, check_sums, compare, predictions, require
from trace_makers import Trace

D, HEADS, KV_HEADS, WIDTH, FF, VOCABULARY, LAYERS, PASSES = 4096, 32, 8, 128, 12288, 151936, 4, 3
program, report, phase, folder = sys.argv[1:]
BATCH, QUERIES, KEYS = (16, 1, 4096) if phase == "decode" else (1, 2048, 2048)
COPY, CAST = "unrolled_elementwise_kernel<direct_copy_kernel_cuda, LoadWithCast<1>>", "vectorized_elementwise_kernel<bfloat16_copy_kernel_cuda>"
MUL, ADD = "elementwise_kernel<BinaryFunctor<MulFunctor<float>>>", "vectorized_elementwise_kernel<CUDAFunctor_add<c10::BFloat16>>"
GEMM = "nvjet_sm90_tst_64x16_64x16_4x1_v_bz_TNT"


class Eager:
    """Ops of PyTorch, each with its kernels. `key` is the op of the program."""

    def __init__(self, trace, number):
        self.trace, self.number, self.key = trace, number, None

    def op(self, key, name, kernels, *dims):
        self.key = key
        self.trace.work(key, kernels, op=name, dims=[*dims, []], number=self.number)

    def norm(self, key, *shape):
        tokens = [*shape[:-1], 1]
        self.op(self.key, "aten::copy_", [COPY], shape, shape)
        self.op(key, "aten::pow", ["vectorized_elementwise_kernel<pow_tensor_scalar_kernel_impl<float, float>>"], shape)
        self.op(key, "aten::mean", ["reduce_kernel<512, 1, ReduceOp<float, MeanOps<float>>>"], shape, [], [])
        self.op(key, "aten::add", ["vectorized_elementwise_kernel<CUDAFunctorOnSelf_add<float>>"], tokens, [])
        self.op(key, "aten::rsqrt", ["vectorized_elementwise_kernel<rsqrt_kernel_cuda>"], tokens)
        self.op(key, "aten::mul", [MUL], shape, tokens)
        self.op(key, "aten::copy_", [CAST], shape, shape)
        self.op(key, "aten::mul", [MUL], shape[-1:], shape)

    def product(self, key, n, k, rows=BATCH * QUERIES):
        is_split = phase == "decode" and n <= 4096
        kernels = [GEMM, "cublasLt::splitKreduce_kernel<32, 16, float>"] if is_split else [GEMM]
        self.op(key, "aten::mm", kernels, [rows, k], [k, n])

    def rope(self, key, heads):
        whole, half, angles = [BATCH, heads, QUERIES, WIDTH], [BATCH, heads, QUERIES, WIDTH // 2], [BATCH, 1, QUERIES, WIDTH]
        self.op(key, "aten::mul", [MUL], whole, angles)
        self.op(key, "aten::neg", ["elementwise_kernel<neg_kernel_cuda>"], half)
        self.op(key, "aten::cat", ["CatArrayBatchedCopy<OpaqueType<2u>>"], [half, half])
        self.op(key, "aten::mul", [MUL], whole, angles)
        self.op(key, "aten::add", [ADD], whole, whole)

    def layer(self, at):
        hidden = [BATCH, QUERIES, D]
        self.norm(f"{at}.input_layernorm", *hidden)
        self.product(f"{at}.self_attn.q_proj", HEADS * WIDTH, D)
        self.norm(f"{at}.self_attn.q_norm", BATCH, QUERIES, HEADS, WIDTH)
        self.product(f"{at}.self_attn.k_proj", KV_HEADS * WIDTH, D)
        self.norm(f"{at}.self_attn.k_norm", BATCH, QUERIES, KV_HEADS, WIDTH)
        self.product(f"{at}.self_attn.v_proj", KV_HEADS * WIDTH, D)
        self.rope(f"{at}.self_attn.q_rope", HEADS)
        self.rope(f"{at}.self_attn.k_rope", KV_HEADS)
        keys = [BATCH, KV_HEADS, KEYS, WIDTH]
        if phase == "decode":
            for _ in "keys", "values":
                self.op(f"{at}.self_attn.kv_write", "aten::index_copy_", ["index_elementwise_kernel<128, 4, index_copy_kernel>"], keys, [], [1],
                        [BATCH, KV_HEADS, 1, WIDTH])
        self.op(f"{at}.self_attn.attn", "aten::_cudnn_attention_forward", ["cudnn_generated_fort_native_sdpa_sm90_flash_fprop"],
                [BATCH, HEADS, QUERIES, WIDTH], keys, keys)
        self.product(f"{at}.self_attn.o_proj", D, HEADS * WIDTH)
        self.op(f"{at}.attn_residual", "aten::add", [ADD], hidden, hidden)
        self.norm(f"{at}.post_attention_layernorm", *hidden)
        inner = [BATCH, QUERIES, FF]
        self.product(f"{at}.mlp.gate_proj", FF, D)
        self.op(f"{at}.mlp.gate_proj", "aten::silu", ["vectorized_elementwise_kernel<silu_kernel>"], inner)
        self.product(f"{at}.mlp.up_proj", FF, D)
        self.op(f"{at}.mlp.swiglu", "aten::mul", [MUL], inner, inner)
        self.product(f"{at}.mlp.down_proj", D, FF)
        self.op(f"{at}.mlp_residual", "aten::add", [ADD], hidden, hidden)

    def model(self):
        self.op("model.embed_tokens", "aten::index_select", ["indexSelectLargeIndex"], [VOCABULARY, D], [], [BATCH * QUERIES])
        for _ in range(LAYERS):
            self.layer("model.layers.{}")
        self.norm("model.norm", BATCH, QUERIES, D)
        self.product("lm_head", VOCABULARY, D, rows=BATCH)


trace = Trace(31)
for number in range(PASSES):
    Eager(trace, number).model()
path = Path(folder) / f"eager-{phase}.json"
trace.write(path)
found = compare(program, path)
keys = {key for _, key in trace.lengths}
check_sums(phase, found, sum(map(sum, trace.lengths.values())))
check_rows(phase, found, {frozenset([key]): (trace.ns(key, range(PASSES)), None) for key in keys}, predictions(report))
require(len(found["passes"]) == PASSES and all(one["compared"] for one in found["passes"]), found["passes"])
require(not found["only_measured"], found["only_measured"])
lengths = sum(map(sum, trace.lengths.values())) / 1000 / PASSES
require(abs(found["measured_work_us"] - lengths) < 1e-6 * lengths, (found["measured_work_us"], lengths))
print(f"{phase}: {len(keys)} ops of {sum(map(len, trace.lengths.values()))} kernels")
