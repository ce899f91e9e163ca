// Says what would have to change before the time gets shorter. This follows from what binds each op.

import { elide } from "./dom";
import { formatPercent } from "./format";
import { shortName } from "./names";
import { Engine, mainMemory, Op, Report, scheduledCyclesOf } from "./report";

type Binding = "bandwidth" | "arithmetic" | "launches" | "power" | "links";

/// What llm-opt found to bind the machine, with the engines that it is about.
interface Diagnosis {
  engine: Engine; // the group that has work for longest
  busyCycles: number; // of all its engines together
  allCycles: number; // its engines times the makespan
  saved: Record<Binding, number>; // percent of the makespan
  most: Binding;
}

/// Does the op run on these engines, or hold some of them beside its own?
function holds(op: Op, engine: Engine): boolean {
  return op.engine === engine.name || (op.with ?? []).includes(engine.name);
}

/// Returns nothing if no op takes time, and for runs without savings: measured ones.
function diagnose(report: Report): Diagnosis | undefined {
  const engine = report.engines.find(({ name }) => name === report.bound_engine);
  if (!engine || !report.savings_percent || report.makespan_cycles === 0) return undefined;
  const busyCycles = report.ops.filter((op) => holds(op, engine)).reduce((sum, op) => sum + scheduledCyclesOf(op), 0);
  const { bandwidth = 0, arithmetic = 0, launches = 0, power = 0, links = 0 } = report.savings_percent;
  const saved = { bandwidth, arithmetic, launches, power, links };
  const most = (Object.keys(saved) as Binding[]).reduce((best, key) => (saved[key] > saved[best] ? key : best));
  return { engine, busyCycles, allCycles: engine.count * report.makespan_cycles, saved, most };
}

/// Returns the bounds that decide: those within 1 % of the largest. Bounds of what is in the machine come first, as
/// one of them binds each stage.
export function decidingBounds(report: Report): string[] {
  const all = Object.entries(report.bounds ?? {});
  const largest = all.reduce((most, [, cycles]) => Math.max(most, cycles), 0);
  const rank = (name: string) => {
    const found = ["bytes_", "work_", "streams_", "room_", "critical_path", "stages"].findIndex((start) => name.startsWith(start));
    return found < 0 ? Infinity : found;
  };
  return all.filter(([, cycles]) => cycles > 0 && cycles >= 0.99 * largest).map(([name]) => name)
    .sort((a, b) => rank(a) - rank(b));
}

/// What the shares of the time are called in sentences.
export const shareNames: Record<string, (report: Report) => string> = {
  memory: (report) => `${mainMemory(report).name} bandwidth`, compute: () => "arithmetic", overhead: () => "launches",
  exchange: () => "exchange between chips", waiting: () => "waiting",
};

/// Names the modules that take most of the time. A module counts in all layers together.
function placesOf(report: Report, { engine, busyCycles }: Diagnosis): string {
  const places = new Map<string, { cycles: number; byBound: Map<string, number> }>();
  for (const op of report.ops) {
    if (!holds(op, engine)) continue;
    const inside = op.module.slice(op.layer.length).replace(/^\./, "");
    const name = inside === "" ? shortName(op) : `${inside}.*`;
    const place = places.get(name) ?? { cycles: 0, byBound: new Map<string, number>() };
    place.cycles += scheduledCyclesOf(op);
    place.byBound.set(op.bound, (place.byBound.get(op.bound) ?? 0) + scheduledCyclesOf(op));
    places.set(name, place);
  }
  const top = [...places].sort((a, b) => b[1].cycles - a[1].cycles).slice(0, 3)
    .filter(([, { cycles }]) => cycles >= 0.05 * busyCycles);
  const sentences = top.map(([name, { cycles, byBound }]) => {
    const [bound] = [...byBound].reduce((most, entry) => (entry[1] > most[1] ? entry : most));
    return `${elide(name, 60)} ${formatPercent((100 * cycles) / busyCycles)}, bound by ${bound}`;
  });
  return sentences.length === 0 ? "" : `Most of its engine time goes to ${sentences.join("; ")}.`;
}

const causes: Record<string, string> = {
  none: "for the end of what comes before a loop boundary", dependence: "for other ops", fetch: "for fetches",
  engine: "for engines that are busy", bandwidth: "for bandwidth", memory: "for room in private memory",
  choice: "by choice", layer_boundary: "for the end of a layer or a loop", no_work: "for the end of the function",
};

function idleOf(diagnosis: Diagnosis): string[] {
  const { engine, busyCycles, allCycles } = diagnosis;
  const idle = 100 * (1 - busyCycles / allCycles);
  if (idle < 1) return [];
  const parts = Object.entries(engine.idle_cycles ?? {}).sort((a, b) => b[1] - a[1])
    .map(([cause, cycles]) => `${causes[cause] ?? cause} ${formatPercent((100 * cycles) / allCycles)}`);
  const waits = parts.length > 0 ? `, waiting ${parts.join(", ")}` : "";
  return [`${engine.name} is idle for ${formatPercent(idle)} of the makespan${waits}.`];
}

/// Returns, in percent of the makespan, how much shorter another schedule could be at most, whatever its options.
function schedulePercent(report: Report): number {
  const proven = report.options === undefined ? report.proven_cycles ?? 0 : 0;
  return report.gap_percent === undefined ? 0
    : 100 * (1 - Math.max(report.lower_bound_cycles, proven) / report.makespan_cycles);
}

/// Says what a better schedule and better tiles could win at most.
function roomOf(report: Report): string[] {
  const won = schedulePercent(report), sentences: string[] = [];
  if (won >= 1)
    sentences.push(`A better schedule on this machine could save up to ${formatPercent(won)} ` +
                   (report.options === undefined ? "(--llm-schedule=improve=1000)." : `without ${report.options}.`));
  else if (report.lower_bound_cycles > 0)
    sentences.push(`No other schedule on this machine is ${won === 0 ? "" : "more than 1 % "}shorter.`);
  if (report.roofline_cycles > 0)
    sentences.push(`The makespan is ${(report.makespan_cycles / report.roofline_cycles).toFixed(2)} times the roofline, ` +
                   "which moves each byte once and has all units at their peak.");
  return sentences;
}

const means: Record<Binding, string> = {
  bandwidth: "Fewer bytes do as much: smaller types, fused ops (--llm-fuse), or more tokens for each read of the weights.",
  arithmetic: "Less work does as much: types with a higher rate, or units that are better filled.",
  launches: "Fewer and larger kernels do as much: fused ops (--llm-fuse, --llm-fuse-projections).",
  power: "Less energy does as much: smaller types, or tiles that read less from memory.",
  links: "Fewer bytes between chips do as much: a cut over fewer chips, or smaller types.",
};

function linksOf(report: Report): string {
  const links = report.links ?? [];
  return links.length === 1 ? links[0].name : "the links";
}

/// Says how much each binding takes, and what a change of it would save.
function sharesOf(report: Report, { engine, saved }: Diagnosis): string[] {
  // A kernel is slowed down by more than one rate: what else it waits for stays as it is.
  const change: Record<Binding, string> = {
    bandwidth: "twice the bandwidth about",
    arithmetic: "twice the arithmetic about",
    launches: "half the launch overhead about",
    power: "twice the power above idle about",
    links: `twice the rates of ${linksOf(report)} about`,
  };
  const list = (amounts: Record<string, number>, name: (key: string) => string) =>
    Object.entries(amounts).filter(([, percent]) => percent >= 0.5).sort((a, b) => b[1] - a[1])
      .map(([key, percent]) => `${name(key)} ${formatPercent(percent)}`).join(", ");
  const gains = list(saved, (key) => change[key as Binding]);
  return [`The time of ${engine.name} goes to: ${list(report.bound_percent ?? {}, (key) => shareNames[key]?.(report) ?? key)}.`,
          ...(gains === "" ? [] : [`Estimated savings: ${gains} of the makespan.`])];
}

function subjectsOf(report: Report, engine: Engine): Record<Binding, string> {
  return { bandwidth: `the bandwidth of ${mainMemory(report).name}`, arithmetic: `the arithmetic of ${engine.name}`,
           launches: "launch overhead", power: `the power limit of ${report.target}`, links: `the rates of ${linksOf(report)}` };
}

/// How the estimate is made a figure.
function tryOf(report: Report, most: Binding): string[] {
  if (most === "power")
    return [`What twice the power brings: --llm-target with set=power_limit_watts=${2 * (report.power_limit_watts ?? 0) - (report.idle_watts ?? 0)}.`];
  const isLink = most === "links", { name, bytes_per_second: rate } = isLink ? (report.links ?? [])[0] : mainMemory(report);
  if ((!isLink && most !== "bandwidth") || rate === undefined) return [];
  const twice = (2 * rate).toExponential().replace("e+", "e");
  const path = isLink ? `links.${name}.bytes_per_second_per_direction` : `memories.${name}.bytes_per_second`;
  return [`What twice the ${isLink ? "rate" : "bandwidth"} brings: --llm-target with set=${path}=${twice}.`];
}

/// The sentences, the most important one first; none where no op takes time.
export function adviceOf(report: Report): string[] {
  const diagnosis = diagnose(report);
  if (!diagnosis) return [];
  const { engine, saved, most } = diagnosis;
  const isScheduleFirst = schedulePercent(report) > saved[most];
  const first = isScheduleFirst ? "the schedule" : subjectsOf(report, engine)[most];
  const places = placesOf(report, diagnosis);
  return [`${first}.`, ...sharesOf(report, diagnosis), ...(places ? [places] : []), ...(isScheduleFirst ? [] : [means[most], ...tryOf(report, most)]),
          ...idleOf(diagnosis), ...roomOf(report)];
}
