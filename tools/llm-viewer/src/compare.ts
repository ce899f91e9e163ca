// Ops of two runs, matched by name.

import { Op, Report, scheduledCyclesOf } from "./report";

export class Baseline {
  private readonly ops = new Map<string, Op>();

  constructor(readonly report: Report) {
    for (const op of report.ops) this.ops.set(op.name, op);
  }
  find(name: string): Op | undefined {
    return this.ops.get(name);
  }
  /// Of its ops, those that the other run does not have.
  without(other: Report): Op[] {
    const names = new Set(other.ops.map((op) => op.name));
    return this.report.ops.filter((op) => !names.has(op.name));
  }
  microsecondsOf(op: Op): number {
    return (scheduledCyclesOf(op) * 1e6) / this.report.clock_hz;
  }
}

/// The function of the same name, or the only one.
export function findBaseline(report: Report, baselines: Report[]): Baseline | undefined {
  const same = baselines.find((other) => other.function === report.function);
  const found = same ?? (baselines.length === 1 ? baselines[0] : undefined);
  return found && new Baseline(found);
}

export function differencePercent(now: number, before: number): number | undefined {
  return before === 0 ? undefined : (100 * (now - before)) / before;
}
