// Shows ops by module with what they take, and sums that add up. It can be sorted, filtered and copied.

import { Baseline, differencePercent, Match } from "./compare";
import { breakable, h } from "./dom";
import { Cell, Column, makeColumns } from "./columns";
import { formatOps, formatWhole } from "./format";
import { kindOf, matchesOp } from "./kinds";
import { makeTree, opKey, TreeNode } from "./modules";
import { shortName } from "./names";
import { isOnPath, Op, Report } from "./report";
import { Store } from "./state";

const rowsAtOnce = 100; // more of them come when they are scrolled to

export class Table {
  readonly element: HTMLElement;
  private root: TreeNode; // of the ops that the search finds
  private readonly all: TreeNode;
  private readonly columns: Column[];
  private readonly body = h("tbody");
  private readonly head = h("tr");
  private readonly open = new Set<string>();
  private readonly rowOf = new Map<string, HTMLTableRowElement>();
  private readonly status = h("span", { class: "muted", role: "status" });
  private readonly found = h("span", { class: "muted", role: "status", "data-role": "found" });
  private sorted = -1; // a column; -1 for the order of the program
  private isAscending = false;
  private most = rowsAtOnce; // the most rows that are shown
  private isCut = false; // there may be more rows
  private isStale = false; // the search has changed since

  constructor(private readonly report: Report, private readonly store: Store,
              private readonly baseline: Baseline | undefined) {
    this.root = this.all = makeTree(report, report.ops, baseline?.report);
    this.columns = makeColumns(report, baseline, this.all);
    this.openFirst();
    this.element = h("section", { class: baseline ? "table compared" : "table", "aria-label": "Table" },
      h("div", { class: "bar" },
        h("button", { type: "button", onclick: () => this.openAll(true) }, "Expand all"),
        h("button", { type: "button", onclick: () => this.openAll(false) }, "Collapse all"),
        h("button", { type: "button", "data-action": "copy", onclick: () => void this.copy() }, "Copy as CSV"),
        this.status, this.found,
        h("span", { class: "muted" }, "Engine time: of all runs, of all engines together. Elapsed: the time in which an " +
          "op of the row is under way; rows side by side overlap, and the total of all is the makespan.")),
      h("div", { class: "scroll", onscroll: (event) => this.onScroll(event.target as HTMLElement) },
        h("table", {}, h("thead", {}, this.head), this.body)));
    this.search();
    store.subscribe((_, changed) => {
      this.isStale ||= changed.has("query") || changed.has("showsCritical");
      if (this.element.closest("[hidden]")) return; // it is searched when it is looked at
      if (this.isStale) this.search();
      else if (changed.has("selectedOp")) this.showSelected();
    });
  }

  show(): void {
    if (this.isStale) this.search();
    else this.showSelected();
  }

  /// Keeps the ops that the search finds, and sums only these.
  private search(): void {
    const { query } = this.store.state;
    const isFound = (op: Op) => matchesOp(op, query);
    const isSearch = query.trim() !== "";
    const ops = this.report.ops.filter(isFound);
    this.root = isSearch ? makeTree(this.report, ops, this.baseline?.report) : this.all;
    this.most = rowsAtOnce;
    const found = ops.length + this.onlyInBaseline().length === 0 ? "Nothing found."
      : `${formatOps(ops.length)} of ${formatWhole(this.report.ops.length)}.`;
    this.found.textContent = isSearch ? found : "";
    this.isStale = false;
    this.render();
  }

  /// Opens as many levels as give a page of rows.
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

  private *rows(isOpen: (node: TreeNode) => boolean, nodes = this.root.children, depth = 0): Generator<[TreeNode, number]> {
    for (const node of this.inOrder(nodes)) {
      yield [node, depth];
      if (isOpen(node)) yield* this.rows(isOpen, node.children, depth + 1);
    }
  }
  private onScroll({ scrollTop, clientHeight, scrollHeight }: HTMLElement): void {
    if (!this.isCut || scrollTop + clientHeight < scrollHeight - 400) return;
    this.most += rowsAtOnce;
    this.render();
  }
  /// A search opens every module in which it finds something.
  private isOpen(node: TreeNode): boolean {
    return this.open.has(node.key) || this.store.state.query.trim() !== "";
  }

  /// Sorts one way, then the other way, then in the order of the program.
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

  /// The element that has the focus keeps it.
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
    for (const [node, depth] of this.rows((each) => this.isOpen(each))) {
      if (rows.length === this.most) break;
      rows.push(this.makeRow(node, depth));
    }
    const extras = [...this.together().map((match) => () => this.makeTogetherRow(match)),
                    ...this.onlyInBaseline().map((op) => () => this.makeLostRow(op))];
    rows.push(...extras.slice(0, this.most - rows.length).map((make) => make()));
    this.isCut = rows.length === this.most;
    rows.push(h("tr", { class: "total" }, ...this.cellsOf(this.root, this.root === this.all ? "total" : "total of what is found")));
    this.body.replaceChildren(...rows);
    this.showSelected(false);
  }

  private cellsOf(node: TreeNode, name: string | Node): HTMLTableCellElement[] {
    return this.columns.map((column, index) => {
      const value = column.value(node);
      const text = value === undefined ? "" : column.show(value);
      return h("td", { class: column.isText ? "text" : "number", "data-column": column.csv },
               ...(index === 0 ? [name] : column.isText ? breakable(text) : [text]));
    });
  }

  private makeRow(node: TreeNode, depth: number): HTMLTableRowElement {
    const isOpen = this.isOpen(node);
    const isSearch = this.store.state.query.trim() !== "";
    const toggle = () => {
      if (isSearch) return; // a search opens every module in which it finds something
      if (!this.open.delete(node.key)) this.open.add(node.key);
      this.render();
    };
    const choose = () => this.store.set({ selectedOp: node.op!.name });
    const button = h("button", {
      type: "button", class: node.op ? "op" : "module", onclick: node.op ? choose : toggle,
      "aria-expanded": node.op ? undefined : String(isOpen), disabled: !node.op && isSearch, title: node.name,
    }, ...breakable(node.op ? node.label : `${isOpen ? "▾" : "▸"} ${node.label}`));
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

  /// Returns the matches of several ops here that the baseline runs as one. No row of these ops alone is compared.
  private together(): Match[] {
    const { query } = this.store.state;
    return this.baseline?.together.filter(({ here }) => here.some((op) => matchesOp(op, query))) ?? [];
  }
  private togetherCell({ here, microseconds: now, baselineMicroseconds: before }: Match, column: string): Cell {
    const cells: Record<string, Cell> = {
      name: here.map(({ name }) => name).join("+"), count: Math.max(...here.map(({ count }) => count)),
      elapsed_us: now, [`${this.baseline!.sides.key}_elapsed_us`]: before, difference_percent: differencePercent(now, before),
    };
    return cells[column];
  }
  private makeTogetherRow(match: Match): HTMLTableRowElement {
    const parts = match.here.map(shortName).join(", ");
    return this.makeExtraRow({ class: "together", "data-together": match.there[0].name },
      h("span", {}, parts, ` together: in the ${this.baseline!.sides.other} `, match.there.map(shortName).join(", ")),
      (column) => this.togetherCell(match, column));
  }

  /// Returns the ops of the baseline that are compared with nothing here.
  private onlyInBaseline(): Op[] {
    const { query } = this.store.state;
    return this.baseline?.lost.filter((op) => matchesOp(op, query)) ?? [];
  }
  private lostCell(op: Op, column: string): Cell {
    const cells: Record<string, Cell> = {
      name: op.name, op: kindOf(op), count: op.count, bound: op.bound,
      [`${this.baseline!.sides.key}_elapsed_us`]: this.baseline!.elapsedMicrosecondsOf([op]),
    };
    return cells[column];
  }
  private makeLostRow(op: Op): HTMLTableRowElement {
    const choose = () => this.store.set({ selectedOp: op.name });
    const name = h("span", {}, h("button", { type: "button", class: "op", onclick: choose }, op.name), ` in the ${this.baseline!.sides.other} only`);
    return this.makeExtraRow({ class: "lost", "data-lost": op.name }, name, (column) => this.lostCell(op, column));
  }
  private makeExtraRow(attributes: Record<string, string>, name: Node, cellOf: (column: string) => Cell): HTMLTableRowElement {
    return h("tr", attributes, ...this.columns.map((column, index) => {
      const value = cellOf(column.csv), text = value === undefined ? "" : column.show(value);
      return h("td", { class: column.isText ? "text" : "number", "data-column": column.csv }, index === 0 ? name : text);
    }));
  }

  private showSelected(scrolls = true): void {
    const { selectedOp } = this.store.state;
    const chosen = selectedOp === undefined ? undefined : opKey(selectedOp);
    for (const [key, row] of this.rowOf) row.toggleAttribute("data-selected", key === chosen);
    if (selectedOp === undefined || chosen === undefined || !scrolls) return;
    if (!this.rowOf.has(chosen)) this.openTo(selectedOp);
    if (!this.rowOf.has(chosen)) this.showFar(chosen);
    this.rowOf.get(chosen)?.scrollIntoView({ block: "nearest" });
  }
  /// Shows a row that is behind those that are shown.
  private showFar(key: string): void {
    let at = 0;
    for (const [node] of this.rows((each) => this.isOpen(each))) {
      ++at;
      if (node.key !== key) continue;
      this.most = at + rowsAtOnce;
      return this.render();
    }
  }
  private openTo(name: string): void {
    const visit = (node: TreeNode): boolean => {
      const holds = node.op?.name === name || node.children.some(visit);
      if (holds) this.open.add(node.key);
      return holds;
    };
    if (visit(this.root)) this.render();
  }

  /// Returns all rows, also those of modules that are closed. Sums over `kind` "op" count everything once.
  csv(): string {
    const quote = (value: Cell) => typeof value === "number" ? String(value) : `"${(value ?? "").replace(/"/g, '""')}"`;
    const lines = [["kind", "module", ...this.columns.map((column) => column.csv)].join(",")];
    const add = (kind: string, module: string, cells: (column: Column) => Cell) =>
      lines.push([kind, module, ...this.columns.map(cells)].map(quote).join(","));
    for (const [node] of this.rows(() => true))
      add(node.op ? "op" : "module", node.op?.module ?? node.name,
          (column) => !node.op && column.csv === "op" ? undefined : column.value(node));
    for (const match of this.together()) add("ops_together", "", (column) => this.togetherCell(match, column.csv));
    for (const op of this.onlyInBaseline()) add(`${this.baseline!.sides.key}_op`, op.module, (column) => this.lostCell(op, column.csv));
    add("total", "", (column) => column.csv === "name" ? "total" : column.csv === "op" ? undefined : column.value(this.root));
    return `${lines.join("\n")}\n`;
  }
  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.csv());
      this.status.textContent = "Copied.";
    } catch {
      // If the browser lets no page write to the clipboard, the person copies the chosen text.
      const area = h("textarea", { rows: 8, "aria-label": "The table as CSV" });
      area.value = this.csv();
      this.status.replaceChildren("Press Ctrl+C: ", area);
      area.select();
    }
  }
}
