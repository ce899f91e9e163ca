// Shows engines as rows, and time from left to right. Mouse, fingers and keyboard zoom and pan.

import { Colours } from "../colours";
import { h } from "../dom";
import { isOnPath, Op } from "../report";
import { extentOf } from "../runs";
import { Schedule } from "../schedule";
import { matchesOp } from "../kinds";
import { Store } from "../state";
import { CounterPlots } from "./counterPlots";
import { Gestures } from "./gestures";
import { Painter } from "./painter";
import { Tip } from "./tip";
import { Emphasis, gutter, Range, readTheme, Theme, toX, View } from "./view";

/// The part of time that timelines share. It is in seconds, as their clocks may differ.
export interface SharedRange {
  range: Range;
  readonly end: number;
  readonly clockHz: number; // of the first report, which stands above all others
  readonly redraw: (() => void)[];
  isClicked: boolean; // the op was chosen by a click, so it is in sight
}

/// Shows the timeline of one run of the tool. Several timelines on a page show the same part of time.
export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly tip: Tip;
  private readonly painter: Painter;
  private readonly counters: CounterPlots;
  private readonly height: number; // of all rows
  private readonly endCycle: number;
  private readonly rows: HTMLElement;
  private readonly hasPath: boolean; // a baseline may have none
  private width = 0;
  private seen = 0; // the height that is seen
  private wasShown = false;
  private theme: Theme = readTheme();
  private frame = 0;
  private dims: Uint8Array | undefined; // by op; undefined until it is found out

  constructor(private readonly schedule: Schedule, private readonly store: Store, colours: Colours,
              private readonly shared: SharedRange, private readonly reveals: (op: string) => boolean, label: string,
              mostCounters = Infinity) {
    this.hasPath = schedule.report.ops.some(isOnPath);
    this.endCycle = shared.end * schedule.report.clock_hz;
    this.painter = new Painter(schedule, colours);
    this.tip = new Tip(schedule, this.painter);
    this.counters = new CounterPlots(schedule, mostCounters);
    this.height = this.painter.rowsTop + schedule.rows.length * this.painter.rowHeight;
    this.canvas = h("canvas", {
      tabindex: 0, role: "application", "data-slices": schedule.sliceCount,
      "aria-label": `${label}: timeline of ${schedule.rows.length} engines. Arrow keys pan, plus and minus ` +
                    "zoom, Home shows all, F goes to the chosen op, N and P choose the next and the previous op. " +
                    "The help of the page has all keys.",
    });
    // The canvas is as high as the visible part of the rows, and stays in place while they are scrolled.
    this.rows = h("div", { class: "rows" }, h("div", { style: `height: ${this.height}px` }, this.canvas));
    this.element = h("section", { class: "timeline", "aria-label": label },
      h("div", { class: "timeline-head" }, h("h3", {}, label), this.makeButtons()),
      this.rows, this.counters.element, this.tip.element);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  private makeButtons(): HTMLElement {
    const button = (text: string, name: string, act: () => void) =>
      h("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
    return h("div", { class: "zoom" }, button("+", "Zoom in", () => this.zoom(0.7)),
      button("−", "Zoom out", () => this.zoom(1 / 0.7)), button("All", "Show all", () => this.showAll()));
  }

  private listen(): void {
    new Gestures(this.canvas, {
      view: () => this.view,
      setRange: (from, to) => this.setRange(from, to),
      zoom: (factor, around) => this.zoom(factor, around),
      scrolls: () => this.rows.scrollHeight > this.rows.clientHeight,
      click: (x, y) => this.click(x, y),
      select: (from, to) => this.select(from, to),
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 0) this.tip.show(event, this.view);
      else this.tip.hide();
    });
    this.canvas.addEventListener("pointerleave", () => this.tip.hide());
    this.canvas.addEventListener("dblclick", (event) => {
      if (event.offsetY >= this.painter.rowsTop) this.goToSelected();
    });
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.rows.addEventListener("scroll", () => {
      this.tip.hide();
      this.requestPaint();
    });
    this.shared.redraw.push(() => {
      this.tip.hide();
      this.requestPaint();
    });
    this.store.subscribe((_, changed) => {
      if (changed.has("selectedOp") || changed.has("selectedRun")) this.reveal();
      if (changed.has("query")) this.dims = undefined;
      this.requestPaint();
    });
  }

  /// Shows what has changed while nobody looked.
  show(): void {
    this.requestPaint();
  }

  restyle(): void {
    this.theme = readTheme();
    this.width = 0;
    this.resize();
  }

  private resize(): void {
    const width = Math.floor(this.rows.clientWidth), seen = Math.min(this.height, this.rows.clientHeight); // without scroll bars
    if (width < gutter + 50 || (width === this.width && seen === this.seen)) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(seen * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${seen}px`;
    if (width !== this.width) this.counters.build(width, this.theme);
    this.width = width;
    this.seen = seen;
    this.requestPaint();
    if (!this.wasShown && this.selected >= 0) this.scrollToRow(this.schedule.report.ops[this.selected]);
    this.wasShown = true;
  }

  private requestPaint(): void {
    if (this.frame === 0 && this.width > 0 && !this.element.closest("[hidden]"))
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
  }

  /// The range that is shown, in cycles of this schedule.
  private get range(): Range {
    const { clock_hz } = this.schedule.report;
    return { from: this.shared.range.from * clock_hz, to: this.shared.range.to * clock_hz };
  }
  private get view(): View {
    return { width: this.width, height: this.seen, ratio: this.canvas.width / Math.max(this.width, 1),
             scrolled: this.rows.scrollTop, range: this.range };
  }

  private get selected(): number {
    const name = this.store.state.selectedOp;
    return name === undefined ? -1 : this.schedule.opByName.get(name) ?? -1;
  }
  /// The run that is chosen or, if none is, the run of the chosen op that is nearest to what is shown.
  private get selectedRun(): number {
    const { selectedRun } = this.store.state;
    const op = this.schedule.report.ops[this.selected];
    if (selectedRun !== undefined) return Math.min(selectedRun, op.count - 1);
    const { from, to } = this.range;
    return this.schedule.nearestRun(op, from, to);
  }

  private emphasis(): Emphasis {
    const { query, showsCritical, selectedRun } = this.store.state;
    this.dims ??= Uint8Array.from(this.schedule.report.ops, (op) => Number(!matchesOp(op, query)));
    const { selected } = this, showsPath = showsCritical && this.hasPath;
    return { selected, run: selected < 0 || selectedRun === undefined ? -1 : this.selectedRun, dims: this.dims,
             showsPath, isDimming: showsPath || query.trim() !== "" };
  }

  private paint(): void {
    const { view } = this, context = this.canvas.getContext("2d")!;
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    this.painter.paint(context, view, this.theme, this.emphasis());
    this.paintSelection(context, view);
    this.counters.show(view.range);
    this.canvas.dataset.from = String(view.range.from);
    this.canvas.dataset.to = String(view.range.to);
    this.canvas.dataset.selectedBox = this.boxOfSelected(view);
  }

  /// Draws the chosen part of time over everything.
  private paintSelection(context: CanvasRenderingContext2D, view: View): void {
    const range = this.selection;
    this.canvas.dataset.selection = range ? `${range.from},${range.to}` : "";
    if (!range || range.to <= view.range.from || range.from >= view.range.to) return;
    const left = Math.max(toX(range.from, view), gutter), right = Math.min(toX(range.to, view), view.width);
    context.fillStyle = this.theme.selection;
    context.globalAlpha = 0.12;
    context.fillRect(left, 0, right - left, view.height);
    context.globalAlpha = 1;
    for (const x of [left, right - 1]) context.fillRect(x, 0, 1, view.height);
  }
  /// The chosen part of time in cycles of this schedule. The store has it in cycles of the report above.
  private get selection(): Range | undefined {
    const range = this.store.state.selectedRange;
    const scale = this.schedule.report.clock_hz / this.shared.clockHz;
    return range && { from: range.from * scale, to: range.to * scale };
  }
  private select(from: number, to: number): void {
    const scale = this.shared.clockHz / this.schedule.report.clock_hz;
    const inside = (cycle: number) => Math.round(Math.min(Math.max(cycle, 0), this.endCycle) * scale);
    if (inside(to) > inside(from)) this.store.set({ selectedRange: { from: inside(from), to: inside(to) } });
  }

  /// Returns where the first slice of the chosen run is drawn, as "x,y,width,height"; empty if it is not in sight.
  private boxOfSelected(view: View): string {
    const { report, rows } = this.schedule, op = report.ops[this.selected];
    if (!op || op.slots.length === 0) return "";
    const slot = op.slots[0], later = extentOf(report, op, this.selectedRun)[0] - extentOf(report, op, 0)[0];
    const row = rows.findIndex((candidate) => candidate.label === slot.engine);
    const left = Math.max(toX(slot.start_cycle + later, view), gutter);
    const right = Math.min(toX(slot.end_cycle + later, view), view.width);
    return right < left ? ""
         : [left, this.painter.rowsTop + row * this.painter.rowHeight - view.scrolled, right - left, this.painter.rowHeight].join(",");
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
  private showAll(): void {
    this.setRange(0, this.endCycle);
  }
  private showEnd(): void {
    const { from, to } = this.range;
    this.setRange(this.endCycle - (to - from), this.endCycle);
  }

  private click(x: number, y: number): void {
    const layer = this.painter.layers.at(x, y, this.view);
    if (layer) return this.setRange(layer.start, layer.end);
    if (y < this.painter.rowsTop) this.store.set({ selectedRange: undefined });
    const slice = this.painter.sliceAt(x, y, this.view);
    const { report, op, run } = this.schedule;
    this.shared.isClicked = true;
    this.store.set(slice < 0 ? { selectedOp: undefined }
                             : { selectedOp: report.ops[op[slice]].name, selectedRun: run[slice] });
    this.shared.isClicked = false;
  }

  /// Moves to the chosen run, or to the nearest run of the chosen op, if it is out of sight.
  private reveal(): void {
    const op = this.schedule.report.ops[this.selected];
    if (!op || op.slots.length === 0 || this.shared.isClicked || !this.reveals(op.name)) return;
    this.scrollToRow(op);
    const [start, end] = extentOf(this.schedule.report, op, this.selectedRun);
    const { from, to } = this.range;
    if (end > from && start < to) return;
    const length = to - from, centre = (start + end) / 2;
    this.setRange(centre - length / 2, centre + length / 2);
  }
  /// Scrolls to the op's row if there are more rows than fit.
  private scrollToRow(op: Op): void {
    const row = this.schedule.rows.findIndex((candidate) => candidate.label === op.slots[0]?.engine);
    const { rowHeight, rowsTop } = this.painter, top = row * rowHeight, { scrollTop } = this.rows, room = this.seen - rowsTop;
    if (row >= 0 && (top < scrollTop || top + rowHeight > scrollTop + room)) this.rows.scrollTop = top - room / 2;
  }

  private goToSelected(): void {
    const op = this.schedule.report.ops[this.selected];
    if (!op || op.slots.length === 0) return;
    const [start, end] = extentOf(this.schedule.report, op, this.selectedRun);
    this.setRange(start - 0.2 * (end - start), end + 0.2 * (end - start));
  }
  private choose(step: number): void {
    const { ops } = this.schedule.report;
    const next = this.selected < 0 ? 0 : (this.selected + step + ops.length) % ops.length;
    this.store.set({ selectedOp: ops[next].name });
  }
  /// Chooses the part of time that is shown; if a part is chosen, gives it up.
  private toggleSelection(): void {
    const { from, to } = this.range;
    if (this.store.state.selectedRange) this.store.set({ selectedRange: undefined });
    else this.select(from, to);
  }
  private goToLayer(step: number): void {
    const layer = this.painter.layers.next(step, this.view);
    if (layer) this.setRange(layer.start, layer.end);
  }

  private onKey(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      arrowleft: () => this.pan(-0.2), arrowright: () => this.pan(0.2), a: () => this.pan(-0.2), d: () => this.pan(0.2),
      "+": () => this.zoom(0.7), "=": () => this.zoom(0.7), w: () => this.zoom(0.7),
      "-": () => this.zoom(1 / 0.7), s: () => this.zoom(1 / 0.7),
      home: () => this.showAll(), end: () => this.showEnd(), f: () => this.goToSelected(),
      n: () => this.choose(1), p: () => this.choose(-1),
      "]": () => this.goToLayer(1), "[": () => this.goToLayer(-1),
      r: () => this.toggleSelection(),
      escape: () => this.store.set({ selectedOp: undefined, selectedRange: undefined }),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}
