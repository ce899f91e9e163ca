"""llm-prof import of databases that are damaged, foreign or made to harm: an error that says where, and nothing written."""

import gzip
import os
import shutil
import sqlite3
import subprocess
import sys

from nsys_files import NsysFile

folder = sys.argv[1]


def path_of(name):
    path = os.path.join(folder, name)
    for each in (path, path + "-wal", path + "-journal", path + "-shm"):
        if os.path.exists(each):
            os.remove(each)
    return path


def expect_error(path, *texts):
    before = sorted(os.listdir(folder))
    done = subprocess.run(["llm-prof", "import", path, "--table", f"-o={folder}/never.txt"], capture_output=True, text=True,
                          errors="replace", timeout=60)
    assert done.returncode == 1, f"{path}: exit status {done.returncode}\n{done.stderr}"
    for text in (os.path.basename(path), *texts):
        assert text in done.stderr, f"{path}: expected '{text}' in:\n{done.stderr}"
    assert sorted(os.listdir(folder)) == before, f"{path}: files were left: {set(os.listdir(folder)) - set(before)}"


def make_large(path):
    with NsysFile(path) as file:
        file.range((1, 1), 0, 1_000_000, "fwd")
        for number in range(3000):
            file.call((1, 1), 10 * number, 10 * number + 5, number)
            file.kernel(1, 2_000_000 + 10 * number, 2_000_000 + 10 * number + 7, number)
    return path


def change(source, name, edit):
    path = path_of(name)
    with open(source, "rb") as file:
        data = bytearray(file.read())
    with open(path, "wb") as file:
        file.write(edit(data) or data)
    return path


large = make_large(path_of("large.sqlite"))
page = 4096
size = os.path.getsize(large)
assert size > 40 * page
damaged = "the file is damaged or cut off: export the report again"
expect_error(change(large, "half.sqlite", lambda data: data[: size // 2]), "malformed", damaged)


# The header of a file that older programs wrote does not say how many pages there are.
def cut_unnoticed(data):
    data[92:96] = bytes(4)
    return data[: size // 2]


expect_error(change(large, "unnoticed.sqlite", cut_unnoticed), "table CUPTI_ACTIVITY_KIND_", "row ", "malformed", damaged)
expect_error(change(large, "header.sqlite", lambda data: data[:20]), "not a database", damaged)
expect_error(change(large, "one-page.sqlite", lambda data: data[:page]), damaged)


def scramble(data):
    data[20 * page : 40 * page] = b"\xa5" * (20 * page)


expect_error(change(large, "scrambled.sqlite", scramble), "table CUPTI_ACTIVITY_KIND_", "row ", "malformed")


# An interior page whose children are all itself: rows without end.
def tie_knot(data):
    root = next(at // page + 1 for at in range(page, size, page) if data[at] == 5)
    at = (root - 1) * page
    cells = int.from_bytes(data[at + 3 : at + 5], "big")
    for cell in range(cells):
        pointer = at + int.from_bytes(data[at + 12 + 2 * cell : at + 14 + 2 * cell], "big")
        data[pointer : pointer + 4] = root.to_bytes(4, "big")


expect_error(change(large, "knot.sqlite", tie_knot), "table CUPTI_ACTIVITY_KIND_", "row ")


# Interior pages that share their children, from level to level: no circle, but more rows than the file has room for.
def make_shared(data):
    root = next(at // page + 1 for at in range(page, size, page) if data[at] == 5)
    at = (root - 1) * page
    first = int.from_bytes(data[at + 12 : at + 14], "big")
    leaf = bytes(data[at + first : at + first + 4])
    level = leaf
    for _ in range(12):
        new = bytearray(page)
        count = 300
        start = page - 6 * count
        new[0:12] = bytes([5, 0, 0]) + count.to_bytes(2, "big") + start.to_bytes(2, "big") + b"\0" + level
        for cell in range(count):
            new[12 + 2 * cell : 14 + 2 * cell] = (start + 6 * cell).to_bytes(2, "big")
            new[start + 6 * cell : start + 6 * cell + 6] = level + bytes([1, 0])
        level = (len(data) // page + 1).to_bytes(4, "big")
        data += new
    top = len(data) - page
    data[at : at + page] = data[top : top + page]
    data[28:32] = (len(data) // page).to_bytes(4, "big")
    return data


expect_error(change(large, "shared.sqlite", make_shared), "table CUPTI_ACTIVITY_KIND_", "more rows than fit into the file")

path = path_of("foreign.sqlite")
db = sqlite3.connect(path)
db.execute("CREATE TABLE songs (title TEXT)")
db.close()
expect_error(path, "no export of Nsight Systems", "nsys export --type=sqlite")

path = path_of("columns.sqlite")
db = sqlite3.connect(path)
db.execute("CREATE TABLE NVTX_EVENTS (begin INTEGER, end INTEGER)")
db.close()
expect_error(path, "table NVTX_EVENTS: has no column 'start'")

# A view is a program, which would not end.
path = path_of("view.sqlite")
db = sqlite3.connect(path)
db.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
db.execute("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start FROM n) "
           "SELECT start, start AS end FROM n")
db.close()
done = subprocess.run(["llm-prof", "import", path], capture_output=True, text=True, timeout=60)
assert done.returncode == 0 and "events: 0;" in done.stdout, done

# More than a name can be.
path = path_of("long.sqlite")
with NsysFile(path) as file:
    file.range((1, 1), 0, 10, "x" * (17 << 20))
expect_error(path, "table NVTX_EVENTS", "row 1", "too big")

small = path_of("small.sqlite")
with NsysFile(small) as file:
    file.range((1, 1), 0, 10, "fwd")
with open(small, "rb") as plain, gzip.open(path_of("small.sqlite.gz"), "wb") as packed:
    shutil.copyfileobj(plain, packed)
expect_error(os.path.join(folder, "small.sqlite.gz"), "unpack it first")
for suffix in ("-wal", "-journal"):
    beside = path_of("small.sqlite-x") and small + suffix
    with open(beside, "wb") as file:
        file.write(b"changes")
    expect_error(small, "small.sqlite" + suffix, "has not finished")
    os.remove(beside)

# A name that a URI would take for something else; nothing is written beside it, and a read-only file is enough.
odd = path_of("a?mode=rwc#%41 b.sqlite")
shutil.copy(small, odd)
os.chmod(odd, 0o444)
before = sorted(os.listdir(folder))
done = subprocess.run(["llm-prof", "import", odd, "--table"], capture_output=True, text=True)
assert done.returncode == 0 and "fwd" in done.stdout, done
assert sorted(os.listdir(folder)) == before
print("nsys exports: damaged ones are refused with a place")
