// The points and the lines of the roofline (Williams et al., CACM 2009).

import { elide } from "./dom";
import { formatCount } from "./format";
import { kindOf } from "./kinds";
import { Engine, mainMemory, Memory, Op, Report, scheduledCyclesOf, usableBytesPerSecond } from "./report";

export interface Point {
  op: Op;
  intensity: number; // operations per byte of the main memory
  rate: number; // operations per second
  seconds: number;
  share: number; // of the engine time of all ops
}
export interface Ceiling {
  names: string[]; // what cannot be faster
  isSlope: boolean; // limits bytes, else operations
  isOfProducts?: boolean; // limits multiply-accumulates
  isOfSome: boolean; // limits some engines or kernels, not the machine
  perSecond: number; // bytes or operations
}

export function labelOf({ names, isSlope, isOfProducts, perSecond }: Ceiling, most = Infinity): string {
  return `${elide(names.join("; "), most)} ${formatCount(perSecond)}${isSlope ? "B/s" : isOfProducts ? "FLOP/s" : "op/s"}`;
}
export function rateUnder(ceiling: Ceiling, intensity: number): number {
  return ceiling.isSlope ? ceiling.perSecond * intensity : ceiling.perSecond;
}

/// A multiply-accumulate is two operations.
function operationsOf(op: Op): number {
  const { mac = 0, ...others } = op.work ?? {};
  return Object.values(others).reduce((sum, amount) => sum + amount, 2 * mac);
}

/// Returns the time of an op alone on the machine. It runs in parallel on as many engines as it has parts, and no
/// faster than its bytes move.
function secondsAlone(report: Report, op: Op): number {
  const engines = report.engines.find((engine) => engine.name === op.engine)?.count ?? 1;
  const parts = op.parts.reduce((sum, part) => sum + part.count, 0);
  const memory = mainMemory(report);
  const streamed = (op.bytes[memory.name] ?? 0) / usableBytesPerSecond(memory);
  return Math.max(op.cycles / Math.min(parts, engines) / report.clock_hz, streamed);
}

export function makePoints(report: Report): Point[] {
  const memory = mainMemory(report).name;
  const points: Point[] = [];
  const all = report.ops.reduce((sum, op) => sum + scheduledCyclesOf(op), 0) || 1;
  for (const op of report.ops) {
    const operations = operationsOf(op), bytes = op.bytes[memory] ?? 0, seconds = secondsAlone(report, op);
    if (operations > 0 && bytes > 0 && seconds > 0)
      points.push({ op, intensity: operations / bytes, rate: operations / seconds, seconds,
                    share: scheduledCyclesOf(op) / all });
  }
  return points.sort((a, b) => a.intensity - b.intensity);
}

/// Returns the ops that are no points, each with the reason.
export function leftOut(report: Report): [Op, string][] {
  const memory = mainMemory(report).name;
  const isPoint = new Set(makePoints(report).map((point) => point.op));
  return report.ops.filter((op) => !isPoint.has(op)).map((op) =>
    [op, operationsOf(op) === 0 ? "no operations" : (op.bytes[memory] ?? 0) === 0 ? `no bytes of ${memory}` : "no time"]);
}

export function makeCeilings(report: Report): Ceiling[] {
  const used = report.engines.filter((engine) => report.ops.some((op) => op.engine === engine.name || op.with?.includes(engine.name)));
  return merged([
    ...report.memories.filter((memory) => usableBytesPerSecond(memory) > 0).flatMap((memory) =>
      [slope(memory.name, usableBytesPerSecond(memory)), ...used.flatMap((engine) => portsOf(engine, memory))]),
    ...used.flatMap((engine) => engine.unit_bytes_per_second
      ? [slope(`units of ${engine.name}`, engine.unit_bytes_per_second * engine.count, true)] : []),
    ...kernelCeilings(report, used),
    ...productCeilings(report),
    ...elementwiseCeilings(report),
  ]);
}

const leastShare = 0.01, nearlyThere = 0.8;

/// Returns the ceilings that limit the program: those of the main memory and the products, and others that an op of
/// some time comes near.
export function thoseThatCount(report: Report, ceilings: Ceiling[], points: Point[]): Ceiling[] {
  const { name } = mainMemory(report);
  const isReached = (ceiling: Ceiling) => points.some((point) =>
    point.share >= leastShare && point.rate >= nearlyThere * rateUnder(ceiling, point.intensity) &&
    point.rate <= 1.01 * rateUnder(ceiling, point.intensity));
  return ceilings.filter((ceiling) => ceiling.names.includes(name) ||
    ceiling.names.some((each) => / products\b/.test(each)) || isReached(ceiling));
}

/// Ceilings that would be one line are one ceiling with several names.
function merged(ceilings: Ceiling[]): Ceiling[] {
  const known = new Map<string, Ceiling>();
  for (const ceiling of ceilings) {
    const key = `${ceiling.isSlope} ${ceiling.perSecond}`, same = known.get(key);
    if (!same) known.set(key, ceiling);
    else known.set(key, { ...same, names: [...same.names, ...ceiling.names], isOfSome: same.isOfSome && ceiling.isOfSome });
  }
  return [...known.values()];
}

function slope(name: string, bytesPerSecond: number, isOfSome = false): Ceiling {
  return { names: [name], isSlope: true, isOfSome, perSecond: bytesPerSecond };
}
function flat(name: string, operationsPerSecond: number): Ceiling[] {
  return operationsPerSecond > 0 ? [{ names: [name], isSlope: false, isOfSome: false, perSecond: operationsPerSecond }] : [];
}

/// A port is a ceiling if one engine, or all of them, cannot take the whole rate of a memory.
function portsOf(engine: Engine, memory: Memory): Ceiling[] {
  const port = engine.port_bytes_per_second?.[memory.name] ?? 0, all = usableBytesPerSecond(memory);
  if (port === 0 || port >= all) return [];
  const ceilings = [slope(`${memory.name} to one ${engine.name}`, port, true)];
  if (engine.count > 1 && port * engine.count < all)
    ceilings.push(slope(`${memory.name} to ${engine.count} ${engine.name}`, port * engine.count, true));
  return ceilings;
}

/// Returns the most that kernels move, if the target says so. Kernels with the same figure have one line.
function kernelCeilings(report: Report, engines: Engine[]): Ceiling[] {
  return engines.flatMap((engine) => {
    const kinds = new Map<number, Set<string>>();
    for (const { op } of makePoints(report)) {
      const rate = op.kernel_bytes_per_second;
      if (op.engine !== engine.name || !rate) continue;
      kinds.set(rate, (kinds.get(rate) ?? new Set()).add(kindOf(op)));
    }
    return [...kinds].map(([rate, names]) => slope(`kernels of ${shortList([...names])}`, rate * engine.count, true));
  });
}
function shortList(names: string[]): string {
  return names.length <= 2 ? names.join(", ") : `${names.slice(0, 2).join(", ")} …`;
}

/// Returns operations per second of all engines.
function peakOf(report: Report, rateOf: (engine: Engine) => number): number {
  return report.engines.reduce((sum, engine) =>
    sum + rateOf(engine) * engine.count * (engine.sustained_clock_hz ?? report.clock_hz), 0);
}

/// Has a ceiling for each type whose rate is used: the type of a product, or the next wider one that has a rate.
function productCeilings(report: Report): Ceiling[] {
  const typesOf = new Map<string, Set<string>>();
  for (const { mac_type: type, mac_rate_type: rated = type } of report.ops)
    if (type !== undefined && rated !== undefined) typesOf.set(rated, (typesOf.get(rated) ?? new Set()).add(type));
  return [...typesOf].flatMap(([rated, types]) => {
    const others = [...types].filter((type) => type !== rated);
    return flat(`${rated} products${others.length > 0 ? ` (used for ${others.join(", ")})` : ""}`,
                peakOf(report, (engine) => 2 * (engine.operations_per_cycle.mac?.[rated] ?? 0)))
      .map((ceiling) => ({ ...ceiling, isOfProducts: true }));
  });
}

const elementwiseKinds = ["alu", "special", "compare"] as const;
function usedKinds(report: Report): (typeof elementwiseKinds)[number][] {
  return elementwiseKinds.filter((kind) => report.ops.some((op) => op.work?.[kind]));
}
function elementwiseCeilings(report: Report): Ceiling[] {
  return usedKinds(report).flatMap((kind) =>
    flat(kind, peakOf(report, (engine) => engine.operations_per_cycle[kind] ?? 0)));
}

/// Names what has no line, because the target has no figure.
export function missingCeilings(report: Report): string[] {
  const texts: string[] = [];
  const kinds = usedKinds(report).filter((kind) => report.engines.every((engine) => !engine.operations_per_cycle[kind]));
  if (kinds.length > 0)
    texts.push(`${report.target} gives no rate of ${kinds.join(", ")}: such work takes no time and has no ceiling.`);
  const owned = report.engines.filter((engine) => engine.private_memory);
  const privates = new Set(owned.map((engine) => engine.private_memory!));
  if (privates.size > 0)
    texts.push(`No ceiling is drawn for ${[...privates].join(", ")}, private to ` +
               `${owned.map((engine) => engine.name).join(" and ")}: targets give no rate of private memories.`);
  return texts;
}
