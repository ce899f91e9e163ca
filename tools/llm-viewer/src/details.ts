// What the page knows about the chosen op.

import { Baseline, differencePercent } from "./compare";
import { h } from "./dom";
import { formatBytes, formatCount, formatDifferencePercent, formatMicroseconds, formatWhole } from "./format";
import { Op, Report, scheduledCyclesOf, toMicroseconds } from "./report";
import { factsOfRun } from "./runs";
import { Store } from "./state";

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
      this.element.dataset.op = other.name;
      this.element.replaceChildren(h("h2", {}, other.name), h("p", {},
        `${other.op}, in the baseline only: ${formatMicroseconds(this.baseline!.microsecondsOf(other))} of engine time.`));
      return;
    }
    if (!op) {
      this.element.replaceChildren(h("p", { class: "muted" }, "Choose an op to see what it does and what it waits for."));
      return;
    }
    const facts = this.factsOf(op).filter(([, value]) => value !== "");
    this.element.replaceChildren(
      h("h2", {}, op.name), h("p", { class: "muted" }, op.op),
      h("dl", {}, ...facts.flatMap(([key, value]) => [h("dt", {}, key), h("dd", { "data-fact": key }, value)])),
      ...this.neighbours("waits for", [...op.depends_on, ...(op.depends_on_in_first_iteration ?? []),
                                       ...(op.depends_on_previous_iteration ?? [])]),
      ...this.neighbours("is waited for by", this.consumersOf(op)));
  }

  private factsOf(op: Op): [string, string][] {
    const time = (cycles: number) => formatMicroseconds(toMicroseconds(this.report, cycles));
    const amounts = (values: Record<string, number>) =>
      Object.entries(values).map(([key, value]) => `${key} ${formatWhole(value)}`).join(", ");
    const parts = op.parts.reduce((sum, part) => sum + part.count, 0);
    const run = this.store.state.selectedRun;
    return [
      ...(run === undefined ? [] : factsOfRun(this.report, op, Math.min(run, op.count - 1), time)),
      ["time", `${time(scheduledCyclesOf(op))} of engine time${op.count > 1 ? ` in ${op.count} runs` : ""}`],
      ["baseline", this.differenceOf(op)],
      ["bound", `${op.bound}: compute ${time(op.compute_cycles)}, memory ${time(op.memory_cycles)}, ` +
                `overhead ${time(op.overhead_cycles)} a run`],
      ["parts", parts > 1 ? `${parts} on ${op.engine}` : op.engine],
      ["shapes", `${op.inputs.join(", ")} → ${op.outputs.join(", ")}`],
      ["tile", `${amounts(op.tile)}${op.tile_strategy ? ` (${op.tile_strategy})` : ""}`],
      ["work", op.macs > 0 ? `${formatCount(op.macs)} MACs a run` : amounts(op.work ?? {})],
      ["bytes", Object.entries(op.bytes).map(([memory, bytes]) => `${memory} ${formatBytes(bytes)}`).join(", ") + " a run"],
      ["compulsory", op.compulsory_bytes === undefined ? "" : `${formatBytes(op.compulsory_bytes)} a run`],
      ["slack", op.slack_cycles === undefined ? "" : op.is_critical ? "none: critical" : time(op.slack_cycles)],
      ["held back by", op.held_back_by ?? ""],
    ];
  }

  private differenceOf(op: Op): string {
    const other = this.baseline?.find(op.name);
    if (!this.baseline) return "";
    if (!other) return "has no such op";
    const before = this.baseline.microsecondsOf(other);
    const difference = differencePercent(toMicroseconds(this.report, scheduledCyclesOf(op)), before);
    return `${formatMicroseconds(before)}${difference === undefined ? "" : ` (${formatDifferencePercent(difference)})`}`;
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
