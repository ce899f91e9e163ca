// How long ops are under way, whatever number of engines they take.

import { Op, Report, toMicroseconds } from "./report";

/// The cycles from the first slot of an op's first run to the last one's end; fetches ahead do not count.
export function extentOf(op: Op): [number, number] {
  let start = Infinity, end = 0;
  for (const slot of op.slots) {
    start = Math.min(start, slot.start_cycle);
    end = Math.max(end, slot.end_cycle);
  }
  return [Math.min(start, end), end];
}

/// Of ops that run equally often, in one run.
function unionOf(ops: Op[]): number {
  const extents = ops.map(extentOf).sort((a, b) => a[0] - b[0]);
  let cycles = 0, covered = 0;
  for (const [start, end] of extents) {
    cycles += Math.max(0, end - Math.max(start, covered));
    covered = Math.max(covered, end);
  }
  return cycles;
}

/// The cycles of all runs in which at least one of the ops is under way: those of ops side by side count once.
/// What is in another loop, or in none, is never side by side.
export function elapsedCyclesOf(ops: Op[]): number {
  if (ops.length === 1) { // as most often
    const [start, end] = extentOf(ops[0]);
    return ops[0].count * (end - start);
  }
  const byLoops = new Map<string, Op[]>();
  for (const op of ops) {
    const loops = (op.loops ?? []).join();
    const same = byLoops.get(loops);
    if (same) same.push(op);
    else byLoops.set(loops, [op]);
  }
  let cycles = 0;
  for (const same of byLoops.values()) cycles += same[0].count * unionOf(same);
  return cycles;
}

export function elapsedMicrosecondsOf(report: Report, ops: Op[]): number {
  return toMicroseconds(report, elapsedCyclesOf(ops));
}
