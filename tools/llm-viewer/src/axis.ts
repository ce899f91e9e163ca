// Times on an axis: round steps, in the largest unit that keeps them above 1.

export interface Axis {
  ticks: number[]; // cycles
  label: (cycle: number) => string;
}

const units: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function roundStep(least: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
  return 10 * power;
}

export function makeAxis(from: number, to: number, pixels: number, clockHz: number): Axis {
  const nanoseconds = 1e9 / clockHz;
  const step = roundStep(Math.max(((to - from) * nanoseconds * 90) / pixels, 1e-3));
  const unit = units.find(([size]) => step >= size) ?? units[units.length - 1];
  const ticks: number[] = [];
  for (let at = Math.ceil((from * nanoseconds) / step) * step; at <= to * nanoseconds; at += step)
    ticks.push(at / nanoseconds);
  const label = (cycle: number) =>
    `${((cycle * nanoseconds) / unit[0]).toLocaleString("en-US", { maximumFractionDigits: 3 })} ${unit[1]}`;
  return { ticks, label };
}
