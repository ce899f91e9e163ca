#!/usr/bin/env python3
"""What `llm-prof open` does, with a browser that is this script.

    check_open.py FOLDER
    check_open.py --browse FOLDER URL     as the browser: asks as nobody should, then as ui.perfetto.dev does

FOLDER has trace.json, page.html and foreign.trace, a trace that Perfetto does not read.
"""
import gzip
import http.client
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit

VIEWER = "https://ui.perfetto.dev"


def require(condition, message):
    if not condition:
        sys.exit(message)


def ask(port, method, path, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


def send_raw(port, data):
    """What comes back for bytes that may be no request."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        received = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(4096):
                received += part
        except OSError:  # it was refused before all was said
            pass
        return received


def browse(folder, url):
    seen = {"url": url}
    if url.startswith(VIEWER):
        place = urlsplit(url.split("?url=")[1])
        port, path, origin = place.port, place.path, {"Origin": VIEWER}
        seen["refused"] = [
            ask(port, "GET", path, {})[0], ask(port, "GET", path, {"Origin": "https://example.com"})[0],
            ask(port, "GET", path, {"Origin": VIEWER + ".example.com"})[0], ask(port, "GET", "/", origin)[0],
            ask(port, "GET", path + "x", origin)[0], ask(port, "GET", "/../" + path, origin)[0],
            ask(port, "POST", path, origin)[0], ask(port, "DELETE", path, origin)[0]]
        bad = [b"", b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"GET " + b"a" * 100_000,
               b"GET " + path.encode() + b" HTTP/1.1\r\nOrigin", b"\r\n\r\n", os.urandom(3000)]
        seen["bad"] = [send_raw(port, data)[:12].decode("latin-1") for data in bad]
        status, headers, content = ask(port, "GET", path, origin)
        seen.update(status=status, headers=headers)
        (folder / "fetched").write_bytes(content)
    (folder / "seen.json").write_text(json.dumps(seen))


def open_file(folder, name, *options, browser=True):
    return run_prof(folder, "open", name, "--port=0", "--patience=30", *options, browser=browser)


def run_tool(folder, *words, browser):
    for left in ("seen.json", "fetched"):
        (folder / left).unlink(missing_ok=True)
    variables = {key: value for key, value in os.environ.items()
                 if key not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION")}
    if browser:
        variables["BROWSER"] = f"{sys.executable} {Path(__file__).resolve()} --browse {folder}"
    return subprocess.run(list(words), cwd=folder, env=variables, capture_output=True, text=True, timeout=100)


def run_prof(folder, *words, browser):
    return run_tool(folder, "llm-prof", *words, browser=browser)


def read_seen(folder):
    """The browser may write behind the end of the server."""
    import time
    for _ in range(500):
        try:
            return json.loads((folder / "seen.json").read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            time.sleep(0.02)
    sys.exit("the browser was not asked")


def check_trace(folder):
    run = open_file(folder, "a trace.json")
    require(run.returncode == 0, run.stderr)
    seen = read_seen(folder)
    require(seen["url"].startswith(VIEWER + "/#!/?url=http://127.0.0.1:"), seen["url"])
    require(seen["url"].endswith("/a_trace.json") and seen["url"] in run.stdout, seen["url"])
    require(seen["refused"] == [403, 403, 403, 404, 404, 404, 405, 405], seen["refused"])
    require(all(answer in ("HTTP/1.1 400", "HTTP/1.1 403", "") for answer in seen["bad"]), seen["bad"])
    require(seen["status"] == 200 and seen["headers"]["Access-Control-Allow-Origin"] == VIEWER, seen)
    require((folder / "fetched").read_bytes() == (folder / "a trace.json").read_bytes(), "another file was fetched")


def check_foreign(folder):
    run = open_file(folder, "foreign.trace")
    require(run.returncode == 0, run.stderr)
    require(read_seen(folder)["url"].endswith("/foreign.trace.json.gz"), run.stdout)
    trace = json.loads(gzip.decompress((folder / "fetched").read_bytes()))
    require(any(event["ph"] == "X" for event in trace["traceEvents"]), "the converted trace is empty")


def check_page(folder):
    run = open_file(folder, "page.html")
    require(run.returncode == 0, run.stderr)
    require(read_seen(folder)["url"] == "file://" + quote(str((folder / "page.html").resolve())), run.stdout)


def check_others(folder):
    for name, says in (("a trace.json", "drop 'a trace.json' into it"), ("page.html", "open it in a browser")):
        run = open_file(folder, name, browser=False)
        require(run.returncode == 0 and "There is no display here" in run.stdout and says in run.stdout, run.stdout + run.stderr)
    run = open_file(folder, "nowhere.json")
    require(run.returncode == 1 and "nowhere.json" in run.stderr, run.stderr)
    (folder / "noise").write_bytes(b"\x01noise")
    run = open_file(folder, "noise")
    require(run.returncode == 1 and "error: " in run.stderr, run.stderr)
    (folder / "config.json").write_text('{"model_type": "llama"}')
    run = open_file(folder, "config.json")
    require(run.returncode == 1 and "the object has no member 'traceEvents'" in run.stderr, run.stderr)
    with socket.create_server(("127.0.0.1", 0)) as other:
        run = open_file(folder, "a trace.json", f"--port={other.getsockname()[1]}")
    require(run.returncode == 1 and "which another program may use" in run.stderr, run.stderr)
    os.environ["PATH"] += os.pathsep + str(folder)
    run = subprocess.run(["llm-prof", "open", "a trace.json", "--port=0", "--patience=1"], cwd=folder, capture_output=True,
                         text=True, env={**os.environ, "BROWSER": "true"}, timeout=100)
    require(run.returncode == 1 and "no browser has asked for the file within 1 s" in run.stderr, run.stderr)
    run = subprocess.run(["llm-prof", "open", "a trace.json", "--port=0"], cwd=folder, capture_output=True, text=True,
                         env={**os.environ, "BROWSER": "no-such-browser"}, timeout=100)
    require(run.returncode == 1 and "cannot start the browser 'no-such-browser'" in run.stderr, run.stderr)


def check_import(folder):
    run = run_prof(folder, "import", "foreign.trace", "--perfetto=made.json", "--open", browser=False)
    require(run.returncode == 0 and "drop 'made.json' into it" in run.stdout, run.stdout + run.stderr)
    require((folder / "made.json").exists(), "nothing was written to be opened")
    run = run_prof(folder, "import", "foreign.trace", "--perfetto=made.txt", browser=False)
    require(run.returncode == 1 and "--perfetto=made.txt: the name says the form of the trace" in run.stderr, run.stderr)
    run = run_prof(folder, "import", "foreign.trace", "--open", browser=False)
    require(run.returncode == 1 and "--open shows what --html or --perfetto writes" in run.stderr, run.stderr)


def check_exports(folder):
    """Pages and traces of llm-opt and llm-run, which say on standard error how to open them without a display."""
    (folder / "add.mlir").write_text(
        'func.func @f(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {\n  %y = llm.add "sum" %x, %x : tensor<4x64xf32>, tensor<4x64xf32>\n'
        '  return %y : tensor<4x64xf32>\n}\n')
    export = ["llm-opt", "add.mlir", "--llm-target=name=npu", "--llm-tile", "--llm-schedule", "-o", "/dev/null"]
    run = run_tool(folder, *export, "--llm-export-perfetto=file=sum.json open", browser=False)
    require(run.returncode == 0 and "drop 'sum.json' into it" in run.stderr and not run.stdout, run.stdout + run.stderr)
    run = run_tool(folder, *export, "--llm-export-perfetto=file=- open", browser=False)
    require(run.returncode == 1 and "--llm-export-perfetto=open shows a file" in run.stderr, run.stderr)
    run = run_tool(folder, "llm-run", "add.mlir", "--trace=run.json", "--open", browser=False)
    require(run.returncode == 0 and "drop 'run.json' into it" in run.stderr, run.stderr)
    run = run_tool(folder, "llm-run", "add.mlir", "--open", browser=False)
    require(run.returncode == 1 and "'--open' shows what '--html' or '--trace' writes" in run.stderr, run.stderr)
    if "this build has no page" in run_tool(folder, *export, "--llm-export-html=file=sum.html", browser=False).stderr:
        return
    for words in ([*export, "--llm-export-html=file=sum.html open"], ["llm-run", "add.mlir", "--html=sum.html", "--open"]):
        run = run_tool(folder, *words, browser=False)
        require(run.returncode == 0 and "Copy 'sum.html' to a machine that has one" in run.stderr, run.stderr)
        run = run_tool(folder, *words, browser=True)
        require(run.returncode == 0 and read_seen(folder)["url"] == f"file://{quote(str(folder))}/sum.html", run.stderr)
    require('"measured":true' in (folder / "sum.html").read_text(), "the page of a run has no measurement")


if sys.argv[1] == "--browse":
    browse(Path(sys.argv[2]), sys.argv[3])
else:
    for check in (check_trace, check_foreign, check_page, check_others, check_import, check_exports):
        check(Path(sys.argv[1]).resolve())
    print("ok")
