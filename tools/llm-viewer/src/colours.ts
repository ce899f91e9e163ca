// One colour for each kind of op, the same in all views of all pages.

import kindColours from "./kindColours.json";
import { kindOf } from "./kinds";
import { Report, scheduledCyclesOf } from "./report";

// Light enough for black text. Hues follow what an op is: products blue, attention orange, norms green,
// activations yellow, positions and caches violet and brown, routing pink, sums grey.
const ofKind = new Map(Object.entries(kindColours.colours));
const mainKinds = new Set(kindColours.main);
// For the events of traces, in turn.
const palette = ["#56b4e9", "#e69f00", "#3fbf8f", "#f0e442", "#d98cc0", "#ff8a5c", "#9fa8f5", "#8fd14f",
                 "#c9b18c", "#7fd6d6", "#f5a3a3", "#bfbfbf"];

export type Colours = Map<string, string>;

/// The product or the attention that ops run beside, or else the first of them.
export function mainKindOf(kind: string): string {
  const parts = kind.split("+");
  return parts.find((part) => mainKinds.has(part)) ?? parts[0];
}

/// A fused op has the colour of its product or attention. As llm-opt says it (lib/Results/OpKinds.cpp).
export function colourOf(kind: string): string {
  const main = mainKindOf(kind), known = ofKind.get(main);
  if (known) return known;
  let hash = 0;
  for (const letter of main) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) >>> 0;
  return kindColours.others[hash % kindColours.others.length];
}

/// Kinds of events, which are the same in all traces.
export function coloursOf(kinds: string[]): Colours {
  return new Map(kinds.map((kind, index) => [kind, palette[index % palette.length]]));
}

/// In the order of the time that each kind takes, most first. Those of one colour stand together.
export function chooseColours(reports: Report[]): Colours {
  const cycles = new Map<string, number>();
  const add = (key: string, more: number) => cycles.set(key, (cycles.get(key) ?? 0) + more);
  const kinds = new Set<string>();
  for (const report of reports)
    for (const op of report.ops) {
      const kind = kindOf(op);
      kinds.add(kind);
      add(kind, scheduledCyclesOf(op));
      add(`all ${mainKindOf(kind)}`, scheduledCyclesOf(op));
    }
  const byTime = (a: string, b: string) => cycles.get(b)! - cycles.get(a)! || (a < b ? -1 : a > b ? 1 : 0);
  const sorted = [...kinds].sort((a, b) =>
    byTime(`all ${mainKindOf(a)}`, `all ${mainKindOf(b)}`) || byTime(a, b));
  return new Map(sorted.map((kind) => [kind, colourOf(kind)]));
}

/// As in the pictures of --llm-export-dot.
export const boundColours: Record<string, string> = {
  memory: "#9ecae1", compute: "#a1d99b", overhead: "#fdd0a2",
};

/// From little to much of the largest.
export function heat(share: number): string {
  const t = Math.sqrt(Math.max(0, Math.min(1, share)));
  const mixed = (low: number, high: number) => Math.round(low + (high - low) * t);
  return `rgb(${mixed(236, 245)}, ${mixed(240, 130)}, ${mixed(246, 70)})`;
}
