// Makes a report with one iteration of each loop, so that the ops of a layer have room in a timeline.

import { Loop, Op, Report } from "./report";

const isFoldable = ({ trips }: Loop): boolean => trips > 1;

export function canFold(report: Report): boolean {
  return report.loops.some(isFoldable);
}

/// Returns the cycles that folding leaves out ahead of `cycle`: all iterations but one of each loop that ends before
/// it. The loops in `around` do not count.
function cyclesBefore({ loops }: Report, cycle: number, around: number[]): number {
  return loops.reduce((sum, loop, index) => {
    const isBefore = !around.includes(index) && loop.start_cycle + loop.trips * loop.period_cycles <= cycle;
    return isBefore ? sum + (loop.trips - 1) * loop.period_cycles : sum;
  }, 0);
}

function foldOp(report: Report, op: Op): Op {
  const loops = op.loops ?? [];
  const trips = loops.reduce((product, index) => product * report.loops[index].trips, 1);
  const first = op.slots.reduce((least, { start_cycle }) => Math.min(least, start_cycle), Infinity);
  const early = op.slots.length === 0 ? 0 : cyclesBefore(report, first, loops);
  const move = <Span extends { start_cycle: number; end_cycle: number }>(span: Span): Span =>
    ({ ...span, start_cycle: span.start_cycle - early, end_cycle: span.end_cycle - early });
  const slots = early === 0 ? op.slots
    : op.slots.map((slot) => ({ ...move(slot), prefetches: slot.prefetches?.map(move) }));
  return { ...op, count: op.count / trips, slots };
}

/// What follows a loop moves up to the end of its first iteration.
export function foldReport(report: Report): Report {
  const left = report.loops.reduce((sum, { trips, period_cycles }) => sum + (trips - 1) * period_cycles, 0);
  const makespan = report.makespan_cycles - left;
  return {
    ...report, isFolded: true,
    makespan_cycles: makespan, makespan_us: (makespan * 1e6) / report.clock_hz,
    loops: report.loops.map((loop, index) => ({
      ...loop, trips: 1, foldedTrips: loop.trips,
      start_cycle: loop.start_cycle - cyclesBefore(report, loop.start_cycle, [index]),
    })),
    ops: report.ops.map((op) => foldOp(report, op)),
  };
}
