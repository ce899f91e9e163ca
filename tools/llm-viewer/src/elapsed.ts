// Measures how long ops are under way, on whatever number of engines.

import { Op, Report, toMicroseconds } from "./report";

/// Returns the cycles from the first start to the last end of the slots in an op's first run. Fetches ahead do not
/// count.
export function extentOf(op: Op): [number, number] {
  let start = Infinity, end = 0;
  for (const slot of op.slots) {
    start = Math.min(start, slot.start_cycle);
    end = Math.max(end, slot.end_cycle);
  }
  return [Math.min(start, end), end];
}

/// Returns the cycles of one run, for ops that run equally often.
function unionOf(ops: Op[]): number {
  const extents = ops.map(extentOf).sort((a, b) => a[0] - b[0]);
  let cycles = 0, covered = 0;
  for (const [start, end] of extents) {
    cycles += Math.max(0, end - Math.max(start, covered));
    covered = Math.max(covered, end);
  }
  return cycles;
}

/// Returns the cycles of all runs in which at least one of the ops is under way, so those of ops side by side count
/// once. Ops in different loops are never side by side.
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
