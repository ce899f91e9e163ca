// Shows all that is known of the whole function; two runs stand side by side.

import { Baseline, differencePercent, workOf } from "./compare";
import { h } from "./dom";
import { boundOf, Fact, factsOf, tokenRateOf, tokensOf } from "./facts";
import { formatBytes, formatDifferencePercent, formatMicroseconds, formatOps } from "./format";
import { mainMemory, Report, toMicroseconds } from "./report";

function movedBytes(report: Report): number {
  const name = mainMemory(report)?.name;
  return report.ops.reduce((sum, op) => sum + (op.bytes[name] ?? 0) * op.count, 0);
}

type ComparedRow = [name: string, before: string, now: string, difference?: number];

/// Compares what both runs did, on what machine, and how long they took.
function comparedRows(before: Report, now: Report): ComparedRow[] {
  const words = new Map(workOf(before));
  const number = (name: string, show: (report: Report) => string, value: (report: Report) => number | undefined): ComparedRow => {
    // A report may lack it.
    const [x, y] = [before, now].map(value).map((each) => Number.isFinite(each) ? each : undefined);
    const shown = (report: Report, each: number | undefined) => each === undefined ? "" : show(report);
    return [name, shown(before, x), shown(now, y), x === undefined || y === undefined ? undefined : differencePercent(y, x)];
  };
  const time = (cycles: (report: Report) => number) => (report: Report) => toMicroseconds(report, cycles(report));
  const lower = time((report) => report.lower_bound_cycles), roofline = time((report) => report.roofline_cycles);
  return [
    ...workOf(now).map(([name, value]): ComparedRow => [name, words.get(name) ?? "", value]),
    ["target", before.target, now.target], ["policy", before.policy, now.policy],
    number("makespan", (report) => formatMicroseconds(report.makespan_us), (report) => report.makespan_us),
    number("lower bound", boundOf, lower),
    number("roofline", (report) => formatMicroseconds(roofline(report)), roofline),
    number("tokens per second", tokensOf, tokenRateOf),
    number("bytes moved", (report) => `${mainMemory(report)?.name ?? ""} ${formatBytes(movedBytes(report))}`, movedBytes),
  ];
}

export class Summary {
  readonly element: HTMLElement;

  constructor(private readonly report: Report, baseline: Baseline | undefined) {
    this.element = h("section", { class: "summary", "aria-label": "Facts" },
      baseline ? this.makeComparison(baseline) : undefined, this.makeList(factsOf(report)));
  }

  private makeList(facts: Fact[]): HTMLElement {
    return h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { "data-fact": name }, value)]));
  }

  private makeComparison(baseline: Baseline): HTMLElement {
    const before = baseline.report;
    const difference = differencePercent(this.report.makespan_us, before.makespan_us);
    const { lost } = baseline;
    const others = lost.slice(0, 10).map((op) => op.name).join(", ") + (lost.length > 10 ? ", …" : "");
    const head = (title: string) => h("th", { scope: "col", class: "text" }, title);
    const rows = comparedRows(before, this.report).filter(([, x, y]) => x !== "" || y !== "");
    return h("div", { class: "comparison", "data-role": "comparison" },
      h("h3", {}, `Against the ${baseline.sides.other}: ${difference === undefined ? "" : `makespan ${formatDifferencePercent(difference)}`}`),
      h("table", {},
        h("thead", {}, h("tr", {}, ...["", baseline.sides.others, baseline.sides.own, "Difference"].map(head))),
        h("tbody", {}, ...rows.map(([name, x, y, percent]) => h("tr", { "data-compared": name },
          h("th", { scope: "row", class: "text" }, name), h("td", {}, x), h("td", {}, y),
          h("td", { class: "number" }, percent === undefined ? "" : formatDifferencePercent(percent)))))),
      lost.length > 0 ? h("p", {}, `${formatOps(lost.length)} in the ${baseline.sides.other} only: ${others}`) : undefined);
  }
}
