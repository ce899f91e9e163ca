// Describes one run of an op: when it is, and its name.

import { extentOf as extentOfFirst } from "./elapsed";
import { nameOfRun } from "./names";
import { Op, Report } from "./report";

/// Returns the iterations of the loops around the op, the outermost first.
export function iterationsOf(report: Report, op: Op, run: number): number[] {
  const iterations: number[] = [];
  for (const loop of [...(op.loops ?? [])].reverse()) {
    const { trips } = report.loops[loop];
    iterations.unshift(run % trips);
    run = Math.floor(run / trips);
  }
  return iterations;
}

/// Returns by how many cycles the run is later than the first one.
export function shiftOf(report: Report, op: Op, run: number): number {
  return iterationsOf(report, op, run).reduce(
    (shift, iteration, index) => shift + iteration * report.loops[op.loops![index]].period_cycles, 0);
}

/// Returns the cycles from the first slot of the run to the last one's end.
export function extentOf(report: Report, op: Op, run: number): [number, number] {
  const shift = shiftOf(report, op, run);
  const [start, end] = extentOfFirst(op);
  return [start + shift, end + shift];
}

/// Returns what the page knows of one run and not of its op.
export function factsOfRun(report: Report, op: Op, run: number, time: (cycles: number) => string): [string, string][] {
  if (op.slots.length === 0) return [];
  const iterations = iterationsOf(report, op, run);
  const [start, end] = extentOf(report, op, run);
  const engines = [...new Set(op.slots.flatMap((slot) => [slot.engine, ...(slot.with ?? [])]))];
  const layer = op.layer === "" ? "" : nameOfRun(report, { ...op, name: op.layer }, iterations);
  return [
    ["run", op.count > 1 ? `${run + 1} of ${op.count}: ${nameOfRun(report, op, iterations)}` : ""],
    ["layer", layer],
    ["from", `${time(start)} (cycle ${start.toLocaleString("en-US")})`],
    ["to", `${time(end)} (cycle ${end.toLocaleString("en-US")})`],
    ["runs on", engines.length <= 4 ? engines.join(", ") : `${engines.slice(0, 3).join(", ")}, … ${engines.length} engines`],
  ];
}
