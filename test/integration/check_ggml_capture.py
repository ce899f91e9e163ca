"""llama.cpp as others built it, under libllm-ggml-trace.so: it computes what it did, and all of it is captured.

    check_ggml_capture.py FOLDER PACKAGES LIBRARY COMPILER

PACKAGES: what llama_cpp/setup.sh has installed, with its headers. A random small model runs in a program that is
compiled here (ggml_capture/decode.cpp) and in Node.js. What must be in a capture is said by the program itself, whose own
callback sees all nodes. The MACs of the program that llm-prof makes of a graph are those of the tensors of the GGUF file.
"""
import csv
import json
import math
import os
import re
import signal
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
import gguf_models
import make_gguf
from compared_rows import check_sums, compare
from ggml_capture_file import DONE, Capture, Graph, Run, read_capture

SIZES = gguf_models.SIZES | {"hidden_size": 64, "intermediate_size": 128, "vocab_size": 267, "head_dim": 16,
                             "rope_scaling": None}
gguf_models.MODELS["tiny"] = ("meta-llama--Llama-3.2-1B", SIZES)
PROMPT = ",".join(map(str, gguf_models.PROMPT))
STEPS = gguf_models.STEPS
VIEWS = {"RESHAPE", "VIEW", "PERMUTE", "TRANSPOSE"}
HERE = Path(__file__).parent


class Setting:
    def __init__(self, folder: Path, packages: Path, library: Path, compiler: str):
        self.folder, self.packages, self.library = folder, packages, library
        [base] = packages.glob("node_modules/@node-llama-cpp/linux-x64/bins/*/libggml-base.so")
        self.bins = base.parent
        self.compiler = compiler
        self.decode, self.backend = self.compile("decode"), self.compile("backend")
        self.model = folder / "model.gguf"

    def compile(self, name: str) -> Path:
        libraries = [f"-l:{found.name}" for form in ("libllama.*so", "libggml.*so", "libggml-base.so")
                     for found in self.bins.glob(form)]
        headers = [f"-I{self.packages}/source/{folder}" for folder in ("include", "ggml/include")]
        program = self.folder / name
        subprocess.run([self.compiler, "-std=c++17", "-O1", HERE / f"ggml_capture/{name}.cpp", *headers,
                        f"-L{self.bins}", *libraries, f"-Wl,-rpath,{self.bins}", "-Wl,--allow-shlib-undefined",
                        "-pthread", "-o", program], check=True)
        return program

    def environment(self, capture: str | None, ops: bool) -> dict[str, str]:
        found = os.environ | {"GGML_BACKENDS": str(self.bins)}
        if capture:
            found |= {"LD_PRELOAD": str(self.library), "LLM_GGML_TRACE": str(self.folder / capture),
                      "LLM_GGML_TRACE_OPS": str(int(ops))}
        return found

    def run(self, *options: str, capture: str | None = None, ops: bool = True, words=()) -> list[list[int]]:
        """The tokens, a list for each thread."""
        command = words or [self.decode, self.model, PROMPT, str(STEPS), *options]
        done = subprocess.run([str(word) for word in command], env=self.environment(capture, ops), text=True,
                              capture_output=True)
        if done.returncode:
            sys.exit(f"{command} failed:\n{done.stderr}")
        self.said = done.stderr
        return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]

    def capture(self, name: str) -> Capture:
        found = read_capture(self.folder / name)
        expect(f"{name} is whole", found.is_cut, False)
        return found


def expect(what: str, found, expected) -> None:
    if found != expected:
        sys.exit(f"{what}: found {found}, expected {expected}")


def describe(capture: Capture, number: int) -> list[str]:
    """The nodes of a graph as decode.cpp describes them."""
    graph = capture.graphs[number]
    return [f"{node.op}|{node.name}|{node.type}|{','.join(map(str, node.ne))}|" + "".join(
        graph.tensors[source].name + "," for source in node.sources if source is not None)
        for node in graph.tensors[:graph.nodes]]


def check_runs(capture: Capture, described: list[list[str]], times_ops: bool) -> None:
    """Each run is of the graph that the program saw; ops are all that compute, in order and within the run."""
    expect("runs", len(capture.runs), len(described))
    for run, nodes in zip(capture.runs.values(), described):
        expect("nodes", describe(capture, run.graph), nodes)
        expect("state", run.state, DONE)
        computing = [number for number, node in enumerate(nodes) if node.split("|")[0] not in VIEWS]
        expect("ops", [op[0] for op in run.ops], computing if times_ops else [])
        times = [run.start] + [moment for op in run.ops for moment in op[1:]] + [run.end]
        expect("times in order", times, sorted(times))
    for graph in capture.graphs:
        expect("backends", {node.backend for node in graph.tensors[:graph.nodes]}, {"CPU"})
        weights = [tensor for tensor in graph.tensors if tensor.name.endswith(".weight")]
        expect("buffers of weights", {graph.buffers[tensor.buffer][1] for tensor in weights}, {1})


def check_program(setting: Setting, tokens: list[int]) -> None:
    """In one thread: ops, graphs alone, and beside a callback of the program's own."""
    expect("tokens under capture", setting.run(capture="ops.capture"), [tokens])
    expect("tokens with graphs alone", setting.run(capture="graphs.capture", ops=False), [tokens])
    seen = setting.folder / "seen.txt"
    expect("tokens beside a callback", setting.run(f"--graphs={seen}", capture="chained.capture"), [tokens])
    chained = seen.read_text()
    setting.run(f"--graphs={seen}")
    expect("what the callback sees", chained, seen.read_text())
    described = [graph.splitlines() for graph in chained.split("graph\n")[1:]]
    for name, times_ops in (("ops.capture", True), ("graphs.capture", False), ("chained.capture", True)):
        check_runs(setting.capture(name), described, times_ops)
    # Graphs that differ in nothing but numbers are one.
    expect("graphs", len(setting.capture("ops.capture").graphs), len(set(map(tuple, described))))
    print(f"a program: {len(described)} runs of {len(described[0])} nodes, as its own callback sees them")


def check_threads(setting: Setting, tokens: list[int]) -> None:
    expect("tokens of two threads", setting.run("--threads=2", capture="threads.capture"), [tokens, tokens])
    capture = setting.capture("threads.capture")
    threads = [run.thread for run in capture.runs.values()]
    expect("runs of each thread", sorted(threads.count(thread) for thread in set(threads)), [STEPS, STEPS])
    print("two threads: all runs of both")


def check_node(setting: Setting, tokens: list[int]) -> None:
    words = ["node", HERE / "llama_cpp/one_thread.mjs", setting.packages, setting.model, PROMPT, STEPS]
    expect("tokens of Node.js", setting.run(words=words), [tokens])
    expect("tokens of Node.js under capture", setting.run(words=words, capture="node-%p.capture"), [tokens])
    # It starts helpers, which compute nothing.
    [file] = setting.folder.glob("node-*.capture")
    capture = setting.capture(file.name)
    expect("process", file.name, f"node-{capture.process}.capture")
    expect("program", Path(capture.program).name, Path(os.path.realpath(subprocess.check_output(
        ["sh", "-c", "command -v node"], text=True).strip())).name)
    expect("runs of Node.js", len(capture.runs), STEPS)
    setting.run(words=["true"], capture="nothing.capture")
    expect("a file of a program that computes nothing", (setting.folder / "nothing.capture").exists(), False)
    print("Node.js: one file")


def heed_interrupts() -> None:
    """What runs tests may ignore them, and lets its children do so."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def check_signals(setting: Setting) -> None:
    """However the program ends, what it wrote is a capture."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        path = setting.folder / f"signal-{int(number)}.capture"
        with subprocess.Popen([setting.decode, setting.model, PROMPT, str(STEPS), "--rounds=1000000"],
                              env=setting.environment(path.name, True), stdout=subprocess.DEVNULL,
                              preexec_fn=heed_interrupts) as process:
            while process.poll() is None and (not path.exists() or path.stat().st_size < 50000):
                time.sleep(0.01)
            process.send_signal(number)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
        expect("how it ended", process.returncode, -number)
        capture = read_capture(path)
        if len(capture.runs) < 2:
            sys.exit(f"{path} has {len(capture.runs)} runs")
        subprocess.run(["llm-prof", "import", path], check=True, stdout=subprocess.DEVNULL)
    print("interrupted, terminated, killed: what was captured is read")


def check_failures(setting: Setting, tokens: list[int]) -> None:
    """A file that cannot be written does not disturb the program; two processes do not write to one file."""
    for path in ("/no/such/folder/x", "/dev/full"):
        expect("tokens without a file", setting.run(capture=path), [tokens])
        expect("what is said", setting.said.count("llm-ggml-trace: cannot write '" + path), 1)
    other = [sys.executable, "-c", "import fcntl, subprocess, sys\n"
             "file = open(sys.argv[1], 'w')\nfcntl.flock(file, fcntl.LOCK_EX)\n"
             "sys.exit(subprocess.run(sys.argv[2:]).returncode)", setting.folder / "locked.capture"]
    expect("tokens beside another's file", setting.run(
        words=[*other, setting.decode, setting.model, PROMPT, STEPS], capture="locked.capture"), [tokens])
    expect("the other's file", (setting.folder / "locked.capture").stat().st_size, 0)
    [own] = setting.folder.glob("locked.capture.*")
    expect("runs in a file of its own", len(setting.capture(own.name).runs), STEPS)
    print("files that cannot be written, or are another's: said, and left alone")


def check_backends(setting: Setting) -> None:
    """Graphs without a scheduler, in two processes; a graph on two backends, and one that the program cancels."""
    words = [setting.backend, setting.bins]
    # 4 x 4 ones times ones: 4, then 16; of the graph that is cancelled the first product is there.
    expect("products", setting.run(words=words), [[16], [16], [16], [4]])
    expect("products under capture", setting.run(words=words, capture="backend.capture"), [[16], [16], [16], [4]])
    parent = setting.capture("backend.capture")
    [forked] = setting.folder.glob("backend.capture.*")
    child = setting.capture(forked.name)
    expect("process of the fork", forked.name, f"backend.capture.{child.process}")

    def timed(capture: Capture) -> list[list[str]]:
        return [[capture.graphs[run.graph].tensors[op[0]].name for op in run.ops] for run in capture.runs.values()]

    expect("ops of the fork", timed(child), [[]])
    # Without a scheduler; on two backends; cancelled behind the first.
    expect("ops", timed(parent), [[], ["first", "second"], ["first"]])
    backends = [[node.backend for node in graph.tensors[:graph.nodes]] for graph in parent.graphs]
    expect("backends", backends, [["CPU", "CPU"]] * len(parent.graphs))
    print("ggml alone: graphs of a backend, of a fork, of a scheduler; a cancelled one")


def check_unknown(setting: Setting) -> None:
    """A library that is called as ggml's is and has one function: it works, and one line says why there is no capture."""
    (setting.folder / "other.c").write_text('int freed; void ggml_backend_sched_free(void *x) { freed = 7; }')
    (setting.folder / "main.c").write_text('#include <stdio.h>\nextern int freed; void ggml_backend_sched_free(void *);\n'
                                           'int main() { ggml_backend_sched_free(0); printf("%d\\n", freed); }')
    compiler = [setting.compiler, "-x", "c", "-fPIC"]
    library, program = setting.folder / "libggml-base.so", setting.folder / "main"
    subprocess.run([*compiler, "-shared", setting.folder / "other.c", "-o", library], check=True)
    subprocess.run([*compiler, setting.folder / "main.c", "-x", "none", library,
                    f"-Wl,-rpath,{setting.folder}", "-o", program], check=True)
    expect("what it computes", setting.run(words=[program], capture="unknown.capture"), [[7]])
    expect("what is said", setting.said, "llm-ggml-trace: this ggml is not known, nothing is captured: it has no "
                                         "ggml_graph_n_nodes\n")
    expect("file", (setting.folder / "unknown.capture").exists(), False)
    print("another ggml: left alone, and said")


def read_matrices(path: Path) -> dict[str, int]:
    """Elements of the matrices of a GGUF file (docs/gguf.md of ggml)."""
    content, at = path.read_bytes(), 8

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, content, at)
        at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def take_text():
        nonlocal at
        size = take("Q")
        at += size
        return content[at - size:at].decode()

    def skip(kind):
        nonlocal at
        if kind == 8:
            take_text()
        elif kind == 9:
            element, count = take("IQ")
            for _ in range(count):
                skip(element)
        else:
            at += {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}[kind]

    tensors, entries = take("2Q")
    for _ in range(entries):
        take_text()
        skip(take("I"))
    matrices = {}
    for _ in range(tensors):
        name, dims = take_text(), take("I")
        sizes = [take("Q") for _ in range(dims)]
        take("IQ")
        if dims == 2:
            matrices[name] = sizes[0] * sizes[1]
    return matrices


def check_macs(setting: Setting) -> None:
    """One new token: each matrix is multiplied once with it, the table, which is the head too, as the head."""
    capture = setting.capture("ops.capture")
    program, report = setting.folder / "program.mlir", setting.folder / "report.json"
    subprocess.run(["llm-prof", "import", setting.folder / "ops.capture", f"--program={program}"], check=True)
    expected = sorted(read_matrices(setting.model).values())
    # Keys are as many as the scores of a head: ne[0] of each softmax.
    [keys] = {node.ne[0] for graph in capture.graphs for node in graph.tensors if node.op == "SOFT_MAX"}
    attention = [2 * SIZES["num_attention_heads"] * SIZES["head_dim"] * keys] * SIZES["num_hidden_layers"]
    for target in ("h100-sxm", "npu"):
        subprocess.run(["llm-opt", program, f"--llm-target=name={target}", "--llm-tile", "--llm-schedule",
                        "--llm-verify-cost", "--llm-verify-schedule",
                        f"--llm-export-report=format=json file={report}", "-o", "/dev/null"], check=True)
        ops = json.loads(report.read_text())["ops"]
        expect("MACs of products", sorted(op["macs"] for op in ops if op["op"] == "llm.matmul"), expected)
        expect("MACs of attention", [op["macs"] for op in ops if op["op"] == "llm.gqa_attn"], attention)
    print(f"a program of llm-opt: {len(expected)} products with the MACs of the GGUF file")


def unique_names(graph: Graph) -> dict[int, str]:
    """Of nodes that compute: those of one name have their number behind it, but for the first."""
    taken = {tensor.name for tensor in graph.tensors[graph.nodes:]}
    names = {}
    for number, node in enumerate(graph.tensors[:graph.nodes]):
        if node.op not in VIEWS:
            names[number] = f"{node.name}#{number}" if node.name in taken else node.name
            taken.add(node.name)
    return names


OF_LAYER = {("MUL_MAT", "Qcur"): "self_attn.q_proj", ("MUL_MAT", "Kcur"): "self_attn.k_proj", ("MUL_MAT", "Vcur"): "self_attn.v_proj",
            ("ROPE", "Qcur"): "self_attn.q_rope", ("ROPE", "Kcur"): "self_attn.k_rope", ("MUL_MAT", "kq"): "self_attn.attn",
            ("SOFT_MAX", "kq_soft_max"): "self_attn.attn", ("MUL_MAT", "kqv"): "self_attn.attn", ("CONT", "kqv_out"): "self_attn.attn",
            ("MUL_MAT", "attn_out"): "self_attn.o_proj", ("ADD", "ffn_inp"): "attn_residual", ("MUL", "attn_norm"): "input_layernorm",
            ("MUL", "ffn_norm"): "post_attention_layernorm", ("MUL_MAT", "ffn_gate"): "mlp.gate_proj", ("MUL_MAT", "ffn_up"): "mlp.up_proj",
            ("SWIGLU", "ffn_swiglu"): "mlp.swiglu", ("MUL_MAT", "ffn_out"): "mlp.down_proj", ("ADD", "l_out"): "mlp_residual"}
OF_MODEL = {"embd": "model.embed_tokens", "result_norm": "model.norm", "result_output": "lm_head"}


def find_op(graph: Graph, number: int) -> str | None:
    """What a node of llama.cpp's graph of a Llama is in a program of the model."""
    node = graph.tensors[number]
    if node.op == "RMS_NORM":  # with the product that reads it
        [number] = [reader for reader in range(graph.nodes) if number in graph.tensors[reader].sources]
        node = graph.tensors[number]
    if node.op == "SET_ROWS":
        return "model.layers.{}.self_attn.kv_write"
    name, _, layer = node.name.rpartition("-")
    if (node.op, name) in OF_LAYER and layer.isdigit():
        return f"model.layers.{{}}.{OF_LAYER[node.op, name]}"
    return OF_MODEL.get(node.name)


def measured_of(capture: Capture, runs: list[Run], op_of) -> dict[str | None, list[int]]:
    """Nanoseconds of each op in each run; None: of nodes that are no op."""
    measured: dict[str | None, list[int]] = {}
    for position, run in enumerate(runs):
        for number, start, end in run.ops:
            op = op_of(capture.graphs[run.graph], number)
            measured.setdefault(op, [0] * len(runs))[position] += end - start
    return measured


def check_comparison(found: dict, measured: dict, total: int, what: str) -> None:
    check_sums(what, found, total)
    rows = {row["name"]: row["measured_ns_of_passes"] for row in found["ops"]}
    for op in rows.keys() | measured.keys() - {None}:
        expect(f"{what}: {op}", rows.get(op), measured.get(op))
    left = [sum(times) for times in zip(*(row["measured_ns_of_passes"] for row in found["only_measured"]))]
    expect(f"{what}: what is no op", left, measured[None])


def check_compare(setting: Setting) -> None:
    """A capture beside the predictions of its own graph and of its model: where each nanosecond of each node is."""
    path = setting.folder / "ops.capture"
    capture = setting.capture("ops.capture")
    total = sum(end - start for run in capture.runs.values() for _, start, end in run.ops)
    # The prompt has several tokens; of it the last one alone is in the last products.
    tokens = [next(node.ne[1] for node in graph.tensors if node.op == "MUL_MAT") for graph in capture.graphs]
    runs = [run for run in capture.runs.values() if tokens[run.graph] == 1]
    expect("runs of one token", len(runs), STEPS - 1)

    own = setting.folder / "own.mlir"
    subprocess.run(["llm-prof", "import", path, f"--program={own}"], check=True, capture_output=True)
    of_node = {name: op for op in re.findall(r'llm\.\w+ "([^"]+)"', own.read_text()) for name in op.split("+")}
    names = [unique_names(graph) for graph in capture.graphs]
    measured = measured_of(capture, runs, lambda graph, number: of_node.get(names[capture.graphs.index(graph)][number]))
    found = compare(own, path, "--target=host")
    check_comparison(found, measured, total, "its own graph")
    expect("ops that were not seen", found["only_predicted"], [])
    expect("evidence", {word for row in found["ops"] for word in row["matched_by"]} - {"name", "rule"}, set())

    model = setting.folder / "gguf.mlir"
    subprocess.run(["llm-translate", "--import-gguf", setting.model, "--phase=decode", "--layers=all", "--kv-len=256", "-o", model],
                   check=True)
    found = compare(model, path, "--target=host")
    check_comparison(found, measured_of(capture, runs, find_op), total, "its model")
    expect("ops that were not seen", [row["name"] for row in found["only_predicted"]], ["sample"])
    expect("phases", [pass_["compared"] for pass_ in found["passes"]], [False] + [True] * len(runs))
    # Another length of context is said, and of which op.
    subprocess.run(["llm-translate", "--import-gguf", setting.model, "--phase=decode", "--layers=all", "--kv-len=48", "-o", model],
                   check=True)
    for longer, said in ((compare(model, path, "--target=host"), True), (found, False)):
        sizes = [note for note in longer["notes"] if "other sizes than the program for model.layers.{}.self_attn.attn:" in note]
        expect("what is said of sizes", bool(sizes), said)
    print(f"beside predictions: {len(runs)} runs, each nanosecond where it belongs")


def check_rows(setting: Setting) -> None:
    """Products and sums of a capture as measured rows, whose medians are taken here from the capture itself."""
    capture, path = setting.capture("ops.capture"), setting.folder / "rows.csv"
    subprocess.run(["llm-prof", "import", setting.folder / "ops.capture", f"--rows={path}"], check=True, capture_output=True)
    times: dict[tuple, list[int]] = {}
    for run in capture.runs.values():
        tensors = capture.graphs[run.graph].tensors
        for number, start, end in run.ops:
            node = tensors[number]
            a, b = ([tensors[source] for source in node.sources[:2]] + [None])[:2]
            if node.op == "MUL_MAT" and a.ne[2:] == (1, 1):
                key = ("gemm", math.prod(b.ne[1:]), a.ne[1], a.ne[0])
            elif node.op == "ADD" and a.ne == b.ne or node.op == "SWIGLU" and b:
                key = ({"ADD": "residual_add", "SWIGLU": "silu_mul"}[node.op], math.prod(a.ne[1:]), a.ne[0])
            else:
                continue
            times.setdefault(key, []).append(end - start)
    found = {}
    for row in csv.DictReader(path.open(newline="")):
        sizes = ("m", "n", "k") if row["op_kind"] == "gemm" else ("rows", "cols")
        expect("type and machine", (row["dtype"], row["device"]), ("fp32", "cpu"))
        found[row["op_kind"], *(int(row[size]) for size in sizes)] = float(row["measured_us"])
    expect("rows", found.keys(), times.keys())
    for key, each in times.items():
        if abs(found[key] - statistics.median(each) / 1000) > 0.00051:  # three digits
            sys.exit(f"{key}: found {found[key]} us, measured {sorted(each)} ns")
    print(f"rows: {len(found)} sizes with their medians")


def check_models(setting: Setting) -> None:
    """Other models, with and without flash attention: what is recognised of them."""
    for name, kind, products, grouped in (("qwen2", "f16", 15, 0), ("qwen3", "q8_0", 15, 0), ("mixtral", "q4_K", 11, 6)):
        folder = setting.folder / name
        folder.mkdir(exist_ok=True)
        gguf_models.make_model(folder, name, kind, gguf_models.SEED)
        for flash in (0, 1):
            capture = f"{name}-{flash}.capture"
            words = [setting.decode, folder / "model.gguf", PROMPT, 2, f"--flash={flash}"]
            expect("tokens", setting.run(words=words, capture=capture), setting.run(words=words))
            done = subprocess.run(["llm-prof", "import", setting.folder / capture, "--program=-"], check=True,
                                  capture_output=True, text=True)
            found = [done.stdout.count(f"llm.{op} ") for op in ("matmul", "grouped_matmul", "gqa_attn", "kv_write")]
            expect(f"{name}: matmul, grouped_matmul, gqa_attn, kv_write", found, [products, grouped, 2, 2])
            (setting.folder / "own.mlir").write_text(done.stdout)
            beside = compare(setting.folder / "own.mlir", setting.folder / capture, "--target=host")
            runs = setting.capture(capture).runs.values()
            check_sums(name, beside, sum(end - start for run in runs for _, start, end in run.ops))
            expect(f"{name}: notes of sizes", [note for note in beside["notes"] if "other sizes" in note], [])
    print("qwen2, qwen3, mixtral: products, experts, attention and caches are recognised")


def read_run(capture: Capture, run: Run) -> dict[str, dict[int, int]]:
    return {capture.graphs[run.graph].tensors[tensor].name: rows for tensor, rows in run.experts.items()}


def check_experts(setting: Setting) -> None:
    """The experts that a program's own callback reads are in the capture, and in the program of a graph."""
    folder = setting.folder / "experts"
    folder.mkdir()
    gguf_models.make_model(folder, "mixtral", "q8_0", gguf_models.SEED)
    seen = folder / "seen.txt"
    words = [setting.decode, folder / "model.gguf", PROMPT, STEPS]
    tokens = setting.run(words=[*words, f"--experts={seen}"])
    expect("tokens of a mixture", setting.run(words=words, capture="experts.capture"), tokens)
    capture = setting.capture("experts.capture")
    wanted = []
    for graph in seen.read_text().split("graph\n")[1:]:
        layers = {line.split()[0]: list(map(int, line.split()[1:])) for line in graph.splitlines()}
        wanted.append({name: {expert: chosen.count(expert) for expert in sorted(set(chosen))} for name, chosen in layers.items()})
    expect("experts of runs", [read_run(capture, run) for run in capture.runs.values()], wanted)
    if len({str(rows) for rows in wanted}) < 4:
        sys.exit(f"all tokens chose the same experts: {wanted}")
    # The graph of one token runs behind that of the prompt; of equal ones the last runs are of one graph.
    last = max(run.graph for run in capture.runs.values())
    runs = [read_run(capture, run) for run in capture.runs.values() if run.graph == last]
    for number in (0, len(runs) - 1):
        done = subprocess.run(["llm-prof", "import", setting.folder / "experts.capture", "--program=-", f"--graph={last}",
                               f"--run={number}"], check=True, capture_output=True, text=True)
        expect("what is not known", "which experts" in done.stderr, False)
        found = [list(map(int, rows.split(","))) for rows in re.findall(r"rows_per_expert \[([0-9, ]+)\]", done.stdout)]
        rows = [[layer.get(expert, 0) for expert in range(4)] for layer in runs[number].values()]
        expect("rows of experts, of three products in each layer", found, [each for each in rows for _ in range(3)])
    setting.run(words=words, capture="whole.capture", ops=False)
    expect("experts of whole graphs", [run.experts for run in setting.capture("whole.capture").runs.values()], [{}] * STEPS)
    print(f"mixtral: the experts of {len(wanted)} runs, as its own callback reads them")


def check_factors(setting: Setting) -> None:
    """The factors of a Llama 3 are those that were put into the file, and in the program of a graph."""
    folder = setting.folder / "factors"
    folder.mkdir()
    config, _ = gguf_models.make_model(folder, "llama", "f32", gguf_models.SEED)
    wanted = make_gguf.rope_factors(config, gguf_models.SIZES["head_dim"])
    for ops in (True, False):
        setting.run(words=[setting.decode, folder / "model.gguf", PROMPT, 2], capture="factors.capture", ops=ops)
        capture = setting.capture("factors.capture")
        found = [tensor.numbers for graph in capture.graphs for tensor in graph.tensors if tensor.name == "rope_freqs.weight"]
        stored = struct.unpack(f"<{len(wanted)}f", struct.pack(f"<{len(wanted)}f", *wanted))
        expect("factors", found, [stored] * len(capture.graphs))
    done = subprocess.run(["llm-prof", "import", setting.folder / "factors.capture", "--program=-"], check=True,
                          capture_output=True, text=True)
    listed = [tuple(map(float, numbers.split(","))) for numbers in re.findall(r"scaling <listed factors = \[([^]]*)\]", done.stdout)]
    expect("factors of queries and keys of two layers", listed, [stored] * 4)
    expect("what is not known", "by which factors" in done.stderr, False)
    print("llama 3: the factors of its angles")


def main() -> None:
    folder, packages, library = map(Path, sys.argv[1:4])
    folder.mkdir(parents=True)
    setting = Setting(folder, packages, library, sys.argv[4])
    gguf_models.make_talker(folder, "tiny", "f32")
    [tokens] = setting.run()
    expect("tokens", len(tokens), STEPS)
    for check in (check_program, check_threads, check_node, check_failures):
        check(setting, tokens)
    for check in (check_signals, check_backends, check_unknown, check_macs, check_rows, check_compare, check_models, check_experts,
                  check_factors):
        check(setting)


if __name__ == "__main__":
    main()
