// Counters under the timeline, on its axis.

import uPlot from "uplot";
import { Counter, makeCounters, sample } from "../counters";
import { h } from "../dom";
import { Schedule } from "../schedule";
import { gutter, Range, Theme } from "./painter";

const plotHeight = 54;

export class CounterPlots {
  readonly element = h("div", { class: "counters" });
  private readonly counters: Counter[];
  private plots: uPlot[] = [];

  constructor(schedule: Schedule) {
    this.counters = makeCounters(schedule);
  }

  /// Anew, as the width and colours of a plot stay as it was made.
  build(width: number, theme: Theme): void {
    this.plots.forEach((plot) => plot.destroy());
    this.element.replaceChildren();
    this.plots = this.counters.map((counter) => {
      const host = h("div", { class: "counter", "data-counter": counter.label },
        h("span", { class: "counter-name" }, counter.label));
      this.element.append(host);
      return new uPlot(this.optionsOf(counter, width, theme), [[0, 1], [0, 0]], host);
    });
  }

  private optionsOf(counter: Counter, width: number, theme: Theme): uPlot.Options {
    return {
      width,
      height: plotHeight,
      legend: { show: false },
      cursor: { show: false },
      padding: [4, 0, 4, 0],
      scales: { x: { time: false }, y: { range: [0, counter.most * 1.05] } },
      axes: [
        { show: false },
        {
          size: gutter, stroke: theme.muted, grid: { stroke: theme.line, width: 1 }, ticks: { show: false },
          splits: () => [0, counter.most],
          values: (_, splits) => splits.map((value) => `${value.toLocaleString("en-US", {
            maximumFractionDigits: 1 })} ${counter.unit}`.trim()),
        },
      ],
      series: [
        {},
        { stroke: theme.text, width: 1, fill: `${theme.muted}55`, points: { show: false },
          paths: uPlot.paths.stepped!({ align: 1 }) },
      ],
    };
  }

  show(range: Range): void {
    this.plots.forEach((plot, index) => {
      plot.batch(() => {
        plot.setData(sample(this.counters[index], range.from, range.to, plot.width - gutter), false);
        plot.setScale("x", { min: range.from, max: range.to });
      });
    });
  }
}
