// Shows first: the key figures, what to change first, the timeline, and its sums.

import { adviceOf } from "./advice";
import { Colours } from "./colours";
import { Baseline } from "./compare";
import { h } from "./dom";
import { canFold, foldReport } from "./fold";
import { makeKeyFigures } from "./keyFigures";
import { kindLegend } from "./legend";
import { RangePanel } from "./rangePanel";
import { faultsOf, Report } from "./report";
import { Schedule } from "./schedule";
import { Store } from "./state";
import { SharedRange, Timeline } from "./timeline/timeline";
import { Range } from "./timeline/view";

/// Shows the timelines of a run and of its baseline on one axis, and their sums.
class TimelinePane {
  readonly element: HTMLElement;
  private readonly timelines: Timeline[] = [];
  private readonly shared: SharedRange;
  private readonly sums: RangePanel;

  constructor(private readonly report: Report, private readonly store: Store, private readonly colours: Colours,
              baseline: Report | undefined, labels: string[], onMove: () => void) {
    const schedules = [report, ...(baseline ? [baseline] : [])].map((each) => new Schedule(each));
    const end = Math.max(...schedules.map((schedule) => schedule.endCycle / schedule.report.clock_hz));
    this.shared = { range: { from: 0, to: end }, end, clockHz: report.clock_hz, redraw: [onMove], isClicked: false };
    for (const [index, schedule] of schedules.entries())
      this.addTimeline(schedule, schedules.slice(0, index), labels[index], schedules.length > 1 ? 1 : undefined);
    this.sums = new RangePanel(schedules[0], store, colours, (range) => this.timelines[0].setRange(range.from, range.to));
    this.element = h("div", {}, ...this.timelines.map((timeline) => timeline.element), this.sums.element);
  }

  /// Adds a timeline below the others. If there are two, they have less room for counters.
  private addTimeline(schedule: Schedule, above: Schedule[], side: string, mostCounters?: number): void {
    const isOnlyHere = (name: string) => above.every((other) => !other.opByName.has(name));
    const label = `${side}${schedule.report.function} on ${schedule.report.target}`;
    this.timelines.push(new Timeline(schedule, this.store, this.colours, this.shared, isOnlyHere, label, mostCounters));
  }

  /// The part of time that the timelines show, in cycles of the report; undefined if they show all.
  get range(): Range | undefined {
    const { range, end } = this.shared, { clock_hz } = this.report;
    if (range.to - range.from > end * (1 - 1e-9)) return undefined;
    const round = (seconds: number) => Math.round(seconds * clock_hz * 100) / 100;
    return { from: round(range.from), to: round(range.to) };
  }
  set range(range: Range | undefined) {
    this.timelines[0].setRange(range?.from ?? 0, range?.to ?? Infinity);
  }
  show(): void {
    this.timelines.forEach((timeline) => timeline.show());
    this.sums.show();
  }
  restyle(): void {
    this.timelines.forEach((timeline) => timeline.restyle());
  }
}

/// Says how far the times can be trusted, beside them.
function makeTrust({ target_certainty }: Report): HTMLElement | undefined {
  return target_certainty === undefined ? undefined
    : h("p", { class: "trust muted", "data-role": "trust" }, h("b", {}, "How certain: "), target_certainty);
}

export class Overview {
  readonly element: HTMLElement;
  private readonly panes = new Map<boolean, TimelinePane>(); // by whether layers are folded
  private readonly host = h("div");
  private readonly fold = h("button", { type: "button", class: "fold", "aria-pressed": "false", onclick: () => this.toggleFold(),
                                        title: "One iteration of each loop: what is in a layer has room" }, "Fold layers");

  constructor(private readonly report: Report, private readonly store: Store, private readonly colours: Colours,
              private readonly baseline: Baseline | undefined, private readonly onMove: () => void) {
    this.element = h("div", { class: "overview" }, makeKeyFigures(report, baseline), makeTrust(report), this.makeAdvice(),
      h("div", { class: "legend-line" }, kindLegend([...report.ops, ...(baseline?.report.ops ?? [])], colours, store),
        canFold(report) ? this.fold : undefined),
      this.host);
    this.showPane();
    store.subscribe((_, changed) => {
      if (changed.has("foldsLayers")) this.showPane();
    });
  }

  private get pane(): TimelinePane {
    const { foldsLayers } = this.store.state;
    if (!this.panes.has(foldsLayers)) this.panes.set(foldsLayers, this.makePane(foldsLayers ? foldReport : (report) => report));
    return this.panes.get(foldsLayers)!;
  }
  private makePane(of: (report: Report) => Report): TimelinePane {
    const { baseline } = this, labels = [baseline?.sides.ownLabel ?? "", `${baseline?.sides.others}: `];
    const pane = new TimelinePane(of(this.report), this.store, this.colours, baseline && of(baseline.report), labels, this.onMove);
    if (this.panes.size > 0 && !this.store.state.foldsLayers) this.host.prepend(pane.element);
    else this.host.append(pane.element);
    return pane;
  }
  private showPane(): void {
    const { pane } = this;
    for (const other of this.panes.values()) other.element.hidden = other !== pane;
    this.fold.setAttribute("aria-pressed", String(this.store.state.foldsLayers));
    pane.show();
  }
  /// Folding changes the axis, so the chosen part of time is given up.
  private toggleFold(): void {
    this.store.set({ foldsLayers: !this.store.state.foldsLayers, selectedRange: undefined });
  }

  /// A schedule that does not hold gets no advice, as it must be mended first.
  private makeAdvice(): HTMLElement | undefined {
    const sentences = faultsOf(this.report).length > 0 ? [] : adviceOf(this.report);
    if (sentences.length === 0) return undefined;
    const [first, binds, savings, ...others] = sentences;
    return h("div", { class: "advice", "data-role": "advice" }, h("b", {}, `What to change first: ${first} `),
      savings ?? "", h("details", {}, h("summary", {}, "More"), ` ${[binds, ...others].filter((each) => each).join(" ")}`));
  }

  /// The part of time that the timelines show, in cycles of the report that they show; undefined if they show all.
  get range(): Range | undefined {
    return this.pane.range;
  }
  set range(range: Range | undefined) {
    this.pane.range = range;
  }
  show(): void {
    this.pane.show();
  }
  restyle(): void {
    for (const pane of this.panes.values()) pane.restyle();
  }
}
