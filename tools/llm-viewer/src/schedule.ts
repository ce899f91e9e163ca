// Holds all slices of a schedule, with loops unrolled, in flat arrays sorted by row and start.

import { kindOf } from "./kinds";
import { nameOfRun, shortName } from "./names";
import { Op, Report, Slot, Span } from "./report";
import { extentOf, iterationsOf } from "./runs";

export interface Row {
  label: string; // e.g. "core[0]"
  group: number; // the position in report.engines; in a trace, the lane
  first: number; // the row's slices: [first, end)
  end: number;
}

/// The time that the ops of one layer take, from the first start to the last end.
export interface LayerSpan {
  name: string;
  start: number; // cycles
  end: number;
}

/// The slices that are painted in rows. Each belongs to an op, which has a name and a kind. Times are in cycles.
export interface Slices {
  readonly rows: Row[];
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly op: Int32Array;
  readonly run: Int32Array;
  readonly prefetch: Uint8Array;
  readonly onPath: Uint8Array;
  readonly clockHz: number;
  readonly labels: string[]; // by op
  readonly kinds: string[];
  layers(): LayerSpan[];
}

/// Returns the first slice of the row that ends after the cycle.
export function firstEndingAfter({ end }: Slices, row: Row, cycle: number): number {
  let low = row.first, high = row.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] > cycle) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// Returns, for each iteration of these loops, by how many cycles it is later than the first one. The outermost loop
/// comes first.
export function shiftsOf(report: Report, loops: number[]): number[] {
  let shifts = [0];
  for (const index of loops) {
    const loop = report.loops[index];
    shifts = shifts.flatMap((shift) => Array.from({ length: loop.trips }, (_, i) => shift + i * loop.period_cycles));
  }
  return shifts;
}

export class Schedule implements Slices {
  readonly rows: Row[] = [];
  readonly opByName = new Map<string, number>();
  readonly start: Float64Array; // cycles
  readonly end: Float64Array;
  readonly op: Int32Array;
  readonly part: Int32Array;
  /// The run of the op, counted through its loops; the outermost one is the slowest.
  readonly run: Int32Array;
  /// 0 for the part itself; 1 + the position among the slot's prefetches for a fetch.
  readonly prefetch: Uint8Array;
  /// 1 if it is on the critical path.
  readonly onPath: Uint8Array;
  readonly endCycle: number;

  constructor(readonly report: Report) {
    const rowOf = new Map<string, number>();
    report.engines.forEach((engine, group) => {
      for (let index = 0; index < engine.count; ++index) {
        const label = `${engine.name}[${index}]`;
        rowOf.set(label, this.rows.length);
        this.rows.push({ label, group, first: 0, end: 0 });
      }
    });
    report.ops.forEach((op, index) => this.opByName.set(op.name, index));

    const perRow = this.rows.map(() => 0);
    this.forEachSpan(({ engine }) => ++perRow[rowOf.get(engine)!]);
    let count = 0;
    this.rows.forEach((row, index) => {
      row.first = row.end = count;
      count += perRow[index];
    });
    const start = new Float64Array(count), end = new Float64Array(count);
    const op = new Int32Array(count), part = new Int32Array(count), run = new Int32Array(count);
    const prefetch = new Uint8Array(count), onPath = new Uint8Array(count);
    let last = 0;
    this.forEachSpan((span, shift, opIndex, partIndex, runIndex, fetch) => {
      const at = this.rows[rowOf.get(span.engine)!].end++;
      start[at] = span.start_cycle + shift;
      end[at] = span.end_cycle + shift;
      op[at] = opIndex;
      part[at] = partIndex;
      run[at] = runIndex;
      prefetch[at] = fetch;
      onPath[at] = Number(span.follows_by !== undefined);
      last = Math.max(last, end[at]);
    });
    const order = new Uint32Array(count).map((_, index) => index);
    for (const row of this.rows)
      order.subarray(row.first, row.end).sort((a, b) => start[a] - start[b] || end[a] - end[b]);
    const inOrder = <T extends Float64Array | Int32Array | Uint8Array>(values: T): T =>
      values.map((_, index) => values[order[index]]) as T;
    this.start = inOrder(start);
    this.end = inOrder(end);
    this.op = inOrder(op);
    this.part = inOrder(part);
    this.run = inOrder(run);
    this.prefetch = inOrder(prefetch);
    this.onPath = inOrder(onPath);
    this.endCycle = Math.max(last, report.makespan_cycles, 1);
  }

  get sliceCount(): number {
    return this.start.length;
  }

  get clockHz(): number {
    return this.report.clock_hz;
  }
  get labels(): string[] {
    return this.report.ops.map(shortName);
  }
  get kinds(): string[] {
    return this.report.ops.map(kindOf);
  }

  /// Returns the run of an op that is nearest to a part of time. If several are in it, returns the first.
  nearestRun(op: Op, from: number, to: number): number {
    const [start, end] = extentOf(this.report, op, 0);
    let nearest = 0, least = Infinity;
    this.forEachShift(op, (shift, run) => {
      const distance = Math.max(from - (end + shift), start + shift - to, 0);
      if (distance >= least) return;
      nearest = run;
      least = distance;
    });
    return nearest;
  }

  /// Returns "model.layers.3", or "model.layers.{} × 36" if layers are folded.
  private nameOfLayer(op: Op, run: number): string {
    if (!this.report.isFolded || !op.loops)
      return nameOfRun(this.report, { ...op, name: op.layer }, iterationsOf(this.report, op, run));
    const trips = op.loops.reduce((product, loop) => product * (this.report.loops[loop].foldedTrips ?? 1), 1);
    return `${op.layer} × ${trips}`;
  }

  /// Returns each layer in each iteration, sorted by start.
  layers(): LayerSpan[] {
    const spans = new Map<string, LayerSpan>();
    for (const op of this.report.ops) {
      if (op.layer === "" || op.slots.length === 0) continue;
      const [first, last] = extentOf(this.report, op, 0);
      this.forEachShift(op, (shift, run) => {
        const name = this.nameOfLayer(op, run);
        const span = spans.get(name) ?? { name, start: Infinity, end: 0 };
        span.start = Math.min(span.start, first + shift);
        span.end = Math.max(span.end, last + shift);
        spans.set(name, span);
      });
    }
    return [...spans.values()].sort((a, b) => a.start - b.start);
  }

  /// Calls `visit` for each run of the op, with the cycles by which it is later than the first.
  forEachShift(op: Op, visit: (shiftCycles: number, run: number) => void): void {
    shiftsOf(this.report, op.loops ?? []).forEach(visit);
  }

  private forEachSpan(
    visit: (span: Span, shift: number, op: number, part: number, run: number, fetch: number) => void,
  ): void {
    const visitSlot = (slot: Slot, op: number, shift: number, run: number) => {
      (slot.prefetches ?? []).forEach((fetch, index) => visit(fetch, shift, op, slot.part, run, index + 1));
      visit(slot, shift, op, slot.part, run, 0);
      for (const engine of slot.with ?? []) visit({ ...slot, engine }, shift, op, slot.part, run, 0);
    };
    this.report.ops.forEach((op, index) =>
      this.forEachShift(op, (shift, run) => op.slots.forEach((slot) => visitSlot(slot, index, shift, run))));
  }
}
