// Holds the events of a trace as slices of rows. A lane has a row for each depth at which events lie in others.

import { elide } from "../dom";
import { LayerSpan, Row, Slices } from "../schedule";
import { processOf, threadOf, TraceData } from "./data";

const widestLabel = 18; // in letters

/// "Ops" are names, each with the kind of its events; a cycle is a nanosecond.
export class TraceSlices implements Slices {
  readonly rows: Row[] = [];
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly op: Int32Array;
  readonly run: Int32Array;
  readonly prefetch: Uint8Array;
  readonly onPath: Uint8Array;
  readonly clockHz = 1e9;
  readonly labels: string[] = [];
  readonly kinds: string[] = [];
  private readonly opOf = new Map<number, number>();

  constructor(readonly data: TraceData) {
    const count = data.lanes.reduce((sum, lane) => sum + lane.name.length, 0);
    this.start = new Float64Array(count);
    this.end = new Float64Array(count);
    this.op = new Int32Array(count);
    this.run = new Int32Array(count);
    this.prefetch = new Uint8Array(count);
    this.onPath = new Uint8Array(count);
    let first = 0;
    data.lanes.forEach((_, lane) => (first = this.addLane(lane, first)));
  }

  layers(): LayerSpan[] {
    return [];
  }

  /// A range and a kernel may have the same name, so each kind of a name is an op of its own.
  private addOp(name: number, kind: number): number {
    const key = name * this.data.kinds.length + kind;
    const found = this.opOf.get(key);
    if (found !== undefined) return found;
    const { names, kinds } = this.data, number = this.labels.push(names[name]) - 1;
    this.kinds.push(kinds[kind]);
    this.opOf.set(key, number);
    return number;
  }

  private addLane(number: number, first: number): number {
    const lane = this.data.lanes[number], depths = depthsOf(lane.later_ns, lane.duration_ns);
    const rows: Row[] = [];
    let begin = first;
    for (const size of depths.sizes) {
      rows.push({ label: "", group: number, first: begin, end: begin });
      begin += size;
    }
    let at = 0;
    lane.name.forEach((name, event) => {
      at += lane.later_ns[event];
      const place = rows[depths.depth[event]].end++;
      this.start[place] = at;
      this.end[place] = at + lane.duration_ns[event];
      this.op[place] = this.addOp(name, lane.kind[event]);
    });
    if (rows.length > 0) rows[0].label = elide(threadOf(lane), widestLabel);
    if (rows.length > 1) rows[1].label = elide(processOf(lane), widestLabel);
    this.rows.push(...rows);
    return begin;
  }
}

/// Returns, for each event, how many others are under way when it begins, and the number of events by that depth.
/// Events are sorted by start; of equal ones the longer comes first.
function depthsOf(later: number[], durations: number[]): { depth: number[]; sizes: number[] } {
  const open: number[] = []; // the ends of events under way
  const sizes: number[] = [];
  let at = 0;
  const depth = later.map((gap, event) => {
    at += gap;
    while (open.length > 0 && open[open.length - 1] <= at) open.pop();
    const place = open.push(at + durations[event]) - 1;
    sizes[place] = (sizes[place] ?? 0) + 1;
    return place;
  });
  return { depth, sizes };
}
