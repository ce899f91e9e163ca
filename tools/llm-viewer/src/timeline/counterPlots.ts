// Draws counters under the timeline, on its axis.

import uPlot from "uplot";
import { Counter, makeCounters } from "../counters";
import { h } from "../dom";
import { Schedule } from "../schedule";
import { Sampler } from "./sampler";
import { gutter, Range, Theme } from "./view";

const plotHeight = 62;
const labelRoom = 8; // half of a label stands above its line
const columnWidth = 2; // in pixels; columns of one pixel would take twice the time
const number = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/// The rows of few engines already show how many are busy.
function isSeenInRows({ isOfEngines, most }: Counter): boolean {
  return isOfEngines && most <= 4;
}

export class CounterPlots {
  readonly element = h("div", { class: "counters" });
  private readonly counters: Counter[];
  private readonly samplers: Sampler[];
  private plots: uPlot[] = [];

  /// `most` is the number of counters that there is room for; the bandwidth of the memory comes first.
  constructor(schedule: Schedule, most = Infinity) {
    this.counters = makeCounters(schedule).filter((counter) => !isSeenInRows(counter)).slice(0, most);
    this.samplers = this.counters.map((counter) => new Sampler(counter));
  }

  /// Makes new plots, as a plot keeps the width and colours that it was made with.
  build(width: number, theme: Theme): void {
    this.plots.forEach((plot) => plot.destroy());
    this.element.replaceChildren();
    this.plots = this.counters.map((counter) => {
      const host = h("div", { class: "counter", "data-counter": counter.label },
        h("span", { class: "counter-name" }, counter.label));
      this.element.append(host);
      return new uPlot(this.optionsOf(counter, width, theme), [[0, 1], [0, 0], [0, 0], [0, 0]], host);
    });
  }

  private optionsOf(counter: Counter, width: number, theme: Theme): uPlot.Options {
    const steps = { points: { show: false }, paths: uPlot.paths.stepped!({ align: 1 }) };
    const edge = { stroke: "transparent", width: 0, ...steps };
    return {
      width,
      height: plotHeight,
      legend: { show: false },
      cursor: { show: false },
      padding: [labelRoom, 0, labelRoom, 0],
      scales: { x: { time: false }, y: { range: [0, counter.most * 1.05] } },
      axes: [
        { show: false },
        {
          size: gutter, stroke: theme.muted, grid: { stroke: theme.line, width: 1 }, ticks: { show: false },
          splits: () => [0, counter.most],
          values: (_, splits) => splits.map((value) => `${number.format(value)} ${counter.unit}`.trim()),
        },
      ],
      // The band from the least to the most lies behind the mean.
      series: [{}, { stroke: theme.text, width: 1, fill: `${theme.muted}44`, ...steps }, edge, edge],
      bands: [{ series: [3, 2], fill: `${theme.muted}33` }],
    };
  }

  show(range: Range): void {
    this.plots.forEach((plot, index) => {
      plot.batch(() => {
        plot.setData(this.samplers[index].sample(range.from, range.to, Math.ceil((plot.width - gutter) / columnWidth)), false);
        plot.setScale("x", { min: range.from, max: range.to });
      });
    });
  }
}
