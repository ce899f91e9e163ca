#!/usr/bin/env bash
# Fuzzes: installs clang and libFuzzer where they are missing, builds the harnesses, and runs
# one after the other, each from its seeds and from what earlier runs found worth keeping.
#   test/fuzz/run.sh [seconds per harness, by default 60] [harness...]
# A harness ends earlier where it has run $FUZZ_RUNS inputs. Each reader of traces is a harness of its own.
# Corpus, logs and findings are in build-fuzz/fuzz; each finding is minimized. Ends in one line
# per harness, and with 1 where there are findings.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-60}
[ $# -gt 0 ] && shift
harnesses=("$@")
[ ${#harnesses[@]} -gt 0 ] || harnesses=(passes hf-config gguf target trace-json trace-nsys trace-ggml trace-viz capture)
bin=$root/build-fuzz/bin
out=$root/build-fuzz/fuzz
max_bytes=32768 # maxInputBytes in Harness.h
max_findings=20 # of one harness in one run
runs=${FUZZ_RUNS:-1000000000}

# program <harness>: seeds of a format of traces have a folder each, and the program tells formats by their content.
program() {
  echo "$bin/fuzz-${1/#trace-*/trace}"
}

# fuzz <harness> <seconds> <log> <runs>: until the time is over or something is found.
fuzz() {
  "$(program "$1")" -max_total_time="$2" -runs="$4" -max_len=$max_bytes -timeout=10 -rss_limit_mb=4096 -detect_leaks=0 \
    -print_final_stats=1 -artifact_prefix="$out/findings/$1/" "$out/corpus/$1" "$root/test/fuzz/seeds/$1" \
    >"$3" 2>&1
}

# minimize <harness> <finding>: smaller inputs that end the process, beside the finding.
minimize() {
  "$(program "$1")" -minimize_crash=1 -max_total_time=60 -timeout=10 -rss_limit_mb=4096 -detect_leaks=0 \
    -exact_artifact_path="$2.min" "$2" >/dev/null 2>&1 || true
}

run_harness() {
  local harness=$1 executions=0 coverage=0 end=$((SECONDS + seconds)) before cpu log round=0 finding
  local folder=$out/findings/$harness
  mkdir -p "$out/corpus/$harness" "$folder"
  touch "$out/started"
  before=$(cpu_seconds)
  while [ $SECONDS -lt $end ] && [ $round -lt $max_findings ] && [ $executions -lt "$runs" ]; do
    log=$out/$harness.$round.log
    round=$((round + 1))
    fuzz "$harness" $((end - SECONDS)) "$log" $((runs - executions)) && true
    executions=$((executions + $(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1 || echo 0) + 0))
    coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -c6- || echo "$coverage")
  done
  cpu=$(($(cpu_seconds) - before))
  local findings
  mapfile -t findings < <(find "$folder" -type f -newer "$out/started" ! -name '*.min' ! -name 'slow-unit-*')
  for finding in "${findings[@]}"; do
    minimize "$harness" "$finding"
  done
  summary+=("$(printf '%-10s %10d executions, %5d CPU seconds, %6s edges, %d findings' \
    "$harness" "$executions" "$cpu" "${coverage:-0}" "${#findings[@]}")")
  for finding in "${findings[@]}"; do
    summary+=("  ${finding#"$root"/}")
    status=1
  done
}

# Of all processes that have ended so far.
cpu_seconds() {
  local ticks
  read -r -a ticks < <(sed 's/.*) //' /proc/$$/stat)
  # Fields 16 and 17 of the whole line: user and system time of children.
  echo $(((ticks[13] + ticks[14]) / $(getconf CLK_TCK)))
}

bash "$root/tools/setup.sh" clang-22 libclang-rt-22-dev llvm-22
bash "$root/tools/build.sh" fuzz
mkdir -p "$out"
summary=()
status=0
for harness in "${harnesses[@]}"; do
  echo "fuzzing $harness for $seconds s ..." >&2
  run_harness "$harness"
done
printf '%s\n' "${summary[@]}"
exit $status
