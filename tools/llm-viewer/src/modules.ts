// The modules of a model are a tree, with the sums of what their ops take.

import { elapsedCyclesOf } from "./elapsed";
import { kindOf } from "./kinds";
import { shortName } from "./names";
import { mainMemory, Op, Report, scheduledCyclesOf } from "./report";

export interface Figures {
  runs: number;
  ops: number;
  cycles: number; // engine time of all runs
  elapsedCycles: number; // cycles in which one of its ops is under way
  macs: number;
  bytes: number; // of the main memory
}

export interface TreeNode {
  label: string;
  key: string; // unique among nodes: an op may have the name of a module
  name: string; // of the op, or of the module with those around it
  op?: Op;
  ops: Op[]; // all that are in it
  modules: string[]; // its own name, or the names of those that are folded into it
  children: TreeNode[];
  readonly figures: Figures; // computed when they are first asked for
}

export const opKey = (name: string): string => `op ${name}`;
const moduleKey = (name: string): string => `module ${name}`;

/// Splits at dots that are not within braces: there they belong to a range.
function splitModule(module: string): string[] {
  return module === "" ? [] : module.match(/(?:\{[^}]*\}|[^.{]|\{)+/g) ?? [];
}

/// Returns the module and those around it, from outside in.
export function modulesAround(module: string): string[] {
  let path = "";
  return splitModule(module).map((part) => (path = path === "" ? part : `${path}.${part}`));
}

function figuresOf(ops: Op[], memory: string): Figures {
  const sum: Figures = { runs: 0, ops: ops.length, cycles: 0, elapsedCycles: elapsedCyclesOf(ops), macs: 0, bytes: 0 };
  for (const op of ops) {
    sum.runs += op.count;
    sum.cycles += scheduledCyclesOf(op);
    sum.macs += op.macs * op.count;
    sum.bytes += (op.bytes[memory] ?? 0) * op.count;
  }
  return sum;
}

class Node implements TreeNode {
  children: TreeNode[] = [];
  ops: Op[] = [];
  modules: string[];
  private sums: Figures | undefined;

  constructor(public label: string, readonly key: string, readonly name: string, private readonly memory: string,
              readonly op?: Op) {
    this.modules = [name];
    if (op) this.ops = [op];
  }
  get figures(): Figures {
    return (this.sums ??= figuresOf(this.ops, this.memory));
  }
}

/// A module that holds nothing but one module is drawn as one with it: model.layers.3.
function finish(node: TreeNode, memory: string): void {
  node.children = node.children.map((child) => {
    while (child.children.length === 1 && !child.children[0].op) {
      const [inner] = child.children;
      inner.label = `${child.label}.${inner.label}`;
      child = inner;
    }
    return child;
  });
  if (node.op) return;
  node.children.forEach((child) => finish(child, memory));
  node.children = foldAlike(node.children, memory);
  node.ops = node.children.flatMap((child) => child.ops);
}

const leastAlike = 3;

/// Describes what is in a module, whatever the module's number.
function shapeOf(node: TreeNode): string {
  return node.op ? `${node.label} ${kindOf(node.op)} ${node.op.count}`
    : `(${node.children.map((child) => `${child.op ? "" : child.label}${shapeOf(child)}`).join(",")})`;
}

/// Folds layers that follow each other and have the same ops into one node, which opens to each of them.
function foldAlike(nodes: TreeNode[], memory: string): TreeNode[] {
  const isNumber = ({ op, label }: TreeNode) => !op && /^\d+$/.test(label);
  const groups: TreeNode[][] = [];
  let last = "";
  for (const node of nodes) {
    const shape = isNumber(node) ? shapeOf(node) : "";
    if (shape !== "" && shape === last) groups[groups.length - 1].push(node);
    else groups.push([node]);
    last = shape;
  }
  return groups.flatMap((alike) => alike.length < leastAlike ? alike : [foldOf(alike, memory)]);
}
function foldOf(alike: TreeNode[], memory: string): TreeNode {
  const [first] = alike, last = alike[alike.length - 1];
  const fold = new Node(`${first.label} … ${last.label} (${alike.length} alike)`, `fold ${first.key}`,
                        `${first.name} … ${last.label}`, memory);
  fold.children = alike;
  fold.ops = alike.flatMap((node) => node.ops);
  fold.modules = alike.map(({ name }) => name);
  return fold;
}

/// Counts the ops that are in each module.
function countOps(ops: Op[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const op of ops)
    for (const path of modulesAround(op.module)) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

/// Makes the tree of the program, or of some of its ops. Modules stand in the order in which they first come. A module
/// with a single op in the program is none, as in the report's table: the op has the module's name before its own. It is
/// one if it has several in the other report, with which it is compared.
export function makeTree(report: Report, ops = report.ops, other?: Report): TreeNode {
  const memory = mainMemory(report).name;
  const root: TreeNode = new Node(report.function, moduleKey(""), "", memory);
  const modules = new Map<string, TreeNode>([["", root]]);
  const counts = countOps(report.ops), others = countOps(other?.ops ?? []);
  for (const op of ops) {
    let parent = root;
    for (const path of modulesAround(op.module)) {
      if (counts.get(path) === 1 && (others.get(path) ?? 0) < 2) break; // nor are those in it
      let module = modules.get(path);
      if (!module) {
        module = new Node(parent === root ? path : path.slice(parent.name.length + 1), moduleKey(path), path, memory);
        modules.set(path, module);
        parent.children.push(module);
      }
      parent = module;
    }
    const inside = op.module.slice(parent.name.length).replace(/^\./, "");
    parent.children.push(new Node(inside === "" ? shortName(op) : `${inside}.${shortName(op)}`, opKey(op.name), op.name,
                                  memory, op));
  }
  finish(root, memory);
  return root;
}
