// Shows what lies in memory over time: weights, caches and values in the main memory, tiles in private ones.

import uPlot from "uplot";
import { makeAxis } from "./axis";
import { Counter, makeCounters } from "./counters";
import { h } from "./dom";
import { formatBytes, formatMicroseconds, Unit, unitFor } from "./format";
import { Capacity, MemorySteps, Report, toMicroseconds } from "./report";
import { Schedule, shiftsOf } from "./schedule";

/// Steps of bytes: each holds until the next.
interface Series {
  name: string;
  colour: string;
  bytes: number[];
}

/// Returns the steps of all iterations, in the order of time.
export function unrollSteps(report: Report, groups: MemorySteps[]): { cycle: number; values: number; workspace: number }[] {
  const steps = groups.flatMap(({ loops, cycle, value_bytes, workspace_bytes }) =>
    shiftsOf(report, loops).flatMap((shift) => cycle.map((first, index) =>
      ({ cycle: first + shift, values: value_bytes[index], workspace: workspace_bytes[index] }))));
  return steps.sort((a, b) => a.cycle - b.cycle); // the sort is stable, so the last step of a cycle holds
}

const colours = { weights: "#8da0cb", caches: "#fc8d62", states: "#ffd92f", values: "#66c2a5", workspace: "#e78ac3", tiles: "#a6d854" };

export class MemoryView {
  readonly element: HTMLElement;
  private readonly plots: { host: HTMLElement; make: (width: number) => uPlot }[] = [];
  private drawn: uPlot[] = [];
  private width = 0; // the width for which they were drawn

  constructor(private readonly report: Report) {
    const { capacity, memory_over_time: groups } = report;
    this.element = h("section", { class: "memory", "aria-label": "Memory over time" });
    if (capacity && groups) this.addMain(capacity, groups);
    else this.element.append(h("p", { class: "muted" }, "This report does not say what lies in memory when: an older llm-opt wrote it."));
    for (const counter of makeCounters(new Schedule(report)))
      if (counter.isOfPrivate) this.addPrivate(counter);
    new ResizeObserver(() => {
      const { clientWidth } = this.element;
      if (clientWidth > 0 && clientWidth !== this.width) this.show();
    }).observe(this.element);
  }

  private addMain(capacity: Capacity, groups: MemorySteps[]): void {
    const { memory: name } = capacity, steps = unrollSteps(this.report, groups);
    const cycles = [...steps.map(({ cycle }) => cycle), this.report.makespan_cycles];
    const last = steps[steps.length - 1] ?? { values: 0, workspace: 0 }, all = [...steps, last];
    const values: Series = { name: "values", colour: colours.values, bytes: all.map((step) => step.values) };
    const workspace: Series = { name: "workspace", colour: colours.workspace, bytes: all.map((step) => step.workspace) };
    const between = workspace.bytes.some((bytes) => bytes > 0) ? [values, workspace] : [values];
    const most = capacity.value_bytes + capacity.workspace_bytes, room = capacity.capacity_bytes;
    const stateBytes = capacity.state_bytes ?? 0;
    const held = capacity.weight_bytes + capacity.cache_bytes + stateBytes + most;
    const states: Series[] = stateBytes > 0 ? [{ name: "states", colour: colours.states, bytes: all.map(() => stateBytes) }] : [];
    const statesText = stateBytes > 0 ? `, states ${formatBytes(stateBytes)}` : "";
    this.add(`${name}: weights, KV caches and values`,
      `${formatBytes(held)} at most` + (room === undefined ? "" : ` of ${formatBytes(room)}`) +
      `: weights ${formatBytes(capacity.weight_bytes)}, KV caches ${formatBytes(capacity.cache_bytes)}${statesText}, values and workspace ${formatBytes(most)}`,
      "main", cycles, [
        { name: "weights", colour: colours.weights, bytes: all.map(() => capacity.weight_bytes) },
        { name: "KV caches", colour: colours.caches, bytes: all.map(() => capacity.cache_bytes) }, ...states, ...between], room);
    this.add(`${name}: values between ops`, `${formatBytes(most)} at most; what one op makes and a later one reads`,
      "values", cycles, between);
  }

  private addPrivate(counter: Counter): void {
    const bytes = Array.from(counter.value, (megabytes) => megabytes * 1e6);
    const most = bytes.reduce((a, b) => Math.max(a, b), 0), room = counter.most * 1e6;
    this.add(`${counter.label}: tiles`, `${formatBytes(most)} at most of ${formatBytes(room)}, of all engines together`,
             counter.label, Array.from(counter.time), [{ name: "tiles", colour: colours.tiles, bytes }], room);
  }

  private add(title: string, note: string, key: string, cycles: number[], series: Series[], room?: number): void {
    const host = h("div", { class: "memory-plot", "data-plot": key });
    this.element.append(h("h3", {}, title), h("p", { class: "muted" }, note), host);
    this.plots.push({ host, make: (width) => this.plot(host, width, cycles, series, room) });
  }

  /// The size of the element is known only when it is shown.
  show(): void {
    this.drawn.forEach((plot) => plot.destroy());
    this.width = this.element.clientWidth;
    this.drawn = this.plots.map(({ make }) => make(Math.max(this.width - 2, 260)));
  }

  private timeAxis(axis: uPlot.Axis, width: number): uPlot.Axis {
    const { makespan_cycles: end, clock_hz } = this.report;
    const { ticks, label } = makeAxis(0, end, width - 80, clock_hz, (text) => 7 * text.length);
    return { ...axis, splits: () => ticks, values: (_, splits) => splits.map(label) };
  }

  /// Stacks the series, the first at the bottom. If the room is far above, its line is out of sight.
  private plot(host: HTMLElement, width: number, cycles: number[], series: Series[], room: number | undefined): uPlot {
    const sums = series.map((_, index) => cycles.map((_, at) => {
      let sum = 0;
      for (let below = 0; below <= index; ++below) sum += series[below].bytes[at];
      return sum;
    }));
    const top = sums[sums.length - 1].reduce((a, b) => Math.max(a, b), 1);
    const showsRoom = room !== undefined && room < 4 * top, largest = showsRoom ? Math.max(top, room) : top;
    const style = getComputedStyle(document.documentElement), read = (name: string) => style.getPropertyValue(name).trim();
    const unit = unitFor("bytes", largest), axis = { stroke: read("--text"), grid: { stroke: read("--line"), width: 1 } };
    const stepped = uPlot.paths.stepped!({ align: 1 });
    // The last sum is drawn first, so that those below lie over it.
    const order = series.map((_, index) => series.length - 1 - index);
    return new uPlot({
      width, height: 190, scales: { x: { time: false }, y: { range: [0, largest * 1.06] } },
      axes: [this.timeAxis(axis, width),
             { ...axis, label: unit.name, size: 60, values: (_, splits) => splits.map((value) => inUnit(unit, value)) }],
      cursor: { drag: { x: false, y: false }, points: { show: false }, sync: { key: "memory" } },
      legend: { show: true, live: true },
      series: [{ label: "at", value: (_, cycle) => (cycle === null ? "most" : formatMicroseconds(toMicroseconds(this.report, cycle))) },
        ...order.map((index): uPlot.Series => ({
          label: series[index].name, stroke: series[index].colour, fill: series[index].colour, width: 1, paths: stepped,
          points: { show: false }, value: (_self, _value, _at, position) =>
            formatBytes(position === null || position === undefined ? series[index].bytes.reduce((a, b) => Math.max(a, b), 0)
                                                                    : series[index].bytes[position]) })),
        ...(showsRoom ? [{ label: "capacity", stroke: read("--selection"), dash: [6, 4], width: 1.5, points: { show: false },
                           value: () => formatBytes(room) } as uPlot.Series] : [])],
    }, [cycles, ...order.map((index) => sums[index]), ...(showsRoom ? [cycles.map(() => room)] : [])], host);
  }
}

function inUnit({ size }: Unit, value: number): string {
  return (value / size).toLocaleString("en-US", { maximumFractionDigits: 1 });
}
