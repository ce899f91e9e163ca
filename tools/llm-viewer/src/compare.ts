// Ops of two runs, matched by name.

import { modulesAround } from "./modules";
import { Op, PageData, Report, scheduledCyclesOf, toMicroseconds } from "./report";

export class Baseline {
  private readonly ops = new Map<string, Op>();
  private readonly modules = new Map<string, number>(); // cycles
  private total = 0;

  constructor(readonly report: Report) {
    for (const op of report.ops) {
      const cycles = scheduledCyclesOf(op);
      this.ops.set(op.name, op);
      this.total += cycles;
      for (const module of modulesAround(op.module))
        this.modules.set(module, (this.modules.get(module) ?? 0) + cycles);
    }
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
    return toMicroseconds(this.report, scheduledCyclesOf(op));
  }
  /// All that the baseline has in it, also what is named otherwise here; of all ops for the empty name.
  microsecondsOfModule(module: string): number | undefined {
    const cycles = module === "" ? this.total : this.modules.get(module);
    return cycles === undefined ? undefined : toMicroseconds(this.report, cycles);
  }
}

/// The function of the same name, or the only one of the only one.
export function findBaseline(report: Report, { reports, baselines }: PageData): Baseline | undefined {
  const same = baselines.find((other) => other.function === report.function);
  const found = same ?? (reports.length === 1 && baselines.length === 1 ? baselines[0] : undefined);
  return found && new Baseline(found);
}

export function differencePercent(now: number, before: number): number | undefined {
  return before === 0 ? undefined : (100 * (now - before)) / before;
}
