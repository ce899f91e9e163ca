// One colour for each kind of op, the same in all views; of more than the palette has, lighter ones.

import { Report } from "./report";

// Light enough for black text, apart for most kinds of colour blindness (after Okabe and Ito).
const palette = ["#56b4e9", "#e69f00", "#3fbf8f", "#f0e442", "#d98cc0", "#ff8a5c", "#9fa8f5", "#8fd14f",
                 "#c9b18c", "#7fd6d6", "#f5a3a3", "#bfbfbf"];

export type Colours = Map<string, string>;

function colourOf(index: number): string {
  const colour = palette[index % palette.length], round = Math.floor(index / palette.length);
  const lighter = (at: number) => {
    const value = parseInt(colour.slice(at, at + 2), 16);
    return Math.round(255 - (255 - value) * Math.pow(0.45, round)).toString(16).padStart(2, "0");
  };
  return `#${lighter(1)}${lighter(3)}${lighter(5)}`;
}

export function coloursOf(kinds: string[]): Colours {
  return new Map(kinds.map((kind, index) => [kind, colourOf(index)]));
}

/// By the time that each kind takes, most first.
export function chooseColours(reports: Report[]): Colours {
  const cycles = new Map<string, number>();
  for (const report of reports)
    for (const op of report.ops)
      cycles.set(op.op, (cycles.get(op.op) ?? 0) + op.scheduled_cycles * op.count);
  const kinds = [...cycles.keys()].sort((a, b) => cycles.get(b)! - cycles.get(a)! || (a < b ? -1 : 1));
  return coloursOf(kinds);
}

export const boundColours: Record<string, string> = {
  memory: "#e69f00", compute: "#56b4e9", overhead: "#d98cc0",
};

/// From little to much of the largest.
export function heat(share: number): string {
  const t = Math.sqrt(Math.max(0, Math.min(1, share)));
  const mix = (low: number, high: number) => Math.round(low + (high - low) * t);
  return `rgb(${mix(236, 245)}, ${mix(240, 130)}, ${mix(246, 70)})`;
}
