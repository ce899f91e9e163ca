// Shows above all views what a reader must know before believing a figure of the page.

import { Baseline, workOf } from "./compare";
import { h } from "./dom";
import { faultsOf, PageData, Report } from "./report";

function listNames(reports: Report[]): string {
  const most = 8, left = reports.length - most;
  return reports.slice(0, most).map((report) => report.function).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

/// Says in what the two runs differ: "phase: prefill here, decode in the baseline". What one of them does not tell is
/// left out.
function differencesOf(report: Report, { report: other, sides }: Baseline): string[] {
  const before = new Map(workOf(other));
  return workOf(report).filter(([name, value]) => value && before.get(name) && before.get(name) !== value)
    .map(([name, value]) => `${name}: ${value} here, ${before.get(name)} in the ${sides.other}`);
}

function comparisonNotes(report: Report, data: PageData, baseline: Baseline | undefined): string[] {
  if (data.baselines.length === 0) return [];
  const { other } = data.sides;
  if (!baseline)
    return [`Nothing is compared: the ${other} has no function ${report.function}, only ${listNames(data.baselines)}.`];
  const notes: string[] = [];
  const differences = differencesOf(report, baseline);
  if (differences.length > 0) notes.push(`The ${other} did other work (${differences.join("; ")}).`);
  if (faultsOf(baseline.report).length > 0)
    notes.push(`The ${other}'s schedule is broken: ${faultsOf(baseline.report).join("; ")}.`);
  if (baseline.report.capacity?.problem) notes.push(`In the ${other} ${baseline.report.capacity.problem}.`);
  const compared = new Set(data.reports.length === 1 ? [baseline.report.function] : data.reports.map((one) => one.function));
  const lost = data.baselines.filter((one) => !compared.has(one.function));
  if (lost.length > 0) notes.push(`Functions in the ${other} only: ${listNames(lost)}.`);
  return notes;
}

/// Says which machines are compared: that is what was asked for, and nothing is wrong with it.
function targetNotes(report: Report, baseline: Baseline | undefined): string[] {
  if (!baseline || baseline.report.target === report.target) return [];
  const { other } = baseline.sides;
  return [`Two targets: ${report.target} here, ${baseline.report.target} in the ${other}.`];
}

function makeAlert(what: string, sentences: string[]): HTMLElement | undefined {
  return sentences.length === 0 ? undefined
    : h("div", { class: "problems", role: "alert" }, h("b", {}, what),
        h("ul", {}, ...sentences.map((sentence) => h("li", {}, sentence))));
}

/// Says that a function does not fit, what is wrong with its schedule, and what is wrong with the comparison.
export function makeNotices(report: Report, data: PageData, baseline: Baseline | undefined): HTMLElement {
  const excess = report.capacity?.problem;
  return h("div", { class: "notices" },
    makeAlert("This program does not fit into memory; its times are those of a machine on which it would:", excess ? [excess] : []),
    makeAlert("This schedule does not hold, so neither do its times:", faultsOf(report)),
    ...[...(report.remarks ?? []), ...data.notes, ...comparisonNotes(report, data, baseline)].map((note) => h("p", { class: "note", role: "note" }, note)),
    ...targetNotes(report, baseline).map((note) => h("p", { class: "plain", role: "note" }, note)));
}
