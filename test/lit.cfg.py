"""The tests: .mlir and .test files with RUN lines, mirrored after lib/."""
import ctypes
import glob
import os
import shutil
import subprocess
from pathlib import Path

import lit.formats

config.name = "llm-opt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "seeds"]
config.test_source_root = os.path.join(config.llm_source_dir, "test")
config.test_exec_root = os.path.join(config.llm_build_dir, "test", "out")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.llm_build_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]]
)
# libMLIR.so keeps its registries until the process ends, and allocates from slabs that our
# instrumented templates poisoned: it is not instrumented itself.
config.environment["ASAN_OPTIONS"] = "detect_leaks=0:allow_user_poisoning=0"
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
# Perfetto's reader of traces, where there is one (trace_processor.py).
if "TRACE_PROCESSOR" in os.environ:
    config.environment["TRACE_PROCESSOR"] = os.environ["TRACE_PROCESSOR"]
if "CCACHE_DIR" in os.environ:  # recipes/in-tree builds a copy of what was built before
    config.environment["CCACHE_DIR"] = os.environ["CCACHE_DIR"]
# mpirun refuses root, and more processes than cores, without these; and containers may not read other processes' memory.
for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"):
    config.environment[name] = "1"
config.environment["OMPI_MCA_btl_vader_single_copy_mechanism"] = "none"
config.environment["FILECHECK_OPTS"] = "-dump-input-filter=all -enable-var-scope"

plugin = os.path.join(config.llm_build_dir, "lib", "llm-plugin.so")
stock = "mlir-opt"
if config.sanitizers:
    # A stock mlir-opt is not sanitized: the plugin's runtime has to be there before it.
    runtimes = [
        subprocess.check_output(["g++", f"-print-file-name={library}"], text=True).strip()
        for library in ("libasan.so", "libubsan.so")
    ]
    stock = f"env LD_PRELOAD={':'.join(runtimes)} mlir-opt"
config.substitutions += [
    ("%stock-mlir-opt-passes", f"{stock} --load-pass-plugin={plugin}"),
    ("%stock-mlir-opt", f"{stock} --load-dialect-plugin={plugin} --load-pass-plugin={plugin}"),
    ("%root", config.llm_source_dir),
    ("%build", config.llm_build_dir),
    ("%bin", os.path.join(config.llm_build_dir, "bin")),
    ("%examples", os.path.join(config.llm_source_dir, "examples")),
    ("%integration", os.path.join(config.llm_source_dir, "test", "integration")),
    ("%python", "python3"),
    # Decisions of an op on its line, for tests that look for what stands together, or that edit one op.
    ("%one-line", f"sed -zEf {os.path.join(config.llm_source_dir, 'test', 'one-line.sed')}"),
    ("%llvm-lib", os.path.join(config.llvm_tools_dir, os.pardir, "lib")),
]
# Some tests need a Python that has packages: Debian's python3-jsonschema, python3-numpy, python3-pandas, python3-torch.
for package, needs, tests in (
    ("jsonschema", "jsonschema", "target-schema.test"),
    ("numpy", "numpy", "tie-out.test, tie-out-steps.test, tie-out-v4.test, gguf-runs.test, scaled-checkpoints.test, llama-cpp.test"),
    ("pandas", "pandas", "report-questions.test"),
    ("torch", "numpy, torch", "tie-out-torch.test, import-torch.test"),
):
    for python in ("python3", "/usr/bin/python3"):
        if subprocess.run([python, "-c", f"import {needs}"], capture_output=True, check=False).returncode == 0:
            config.available_features.add(package)
            config.substitutions.insert(0, (f"%python-{package}", python))
            break
    else:
        lit_config.note(f"no Python has {package}: {tests} is skipped")

if config.sanitizers:
    config.available_features.add("sanitizers")
elif os.environ.get("LLM_EXHAUSTIVE"):  # test/all.sh: no samples where all can be tried
    config.available_features.add("exhaustive")
    config.environment["LLM_EXHAUSTIVE"] = "1"
# What passes compute: LLVM's optimizer is not asked, except by test/all.sh (run_tools.py).
quick = "env" if "exhaustive" in config.available_features else "env LLM_RUN_OPTIONS=--optimize=false"
config.substitutions.insert(0, ("%quick", quick))
if config.coverage != "OFF":
    config.available_features.add("coverage")

# Packages that the build goes without where they are not there.
for package, has in config.optional.items():
    if has == "ON":
        config.available_features.add(package)
    else:
        lit_config.note(f"the build has no {package}: tests that need it are skipped")

# Measurements of real hardware, which are not part of the project.
measured = os.environ.get("LLM_MEASURED", os.path.join(config.llm_source_dir, "..", "shared", "measured"))
config.substitutions.append(("%measured", measured))
if glob.glob(os.path.join(measured, "*.csv")):
    config.available_features.add("measured")

if os.path.exists(os.path.join(config.llm_build_dir, "test", "unit", "PlansTests")):
    config.available_features.add("unit-tests")
# Threads of llm-run are those of OpenMP's runtime library.
try:
    ctypes.CDLL("libomp.so.5")
    config.available_features.add("openmp")
except OSError:
    lit_config.note("there is no libomp.so.5 (Debian: libomp5): threads.test is skipped")

# Interrupts are sent to a tool on a terminal; a bare chroot has none.
try:
    for side in os.openpty():
        os.close(side)
    config.available_features.add("terminal")
except OSError:
    lit_config.note("no terminal can be opened: interrupt.test, progress.test and table-terminal.test are skipped")

# Documents ask reports questions with it.
if shutil.which("jq"):
    config.available_features.add("jq")
else:
    lit_config.note("jq is not installed: report-questions.test and ten-minutes.test are skipped")

# Reads what --llm-export-dot writes; test/integration/dot.test has a reader of its own beside it.
if shutil.which("dot"):
    config.available_features.add("graphviz")
else:
    lit_config.note("Graphviz is not installed: dot.test reads graphs with its own parser only")

# Pages of --llm-export-html are looked at in Debian's Chromium, where the build has them.
viewer = os.path.join(config.llm_build_dir, "tools", "llm-viewer", "dist", "index.html")
packages = os.path.join(config.llm_build_dir, "test", "viewer-packages")
chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
if os.path.exists(viewer):
    config.available_features.add("viewer")
    if chromium and os.path.exists(os.path.join(packages, "installed.json")):
        config.available_features.add("browser")
        config.environment["LLM_CHROMIUM"] = chromium
        config.environment["LLM_VIEWER_PACKAGES"] = packages
if "browser" not in config.available_features:
    lit_config.note("the build has no page, or there are no chromium and packages for it: viewer tests are skipped")

# llama.cpp itself runs the same GGUF files, where its packages are (integration/llama_cpp/setup.sh).
packages = os.path.join(config.llm_build_dir, "test", "llama-cpp-packages")
config.substitutions.append(("%llama-cpp-packages", packages))
if shutil.which("node") and os.path.exists(os.path.join(packages, "installed.json")):
    config.available_features.add("llama-cpp")
else:
    lit_config.note("there are no packages of llama.cpp: llama-cpp.test and ggml-capture.test are skipped")
# A program is compiled against its headers; llm-opt's own libraries are not loaded into it.
if "llama-cpp" in config.available_features and os.path.exists(os.path.join(packages, "source", "include", "llama.h")):
    config.available_features.add("llama-cpp-headers")
config.substitutions += [
    ("%ggml-trace", os.path.join(config.llm_build_dir, "lib", "libllm-ggml-trace.so")),
    ("%cxx", config.cxx),
]


# The caches of the target of this machine; a bare chroot does not tell them.
def tells_caches():
    if glob.glob("/sys/devices/system/cpu/cpu*/cache"):
        return True
    return os.path.exists("/proc/cpuinfo") and "cache size" in Path("/proc/cpuinfo").read_text()


if tells_caches():
    config.available_features.add("host")
