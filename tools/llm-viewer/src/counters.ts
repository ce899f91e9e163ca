// Counts what slices move and hold over time: bytes of memories, private memory, busy engines.

import { PartCost, Prefetch, Report, sharedResources, Slot, usableBytesPerSecond } from "./report";
import { Schedule } from "./schedule";

export interface Counter {
  label: string;
  unit: string;
  most: number; // the most that there can be
  isOfPrivate: boolean; // counts memory of engines
  isOfEngines: boolean; // counts busy engines
  time: Float64Array; // cycles at which it changes
  value: Float64Array; // from then on
}

/// Collects the changes of one sum, in any order. All changes of one cycle count together.
class Sum {
  private times: number[] = [];
  private deltas: number[] = [];

  add(start: number, end: number, amount: number): void {
    if (amount === 0 || end <= start) return;
    this.times.push(start, end);
    this.deltas.push(amount, -amount);
  }

  finish(label: string, unit: string, most: number, scale: number, of?: "private" | "engines"): Counter {
    const order = new Uint32Array(this.times.length).map((_, index) => index);
    order.sort((a, b) => this.times[a] - this.times[b]);
    const time: number[] = [0], value: number[] = [0];
    let sum = 0, open = 0;
    for (const index of order) {
      open += index % 2 === 0 ? 1 : -1; // a start, an end
      sum = open === 0 ? 0 : sum + this.deltas[index]; // fractions leave a rest
      if (time[time.length - 1] !== this.times[index]) {
        time.push(this.times[index]);
        value.push(0);
      }
      value[value.length - 1] = sum * scale;
    }
    return { label, unit, most, isOfPrivate: of === "private", isOfEngines: of === "engines", time: Float64Array.from(time), value: Float64Array.from(value) };
  }
}

/// Finds the record of the cost that a part has. Records stand in the order of the parts.
export function recordOf(parts: PartCost[], part: number): PartCost {
  let left = part;
  for (const record of parts) {
    if (left < record.count) return record;
    left -= record.count;
  }
  return parts[parts.length - 1];
}

/// A part holds its tiles while it runs. A slice that was fetched for it is held from the start of the fetch on.
function addPrivateBytes(sum: Sum, slot: Slot, record: PartCost, shift: number): void {
  let working = record.working_set_bytes;
  for (const fetch of slot.prefetches ?? []) {
    const source = record.sources[fetch.buffer];
    if (!source) continue;
    working -= source.staging_bytes;
    sum.add(fetch.start_cycle + shift, slot.end_cycle + shift, source.slice_bytes);
  }
  sum.add(slot.start_cycle + shift, slot.end_cycle + shift, working);
}

class Sums {
  private readonly bandwidth: Sum[];
  private readonly busy: Sum[];
  private readonly held: Sum[];
  private readonly groupOf = new Map<string, number>();
  private readonly shared;

  constructor(private readonly report: Report, schedule: Schedule) {
    this.shared = sharedResources(report);
    this.bandwidth = this.shared.map(() => new Sum());
    this.busy = report.engines.map(() => new Sum());
    this.held = report.engines.map(() => new Sum());
    for (const row of schedule.rows) this.groupOf.set(row.label, row.group);
  }

  /// `bytesOf` says how many bytes the span moves of each shared memory. It moves them evenly, so the area under the
  /// counter is the bytes.
  private addSpan(span: Slot | Prefetch, shift: number, bytesOf: (memory: string) => number): void {
    const start = span.start_cycle + shift, end = span.end_cycle + shift;
    this.busy[this.groupOf.get(span.engine)!].add(start, end, 1);
    this.shared.forEach((memory, index) => this.bandwidth[index].add(start, end, bytesOf(memory.name) / (end - start)));
  }

  addSlot(slot: Slot, record: PartCost, shift: number): void {
    const fetches = slot.prefetches ?? [];
    const fetched = (memory: string, buffer: string) => record.traffic_bytes[memory]?.[buffer] ?? 0;
    for (const fetch of fetches) this.addSpan(fetch, shift, (memory) => fetched(memory, fetch.buffer));
    this.addSpan(slot, shift, (memory) =>
      Object.values(record.traffic_bytes[memory] ?? {}).reduce((sum, bytes) => sum + bytes, 0) -
      fetches.reduce((sum, fetch) => sum + fetched(memory, fetch.buffer), 0));
    for (const engine of slot.with ?? [])
      this.busy[this.groupOf.get(engine)!].add(slot.start_cycle + shift, slot.end_cycle + shift, 1);
    addPrivateBytes(this.held[this.groupOf.get(slot.engine)!], slot, record, shift);
  }

  finish(): Counter[] {
    const counters = this.shared.map((memory, index) => {
      const gigabytes = usableBytesPerSecond(memory) / 1e9;
      return this.bandwidth[index].finish(`${memory.name} bandwidth`, "GB/s", gigabytes, this.report.clock_hz / 1e9);
    });
    this.report.engines.forEach((engine, group) => {
      counters.push(this.busy[group].finish(`${engine.name} busy`, "", engine.count, 1, "engines"));
      const memory = this.report.memories.find((candidate) => candidate.name === engine.private_memory);
      if (memory?.capacity_bytes)
        counters.push(this.held[group].finish(
          `${engine.name} ${memory.name}`, "MB", (engine.count * memory.capacity_bytes) / 1e6, 1e-6, "private"));
    });
    return counters.filter((counter) => counter.time.length > 1);
  }
}

export function makeCounters(schedule: Schedule): Counter[] {
  const sums = new Sums(schedule.report, schedule);
  for (const op of schedule.report.ops) {
    const records = op.slots.map((slot) => recordOf(op.parts, slot.part));
    schedule.forEachShift(op, (shift) =>
      op.slots.forEach((slot, index) => sums.addSlot(slot, records[index], shift)));
  }
  return sums.finish();
}
