// Ops by module with what they take, sums that add up; sorted, filtered, copied.

import { Baseline, differencePercent } from "./compare";
import { h } from "./dom";
import { formatBytes, formatCount, formatDifferencePercent, formatMicroseconds, formatPercent, formatWhole } from "./format";
import { makeTree, opKey, TreeNode } from "./modules";
import { isOnPath, Report, mainMemory, toMicroseconds } from "./report";
import { matches, Store } from "./state";

interface Column {
  title: string;
  csv: string;
  value: (node: TreeNode) => number | string | undefined;
  show: (value: number | string) => string;
  isText?: boolean;
}

export class Table {
  readonly element: HTMLElement;
  private readonly root: TreeNode;
  private readonly columns: Column[];
  private readonly body = h("tbody");
  private readonly head = h("tr");
  private readonly open = new Set<string>();
  private readonly rowOf = new Map<string, HTMLTableRowElement>();
  private readonly status = h("span", { class: "muted", role: "status" });
  private sorted = -1; // a column; -1: the order of the program
  private isAscending = false;

  constructor(private readonly report: Report, private readonly store: Store,
              private readonly baseline: Baseline | undefined) {
    this.root = makeTree(report);
    this.columns = this.makeColumns();
    this.openFirst();
    this.element = h("section", { class: "table", "aria-label": "Table" },
      h("div", { class: "bar" },
        h("button", { type: "button", onclick: () => this.openAll(true) }, "Expand all"),
        h("button", { type: "button", onclick: () => this.openAll(false) }, "Collapse all"),
        h("button", { type: "button", "data-action": "copy", onclick: () => void this.copy() }, "Copy as CSV"),
        this.status,
        h("span", { class: "muted" }, "Time is engine time of all runs together; the makespan is in the summary.")),
      h("div", { class: "scroll" }, h("table", {}, h("thead", {}, this.head), this.body)));
    this.render();
    store.subscribe((_, changed) => {
      if (changed.has("query") || changed.has("showsCritical")) this.render();
      if (changed.has("selectedOp")) this.showSelected();
    });
  }

  private microseconds(cycles: number): number {
    return toMicroseconds(this.report, cycles);
  }

  private makeColumns(): Column[] {
    const total = Math.max(this.root.figures.cycles, 1);
    const number = (title: string, csv: string, value: Column["value"], show: (value: number) => string): Column =>
      ({ title, csv, value, show: (shown) => show(shown as number) });
    const text = (title: string, csv: string, value: Column["value"]): Column =>
      ({ title, csv, value, show: String, isText: true });
    const columns = [
      text("Op", "name", (node) => node.name),
      text("Kind", "op", (node) => node.op?.op ?? `${formatWhole(node.figures.ops)} ops`),
      number("Runs", "runs", (node) => node.figures.runs, formatWhole),
      number("Time", "time_us", (node) => this.microseconds(node.figures.cycles), formatMicroseconds),
      number("Share", "share_percent", (node) => (100 * node.figures.cycles) / total, formatPercent),
      number("MACs", "macs", (node) => node.figures.macs, formatCount),
      number(mainMemory(this.report).name, "bytes", (node) => node.figures.bytes, formatBytes),
      text("Bound", "bound", (node) => node.op?.bound ?? ""),
    ];
    if (this.baseline)
      columns.splice(4, 0,
        number("Baseline", "baseline_time_us", (node) => this.baselineOf(node), formatMicroseconds),
        number("Difference", "difference_percent", (node) => {
          const before = this.baselineOf(node);
          return before === undefined ? undefined : differencePercent(this.microseconds(node.figures.cycles), before);
        }, formatDifferencePercent));
    return columns;
  }

  private baselineOf(node: TreeNode): number | undefined {
    if (!node.op) return this.baseline!.microsecondsOfModule(node.name);
    const op = this.baseline!.find(node.op.name);
    return op && this.baseline!.microsecondsOf(op);
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

  private isShown(node: TreeNode): boolean {
    const { query } = this.store.state;
    return node.op ? matches(node.op.name, node.op.op, query) : node.children.some((child) => this.isShown(child));
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

  private forEachRow(visit: (node: TreeNode, depth: number) => void): void {
    const walk = (nodes: TreeNode[], depth: number) => {
      for (const node of this.inOrder(nodes)) {
        if (!this.isShown(node)) continue;
        visit(node, depth);
        if (this.isOpen(node)) walk(node.children, depth + 1);
      }
    };
    walk(this.root.children, 0);
  }
  /// A search opens what it finds something in.
  private isOpen(node: TreeNode): boolean {
    return this.open.has(node.key) || this.store.state.query.trim() !== "";
  }

  private sortBy(column: number): void {
    this.isAscending = this.sorted === column ? !this.isAscending : this.columns[column].isText === true;
    this.sorted = column;
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
    this.forEachRow((node, depth) => rows.push(this.makeRow(node, depth)));
    rows.push(h("tr", { class: "total" }, ...this.cellsOf(this.root, "total")));
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

  csv(): string {
    const quote = (value: number | string | undefined) =>
      typeof value === "number" ? String(value) : `"${(value ?? "").replace(/"/g, '""')}"`;
    const lines = [this.columns.map((column) => column.csv).join(",")];
    this.forEachRow((node) => lines.push(this.columns.map((column) => quote(column.value(node))).join(",")));
    lines.push(this.columns.map((column, index) => quote(index === 0 ? "total" : column.value(this.root))).join(","));
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
