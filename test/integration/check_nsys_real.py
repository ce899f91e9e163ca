"""llm-prof import of what nsys 2022.4 exported (Inputs/nsys-2022.4.sql): its tables and its NVTX ranges are real, rows of
calls, kernels, copies and graphs are put in here, as they are on a machine with a GPU.

    check_nsys_real.py FOLDER SQL
"""
import json
import sqlite3
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

folder, sql = Path(sys.argv[1]), Path(sys.argv[2]).read_text()
PUSH_POP, START_END = 59, 60


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}:\n  found  {found}\n  wanted {wanted}")


def insert(db, table, **values):
    """As nsys does: no column that must have a value lacks one."""
    for _, column, _, must, _, _ in db.execute(f"PRAGMA table_info({table})").fetchall():
        if must and column not in values:
            values[column] = 0
    names = ", ".join(f'"{name}"' for name in values)
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values()))


def make(name):
    path = folder / name
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.executescript(sql)
    return path, db


def table(path, *options):
    done = subprocess.run(["llm-prof", "import", path, "--table", "--format=json", *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def figures(rows):
    return {row["range"]: (row["calls"], row["kernels"], row["copies"], row["time_ns"]) for row in rows}


def read_ranges(db):
    """(thread, start, end, name), by start."""
    return sorted(db.execute(
        "SELECT globalTid, start, end, coalesce(text, value) FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId "
        f"WHERE eventType IN ({PUSH_POP}, {START_END})").fetchall())


def around(ranges, thread, start, end):
    """Outermost first: whatever is around an interval of a thread, one by one."""
    return [each for each in ranges if each[0] == thread and each[1] <= start and end <= each[2] and (each[1], each[2]) != (start, end)]


def key_of(names):
    return ":" + ".".join(names)


def add_work(db):
    """A call in each range, 50 ns behind its start, with a kernel or a copy. Gives (thread, call's start, kind, nanoseconds)."""
    insert(db, "StringIds", id=1001, value="cudaLaunchKernel")
    insert(db, "StringIds", id=1002, value="void gemm<float>(int)")
    work, device_ns = [], 1_000_000_000
    for number, (thread, start, _, _) in enumerate(read_ranges(db)):
        call = start + 50
        insert(db, "CUPTI_ACTIVITY_KIND_RUNTIME", start=call, end=call + 20, globalTid=thread, correlationId=number, nameId=1001)
        kind, length = ("MEMCPY", 7) if number % 4 == 3 else ("KERNEL", 1000 + number)
        more = {"bytes": 64, "copyKind": 11} if kind == "MEMCPY" else {"demangledName": 1002, "shortName": 1002, "gridX": 4}
        insert(db, f"CUPTI_ACTIVITY_KIND_{kind}", start=device_ns, end=device_ns + length, streamId=7, contextId=1,
               correlationId=number, globalPid=thread & ~0xFFFFFF, **more)
        device_ns += 2 * length
        work.append((thread, call, kind, length))
    insert(db, "TARGET_INFO_GPU", id=0, name="a GPU", smCount=1)
    return work


def check_table():
    path, db = make("real.sqlite")
    work, ranges = add_work(db), read_ranges(db)
    db.commit()
    wanted, threads = defaultdict(lambda: [0, 0, 0, 0]), defaultdict(lambda: defaultdict(int))
    for thread, start, end, name in ranges:
        names = [each[3] for each in around(ranges, thread, start, end)] + [name]
        wanted[key_of(names)][0] += 1
    for thread, call, kind, length in work:
        names = [each[3] for each in around(ranges, thread, call, call + 20)]
        for depth in range(1, len(names) + 1):
            row = wanted[key_of(names[:depth])]
            row[1 if kind == "KERNEL" else 2] += 1
            row[3] += length
        threads[thread][key_of(names[:1])] += length
    read = table(path)
    expect("rows", figures(read["rows"]), {key: tuple(row) for key, row in wanted.items()})
    expect("registered strings", [key for key in wanted if key.endswith("fwd.layer.attn")],
           [":whole run.fwd.layer.attn", ":fwd.layer.attn"])
    expect("total", read["total"]["time_ns"], sum(length for *_, length in work))
    outermost = [row["time_ns"] for row in read["rows"] if len(row["path"]) < 2]
    expect("the outermost rows add up", sum(outermost), read["total"]["time_ns"])
    expect("format", read["format"], "nsys SQLite export (nsys 2022.4.2.1, schema 3.0.0)")
    expect("devices", read["devices"], ["a GPU"])
    [note] = [note for note in read["notes"] if "not read" in note]
    expect("what is not read", note, f"Tables of events that are not read: OSRT_API ({count(db, 'OSRT_API')} rows), "
                                     f"PROFILER_OVERHEAD ({count(db, 'PROFILER_OVERHEAD')} rows).")
    by_thread = table(path, "--by=thread")
    found = defaultdict(lambda: defaultdict(int))
    for row in by_thread["rows"]:
        if len(row["path"]) == 1:
            found[int(row["thread"].split("thread ")[1].split()[0])][row["range"]] += row["time_ns"]
    expect("threads", {thread & 0xFFFFFF: dict(rows) for thread, rows in threads.items()},
           {thread: dict(rows) for thread, rows in found.items()})
    forward = table(path, "--by=pass", "--range=fwd")
    expect("forward passes", sorted(row["calls"] for row in forward["rows"] if row["path"][-1:] == ["fwd"]), [1, 1, 1])


def count(db, name):
    return db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]


def check_payload():
    """Domains, categories and payloads of the program are args."""
    path, db = make("payload.sqlite")
    db.commit()
    written = path.with_suffix(".json")
    subprocess.run(["llm-prof", "import", path, f"--perfetto={written}"], check=True, stdout=subprocess.DEVNULL)
    layers = [event["args"] for event in json.loads(written.read_text())["traceEvents"] if event["name"] == "layer"]
    wanted = [{"domain": "model", "category": "layers", "payload": layer} for layer in (0, 0, 0, 1, 1, 1)]
    expect("args", sorted(layers, key=lambda args: args["payload"]), wanted)


def check_graph():
    """In this version nodes of graphs are in CUDA_GRAPH_EVENTS: kernels belong to the launch, and know where they were recorded."""
    path, db = make("graph.sqlite")
    thread, start, _, _ = next(each for each in read_ranges(db) if each[3] == "attn")
    insert(db, "StringIds", id=1001, value="cudaGraphLaunch_v10000")
    insert(db, "CUDA_GRAPH_EVENTS", start=start + 10, end=start + 10, globalTid=thread, nameId=1001, graphNodeId=5)
    insert(db, "CUDA_GRAPH_EVENTS", start=start + 20, end=start + 20, globalTid=thread, nameId=1001, graphNodeId=6,
           originalGraphNodeId=5)
    launch = max(each[1] for each in read_ranges(db) if each[3] == "open one") + 100
    insert(db, "CUPTI_ACTIVITY_KIND_RUNTIME", start=launch, end=launch + 20, globalTid=thread, correlationId=1, nameId=1001)
    insert(db, "CUPTI_ACTIVITY_KIND_KERNEL", start=launch + 100, end=launch + 400, globalPid=thread & ~0xFFFFFF, correlationId=1,
           graphNodeId=6, demangledName=1001, shortName=1001)
    db.commit()
    read = table(path)
    expect("kernels of a graph", {key: row for key, row in figures(read["rows"]).items() if row[3]}, {":open one": (1, 1, 0, 300)})
    expect("notes of graphs", [note for note in read["notes"] if "GRAPH" in note], [])


for check in (check_table, check_payload, check_graph):
    check()
print("a real nsys export: each kernel and each copy is where its call was")
