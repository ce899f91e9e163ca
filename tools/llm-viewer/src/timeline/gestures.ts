// Handles the wheel and pointers over a canvas: they zoom, pan, choose a part of time, and click.

import { axisHeight, gutter, Range, toCycle, View } from "./view";

interface Point {
  x: number;
  y: number;
}
export interface Actions {
  view: () => View;
  setRange: (from: number, to: number) => void;
  zoom: (factor: number, around: number) => void;
  scrolls: () => boolean; // there are more rows than fit
  click: (x: number, y: number) => void;
  select?: (from: number, to: number) => void; // in cycles
}

/// One pointer that moves pans; two zoom. A pointer that goes up where it went down clicks.
export class Gestures {
  private readonly pointers = new Map<number, Point>();
  private anchor: { points: Point[]; range: Range } = { points: [], range: { from: 0, to: 0 } };
  private hasMoved = false;
  private selectsFrom: number | undefined; // a cycle, while a part of time is chosen

  constructor(private readonly canvas: HTMLCanvasElement, private readonly actions: Actions) {
    canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.onDown(event));
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    canvas.addEventListener("pointerup", (event) => this.onUp(event));
    // The browser takes a pointer away if it scrolls; another window may take it, too.
    for (const name of ["pointercancel", "lostpointercapture"] as const)
      canvas.addEventListener(name, (event) => this.drop(event.pointerId));
  }

  /// If there are more rows than fit, the wheel alone scrolls them, and the wheel with Ctrl zooms.
  private onWheel(event: WheelEvent): void {
    const isUpright = !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY);
    if (isUpright && !event.ctrlKey && this.actions.scrolls()) return;
    event.preventDefault();
    const view = this.actions.view(), { from, to } = view.range;
    if (isUpright)
      return this.actions.zoom(Math.exp(event.deltaY * 0.002), toCycle(Math.max(event.offsetX, gutter), view));
    const by = ((event.deltaX || event.deltaY) / (view.width - gutter)) * (to - from);
    this.actions.setRange(from + by, to + by);
  }

  /// Notes the places and the range that the next moves start from.
  private setAnchor(): void {
    this.anchor = { points: [...this.pointers.values()].slice(0, 2), range: this.actions.view().range };
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    if (this.pointers.size === 0) this.hasMoved = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.hasMoved ||= this.pointers.size > 1;
    this.setAnchor();
    const selects = this.actions.select && this.pointers.size === 1 && (event.shiftKey || event.offsetY < axisHeight);
    this.selectsFrom = selects ? this.cycleAt(event) : undefined;
  }
  private cycleAt(event: PointerEvent): number {
    return toCycle(Math.max(event.offsetX, gutter), this.actions.view());
  }

  private onMove(event: PointerEvent): void {
    if (!this.pointers.has(event.pointerId)) return;
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    const before = this.anchor.points.map(({ x }) => x), { range } = this.anchor;
    const now = [...this.pointers.values()].slice(0, 2).map(({ x }) => x);
    this.hasMoved ||= Math.abs(now[0] - before[0]) > 3;
    if (!this.hasMoved) return;
    if (this.selectsFrom !== undefined) {
      const cycle = this.cycleAt(event);
      return this.actions.select!(Math.min(cycle, this.selectsFrom), Math.max(cycle, this.selectsFrom));
    }
    const perPixel = (range.to - range.from) / (this.actions.view().width - gutter);
    const middle = (xs: number[]) => xs.reduce((sum, x) => sum + x, 0) / xs.length - gutter;
    const apart = (xs: number[]) => (xs.length > 1 ? Math.max(Math.abs(xs[1] - xs[0]), 10) : 1);
    // What was under the fingers stays there.
    const scale = (perPixel * apart(before)) / apart(now);
    const from = range.from + middle(before) * perPixel - middle(now) * scale;
    this.actions.setRange(from, from + (scale / perPixel) * (range.to - range.from));
  }

  private onUp(event: PointerEvent): void {
    if (!this.pointers.has(event.pointerId)) return;
    this.drop(event.pointerId);
    if (!this.hasMoved && this.pointers.size === 0) this.actions.click(event.offsetX, event.offsetY);
  }

  private drop(pointer: number): void {
    if (this.pointers.delete(pointer)) this.setAnchor();
  }
}
