"""Runs llm-run with a process for each chip."""
import os
import subprocess

# mpirun refuses root, and more processes than cores, without these; and containers may not read other processes' memory.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
SECONDS = 300  # what hangs is ended


def mpirun(chips, *words):
    return subprocess.run(["mpirun", "-n", str(chips), "llm-run", *map(str, words)], env=ENVIRONMENT, capture_output=True,
                          text=True, timeout=SECONDS, check=False)


def run_chips(chips, *words):
    done = mpirun(chips, *words)
    assert done.returncode == 0, f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout
