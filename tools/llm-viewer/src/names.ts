// Indices of layers in names, as llm/Support/IndexedNames.h has them: {} is the index of the
// enclosing loop, {3..60} and {1,3..23} count through these numbers in its iterations.

import { Op, Report } from "./report";

const rangePattern = /\{(\d+)(?:,(\d+))?\.\.\d+\}/g;

/// The name of one run, by the iterations of the loops around the op, outermost first.
export function nameOfRun(report: Report, op: Op, iterations: number[]): string {
  if (!op.loops || iterations.length === 0) return op.name;
  const iteration = iterations[iterations.length - 1];
  const loop = report.loops[op.loops[op.loops.length - 1]];
  return op.name
    .split("{}")
    .join(String(loop.first_index + iteration * loop.index_step))
    .replace(rangePattern, (_, first: string, second?: string) => {
      const step = second === undefined ? 1 : Number(second) - Number(first);
      return String(Number(first) + iteration * step);
    });
}

/// The last part of the name; of ops that run as one, all of them.
export function shortName(op: Op): string {
  const module = op.module + ".";
  return op.name
    .split("+")
    .map((name) => (op.module && name.startsWith(module) ? name.slice(module.length) : name))
    .join("+");
}
