// The facts of a whole function for the summary: what was computed, on what, how fast, and whether it fits.

import { decidingBounds } from "./advice";
import { formatBytes, formatCount, formatMicroseconds, formatParameters, formatPlace, formatPercent, formatRate, formatWhole } from "./format";
import { layersOf, sequencesOf } from "./program";
import { Engine, faultsOf, Memory, Report, sharedMemories, toMicroseconds } from "./report";

export type Fact = [name: string, value: string];

const plural = (count: number, what: string) => `${formatWhole(count)} ${what}${count === 1 ? "" : "s"}`;

/// Returns the peak rates for the types that the program multiplies.
function ratesOf(report: Report, engine: Engine): string[] {
  const used = new Set(report.ops.filter((op) => op.engine === engine.name).map((op) => op.mac_type));
  const perSecond = (perCycle: number) => formatCount(perCycle * engine.count * report.clock_hz);
  const rates = Object.entries(engine.operations_per_cycle?.mac ?? {}).filter(([type]) => used.has(type))
    .map(([type, macs]) => `${perSecond(2 * macs)}FLOP/s in products of ${type}`);
  const { alu } = engine.operations_per_cycle ?? {};
  return alu ? [...rates, `${perSecond(alu)}op/s elementwise`] : rates;
}

function describeEngine(report: Report, engine: Engine): string {
  const units = engine.units > 1 ? ` of ${engine.units} units` : "";
  const rates = ratesOf(report, engine);
  return `${engine.count} × ${engine.name}${units}${rates.length ? ` (all at their peak: ${rates.join(", ")})` : ""}`;
}

function describeMemory(memory: Memory): string {
  const { name, capacity_bytes, bytes_per_second, sustained_bytes_per_second, bytes_per_engine } = memory;
  const words: string[] = [];
  if (capacity_bytes !== undefined) words.push(formatBytes(capacity_bytes));
  if (bytes_per_second !== undefined) words.push(`${formatBytes(bytes_per_second)}/s peak`);
  if (sustained_bytes_per_second !== undefined)
    words.push(`${formatBytes(sustained_bytes_per_second)}/s sustained, with which times are computed`);
  if (bytes_per_engine !== undefined) words.push(`${formatBytes(bytes_per_engine)} of each engine's tiles`);
  return `${name} ${words.join(", ") || "of no stated size"}`;
}

function targetFacts(report: Report): Fact[] {
  const facts: Fact[] = [["target", `${report.target}: ${report.target_description}`]];
  const tick = report.clock_is_given ? "" : " (a stated tick: the target gives none)";
  if (report.target_certainty) facts.push(["trust", report.target_certainty]);
  facts.push(["engines", report.engines.map((engine) => describeEngine(report, engine)).join("; ")],
             ["memories", report.memories.map(describeMemory).join("; ")],
             ["clock", `${formatCount(report.clock_hz)}Hz${tick}`]);
  return facts;
}

/// Says what the program would hold and how many devices do. If only some layers are in it, all layers of the model
/// are assumed to be like these.
function capacityOf(report: Report): string {
  const { capacity, program } = report;
  if (!capacity) return "";
  const { memory, capacity_bytes: room, needed_bytes_if_all_layers: ofAll } = capacity;
  const need = ofAll ?? capacity.needed_bytes;
  const scope = ofAll === undefined ? "" : ` of all ${program!.model_layers} layers, without embedding and head,`;
  const what = `weights, KV caches and values${scope} need ${formatBytes(need)}`;
  if (room === undefined) return `${what}; the target gives no size of ${memory}`;
  if (need <= room) return `fits: ${what}, ${memory} has ${formatBytes(room)}`;
  return `does not fit: ${what}, ${memory} of the target has ${formatBytes(room)}: at least ` +
         `${formatWhole(Math.ceil(need / room))} of them`;
}

/// Says what amounts stand for: the function, whatever tokens per second stand for.
function scopeOf(report: Report): string {
  const { program } = report;
  if (!program) return "of this function";
  return program.whole_model ? "of the whole model" : `of ${plural(program.layers, "layer")} only`;
}

function workFacts(report: Report): Fact[] {
  const { totals } = report, scope = scopeOf(report);
  const facts: Fact[] = [["operations", `${formatCount(2 * totals.macs)}FLOP in products, ${scope}`]];
  for (const memory of sharedMemories(report))
    facts.push([`${memory.name} moved`, `${formatBytes(
      report.ops.reduce((sum, op) => sum + (op.bytes[memory.name] ?? 0) * op.count, 0))}, ${scope}`]);
  facts.push(["weights", `${formatBytes(totals.weight_bytes)}, ${formatParameters(totals.parameters)} parameters, ` +
                         `${formatParameters(totals.active_parameters)} active, ${scope}`],
             ["KV cache", `${formatBytes(totals.kv_read_bytes)} read, ${formatBytes(totals.kv_write_bytes)} written, ${scope}`],
             ["memory footprint", `${formatBytes(totals.weight_bytes + totals.kv_read_bytes)} of weights and KV rows ` +
                                  `that are read, ${scope}`]);
  if (report.capacity) facts.push(["capacity", capacityOf(report)]);
  return facts;
}

/// Returns new tokens per second; undefined if the schedule does not hold.
export function tokenRateOf(report: Report): number | undefined {
  return faultsOf(report).length > 0 ? undefined : report.tokens_per_second ?? report.tokens_per_second_if_all_layers;
}
export function tokensOf(report: Report): string {
  const { program } = report, rate = tokenRateOf(report);
  if (rate === undefined) return "";
  const counted: Record<string, string> = { verify: ", were all drafts accepted", mixed: ", those of the chunk too" };
  return `${formatRate(rate)}${counted[program?.phase ?? ""] ?? ""}` + (program?.whole_model ? ""
    : `, if all ${program ? `${program.model_layers} ` : ""}layers took this long, without embedding, head and sampling`);
}

/// Names the largest bound, as the table does, and others that are almost as large.
export function boundOf(report: Report): string {
  const by = report.lower_bound_by, others = decidingBounds(report).filter((name) => name !== by);
  return `${formatMicroseconds(toMicroseconds(report, report.lower_bound_cycles))}` +
    (by === undefined ? "" : `, by ${by}${others.length > 0 ? ` (within 1 %: ${others.join(", ")})` : ""}`) +
    (report.options === undefined ? "" : ", with any options");
}

function gapOf(percent: number | undefined): string {
  if (percent === undefined) return "";
  return percent === 0 ? "; reached: optimal for these tiles" : `; the makespan is ${formatPlace(percent, "it")}`;
}

/// Shows a broken schedule with its makespan and bounds as written, and with nothing that follows from them.
function timeFacts(report: Report): Fact[] {
  const isBroken = faultsOf(report).length > 0;
  const time = (cycles: number) => `${formatMicroseconds(toMicroseconds(report, cycles))} (${formatWhole(cycles)} cycles)`;
  const gap = (percent: number | undefined) => isBroken ? "" : gapOf(percent);
  const facts: Fact[] = [["policy", report.policy],
    ["makespan", `${time(report.makespan_cycles)}${isBroken ? ", as written: the schedule does not hold" : ""}`],
    ["lower bound", `${boundOf(report)} (${formatWhole(report.lower_bound_cycles)} cycles)${gap(report.gap_percent)}`]];
  if (report.proven_cycles !== undefined)
    facts.push(["proven", `${time(report.proven_cycles)}, ${report.proven_meaning}${gap(report.proven_gap_percent)}`]);
  facts.push(["roofline", time(report.roofline_cycles)]);
  if (isBroken) return facts;
  if (tokensOf(report) !== "") facts.push(["tokens per second", tokensOf(report)]);
  for (const engine of report.engines)
    if (engine.busy_cycles !== undefined && report.makespan_cycles > 0)
      facts.push([`${engine.name} idle`, idleOf(report, engine.busy_cycles, engine.count, engine.idle_cycles ?? {})]);
  return facts;
}

function idleOf(report: Report, busy: number, count: number, causes: Record<string, number>): string {
  const all = count * report.makespan_cycles;
  const parts = Object.entries(causes).map(([cause, cycles]) => `${cause} ${formatPercent((100 * cycles) / all)}`);
  return `${formatPercent(100 * (1 - busy / all))}${parts.length ? ` (${parts.join(", ")})` : ""}`;
}

export function factsOf(report: Report): Fact[] {
  const { program } = report;
  const facts: Fact[] = program
    ? [["model", `${program.model}, ${layersOf(program)}, ${program.whole_model ? "with" : "without"} embedding, head and sampling`],
       ["phase", `${program.phase}: ${sequencesOf(program)}`]]
    : [];
  return [...facts, ...timeFacts(report), ...(report.totals ? workFacts(report) : []), ...targetFacts(report)];
}
