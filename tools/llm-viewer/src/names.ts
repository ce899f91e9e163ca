// Names have indices of layers as in llm/Support/IndexedNames.h: {} is the index of the enclosing loop, and {3..60}
// and {1,3..23} count through these numbers in its iterations.

import { Op, Report } from "./report";

const rangePattern = /\{(\d+)(?:,(\d+))?\.\.\d+\}/g;

/// Returns the name of one run. `iterations` has those of the loops around the op, the outermost first.
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

/// Joins "q_proj", "k_proj", "v_proj" to "qkv", and "gate_proj", "up_proj" to "gate_up".
function joinProjections(names: string[]): string {
  const stems = names.map((name) => name.replace(/_proj$/, ""));
  return names.length === 1 ? names[0] : stems.join(stems.every((stem) => stem.length === 1) ? "" : "_");
}

/// Returns the last part of the name. Ops that run as one have the last part of each: "gate_up+swiglu".
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

/// Returns a name that is the same in all layers: "mlp.down_proj", "self_attn.qkv". Outside of layers it is the whole
/// name.
export function nameInLayer(op: Op): string {
  const inside = op.module.slice(op.layer.length).replace(/^\./, "");
  return inside === "" ? shortName(op) : `${inside}.${shortName(op)}`;
}
