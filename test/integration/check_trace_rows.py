"""llm-prof import --rows: ops of a trace in Kineto's form, written here, as measured rows; times and sizes are counted by hand.

    check_trace_rows.py FOLDER"""

import csv
import json
import os
import subprocess
import sys

folder = sys.argv[1]


class Trace:
    """One thread; ops one behind the other, each with kernels on stream 7."""

    def __init__(self):
        self.events, self.at, self.correlation = [], 100, 0

    def op(self, name, dims, types, kernels=(), inner=(), constants=None):
        args = {"Input Dims": dims, "Input type": types}
        if dims is None:
            args = {}
        if constants:
            args["Concrete Inputs"] = constants
        start = self.at
        self.at += 1
        for each in inner:
            self.op(*each)
        for duration in kernels:
            self.correlation += 1
            common = {"ph": "X", "args": {"correlation": self.correlation, "device": 0, "stream": 7}}
            self.events.append({**common, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": self.at, "dur": 1})
            self.events.append({**common, "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": self.at + 500, "dur": duration})
            self.at += 2
        self.at += 1
        self.events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": self.at - start, "args": args})
        self.at += 2

    def write(self, path, **head):
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, **head, "traceEvents": self.events}, file)


def rows_of(path):
    out = path + ".csv"
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run(["llm-prof", "import", path, f"--rows={out}"], capture_output=True, text=True)
    if done.returncode != 0:
        assert not os.path.exists(out)
        return None, done.stderr
    with open(out, newline="") as file:
        return list(csv.DictReader(file)), done.stderr


BF16, HALF, FLOAT = "c10::BFloat16", "c10::Half", "float"
trace = Trace()
# The median of 10, 40 and 20 us.
for duration in (10, 40, 20):
    trace.op("aten::mm", [[512, 2048], [2048, 8192]], [BF16, BF16], [duration])
# A linear layer and what it calls are one op: 30 + 5 us; tokens of all sequences are rows.
trace.op("aten::linear", [[4, 128, 2048], [1024, 2048], []], [HALF, HALF, ""], [5],
         [("aten::mm", [[512, 2048], [2048, 1024]], [HALF, HALF], [30])])
trace.op("aten::addmm", [[64], [8, 32], [32, 64], [], []], [FLOAT, FLOAT, FLOAT, "Scalar", "Scalar"], [3, 4])  # two kernels
trace.op("aten::bmm", [[1, 16, 32], [1, 32, 48]], [FLOAT, FLOAT], [6])
attention = [BF16, BF16, BF16, "", "", "Scalar", "Scalar", ""]
trace.op("aten::scaled_dot_product_attention", [[2, 32, 256, 128], [2, 8, 256, 128], [2, 8, 256, 128], [], [], [], [], []], attention,
         [50], constants=["", "", "", "", "0.", "True", "", ""])
trace.op("aten::scaled_dot_product_attention", [[2, 32, 1, 128], [2, 8, 900, 128], [2, 8, 900, 128], [], [], [], [], []], attention,
         [8], constants=["", "", "", "", "0.", "False", "", ""])
trace.op("aten::rms_norm", [[4, 128, 2048], [], [2048], []], [BF16, "ScalarList", BF16, "Scalar"], [7])
trace.op("aten::add", [[4, 128, 2048], [4, 128, 2048], []], [BF16, BF16, "Scalar"], [9])
trace.op("aten::gelu", [[16, 64], []], [FLOAT, ""], [2])
# No rows: each for another reason.
trace.op("aten::bmm", [[4, 16, 32], [4, 32, 48]], [FLOAT, FLOAT], [6])
trace.op("aten::mm", [[8, 8], [8, 8]], ["double", "double"], [6])
trace.op("aten::mm", [[8, 8], [8, 8]], [FLOAT, BF16], [6])
trace.op("aten::mm", [[8, 8], [9, 8]], [FLOAT, FLOAT], [6])
trace.op("aten::mm", None, None, [6])
trace.op("aten::mm", [[8, 8], [8, 8]], [FLOAT, FLOAT])
trace.op("aten::add", [[4, 8], [8], []], [FLOAT, FLOAT, "Scalar"], [6])
trace.op("aten::scaled_dot_product_attention", [[1, 4, 8, 16]] * 3 + [[8, 8]], [FLOAT] * 4, [6])
trace.op("aten::scaled_dot_product_attention", [[1, 4, 8, 16], [1, 4, 9, 16], [1, 4, 9, 16], []], [FLOAT] * 3 + [""], [6],
         constants=["", "", "", "", "0.", "True"])
trace.op("aten::relu", [[4, 8]], [FLOAT], [6])  # of no kind that rows have: not spoken of
path = os.path.join(folder, "rows.json")
trace.write(path, deviceProperties=[{"id": 0, "name": "NVIDIA H100"}])
rows, notes = rows_of(path)
assert rows is not None, notes


def sizes(**values):
    return {key: str(value) for key, value in values.items()}


wanted = [
    ("gemm", "bf16", sizes(m=512, k=2048, n=8192), 20),
    ("gemm", "fp16", sizes(m=512, k=2048, n=1024), 35),
    ("gemm", "fp32", sizes(m=8, k=32, n=64), 7),
    ("gemm", "fp32", sizes(m=16, k=32, n=48), 6),
    ("attention_prefill", "bf16", sizes(batch=2, heads=32, kv_heads=8, head_dim=128, q_len=256, kv_len=256, causal=1), 50),
    ("attention_decode", "bf16", sizes(batch=2, heads=32, kv_heads=8, head_dim=128, q_len=1, kv_len=900, causal=0), 8),
    ("rmsnorm", "bf16", sizes(rows=512, cols=2048), 7),
    ("residual_add", "bf16", sizes(rows=512, cols=2048), 9),
    ("gelu", "fp32", sizes(rows=16, cols=64), 2),
]
found = [(row["op_kind"], row["dtype"],
          {key: value for key, value in row.items()
           if value and key not in ("row_id", "source", "device", "op_kind", "dtype", "measured_us")},
          float(row["measured_us"])) for row in rows]
for one, other in zip(found, wanted):
    assert one == other, f"found {one}\nwanted {other}"
assert len(found) == len(wanted), found
assert {row["device"] for row in rows} == {"NVIDIA H100"}
for note in ("aten::bmm, without a row 1 times: products in a batch", "aten::mm, without a row 2 times: not of one type",
             "aten::mm, without a row 1 times: sizes that do not fit together", "aten::mm, without a row 1 times: the trace has no sizes",
             "aten::mm, without a row 1 times: no kernel was launched in it", "aten::add, without a row 1 times: a sum of tensors of different",
             "attention with a mask", "causal attention with keys of earlier tokens"):
    assert note in notes, f"no note '{note}' in:\n{notes}"
assert "relu" not in notes

# Of the host alone the time is that of the op: 1 us ahead of what is in it, and 1 us behind.
host = Trace()
host.op("aten::mm", [[8, 8], [8, 8]], [FLOAT, FLOAT])
path = os.path.join(folder, "host-rows.json")
host.write(path)
rows, notes = rows_of(path)
assert [(row["device"], row["measured_us"]) for row in rows] == [("cpu", "2.000")], rows

nothing = Trace()
nothing.op("aten::relu", [[4, 8]], [FLOAT], [6])
path = os.path.join(folder, "no-rows.json")
nothing.write(path)
rows, error = rows_of(path)
assert rows is None and "has no op that is a row" in error, error
print("rows of traces: as counted by hand")
