// Shows where the time goes: modules with the ops in them. A module of all layers is one.

import { Colours } from "./colours";
import { afterPaint, breakable, h } from "./dom";
import { formatMicroseconds, formatPercent } from "./format";
import { kindOf } from "./kinds";
import { nameInLayer } from "./names";
import { Op, Report, scheduledCyclesOf, toMicroseconds } from "./report";
import { Store } from "./state";

interface Part {
  name: string;
  ops: Op[];
  cycles: number;
}

/// Groups ops that have the same name. The longest group comes first.
function group(ops: Op[], nameOf: (op: Op) => string): Part[] {
  const parts = new Map<string, Part>();
  for (const op of ops) {
    const name = nameOf(op), part = parts.get(name) ?? { name, ops: [], cycles: 0 };
    part.ops.push(op);
    part.cycles += scheduledCyclesOf(op);
    parts.set(name, part);
  }
  return [...parts.values()].sort((a, b) => b.cycles - a.cycles);
}

/// Returns the outermost module in a layer. An op in no module, or fused across modules, stands for itself.
function moduleInLayer(op: Op): string {
  const name = nameInLayer(op), dot = name.indexOf(".");
  return dot < 0 || name.includes("+") && name.indexOf("+") < dot ? name : name.slice(0, dot);
}

export class ModuleShares {
  readonly element: HTMLElement;
  private readonly total: number;

  constructor(private readonly report: Report, private readonly store: Store, private readonly colours: Colours) {
    this.total = report.ops.reduce((sum, op) => sum + scheduledCyclesOf(op), 0) || 1;
    this.element = h("section", { "aria-label": "Shares of engine time" },
      h("h2", {}, "Where the time goes"), h("p", { class: "muted" }, "Shares of engine time, all layers together"));
    afterPaint(() => this.element.append(...this.makeRows()));
  }

  private makeRows(): HTMLElement[] {
    const most = 24;
    const rows = group(this.report.ops, moduleInLayer).flatMap((module) => {
      const inside = group(module.ops, nameInLayer).filter(({ cycles }) => cycles >= 0.01 * this.total);
      return [this.makeRow(module, false), ...(inside.length > 1 || inside[0]?.name !== module.name
        ? inside.map((part) => this.makeRow(part, true)) : [])];
    });
    return rows.slice(0, most);
  }

  private makeRow({ name, ops, cycles }: Part, isInside: boolean): HTMLElement {
    const share = cycles / this.total, dot = name.indexOf(".");
    const act = () => ops.length === 1 ? this.store.set({ selectedOp: ops[0].name })
      : this.store.set({ query: this.store.state.query === name ? "" : name });
    const bars = group(ops, kindOf).map((kind) => h("span", {
      style: `width: ${(100 * kind.cycles) / this.total}%; background: ${this.colours.get(kind.name)}` }));
    return h("button", { type: "button", class: isInside ? "share inside" : "share", "data-share": name, onclick: act,
                         title: `${name}: ${formatMicroseconds(toMicroseconds(this.report, cycles))}` },
      h("span", { class: "share-name" }, ...breakable(isInside ? name.slice(dot + 1) : name)),
      h("span", { class: "share-value" }, share > 0 && share < 0.0005 ? "< 0.1 %" : formatPercent(100 * share)), h("span", { class: "share-bar" }, ...bars));
  }
}
