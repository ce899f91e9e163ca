// The modules of a model as a tree, with the sums of what their ops take.

import { shortName } from "./names";
import { mainMemory, Op, Report, scheduledCyclesOf } from "./report";

export interface Figures {
  runs: number;
  ops: number;
  cycles: number; // engine time of all runs
  macs: number;
  bytes: number; // of the main memory
}

export interface TreeNode {
  label: string;
  key: string; // unique among nodes: an op may be named as a module is
  name: string; // of the op, or the module with those around it
  op?: Op;
  children: TreeNode[];
  figures: Figures;
}

export const opKey = (name: string): string => `op ${name}`;
const moduleKey = (name: string): string => `module ${name}`;

/// At dots that are not within braces, where they belong to a range.
function splitModule(module: string): string[] {
  return module === "" ? [] : module.match(/(?:\{[^}]*\}|[^.{]|\{)+/g) ?? [];
}

/// The module and those around it, from outside in.
export function modulesAround(module: string): string[] {
  let path = "";
  return splitModule(module).map((part) => (path = path === "" ? part : `${path}.${part}`));
}

export function figuresOf(op: Op, memory: string): Figures {
  return {
    runs: op.count, ops: 1, cycles: scheduledCyclesOf(op), macs: op.macs * op.count,
    bytes: (op.bytes[memory] ?? 0) * op.count,
  };
}

function sumOf(children: TreeNode[]): Figures {
  const sum: Figures = { runs: 0, ops: 0, cycles: 0, macs: 0, bytes: 0 };
  for (const { figures } of children)
    for (const key of Object.keys(sum) as (keyof Figures)[]) sum[key] += figures[key];
  return sum;
}

/// A module that holds nothing but a module is one with it: model.layers.3.
function finish(node: TreeNode): void {
  if (node.op) return;
  node.children = node.children.map((child) => {
    while (child.children.length === 1 && !child.children[0].op)
      child = { ...child.children[0], label: `${child.label}.${child.children[0].label}` };
    return child;
  });
  node.children.forEach(finish);
  node.figures = sumOf(node.children);
}

/// The whole program, its modules in the order in which they first come.
export function makeTree(report: Report): TreeNode {
  const memory = mainMemory(report).name;
  const root: TreeNode = { label: report.function, key: moduleKey(""), name: "", children: [], figures: sumOf([]) };
  const modules = new Map<string, TreeNode>([["", root]]);
  for (const op of report.ops) {
    let parent = root;
    for (const path of modulesAround(op.module)) {
      let module = modules.get(path);
      if (!module) {
        const label = parent === root ? path : path.slice(parent.name.length + 1);
        module = { label, key: moduleKey(path), name: path, children: [], figures: sumOf([]) };
        modules.set(path, module);
        parent.children.push(module);
      }
      parent = module;
    }
    parent.children.push({
      label: shortName(op), key: opKey(op.name), name: op.name, op, children: [], figures: figuresOf(op, memory),
    });
  }
  finish(root);
  return root;
}
