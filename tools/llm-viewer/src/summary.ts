// The answer at a glance, and what to change first.

import { Baseline, differencePercent } from "./compare";
import { h } from "./dom";
import { formatBytes, formatCount, formatDifferencePercent, formatMicroseconds, formatPercent, formatWhole } from "./format";
import { ModelProgram, Op, Report, scheduledCyclesOf, toMicroseconds } from "./report";
import { Store } from "./state";

type Line = [string, string];

function largestBound(report: Report): string | undefined {
  let largest: string | undefined;
  for (const [name, cycles] of Object.entries(report.bounds))
    if (largest === undefined || cycles > report.bounds[largest]) largest = name;
  return largest;
}

/// In words, what would have to change before the time can get much shorter.
function adviceOf(report: Report): string {
  const bound = largestBound(report);
  if (bound === undefined) return "";
  const gap = report.gap_percent ?? 0;
  if (gap > 10)
    return `The schedule is ${formatPercent(gap)} above the largest bound (${bound}): first look for idle engines ` +
           "in the timeline and for what held the ops there back.";
  const [kind, ...rest] = bound.split("_");
  const of = rest.join("_");
  const advice: Record<string, string> = {
    bytes: `Bytes bind: a faster ${of}, fewer bytes (smaller types, more reuse by larger private memories), or a ` +
           "larger batch. More engines change nothing.",
    work: `Arithmetic binds: more or faster engines of group ${of}. More bandwidth changes nothing.`,
    critical: "The chain of ops that wait for each other binds: shorter ops (more parts), fused ops, less launch overhead.",
    stages: "Ops that everything later waits for bind, one stage after the other: more bandwidth or faster engines for " +
            "the longest of them, or private memory to fetch further ahead.",
    room: `The private memory of ${of} binds: with more of it, more could be fetched ahead.`,
    streams: `What one engine of ${of} can stream binds: wider ports.`,
  };
  return advice[kind] ?? `The bound ${bound} binds.`;
}

function sequencesOf(program: ModelProgram): string {
  return program.sequences.map(({ batch, seq, kv_len }) => {
    const least = Math.min(...kv_len), most = Math.max(...kv_len);
    return `batch ${batch}, ${seq} new, ${least === most ? least : `${least} to ${most}`} keys`;
  }).join("; ");
}

function machineOf(report: Report): string {
  const engines = report.engines.map((engine) => `${engine.count} × ${engine.name}`);
  const memories = report.memories.filter((memory) => memory.bytes_per_second)
    .map((memory) => `${memory.name} ${formatBytes(memory.bytes_per_second!)}/s`);
  return [...engines, ...memories, `${formatCount(report.clock_hz)}Hz${report.clock_is_given ? "" : " (a stated tick)"}`]
    .join(", ");
}

function linesOf(report: Report): Line[] {
  const lines: Line[] = [];
  const time = (cycles: number) =>
    `${formatMicroseconds(toMicroseconds(report, cycles))} (${formatWhole(cycles)} cycles)`;
  const { program, totals } = report;
  if (program) {
    lines.push(["model", `${program.model}, ${program.layers} of ${program.model_layers} layers` +
                         (program.whole_model ? ", whole" : "")]);
    lines.push(["phase", `${program.phase}: ${sequencesOf(program)}`]);
  }
  lines.push(["target", `${report.target}: ${report.target_description}`], ["machine", machineOf(report)]);
  lines.push(["policy", report.policy], ["makespan", time(report.makespan_cycles)]);
  const bound = largestBound(report);
  lines.push(["lower bound", `${time(report.lower_bound_cycles)}${bound ? `, by ${bound}` : ""}` +
    (report.gap_percent === undefined ? "" : `; the makespan is ${formatPercent(report.gap_percent)} above it`)]);
  lines.push(["roofline", time(report.roofline_cycles)]);
  if (report.tokens_per_second_if_all_layers !== undefined)
    lines.push(["tokens per second", `${formatCount(report.tokens_per_second_if_all_layers)}` +
      (program?.whole_model ? "" : ", if all layers took this long")]);
  lines.push(["operations", `${formatCount(2 * totals.macs)}FLOP in products`]);
  for (const memory of report.memories.filter((candidate) => candidate.bytes_per_second))
    lines.push([`${memory.name} moved`, formatBytes(
      report.ops.reduce((sum, op) => sum + (op.bytes[memory.name] ?? 0) * op.count, 0))]);
  lines.push(["weights", `${formatBytes(totals.weight_bytes)}, ${formatCount(totals.parameters)} parameters, ` +
                         `${formatCount(totals.active_parameters)} active`]);
  lines.push(["memory footprint", `${formatBytes(totals.weight_bytes + totals.kv_read_bytes)} of weights and KV rows that are read`]);
  lines.push(["KV cache", `${formatBytes(totals.kv_read_bytes)} read, ${formatBytes(totals.kv_write_bytes)} written`]);
  for (const engine of report.engines)
    if (engine.busy_cycles !== undefined && report.makespan_cycles > 0)
      lines.push([`${engine.name} idle`, idleOf(report, engine.busy_cycles, engine.count, engine.idle_cycles ?? {})]);
  return lines;
}

function idleOf(report: Report, busy: number, count: number, causes: Record<string, number>): string {
  const all = count * report.makespan_cycles;
  const parts = Object.entries(causes).map(([cause, cycles]) => `${cause} ${formatPercent((100 * cycles) / all)}`);
  return `${formatPercent(100 * (1 - busy / all))}${parts.length ? ` (${parts.join(", ")})` : ""}`;
}

export class Summary {
  readonly element: HTMLElement;

  constructor(private readonly report: Report, private readonly store: Store, baseline: Baseline | undefined) {
    this.element = h("section", { class: "summary", "aria-label": "Summary" },
      h("p", { class: "advice", "data-role": "advice" }, h("b", {}, "What to change first: "), adviceOf(report)),
      baseline ? this.makeComparison(baseline) : undefined,
      this.makeList(linesOf(report)),
      h("h3", {}, "Top ten ops"), this.makeTop());
  }

  private makeList(lines: Line[]): HTMLElement {
    return h("dl", {}, ...lines.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { "data-fact": name }, value)]));
  }

  private makeComparison(baseline: Baseline): HTMLElement {
    const before = baseline.report;
    const difference = differencePercent(this.report.makespan_us, before.makespan_us);
    const rows = [["target", before.target, this.report.target],
                  ["policy", before.policy, this.report.policy],
                  ["makespan", formatMicroseconds(before.makespan_us), formatMicroseconds(this.report.makespan_us)]];
    const lost = baseline.without(this.report);
    const others = lost.slice(0, 10).map((op) => op.name).join(", ") + (lost.length > 10 ? ", …" : "");
    return h("div", { class: "comparison", "data-role": "comparison" },
      h("h3", {}, `Against the baseline: ${difference === undefined ? "" : formatDifferencePercent(difference)}`),
      h("table", {}, h("thead", {}, h("tr", {}, ...["", "baseline", "this"].map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell)))))),
      lost.length > 0 ? h("p", {}, `${lost.length} ops are in the baseline only: ${others}`) : undefined);
  }

  private makeTop(): HTMLElement {
    const total = this.report.ops.reduce((sum, op) => sum + scheduledCyclesOf(op), 0) || 1;
    const top = [...this.report.ops].sort((a, b) => scheduledCyclesOf(b) - scheduledCyclesOf(a)).slice(0, 10);
    const row = (op: Op) => {
      const share = (100 * scheduledCyclesOf(op)) / total;
      return h("tr", {},
        h("td", {}, h("button", { type: "button", class: "op", onclick: () => this.store.set({ selectedOp: op.name }) }, op.name)),
        h("td", { class: "number" }, formatMicroseconds(toMicroseconds(this.report, scheduledCyclesOf(op)))),
        h("td", { class: "number", style: `--share: ${share}%`, "data-column": "share_percent" }, formatPercent(share)),
        h("td", {}, op.bound));
    };
    return h("table", { class: "top" }, h("tbody", {}, ...top.map(row)));
  }
}
