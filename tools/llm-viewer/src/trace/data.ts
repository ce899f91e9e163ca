// The trace of another tool, as llm-prof import writes it into the page: events of lanes, and the table of ranges.

export interface Lane {
  is_device: boolean;
  process: number;
  thread: number; // or the stream of a device
  process_name: string;
  thread_name: string;
  later_ns: number[]; // the start of each minus the start before
  duration_ns: number[];
  name: number[]; // positions in `names`
  kind: number[]; // positions in `kinds`
}
export interface RangeRow {
  range: string; // e.g. ":fwd.layer"
  path: string[]; // empty for work outside all ranges
  calls: number;
  kernels: number;
  copies: number;
  fills: number;
  ops: number;
  time_ns: number;
  self_ns: number;
  mean_ns: number | null; // of a call
  share: number; // of the whole time
}
export interface RangeTable {
  format: string;
  devices: string[];
  events: number;
  span_ns: number;
  notes: string[];
  total: { kernels: number; copies: number; fills: number; ops: number; time_ns: number };
  rows: RangeRow[]; // each stands ahead of those in it
}
export interface TraceData {
  names: string[];
  kinds: string[];
  lanes: Lane[];
  table: RangeTable;
}

/// Returns undefined if the page holds something else.
export function readTraceData(text: string): TraceData | undefined {
  return text.startsWith('{"trace":') ? (JSON.parse(text) as { trace: TraceData }).trace : undefined;
}

export function processOf(lane: Lane): string {
  const number = `${lane.is_device ? "device" : "process"} ${lane.process}`;
  return lane.process_name === "" ? number : `${lane.process_name} (${number})`;
}
export function threadOf(lane: Lane): string {
  return lane.thread_name === "" ? `${lane.is_device ? "stream" : "thread"} ${lane.thread}` : lane.thread_name;
}
