// What a person sees first: the key figures, what to change first, the timeline, and what it sums up to.

import { adviceOf } from "./advice";
import { Colours } from "./colours";
import { Baseline } from "./compare";
import { h } from "./dom";
import { makeKeyFigures } from "./keyFigures";
import { kindLegend } from "./legend";
import { RangePanel } from "./rangePanel";
import { faultsOf, Report } from "./report";
import { Schedule } from "./schedule";
import { Store } from "./state";
import { SharedRange, Timeline } from "./timeline/timeline";
import { Range } from "./timeline/view";

export class Overview {
  readonly element: HTMLElement;
  private readonly timelines: Timeline[] = [];
  private readonly shared: SharedRange;
  private readonly isCompared: boolean; // two timelines leave less room for each

  constructor(private readonly report: Report, private readonly store: Store, private readonly colours: Colours,
              baseline: Baseline | undefined, onMove: () => void) {
    this.isCompared = baseline !== undefined;
    const schedules = [new Schedule(report), ...(baseline ? [new Schedule(baseline.report)] : [])];
    const end = Math.max(...schedules.map((schedule) => schedule.endCycle / schedule.report.clock_hz));
    this.shared = { range: { from: 0, to: end }, end, clockHz: report.clock_hz, redraw: [onMove], isClicked: false };
    this.addTimeline(schedules[0], undefined, baseline?.sides.ownLabel ?? "");
    if (baseline) this.addTimeline(schedules[1], schedules[0], `${baseline.sides.others}: `);
    const sums = new RangePanel(schedules[0], store, colours, (range) => this.timelines[0].setRange(range.from, range.to));
    this.element = h("div", { class: "overview" }, makeKeyFigures(report, baseline), this.makeAdvice(),
      kindLegend([...report.ops, ...(baseline?.report.ops ?? [])], colours, store),
      ...this.timelines.map((timeline) => timeline.element), sums.element);
  }

  /// The baseline is beneath, on the same axis.
  private addTimeline(schedule: Schedule, first: Schedule | undefined, side: string): void {
    const isOnlyHere = (name: string) => !first || !first.opByName.has(name);
    const label = `${side}${schedule.report.function} on ${schedule.report.target}`;
    this.timelines.push(new Timeline(schedule, this.store, this.colours, this.shared, isOnlyHere, label,
                                     this.isCompared ? 1 : undefined));
  }

  /// None for a schedule that does not hold: it is to be mended first.
  private makeAdvice(): HTMLElement | undefined {
    const sentences = faultsOf(this.report).length > 0 ? [] : adviceOf(this.report);
    if (sentences.length === 0) return undefined;
    const [first, binds, savings, ...others] = sentences;
    return h("div", { class: "advice", "data-role": "advice" }, h("b", {}, `What to change first: ${first} `),
      savings ?? "", h("details", {}, h("summary", {}, "More"), ` ${[binds, ...others].filter((each) => each).join(" ")}`));
  }

  /// What the timelines show, in cycles of the report; undefined: all.
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
  }
  restyle(): void {
    this.timelines.forEach((timeline) => timeline.restyle());
  }
}
