"""Traces in Kineto's JSON of runs of a Llama model, with times that are known, as PyTorch and vLLM record them.

Written from what the format says: kernels are complete events of category `kernel`, joined by `correlation` to the
`cuda_runtime` event that launched them; ranges of record_function are `user_annotation`, ops `cpu_op`; times are in
microseconds. Each kernel has a length of its own, so that a sum says which kernels are in it.
"""
import json
import random

LAYER = ["input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.q_rope", "self_attn.k_rope",
         "self_attn.kv_write", "self_attn.attn", "self_attn.o_proj", "attn_residual", "post_attention_layernorm",
         "mlp.gate_proj", "mlp.up_proj", "mlp.swiglu", "mlp.down_proj", "mlp_residual"]
KERNELS = {"input_layernorm": "rms_norm_kernel<c10::BFloat16>", "post_attention_layernorm": "rms_norm_kernel<c10::BFloat16>",
           "model.norm": "rms_norm_kernel<c10::BFloat16>",
           "self_attn.q_rope": "rope_q_kernel", "self_attn.k_rope": "rope_k_kernel", "self_attn.kv_write": "reshape_and_cache_kernel",
           "self_attn.attn": "flash_fwd_kernel", "attn_residual": "vectorized_elementwise_kernel<CUDAFunctor_add<BFloat16>>",
           "mlp_residual": "vectorized_elementwise_kernel<CUDAFunctor_add<BFloat16>>", "mlp.swiglu": "act_and_mul_kernel<silu>",
           "model.embed_tokens": "indexSelectSmallIndex", "sample": "reduce_kernel<ArgMaxOps>"}


class Trace:
    """Kernels one behind the other, each launched by an op of the host in ranges of the host."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.device_ns, self.host_ns, self.correlation = [], 5_000_000, 1_000_000, 0
        self.lengths = {}  # of what was said to be, in nanoseconds: (pass, key) -> [..]

    def length(self):
        return self.random.randrange(1_000, 200_000)

    def complete(self, cat, name, pid, tid, start_ns, end_ns, **args):
        # Decimals are exact in three digits.
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start_ns / 1000,
                            "dur": (end_ns - start_ns) / 1000, "args": args})

    def work(self, key, kernels, ranges=(), op=None, dims=None, stream=7, number=0):
        """One op of the host with its kernels; `key`: which ops these are, or None; `number`: of the pass."""
        start = self.host_ns
        self.host_ns += 1_000  # all ranges are around the op
        inner = self.host_ns
        for kernel in kernels:
            self.correlation += 1
            length = self.length()
            self.complete("cuda_runtime", "cudaLaunchKernel", 10, 10, self.host_ns, self.host_ns + 2_000,
                          correlation=self.correlation)
            self.complete("kernel", kernel, 0, stream, self.device_ns, self.device_ns + length,
                          correlation=self.correlation, device=0, stream=stream)
            self.device_ns += length + 500
            self.host_ns += 3_000
            self.lengths.setdefault((number, key), []).append(length)
        if op:
            self.complete("cpu_op", op, 10, 10, inner - 200, self.host_ns + 200, **({"Input Dims": dims} if dims else {}))
        for depth, name in enumerate(reversed(ranges)):
            self.complete("user_annotation", name, 10, 10, inner - 300 - 100 * depth, self.host_ns + 300 + 100 * depth)
        self.host_ns = max(self.host_ns + 2_000, start + 2_000)

    def write(self, path):
        events = sorted(self.events, key=lambda event: event["ts"])
        meta = [{"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "args": {"name": "python"}}]
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU"}], "traceEvents": meta + events}, file)

    def ns(self, key, passes):
        """Of each pass."""
        return [sum(self.lengths.get((number, key), [])) for number in passes]


def kernel_of(name):
    return KERNELS.get(name, "ampere_bf16_s16816gemm_bf16_128x64")


def torch_passes(trace, layers, passes, hidden, rows=1, skip=(), fuse=()):
    """Ranges with the paths of modules; an op where something is called that is no module."""
    sizes = {"self_attn.q_proj": (hidden["q"], hidden["d"]), "self_attn.k_proj": (hidden["kv"], hidden["d"]),
             "self_attn.v_proj": (hidden["kv"], hidden["d"]), "self_attn.o_proj": (hidden["d"], hidden["q"]),
             "mlp.gate_proj": (hidden["ff"], hidden["d"]), "mlp.up_proj": (hidden["ff"], hidden["d"]),
             "mlp.down_proj": (hidden["d"], hidden["ff"])}
    for number in range(passes):
        for layer in range(layers):
            for name in LAYER:
                if (number, layer, name) in skip:
                    continue
                path = f"model.layers.{layer}.{name}"
                product = name in sizes
                dims = [[1, rows, sizes[name][1]], list(sizes[name]), []] if product else None
                kernels = [kernel_of(name)] * (2 if name == "self_attn.attn" else 1)
                trace.work(name, kernels, [f"model.layers.{layer}", path], "aten::linear" if product else None, dims,
                           number=number)


def vllm_passes(trace, layers, passes, ranges=False):
    """Fused projections, and sums that are fused into the norms behind them; of a whole model."""
    for number in range(passes):
        trace.work("embed_tokens", ["vectorized_gather_kernel"], number=number)
        for layer in range(layers):
            first = layer == 0
            around = lambda name: [f"model.layers.{layer}.{name}"] if ranges else []
            trace.work("norms", ["rms_norm_kernel" if first else "fused_add_rms_norm_kernel"], around("input_layernorm"),
                       number=number)
            trace.work("qkv", ["nvjet_tst_192x192_h_bz", "cublasLt::splitKreduce_kernel"], around("self_attn.qkv_proj"), number=number)
            trace.work("ropes", ["rotary_embedding_kernel"], around("self_attn.rotary_emb"), number=number)
            trace.work("kv_write", ["reshape_and_cache_flash_kernel"], number=number)
            trace.work("attn", ["flash_fwd_splitkv_kernel", "flash_fwd_splitkv_combine_kernel"], around("self_attn.attn"),
                       number=number)
            trace.work("o_proj", ["nvjet_tst_64x8"], around("self_attn.o_proj"), number=number)
            trace.work("norm+add", ["fused_add_rms_norm_kernel"], around("post_attention_layernorm"), number=number)
            trace.work("gate_up", ["nvjet_tst_192x192"], around("mlp.gate_up_proj"), number=number)
            trace.work("swiglu", ["act_and_mul_kernel"], around("mlp.act_fn"), number=number)
            trace.work("down_proj", ["nvjet_tst_64x8"], around("mlp.down_proj"), number=number)
        trace.work("norms", ["fused_add_rms_norm_kernel"], ["model.norm"] if ranges else [], number=number)
        trace.work("lm_head", ["nvjet_tst_128x8"], ["lm_head"] if ranges else [], number=number)
        trace.work("sample", ["reduce_kernel<ArgMaxOps>"], number=number)
        trace.work(None, ["Memcpy_like_unknown_kernel"], number=number)
