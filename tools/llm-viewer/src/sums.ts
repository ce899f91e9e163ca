// Sums what lies in a part of time, op by op. What the ends cut counts in part.

import { recordOf } from "./counters";
import { Amount, amountOf, nothing, peakSecondsOf } from "./peaks";
import { mainMemory, Op, Slot } from "./report";
import { firstEndingAfter, Schedule } from "./schedule";
import { extentOf } from "./elapsed";
import { Range } from "./timeline/view";

/// The slots of an op, by part.
type Slots = Map<number, Slot>;

/// Returns what a slice does in all. A fetch moves what it fetches; the part moves the rest.
function workOf(op: Op, slot: Slot, fetch: number, memory: string): { macs: number; bytes: number } {
  const record = recordOf(op.parts, slot.part), traffic = record.traffic_bytes[memory] ?? {};
  const fetched = (slot.prefetches ?? []).map(({ buffer }) => traffic[buffer] ?? 0);
  if (fetch > 0) return { macs: 0, bytes: fetched[fetch - 1] };
  const all = Object.values(traffic).reduce((sum, bytes) => sum + bytes, 0);
  return { macs: record.work?.mac ?? 0, bytes: all - fetched.reduce((sum, bytes) => sum + bytes, 0) };
}

/// Returns the share of the bytes moved that is moved for the first time.
function onceOf(op: Op, memory: string): number {
  const moved = op.bytes[memory] ?? 0;
  return moved > 0 ? (op.compulsory_bytes ?? 0) / moved : 0;
}

/// Adds the cycles of the range in which runs of the op are under way, and the number of these runs.
function addRuns(sum: Amount, schedule: Schedule, op: Op, { from, to }: Range): void {
  const [start, end] = extentOf(op);
  schedule.forEachShift(op, (shift) => {
    const inside = Math.min(end + shift, to) - Math.max(start + shift, from);
    if (inside <= 0) return;
    sum.elapsedCycles += inside;
    ++sum.runs;
  });
}

export function amountsIn(schedule: Schedule, range: Range | undefined): Map<Op, Amount> {
  const { report } = schedule;
  if (!range) return new Map(report.ops.map((op) => [op, amountOf(report, op)]));
  const sums = new Map<Op, Amount>(), slotsOf = new Map<Op, Slots>(), memory = mainMemory(report).name;
  for (const row of schedule.rows) {
    const group = report.engines[row.group].name;
    for (let at = firstEndingAfter(schedule, row, range.from); at < row.end && schedule.start[at] < range.to; ++at) {
      const op = report.ops[schedule.op[at]];
      if (op.engine !== group) continue; // an engine that the part holds beside its own
      let sum = sums.get(op), slots = slotsOf.get(op);
      if (!sum || !slots) {
        sums.set(op, (sum = nothing()));
        slotsOf.set(op, (slots = new Map(op.slots.map((slot) => [slot.part, slot]))));
        addRuns(sum, schedule, op, range);
      }
      const start = schedule.start[at], end = schedule.end[at], fetch = schedule.prefetch[at];
      const inside = Math.min(end, range.to) - Math.max(start, range.from);
      const share = end > start ? inside / (end - start) : 1;
      const { macs, bytes } = workOf(op, slots.get(schedule.part[at])!, fetch, memory);
      if (fetch === 0) sum.engineCycles += inside;
      sum.flop += 2 * macs * share;
      sum.peakSeconds += peakSecondsOf(report, op, macs * share);
      sum.bytes += bytes * share;
      sum.bytesOnce += bytes * share * onceOf(op, memory);
    }
  }
  return sums;
}
