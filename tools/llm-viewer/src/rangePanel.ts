// Shows what the chosen part of time, or the whole run, holds: ops with their work, and the share of the machine's
// peak.

import { Colours } from "./colours";
import { afterPaint, breakable, h } from "./dom";
import { formatBytes, formatCount, formatIn, formatMicroseconds, formatOps, formatPercent, formatWhole, Unit, unitFor } from "./format";
import { kindOf } from "./kinds";
import { nameInLayer } from "./names";
import { addAmount, Amount, nothing, sharesOf } from "./peaks";
import { mainMemory, Op, Report, toMicroseconds } from "./report";
import { Schedule } from "./schedule";
import { Store } from "./state";
import { amountsIn } from "./sums";
import { Range } from "./timeline/view";

const mostRows = 14;

interface Row {
  name: string;
  ops: Op[];
  sum: Amount;
}
interface Column {
  title: string;
  key: string;
  show: (row: Row) => string;
}

/// Sums each op over all layers. The longest row comes first.
function rowsOf(amounts: Map<Op, Amount>): Row[] {
  const rows = new Map<string, Row>();
  for (const [op, amount] of amounts) {
    const name = nameInLayer(op);
    const row = rows.get(name) ?? { name, ops: [], sum: nothing() };
    row.ops.push(op);
    addAmount(row.sum, amount);
    rows.set(name, row);
  }
  return [...rows.values()].sort((a, b) => b.sum.engineCycles - a.sum.engineCycles);
}

export class RangePanel {
  readonly element = h("section", { class: "range-panel", "aria-label": "Sums" });
  private frame = 0;
  private isStale = false; // the chosen part of time has changed

  constructor(private readonly schedule: Schedule, private readonly store: Store, private readonly colours: Colours,
              private readonly zoomTo: (range: Range) => void) {
    afterPaint(() => this.render());
    store.subscribe((_, changed) => {
      this.isStale ||= changed.has("selectedRange");
      this.show();
    });
  }

  /// Also shows what has changed while nobody looked.
  show(): void {
    if (this.isStale && !this.element.closest("[hidden]")) this.frame ||= requestAnimationFrame(() => this.render());
  }

  private get report(): Report {
    return this.schedule.report;
  }
  private time(cycles: number): string {
    return formatMicroseconds(toMicroseconds(this.report, cycles));
  }

  private render(): void {
    this.frame = 0;
    this.isStale = false;
    const { selectedRange: range } = this.store.state;
    const amounts = amountsIn(this.schedule, range), rows = rowsOf(amounts), total = nothing();
    for (const row of rows) addAmount(total, row.sum);
    const cycles = range ? range.to - range.from : this.report.makespan_cycles;
    this.element.dataset.range = range ? `${range.from},${range.to}` : "";
    this.element.replaceChildren(this.makeHead(range, amounts.size, total, cycles), this.makeTable(rows, total, cycles));
  }

  private makeHead(range: Range | undefined, ops: number, total: Amount, cycles: number): HTMLElement {
    const { products, bandwidthOnce } = sharesOf(this.report, total, cycles), { name } = mainMemory(this.report);
    const title = range ? `${this.time(range.from)} to ${this.time(range.to)}: ${this.time(cycles)}`
      : this.report.isFolded ? "Each layer once" : "The whole run";
    const facts = [formatOps(ops), `${formatBytes(total.bytes)} of ${name}`, `${formatCount(total.flop)}FLOP`,
                   ...(products === undefined ? [] : [`MFU ${formatPercent(products)}`]),
                   ...(bandwidthOnce === undefined ? [] : [`MBU ${formatPercent(bandwidthOnce)}`])];
    return h("div", { class: "bar" }, h("h3", {}, title),
      h("span", { class: "muted", "data-role": "range-sums" }, facts.join(" · ")),
      ...(range ? [h("button", { type: "button", onclick: () => this.zoomTo(range) }, "Zoom to it"),
                   h("button", { type: "button", onclick: () => this.store.set({ selectedRange: undefined }) }, "Clear")]
                : [h("span", { class: "muted" }, "Drag on the axis of time, or with Shift, to sum a part of it.")]));
  }

  private columnsOf(rows: Row[], total: Amount): Column[] {
    const perSecond = (amount: number, row: Row) =>
      row.sum.elapsedCycles === 0 ? 0 : (amount * this.report.clock_hz) / row.sum.elapsedCycles;
    const most = (value: (row: Row) => number) => rows.reduce((largest, row) => Math.max(largest, value(row)), 0);
    const column = (key: string, title: (unit: Unit) => string, kind: "time" | "bytes" | "count", value: (row: Row) => number): Column => {
      const largest = most(value), unit = unitFor(kind, largest);
      return { key, title: title(unit), show: (row) => value(row) === 0 ? "" : formatIn(unit, largest, value(row)) };
    };
    const percent = (key: string, title: string, value: (row: Row) => number | undefined): Column => ({ key, title, show: (row) => {
      const shown = value(row);
      return shown === undefined || shown === 0 ? "" : shown.toFixed(1);
    } });
    const shares = (row: Row) => sharesOf(this.report, row.sum, row.sum.elapsedCycles);
    return [
      { key: "count", title: "Count", show: (row) => formatWhole(row.sum.runs) },
      column("time", ({ name }) => `Engine time (${name})`, "time", (row) => toMicroseconds(this.report, row.sum.engineCycles)),
      percent("share", "Share (%)", (row) => (100 * row.sum.engineCycles) / Math.max(total.engineCycles, 1)),
      column("flops", ({ name }) => `${name}FLOP/s`, "count", (row) => perSecond(row.sum.flop, row)),
      percent("mfu", "FLOP/s of datasheet peak (%)", (row) => shares(row).products),
      column("bytes", ({ name }) => name, "bytes", (row) => row.sum.bytes),
      column("rate", ({ name }) => `${name}/s`, "bytes", (row) => perSecond(row.sum.bytes, row)),
      percent("mbu", `${mainMemory(this.report).name} of peak (%)`, (row) => shares(row).bandwidth),
    ];
  }

  private makeTable(rows: Row[], total: Amount, cycles: number): HTMLElement {
    const shown = rows.slice(0, mostRows), rest = rows.slice(mostRows);
    if (rest.length === 1) shown.push(rest.pop()!);
    const columns = this.columnsOf([...shown, { name: "", ops: [], sum: { ...total, elapsedCycles: cycles } }], total);
    const cells = (row: Row) => columns.map((column) => h("td", { class: "number", "data-column": column.key }, column.show(row)));
    const others: Row = { name: `${rest.length} others`, ops: [], sum: nothing() };
    for (const row of rest) addAmount(others.sum, row.sum);
    return h("div", { class: "scroll-x" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text" }, "Op"),
        ...columns.map(({ title, key }) => h("th", { scope: "col", class: "number", "data-column": key }, title)))),
      h("tbody", {},
        ...shown.map((row) => h("tr", { "data-sum": row.name }, h("td", {}, this.makeName(row)), ...cells(row))),
        rest.length > 0 ? h("tr", {}, h("td", { class: "muted" }, others.name), ...cells(others)) : undefined,
        h("tr", { class: "total" }, h("td", {}, "total"), ...cells({ ...others, name: "total", sum: { ...total, elapsedCycles: cycles } })))));
  }

  /// Makes a link to an op, or, for several ops, a search for all of them.
  private makeName({ name, ops }: Row): HTMLElement {
    const act = () => ops.length === 1 ? this.store.set({ selectedOp: ops[0].name }) : this.store.set({ query: name });
    const swatch = h("span", { class: "swatch", style: `background: ${this.colours.get(kindOf(ops[0]))}` });
    return h("button", { type: "button", class: "op", title: ops[0].name, onclick: act }, swatch, ...breakable(name));
  }
}
