// Formats numbers with units for people.

function scaled(value: number, units: [number, string][], digits: number): string {
  let chosen = units[0];
  for (const unit of units) if (Math.abs(value) >= unit[0]) chosen = unit;
  const number = value / chosen[0];
  // Numbers below 10 have up to `digits` decimals, larger ones have fewer.
  const size = Math.abs(number), most = size >= 100 ? 1 : size >= 10 ? 2 : digits;
  const places = Number.isInteger(number) ? 0 : Math.min(digits, most);
  return `${number.toLocaleString("en-US", { maximumFractionDigits: places })} ${chosen[1]}`.trim();
}

export function formatMicroseconds(microseconds: number): string {
  return scaled(microseconds, [[1e-3, "ns"], [1, "µs"], [1e3, "ms"], [1e6, "s"]], 3);
}
/// Writes "7.12 to 8.25 ms".
export function formatRange(least: number, most: number): string {
  const [from, to] = [least, most].map((value) => formatMicroseconds(Number(value.toPrecision(3))));
  const unit = to.slice(to.indexOf(" "));
  return `${from.endsWith(unit) ? from.slice(0, -unit.length) : from} to ${to}`;
}
export function formatBytes(bytes: number): string {
  return scaled(bytes, [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]], 2);
}
export function formatCount(count: number): string {
  return scaled(count, [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"], [1e15, "P"]], 2);
}
/// Writes a number as the names of models have it: "8.2 B".
export function formatParameters(count: number): string {
  return scaled(count, [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "B"], [1e12, "T"]], 1);
}
export function formatWhole(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}
export function formatPercent(value: number): string {
  return `${value.toFixed(1)} %`;
}
/// Writes how far something is above a bound. "0.0 %" means that the bound is reached.
export function formatGap(percent: number): string {
  return percent > 0 && percent < 0.05 ? "< 0.1 %" : formatPercent(percent);
}
/// Writes where a makespan is. Below a bound are runs that were measured, on machines that are faster than their figures.
export function formatPlace(percent: number, bound: string): string {
  return percent < 0 ? `${formatPercent(-percent)} below ${bound}: faster than the figures of the machine`
    : `${formatGap(percent)} above ${bound}`;
}
/// Writes a difference with its sign.
export function formatDifferencePercent(value: number): string {
  return `${value > 0 ? "+" : ""}${value.toFixed(1)} %`;
}
/// Writes "1 op" or "2 ops".
export function formatOps(count: number): string {
  return `${formatWhole(count)} op${count === 1 ? "" : "s"}`;
}

/// A unit for all values of a column. `size` is what 1 of it stands for.
export interface Unit {
  name: string;
  size: number;
}
const steps: Record<string, [number, string][]> = {
  time: [[1e-3, "ns"], [1, "µs"], [1e3, "ms"], [1e6, "s"]], // microseconds
  bytes: [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]],
  count: [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"], [1e15, "P"]],
};
/// Chooses the unit in which the largest value has up to three digits before the point.
export function unitFor(kind: "time" | "bytes" | "count", largest: number): Unit {
  const [size, name] = [...steps[kind]].reverse().find(([least]) => largest >= least) ?? steps[kind][0];
  return { name, size };
}
/// Writes a value in its column's unit. All values have the same number of decimals: the largest has four digits, and
/// at least one decimal.
export function formatIn(unit: Unit, largest: number, value: number): string {
  const before = Math.floor(Math.log10(Math.max(largest / unit.size, 1))) + 1;
  const digits = Math.max(4 - before, 1), least = Math.pow(10, -digits), shown = value / unit.size;
  if (shown > 0 && shown < least / 2) return `< ${least}`;
  return shown.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
/// Writes "1,427" or "35.2".
export function formatRate(perSecond: number): string {
  return perSecond.toLocaleString("en-US", { maximumFractionDigits: perSecond < 100 ? 1 : 0 });
}
