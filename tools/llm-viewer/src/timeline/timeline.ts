// Engines as rows, time from left to right; zoom and pan with mouse and keyboard.

import { Colours } from "../colours";
import { h } from "../dom";
import { formatMicroseconds } from "../format";
import { nameOfRun } from "../names";
import { Op, toMicroseconds } from "../report";
import { Schedule } from "../schedule";
import { matches, State, Store } from "../state";
import { CounterPlots } from "./counterPlots";
import { Emphasis, gutter, Painter, Range, rowHeight, Theme } from "./painter";

/// Clocks may differ: in seconds.
export interface SharedRange {
  range: Range;
  readonly end: number;
  readonly redraw: (() => void)[];
}

function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return { text: read("--text"), muted: read("--muted"), line: read("--line"), background: read("--surface"),
           selection: read("--selection") };
}

/// The timeline of one run of the tool; several on a page share what part of time they show.
export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly tip = h("div", { class: "tip", hidden: true, role: "status" });
  private readonly painter: Painter;
  private readonly counters: CounterPlots;
  private readonly height: number;
  private readonly endCycle: number;
  private readonly rows: HTMLElement;
  private width = 0;
  private theme: Theme = readTheme();
  private frame = 0;
  private found: boolean[] = []; // which ops the search finds; empty: not known

  constructor(private readonly schedule: Schedule, private readonly store: Store, colours: Colours,
              private readonly shared: SharedRange, private readonly reveals: (op: string) => boolean, label: string) {
    this.endCycle = shared.end * schedule.report.clock_hz;
    this.painter = new Painter(schedule, colours);
    this.counters = new CounterPlots(schedule);
    this.height = this.painter.rowsTop + schedule.rows.length * rowHeight;
    this.canvas = h("canvas", {
      tabindex: 0, role: "application", "data-slices": schedule.sliceCount,
      "aria-label": `${label}: timeline of ${schedule.rows.length} engines. Arrow keys pan, plus and minus ` +
                    "zoom, Home shows all, F goes to the chosen op, N and P choose the next and the previous op.",
    });
    this.rows = h("div", { class: "rows" }, this.canvas);
    this.element = h("section", { class: "timeline", "aria-label": label },
      h("h3", {}, label), this.rows, this.counters.element, this.tip);
    this.listen();
    shared.redraw.push(() => this.requestPaint());
    store.subscribe((_, changed) => {
      if (changed.has("selectedOp")) this.reveal();
      if (changed.has("query")) this.found = [];
      this.requestPaint();
    });
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  restyle(): void {
    this.theme = readTheme();
    this.width = 0;
    this.resize();
  }

  private resize(): void {
    const width = Math.floor(this.rows.clientWidth); // without a scroll bar
    if (width < gutter + 50 || width === this.width) return;
    this.width = width;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.counters.build(width, this.theme);
    this.requestPaint();
  }

  private requestPaint(): void {
    if (this.frame === 0 && this.width > 0)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
  }

  /// What is shown, in cycles of this schedule.
  private get range(): Range {
    const { clock_hz } = this.schedule.report;
    return { from: this.shared.range.from * clock_hz, to: this.shared.range.to * clock_hz };
  }

  private get selected(): number {
    const name = this.store.state.selectedOp;
    return name === undefined ? -1 : this.schedule.opByName.get(name) ?? -1;
  }

  private emphasis(state: State): Emphasis {
    const { ops } = this.schedule.report;
    if (this.found.length === 0) this.found = ops.map((op) => matches(op.name, op.op, state.query));
    const selected = this.selected;
    const dims = (op: number) => !this.found[op] || (state.showsCritical && !ops[op].is_critical);
    const isDimming = state.showsCritical || state.query.trim() !== "";
    return { selected, dims, stands: (op) => op === selected || (isDimming && !dims(op)) };
  }

  private paint(): void {
    const ratio = window.devicePixelRatio || 1;
    const context = this.canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { range } = this;
    this.painter.paint(context, this.width, this.height, range, this.theme, this.emphasis(this.store.state));
    this.counters.show(range);
    this.canvas.dataset.from = String(range.from);
    this.canvas.dataset.to = String(range.to);
    this.canvas.dataset.selectedBox = this.boxOfSelected();
  }

  /// Where the first slice of the chosen op is drawn: x,y,width,height; empty where it is not.
  private boxOfSelected(): string {
    const op = this.selected, { range } = this;
    if (op < 0 || this.schedule.report.ops[op].slots.length === 0) return "";
    const slot = this.schedule.report.ops[op].slots[0];
    const row = this.schedule.rows.findIndex((candidate) => candidate.label === slot.engine);
    const left = Math.max(this.painter.toX(slot.start_cycle, range, this.width), gutter);
    const right = Math.min(this.painter.toX(slot.end_cycle, range, this.width), this.width);
    return right < left ? "" : [left, this.painter.rowsTop + row * rowHeight, right - left, rowHeight].join(",");
  }

  setRange(from: number, to: number): void {
    const least = 10; // cycles
    const length = Math.min(Math.max(to - from, least), this.endCycle);
    from = Math.min(Math.max(from, 0), this.endCycle - length);
    const { clock_hz } = this.schedule.report;
    this.shared.range = { from: from / clock_hz, to: (from + length) / clock_hz };
    for (const redraw of this.shared.redraw) redraw();
  }

  private zoom(factor: number, around?: number): void {
    const { from, to } = this.range;
    const centre = around ?? (from + to) / 2;
    this.setRange(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }
  private pan(share: number): void {
    const { from, to } = this.range;
    const by = (to - from) * share;
    this.setRange(from + by, to + by);
  }

  /// Where the chosen op is out of sight, moves there.
  private reveal(): void {
    const op = this.selected;
    if (op < 0 || !this.reveals(this.schedule.report.ops[op].name)) return;
    this.scrollToRowOf(this.schedule.report.ops[op]);
    const [start, end] = this.schedule.extentOf(this.schedule.report.ops[op]);
    const { from, to } = this.range;
    if (end > from && start < to) return;
    const length = to - from, centre = (start + end) / 2;
    this.setRange(centre - length / 2, centre + length / 2);
  }
  /// Where there are more rows than fit.
  private scrollToRowOf(op: Op): void {
    const row = this.schedule.rows.findIndex((candidate) => candidate.label === op.slots[0]?.engine);
    const top = this.painter.rowsTop + row * rowHeight, { scrollTop, clientHeight } = this.rows;
    if (row >= 0 && (top < scrollTop || top + rowHeight > scrollTop + clientHeight))
      this.rows.scrollTop = top - clientHeight / 2;
  }

  private goToSelected(): void {
    const op = this.selected;
    if (op < 0) return;
    const [start, end] = this.schedule.extentOf(this.schedule.report.ops[op]);
    this.setRange(start - 0.2 * (end - start), end + 0.2 * (end - start));
  }
  private choose(step: number): void {
    const { ops } = this.schedule.report;
    const next = this.selected < 0 ? 0 : (this.selected + step + ops.length) % ops.length;
    this.store.set({ selectedOp: ops[next].name });
  }

  private listen(): void {
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.onDown(event));
    this.canvas.addEventListener("pointermove", (event) => this.showTip(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("dblclick", () => this.goToSelected());
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
  }

  /// Where there are more rows than fit, the wheel alone scrolls them, and zooms with Ctrl.
  private onWheel(event: WheelEvent): void {
    const isUpright = !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY);
    if (isUpright && !event.ctrlKey && this.rows.scrollHeight > this.rows.clientHeight) return;
    event.preventDefault();
    if (!isUpright)
      this.pan((event.deltaX || event.deltaY) / (this.width - gutter));
    else
      this.zoom(Math.exp(event.deltaY * 0.002),
        this.painter.toCycle(Math.max(event.offsetX, gutter), this.range, this.width));
  }

  /// A drag pans; a click without one chooses.
  private onDown(event: PointerEvent): void {
    const origin = { x: event.offsetX, ...this.range };
    let moved = false;
    this.canvas.setPointerCapture(event.pointerId);
    const onMove = (move: PointerEvent) => {
      moved ||= Math.abs(move.offsetX - origin.x) > 3;
      const cycles = ((origin.x - move.offsetX) / (this.width - gutter)) * (origin.to - origin.from);
      if (moved) this.setRange(origin.from + cycles, origin.to + cycles);
    };
    const onUp = (up: PointerEvent) => {
      this.canvas.removeEventListener("pointermove", onMove);
      if (moved) return;
      const layer = this.painter.layerAt(up.offsetX, up.offsetY, this.range, this.width);
      if (layer) return this.setRange(layer.start, layer.end);
      const slice = this.painter.sliceAt(up.offsetX, up.offsetY, this.range, this.width);
      this.store.set({ selectedOp: slice < 0 ? undefined : this.schedule.report.ops[this.schedule.op[slice]].name });
    };
    this.canvas.addEventListener("pointermove", onMove);
    this.canvas.addEventListener("pointerup", onUp, { once: true });
  }

  private onKey(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), a: () => this.pan(-0.2), d: () => this.pan(0.2),
      "+": () => this.zoom(0.7), "=": () => this.zoom(0.7), w: () => this.zoom(0.7),
      "-": () => this.zoom(1 / 0.7), s: () => this.zoom(1 / 0.7),
      Home: () => this.setRange(0, this.endCycle), f: () => this.goToSelected(),
      n: () => this.choose(1), p: () => this.choose(-1),
      Escape: () => this.store.set({ selectedOp: undefined }),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  private showTip(event: PointerEvent): void {
    const lines = this.describePlace(event.offsetX, event.offsetY);
    this.tip.hidden = lines.length === 0;
    if (lines.length === 0) return;
    this.tip.replaceChildren(...lines.map((line) => h("div", {}, line)));
    this.tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - this.tip.offsetWidth - 8)}px`;
    this.tip.style.top = `${event.clientY + 14}px`;
  }

  private describePlace(x: number, y: number): string[] {
    const { range } = this;
    const layer = this.painter.layerAt(x, y, range, this.width);
    if (layer) return [layer.name, `${this.toTime(layer.end - layer.start)}; a click shows it alone`];
    const slice = this.painter.sliceAt(x, y, range, this.width);
    if (slice >= 0) return this.describe(slice);
    const idle = this.painter.nextAt(x, y, range, this.width);
    if (!idle) return [];
    const { row, since, next } = idle;
    const { start } = this.schedule;
    const until = next < 0 ? this.schedule.report.makespan_cycles : start[next];
    const head = `${row.label} is idle for ${this.toTime(until - since)}`;
    if (next < 0) return [`${head}: no work is left for it`];
    const op = this.schedule.report.ops[this.schedule.op[next]];
    return [head, `then ${op.name}${op.held_back_by ? `, which is held back by: ${op.held_back_by}` : ""}`];
  }

  private toTime(cycles: number): string {
    return formatMicroseconds(toMicroseconds(this.schedule.report, cycles));
  }

  private describe(slice: number): string[] {
    const { report } = this.schedule;
    const op = report.ops[this.schedule.op[slice]];
    const name = nameOfRun(report, op, this.schedule.iterationsOf(op, this.schedule.run[slice]));
    const part = this.schedule.part[slice], fetch = this.schedule.prefetch[slice];
    const start = this.schedule.start[slice], end = this.schedule.end[slice];
    const buffer = fetch && op.slots.find((slot) => slot.part === part)?.prefetches?.[fetch - 1]?.buffer;
    return [
      buffer ? `fetch of ${buffer} for ${name}` : name,
      `${op.op}${op.slots.length > 1 ? `, part ${part + 1} of ${op.slots.length}` : ""}`,
      `from ${this.toTime(start)}, ${this.toTime(end - start)} (${end - start} cycles), ${op.bound} bound`,
    ];
  }
}
