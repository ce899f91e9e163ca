#!/usr/bin/env bash
# Everything that is checked before a release, which takes four builds: all tests with the release
# build, without optional packages, with assertions, and with sanitizers; that release and assertions write the
# same bytes; that no kernel of several ops is faster than one of them, of all models, phases
# and targets; that no better machine is slower; that passes keep what thousands of random programs
# compute; traces of all models on all presets; and the line
# coverage of lib/.
#   test/all.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

for preset in release lean asserts asan; do
  echo "== all tests, preset $preset"
  LLM_EXHAUSTIVE=$([ "$preset" != release ] || echo 1) bash "$root/test/run.sh" "$preset"
done

echo "== release and asserts write the same bytes"
digests() {
  python3 "$root/test/integration/digests.py" "$root/$1/bin" "$root/examples" \
    "$root/test/Workload/Inputs/attention.mlir"
}
diff <(digests build) <(digests build-asserts)
echo "same"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "== kernels of several ops"
PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_fused_ops.py" "$root" "$folder" all

echo "== better machines"
PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_faster.py" "$root" "$folder" --all

echo "== traces of all models on all presets"
PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_all_traces.py" "$root" "$folder" --all --jobs 2

echo "== random programs before and after passes"
for options in "1 3000 --batch=25 --interpret --coverage" "1 1000 --open --coverage"; do
  # shellcheck disable=SC2086
  PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/random_meaning.py" "$folder/random" $options
done

echo "== small models of all families, cut over chips"
PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_partition.py" "$folder/chips"
for cut in "--ep=2 --tp=1,2" "--dp=2 --tp=2" "--dp=2 --ep=2" "--dp=2 --ep=2 --gather" "--dp=2 --ep=2 --interleave=2" "--dp=2 --ep=4 deepseek_v3" "--tp=2,4 --sp" "--tp=2 --dp=2 --sp" "--tp=2 --chunks=2" "--tp=2 --sp --chunks=2" "--tp=2 --interleave=2" "--tp=2 --interleave=2 --sp" "--pp=2 --tp=1,2" "--pp=2 --rounds=2" "--tp=4 --cp=2" "--tp=4 --cp=2 --sp" "--pp=2 --tp=4 --cp=2" "--tp=4 --cp=2 --interleave=2" "--tp=4 --cp=4 deepseek_v2 deepseek_v3 kimi_linear" "--tp=2,4 --odd" "--ep=4 --tp=1 --odd" "--tp=2 --ep=2 --dp=2 --sp" "--pp=3" "--pp=2 --rounds=2 --tp=2" "--pp=2 --tp=2 --ep=2" "--tp=2 --pp=2 --interleave=2 --chunks=2" "--dp=2 --ep=2 --interleave=2 --pp=2" "--ep=4 --cp=4 --tp=1 deepseek_v3" "--tp=4 --cp=2 --pp=2 --interleave=2"; do
  # shellcheck disable=SC2086
  PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_partition.py" "$folder/chips" $cut
done
for cut in "--tp=2,4,8" "--tp=2 --ep=2" "--dp=2 --ep=2" "--dp=2 --tp=2" "--tp=4 --sp" "--tp=2 --dp=2 --sp" "--pp=2 --tp=2" "--tp=2 --interleave=2" "--tp=4,8 --cp=2" "--tp=2,8 --odd"; do
  # shellcheck disable=SC2086
  PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_chip_totals.py" "$folder/chips" $cut
done

PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_open_cuts.py" "$folder/chips" --tp=2,4

echo "== random pipelines"
PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_pipelines.py" "$folder/chips" 300

echo "== small models of all families, run on a process for each chip"
for cut in "--tp=2,4" "--tp=8 llama" "--tp=2 --odd" "--ep=4 --tp=1 --odd mixtral" "--tp=1 --ep=4 --cp=4 deepseek_v3" "--tp=2 --dp=2 --sp llama" "--tp=2 --chunks=2 llama" "--pp=2 --tp=2 gpt_oss" "--ep=2 --tp=1,2 mixtral qwen3_moe gpt_oss llama4 deepseek_v3" "--dp=2 --ep=2 mixtral qwen3_next" "--dp=2 --ep=4 deepseek_v3" "--pp=2" "--pp=2 --rounds=2" "--tp=4 --cp=2" "--tp=2 --steps" "--pp=2,3 --steps" "--tp=2 --odd --steps" "--pp=2 --tp=2 --steps"; do
  # shellcheck disable=SC2086
  PATH="$root/build/bin:$PATH" python3 -B "$root/test/integration/check_run_chips.py" "$folder/chips" $cut
done

echo "== line coverage of lib/"
bash "$root/test/coverage.sh"
