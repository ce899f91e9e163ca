// Says what would have to change before the time gets shorter. This follows from what binds each op.

import { elide } from "./dom";
import { formatPercent } from "./format";
import { shortName } from "./names";
import { Engine, mainMemory, Op, Report, scheduledCyclesOf } from "./report";

export type Binding = "bandwidth" | "arithmetic" | "launches";

/// Sums over all runs of an op: how many cycles of engine time each binding takes, and how many twice as much of it
/// would save.
interface Share {
  binds: Record<Binding, number>; // cycles
  saved: Record<Binding, number>; // cycles
}

function shareOf(op: Op): Share {
  const launches = Math.min(op.overhead_cycles, op.scheduled_cycles);
  const rest = op.scheduled_cycles - launches;
  const overlapped = Math.max(0, rest - op.serial_cycles);
  // Ops that have to share the bandwidth take longer than alone on the machine.
  const isSlowedDown = overlapped > 1.01 * (op.cycles - op.overhead_cycles - op.serial_cycles);
  const isMemory = op.bound === "memory" || isSlowedDown || (op.bound === "overhead" && op.memory_cycles > op.compute_cycles);
  // If streaming binds and compute is above memory, both terms are streaming; one is that through the ports of the
  // units.
  const streams = op.bound === "memory" && op.compute_cycles >= op.memory_cycles && !isSlowedDown;
  const halved = streams ? overlapped - op.memory_cycles / 2 : Math.max(overlapped / 2, op.compute_cycles);
  const bandwidth = isMemory ? Math.max(0, overlapped - halved) : 0;
  const arithmetic = isMemory ? 0 : overlapped - Math.max(overlapped / 2, Math.min(overlapped, op.memory_cycles));
  return {
    binds: { bandwidth: isMemory ? rest : 0, arithmetic: isMemory ? 0 : rest, launches },
    saved: { bandwidth, arithmetic, launches: launches / 2 },
  };
}

export interface Diagnosis {
  engine: Engine; // the group that is busy for longest
  busyCycles: number; // of all its engines together
  boundCycles: number; // those and the waits for bandwidth; the rest waits for other ops, and scales with them
  allCycles: number; // its engines times the makespan
  binds: Record<Binding, number>; // cycles
  saved: Record<Binding, number>; // cycles, by twice the bandwidth, twice the rates, half the launches
  most: Binding;
}

/// Does the op run on these engines, or hold some of them beside its own?
function holds(op: Op, engine: Engine): boolean {
  return op.engine === engine.name || (op.with ?? []).includes(engine.name);
}

/// Diagnoses the engines that decide how long everything takes. Returns nothing if no op takes time.
export function diagnose(report: Report): Diagnosis | undefined {
  const busy = new Map<string, number>();
  for (const op of report.ops)
    for (const engine of [op.engine, ...(op.with ?? [])])
      busy.set(engine, (busy.get(engine) ?? 0) + scheduledCyclesOf(op));
  const load = (engine: Engine) => (busy.get(engine.name) ?? 0) / engine.count;
  const engine = report.engines.reduce((most, other) => (load(other) > load(most) ? other : most), report.engines[0]);
  const busyCycles = engine ? busy.get(engine.name) ?? 0 : 0;
  if (busyCycles === 0 || report.makespan_cycles === 0) return undefined;
  const binds = { bandwidth: 0, arithmetic: 0, launches: 0 }, saved = { ...binds };
  for (const op of report.ops) {
    if (!holds(op, engine)) continue;
    const share = shareOf(op);
    for (const key of Object.keys(binds) as Binding[]) {
      binds[key] += share.binds[key] * op.count;
      saved[key] += share.saved[key] * op.count;
    }
  }
  // An engine may be idle only because no bandwidth is left for it.
  const waits = (engine.idle_cycles?.bandwidth ?? 0) + (engine.idle_cycles?.fetch ?? 0);
  binds.bandwidth += waits;
  saved.bandwidth += waits / 2;
  const most = (Object.keys(saved) as Binding[]).reduce((best, key) => (saved[key] > saved[best] ? key : best));
  const allCycles = engine.count * report.makespan_cycles;
  return { engine, busyCycles, boundCycles: busyCycles + waits, allCycles, binds, saved, most };
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
  bandwidth: "Fewer bytes do as much: smaller types, fused ops, or more tokens for each read of the weights.",
  arithmetic: "Less work does as much: types with a higher rate, or units that are better filled.",
  launches: "Fewer and larger kernels do as much: fused ops.",
};

/// Says how much each binding takes, and what a change of it would save.
function sharesOf(report: Report, { engine, allCycles, boundCycles, binds, saved }: Diagnosis): string[] {
  const subject = subjectsOf(report, engine);
  // A kernel is slowed down by more than one rate: what else it waits for stays as it is.
  const change: Record<Binding, string> = {
    bandwidth: "twice the bandwidth up to",
    arithmetic: engine.units > 1 ? "twice the units up to" : "twice the arithmetic about",
    launches: "half the launch overhead about",
  };
  const keys = (Object.keys(binds) as Binding[]).sort((a, b) => saved[b] - saved[a]);
  const list = (amounts: Record<Binding, number>, all: number, name: Record<Binding, string>) =>
    keys.filter((key) => amounts[key] >= 0.005 * all)
      .map((key) => `${name[key]} ${formatPercent((100 * amounts[key]) / all)}`).join(", ");
  const gains = list(saved, boundCycles, change);
  return [`Of the time of ${engine.name}, these bind: ${list(binds, allCycles, subject)}.`,
          ...(gains === "" ? [] : [`Estimated savings: ${gains} of the makespan.`])];
}

function subjectsOf(report: Report, engine: Engine): Record<Binding, string> {
  return { bandwidth: `the bandwidth of ${mainMemory(report).name}`, arithmetic: `the arithmetic of ${engine.name}`,
           launches: "launch overhead" };
}

/// How the estimate is made a figure.
function tryOf(report: Report, most: Binding): string[] {
  const { name, bytes_per_second: rate } = mainMemory(report);
  if (most !== "bandwidth" || rate === undefined) return [];
  const twice = (2 * rate).toExponential().replace("e+", "e");
  return [`What twice the bandwidth brings: --llm-target with set=memories.${name}.bytes_per_second=${twice}.`];
}

/// The sentences, the most important one first; none where no op takes time.
export function adviceOf(report: Report): string[] {
  const diagnosis = diagnose(report);
  if (!diagnosis) return [];
  const { engine, boundCycles, saved, most } = diagnosis;
  const isScheduleFirst = schedulePercent(report) > (100 * saved[most]) / boundCycles;
  const first = isScheduleFirst ? "the schedule" : subjectsOf(report, engine)[most];
  const places = placesOf(report, diagnosis);
  return [`${first}.`, ...sharesOf(report, diagnosis), ...(places ? [places] : []), ...(isScheduleFirst ? [] : [means[most], ...tryOf(report, most)]),
          ...idleOf(diagnosis), ...roomOf(report)];
}
