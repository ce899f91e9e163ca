// Shows lanes as rows, and time from left to right. Mouse, fingers and keyboard zoom and pan.

import { Colours } from "../colours";
import { h } from "../dom";
import { formatMicroseconds } from "../format";
import { matches, Store } from "../state";
import { Gestures } from "../timeline/gestures";
import { Painter } from "../timeline/painter";
import { Emphasis, gutter, Range, readTheme, View } from "../timeline/view";
import { processOf, threadOf } from "./data";
import { TraceSlices } from "./slices";

export class TraceTimeline {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly rows: HTMLElement;
  private readonly tip = h("div", { class: "tip", hidden: true, role: "status" });
  private readonly painter: Painter;
  private readonly height: number; // of all rows
  private readonly end: number; // nanoseconds
  private range: Range;
  private theme = readTheme();
  private width = 0;
  private seen = 0; // the height that is seen
  private frame = 0;
  private dims: Uint8Array | undefined; // by name; undefined until it is found out

  constructor(private readonly slices: TraceSlices, private readonly store: Store, colours: Colours) {
    this.end = Math.max(slices.data.table.span_ns, 1);
    this.range = { from: 0, to: this.end };
    this.painter = new Painter(slices, colours);
    this.height = this.painter.rowsTop + slices.rows.length * this.painter.rowHeight;
    this.canvas = h("canvas", {
      tabindex: 0, role: "application", "data-slices": slices.start.length,
      "aria-label": `Timeline of ${slices.data.lanes.length} threads and streams. Arrow keys pan, plus and minus zoom, ` +
                    "Home shows all, Escape chooses nothing. The table beneath has the figures.",
    });
    this.rows = h("div", { class: "rows" }, h("div", { style: `height: ${this.height}px` }, this.canvas));
    this.element = h("section", { class: "timeline", "aria-label": "Timeline" },
      h("div", { class: "timeline-head" }, h("h3", {}, "Timeline"), this.makeButtons()), this.rows, this.tip);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  private makeButtons(): HTMLElement {
    const button = (text: string, name: string, act: () => void) =>
      h("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
    return h("div", { class: "zoom" }, button("+", "Zoom in", () => this.zoom(0.7)),
      button("−", "Zoom out", () => this.zoom(1 / 0.7)), button("All", "Show all", () => this.setRange(0, this.end)));
  }

  private listen(): void {
    new Gestures(this.canvas, {
      view: () => this.view,
      setRange: (from, to) => this.setRange(from, to),
      zoom: (factor, around) => this.zoom(factor, around),
      scrolls: () => this.rows.scrollHeight > this.rows.clientHeight,
      click: (x, y) => this.click(x, y),
    });
    this.canvas.addEventListener("pointermove", (event) => this.showTip(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.rows.addEventListener("scroll", () => this.requestPaint());
    this.store.subscribe((_, changed) => {
      if (changed.has("query")) this.dims = undefined;
      this.requestPaint();
    });
  }

  restyle(): void {
    this.theme = readTheme();
    this.width = 0;
    this.resize();
  }

  private resize(): void {
    const width = Math.floor(this.rows.clientWidth), seen = Math.min(this.height, this.rows.clientHeight);
    if (width < gutter + 50 || (width === this.width && seen === this.seen)) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(seen * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${seen}px`;
    this.width = width;
    this.seen = seen;
    this.requestPaint();
  }

  private requestPaint(): void {
    this.tip.hidden = true;
    if (this.frame === 0 && this.width > 0)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.paint();
      });
  }

  private get view(): View {
    return { width: this.width, height: this.seen, ratio: this.canvas.width / Math.max(this.width, 1),
             scrolled: this.rows.scrollTop, range: this.range };
  }

  /// A click makes all events of a name stand out, as a search does.
  private emphasis(): Emphasis {
    const { query, selectedOp } = this.store.state, { labels, kinds } = this.slices;
    this.dims ??= Uint8Array.from(labels, (label, index) => Number(!matches(label, kinds[index], query)));
    return { selected: selectedOp === undefined ? -1 : labels.indexOf(selectedOp), run: -1, dims: this.dims,
             showsPath: false, isDimming: query.trim() !== "" };
  }

  private paint(): void {
    const { view } = this, context = this.canvas.getContext("2d")!;
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    this.painter.paint(context, view, this.theme, this.emphasis());
    this.canvas.dataset.from = String(view.range.from);
    this.canvas.dataset.to = String(view.range.to);
  }

  setRange(from: number, to: number): void {
    const least = 10; // nanoseconds
    const length = Math.min(Math.max(to - from, least), this.end);
    from = Math.min(Math.max(from, 0), this.end - length);
    this.range = { from, to: from + length };
    this.requestPaint();
  }
  private zoom(factor: number, around?: number): void {
    const { from, to } = this.range, centre = around ?? (from + to) / 2;
    this.setRange(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }
  private pan(share: number): void {
    const { from, to } = this.range, by = (to - from) * share;
    this.setRange(from + by, to + by);
  }

  private click(x: number, y: number): void {
    const slice = this.painter.sliceAt(x, y, this.view);
    this.store.set({ selectedOp: slice < 0 ? undefined : this.slices.labels[this.slices.op[slice]] });
  }

  private describePlace(x: number, y: number): string[] {
    const { view } = this, slice = this.painter.sliceAt(x, y, view);
    const row = this.slices.rows[Math.floor((y - this.painter.rowsTop + view.scrolled) / this.painter.rowHeight)];
    if (!row || y < this.painter.rowsTop) return [];
    const lane = this.slices.data.lanes[row.group], where = `${processOf(lane)}, ${threadOf(lane)}`;
    if (slice < 0) return x < gutter ? [where] : [];
    const { start, end, op, labels, kinds } = this.slices;
    const time = (nanoseconds: number) => formatMicroseconds(nanoseconds / 1000);
    return [labels[op[slice]], `${kinds[op[slice]]} on ${where}`, `from ${time(start[slice])}, ${time(end[slice] - start[slice])}`];
  }

  private showTip(event: PointerEvent): void {
    const lines = event.buttons === 0 ? this.describePlace(event.offsetX, event.offsetY) : [];
    this.tip.hidden = lines.length === 0;
    if (lines.length === 0) return;
    this.tip.replaceChildren(...lines.map((line) => h("div", {}, line)));
    const { offsetWidth, offsetHeight } = this.tip, space = 14, margin = 8;
    const below = event.clientY + space, fits = below + offsetHeight + margin <= innerHeight;
    this.tip.style.left = `${Math.max(Math.min(event.clientX + space, innerWidth - offsetWidth - margin), margin)}px`;
    this.tip.style.top = `${Math.max(fits ? below : event.clientY - space - offsetHeight, margin)}px`;
  }

  private onKey(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      arrowleft: () => this.pan(-0.2), arrowright: () => this.pan(0.2), a: () => this.pan(-0.2), d: () => this.pan(0.2),
      "+": () => this.zoom(0.7), "=": () => this.zoom(0.7), w: () => this.zoom(0.7),
      "-": () => this.zoom(1 / 0.7), s: () => this.zoom(1 / 0.7), home: () => this.setRange(0, this.end),
      escape: () => this.store.set({ selectedOp: undefined }),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}
