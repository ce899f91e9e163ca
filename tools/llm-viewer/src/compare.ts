// Ops of two runs beside each other. Which ops are the same work, and how long each side takes, llm-opt has found out
// (llm/Results/RunComparison.h), for this page as for its tables.

import { elapsedMicrosecondsOf } from "./elapsed";
import { sequencesOf } from "./program";
import { Matches, Op, PageData, Report, Sides } from "./report";

/// All that do the same work: one on each side, or on one side several that are one kernel on the other.
export interface Match {
  here: Op[];
  there: Op[];
  microseconds: number; // elapsed, of all runs
  baselineMicroseconds: number;
}

export class Baseline {
  readonly matches: Match[];
  /// What the baseline has and nothing here is compared with.
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
  /// Of an op of either side.
  matchOf(op: Op): Match | undefined {
    return this.matchOfOp.get(op);
  }
  /// Several ops here that the baseline runs as one.
  get together(): Match[] {
    return this.matches.filter(({ here }) => here.length > 1);
  }
  /// What these ops of this run are there; undefined where one of them is there a part of more than these.
  counterpartsOf(ops: Op[]): Op[] | undefined {
    const inside = new Set(ops), there = new Set<Op>();
    for (const op of ops) {
      const match = this.matchOfOp.get(op);
      if (match?.here.some((other) => !inside.has(other))) return undefined;
      match?.there.forEach((other) => there.add(other));
    }
    return [...there];
  }
  /// Nothing for no ops.
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
