// The frame around the views: which function, which view, search, theme.

import { chooseColours, Colours } from "./colours";
import { findBaseline } from "./compare";
import { Details } from "./details";
import { h } from "./dom";
import { Graph } from "./graph";
import { kindLegend } from "./legend";
import { PageData, Report } from "./report";
import { Roofline } from "./roofline";
import { Schedule } from "./schedule";
import { Store } from "./state";
import { Summary } from "./summary";
import { Table } from "./table";
import { SharedRange, Timeline } from "./timeline/timeline";

interface View {
  element?: HTMLElement;
  show?: () => void; // each time that it is looked at
}

const tabs = ["Timeline", "Graph", "Roofline", "Table", "Summary"] as const;
type Tab = (typeof tabs)[number];

/// The views of one function. They are made when they are first looked at.
class FunctionViews {
  readonly store = new Store();
  readonly element = h("main", { class: "views" });
  readonly details: HTMLElement;
  private readonly panels = new Map<Tab, HTMLElement>();
  private readonly made = new Map<Tab, View>();
  private readonly timelines: Timeline[] = [];
  private readonly baseline;

  constructor(private readonly report: Report, data: PageData, private readonly colours: Colours) {
    this.baseline = findBaseline(report, data);
    this.details = new Details(report, this.store, this.baseline).element;
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
    this.timelines.forEach((timeline) => timeline.restyle());
    this.made.get(tab)?.show?.();
  }

  private make(tab: Tab, panel: HTMLElement): View {
    if (tab === "Timeline") {
      this.makeTimelines(panel);
      return {};
    }
    const view: View & { element: HTMLElement } =
      tab === "Graph" ? new Graph(this.report, this.store, this.colours)
      : tab === "Roofline" ? new Roofline(this.report, this.store, this.colours)
      : tab === "Table" ? new Table(this.report, this.store, this.baseline)
      : new Summary(this.report, this.store, this.baseline);
    panel.append(view.element);
    return view;
  }

  /// This run and, beneath, the baseline, on one axis.
  private makeTimelines(panel: HTMLElement): void {
    const schedules = [new Schedule(this.report)];
    if (this.baseline) schedules.push(new Schedule(this.baseline.report));
    const end = Math.max(...schedules.map((schedule) => schedule.endCycle / schedule.report.clock_hz));
    const shared: SharedRange = { range: { from: 0, to: end }, end, redraw: [] };
    panel.append(kindLegend([...this.report.ops, ...(this.baseline?.report.ops ?? [])], this.colours, this.store));
    schedules.forEach((schedule, index) => {
      const isOnlyHere = (name: string) => index === 0 || !schedules[0].opByName.has(name);
      const label = `${index === 0 ? "" : "Baseline: "}${schedule.report.function} on ${schedule.report.target}`;
      const timeline = new Timeline(schedule, this.store, this.colours, shared, isOnlyHere, label);
      this.timelines.push(timeline);
      panel.append(timeline.element);
    });
  }
}

export class Page {
  private readonly colours: Colours;
  private readonly views = new Map<number, FunctionViews>();
  private readonly body = h("div", { class: "body" });
  private readonly search = h("input", { type: "search", placeholder: "Search ops (/)", "aria-label": "Search ops" });
  private readonly critical = h("button", { type: "button", "aria-pressed": "false" }, "Critical path");
  private tab: Tab = "Timeline";
  private current = 0;

  constructor(host: HTMLElement, private readonly data: PageData) {
    this.colours = chooseColours([...data.reports, ...data.baselines]);
    const first = data.reports[0];
    document.title = `${first.program?.model ?? first.function} on ${first.target}`;
    host.replaceChildren(this.makeHeader(first), this.body);
    this.listen();
    this.showFunction(0);
  }

  private get view(): FunctionViews {
    return this.views.get(this.current)!;
  }

  private makeHeader(first: Report): HTMLElement {
    const title = first.program ? `${first.program.model}, ${first.program.phase}` : "Schedule";
    const choice = h("select", { "aria-label": "Function", onchange: () => this.showFunction(choice.selectedIndex) },
      ...this.data.reports.map((report) => h("option", {}, report.function)));
    const theme = h("button", { type: "button", onclick: () => this.switchTheme() }, "Dark / light");
    return h("header", {},
      h("h1", {}, title), this.data.reports.length > 1 ? choice : undefined,
      h("div", { role: "tablist", "aria-label": "Views" }, ...tabs.map((tab) =>
        h("button", { type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": `panel-${tab}`,
                      onclick: () => this.showTab(tab), onkeydown: (event) => this.onTabKey(event as KeyboardEvent) }, tab))),
      this.search, this.critical, theme);
  }

  private showFunction(index: number): void {
    this.current = index;
    if (!this.views.has(index)) {
      const views = new FunctionViews(this.data.reports[index], this.data, this.colours);
      views.store.subscribe((state) => this.reflect(state.query, state.showsCritical));
      this.views.set(index, views);
    }
    this.body.replaceChildren(this.view.element, this.view.details);
    this.reflect(this.view.store.state.query, this.view.store.state.showsCritical);
    // A schedule that breaks a rule has no slack that means anything.
    this.critical.hidden = this.data.reports[index].ops.every((op) => op.is_critical === undefined);
    this.showTab(this.tab);
  }
  private reflect(query: string, showsCritical: boolean): void {
    if (this.search.value !== query) this.search.value = query;
    this.critical.setAttribute("aria-pressed", String(showsCritical));
  }

  private showTab(tab: Tab): void {
    this.tab = tab;
    for (const name of tabs) {
      const button = document.getElementById(`tab-${name}`)!;
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
    }
    this.view.show(tab);
  }
  private onTabKey(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    this.showTab(tabs[(tabs.indexOf(this.tab) + step + tabs.length) % tabs.length]);
    document.getElementById(`tab-${this.tab}`)!.focus();
  }

  private listen(): void {
    this.search.addEventListener("input", () => this.view.store.set({ query: this.search.value }));
    this.critical.addEventListener("click", () =>
      this.view.store.set({ showsCritical: !this.view.store.state.showsCritical }));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target === this.search) return;
      event.preventDefault();
      this.search.focus();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    addEventListener("resize", () => this.view.show(this.tab));
  }

  private switchTheme(): void {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    this.restyle();
  }
  /// Those that are not looked at, too: they would come back as they were.
  private restyle(): void {
    for (const view of this.views.values()) view.restyle(this.tab);
  }
}
