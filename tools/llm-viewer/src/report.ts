// Describes the JSON report of llm-opt (docs/report.md), as far as the page shows it.

export type Amounts = Record<string, number>;

export interface Span {
  engine: string; // e.g. "core[0]"
  start_cycle: number;
  end_cycle: number;
  lanes: Amounts;
  follows_by?: string; // why it is on the critical path, if it is
}
export interface Prefetch extends Span {
  buffer: string;
}
export interface Slot extends Span {
  part: number;
  with?: string[]; // engines that it holds beside its own
  prefetches?: Prefetch[];
}

export interface Source {
  slice_bytes: number;
  staging_bytes: number;
}
export interface PartCost {
  count: number;
  work: Amounts;
  traffic_bytes: Record<string, Amounts>; // by memory and buffer
  cycles_by_memory?: Amounts; // if several memories have a rate
  working_set_bytes: number;
  bound: string;
  sources: Record<string, Source>;
}

export interface Op {
  name: string; // with {} for the index of the enclosing loop
  op: string; // e.g. "llm.matmul"
  kind?: string; // e.g. "matmul", "rmsnorm+matmul+swiglu"; older reports have none
  exposed_us?: number; // of an exchange between chips: of all runs, with no op beside it
  time_from?: string; // "formula", "corrected" or "measured"; older reports and measured runs have none
  time_per_formula?: number; // of the latter two
  time_p10_us?: number; // the range of one run, if the target has one
  time_p90_us?: number;
  fused?: { name: string; op: string }[]; // the ops that run in an "llm.fused"
  module: string;
  layer: string;
  count: number;
  tflop_per_second?: number;
  gb_per_second?: number;
  percent_of_limit?: number;
  loops?: number[];
  macs: number;
  bytes: Amounts; // by memory, of one run
  inputs: string[];
  outputs: string[];
  mac_type?: string;
  mac_rate_type?: string; // the type whose rate is used
  kernel_bytes_per_second?: number;
  compulsory_bytes?: number;
  work?: Amounts;
  tile: Amounts;
  tile_strategy?: string;
  engine: string;
  with?: string[]; // groups of which its parts hold an engine, too
  parts: PartCost[];
  compute_cycles: number;
  memory_cycles: number;
  overhead_cycles: number;
  serial_cycles: number;
  cycles: number;
  scheduled_cycles: number;
  energy_picojoules?: number;
  bound: string;
  slots: Slot[];
  depends_on: string[];
  depends_on_previous_iteration?: string[];
  depends_on_in_first_iteration?: string[];
  slack_cycles?: number;
  is_critical?: boolean;
  held_back_by?: string;
}

export interface Engine {
  name: string;
  kinds: string[];
  count: number;
  units: number;
  operations_per_cycle: { mac?: Amounts; alu?: number; special?: number; compare?: number };
  private_memory?: string;
  sustained_clock_hz?: number;
  unit_bytes_per_second?: number;
  port_bytes_per_second?: Amounts;
  busy_cycles?: number;
  idle_cycles?: Amounts;
}
export interface Memory {
  name: string;
  capacity_bytes?: number;
  bytes_per_second?: number;
  sustained_bytes_per_second?: number;
  bytes_per_engine?: number; // where each engine keeps tiles that come back
  lanes?: number; // only of memories that engines share
}
export interface Loop {
  start_cycle: number;
  period_cycles: number;
  trips: number;
  first_index: number;
  index_step: number;
  foldedTrips?: number; // the trips before the page folded layers: one is left
}
export interface ModelProgram {
  model: string;
  phase: string;
  sequences: { batch: number; seq: number; kv_len: number[] }[];
  layers: number;
  model_layers: number;
  whole_model: boolean;
}

/// The times of a pipeline and of one of its stages.
export interface Pipeline {
  stage: number; // from 0
  stages: number;
  microbatches: number;
  period_us: number; // from one round of microbatches to the next
  stage_busy_percent: number; // of the period
  transfer_us: number; // of the results to the next stage; 0 behind the last one
}

export interface Report {
  isFolded?: boolean; // the page has folded it: one iteration of each loop
  function: string;
  target: string;
  target_description: string;
  target_certainty?: string;
  clock_hz: number;
  clock_is_given: boolean;
  power_limit_watts?: number;
  idle_watts?: number;
  program?: ModelProgram;
  policy: string;
  makespan_cycles: number;
  makespan_us: number;
  makespan_p10_us?: number; // the range of that, by the errors of the ops
  makespan_p90_us?: number;
  lower_bound_cycles: number;
  lower_bound_by?: string;
  /** What llm-schedule was forbidden, and what is proven of schedules under that. */
  options?: string;
  proven_cycles?: number;
  proven_meaning?: string;
  proven_gap_percent?: number;
  gap_percent?: number;
  bounds: Amounts;
  roofline_cycles: number;
  bound?: string; // of the whole function
  bound_percent?: Amounts; // of the time of the engines that have work for longest
  bound_engine?: string; // their name
  savings_percent?: Amounts; // what twice the bandwidth, the arithmetic, the power above idle and the rates of links, and half the launches would save
  exchange_percent?: number; // of the makespan, in which chips exchange something
  pipeline?: Pipeline; // that the function is a stage of
  remarks?: string[]; // what a reader must know before the first figures
  mfu_percent?: number;
  mbu_percent?: number;
  tokens_per_second?: number;
  tokens_per_second_if_all_layers?: number; // the name that older reports use
  engines: Engine[];
  memories: Memory[];
  links?: Memory[]; // of a program over many chips: what its collectives share
  chips?: number; // of its grid
  totals: Amounts;
  loops: Loop[];
  ops: Op[];
  problems?: string[]; // rules that the schedule breaks, why it is stale, or that the program does not fit
  capacity?: Capacity;
  memory_over_time?: MemorySteps[];
}

/// What lies in the memory beside weights and caches from a cycle on. Cycles in loops are those of the first
/// iteration.
export interface MemorySteps {
  loops: number[];
  cycle: number[];
  value_bytes: number[];
  workspace_bytes: number[];
}

/// What the program holds in the memory where its values live.
export interface Capacity {
  memory: string;
  needed_bytes: number;
  weight_bytes: number;
  cache_bytes: number;
  /** Of recurrent layers; older reports have none. */
  state_bytes?: number;
  value_bytes: number;
  workspace_bytes: number;
  needed_bytes_if_all_layers?: number;
  capacity_bytes?: number; // there if it was checked
  fits?: boolean;
  largest_batch?: number;
  problem?: string; // one of the report's problems if it does not fit
}

/// Says which function of the baseline a report is compared with. `ops` has the positions of ops that do the same
/// work, and `modules` names of modules, with the elapsed microseconds of both sides. The baseline may have no time of
/// a module alone.
export interface Matches {
  baseline: number;
  ops: [here: number[], there: number[], microseconds: number, baselineMicroseconds: number][];
  modules: [name: string, microseconds: number, baselineMicroseconds?: number][];
}

/// The names of the two reports of a comparison.
export interface Sides {
  other: string; // in a sentence: "in the .."
  own: string; // a title of columns
  others: string;
  ownElapsed: string;
  ownLabel: string; // before the name of a timeline
  key: string; // in names of columns of CSV
}
const runs: Sides = {
  other: "baseline", own: "This", others: "Baseline", ownElapsed: "Elapsed", ownLabel: "", key: "baseline",
};
const measuredAndPredicted: Sides = {
  other: "prediction", own: "Measured", others: "Predicted", ownElapsed: "Measured", ownLabel: "Measured: ", key: "predicted",
};

export interface PageData {
  sides: Sides;
  reports: Report[];
  baselines: Report[];
  matches: (Matches | null)[]; // by report; null if it is compared with nothing
  notes: string[]; // what a reader must know before the figures
}

function readFunctions(root: unknown, what: string): Report[] {
  const all = (root as { functions?: unknown }).functions ?? [root];
  if (!Array.isArray(all) || all.some((report) => !Array.isArray(report?.ops)))
    throw new Error(`The ${what} is no JSON report of llm-opt: a function has no list "ops".`);
  return all as Report[];
}

/// Reads what the page was written with: {"report": ..., "baseline": ..., "measured": ..., "matches": [...], "notes":
/// [...]}.
export function readPageData(text: string): PageData {
  let root: { report?: unknown; baseline?: unknown; measured?: boolean; matches?: (Matches | null)[]; notes?: string[] };
  try {
    root = JSON.parse(text);
  } catch (error) {
    throw new Error(`The page holds no report (${(error as Error).message}). Write it with --llm-export-html.`);
  }
  return {
    reports: readFunctions(root.report ?? {}, "report"),
    sides: root.measured ? measuredAndPredicted : runs,
    baselines: root.baseline ? readFunctions(root.baseline, "baseline") : [],
    matches: root.matches ?? [],
    notes: root.notes ?? [],
  };
}

/// Returns the problems that make the times of a schedule worthless. A program that does not fit into memory is none.
export function faultsOf(report: Report): string[] {
  return (report.problems ?? []).filter((problem) => problem !== report.capacity?.problem);
}

/// Returns the memories that engines share, from near to far.
export function sharedMemories(report: Report): Memory[] {
  return report.memories.filter((memory) => memory.lanes !== undefined);
}
/// Returns these memories, and behind them the links that collectives share.
export function sharedResources(report: Report): Memory[] {
  return [...sharedMemories(report), ...(report.links ?? [])];
}
/// Returns the memory that all values go through: the last shared one, as in the table of llm-opt.
export function mainMemory(report: Report): Memory {
  const shared = sharedMemories(report);
  return shared[shared.length - 1];
}
export function usableBytesPerSecond(memory: Memory): number {
  return memory.sustained_bytes_per_second ?? memory.bytes_per_second ?? 0;
}
export function toMicroseconds(report: Report, cycles: number): number {
  return (cycles * 1e6) / report.clock_hz;
}
const onPath = new WeakMap<Op, boolean>();
/// Is one of the op's slots or fetches on the critical path?
export function isOnPath(op: Op): boolean {
  if (!onPath.has(op))
    onPath.set(op, op.slots.some((slot) => slot.follows_by !== undefined ||
                                           slot.prefetches?.some((fetch) => fetch.follows_by !== undefined)));
  return onPath.get(op)!;
}
export function scheduledCyclesOf(op: Op): number {
  return op.scheduled_cycles * op.count;
}
