// Shows where the time went: a row for each path of ranges. Rows within a range can be folded away.

import { h } from "../dom";
import { formatMicroseconds, formatPercent, formatWhole } from "../format";
import { matches, Store } from "../state";
import { RangeRow, TraceData } from "./data";

const outside = "(no range)";
const counts = ["kernels", "copies", "fills", "ops"] as const;

export class TraceTable {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly folded = new Set<string>();
  private readonly shown: readonly (typeof counts)[number][];

  constructor(private readonly data: TraceData, private readonly store: Store) {
    const { total, rows } = data.table;
    this.shown = counts.filter((count) => total[count] > 0);
    this.foldMost(rows);
    const head = (text: string, isText = false) => h("th", { scope: "col", class: isText ? "text" : "number" }, text);
    this.element = h("section", { class: "table", "aria-label": "Where the time went" },
      h("h3", {}, "Where the time went"),
      h("table", {}, h("thead", {}, h("tr", {}, head("Range", true), head("Calls"),
        ...this.shown.map((count) => head(count[0].toUpperCase() + count.slice(1))),
        head("Time"), head("Self"), head("Mean of a call"), head("Share"))), this.body));
    store.subscribe((_, changed) => {
      if (changed.has("query") || changed.has("selectedOp")) this.render();
    });
    this.render();
  }

  /// Folds as many levels as leave about a page of rows.
  private foldMost(rows: RangeRow[]): void {
    const most = 80;
    for (let depth = 1; ; ++depth) {
      const seen = rows.filter(({ path }) => path.length <= depth).length;
      if (seen === rows.length) return;
      if (rows.filter(({ path }) => path.length <= depth + 1).length <= most) continue;
      for (const row of rows) if (row.path.length === depth) this.folded.add(row.range);
      return;
    }
  }

  private render(): void {
    const { rows, total } = this.data.table, { query } = this.store.state, isSearch = query.trim() !== "";
    const lines: HTMLElement[] = [];
    let hiddenBelow = Infinity; // the depth below which rows are in a folded range
    rows.forEach((row, index) => {
      if (!isSearch && row.path.length > hiddenBelow) return;
      hiddenBelow = this.folded.has(row.range) && row.path.length > 0 ? row.path.length : Infinity;
      if (isSearch && !matches(row.range, "", query)) return;
      const holds = index + 1 < rows.length && rows[index + 1].path.length > row.path.length && row.path.length > 0;
      lines.push(this.makeRow(row, holds, isSearch));
    });
    lines.push(h("tr", { class: "total" }, h("td", {}, "total"), h("td", {}),
      ...this.shown.map((count) => number(formatWhole(total[count]))), number(time(total.time_ns)), h("td", {}), h("td", {}),
      number(formatPercent(total.time_ns > 0 ? 100 : 0))));
    this.body.replaceChildren(...lines);
  }

  private makeRow(row: RangeRow, holds: boolean, isSearch: boolean): HTMLElement {
    const name = row.path.length > 0 ? row.path[row.path.length - 1] : outside;
    const toggle = () => {
      if (!this.folded.delete(row.range)) this.folded.add(row.range);
      this.render();
    };
    const fold = holds && !isSearch
      ? h("button", { type: "button", class: "module", "aria-expanded": String(!this.folded.has(row.range)), onclick: toggle,
                      "aria-label": `What is in ${row.range}` }, this.folded.has(row.range) ? "▸\u00a0" : "▾\u00a0")
      : undefined;
    const label = row.path.length === 0 ? outside
      : h("button", { type: "button", class: "op", title: row.range, onclick: () => this.store.set({ selectedOp: name }) },
          isSearch ? row.range : name);
    const cell = h("td", {}, fold, label);
    cell.style.paddingLeft = `${9 + (isSearch ? 0 : 16 * Math.max(row.path.length - 1, 0))}px`;
    const share = h("td", { class: "number", "data-column": "share_percent", style: `--share: ${100 * row.share}%` },
      formatPercent(100 * row.share));
    return h("tr", { "data-range": row.range, "data-selected": row.path.length > 0 && this.store.state.selectedOp === name },
      cell, number(row.path.length > 0 ? formatWhole(row.calls) : ""), ...this.shown.map((count) => number(formatWhole(row[count]))),
      number(time(row.time_ns)), number(time(row.self_ns)), number(row.mean_ns === null ? "" : time(row.mean_ns)), share);
  }
}

function time(nanoseconds: number): string {
  return formatMicroseconds(nanoseconds / 1000);
}
function number(text: string): HTMLElement {
  return h("td", { class: "number" }, text);
}
