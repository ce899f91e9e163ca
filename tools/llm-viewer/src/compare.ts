// Ops of two runs, matched by name.

import { elapsedMicrosecondsOf } from "./elapsed";
import { modulesAround } from "./modules";
import { sequencesOf } from "./program";
import { Op, PageData, Report } from "./report";

/// The names of the ops that were fused into this one: "a.q+k" is of a.q and a.k.
function candidatesOf(op: Op): string[][] {
  const [first, ...others] = op.name.split("+");
  const module = first.slice(0, first.lastIndexOf(".") + 1);
  return [[first], ...others.map((name) => [name, module + name, `${op.module}.${name}`])];
}

export class Baseline {
  private readonly ops = new Map<string, Op>();
  private readonly modules = new Map<string, Op[]>();

  constructor(readonly report: Report) {
    for (const op of report.ops) {
      this.ops.set(op.name, op);
      for (const module of modulesAround(op.module)) {
        const known = this.modules.get(module);
        if (known) known.push(op);
        else this.modules.set(module, [op]);
      }
    }
  }
  find(name: string): Op | undefined {
    return this.ops.get(name);
  }
  /// What the op is there: the one of its name, or all those that it is fused of; else nothing.
  counterpartsOf(op: Op): Op[] {
    const same = this.ops.get(op.name);
    if (same) return [same];
    const parts = candidatesOf(op).map((names) => names.map((name) => this.ops.get(name)).find((part) => part));
    return parts.length > 1 && parts.every((part) => part) ? (parts as Op[]) : [];
  }
  /// All that the baseline has in a module, also what is named otherwise here.
  opsOfModule(module: string): Op[] {
    return this.modules.get(module) ?? [];
  }
  /// Of its ops, those that no op of the other run is compared with.
  without(other: Report): Op[] {
    const compared = new Set(other.ops.flatMap((op) => this.counterpartsOf(op)));
    return this.report.ops.filter((op) => !compared.has(op));
  }
  /// Nothing for no ops.
  elapsedMicrosecondsOf(ops: Op[]): number | undefined {
    return ops.length === 0 ? undefined : elapsedMicrosecondsOf(this.report, ops);
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

/// What was computed, by name: two runs that differ in it did other work.
export function workOf(report: Report): [string, string][] {
  const { program, totals } = report;
  return [
    ["model", program?.model ?? ""],
    ["phase", program?.phase ?? ""],
    ["sequences", program ? sequencesOf(program) : ""],
    ["layers", program ? `${program.layers} of ${program.model_layers}${program.whole_model ? ", whole model" : ""}` : ""],
    ["parameters", totals?.parameters === undefined ? "" : totals.parameters.toLocaleString("en-US")],
  ];
}
