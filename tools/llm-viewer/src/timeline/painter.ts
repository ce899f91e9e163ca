// Draws the rows of a schedule into a canvas, no more than one slice for each column of pixels.

import { makeAxis } from "../axis";
import { Colours } from "../colours";
import { shortName } from "../names";
import { LayerSpan, Row, Schedule } from "../schedule";

export const gutter = 118; // pixels for the names of engines
export const rowHeight = 22;
export const axisHeight = 24;
const layerHeight = 18;

export interface Range {
  from: number; // cycles
  to: number;
}
export interface Theme {
  text: string;
  muted: string;
  line: string;
  background: string;
  selection: string;
}
export interface Emphasis {
  selected: number; // an op, -1: none
  dims: (op: number) => boolean;
  stands: (op: number) => boolean; // out: is seen where it is thin, too
}

export class Painter {
  /// Where the rows of engines begin: under the axis and, if there are any, the layers.
  readonly rowsTop: number;
  private readonly labels: string[];
  private readonly fill: string[];
  private readonly layers: LayerSpan[];

  constructor(private readonly schedule: Schedule, colours: Colours) {
    this.layers = schedule.layers();
    this.rowsTop = axisHeight + (this.layers.length > 0 ? layerHeight : 0);
    this.labels = schedule.report.ops.map(shortName);
    this.fill = schedule.report.ops.map((op) => colours.get(op.op)!);
  }

  toX(cycle: number, range: Range, width: number): number {
    return gutter + ((cycle - range.from) / (range.to - range.from)) * (width - gutter);
  }
  toCycle(x: number, range: Range, width: number): number {
    return range.from + ((x - gutter) / (width - gutter)) * (range.to - range.from);
  }

  paint(context: CanvasRenderingContext2D, width: number, height: number, range: Range,
        theme: Theme, emphasis: Emphasis): void {
    context.fillStyle = theme.background;
    context.fillRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.paintAxis(context, width, height, range, theme);
    this.paintLayers(context, width, range, theme);
    this.schedule.rows.forEach((row, index) => {
      const top = this.rowsTop + index * rowHeight;
      context.fillStyle = theme.text;
      context.fillText(row.label, 6, top + rowHeight / 2, gutter - 12);
      context.fillStyle = theme.line;
      context.fillRect(0, top + rowHeight - 1, width, 1);
      this.paintRow(context, row, top, width, range, theme, emphasis);
    });
  }

  private paintAxis(context: CanvasRenderingContext2D, width: number, height: number, range: Range,
                    theme: Theme): void {
    const axis = makeAxis(range.from, range.to, width - gutter, this.schedule.report.clock_hz);
    for (const tick of axis.ticks) {
      const x = Math.round(this.toX(tick, range, width));
      context.fillStyle = theme.line;
      context.fillRect(x, axisHeight - 4, 1, height);
      context.fillStyle = theme.muted;
      const label = axis.label(tick);
      if (x + 3 + context.measureText(label).width < width) context.fillText(label, x + 3, axisHeight / 2);
    }
  }

  /// Those that overlap stand one over the other, frames only.
  private paintLayers(context: CanvasRenderingContext2D, width: number, range: Range, theme: Theme): void {
    if (this.layers.length === 0) return;
    context.fillStyle = theme.text;
    context.fillText("layers", 6, axisHeight + layerHeight / 2, gutter - 12);
    context.strokeStyle = theme.muted;
    for (const { name, start, end } of this.layers) {
      if (end <= range.from || start >= range.to) continue;
      const left = Math.max(this.toX(start, range, width), gutter), right = Math.min(this.toX(end, range, width), width);
      if (right - left < 2) continue;
      context.strokeRect(left + 0.5, axisHeight + 1.5, right - left - 1, layerHeight - 4);
      const room = Math.floor((right - left - 6) / 6.2);
      const number = name.slice(name.lastIndexOf(".") + 1);
      const label = name.length <= room ? name : number;
      if (label.length <= room) context.fillText(label, left + 4, axisHeight + layerHeight / 2);
    }
  }

  layerAt(x: number, y: number, range: Range, width: number): LayerSpan | undefined {
    if (y < axisHeight || y >= this.rowsTop || x < gutter) return undefined;
    const cycle = this.toCycle(x, range, width);
    return this.layers.find(({ start, end }) => start <= cycle && cycle < end);
  }

  private rowAt(y: number): Row | undefined {
    return this.schedule.rows[Math.floor((y - this.rowsTop) / rowHeight)];
  }

  /// What an engine does next where it is idle; -1: nothing more, undefined: that is not a row.
  nextAt(x: number, y: number, range: Range, width: number): { row: Row; since: number; next: number } | undefined {
    const row = this.rowAt(y);
    if (!row || x < gutter) return undefined;
    const at = this.schedule.firstEndingAfter(row, this.toCycle(x, range, width));
    return { row, since: at > row.first ? this.schedule.end[at - 1] : 0, next: at < row.end ? at : -1 };
  }

  private paintRow(context: CanvasRenderingContext2D, row: Row, top: number, width: number, range: Range,
                   theme: Theme, emphasis: Emphasis): void {
    const { start, end, op } = this.schedule;
    const halfPixel = (0.5 * (range.to - range.from)) / (width - gutter);
    const paint = (at: number) => this.paintSlice(context, at, top, width, range, theme, emphasis);
    const first = this.schedule.firstEndingAfter(row, range.from);
    // Of those that share a column of pixels, the first is enough ...
    for (let at = first; at < row.end && start[at] < range.to;)
      at = paint(at) < 1 ? this.schedule.firstEndingAfter(row, end[at] + halfPixel, at + 1) : at + 1;
    // ... unless another one stands out.
    let painted = -Infinity; // up to this cycle
    for (let at = first; at < row.end && start[at] < range.to; ++at) {
      if (!emphasis.stands(op[at]) || end[at] < painted) continue;
      paint(at);
      painted = Math.max(end[at], start[at] + 2 * halfPixel);
    }
    context.globalAlpha = 1;
  }

  /// How wide it is, in pixels.
  private paintSlice(context: CanvasRenderingContext2D, at: number, top: number, width: number, range: Range,
                     theme: Theme, emphasis: Emphasis): number {
    const { start, end, op, prefetch } = this.schedule;
    const begin = Math.max(this.toX(start[at], range, width), gutter);
    const right = Math.min(this.toX(end[at], range, width), width);
    // What is thinner than a pixel fills one, and not halves of two.
    const left = right - begin < 1 ? Math.floor(begin) : begin;
    const drawn = Math.max(right - begin, 1);
    const isSelected = op[at] === emphasis.selected;
    context.globalAlpha = isSelected || !emphasis.dims(op[at]) ? 1 : 0.2;
    context.fillStyle = this.fill[op[at]];
    const inset = prefetch[at] ? 7 : 2; // fetches are thinner
    context.fillRect(left, top + inset, drawn > 3 ? drawn - 1 : drawn, rowHeight - 2 * inset - 1);
    if (isSelected) {
      context.fillStyle = theme.selection;
      context.fillRect(left, top + rowHeight - 4, drawn, 3);
    }
    // A faint label could not be read.
    if (drawn > 40 && !prefetch[at] && context.globalAlpha === 1) this.paintLabel(context, this.labels[op[at]], left, top, drawn);
    return right - begin;
  }

  private paintLabel(context: CanvasRenderingContext2D, label: string, left: number, top: number,
                     width: number): void {
    const most = Math.floor((width - 8) / 6.2);
    context.fillStyle = "#111";
    const text = label.length > most ? `${label.slice(0, most - 1)}…` : label;
    context.fillText(text, left + 4, top + rowHeight / 2, width - 6);
  }

  /// The slice at a place, or -1; of thin ones the nearest within two pixels.
  sliceAt(x: number, y: number, range: Range, width: number): number {
    const row = this.rowAt(y);
    if (!row || x < gutter) return -1;
    const cycle = this.toCycle(x, range, width);
    const reach = (2 * (range.to - range.from)) / (width - gutter);
    const at = this.schedule.firstEndingAfter(row, cycle);
    for (const candidate of [at, at - 1])
      if (candidate >= row.first && candidate < row.end && this.schedule.start[candidate] <= cycle + reach &&
          this.schedule.end[candidate] >= cycle - reach)
        return candidate;
    return -1;
  }
}
