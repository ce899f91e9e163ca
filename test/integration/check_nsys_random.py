"""llm-prof import of random nsys exports beside a counter of its own: SQL on the database finds for each kernel its call by process
and correlation, and the ranges of the call's thread that contain the call, the widest first."""

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter

from nsys_files import START_END, NsysFile

folder, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
NAMES = ["fwd", "layer", "attn", "mlp", "layer.1", 'a"b', "ü", ""]
KINDS = {"KERNEL": "kernels", "MEMCPY": "copies", "MEMSET": "fills"}


class Maker:
    def __init__(self, seed, file):
        self.random = random.Random(seed)
        self.file = file
        self.correlations = Counter()
        self.work_end = 0

    def thread(self, thread, start, end):
        self.inside(thread, start, end, 0)

    # Ranges and calls one behind the other, each strictly inside what is around them.
    def inside(self, thread, start, end, depth):
        at = start + 1
        while True:
            at += self.random.randint(1, 20)
            length = self.random.randint(4, max(5, (end - start) // 2))
            if at + length >= end:
                return
            if depth < 5 and self.random.random() < 0.6:
                kind = START_END if self.random.random() < 0.2 else 59
                self.file.range(thread, at, at + length, self.random.choice(NAMES[:-1]), kind=kind,
                                registered=self.random.random() < 0.5)
                self.inside(thread, at, at + length, depth + 1)
            else:
                self.launch(thread, at, at + length)
            at += length

    def launch(self, thread, start, end):
        process = thread[0]
        self.correlations[process] += 1
        correlation = self.correlations[process]
        self.file.call(thread, start, end, correlation)
        for node in range(self.random.choice([0, 1, 1, 1, 4])):
            kind = self.random.choice(list(KINDS) + ["KERNEL"] * 4)
            self.work_end += self.random.randint(1, 9)
            duration = self.random.randint(0, 1000)
            where = {"device": self.random.randint(0, 1), "stream": self.random.choice([7, 13])}
            if kind == "KERNEL":
                self.file.kernel(process, self.work_end, self.work_end + duration, correlation, self.random.choice("abc"), **where)
            else:
                self.file.work(kind, process, self.work_end, self.work_end + duration, correlation, bytes=1, **where)


def make(path, seed):
    with NsysFile(path) as file:
        maker = Maker(seed, file)
        for process in range(maker.random.randint(1, 3)):
            for thread in range(maker.random.randint(1, 3)):
                maker.thread((process + 1, thread + 1), 0, maker.random.randint(100, 1500))
        for _ in range(maker.random.randint(0, 3)):  # nobody launched it
            file.kernel(1, 5, 5 + maker.random.randint(0, 50), 10_000, "lost")
    return maker


def count_by_sql(path):
    db = sqlite3.connect(path)
    tables = {name for name, in db.execute("SELECT name FROM sqlite_master")}
    name = "coalesce(n.text, (SELECT value FROM StringIds WHERE id = n.textId))"
    rows = {}

    def row(chain):
        return rows.setdefault(tuple(chain), Counter())

    def chain_of(thread, start, end):
        if "NVTX_EVENTS" not in tables:
            return []
        return [each for each, in db.execute(
            f"SELECT {name} FROM NVTX_EVENTS n WHERE n.globalTid = ? AND n.start <= ? AND n.end >= ? ORDER BY n.end - n.start DESC",
            (thread, start, end))]

    if "NVTX_EVENTS" in tables:
        for thread, start, end in db.execute("SELECT globalTid, start, end FROM NVTX_EVENTS").fetchall():
            row(chain_of(thread, start, end))["calls"] += 1
    for kind, column in KINDS.items():
        table = f"CUPTI_ACTIVITY_KIND_{kind}"
        if table not in tables:
            continue
        query = (f"SELECT k.end - k.start, r.globalTid, r.start, r.end FROM {table} k LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
                 "ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24")
        for duration, thread, start, end in db.execute(query).fetchall():
            chain = chain_of(thread, start, end) if thread is not None else []
            row(chain)["self_ns"] += duration
            for depth in range(1 if chain else 0, len(chain) + 1):
                row(chain[:depth])[column] += 1
                row(chain[:depth])["time_ns"] += duration
    return rows


def check(seed):
    path = os.path.join(folder, f"random-{seed}.sqlite")
    if os.path.exists(path):
        os.remove(path)
    make(path, seed)
    if not sqlite3.connect(path).execute("SELECT 1 FROM sqlite_master WHERE name LIKE 'CUPTI%KERNEL'").fetchone():
        return 0
    wanted = count_by_sql(path)
    done = subprocess.run(["llm-prof", "import", path, "--table", "--format=json"], capture_output=True, text=True)
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    read = json.loads(done.stdout)
    found = {tuple(row["path"]): row for row in read["rows"]}
    assert len(found) == len(read["rows"]), f"seed {seed}: a path has two rows"
    assert set(found) == set(wanted), f"seed {seed}: {set(found) ^ set(wanted)}"
    for chain, figures in wanted.items():
        for key in ("calls", "kernels", "copies", "fills", "time_ns", "self_ns"):
            assert found[chain][key] == figures[key], f"seed {seed}: {chain} {key}: {found[chain][key]}, by SQL {figures[key]}"
    total = sum(figures["self_ns"] for figures in wanted.values())
    outermost = sum(row["time_ns"] for row in read["rows"] if len(row["path"]) < 2)
    assert read["total"]["time_ns"] == total == outermost, f"seed {seed}: {read['total']}, {total}, {outermost}"
    os.remove(path)
    return sum(figures["kernels"] + figures["copies"] + figures["fills"] for chain, figures in wanted.items() if len(chain) < 2)


work = sum(check(seed) for seed in range(first, first + count))
assert work > 20 * count, f"only {work} pieces of work: nothing is tested"
print(f"{count} random nsys exports: figures are those of SQL")
