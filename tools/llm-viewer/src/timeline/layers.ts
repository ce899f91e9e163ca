// Draws the row of layers as boxes that are wide enough for their names. If layers are thin, a box stands for several.

import { LayerSpan, Slices } from "../schedule";
import { axisHeight, gutter, layerHeight, toCycle, toX, Theme, View } from "./view";

const leastPixels = 70;

interface Label {
  text: string;
  width: number; // pixels
}

export class Layers {
  private readonly spans: LayerSpan[];
  private readonly meanCycles: number;
  private readonly merged = new Map<number, LayerSpan[]>(); // by the number of layers in a box
  private readonly labels = new Map<LayerSpan, Label[]>(); // measured once

  constructor(slices: Slices) {
    this.spans = slices.layers();
    this.meanCycles = this.spans.reduce((sum, { start, end }) => sum + end - start, 0) / Math.max(this.spans.length, 1);
  }

  get isEmpty(): boolean {
    return this.spans.length === 0;
  }

  /// Boxes are the same for all places at one zoom, so that they stay what they are while the timeline is moved.
  private boxes({ range, width }: View): LayerSpan[] {
    const pixels = (this.meanCycles * (width - gutter)) / (range.to - range.from);
    let count = 1;
    while (count * pixels < leastPixels && count < this.spans.length) count *= 2;
    if (!this.merged.has(count)) this.merged.set(count, this.merge(count));
    return this.merged.get(count)!;
  }

  private merge(count: number): LayerSpan[] {
    const boxes: LayerSpan[] = [];
    for (let first = 0; first < this.spans.length; first += count) {
      const group = this.spans.slice(first, first + count), last = group[group.length - 1];
      boxes.push({
        name: group.length === 1 ? last.name : `${group[0].name} .. ${numberOf(last.name)}`,
        start: group[0].start, // spans are sorted by start
        end: group.reduce((end, span) => Math.max(end, span.end), 0),
      });
    }
    return boxes;
  }

  /// Boxes that overlap are drawn one over the other, so they are only frames.
  paint(context: CanvasRenderingContext2D, view: View, theme: Theme): void {
    if (this.isEmpty) return;
    context.fillStyle = theme.text;
    context.fillText("layers", 6, axisHeight + layerHeight / 2, gutter - 12);
    context.strokeStyle = theme.muted;
    const shown = this.boxes(view).filter(({ start, end }) => end > view.range.from && start < view.range.to)
      .map((box) => {
        const { start, end } = box;
        const left = Math.max(toX(start, view), gutter), right = Math.min(toX(end, view), view.width);
        const labels = this.labelsOf(box, context), isWhole = start >= view.range.from && end <= view.range.to;
        return { left, right, labels, isWhole, first: labels.findIndex(({ width }) => width <= right - left - 8) };
      }).filter(({ left, right }) => right - left >= 2);
    // A row has labels of one kind: the longest one for which all boxes have room, but for those that have room for none.
    const kind = Math.max(0, ...shown.filter(({ isWhole, first, labels }) => isWhole && first < labels.length - 1)
      .map(({ first }) => first));
    for (const { left, right, labels, first } of shown) {
      context.strokeRect(left + 0.5, axisHeight + 1.5, right - left - 1, layerHeight - 4);
      if (first >= 0) this.paintLabel(labels[Math.max(first, kind)], left + 4, context, theme);
    }
  }

  /// Lines of the axis would go through the letters.
  private paintLabel({ text, width }: Label, left: number, context: CanvasRenderingContext2D, theme: Theme): void {
    context.fillStyle = theme.background;
    context.fillRect(left - 1, axisHeight + 3, width + 2, layerHeight - 7);
    context.fillStyle = theme.text;
    context.fillText(text, left, axisHeight + layerHeight / 2);
  }

  /// Returns what a box may be called, the longest first, and last a part of its name.
  private labelsOf(box: LayerSpan, context: CanvasRenderingContext2D): Label[] {
    let labels = this.labels.get(box);
    if (!labels) {
      const number = numberOf(box.name);
      labels = [box.name, `layers ${number}`, number, number.replace(/ .*/, " …")]
        .map((text) => ({ text, width: context.measureText(text).width }));
      this.labels.set(box, labels);
    }
    return labels;
  }

  at(x: number, y: number, view: View): LayerSpan | undefined {
    if (this.isEmpty || y < axisHeight || y >= axisHeight + layerHeight || x < gutter) return undefined;
    const cycle = toCycle(x, view);
    return this.boxes(view).find(({ start, end }) => start <= cycle && cycle < end);
  }

  /// Returns the next layer that begins after the start of what is shown, or, for a negative `step`, the last one
  /// before it.
  next(step: number, { range }: View): LayerSpan | undefined {
    const margin = (range.to - range.from) * 1e-6;
    return step > 0 ? this.spans.find(({ start }) => start > range.from + margin)
                    : [...this.spans].reverse().find(({ start }) => start < range.from - margin);
  }
}

/// Returns "3" of "model.layers.3", and "0 .. 7" of "model.layers.0 .. 7".
function numberOf(name: string): string {
  const [first, ...rest] = name.split(" .. ");
  return [first.slice(first.lastIndexOf(".") + 1), ...rest].join(" .. ");
}
