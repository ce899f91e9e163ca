#!/usr/bin/env python3
"""Writes the tables of docs/schedules.md: how far schedules are from their lower bounds.

    tools/schedules.py [--bin=build/bin] [--survey=NAME] [--write] [--only=TEXT]

Survey `machines`: eleven models, whole (a layer of each kind is scheduled once), in four phases on eight
machines. Survey `decoders`: models with states, windows and indexers, in five phases on three machines.
Each schedule is verified (whether the model fits or not), and compared with `policy=earliest`.
Without --write the tables are printed; --only restricts them to models whose name contains a text.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "schedules.md"
DENSE_AND_EXPERTS = [
    "Qwen--Qwen3-0.6B", "meta-llama--Llama-3.2-1B", "Qwen--Qwen3-8B", "meta-llama--Meta-Llama-3.1-8B",
    "meta-llama--Meta-Llama-3.1-70B", "meta-llama--Meta-Llama-3.1-405B", "mistralai--Mixtral-8x7B-v0.1",
    "openai--gpt-oss-20b", "Qwen--Qwen3-30B-A3B", "meta-llama--Llama-4-Scout-17B-16E-Instruct",
    "deepseek-ai--DeepSeek-V3"]
STATES_WINDOWS_INDEXERS = [
    "Qwen--Qwen3.5-35B-A3B", "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "moonshotai--Kimi-K3",
    "google--gemma-4-26B-A4B", "deepseek-ai--DeepSeek-V3.2", "deepseek-ai--DeepSeek-V4-Flash", "MiniMaxAI--MiniMax-M3"]
PHASES = {
    "decode, batch 1 at 4096": ["--phase=decode", "--kv-len=4096"],
    "decode, batch 64 at 2048": ["--phase=decode", "--batch=64", "--kv-len=2048"],
    "prefill of 2048": ["--phase=prefill", "--seq=2048"],
    "16 decodes at 2048, chunk of 512 after 1024": [
        "--phase=mixed", "--batch=16", "--kv-len=2048", "--chunk=512", "--chunk-kv-len=1536"]}
DRAFTS = {"16 drafts of 3 at 2048": ["--phase=verify", "--batch=16", "--seq=4", "--kv-len=2048"]}
# Four matrix engines, each with a port of half of the bandwidth of DRAM, so that two that stream leave nothing.
WIDE_PORTS = {
    "name": "wide-ports", "description": "invented", "clock_hz": 1e9,
    "engines": {
        "core": {"kinds": ["matrix", "vector"], "count": 4, "macs_per_cycle_per_unit": {"bf16": 16384},
                 "mac_granule_m": 128, "mac_granule_n": 128, "alu_per_cycle_per_unit": 1024,
                 "special_per_cycle_per_unit": 256, "compare_per_cycle_per_unit": 1024,
                 "private_memory": "sram", "port_bytes_per_second": {"dram": 1e12}},
        "dma": {"kinds": ["memory"], "count": 2, "port_bytes_per_second": {"dram": 1e12}}},
    "memories": {"sram": {"capacity_bytes": 16 << 20}, "dram": {"bytes_per_second": 2e12}}}
DECOMPOSED = ["--llm-decompose-attention", "--llm-target=name=npu-mxu-vpu"]
MACHINES = {
    **{f"npu, {count}": ["--llm-target=name=npu engines=" + str(count)] for count in (1, 2, 4, 8)},
    "nvl-ax": ["--llm-target=name=nvl-ax"],
    "npu-mxu-vpu": DECOMPOSED,
    **{f"wide-ports, {count}": [f"--llm-target=file={{work}}/wide-ports.json engines={count}"] for count in (4, 8)}}
LIMIT_PERCENT = 5


@dataclass
class Survey:
    models: list[str]
    phases: dict[str, list[str]]
    machines: dict[str, list[str]]

    def cases(self) -> list[tuple[str, str, str]]:
        return [(model, phase, machine) for model in self.models for phase in self.phases for machine in self.machines]


SURVEYS = {
    "machines": Survey(DENSE_AND_EXPERTS, PHASES, MACHINES),
    "decoders": Survey(
        STATES_WINDOWS_INDEXERS, PHASES | DRAFTS,
        {"npu, 4": MACHINES["npu, 4"], "npu-mxu-vpu": DECOMPOSED, "h100-sxm": ["--llm-target=name=h100-sxm"]})}

@dataclass
class Case:
    model: str
    phase: str
    machine: str
    makespan: int
    lower_bound: int
    earliest: int
    bound: str  # the name of the largest bound

    @property
    def gap_percent(self) -> float:
        return 100 * (self.makespan / self.lower_bound - 1)


def run(*command) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")


def schedule(bin_folder: Path, program: Path, machine: list[str], policy: str, out: Path) -> dict:
    run(bin_folder / "llm-opt", program, *machine, "--llm-tile", f"--llm-schedule=policy={policy}",
        "--llm-verify-schedule=capacity=false", f"--llm-export-report=format=json file={out}", "-o", "/dev/null")
    return json.loads(out.read_text())


def try_case(bin_folder: Path, work: Path, survey: Survey, model: str, phase: str, machine: str) -> Case:
    stem = f"{model}.{list(survey.phases).index(phase)}"
    out = work / f"{stem}.{list(survey.machines).index(machine)}.json"
    options = [option.format(work=work) for option in survey.machines[machine]]
    found = {policy: schedule(bin_folder, work / f"{stem}.mlir", options, policy, out)
             for policy in ("list", "earliest")}
    bounds = found["list"]["bounds"]
    case = Case(model, phase, machine, found["list"]["makespan_cycles"],
                found["list"]["lower_bound_cycles"], found["earliest"]["makespan_cycles"],
                max(bounds, key=bounds.get))
    if not case.lower_bound <= case.makespan <= case.earliest:
        sys.exit(f"not in order: {case}")
    return case


def try_all(bin_folder: Path, survey: Survey, only: str) -> list[Case]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "wide-ports.json").write_text(json.dumps(WIDE_PORTS))
        cases = [case for case in survey.cases() if only in case[0]]
        for model in dict.fromkeys(model for model, _, _ in cases):
            for number, arguments in enumerate(survey.phases.values()):
                run(bin_folder / "llm-translate", "--import-hf-config",
                    ROOT / "test" / "models" / f"{model}.json", "--layers=all", *arguments,
                    "-o", work / f"{model}.{number}.mlir")
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda case: try_case(bin_folder, work, survey, *case), cases))


def short(model: str) -> str:
    return model.partition("--")[2]


def tables(survey: Survey, cases: list[Case]) -> str:
    lines = []
    known = {(case.model, case.phase, case.machine): case for case in cases}
    models = list(dict.fromkeys(case.model for case in cases))
    for title, text in (
            ("Percent above the lower bound", lambda case: f"{case.gap_percent:.1f}"),
            ("How much longer `earliest` takes", lambda case: f"{case.earliest / case.makespan:.2f}")):
        lines += [f"### {title}", ""]
        for phase in survey.phases:
            lines += [f"| {phase} | " + " | ".join(survey.machines) + " |",
                      "|---|" + "---:|" * len(survey.machines)]
            for model in models:
                found = [known.get((model, phase, machine)) for machine in survey.machines]
                cells = [text(case) if case else "" for case in found]
                lines.append(f"| {short(model)} | " + " | ".join(cells) + " |")
            lines.append("")
    above = [case for case in cases if case.gap_percent > LIMIT_PERCENT]
    within = [case for case in cases if case.gap_percent <= 2]
    lines += [f"### Above {LIMIT_PERCENT} %", "",
              f"{len(within)} of {len(cases)} schedules are within 2 %, and "
              f"{len(cases) - len(above)} are within "
              f"{LIMIT_PERCENT} %. The table has the others, with the largest of their bounds:", "",
              "| model | phase | machine | above the bound | bound |", "|---|---|---|---:|---|"]
    lines += [f"| {short(case.model)} | {case.phase} | {case.machine} | {case.gap_percent:.1f} % | `{case.bound}` |"
              for case in sorted(above, key=lambda case: -case.gap_percent)]
    return "\n".join(lines) + "\n"


def write_page(name: str, text: str) -> None:
    """Replaces what stands between the mark of a survey and its end."""
    begin, end = (f"<!-- {place}: tools/schedules.py --survey={name} -->\n" for place in ("tables", "end"))
    head, mark, rest = PAGE.read_text().partition(begin)
    _, close, behind = rest.partition(end)
    if not mark or not close:
        sys.exit(f"{PAGE} has no place for the tables of '{name}'")
    beside = PAGE.with_suffix(".tmp")
    beside.write_text(head + begin + "\n" + text + "\n" + end + behind)
    beside.rename(PAGE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("--survey", choices=SURVEYS, action="append", help="default: all")
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    for name in options.survey or SURVEYS:
        text = tables(SURVEYS[name], try_all(options.bin.resolve(), SURVEYS[name], options.only))
        if options.write:
            write_page(name, text)
        else:
            print(text, end="")


if __name__ == "__main__":
    main()
