// Makes the frame around the views: the choice of the function and the view, search, theme.

import { Address, readAddress, writeAddress } from "./address";
import { chooseColours, Colours } from "./colours";
import { findBaseline } from "./compare";
import { Details } from "./details";
import { Differences } from "./differences";
import { h } from "./dom";
import { canFold } from "./fold";
import { Graph } from "./graph";
import { Help } from "./help";
import { matchesOp } from "./kinds";
import { MemoryView } from "./memory";
import { ModuleShares } from "./moduleShares";
import { makeNotices } from "./notices";
import { Overview } from "./overview";
import { titleOf } from "./program";
import { isOnPath, PageData, Report } from "./report";
import { Roofline } from "./roofline";
import { Store } from "./state";
import { Summary } from "./summary";
import { Table } from "./table";
import { Range } from "./timeline/view";

interface View {
  element?: HTMLElement;
  show?: () => void; // called each time that it is looked at
}

const tabs = ["Overview", "Graph", "Roofline", "Memory", "Table", "Facts"] as const;
type Tab = (typeof tabs)[number];

/// The views of one function. They are made when they are first looked at.
class FunctionViews {
  readonly store = new Store();
  readonly element = h("main", { class: "views" });
  readonly aside: HTMLElement;
  readonly notices: HTMLElement;
  private readonly panels = new Map<Tab, HTMLElement>();
  private readonly made = new Map<Tab, View>();
  private readonly baseline;
  private overview: Overview | undefined; // made when it is first looked at
  private wanted: Range | undefined; // the range that it will show then

  constructor(readonly report: Report, data: PageData, private readonly colours: Colours,
              private readonly onMove: () => void) {
    this.baseline = findBaseline(report, data);
    this.aside = h("div", { class: "aside" },
      h("div", { class: "shares" }, this.baseline ? new Differences(this.report, this.baseline, this.store).element : undefined,
        new ModuleShares(report, this.store, colours).element),
      new Details(report, this.store, this.baseline).element);
    this.notices = makeNotices(report, data, this.baseline);
    for (const tab of tabs) {
      const panel = h("div", { role: "tabpanel", id: `panel-${tab}`, "aria-labelledby": `tab-${tab}`, hidden: true });
      this.panels.set(tab, panel);
      this.element.append(panel);
    }
  }

  show(tab: Tab): void {
    for (const [name, panel] of this.panels) panel.hidden = name !== tab;
    if (!this.made.has(tab)) this.made.set(tab, this.make(tab, this.panels.get(tab)!));
    this.made.get(tab)!.show?.();
  }
  restyle(tab: Tab): void {
    this.overview?.restyle();
    this.made.get(tab)?.show?.();
  }

  has(op: string): boolean {
    return this.baseline?.find(op) !== undefined || this.report.ops.some(({ name }) => name === op);
  }
  get hasPath(): boolean {
    return this.report.ops.some(isOnPath);
  }

  /// The part of time that the timelines show, in cycles of the report; undefined if they show all.
  get range(): Range | undefined {
    return this.overview ? this.overview.range : this.wanted;
  }
  set range(range: Range | undefined) {
    this.wanted = range;
    if (this.overview) this.overview.range = range;
  }

  private make(tab: Tab, panel: HTMLElement): View {
    const view = this.makeView(tab);
    panel.append(view.element);
    if (view instanceof Overview) {
      this.overview = view;
      if (this.wanted) view.range = this.wanted;
    }
    return view;
  }
  private makeView(tab: Tab): (View & { element: HTMLElement }) | Overview {
    const { report, store, colours, baseline } = this;
    switch (tab) {
      case "Overview": return new Overview(report, store, colours, baseline, this.onMove);
      case "Graph": return new Graph(report, store, colours);
      case "Roofline": return new Roofline(report, store, colours);
      case "Memory": return new MemoryView(report);
      case "Table": return new Table(report, store, baseline);
      case "Facts": return new Summary(report, baseline);
    }
  }
}

export class Page {
  private readonly colours: Colours;
  private readonly views = new Map<number, FunctionViews>();
  private readonly notices = h("div");
  private readonly body = h("div", { class: "body" });
  private readonly title = h("h1");
  private readonly choice: HTMLSelectElement;
  private readonly search = h("input", { type: "search", placeholder: "Search ops (/)", "aria-label": "Search ops" });
  private readonly critical = h("button", { type: "button", "aria-pressed": "false" }, "Critical path");
  private readonly help = new Help();
  private tab: Tab = "Overview";
  private current = 0;
  private timer = 0; // runs until the address is written; 0 if the address is up to date

  constructor(host: HTMLElement, private readonly data: PageData) {
    this.colours = chooseColours([...data.reports, ...data.baselines]);
    this.choice = h("select", { "aria-label": "Function", onchange: () => this.chooseFunction(this.choice.selectedIndex) },
      ...data.reports.map((report) => h("option", {}, report.function)));
    host.replaceChildren(this.notices, this.makeHeader(), this.body);
    this.listen();
    this.apply(readAddress());
  }

  private get view(): FunctionViews {
    return this.views.get(this.current)!;
  }

  private makeHeader(): HTMLElement {
    const theme = h("button", { type: "button", class: "theme", "aria-label": "Dark / light", title: "Dark / light",
                                onclick: () => this.switchTheme() }, "◐");
    return h("header", {},
      this.title, this.data.reports.length > 1 ? this.choice : undefined,
      h("div", { role: "tablist", "aria-label": "Views" }, ...tabs.map((tab) =>
        h("button", { type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": `panel-${tab}`,
                      onclick: () => this.chooseTab(tab), onkeydown: (event) => this.onTabKey(event as KeyboardEvent) }, tab))),
      this.search, this.critical, theme, ...this.help.elements);
  }

  private viewOf(index: number): FunctionViews {
    if (!this.views.has(index)) {
      const views = new FunctionViews(this.data.reports[index], this.data, this.colours, () => this.noteMove());
      views.store.subscribe((state) => {
        this.reflect(state.query, state.showsCritical);
        this.noteMove();
      });
      this.views.set(index, views);
    }
    return this.views.get(index)!;
  }

  /// The search and the chosen op stay, as far as the function has them.
  private chooseFunction(index: number): void {
    const { query, showsCritical, selectedOp } = this.view.store.state;
    const next = this.viewOf(index);
    this.current = index;
    next.store.set({ query, showsCritical: showsCritical && next.hasPath });
    if (selectedOp !== undefined && next.has(selectedOp)) next.store.set({ selectedOp });
    this.showFunction();
    this.noteMove();
  }
  private showFunction(): void {
    const { report, store, hasPath, notices } = this.view;
    document.title = this.title.textContent = this.title.title = titleOf(report);
    this.notices.replaceChildren(notices);
    this.choice.selectedIndex = this.current;
    this.body.replaceChildren(this.view.element, this.view.aside);
    this.reflect(store.state.query, store.state.showsCritical);
    this.critical.disabled = !hasPath;
    this.critical.title = hasPath ? "Dims what is not on the chain of slots that ends at the makespan"
      : "This report tells no critical path: its schedule breaks a rule, a cost is stale, or an older llm-opt wrote it";
    this.showTab(this.tab);
  }
  private reflect(query: string, showsCritical: boolean): void {
    if (this.search.value !== query) this.search.value = query;
    this.critical.setAttribute("aria-pressed", String(showsCritical));
  }

  private chooseTab(tab: Tab): void {
    this.writeAddress(false);
    this.showTab(tab);
    this.writeAddress(true);
  }
  private showTab(tab: Tab): void {
    this.tab = tab;
    this.body.dataset.tab = tab;
    for (const name of tabs) {
      const button = document.getElementById(`tab-${name}`)!;
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
    }
    this.view.show(tab);
  }
  private onTabKey(event: KeyboardEvent): void {
    const at = tabs.indexOf(this.tab), count = tabs.length;
    const next: Record<string, number> = { ArrowRight: (at + 1) % count, ArrowLeft: (at - 1 + count) % count, Home: 0, End: count - 1 };
    if (!(event.key in next)) return;
    event.preventDefault();
    this.chooseTab(tabs[next[event.key]]);
    document.getElementById(`tab-${this.tab}`)!.focus();
  }

  private listen(): void {
    this.search.addEventListener("input", () => this.view.store.set({ query: this.search.value }));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.chooseFirst();
    });
    this.critical.addEventListener("click", () =>
      this.view.store.set({ showsCritical: !this.view.store.state.showsCritical }));
    document.addEventListener("keydown", (event) => {
      if (event.key === "?" && !(event.target as Element).matches("input, textarea")) this.help.toggle();
      if (event.key !== "/" || event.target === this.search) return;
      event.preventDefault();
      this.search.focus();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    addEventListener("resize", () => this.view.show(this.tab));
    addEventListener("popstate", () => this.apply(readAddress()));
    addEventListener("pagehide", () => this.writeAddress(false));
  }

  /// Shows what an address says. What it does not name is as at the start; names of what is not there are ignored.
  private apply(address: Address): void {
    clearTimeout(this.timer);
    this.timer = 0;
    if (address.theme === "dark" || address.theme === "light") document.documentElement.dataset.theme = address.theme;
    this.restyle();
    this.current = Math.max(this.data.reports.findIndex((report) => report.function === address.fn), 0);
    this.tab = tabs.find((tab) => tab === address.tab) ?? "Overview";
    const view = this.viewOf(this.current), { op, run, from, to } = address;
    const selectedOp = op !== undefined && view.has(op) ? op : undefined;
    view.store.set({
      selectedOp, selectedRun: selectedOp !== undefined && Number.isInteger(run) ? run : undefined,
      selectedRange: address.sumFrom !== undefined && address.sumTo !== undefined && address.sumFrom < address.sumTo
        ? { from: address.sumFrom, to: address.sumTo } : undefined,
      query: address.q ?? "", showsCritical: address.critical === 1 && view.hasPath,
      foldsLayers: address.fold === 1 && canFold(view.report),
    });
    view.range = from !== undefined && to !== undefined && from < to ? { from, to } : undefined;
    this.showFunction();
  }

  /// Browsers let a page write its address only a few times a second, and not with each frame.
  private noteMove(): void {
    this.timer ||= window.setTimeout(() => this.writeAddress(false), 300);
  }
  private writeAddress(isNew: boolean): void {
    clearTimeout(this.timer);
    this.timer = 0;
    const { report, store, range } = this.view;
    const { selectedOp, selectedRun, selectedRange, query, showsCritical, foldsLayers } = store.state;
    writeAddress({
      fn: this.data.reports.length > 1 ? report.function : undefined,
      tab: this.tab === "Overview" ? undefined : this.tab,
      op: selectedOp, run: selectedRun, from: range?.from, to: range?.to,
      sumFrom: selectedRange?.from, sumTo: selectedRange?.to,
      q: query === "" ? undefined : query, critical: showsCritical ? 1 : undefined, fold: foldsLayers ? 1 : undefined,
      theme: document.documentElement.dataset.theme,
    }, isNew);
  }

  /// Chooses the first op that the search finds.
  private chooseFirst(): void {
    const { query } = this.view.store.state;
    const hit = query.trim() === "" ? undefined
      : this.data.reports[this.current].ops.find((op) => matchesOp(op, query));
    if (hit) this.view.store.set({ selectedOp: hit.name });
  }

  private switchTheme(): void {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    this.restyle();
    this.noteMove();
  }
  /// Views that nobody looks at are drawn anew, too, as they would keep the old theme.
  private restyle(): void {
    for (const view of this.views.values()) view.restyle(this.tab);
  }
}
