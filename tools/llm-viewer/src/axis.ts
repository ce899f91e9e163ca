// Labels times on an axis: in round steps, and in the largest unit that keeps them above a tenth.

export interface Axis {
  ticks: number[]; // cycles
  label: (cycle: number) => string;
}

const number = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
const units: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function roundStep(least: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
  return 10 * power;
}

/// Ticks are at least `apart` pixels from each other.
function axisWith(apart: number, from: number, to: number, pixels: number, clockHz: number): Axis {
  const nanoseconds = 1e9 / clockHz;
  const step = roundStep(Math.max(((to - from) * nanoseconds * apart) / pixels, 1e-3));
  const unit = units.find(([size]) => step >= size / 10) ?? units[units.length - 1];
  const ticks: number[] = [];
  const last = Math.floor((to * nanoseconds) / step);
  for (let at = Math.ceil((from * nanoseconds) / step); at <= last; ++at) ticks.push((at * step) / nanoseconds);
  const label = (cycle: number) =>
    `${number.format((cycle * nanoseconds) / unit[0])} ${unit[1]}`;
  return { ticks, label };
}

/// `widthOf` returns the width of a text in pixels. No label reaches into the next.
export function makeAxis(from: number, to: number, pixels: number, clockHz: number,
                         widthOf: (text: string) => number): Axis {
  let axis = axisWith(Math.min(90, pixels / 4), from, to, pixels, clockHz); // a phone has several, too
  for (let tries = 0; tries < 4; ++tries) { // other ticks may be in another unit
    const apart = axis.ticks.length < 2 ? Infinity : ((axis.ticks[1] - axis.ticks[0]) * pixels) / (to - from);
    const widest = Math.max(0, ...axis.ticks.map((tick) => widthOf(axis.label(tick)))) + 12;
    if (apart >= widest) break;
    axis = axisWith(widest, from, to, pixels, clockHz);
  }
  return axis;
}
