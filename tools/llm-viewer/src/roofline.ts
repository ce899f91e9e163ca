// Every op as a point under the ceilings of the machine (Williams et al., CACM 2009).

import uPlot from "uplot";
import { Colours } from "./colours";
import { h } from "./dom";
import { formatCount, formatMicroseconds } from "./format";
import { mainMemory, Op, Report, usableBytesPerSecond } from "./report";
import { Store } from "./state";

interface Point {
  op: Op;
  intensity: number; // operations per byte of the main memory
  rate: number; // operations per second
  seconds: number;
}
interface Ceiling {
  label: string;
  at: (intensity: number) => number; // operations per second
}

/// A multiply-accumulate is two operations.
function operationsOf(op: Op): number {
  const { mac = 0, ...others } = op.work ?? {};
  return Object.values(others).reduce((sum, amount) => sum + amount, 2 * mac);
}

/// Alone on the machine: in parallel on as many engines as it has parts, and no faster than its bytes.
function secondsAlone(report: Report, op: Op): number {
  const engines = report.engines.find((engine) => engine.name === op.engine)?.count ?? 1;
  const parts = op.parts.reduce((sum, part) => sum + part.count, 0);
  const memory = mainMemory(report);
  const streamed = (op.bytes[memory.name] ?? 0) / usableBytesPerSecond(memory);
  return Math.max(op.cycles / Math.min(parts, engines) / report.clock_hz, streamed);
}

export function makePoints(report: Report): Point[] {
  const memory = mainMemory(report).name;
  const points: Point[] = [];
  for (const op of report.ops) {
    const operations = operationsOf(op), bytes = op.bytes[memory] ?? 0, seconds = secondsAlone(report, op);
    if (operations > 0 && bytes > 0 && seconds > 0)
      points.push({ op, intensity: operations / bytes, rate: operations / seconds, seconds });
  }
  return points.sort((a, b) => a.intensity - b.intensity);
}

/// Of each shared memory, and of the arithmetic of each type that the program uses.
export function makeCeilings(report: Report): Ceiling[] {
  const ceilings: Ceiling[] = [];
  for (const memory of report.memories) {
    const rate = usableBytesPerSecond(memory);
    if (rate > 0) ceilings.push({ label: `${memory.name} ${formatCount(rate)}B/s`, at: (intensity) => intensity * rate });
  }
  const used = new Set(report.ops.map((op) => op.mac_type));
  const peaks = new Map<string, number>();
  for (const engine of report.engines) {
    const { mac, alu } = engine.operations_per_cycle;
    const add = (name: string, perCycle: number) =>
      peaks.set(name, (peaks.get(name) ?? 0) + perCycle * engine.count * report.clock_hz);
    for (const [type, rate] of Object.entries(mac ?? {})) if (used.has(type)) add(`${type} products`, 2 * rate);
    if (alu) add("elementwise", alu);
  }
  for (const [name, peak] of peaks) ceilings.push({ label: `${name} ${formatCount(peak)}op/s`, at: () => peak });
  return ceilings;
}

/// The powers of ten around two values.
function decades(least: number, most: number): [number, number] {
  return [Math.pow(10, Math.floor(Math.log10(least))), Math.pow(10, Math.ceil(Math.log10(most)))];
}

export class Roofline {
  readonly element: HTMLElement;
  private readonly host = h("div", { class: "roofline-host", tabindex: 0, role: "application",
    "aria-label": "Roofline: the arrow keys choose the next and the previous op by operations per byte.",
    onkeydown: (event) => this.onKey(event as KeyboardEvent) });
  private readonly caption = h("p", { class: "tip-line", role: "status" }, " ");
  private readonly points: Point[];
  private readonly ceilings: Ceiling[];
  private plot: uPlot | undefined;

  constructor(report: Report, private readonly store: Store, private readonly colours: Colours) {
    this.points = makePoints(report);
    this.ceilings = makeCeilings(report);
    this.element = h("section", { class: "roofline", "aria-label": "Roofline", "data-points": this.points.length },
      h("p", { class: "muted" },
        `Operations per byte of ${mainMemory(report).name} against operations per second, each op as if alone on the ` +
        "machine; a multiply-accumulate is two operations."),
      this.host, this.caption);
    store.subscribe((_, changed) => {
      if (changed.has("selectedOp")) this.showSelected();
    });
  }

  /// Its width is known only when it is shown.
  show(): void {
    this.plot?.destroy();
    this.host.replaceChildren();
    if (this.points.length > 0) this.build(Math.max(this.element.clientWidth - 20, 300));
    this.showSelected();
  }

  private build(width: number): void {
    const style = getComputedStyle(document.documentElement);
    const text = style.getPropertyValue("--text").trim(), line = style.getPropertyValue("--line").trim();
    const rates = this.points.map((point) => point.rate), intensities = this.points.map((point) => point.intensity);
    const y = decades(Math.min(...rates), Math.max(...rates, ...this.ceilings.map((ceiling) => ceiling.at(0))));
    // As far as to where the ceilings bend.
    const bends = this.ceilings.flatMap((flat) => this.ceilings.map((slope) => flat.at(0) / slope.at(1)));
    const x = decades(Math.min(...intensities), Math.max(...intensities, ...bends.filter((bend) => bend > 0)));
    const steps = x; // lines are straight on these axes
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    this.plot = new uPlot({
      width, height: 480,
      scales: { x: { time: false, distr: 3, range: x }, y: { distr: 3, range: y } },
      axes: [{ ...axis, label: "operations per byte" },
             { ...axis, label: "operations per second", size: 80,
               values: (_, splits) => splits.map((value) => (value === null ? "" : formatCount(value))) }],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      legend: { show: false },
      series: [{}, ...this.ceilings.map(() => ({ stroke: text, width: 1.5, points: { show: false } }))],
      hooks: { draw: [(plot) => this.drawLabels(plot, text), (plot) => this.drawPoints(plot)] },
    }, [steps, ...this.ceilings.map((ceiling) => steps.map(ceiling.at))], this.host);
    this.plot.over.addEventListener("pointermove", (event) => this.hover(event.offsetX, event.offsetY));
    this.plot.over.addEventListener("click", (event) => {
      const point = this.nearest(event.offsetX, event.offsetY);
      if (point) this.store.set({ selectedOp: point.op.name });
    });
  }

  /// On the lines: flat ones at the right, slopes at the left.
  private drawLabels(plot: uPlot, colour: string): void {
    const context = plot.ctx, ratio = uPlot.pxRatio;
    const { left, top, width, height } = plot.bbox;
    context.save();
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    context.fillStyle = colour;
    for (const ceiling of this.ceilings) {
      const isFlat = ceiling.at(0) > 0;
      // A slope is named where it is in the middle of the plot.
      const x = isFlat ? left + width - 6 * ratio : plot.valToPos(plot.posToVal(height / 2 / ratio, "y") / ceiling.at(1), "x", true);
      const y = isFlat ? plot.valToPos(ceiling.at(0), "y", true) : top + height / 2;
      context.textAlign = isFlat ? "right" : "left";
      context.fillText(ceiling.label, x + (isFlat ? 0 : 10 * ratio), y - (isFlat ? 5 : -14) * ratio);
    }
    context.restore();
  }

  private drawPoints(plot: uPlot): void {
    const context = plot.ctx, ratio = uPlot.pxRatio;
    for (const point of this.points) {
      const x = plot.valToPos(point.intensity, "x", true), y = plot.valToPos(point.rate, "y", true);
      const isSelected = point.op.name === this.store.state.selectedOp;
      if (isSelected)
        this.element.dataset.selectedAt = `${plot.valToPos(point.intensity, "x")},${plot.valToPos(point.rate, "y")}`;
      context.beginPath();
      context.arc(x, y, (isSelected ? 8 : 5) * ratio, 0, 2 * Math.PI);
      context.fillStyle = this.colours.get(point.op.op)!;
      context.fill();
      context.lineWidth = (isSelected ? 3 : 1) * ratio;
      context.strokeStyle = getComputedStyle(document.documentElement)
        .getPropertyValue(isSelected ? "--selection" : "--text").trim();
      context.stroke();
    }
  }

  private nearest(x: number, y: number): Point | undefined {
    let best: Point | undefined, least = 15; // pixels
    for (const point of this.points) {
      const dx = this.plot!.valToPos(point.intensity, "x") - x, dy = this.plot!.valToPos(point.rate, "y") - y;
      const distance = Math.hypot(dx, dy);
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  }
  private hover(x: number, y: number): void {
    const point = this.nearest(x, y);
    this.caption.textContent = point
      ? `${point.op.name}: ${point.intensity.toPrecision(3)} operations per byte, ${formatCount(point.rate)}op/s, ` +
        `${formatMicroseconds(point.seconds * 1e6)} a run, ${point.op.bound} bound`
      : " ";
  }

  private onKey(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || this.points.length === 0) return;
    const at = this.points.findIndex((point) => point.op.name === this.store.state.selectedOp);
    const next = at < 0 ? 0 : (at + step + this.points.length) % this.points.length;
    this.store.set({ selectedOp: this.points[next].op.name });
  }

  private showSelected(): void {
    const { selectedOp } = this.store.state;
    const point = this.points.find((candidate) => candidate.op.name === selectedOp);
    this.element.dataset.selected = point ? point.op.name : "";
    this.plot?.redraw(false, false);
  }
}
