// Lists what differs most from the baseline: work of both runs, as llm-opt has matched it.

import { Baseline, differencePercent, Match } from "./compare";
import { breakable, h } from "./dom";
import { elapsedMicrosecondsOf } from "./elapsed";
import { formatDifferencePercent, formatIn, formatMicroseconds, formatOps, formatWhole, unitFor } from "./format";
import { shortName } from "./names";
import { Op, Report } from "./report";
import { Store } from "./state";

const mostRows = 12, mostOnly = 6, leastShare = 0.001; // of the largest difference

const differenceOf = ({ microseconds, baselineMicroseconds }: Match): number => microseconds - baselineMicroseconds;

export class Differences {
  readonly element: HTMLElement;

  constructor(here: Report, private readonly baseline: Baseline, private readonly store: Store) {
    const matched = new Set(baseline.matches.flatMap((match) => match.here));
    const onlyHere = here.ops.filter((op) => !matched.has(op));
    const sorted = [...baseline.matches].sort((a, b) => Math.abs(differenceOf(b)) - Math.abs(differenceOf(a)));
    const largest = sorted.length === 0 ? 0 : Math.abs(differenceOf(sorted[0]));
    const shown = sorted.filter((match) => Math.abs(differenceOf(match)) > leastShare * largest);
    const unit = unitFor("time", largest);
    this.element = h("section", { class: "differences", "aria-label": "What differs" },
      h("h2", {}, "What differs"),
      h("p", { class: "muted" }, this.summarize(shown.length === 0 ? "" : unit.name)),
      ...shown.slice(0, mostRows).map((match) => this.makeRow(match, largest, (value) => formatIn(unit, largest, value))),
      shown.length > mostRows ? h("p", { class: "muted" }, `and ${shown.length - mostRows} more, in the table`) : undefined,
      ...this.makeOnly(onlyHere, "here", (op) => elapsedMicrosecondsOf(here, [op])),
      ...this.makeOnly(baseline.lost, `in the ${baseline.sides.other}`, (op) => elapsedMicrosecondsOf(baseline.report, [op])));
  }

  /// Says how many ops take longer, and how many less long, or that none can be compared.
  private summarize(unit: string): string {
    const { matches, sides: { other } } = this.baseline;
    if (matches.length === 0)
      return "No op is in both runs, by its name. (One layer alone, layers.0, has other names than a loop over layers, layers.{}.)";
    const longer = matches.filter((match) => differenceOf(match) > 0).length;
    const shorter = matches.filter((match) => differenceOf(match) < 0).length;
    if (longer + shorter === 0) return `None of the ${formatOps(matches.length)} in both runs takes another time than in the ${other}.`;
    return `Elapsed time of all runs against the ${other}, in ${unit}: of ${formatOps(matches.length)} in both runs, ` +
           `${formatWhole(longer)} take longer and ${formatWhole(shorter)} less long`;
  }

  /// Lists the longest of the ops that one side alone has.
  private makeOnly(ops: Op[], side: string, timeOf: (op: Op) => number): HTMLElement[] {
    if (ops.length === 0) return [];
    const timed = ops.map((op) => ({ op, time: timeOf(op) })).sort((a, b) => b.time - a.time);
    const left = timed.length - mostOnly;
    return [h("p", { class: "muted", "data-only": side }, `Only ${side}: ${formatOps(ops.length)}`),
            ...timed.slice(0, mostOnly).map(({ op, time }) => h("div", { class: "share only", title: op.name },
              h("span", { class: "share-name" }, ...breakable(shortName(op))),
              h("span", { class: "share-value" }, formatMicroseconds(time)))),
            ...(left > 0 ? [h("p", { class: "muted" }, `and ${formatWhole(left)} more, in the table`)] : [])];
  }

  private makeRow(match: Match, largest: number, show: (value: number) => string): HTMLElement {
    const { here, there, microseconds, baselineMicroseconds } = match, difference = differenceOf(match);
    const percent = differencePercent(microseconds, baselineMicroseconds);
    const name = here.map(shortName).join(", ");
    const before = there.map(shortName).join(", "), isSame = here.length === 1 && there.length === 1;
    return h("button", { type: "button", class: "share", "data-difference": here[0].name,
                         title: isSame ? name : `${name}; in the ${this.baseline.sides.other} ${before}`,
                         onclick: () => this.store.set({ selectedOp: here[0].name }) },
      h("span", { class: "share-name" }, ...breakable(name)),
      h("span", { class: "share-value" }, `${difference > 0 ? "+" : "-"}${show(Math.abs(difference))}`),
      h("span", { class: "share-name inside" }, isSame ? "" : `before: ${before}`),
      h("span", { class: "share-value inside" }, percent === undefined ? "" : formatDifferencePercent(percent)),
      h("span", { class: "share-bar" },
        h("span", { class: difference > 0 ? "longer" : "shorter", style: `width: ${(100 * Math.abs(difference)) / largest}%` })));
  }
}
