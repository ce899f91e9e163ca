// Shows what the page knows about the chosen op.

import { Baseline, differencePercent } from "./compare";
import { h } from "./dom";
import { elapsedMicrosecondsOf, extentOf } from "./elapsed";
import { formatBytes, formatCount, formatDifferencePercent, formatMicroseconds, formatRange, formatWhole } from "./format";
import { kindOf } from "./kinds";
import { mainMemory, Op, Report, scheduledCyclesOf, toMicroseconds } from "./report";
import { factsOfRun } from "./runs";
import { Store } from "./state";

/// Writes "core[0..3]", or "3 of core" if those between are left out.
function enginesOf(op: Op): string {
  const used = [...new Set(op.slots.map((slot) => slot.engine))];
  const indices = used.map((engine) => Number(engine.match(/\[(\d+)\]$/)?.[1] ?? 0)).sort((a, b) => a - b);
  const [first, last] = [indices[0], indices[indices.length - 1]];
  const others = (op.with ?? []).map((group) => ` with ${group}`).join("");
  if (used.length <= 1) return (used[0] ?? op.engine) + others;
  return (last - first + 1 === used.length ? `${op.engine}[${first}..${last}]` : `${used.length} of ${op.engine}`) + others;
}

/// Says what the time rests on, if the target has measured times.
function originOf(op: Op): string {
  if (op.time_from === "measured") return "a measurement of this size";
  if (op.time_from !== "corrected") return "";
  return `the formula, corrected by measurements of near sizes: ${formatDifferencePercent(100 * (op.time_per_formula! - 1))}`;
}

export class Details {
  readonly element = h("aside", { class: "details", "aria-label": "Details", "aria-live": "polite" });

  constructor(private readonly report: Report, private readonly store: Store,
              private readonly baseline: Baseline | undefined) {
    store.subscribe((_, changed) => {
      if (changed.has("selectedOp") || changed.has("selectedRun")) this.render();
    });
    this.render();
  }

  private render(): void {
    const name = this.store.state.selectedOp;
    const op = this.report.ops.find((candidate) => candidate.name === name);
    this.element.dataset.op = op?.name ?? "";
    const other = name === undefined ? undefined : this.baseline?.find(name);
    if (!op && other) {
      this.renderOther(other);
      return;
    }
    if (!op) {
      this.element.replaceChildren();
      return;
    }
    const facts = this.factsOf(op).filter(([, value]) => value !== "");
    this.element.replaceChildren(
      this.closeButton(), h("h2", {}, op.name), h("p", { class: "muted" }, kindOf(op)),
      h("dl", {}, ...facts.flatMap(([key, value]) => [h("dt", {}, key), h("dd", { "data-fact": key }, value)])),
      ...this.neighbours("waits for", [...op.depends_on, ...(op.depends_on_in_first_iteration ?? []),
                                       ...(op.depends_on_previous_iteration ?? [])]),
      ...this.neighbours("is waited for by", this.consumersOf(op)));
  }

  /// Shows an op of the baseline that this run lacks, or has fused in another way.
  private renderOther(other: Op): void {
    const match = this.baseline!.matchOf(other), names = match?.here.map(({ name }) => name).join(", ");
    const here = !match ? `in the ${this.baseline!.sides.other} only` : `here ${match.there.length > 1 ? "a part of " : ""}${names}`;
    this.element.dataset.op = other.name;
    this.element.replaceChildren(this.closeButton(), h("h2", {}, other.name), h("p", {},
      `${kindOf(other)}, ${here}: elapsed ${formatMicroseconds(this.baseline!.elapsedMicrosecondsOf([other])!)} there.`));
  }
  private closeButton(): HTMLElement {
    return h("button", { type: "button", class: "close", "aria-label": "Close the details", title: "Close (Esc in the timeline)",
                         onclick: () => this.store.set({ selectedOp: undefined }) }, "×");
  }

  /// Says where the op stands if no run is chosen.
  private placeOf(op: Op, time: (cycles: number) => string): [string, string][] {
    if (op.slots.length === 0) return [];
    return [["start", `${time(extentOf(op)[0])}${op.count > 1 ? ", of the first run" : ""}`], ["engines", enginesOf(op)]];
  }

  private factsOf(op: Op): [string, string][] {
    const time = (cycles: number) => formatMicroseconds(toMicroseconds(this.report, cycles));
    const amounts = (values: Record<string, number>) =>
      Object.entries(values).map(([key, value]) => `${key} ${formatWhole(value)}`).join(", ");
    const parts = op.parts.reduce((sum, part) => sum + part.count, 0);
    const runs = op.count > 1 ? ` in ${formatWhole(op.count)} runs` : "";
    const run = this.store.state.selectedRun;
    return [
      ...(run === undefined ? this.placeOf(op, time) : factsOfRun(this.report, op, Math.min(run, op.count - 1), time)),
      ["elapsed", `${formatMicroseconds(elapsedMicrosecondsOf(this.report, [op]))}${runs}, ${op.count > 1 ? "each " : ""}from its first start to its last end`],
      ["exposed", op.exposed_us === undefined ? "" : `${formatMicroseconds(op.exposed_us)} of that, with no op beside it`],
      ["engine time", `${time(scheduledCyclesOf(op))}${runs}, of all engines together`],
      [this.baseline?.sides.other ?? "", this.differenceOf(op)],
      ["range", op.time_p10_us === undefined ? "" : `${formatRange(op.time_p10_us, op.time_p90_us!)} in eight of ten cases`],
      ["time from", originOf(op)],
      ["bound", `${op.bound}: ${this.reasonOf(op)}`],
      ["one run", this.termsOf(op)],
      ["parts", parts > 1 ? formatWhole(parts) : ""],
      ["shapes", `${op.inputs.join(", ")} → ${op.outputs.join(", ")}`],
      ["tile", `${amounts(op.tile)}${op.tile_strategy ? ` (${op.tile_strategy})` : ""}`],
      ["work", op.macs > 0 ? `${formatCount(op.macs)} MACs a run` : amounts(op.work ?? {})],
      ["bytes", Object.entries(op.bytes).map(([memory, bytes]) => `${memory} ${formatBytes(bytes)}`).join(", ") + " a run"],
      ["compulsory", op.compulsory_bytes === undefined ? "" : `${formatBytes(op.compulsory_bytes)} a run`],
      ["slack", op.slack_cycles === undefined ? "" : op.is_critical ? "none: critical" : time(op.slack_cycles)],
      ["held back by", op.held_back_by ?? ""],
    ];
  }

  /// Names the times that decided the bound. If units share the op and streaming takes longer than memory alone would,
  /// compute_cycles are those of streaming through the ports of the units.
  private reasonOf(op: Op): string {
    const time = (cycles: number) => formatMicroseconds(toMicroseconds(this.report, cycles));
    const { name } = mainMemory(this.report);
    const overhead = `overhead ${time(op.overhead_cycles)}`;
    if (op.bound === "memory" && op.compute_cycles > op.memory_cycles)
      return `streaming through ${name} and the ports of the units ${time(op.compute_cycles)}, compute less, ${overhead}; ` +
             `${name} alone would take ${time(op.memory_cycles)}`;
    return `compute ${time(op.compute_cycles)}, memory ${time(op.memory_cycles)}${this.byMemory(op)}, ${overhead}`;
  }

  /// Says which of several memories takes the time, for the first of equal parts.
  private byMemory(op: Op): string {
    const cycles = op.parts[0]?.cycles_by_memory;
    if (!cycles) return "";
    const time = (own: number) => formatMicroseconds(toMicroseconds(this.report, own));
    return ` (a part: ${Object.entries(cycles).map(([memory, own]) => `${memory} ${time(own)}`).join(", ")})`;
  }

  /// Says what the time of one run is made of if it is alone on the machine. The slots may take longer or, with
  /// fetches ahead, less.
  private termsOf(op: Op): string {
    const time = (cycles: number) => formatMicroseconds(toMicroseconds(this.report, cycles));
    const overlapped = op.cycles - op.overhead_cycles - op.serial_cycles;
    const terms = [`${time(op.overhead_cycles)} overhead`, `${time(op.serial_cycles)} serial`,
                   `${time(overlapped)} compute and memory side by side`].join(" + ");
    const scheduled = op.scheduled_cycles === op.cycles ? "" : `; scheduled: ${time(op.scheduled_cycles)}`;
    return `${time(op.cycles)} = ${terms}${scheduled}`;
  }

  private differenceOf(op: Op): string {
    if (!this.baseline) return "";
    const match = this.baseline.matchOf(op);
    if (!match) return "has no such op";
    const { here, there, microseconds, baselineMicroseconds: before } = match;
    const difference = differencePercent(microseconds, before);
    return `elapsed ${formatMicroseconds(before)}${difference === undefined ? "" : ` (${formatDifferencePercent(difference)})`}` +
           `${there.length > 1 ? `, of ${there.length} ops together` : ""}` +
           `${here.length > 1 ? `, which runs ${here.map(({ name }) => name).join(", ")} as one` : ""}`;
  }

  private consumersOf(op: Op): string[] {
    const waits = (other: Op) => [other.depends_on, other.depends_on_in_first_iteration ?? [],
                                  other.depends_on_previous_iteration ?? []].some((names) => names.includes(op.name));
    return this.report.ops.filter(waits).map((other) => other.name);
  }

  private neighbours(title: string, names: string[]): Node[] {
    if (names.length === 0) return [];
    const link = (name: string) =>
      h("li", {}, h("button", { type: "button", class: "op", onclick: () => this.store.set({ selectedOp: name }) }, name));
    return [h("h3", {}, title), h("ul", {}, ...names.map(link))];
  }
}
