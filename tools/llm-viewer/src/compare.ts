// Ops of two runs beside each other. llm-opt finds which ops do the same work, and how long each side takes for these
// and for modules (llm/Results/RunComparison.h), for this page as for its tables. The page adds only what a person has
// chosen here, which llm-opt cannot know: what a search finds, and layers that the table shows as one. A test holds
// both sums against each other (test/integration/viewer/compared.mjs).

import { elapsedMicrosecondsOf } from "./elapsed";
import { modulesAround, TreeNode } from "./modules";
import { sequencesOf } from "./program";
import { Matches, Op, PageData, Report, Sides, toMicroseconds } from "./report";

/// Ops that do the same work: one on each side, or one on one side and, on the other, several that it runs as one
/// kernel.
export interface Match {
  here: Op[];
  there: Op[];
  microseconds: number; // elapsed, of all runs
  baselineMicroseconds: number;
}

/// How long both sides take, elapsed, all runs. The baseline may have no time of this alone.
export interface Times {
  microseconds: number;
  baselineMicroseconds: number | undefined;
}

export class Baseline {
  readonly matches: Match[];
  /// Ops of the baseline that are compared with nothing here.
  readonly lost: Op[];
  private readonly matchOfOp = new Map<Op, Match>();
  private readonly byName: Map<string, Op>;
  private readonly timesOfModule: Map<string, Times>;
  private readonly opsInModule = new Map<string, number>();

  constructor(readonly report: Report, readonly sides: Sides, private readonly here: Report, found: Matches) {
    const { ops: matches, modules } = found;
    this.timesOfModule = new Map(modules.map(([name, microseconds, baselineMicroseconds]) =>
      [name, { microseconds, baselineMicroseconds }]));
    const add = (counts: Map<string, number>, name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count);
    const opsOf = new Map<string, number>();
    for (const { module } of here.ops) add(opsOf, module, 1);
    for (const [module, count] of opsOf)
      for (const name of modulesAround(module)) add(this.opsInModule, name, count);
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
  /// Returns the times of an op or of a module. Of ops that llm-opt has not added up, the page adds the times.
  timesOf(node: TreeNode): Times {
    const match = node.op && this.matchOfOp.get(node.op);
    if (match?.here.length === 1) return match;
    const isWhole = !node.op && this.opsInModule.get(node.name) === node.ops.length;
    return (isWhole ? this.timesOfModule.get(node.name) : undefined) ?? this.addTimes(node);
  }
  addTimes(node: TreeNode): Times {
    return { microseconds: toMicroseconds(this.here, node.figures.elapsedCycles),
             baselineMicroseconds: this.elapsedMicrosecondsOf(this.counterpartsOf(node)) };
  }
  /// Returns the ops of the baseline that a node is compared with. A module also has those that only the baseline has
  /// in it. Returns undefined if one of them also does the work of an op that is not in the node.
  private counterpartsOf(node: TreeNode): Op[] | undefined {
    const inside = new Set(node.ops), there = new Set<Op>();
    for (const op of node.ops) {
      const match = this.matchOfOp.get(op);
      if (match?.here.some((other) => !inside.has(other))) return undefined;
      match?.there.forEach((other) => there.add(other));
    }
    const lost = node.op ? [] : this.lost.filter(({ module }) =>
      node.modules.some((name) => name === "" || module === name || module.startsWith(`${name}.`)));
    return [...there, ...lost];
  }
  /// Returns undefined for no ops.
  elapsedMicrosecondsOf(ops: Op[] | undefined): number | undefined {
    return ops === undefined || ops.length === 0 ? undefined : elapsedMicrosecondsOf(this.report, ops);
  }
}

export function findBaseline(report: Report, { reports, baselines, matches, sides }: PageData): Baseline | undefined {
  const match = matches[reports.indexOf(report)];
  return match ? new Baseline(baselines[match.baseline], sides, report, match) : undefined;
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
