// Computes how much of the machine's peak is used: of its products (MFU), and of its bandwidth (MBU).

import { elapsedCyclesOf } from "./elapsed";
import { mainMemory, Op, Report } from "./report";

/// Returns the operations per second of products of a type on all engines; a multiply-accumulate is two. The clock is
/// the target's, to which the peaks of a datasheet belong.
export function peakOfProducts(report: Report, type: string): number {
  return report.engines.reduce((sum, engine) =>
    sum + 2 * (engine.operations_per_cycle.mac?.[type] ?? 0) * engine.count * report.clock_hz, 0);
}

/// Returns the type whose rate an op's products have.
export function ratedTypeOf(op: Op): string | undefined {
  return op.mac_rate_type ?? op.mac_type;
}

/// Returns the bytes per second that the main memory has on paper.
export function peakOfMemory(report: Report): number {
  const { bytes_per_second, sustained_bytes_per_second } = mainMemory(report);
  return bytes_per_second ?? sustained_bytes_per_second ?? 0;
}

/// Amounts that can be added up.
export interface Amount {
  runs: number;
  engineCycles: number; // of all engines together
  elapsedCycles: number; // cycles in which the ops are under way
  flop: number; // operations in products
  peakSeconds: number; // the time of these products at the peak of their types
  bytes: number; // of the main memory
  bytesOnce: number; // each byte that is touched counts once
}
export const nothing = (): Amount =>
  ({ runs: 0, engineCycles: 0, elapsedCycles: 0, flop: 0, peakSeconds: 0, bytes: 0, bytesOnce: 0 });

export function addAmount(sum: Amount, other: Amount): void {
  for (const key of Object.keys(sum) as (keyof Amount)[]) sum[key] += other[key];
}

/// Returns the seconds that `macs` products take at the peak.
export function peakSecondsOf(report: Report, op: Op, macs: number): number {
  const type = ratedTypeOf(op), peak = type === undefined ? 0 : peakOfProducts(report, type);
  return peak > 0 ? (2 * macs) / peak : 0;
}

/// Returns the amounts of all runs of an op.
export function amountOf(report: Report, op: Op): Amount {
  const macs = op.macs * op.count;
  return {
    runs: op.count, engineCycles: op.scheduled_cycles * op.count, elapsedCycles: elapsedCyclesOf([op]),
    flop: 2 * macs, peakSeconds: peakSecondsOf(report, op, macs),
    bytes: (op.bytes[mainMemory(report).name] ?? 0) * op.count, bytesOnce: (op.compulsory_bytes ?? 0) * op.count,
  };
}

/// Shares in percent of what the machine could have done in the same time; undefined if the machine has no such peak.
export interface Shares {
  products?: number; // MFU, of the whole
  bandwidth?: number; // of all bytes that move
  bandwidthOnce?: number; // MBU, of the whole: what moves again does not count
}
export function sharesOf(report: Report, amount: Amount, cycles: number): Shares {
  const seconds = cycles / report.clock_hz, peak = peakOfMemory(report);
  if (seconds <= 0) return {};
  return {
    products: amount.peakSeconds > 0 ? (100 * amount.peakSeconds) / seconds : undefined,
    bandwidth: peak > 0 ? (100 * amount.bytes) / (peak * seconds) : undefined,
    bandwidthOnce: peak > 0 ? (100 * amount.bytesOnce) / (peak * seconds) : undefined,
  };
}
