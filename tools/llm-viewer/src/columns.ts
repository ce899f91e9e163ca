// The columns of the table say what each row has, in one unit for all rows.

import { Baseline, differencePercent, Times } from "./compare";
import { formatIn, formatOps, formatWhole, unitFor } from "./format";
import { kindOf } from "./kinds";
import { TreeNode } from "./modules";
import { mainMemory, Report, toMicroseconds } from "./report";

export type Cell = number | string | undefined;

export interface Column {
  title: string; // with the unit
  csv: string;
  value: (node: TreeNode) => Cell;
  show: (value: number | string) => string;
  isText?: boolean;
}

function text(title: string, csv: string, value: Column["value"]): Column {
  return { title, csv, value, show: String, isText: true };
}
function number(title: string, csv: string, value: Column["value"], show: (value: number) => string): Column {
  return { title, csv, value, show: (shown) => show(shown as number) };
}
/// Chooses a unit in which smaller values still have digits. The value of `all` is the largest one, and has some
/// digits more.
function amount(title: string, kind: "time" | "bytes" | "count", csv: string, value: Column["value"], all: TreeNode): Column {
  const largest = Number(value(all) ?? 0), unit = unitFor(kind, largest / 100);
  const name = unit.name === "" ? "" : ` (${unit.name})`;
  return number(title + name, csv, value, (shown) => formatIn(unit, largest, shown));
}
const percent = (value: number): string => value.toFixed(1);
const signed = (value: number): string => `${value > 0 ? "+" : ""}${value.toFixed(1)}`;

/// The whole function takes its makespan, which also counts the time in which no op is under way.
function timesOf(report: Report, baseline: Baseline | undefined, node: TreeNode, all: TreeNode): Times {
  if (node === all) return { microseconds: report.makespan_us, baselineMicroseconds: baseline?.report.makespan_us };
  return baseline?.timesOf(node) ??
    { microseconds: toMicroseconds(report, node.figures.elapsedCycles), baselineMicroseconds: undefined };
}

function comparedColumns(baseline: Baseline, times: (node: TreeNode) => Times, all: TreeNode): Column[] {
  const before = (node: TreeNode) => times(node).baselineMicroseconds;
  return [
    amount(baseline.sides.others, "time", `${baseline.sides.key}_elapsed_us`, before, all),
    number("Difference (%)", "difference_percent", (node) => {
      const { microseconds, baselineMicroseconds } = times(node);
      return baselineMicroseconds === undefined ? undefined : differencePercent(microseconds, baselineMicroseconds);
    }, signed),
  ];
}

export function makeColumns(report: Report, baseline: Baseline | undefined, all: TreeNode): Column[] {
  const microseconds = (cycles: number) => toMicroseconds(report, cycles), total = Math.max(all.figures.cycles, 1);
  const times = (node: TreeNode) => timesOf(report, baseline, node, all);
  const perSecond = (sum: number, node: TreeNode) => {
    const elapsed = times(node).microseconds;
    return elapsed === 0 ? 0 : (1e6 * sum) / elapsed;
  };
  return [
    text("Op", "name", (node) => node.name),
    text("Kind", "op", (node) => node.op ? kindOf(node.op) : formatOps(node.figures.ops)),
    number("Count", "count", (node) => node.figures.runs, formatWhole),
    amount("Engine time", "time", "total_time_us", (node) => microseconds(node.figures.cycles), all),
    number("Share (%)", "share_percent", (node) => (100 * node.figures.cycles) / total, percent),
    amount(baseline?.sides.ownElapsed ?? "Elapsed", "time", "elapsed_us", (node) => times(node).microseconds, all),
    ...(baseline ? comparedColumns(baseline, times, all) : []),
    number("TFLOP/s", "tflop_per_second", (node) => perSecond(2e-12 * node.figures.macs, node), (value) => value === 0 ? "" : value.toFixed(1)),
    number("GB/s", "gb_per_second", (node) => node.op?.gb_per_second ?? perSecond(1e-9 * node.figures.bytes, node), formatWhole),
    number("Limit (%)", "percent_of_limit", (node) => node.op?.percent_of_limit, percent),
    text("Bound", "bound", (node) => node.op?.bound ?? ""),
    amount("MACs", "count", "total_macs", (node) => node.figures.macs, all),
    amount(mainMemory(report).name, "bytes", "total_bytes", (node) => node.figures.bytes, all),
  ];
}
