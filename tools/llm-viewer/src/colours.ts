// One colour for each kind of op, the same in all views of all pages.

import { kindOf } from "./kinds";
import { Report, scheduledCyclesOf } from "./report";

// Light enough for black text. Hues follow what an op is: products blue, attention orange, norms green,
// activations yellow, positions and caches violet and brown, routing pink, sums grey.
const ofKind = new Map(Object.entries({
  matmul: "#56b4e9", batch_matmul: "#8ccdf2", grouped_matmul: "#6f9fe8",
  gqa_attn: "#e69f00", mla_attn: "#eeb544", qk: "#f2b866", pv: "#f7cf95", softmax: "#ffc07a",
  rmsnorm: "#3fbf8f",
  activation: "#f0e442", swiglu: "#e6dc5a", geglu: "#f5ec85",
  rope: "#9fa8f5", kv_write: "#c9b18c", position_scale: "#bcc2f8",
  moe_route: "#d98cc0", moe_dispatch: "#e3a8d0", moe_combine: "#edc4e0",
  add: "#bfbfbf", mul: "#cfcfcf", scale: "#d6d6d6", soft_cap: "#dddddd",
  embedding: "#8fd14f", sample: "#7fd6d6", quantize: "#f5a3a3",
}));
// For kinds of other dialects, by their name; and for the events of traces, in turn.
const palette = ["#56b4e9", "#e69f00", "#3fbf8f", "#f0e442", "#d98cc0", "#ff8a5c", "#9fa8f5", "#8fd14f",
                 "#c9b18c", "#7fd6d6", "#f5a3a3", "#bfbfbf"];

export type Colours = Map<string, string>;

function mix(parts: [colour: string, weight: number][]): string {
  const all = parts.reduce((sum, [, weight]) => sum + weight, 0);
  const channel = (at: number) => Math.round(
    parts.reduce((sum, [colour, weight]) => sum + parseInt(colour.slice(at, at + 2), 16) * weight, 0) / all);
  return `#${[1, 3, 5].map((at) => channel(at).toString(16).padStart(2, "0")).join("")}`;
}

function colourOfOne(kind: string): string {
  const known = ofKind.get(kind);
  if (known) return known;
  let hash = 0;
  for (const letter of kind) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
  return mix([[palette[hash % palette.length], 2], ["#ffffff", 1]]);
}

/// A fused op has the colour of its products or attention, with a part of those of the others.
export function colourOf(kind: string): string {
  return mix(kind.split("+").map((part) =>
    [colourOfOne(part), /matmul|attn|^qk$|^pv$/.test(part) ? 3 : 1]));
}

/// Kinds of events, which are the same in all traces.
export function coloursOf(kinds: string[]): Colours {
  return new Map(kinds.map((kind, index) => [kind, palette[index % palette.length]]));
}

/// In the order of the time that each kind takes, most first.
export function chooseColours(reports: Report[]): Colours {
  const cycles = new Map<string, number>();
  for (const report of reports)
    for (const op of report.ops) {
      const kind = kindOf(op);
      cycles.set(kind, (cycles.get(kind) ?? 0) + scheduledCyclesOf(op));
    }
  const kinds = [...cycles.keys()].sort((a, b) => cycles.get(b)! - cycles.get(a)! || (a < b ? -1 : 1));
  return new Map(kinds.map((kind) => [kind, colourOf(kind)]));
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
