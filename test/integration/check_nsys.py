"""llm-prof import of nsys exports: figures counted by hand, schemas of several versions, damaged files."""

import json
import os
import subprocess
import sys

from nsys_files import DOMAIN, MARK, START_END, NsysFile, global_tid

folder = sys.argv[1]


def run(path, *options):
    return subprocess.run(["llm-prof", "import", path, *options], capture_output=True, text=True)


def table(path, *options):
    done = run(path, "--table", "--format=json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def figures(read, group=None):
    rows = [row for row in read["rows"] if group is None or group in row.items()]
    return {row["range"]: (row["calls"], row["kernels"], row["copies"], row["fills"], row["time_ns"], row["self_ns"])
            for row in rows}


def path_of(name):
    path = os.path.join(folder, name + ".sqlite")
    if os.path.exists(path):
        os.remove(path)
    return path


def expect(found, wanted, what):
    assert found == wanted, f"{what}:\n  found  {found}\n  wanted {wanted}"


def has_note(read, text):
    assert any(text in note for note in read["notes"]), f"no note '{text}' in {read['notes']}"


# Two forward passes on one thread, another thread, another process whose correlations are the same numbers.
def make_passes(path, **how):
    main, loader, other = (100, 1), (100, 2), (200, 1)
    with NsysFile(path, **how) as file:
        for at, first in ((0, 10), (10_000, 20)):
            file.range(main, at, at + 5000, "fwd")
            for layer, begin in enumerate((at + 100, at + 2000)):
                file.range(main, begin, begin + 1000, "layer", registered=True)
                file.range(main, begin + 100, begin + 500, "attn", registered=True)
                number = first + 4 * layer
                file.call(main, begin + 110, begin + 120, number)  # in attn
                file.call(main, begin + 500, begin + 510, number + 1)  # in layer: attn is over
                file.call(main, begin + 600, begin + 610, number + 2)
                file.kernel(100, begin + 3000, begin + 3070, number, "attention")
                file.kernel(100, begin + 3100, begin + 3140, number + 1)
                file.kernel(100, begin + 3140, begin + 3150, number + 2)
            file.call(main, at + 4000, at + 4010, first + 3, "cudaMemcpyAsync")
            file.work("MEMCPY", 100, at + 6000, at + 6025, first + 3, bytes=4096, copyKind=2)
        file.range(loader, 50, 9000, "load")
        file.call(loader, 60, 70, 90, "cudaMemsetAsync")
        file.work("MEMSET", 100, 80, 85, 90, stream=13, value=0, bytes=64)
        file.call(loader, 9000, 9010, 91)  # behind the range, which ends where the call begins
        file.kernel(100, 9100, 9103, 91, "orphan", stream=13)
        file.range(other, 0, 3000, "fwd")
        file.call(other, 10, 20, 10)  # a correlation of the first process, too
        file.kernel(200, 40, 240, 10, device=1)
        file.insert("TARGET_INFO_GPU", id=0, name="NVIDIA A", smCount=1, clockRate=1, memoryBandwidth=1)
        file.insert("TARGET_INFO_GPU", id=1, name="NVIDIA B", smCount=1, clockRate=1, memoryBandwidth=1)
        file.insert("ThreadNames", nameId=file.string("main"), priority=0, globalTid=global_tid(main))
        file.insert("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION", value="3.24.14")


# Each pass: 4 layers of 70 + 40 + 10 ns, copies of 25 ns; the other process 200 ns.
def check_passes():
    path = path_of("passes")
    make_passes(path)
    read = table(path)
    expect(figures(read), {
        ":fwd": (3, 13, 2, 0, 2 * (240 + 25) + 200, 2 * 25 + 200),
        ":fwd.layer": (4, 12, 0, 0, 480, 200),
        ":fwd.layer.attn": (4, 4, 0, 0, 280, 280),
        ":load": (1, 0, 0, 1, 5, 5),
        "(no range)": (0, 1, 0, 0, 3, 3),
    }, "all passes together")
    expect(read["total"], {"kernels": 14, "copies": 2, "fills": 1, "ops": 0, "time_ns": 738}, "total")
    expect([row["path"] for row in read["rows"]],
           [["fwd"], ["fwd", "layer"], ["fwd", "layer", "attn"], ["load"], []], "paths in the order of time")
    layer = read["rows"][1]
    expect((layer["mean_ns"], round(layer["share"], 9)), (120, round(480 / 738, 9)), "mean and share")
    expect(read["format"], "nsys SQLite export (schema 3.24.14)", "format")
    expect(read["devices"], ["NVIDIA A", "NVIDIA B"], "devices")
    expect(read["span_ns"], 16025, "span: the second copy ends last")

    read = table(path, "--by=pass")
    # By time: fwd of both processes begin at 0, the loader at 50, the second pass at 10000.
    expect([figures(read, ("pass", f"pass {number}")).get(":fwd", (0,))[0] for number in range(4)], [1, 1, 0, 1], "passes")
    expect(figures(read, ("pass", "pass 3")), {
        ":fwd": (1, 6, 1, 0, 265, 25), ":fwd.layer": (2, 6, 0, 0, 240, 100), ":fwd.layer.attn": (2, 2, 0, 0, 140, 140)}, "pass 3")
    expect(sum(row["self_ns"] for row in read["rows"]), 738, "all passes add up")
    read = table(path, "--by=pass", "--range=layer")
    expect([figures(read, ("pass", f"pass {number}"))[":fwd.layer"] for number in range(4)], [(1, 3, 0, 0, 120, 50)] * 4, "layers")

    read = table(path, "--by=thread")
    expect(figures(read, ("thread", "process 100, thread 1 (main)"))[":fwd"], (2, 12, 2, 0, 530, 50), "main")
    expect(figures(read, ("thread", "process 100, thread 2")), {":load": (1, 0, 0, 1, 5, 5), "(no range)": (0, 1, 0, 0, 3, 3)}, "loader")
    read = table(path, "--by=process")
    expect(figures(read, ("process", "process 200")), {":fwd": (1, 1, 0, 0, 200, 200)}, "the other process")
    read = table(path, "--levels=kernels")
    expect(figures(read)[":fwd.layer.gemm"], (8, 8, 0, 0, 200, 200), "kernels as a level")
    expect(figures(read)[":fwd.Memcpy DtoH"], (2, 0, 2, 0, 50, 50), "copies as a level")


# Older versions: no registered strings, no processes of kernels, no type of ranges; values where there is none.
def check_older():
    path = path_of("older")
    lacks = [("NVTX_EVENTS", "textId"), ("NVTX_EVENTS", "endGlobalTid"), ("NVTX_EVENTS", "domainId"), ("NVTX_EVENTS", "eventType"),
             ("NVTX_EVENTS", "category"), ("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"), ("CUPTI_ACTIVITY_KIND_KERNEL", "graphNodeId"),
             ("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName"), ("CUPTI_ACTIVITY_KIND_KERNEL", "contextId")]
    with NsysFile(path, lacks) as file:
        file.range((1, 1), 0, 100, "fwd")
        file.call((1, 1), 10, 20, 5)
        file.kernel(1, 30, 60, 5)
        file.call((1, 2), 50, 60, 6)
        file.kernel(1, 70, 71, 6)
        file.insert("EXPORT_META_DATA", name="EXPORT_SCHEMA_VERSION", value="1.0.1")
    read = table(path, "--levels=kernels")
    expect(figures(read), {":fwd": (1, 1, 0, 0, 30, 0), ":fwd.gemm": (1, 1, 0, 0, 30, 30), ":gemm": (1, 1, 0, 0, 1, 1)}, "older")
    has_note(read, "globalPid")
    expect(read["format"], "nsys SQLite export (schema 1.0.1)", "the older table of versions")

    path = path_of("defaults")
    with NsysFile(path) as file:
        file.insert("NVTX_EVENTS", start=0, end=100, eventType=59, globalTid=global_tid((1, 1)), text="", textId=file.string("fwd"))
        file.insert("NVTX_EVENTS", start=5, end=0, eventType=59, globalTid=global_tid((1, 1)), text="open", textId=0)
        file.call((1, 1), 10, 20, 5)
        file.kernel(1, 30, 100, 5)
    expect(figures(table(path)), {":fwd": (1, 1, 0, 0, 70, 0), ":fwd.open": (1, 1, 0, 0, 70, 70)}, "values that stand for none")


def check_missing_tables():
    path = path_of("no-strings")
    with NsysFile(path) as file:
        file.work("KERNEL", 1, 10, 30, 5, demangledName=7)
    expect(figures(table(path, "--levels=kernels")), {":kernel": (1, 1, 0, 0, 20, 20)}, "kernels alone")
    path = path_of("no-kernels")
    with NsysFile(path) as file:
        file.range((1, 1), 0, 100, "fwd")
        file.range((1, 1), 10, 30, "layer")
        file.range((1, 1), 40, 45, "layer")
        file.insert("OSRT_API", start=0, end=1, globalTid=1, nameId=file.string("poll"))
    read = table(path)
    expect([(row["range"], row["calls"], row["ops"], row["time_ns"]) for row in read["rows"]],
           [(":fwd", 1, 3, 100), (":fwd.layer", 2, 2, 25)], "a recording of the host")
    has_note(read, "No device is in the trace")
    has_note(read, "not read: OSRT_API (1 row).")


def check_graphs():
    path = path_of("graphs")
    with NsysFile(path) as file:
        file.range((1, 1), 0, 100, "fwd")
        file.call((1, 1), 10, 20, 5, "cudaGraphLaunch_v10000")
        for node, start in enumerate((30, 40, 55)):
            file.kernel(1, start, start + 10, 5, f"node{node}", graphNodeId=100 + node)
        file.work("MEMSET", 1, 66, 68, 5, value=0, bytes=16)
        file.range((1, 1), 200, 300, "replay")
        file.call((1, 1), 210, 220, 6, "cudaGraphLaunch_v10000")
        file.work("GRAPH_TRACE", 1, 230, 290, 6, graphId=3, graphExecId=4)
        file.work("GRAPH_TRACE", 1, 0, 0, 6, graphId=3, graphExecId=4)  # CUPTI: the times are not known
    read = table(path, "--levels=kernels")
    expect(figures(read), {
        ":fwd": (1, 3, 0, 1, 32, 0), ":fwd.node0": (1, 1, 0, 0, 10, 10), ":fwd.node1": (1, 1, 0, 0, 10, 10),
        ":fwd.node2": (1, 1, 0, 0, 10, 10), ":fwd.Memset": (1, 0, 0, 1, 2, 2),
        ":replay": (1, 1, 0, 0, 60, 0), ":replay.CUDA graph 3": (1, 1, 0, 0, 60, 60)}, "graphs")
    has_note(read, "--cuda-graph-trace=node")
    has_note(read, "times are not known: 1, the first at row 2")


# What is read of the other tables of CUDA, and what is named.
def check_libraries():
    path = path_of("libraries")
    with NsysFile(path) as file:
        file.range((1, 1), 0, 100, "fwd")
        file.insert("CUBLAS_EVENTS", start=5, end=40, eventClass=1, globalTid=global_tid((1, 1)),
                    nameId=file.string("cublasGemmEx"))
        file.call((1, 1), 10, 20, 5)
        file.kernel(1, 30, 60, 5, "unknown_kernel", graphNodeId=9)  # of a node that no table has
        file.insert("CUDA_GRAPH_EVENTS", start=1, end=1, eventClass=95, globalTid=global_tid((1, 1)),
                    nameId=file.string("Graph Creation"), graphId=1)
        for name in ("CpuCores", "OsVersion"):
            file.insert("TARGET_INFO_SYSTEM_ENV", globalVid=1, name=name, value="8")
        file.insert("CUDA_GPU_MEMORY_USAGE_EVENTS", start=2, globalPid=1 << 24, deviceId=0, bytes=4096)
        for node, original, thread in ((1, 2, 5), (2, 1, 5), ("x", 1, 5), (9, 9, 5)):  # in circles, and no numbers
            file.insert("CUDA_GRAPH_NODE_EVENTS", start=1, end=1, eventClass=97, globalTid=global_tid((1, thread)),
                        nameId=file.string("Graph Node Creation"), graphNodeId=node, originalGraphNodeId=original)
    read = table(path, "--levels=ops")
    expect(figures(read), {":fwd": (1, 1, 0, 0, 30, 0), ":fwd.cublasGemmEx": (1, 1, 0, 0, 30, 30)}, "libraries")
    has_note(read, "Tables of events that are not read: CUDA_GPU_MEMORY_USAGE_EVENTS (1 row).")
    has_note(read, "Tables without times that are not read: TARGET_INFO_SYSTEM_ENV (2 rows).")
    written = path.replace(".sqlite", ".json")
    assert run(path, f"--perfetto={written}").returncode == 0
    calls = [event["name"] for event in json.load(open(written))["traceEvents"] if event.get("cat") == "call"]
    expect(sorted(calls), ["Graph Creation", "cudaLaunchKernel"], "calls that made graphs")
    has_note(read, "CUDA_GRAPH_NODE_EVENTS left out, graphNodeId, globalTid or start is no whole number: 1, the first at row 3")


def check_ranges():
    path = path_of("ranges")
    main = (1, 1)
    with NsysFile(path) as file:
        file.range(main, 0, 1000, 'step "1".\n')
        file.range(main, 100, 300, "layer.3", kind=START_END)  # lies in the step
        file.range(main, 150, 400, "cut", kind=START_END)  # begins in layer.3 and ends behind it
        file.range(main, 500, 600, "elsewhere", kind=START_END, endGlobalTid=global_tid((1, 2)))
        file.range(main, 650, None, "open")  # nothing ends it
        file.range(main, 120, None, "a mark", kind=MARK)
        file.range(main, 0, None, "NCCL", kind=DOMAIN, domainId=3)
        file.range(main, 800, 900, "all-reduce", domainId=3)
        file.range(main, 900, 950, "x", registered=True)
        file.db.execute("UPDATE StringIds SET value = CAST(x'72ff' AS TEXT) WHERE value = 'x'")  # no UTF-8
        for number, at in enumerate((200, 350, 550, 700, 850)):
            file.call(main, at, at + 10, number)
            file.kernel(1, at + 1000, at + 1000 + 1 + number, number)
    read = table(path)
    step = ':"step \\"1\\".\\x0a"'
    # "open" lasts until the step ends.
    expect(figures(read), {
        step: (1, 5, 0, 0, 15, 5), step + '."layer.3"': (1, 1, 0, 0, 1, 1),
        step + ".open": (1, 2, 0, 0, 9, 4), step + ".open.all-reduce": (1, 1, 0, 0, 5, 5),
        step + ".open.r\ufffd": (1, 0, 0, 0, 0, 0)}, "ranges")
    expect(read["rows"][1]["path"], ['step "1".\n', "layer.3"], "names as they are")
    has_note(read, "that nothing ended, and that last until the end of the one around them, or of the recording, here: 1.")
    has_note(read, "around no work: 2.")
    read = table(path, "--merge-numbers")
    expect([row["path"] for row in read["rows"]][1], ['step "*".\n', "layer.*"], "merged numbers")


def check_bad_rows():
    path = path_of("bad-rows")
    with NsysFile(path) as file:
        file.range((1, 1), 0, 100, "fwd")
        file.insert("NVTX_EVENTS", start="soon", end=5, eventType=59, globalTid=1, text="x")
        file.insert("NVTX_EVENTS", start=5, end="later", eventType=59, globalTid=1, text="x")
        file.insert("NVTX_EVENTS", start=9, end=5, eventType=59, globalTid=1, text="x")
        file.insert("NVTX_EVENTS", start=5, end=9, eventType=59, globalTid="one", text="x")
        file.insert("NVTX_EVENTS", start=5, end=9, eventType=999, globalTid=1, text="x")
        file.insert("NVTX_EVENTS", start=5, end=9, eventType=b"\x01", globalTid=1, text="x")
        file.insert("NVTX_EVENTS", start=1 << 62, end=(1 << 62) + 1, eventType=59, globalTid=1, text="x")
        file.call((1, 1), 10, 20, 5)
        file.kernel(1, 30, 60, 5)
        file.kernel(1, 70, 65, 5)
        file.work("KERNEL", 1, 80, 90, "five", demangledName="gemm")
        file.insert("StringIds", id=99, value=b"\xff\x00")
        file.insert("CUPTI_ACTIVITY_KIND_KERNEL", start=1.5, end=2.5)
    read = table(path)
    expect(figures(read), {":fwd": (1, 1, 0, 0, 30, 30), "(no range)": (0, 1, 0, 0, 10, 10)}, "good rows among bad ones")
    for note in ("NVTX_EVENTS left out, start or end is no whole number: 2, the first at row 2",
                 "NVTX_EVENTS left out, they end before they start: 1, the first at row 4",
                 "NVTX_EVENTS left out, globalTid is no whole number: 1, the first at row 5",
                 "NVTX_EVENTS left out, eventType is unknown: 1, the first at row 6",
                 "NVTX_EVENTS left out, eventType is no whole number: 1, the first at row 7",
                 "NVTX_EVENTS left out, start or end is beyond 2^61 ns: 1, the first at row 8",
                 "CUPTI_ACTIVITY_KIND_KERNEL left out, they end before they start: 1, the first at row 2",
                 "CUPTI_ACTIVITY_KIND_KERNEL left out, start or end is no whole number: 1, the first at row 4",
                 "CUPTI_ACTIVITY_KIND_KERNEL that do not say which call launched them: 1, the first at row 3",
                 "StringIds left out, no number and text: 1"):
        has_note(read, note)


# Of the file of check_passes. A pass has 5 ranges, 7 calls, 6 kernels and a copy; there are 2, and what else runs beside them.
def check_outputs():
    path = os.path.join(folder, "passes.sqlite")
    done = run(path, "--table", "--format=csv", "--by=process")
    lines = done.stdout.splitlines()
    expect(lines[0], "process,range,calls,kernels,copies,fills,ops,time_ns,self_ns,mean_ns,share_percent", "head of CSV")
    assert "process 100,:fwd.layer,4,12,0,0,0,480,200,120.0,65.0407" in lines, lines
    assert "process 100,(no range),0,1,0,0,0,3,3,,0.4065" in lines, lines
    assert "nsys SQLite export" in done.stderr and "read:" not in done.stdout
    out = os.path.join(folder, "passes.json")
    assert run(path, f"--perfetto={out}").returncode == 0
    with open(out) as file:
        slices = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
    kinds = {}
    for event in slices:
        kinds[event["cat"]] = kinds.get(event["cat"], 0) + 1
    expect(kinds, {"range": 2 * 5 + 2, "call": 2 * 7 + 3, "kernel": 2 * 6 + 2, "copy": 2, "fill": 1}, "events for Perfetto")
    again = table(out)
    expect(figures(again), figures(table(path)), "what Perfetto is given, read again")


def check_options():
    path = os.path.join(folder, "passes.sqlite")
    for options, error in (
            (["--format=json"], "--format says how --table prints, which is not asked for"),
            (["-o=x"], "-o says how --table prints"),
            (["--table", "--range=fwd"], "--range=fwd says what the passes of --by=pass are"),
            (["--table", "--by=pass", "--range=none"], "no range of the host is called 'none' (--range)"),
            (["--rows=x.csv"], "has no op that is a row"),
            (["--perfetto=/nowhere/x.json"], "/nowhere/x.json")):
        done = run(path, *options)
        assert done.returncode == 1 and error in done.stderr, f"{options}: {done}"
    done = run(os.path.join(folder, "missing.sqlite"))
    assert done.returncode == 1 and "missing.sqlite" in done.stderr, done


check_passes()
check_outputs()
check_options()
check_older()
check_missing_tables()
check_graphs()
check_libraries()
check_ranges()
check_bad_rows()
print("nsys exports: all figures are those counted by hand")
