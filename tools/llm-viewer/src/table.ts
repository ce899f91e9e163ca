// Ops by module with what they take, sums that add up; sorted, filtered, copied.

import { Baseline, differencePercent } from "./compare";
import { h } from "./dom";
import {
  formatBytes, formatCount, formatDifferencePercent, formatMicroseconds, formatOps, formatPercent, formatWhole,
} from "./format";
import { makeTree, opKey, TreeNode } from "./modules";
import { isOnPath, mainMemory, Op, Report, toMicroseconds } from "./report";
import { matches, Store } from "./state";

interface Column {
  title: string;
  csv: string;
  value: (node: TreeNode) => number | string | undefined;
  show: (value: number | string) => string;
  isText?: boolean;
}

type Cell = number | string | undefined;

export class Table {
  readonly element: HTMLElement;
  private root: TreeNode; // of the ops that the search finds
  private readonly all: TreeNode;
  private shownBaseline: Baseline | undefined; // of its ops, those that the search finds
  private readonly columns: Column[];
  private readonly body = h("tbody");
  private readonly head = h("tr");
  private readonly open = new Set<string>();
  private readonly rowOf = new Map<string, HTMLTableRowElement>();
  private readonly status = h("span", { class: "muted", role: "status" });
  private readonly found = h("span", { class: "muted", role: "status", "data-role": "found" });
  private sorted = -1; // a column; -1: the order of the program
  private isAscending = false;
  private isStale = false; // shows another search than that of now

  constructor(private readonly report: Report, private readonly store: Store,
              private readonly baseline: Baseline | undefined) {
    this.root = this.all = makeTree(report);
    this.shownBaseline = baseline;
    this.columns = this.makeColumns();
    this.openFirst();
    this.element = h("section", { class: "table", "aria-label": "Table" },
      h("div", { class: "bar" },
        h("button", { type: "button", onclick: () => this.openAll(true) }, "Expand all"),
        h("button", { type: "button", onclick: () => this.openAll(false) }, "Collapse all"),
        h("button", { type: "button", "data-action": "copy", onclick: () => void this.copy() }, "Copy as CSV"),
        this.status, this.found,
        h("span", { class: "muted" }, "Engine time: of all runs, of all engines together. Elapsed: the time in which an " +
          "op of the row is under way; rows side by side overlap, and the total of all is the makespan.")),
      h("div", { class: "scroll" }, h("table", {}, h("thead", {}, this.head), this.body)));
    this.search();
    store.subscribe((_, changed) => {
      this.isStale ||= changed.has("query") || changed.has("showsCritical");
      if (this.element.closest("[hidden]")) return; // until it is looked at
      if (this.isStale) this.search();
      else if (changed.has("selectedOp")) this.showSelected();
    });
  }

  show(): void {
    if (this.isStale) this.search();
    else this.showSelected();
  }

  private microseconds(cycles: number): number {
    return toMicroseconds(this.report, cycles);
  }

  private makeColumns(): Column[] {
    const total = Math.max(this.all.figures.cycles, 1);
    const number = (title: string, csv: string, value: Column["value"], show: (value: number) => string): Column =>
      ({ title, csv, value, show: (shown) => show(shown as number) });
    const text = (title: string, csv: string, value: Column["value"]): Column =>
      ({ title, csv, value, show: String, isText: true });
    const columns = [
      text("Op", "name", (node) => node.name),
      text("Kind", "op", (node) => node.op?.op ?? formatOps(node.figures.ops)),
      number("Runs", "runs", (node) => node.figures.runs, formatWhole),
      number("Engine time", "engine_time_us", (node) => this.microseconds(node.figures.cycles), formatMicroseconds),
      number("Share", "share_percent", (node) => (100 * node.figures.cycles) / total, formatPercent),
      number("Elapsed", "elapsed_us", (node) => this.elapsedOf(node), formatMicroseconds),
      number("MACs", "macs", (node) => node.figures.macs, formatCount),
      number(mainMemory(this.report).name, "bytes", (node) => node.figures.bytes, formatBytes),
      text("Bound", "bound", (node) => node.op?.bound ?? ""),
    ];
    if (this.baseline)
      columns.splice(6, 0,
        number("Baseline elapsed", "baseline_elapsed_us", (node) => this.baselineOf(node), formatMicroseconds),
        number("Difference", "difference_percent", (node) => {
          const before = this.baselineOf(node);
          return before === undefined ? undefined : differencePercent(this.elapsedOf(node), before);
        }, formatDifferencePercent));
    return columns;
  }

  /// Of the whole function the makespan, which counts what no op is under way in, too.
  private elapsedOf(node: TreeNode): number {
    return node === this.all ? this.report.makespan_us : this.microseconds(node.figures.elapsedCycles);
  }
  private baselineOf(node: TreeNode): number | undefined {
    const baseline = this.shownBaseline!;
    if (node === this.all) return baseline.report.makespan_us;
    return baseline.elapsedMicrosecondsOf(node.op ? this.baseline!.counterpartsOf(node.op)
                                          : node.name === "" ? baseline.report.ops : baseline.opsOfModule(node.name));
  }

  /// Leaves what the search finds; sums are of that.
  private search(): void {
    const { query } = this.store.state;
    const isFound = (op: Op) => matches(op.name, op.op, query);
    const isSearch = query.trim() !== "";
    const ops = this.report.ops.filter(isFound);
    this.root = isSearch ? makeTree(this.report, ops) : this.all;
    this.shownBaseline = isSearch ? this.baselineOfFound(ops) : this.baseline;
    const found = ops.length + this.onlyInBaseline().length === 0 ? "Nothing found."
      : `${formatOps(ops.length)} of ${formatWhole(this.report.ops.length)}.`;
    this.found.textContent = isSearch ? found : "";
    this.isStale = false;
    this.render();
  }

  /// What the ops that are found are compared with, whatever it is called, and what is found in the baseline only.
  private baselineOfFound(ops: Op[]): Baseline | undefined {
    if (!this.baseline) return undefined;
    const { report } = this.baseline;
    const found = new Set([...ops.flatMap((op) => this.baseline!.counterpartsOf(op)), ...this.onlyInBaseline()]);
    return new Baseline({ ...report, ops: report.ops.filter((op) => found.has(op)) });
  }

  /// As many levels as give a page of rows.
  private openFirst(): void {
    const most = 80;
    let level = this.root.children, rows = level.length;
    while (level.length > 0) {
      const next = level.flatMap((node) => node.children);
      if (rows + next.length > most) return;
      rows += next.length;
      for (const node of level) this.open.add(node.key);
      level = next;
    }
  }
  private openAll(opens: boolean): void {
    const visit = (node: TreeNode) => {
      if (opens) this.open.add(node.key);
      node.children.forEach(visit);
    };
    this.open.clear();
    visit(this.root);
    this.render();
  }

  private inOrder(nodes: TreeNode[]): TreeNode[] {
    if (this.sorted < 0) return nodes;
    const { value } = this.columns[this.sorted];
    const direction = this.isAscending ? 1 : -1;
    return [...nodes].sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
      return direction * (x < y ? -1 : x > y ? 1 : 0);
    });
  }

  private forEachRow(isOpen: (node: TreeNode) => boolean, visit: (node: TreeNode, depth: number) => void): void {
    const walk = (nodes: TreeNode[], depth: number) => {
      for (const node of this.inOrder(nodes)) {
        visit(node, depth);
        if (isOpen(node)) walk(node.children, depth + 1);
      }
    };
    walk(this.root.children, 0);
  }
  /// A search opens what it finds something in.
  private isOpen(node: TreeNode): boolean {
    return this.open.has(node.key) || this.store.state.query.trim() !== "";
  }

  /// One way, the other way, and back to the order of the program.
  private sortBy(column: number): void {
    const startsAscending = this.columns[column].isText === true;
    if (this.sorted !== column) {
      this.sorted = column;
      this.isAscending = startsAscending;
    } else if (this.isAscending === startsAscending) {
      this.isAscending = !startsAscending;
    } else {
      this.sorted = -1;
    }
    this.render();
  }

  /// What has the focus keeps it.
  private render(): void {
    const { activeElement } = document;
    const row = [...this.rowOf].find(([, candidate]) => candidate.contains(activeElement))?.[0];
    const column = [...this.head.children].findIndex((cell) => cell.contains(activeElement));
    this.renderRows();
    const next = row !== undefined ? this.rowOf.get(row) : column >= 0 ? this.head.children[column] : undefined;
    next?.querySelector("button")?.focus();
  }

  private renderRows(): void {
    this.head.replaceChildren(...this.columns.map((column, index) =>
      h("th", { scope: "col", class: column.isText ? "text" : "number",
                "aria-sort": index !== this.sorted ? "none" : this.isAscending ? "ascending" : "descending" },
        h("button", { type: "button", onclick: () => this.sortBy(index) },
          column.title + (index !== this.sorted ? "" : this.isAscending ? " ▲" : " ▼")))));
    const rows: HTMLTableRowElement[] = [];
    this.rowOf.clear();
    this.forEachRow((node) => this.isOpen(node), (node, depth) => rows.push(this.makeRow(node, depth)));
    rows.push(...this.onlyInBaseline().map((op) => this.makeLostRow(op)));
    rows.push(h("tr", { class: "total" }, ...this.cellsOf(this.root, this.root === this.all ? "total" : "total of what is found")));
    this.body.replaceChildren(...rows);
    this.showSelected(false);
  }

  private cellsOf(node: TreeNode, name: string | Node): HTMLTableCellElement[] {
    return this.columns.map((column, index) => {
      const value = column.value(node);
      const text = index === 0 ? name : value === undefined ? "" : column.show(value);
      return h("td", { class: column.isText ? "text" : "number", "data-column": column.csv }, text);
    });
  }

  private makeRow(node: TreeNode, depth: number): HTMLTableRowElement {
    const isOpen = this.isOpen(node);
    const isSearch = this.store.state.query.trim() !== "";
    const toggle = () => {
      if (isSearch) return; // which opens all that it finds something in
      if (!this.open.delete(node.key)) this.open.add(node.key);
      this.render();
    };
    const choose = () => this.store.set({ selectedOp: node.op!.name });
    const button = h("button", {
      type: "button", class: node.op ? "op" : "module", onclick: node.op ? choose : toggle,
      "aria-expanded": node.op ? undefined : String(isOpen), disabled: !node.op && isSearch, title: node.name,
    }, node.op ? node.label : `${isOpen ? "▾" : "▸"} ${node.label}`);
    button.style.marginLeft = `${depth * 14}px`;
    const row = h("tr", { class: node.op ? "op" : "module", [node.op ? "data-row" : "data-module"]: node.name },
      ...this.cellsOf(node, button));
    const isOn = (each: TreeNode): boolean => (each.op ? isOnPath(each.op) : each.children.some(isOn));
    row.classList.toggle("dimmed", this.store.state.showsCritical && !isOn(node));
    const share = this.columns.findIndex((column) => column.csv === "share_percent");
    row.children[share].setAttribute("style", `--share: ${this.columns[share].value(node)}%`);
    this.rowOf.set(node.key, row);
    return row;
  }

  /// What the baseline has and nothing here is compared with.
  private onlyInBaseline(): Op[] {
    const { query } = this.store.state;
    return this.baseline?.without(this.report).filter((op) => matches(op.name, op.op, query)) ?? [];
  }
  private lostCell(op: Op, column: string): Cell {
    const cells: Record<string, Cell> = {
      name: op.name, op: op.op, runs: op.count, bound: op.bound,
      baseline_elapsed_us: this.baseline!.elapsedMicrosecondsOf([op]),
    };
    return cells[column];
  }
  private makeLostRow(op: Op): HTMLTableRowElement {
    const choose = () => this.store.set({ selectedOp: op.name });
    const name = h("span", {}, h("button", { type: "button", class: "op", onclick: choose }, op.name), " in the baseline only");
    return h("tr", { class: "lost", "data-lost": op.name }, ...this.columns.map((column, index) => {
      const value = this.lostCell(op, column.csv);
      const text = value === undefined ? "" : column.show(value);
      return h("td", { class: column.isText ? "text" : "number" }, index === 0 ? name : text);
    }));
  }

  private showSelected(scrolls = true): void {
    const { selectedOp } = this.store.state;
    const chosen = selectedOp === undefined ? undefined : opKey(selectedOp);
    for (const [key, row] of this.rowOf) row.toggleAttribute("data-selected", key === chosen);
    if (selectedOp === undefined || chosen === undefined || !scrolls) return;
    if (!this.rowOf.has(chosen)) this.openTo(selectedOp);
    this.rowOf.get(chosen)?.scrollIntoView({ block: "nearest" });
  }
  private openTo(name: string): void {
    const visit = (node: TreeNode): boolean => {
      const holds = node.op?.name === name || node.children.some(visit);
      if (holds) this.open.add(node.key);
      return holds;
    };
    if (visit(this.root)) this.render();
  }

  /// All rows, also of modules that are closed. Sums over `kind` "op" count everything once.
  csv(): string {
    const quote = (value: Cell) => typeof value === "number" ? String(value) : `"${(value ?? "").replace(/"/g, '""')}"`;
    const lines = [["kind", "module", ...this.columns.map((column) => column.csv)].join(",")];
    const add = (kind: string, module: string, cells: (column: Column) => Cell) =>
      lines.push([kind, module, ...this.columns.map(cells)].map(quote).join(","));
    this.forEachRow(() => true, (node) =>
      add(node.op ? "op" : "module", node.op?.module ?? node.name,
          (column) => !node.op && column.csv === "op" ? undefined : column.value(node)));
    for (const op of this.onlyInBaseline()) add("baseline_op", op.module, (column) => this.lostCell(op, column.csv));
    add("total", "", (column) => column.csv === "name" ? "total" : column.csv === "op" ? undefined : column.value(this.root));
    return `${lines.join("\n")}\n`;
  }
  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.csv());
      this.status.textContent = "Copied.";
    } catch {
      // A browser that lets no page write: the person copies what is chosen.
      const area = h("textarea", { rows: 8, "aria-label": "The table as CSV" });
      area.value = this.csv();
      this.status.replaceChildren("Press Ctrl+C: ", area);
      area.select();
    }
  }
}
