// Lists what differs most from the baseline: work of both runs, as llm-opt has matched it.

import { Baseline, differencePercent, Match } from "./compare";
import { breakable, h } from "./dom";
import { formatDifferencePercent, formatIn, unitFor } from "./format";
import { shortName } from "./names";
import { Store } from "./state";

const mostRows = 12, leastShare = 0.001; // of the largest difference

const differenceOf = ({ microseconds, baselineMicroseconds }: Match): number => microseconds - baselineMicroseconds;

export class Differences {
  readonly element: HTMLElement;

  constructor(private readonly baseline: Baseline, private readonly store: Store) {
    const sorted = [...baseline.matches].sort((a, b) => Math.abs(differenceOf(b)) - Math.abs(differenceOf(a)));
    const largest = sorted.length === 0 ? 0 : Math.abs(differenceOf(sorted[0]));
    const shown = sorted.filter((match) => Math.abs(differenceOf(match)) > leastShare * largest);
    const unit = unitFor("time", largest);
    this.element = h("section", { class: "differences", "aria-label": "What differs" },
      h("h2", {}, "What differs"),
      h("p", { class: "muted" }, shown.length === 0 ? `Nothing takes another time than in the ${baseline.sides.other}.`
        : `Elapsed time of all runs against the ${baseline.sides.other}, in ${unit.name}`),
      ...shown.slice(0, mostRows).map((match) => this.makeRow(match, largest, (value) => formatIn(unit, largest, value))),
      shown.length > mostRows ? h("p", { class: "muted" }, `and ${shown.length - mostRows} more, in the table`) : undefined);
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
