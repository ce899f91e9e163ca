// Ops of two runs beside each other. llm-opt finds which ops do the same work, and how long each side takes
// (llm/Results/RunComparison.h), for this page as for its tables.

import { elapsedMicrosecondsOf } from "./elapsed";
import { sequencesOf } from "./program";
import { Matches, Op, PageData, Report, Sides } from "./report";

/// Ops that do the same work: one on each side, or one on one side and, on the other, several that it runs as one
/// kernel.
export interface Match {
  here: Op[];
  there: Op[];
  microseconds: number; // elapsed, of all runs
  baselineMicroseconds: number;
}

export class Baseline {
  readonly matches: Match[];
  /// Ops of the baseline that are compared with nothing here.
  readonly lost: Op[];
  private readonly matchOfOp = new Map<Op, Match>();
  private readonly byName: Map<string, Op>;

  constructor(readonly report: Report, readonly sides: Sides, here: Report, matches: Matches["ops"]) {
    this.byName = new Map(report.ops.map((op) => [op.name, op]));
    this.matches = matches.map(([first, second, microseconds, baselineMicroseconds]) =>
      ({ here: first.map((index) => here.ops[index]), there: second.map((index) => report.ops[index]),
         microseconds, baselineMicroseconds }));
    for (const match of this.matches)
      for (const op of [...match.here, ...match.there]) this.matchOfOp.set(op, match);
    this.lost = report.ops.filter((op) => !this.matchOfOp.has(op));
  }

  find(name: string): Op | undefined {
    return this.byName.get(name);
  }
  /// Finds the match of an op of either side.
  matchOf(op: Op): Match | undefined {
    return this.matchOfOp.get(op);
  }
  /// Returns the matches of several ops here that the baseline runs as one.
  get together(): Match[] {
    return this.matches.filter(({ here }) => here.length > 1);
  }
  /// Returns the ops of the baseline that do the work of these ops. Returns undefined if one of them also does the
  /// work of another op of this run.
  counterpartsOf(ops: Op[]): Op[] | undefined {
    const inside = new Set(ops), there = new Set<Op>();
    for (const op of ops) {
      const match = this.matchOfOp.get(op);
      if (match?.here.some((other) => !inside.has(other))) return undefined;
      match?.there.forEach((other) => there.add(other));
    }
    return [...there];
  }
  /// Returns undefined for no ops.
  elapsedMicrosecondsOf(ops: Op[] | undefined): number | undefined {
    return ops === undefined || ops.length === 0 ? undefined : elapsedMicrosecondsOf(this.report, ops);
  }
}

export function findBaseline(report: Report, { reports, baselines, matches, sides }: PageData): Baseline | undefined {
  const match = matches[reports.indexOf(report)];
  return match ? new Baseline(baselines[match.baseline], sides, report, match.ops) : undefined;
}

export function differencePercent(now: number, before: number): number | undefined {
  return before === 0 ? undefined : (100 * (now - before)) / before;
}

/// Says what was computed, by name. Two runs that differ in this did other work.
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
