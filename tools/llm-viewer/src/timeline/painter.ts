// Draws the rows of a schedule, or of a trace, into a canvas.

import { makeAxis } from "../axis";
import { Colours } from "../colours";
import { firstEndingAfter, Row, Slices } from "../schedule";
import { Columns, Mark } from "./columns";
import { Layers } from "./layers";
import { axisHeight, Emphasis, gutter, layerHeight, rowHeightFor, Theme, toCycle, toX, View } from "./view";

const fetchInset = 7, inset = 2; // pixels that are free above and below; fetches are thinner
const dimmedAlpha = 0.2;

/// Returns a pixel of an image: bytes in the order red, green, blue, alpha.
function pixelOf(colour: string, alpha: number): number {
  const bytes = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return new Uint32Array(Uint8Array.from([...bytes, Math.round(255 * alpha)]).buffer)[0];
}

export class Painter {
  /// The rows of engines begin here: under the axis and, if there are any, the layers.
  readonly rowsTop: number;
  readonly rowHeight: number;
  readonly layers: Layers;
  private readonly labels: string[];
  private readonly columns: Columns;
  private readonly pixels: Uint32Array; // all kinds, then the same kinds dimmed
  private readonly stackKeys: Int32Array;
  private readonly shares: Float64Array;
  private readonly rest: Float64Array; // parts of pixels that are left over, by key
  private readonly buffer = document.createElement("canvas");
  private image = new ImageData(1, 1);
  private imagePixels = new Uint32Array(this.image.data.buffer);

  constructor(private readonly slices: Slices, colours: Colours) {
    this.layers = new Layers(slices);
    this.rowsTop = axisHeight + (this.layers.isEmpty ? 0 : layerHeight);
    this.rowHeight = rowHeightFor(slices.rows.length);
    this.labels = slices.labels;
    const used = new Set(slices.kinds);
    const kinds = [...colours.keys()].filter((kind) => used.has(kind));
    const numberOf = new Map(kinds.map((kind, index) => [kind, index]));
    this.columns = new Columns(slices, Uint16Array.from(slices.kinds, (kind) => numberOf.get(kind)!), kinds.length);
    this.stackKeys = new Int32Array(2 * kinds.length);
    this.shares = new Float64Array(2 * kinds.length);
    this.rest = new Float64Array(2 * kinds.length);
    this.pixels = Uint32Array.from([1, dimmedAlpha].flatMap((alpha) =>
      kinds.map((kind) => pixelOf(colours.get(kind)!, alpha))));
  }

  paint(context: CanvasRenderingContext2D, view: View, theme: Theme, emphasis: Emphasis): void {
    context.fillStyle = theme.background;
    context.fillRect(0, 0, view.width, view.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.paintAxis(context, view, theme);
    this.layers.paint(context, view, theme);
    context.save();
    context.beginPath();
    context.rect(0, this.rowsTop, view.width, view.height - this.rowsTop);
    context.clip();
    this.paintRows(context, view, theme, emphasis);
    context.restore();
  }

  private paintAxis(context: CanvasRenderingContext2D, view: View, theme: Theme): void {
    const { from, to } = view.range;
    const axis = makeAxis(from, to, view.width - gutter, this.slices.clockHz,
                          (text) => context.measureText(text).width);
    let free = gutter - 6; // from where nothing is written yet
    for (const tick of axis.ticks) {
      const x = Math.round(toX(tick, view));
      context.fillStyle = theme.line;
      context.fillRect(x, axisHeight - 4, 1, view.height);
      context.fillStyle = theme.muted;
      const label = axis.label(tick), { width } = context.measureText(label);
      // The last one may have room on its left alone.
      const left = x + 3 + width < view.width ? x + 3 : x - 3 - width;
      if (left < free + 6) continue;
      context.fillText(label, left, axisHeight / 2);
      free = left + width;
    }
  }

  private paintRows(context: CanvasRenderingContext2D, view: View, theme: Theme, emphasis: Emphasis): void {
    const { ratio } = view, { rowHeight } = this;
    const left = Math.round(gutter * ratio), top = Math.round(this.rowsTop * ratio);
    this.clearImage(Math.round(view.width * ratio) - left, Math.round(view.height * ratio) - top);
    const first = Math.floor(view.scrolled / rowHeight), last = Math.ceil((view.scrolled + view.height - this.rowsTop) / rowHeight);
    const over: (() => void)[] = []; // these draw over the image
    this.slices.rows.slice(first, last).forEach((row, index) => {
      const y = this.rowsTop + (first + index) * rowHeight - view.scrolled;
      context.fillStyle = theme.text;
      context.fillText(row.label, 6, y + rowHeight / 2, gutter - 12);
      context.fillStyle = theme.line;
      context.fillRect(0, y + rowHeight - 1, view.width, 1);
      this.columns.fill(row, view.range, this.image.width, emphasis, 8 * ratio);
      this.rest.fill(0);
      for (let column = 0; column < this.columns.count; ++column)
        if (this.columns.holds[column] > 0) this.drawColumn(column, Math.round(y * ratio) - top, ratio, emphasis.isDimming);
      over.push(...this.slicesOver(context, y, view, theme, emphasis), this.marksOver(context, y, view, theme));
    });
    this.buffer.getContext("2d")!.putImageData(this.image, 0, 0);
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.buffer, left, top);
    context.restore();
    over.forEach((draw) => draw());
  }

  private clearImage(width: number, height: number): void {
    width = Math.max(width, 1);
    height = Math.max(height, 1);
    if (this.image.width === width && this.image.height === height) {
      this.image.data.fill(0);
      return;
    }
    this.image = new ImageData(width, height);
    this.imagePixels = new Uint32Array(this.image.data.buffer);
    this.buffer.width = width;
    this.buffer.height = height;
  }

  /// Stacks the kinds of a column, the first at the bottom. `top` is that of the row in the image; it may be negative.
  private drawColumn(column: number, top: number, ratio: number, isDimming: boolean): void {
    const { stackKeys, shares, rest } = this;
    const margin = this.columns.holds[column] > 1 ? inset : fetchInset;
    const bottom = top + Math.round((this.rowHeight - margin - 1) * ratio), full = bottom - top - Math.round(margin * ratio);
    const count = this.columns.stack(column, isDimming, 3 / full, stackKeys, shares);
    let sum = 0;
    for (let i = 0; i < count; ++i) sum += shares[i];
    let end = bottom - Math.round(sum * full);
    // Draws from above. The next columns get what is less than a pixel, so that shares are right over several columns.
    for (let i = count - 1; i > 0; --i) {
      const key = stackKeys[i], wanted = shares[i] * full + rest[key];
      const height = Math.min(Math.max(Math.round(wanted), 0), bottom - end);
      rest[key] = Math.max(-1, Math.min(1, wanted - height));
      this.drawPixels(column, end, end + height, this.pixels[key]);
      end += height;
    }
    this.drawPixels(column, end, bottom, this.pixels[stackKeys[0]]);
  }
  private drawPixels(column: number, top: number, bottom: number, pixel: number): void {
    const { width, height } = this.image, { imagePixels } = this;
    const end = Math.min(bottom, height) * width;
    for (let at = Math.max(top, 0) * width + column; at < end; at += width) imagePixels[at] = pixel;
  }

  /// Draws the names of the slices that have room for them, and the edge of each to the next one.
  private slicesOver(context: CanvasRenderingContext2D, y: number, view: View, theme: Theme,
                     emphasis: Emphasis): (() => void)[] {
    const { start, end, op, prefetch, onPath } = this.slices, { rowHeight } = this;
    return this.columns.wide.map((at) => () => {
      const left = Math.max(toX(start[at], view), gutter), right = Math.min(toX(end[at], view), view.width);
      const margin = prefetch[at] ? fetchInset : inset;
      context.fillStyle = theme.background;
      context.fillRect(Math.round(right * view.ratio) / view.ratio - 1, y + margin, 1, rowHeight - 2 * margin - 1);
      const isDimmed = emphasis.dims[op[at]] || (emphasis.showsPath && !onPath[at]); // a faint name could not be read
      if (right - left > 40 && !prefetch[at] && !isDimmed) paintLabel(context, this.labels[op[at]], left, y + rowHeight / 2, right - left);
    });
  }

  /// Draws a line below the chosen op, and also one above the chosen run.
  private marksOver(context: CanvasRenderingContext2D, y: number, { ratio }: View, theme: Theme): () => void {
    const { mark, count } = this.columns, { rowHeight } = this;
    const runs: [number, number, Mark][] = [];
    for (let column = 0; column < count;) {
      let end = column + 1;
      while (end < count && mark[end] === mark[column]) ++end;
      if (mark[column] !== Mark.None) runs.push([column, end, mark[column]]);
      column = end;
    }
    return () => {
      context.fillStyle = theme.selection;
      for (const [first, end, kind] of runs) {
        const left = Math.round(gutter * ratio) / ratio + first / ratio;
        context.fillRect(left, y + rowHeight - 4, (end - first) / ratio, 3);
        if (kind === Mark.Run) context.fillRect(left, y, (end - first) / ratio, 3);
      }
    };
  }

  private rowAt(y: number, view: View): Row | undefined {
    return y < this.rowsTop ? undefined : this.slices.rows[Math.floor((y - this.rowsTop + view.scrolled) / this.rowHeight)];
  }

  /// Returns what an engine does next where it is idle: `next` is -1 if nothing follows. Returns undefined if no row
  /// is there.
  nextAt(x: number, y: number, view: View): { row: Row; since: number; next: number } | undefined {
    const row = this.rowAt(y, view);
    if (!row || x < gutter) return undefined;
    const at = firstEndingAfter(this.slices, row, toCycle(x, view));
    return { row, since: at > row.first ? this.slices.end[at - 1] : 0, next: at < row.end ? at : -1 };
  }

  /// Returns the slice at a place, or -1. Thin slices count from up to two pixels away.
  sliceAt(x: number, y: number, view: View): number {
    const row = this.rowAt(y, view);
    if (!row || x < gutter) return -1;
    const cycle = toCycle(x, view);
    const reach = (2 * (view.range.to - view.range.from)) / (view.width - gutter);
    const at = firstEndingAfter(this.slices, row, cycle);
    for (const candidate of [at, at - 1])
      if (candidate >= row.first && candidate < row.end && this.slices.start[candidate] <= cycle + reach &&
          this.slices.end[candidate] >= cycle - reach)
        return candidate;
    return -1;
  }
}

function paintLabel(context: CanvasRenderingContext2D, label: string, left: number, middle: number, width: number): void {
  const most = Math.floor((width - 8) / 6.2);
  context.fillStyle = "#111";
  const text = label.length > most ? `${label.slice(0, most - 1)}…` : label;
  context.fillText(text, left + 4, middle, width - 6);
}
