// Indices of layers in names, as llm/Support/IndexedNames.h has them: {} is the index of the
// enclosing loop, {3..60} and {1,3..23} count through these numbers in its iterations.

import { Op, Report } from "./report";

const rangePattern = /\{(\d+)(?:,(\d+))?\.\.\d+\}/g;

/// The name of one run, by the iterations of the loops around the op, outermost first.
export function nameOfRun(report: Report, op: Op, iterations: number[]): string {
  if (!op.loops || iterations.length === 0) return op.name;
  const iteration = iterations[iterations.length - 1];
  const loop = report.loops[op.loops[op.loops.length - 1]];
  return op.name
    .split("{}")
    .join(String(loop.first_index + iteration * loop.index_step))
    .replace(rangePattern, (_, first: string, second?: string) => {
      const step = second === undefined ? 1 : Number(second) - Number(first);
      return String(Number(first) + iteration * step);
    });
}

/// "q_proj", "k_proj", "v_proj": "qkv"; "gate_proj", "up_proj": "gate_up".
function joinProjections(names: string[]): string {
  const stems = names.map((name) => name.replace(/_proj$/, ""));
  return names.length === 1 ? names[0] : stems.join(stems.every((stem) => stem.length === 1) ? "" : "_");
}

/// The last part of the name; of ops that run as one, of each of them: "gate_up+swiglu".
export function shortName(op: Op): string {
  const module = op.module + ".";
  const [first, ...others] = op.name.split("+");
  const inModule = op.module && first.startsWith(module) ? first.slice(module.length) : first;
  if (others.length === 0) return inModule;
  const names = [inModule, ...others].map((name) => name.slice(name.lastIndexOf(".") + 1));
  const groups: string[][] = [];
  names.forEach((name, index) => {
    const isNext = name.endsWith("_proj") && index > 0 && names[index - 1].endsWith("_proj");
    if (isNext) groups[groups.length - 1].push(name);
    else groups.push([name]);
  });
  return groups.map(joinProjections).join("+");
}

/// The same in all layers: "mlp.down_proj", "self_attn.qkv"; outside of layers the whole name.
export function nameInLayer(op: Op): string {
  const inside = op.module.slice(op.layer.length).replace(/^\./, "");
  return inside === "" ? shortName(op) : `${inside}.${shortName(op)}`;
}
