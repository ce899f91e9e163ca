"""What goes wrong on one chip of two ends the others, too, and that chip says what it is.

    check_chips_end.py CUT WEIGHTS
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
from mpirun import ENVIRONMENT, SECONDS


def start(first, second):
    """Two processes with a command line of their own each."""
    return subprocess.Popen(["mpirun", "-n", "1", *first, ":", "-n", "1", *second], env=ENVIRONMENT, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def check_missing_file(cut, weights):
    run = start(["llm-run", cut, f"--weights={weights}"], ["llm-run", cut, f"--weights={weights}.nowhere"])
    _, said = run.communicate(timeout=SECONDS)
    assert run.returncode != 0
    assert said.count("error:") == 1, said
    print("\n".join(line for line in said.splitlines() if line.startswith("llm-run:")))


def check_killed(cut):
    with tempfile.TemporaryDirectory() as folder:
        pid = Path(folder) / "pid"
        endless = ["llm-run", cut, "--repeat=1000000000"]
        run = start(endless, ["sh", "-c", f'echo $$ > {pid}.new; mv {pid}.new {pid}; exec "$@"', "sh", *endless])
        while not pid.exists():
            time.sleep(0.05)
        time.sleep(1)
        assert run.poll() is None, run.communicate()
        os.kill(int(pid.read_text()), signal.SIGKILL)
        run.communicate(timeout=SECONDS)
        assert run.returncode != 0
    print("a chip that is killed ends the others")


check_missing_file(*sys.argv[1:])
check_killed(sys.argv[1])
