"""Writes a trace as PyTorch's profiler (Kineto) writes them, of any size: a model of layers, decoded again and again.

    python3 test/benchmark/make_kineto.py 1000 trace.json    # of about 1000 MB; .json.gz compresses
    build/test/benchmark/llm-trace-benchmark trace.json [again.pftrace]

Each op has a call and a kernel with their arrow, each layer a frame of Python and a record_function, each token a step.
The last line that is printed is what a reader must find.
"""
import gzip
import json
import random
import sys

OPS = ("aten::linear", "aten::mul", "aten::silu", "aten::add", "aten::scaled_dot_product_attention", "aten::rms_norm")
LAYERS = 32
EPOCH_NS = 1_700_000_000_123_456_789


def microseconds(nanoseconds):
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


class Kineto:
    def __init__(self, file):
        self.file = file
        self.dice = random.Random(5)
        self.bytes = 0
        self.events = self.slices = self.kernels = 0
        self.cpu = EPOCH_NS
        self.gpu = EPOCH_NS
        self.ids = 0

    def write(self, text):
        self.file.write(text)
        self.bytes += len(text)

    def event(self, text):
        self.write((",\n" if self.events else "\n") + "  {\n    " + text + "\n  }")
        self.events += 1

    def slice(self, category, name, pid, tid, start, end, args):
        self.slices += 1
        self.event(f'"ph": "X", "cat": "{category}", "name": {json.dumps(name)}, "pid": {pid}, "tid": {tid},\n    '
                   f'"ts": {microseconds(start)}, "dur": {microseconds(end - start)},\n    "args": {{\n      {args}\n    }}')

    def arrow(self, phase, pid, tid, time):
        bound = ', "bp": "e"' if phase == "f" else ""
        self.event(f'"ph": "{phase}", "id": {self.ids}, "pid": {pid}, "tid": {tid}, "ts": {microseconds(time)},\n    '
                   f'"cat": "ac2g", "name": "ac2g"{bound}')

    def op(self, name):
        start = self.cpu
        self.ids += 1
        rows = 1 + self.ids % 7
        call = start + self.dice.randrange(2000, 9000)
        call_end = call + self.dice.randrange(3000, 6000)
        self.cpu = call_end + self.dice.randrange(500, 2000)
        self.slice("cpu_op", name, 4711, 4711, start, self.cpu,
                   f'"External id": {self.ids},"Record function id": 0, "Concrete Inputs": ["", "", ""], '
                   f'"Input type": ["c10::BFloat16", "c10::BFloat16", ""], "Input Strides": [[4096, 4096, 1], [4096, 1], []], '
                   f'"Input Dims": [[1, {rows}, 4096], [4096, 4096], []], "Ev Idx": {self.slices}')
        self.slice("cuda_runtime", "cudaLaunchKernel", 4711, 4711, call, call_end,
                   f'"External id": {self.ids}, "cbid": 211, "correlation": {self.ids}')
        self.arrow("s", 4711, 4711, call)
        begin = max(self.gpu, call_end)
        self.gpu = begin + self.dice.randrange(2000, 40000)
        self.slice("kernel", f"void at::native::vectorized_elementwise_kernel<4, {name}, std::array<char*, 3ul> >(int)", 0, 7,
                   begin, self.gpu,
                   f'"External id": {self.ids}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {self.ids}, '
                   f'"registers per thread": 32, "shared memory": 0, "blocks per SM": 0.{rows}25, "warps per SM": 4.5, '
                   f'"grid": [{rows}, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 4{rows}')
        self.arrow("f", 0, 7, begin)
        self.kernels += 1

    def layer(self, number):
        start = self.cpu
        for name in OPS:
            self.op(name)
        self.slice("python_function", f"nn.Module: LlamaDecoderLayer_{number}", 4711, 4711, start, self.cpu,
                   f'"Python parent id": {self.ids}, "Python id": {self.ids + 1}, "Python module id": {number}, '
                   f'"Ev Idx": {self.slices}')
        self.slice("user_annotation", f"layers.{number}", 4711, 4711, start, self.cpu,
                   f'"External id": {self.ids}, "Record function id": {self.ids}, "Ev Idx": {self.slices}')

    def trace(self, size):
        self.write('{\n  "schemaVersion": 1,\n  "deviceProperties": [\n    {\n      "id": 0, "name": "NVIDIA H100 80GB HBM3", '
                   '"totalGlobalMem": 84942979072,\n      "computeMajor": 9, "computeMinor": 0\n    }\n  ],\n'
                   '  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": 1700000000000000000,\n  "traceEvents": [')
        token = 0
        while self.bytes < size:
            start = self.cpu
            for number in range(LAYERS):
                self.layer(number)
            self.slice("user_annotation", f"ProfilerStep#{token}", 4711, 4711, start, self.cpu, f'"External id": {self.ids}')
            token += 1
        self.write("\n  ],\n  \"traceName\": \"trace.json\"\n}\n")


if __name__ == "__main__":
    size, path = float(sys.argv[1]) * 1e6, sys.argv[2]
    with gzip.open(path, "wt", 6) if path.endswith(".gz") else open(path, "w") as file:
        kineto = Kineto(file)
        kineto.trace(size)
    print(f"{kineto.slices} events, {kineto.kernels} kernels, launches and arrows")
