// Shows every op as a point under the ceilings of the machine.

import uPlot from "uplot";
import { Ceiling, labelOf, leftOut, makeCeilings, makePoints, missingCeilings, Point, rateUnder, thoseThatCount } from "./ceilings";
import { Colours } from "./colours";
import { elide, h } from "./dom";
import { formatCount, formatMicroseconds } from "./format";
import { kindOf, matchesOp } from "./kinds";
import { Box, boxesOf, Disc, LabelPlace, Place, placeLabels, placeNames } from "./labels";
import { kindLegend } from "./legend";
import { nameInLayer } from "./names";
import { mainMemory, Report } from "./report";
import { Store } from "./state";

const reach = 12; // pixels from a point where a click still means it
const mostListed = 12;
const leastNamed = 0.02; // the least share of the engine time that gets a name

/// Returns the radius in pixels. The area is the share of the engine time.
function radiusOf({ share }: Point): number {
  return Math.max(3.5, 30 * Math.sqrt(share));
}

/// Returns the powers of ten around two values.
function decades(least: number, most: number): [number, number] {
  return [Math.pow(10, Math.floor(Math.log10(least))), Math.pow(10, Math.ceil(Math.log10(most)))];
}

function describe(point: Point): string {
  return `${point.op.name}: ${point.intensity.toPrecision(3)} operations per byte, ${formatCount(point.rate)}op/s, ` +
         `${formatMicroseconds(point.seconds * 1e6)} a run, ${point.op.bound} bound`;
}

export class Roofline {
  readonly element: HTMLElement;
  private readonly host = h("div", { class: "roofline-host", tabindex: 0, role: "application",
    "aria-label": "Roofline: the arrow keys choose the next and the previous op by operations per byte.",
    onkeydown: (event) => this.onKey(event as KeyboardEvent) });
  private readonly caption = h("p", { class: "tip-line", role: "status" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly points: Point[];
  private readonly allCeilings: Ceiling[];
  private ceilings: Ceiling[]; // those that are drawn now
  private readonly intensities: [number, number] = [0.1, 10];
  private readonly rates: [number, number] = [1e9, 1e12];
  private labels: LabelPlace[] | undefined; // the places of the ceilings' labels
  private labelBoxes: Box[] = [];
  private plot: uPlot | undefined;
  private width = 0; // the width for which it was drawn

  constructor(report: Report, private readonly store: Store, private readonly colours: Colours) {
    this.points = makePoints(report);
    this.allCeilings = makeCeilings(report);
    this.ceilings = thoseThatCount(report, this.allCeilings, this.points);
    const isMore = this.ceilings.length < this.allCeilings.length;
    if (this.points.length > 0) [this.intensities, this.rates] = this.ranges(mainMemory(report).name);
    const others = leftOut(report);
    this.element = h("section", { class: "roofline", "aria-label": "Roofline", "data-points": this.points.length },
      h("p", { class: "muted" },
        `Operations per byte of ${mainMemory(report).name} against operations per second, each op as if alone on the ` +
        "machine; a multiply-accumulate is two operations. The area of a point is its share of the engine time. Dashed " +
        "lines are of one engine, or of some kernels."),
      isMore ? this.makeChoice(report) : undefined,
      kindLegend(this.points.map((point) => point.op), colours, store), this.host, this.caption,
      ...missingCeilings(report).map((text) => h("p", { class: "muted" }, text)),
      others.length === 0 ? undefined : h("details", { class: "left-out" },
        h("summary", {}, `Not drawn: ${others.length === 1 ? "one op" : `${others.length} ops`} without operations or bytes`),
        h("ul", {}, ...others.map(([op, why]) => h("li", {}, `${op.name}: ${why}`)))),
      this.tip);
    new ResizeObserver(() => {
      const { clientWidth } = this.element;
      if (clientWidth > 0 && clientWidth !== this.width) this.show();
    }).observe(this.element);
    store.subscribe((_, changed) => {
      if (this.element.closest("[hidden]")) return; // it will be drawn when it is looked at
      if (changed.has("selectedOp")) this.showSelected();
      else if (changed.has("query")) this.plot?.redraw(false, false);
    });
  }

  /// Ceilings that no op comes near are drawn only if the box is checked.
  private makeChoice(report: Report): HTMLElement {
    const box = h("input", { type: "checkbox", onchange: () => {
      this.ceilings = box.checked ? this.allCeilings : thoseThatCount(report, this.allCeilings, this.points);
      this.show();
    } });
    return h("label", { class: "choice" }, box, ` all ${this.allCeilings.length} ceilings`);
  }

  /// The axes hold all points, all ceilings of operations, and where these meet the main memory's slope.
  private ranges(memory: string): [[number, number], [number, number]] {
    const rates = this.points.map((point) => point.rate), intensities = this.points.map((point) => point.intensity);
    const flats = this.ceilings.filter((ceiling) => !ceiling.isSlope).map((ceiling) => ceiling.perSecond);
    const main = this.ceilings.find((ceiling) => ceiling.isSlope && ceiling.names.includes(memory))!;
    const bends = flats.map((most) => most / main.perSecond);
    const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b)), most = (values: number[]) => values.reduce((a, b) => Math.max(a, b));
    return [decades(least([...intensities, ...bends]), most([...intensities, ...bends])),
            decades(least(rates), most([...rates, ...flats]))];
  }

  /// The size of the element is known only when it is shown.
  show(): void {
    this.width = this.element.clientWidth;
    this.plot?.destroy();
    this.labels = undefined;
    this.tip.hidden = true; // it described a point of the old plot
    this.host.replaceChildren();
    if (this.points.length > 0) this.build(Math.max(this.width - 20, 300));
    this.showSelected();
  }

  private build(width: number): void {
    const style = getComputedStyle(document.documentElement);
    const text = style.getPropertyValue("--text").trim(), line = style.getPropertyValue("--line").trim();
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    this.plot = new uPlot({
      width, height: Math.min(Math.max(window.innerHeight - 300, 380), 620),
      scales: { x: { time: false, distr: 3, range: this.intensities }, y: { distr: 3, range: this.rates } },
      axes: [{ ...axis, label: "operations per byte" },
             { ...axis, label: "operations per second", size: 80,
               values: (_, splits) => splits.map((value) => (value === null ? "" : formatCount(value))) }],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      legend: { show: false },
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [() => (this.element.dataset.ceilings = String(this.ceilings.length)), (plot) => this.drawCeilings(plot, text, style.getPropertyValue("--surface").trim()),
                      (plot) => this.drawPoints(plot), (plot) => this.drawNames(plot)] },
    }, [this.intensities, this.rates], this.host);
    this.plot.over.addEventListener("pointermove", (event) => this.hover(event));
    this.plot.over.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.plot.over.addEventListener("click", (event) => this.choose(this.under(event.offsetX, event.offsetY)));
  }

  /// Returns the ends of a ceiling in the plot. Slopes end under the highest flat ceiling; flat ones begin at the
  /// steepest slope.
  private endsOf(plot: uPlot, ceiling: Ceiling): [Place, Place] {
    const of = (isSlope: boolean) =>
      this.ceilings.filter((other) => other.isSlope === isSlope).map((other) => other.perSecond);
    const highest = Math.max(...of(false), 0) || Infinity, steepest = Math.max(...of(true));
    let [from, to] = this.intensities;
    if (ceiling.isSlope) to = Math.min(to, Math.min(highest, this.rates[1]) / ceiling.perSecond);
    else from = Math.max(from, ceiling.perSecond / steepest);
    if (ceiling.isSlope) from = Math.max(from, this.rates[0] / ceiling.perSecond);
    const at = (x: number) => ({ x: plot.valToPos(x, "x", true), y: plot.valToPos(rateUnder(ceiling, x), "y", true) });
    return [at(from), at(to)];
  }

  private drawCeilings(plot: uPlot, colour: string, surface: string): void {
    const context = plot.ctx, ratio = uPlot.pxRatio;
    const lines = this.ceilings.map((ceiling) => this.endsOf(plot, ceiling));
    context.save();
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.5 * ratio;
    for (const [index, [from, to]] of lines.entries()) {
      context.setLineDash(this.ceilings[index].isOfSome ? [6 * ratio, 4 * ratio] : []);
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
      context.stroke();
    }
    context.setLineDash([]);
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.strokeStyle = surface;
    context.lineWidth = 4 * ratio;
    context.lineJoin = "round";
    const texts = this.ceilings.map((ceiling) => labelOf(ceiling, plot.width < 600 ? 20 : 60));
    const widths = texts.map((text) => context.measureText(text).width);
    this.labels ??= placeLabels(lines, widths, this.cells(plot), plot.bbox, ratio);
    this.labelBoxes = this.labels.flatMap((place, index) => boxesOf(place, widths[index], ratio));
    this.labels.forEach((place, index) => {
      context.save();
      context.translate(place.x, place.y);
      context.rotate(place.angle);
      context.strokeText(texts[index], 0, 0);
      context.fillText(texts[index], 0, 0);
      context.restore();
    });
    context.restore();
  }

  private placeOf(plot: uPlot, point: Point, isOnCanvas: boolean): Place {
    return { x: plot.valToPos(point.intensity, "x", isOnCanvas), y: plot.valToPos(point.rate, "y", isOnCanvas) };
  }

  /// Returns the places of the points on the canvas. Points that lie together have one, which is as large as the largest.
  private cells(plot: uPlot): Disc[] {
    const cells = new Map<string, Disc>();
    for (const point of this.points) {
      const place = this.placeOf(plot, point, true);
      const key = `${Math.round(place.x / 6)} ${Math.round(place.y / 6)}`;
      cells.set(key, { ...place, radius: Math.max(cells.get(key)?.radius ?? 0, radiusOf(point) * uPlot.pxRatio) });
    }
    return [...cells.values()];
  }

  private drawPoints(plot: uPlot): void {
    const context = plot.ctx, ratio = uPlot.pxRatio, { query, selectedOp } = this.store.state;
    const style = getComputedStyle(document.documentElement);
    const isChosen = (point: Point) => point.op.name === selectedOp;
    // Small ones lie above large ones, and the chosen one above all others.
    const bySize = [...this.points].sort((a, b) => b.share - a.share);
    for (const point of [...bySize.filter((other) => !isChosen(other)), ...bySize.filter(isChosen)]) {
      const { x, y } = this.placeOf(plot, point, true);
      const isSelected = isChosen(point);
      if (isSelected) {
        const place = this.placeOf(plot, point, false);
        this.element.dataset.selectedAt = `${place.x},${place.y}`;
      }
      context.globalAlpha = isSelected || matchesOp(point.op, query) ? 1 : 0.15;
      context.beginPath();
      context.arc(x, y, radiusOf(point) * ratio, 0, 2 * Math.PI);
      context.fillStyle = this.colours.get(kindOf(point.op))!;
      context.fill();
      context.lineWidth = (isSelected ? 3 : 1) * ratio;
      context.strokeStyle = style.getPropertyValue(isSelected ? "--selection" : "--text").trim();
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  /// Returns the points that take some time. Points that lie together are one with several names.
  private namedPoints(plot: uPlot): { names: string[]; x: number; y: number; radius: number }[] {
    const ratio = uPlot.pxRatio, groups: { names: string[]; x: number; y: number; radius: number }[] = [];
    for (const point of this.points.filter(({ share }) => share >= leastNamed).sort((a, b) => b.share - a.share)) {
      const { x, y } = this.placeOf(plot, point, true), name = nameInLayer(point.op);
      const same = groups.find((group) => Math.hypot(group.x - x, group.y - y) < 8 * ratio);
      if (!same) groups.push({ names: [name], x, y, radius: radiusOf(point) * ratio });
      else if (!same.names.includes(name)) same.names.push(name);
    }
    return groups;
  }
  private drawNames(plot: uPlot): void {
    const context = plot.ctx, ratio = uPlot.pxRatio, style = getComputedStyle(document.documentElement);
    context.save();
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    context.lineWidth = 3 * ratio;
    context.strokeStyle = style.getPropertyValue("--surface").trim();
    context.fillStyle = style.getPropertyValue("--text").trim();
    const named = this.namedPoints(plot).map((group) => ({ ...group, text: elide(group.names.join(", "), plot.width < 600 ? 24 : 70) }));
    const places = placeNames(named.map((group) => ({ ...group, width: context.measureText(group.text).width })), plot.bbox,
                              14 * ratio, this.ceilings.map((ceiling) => this.endsOf(plot, ceiling)), this.labelBoxes);
    places.forEach((place, index) => {
      if (!place) return;
      context.strokeText(named[index].text, place.x, place.y);
      context.fillText(named[index].text, place.x, place.y);
    });
    this.element.dataset.named = named.filter((_, index) => places[index]).flatMap(({ names }) => names).join(" ");
    context.restore();
  }

  /// Returns all points near a place, the nearest first. If there is none, returns the point whose area holds the
  /// place.
  private under(x: number, y: number): Point[] {
    const distance = new Map(this.points.map((point) => {
      const place = this.placeOf(this.plot!, point, false);
      return [point, Math.hypot(place.x - x, place.y - y)];
    }));
    const near = (most: (point: Point) => number) => this.points.filter((point) => distance.get(point)! < most(point))
      .sort((a, b) => distance.get(a)! - distance.get(b)!);
    const close = near(() => reach);
    return close.length > 0 ? close : near(radiusOf).slice(0, 1);
  }
  /// Chooses the nearest point. If one of these is chosen already, the next one follows.
  private choose(points: Point[]): void {
    if (points.length === 0) return;
    const at = points.findIndex((point) => point.op.name === this.store.state.selectedOp);
    this.store.set({ selectedOp: points[(at + 1) % points.length].op.name });
  }
  private hover(event: PointerEvent): void {
    const points = this.under(event.offsetX, event.offsetY);
    this.tip.hidden = points.length === 0;
    if (points.length === 0) return;
    const lines = points.slice(0, mostListed).map(describe);
    if (points.length > mostListed) lines.push(`and ${points.length - mostListed} more`);
    if (points.length > 1) lines.push("Each click chooses the next one.");
    this.tip.replaceChildren(...lines.map((line) => h("div", {}, line)));
    const { offsetWidth, offsetHeight } = this.tip;
    this.tip.style.left = `${Math.max(Math.min(event.clientX + 14, window.innerWidth - offsetWidth - 8), 0)}px`;
    this.tip.style.top = `${Math.max(Math.min(event.clientY + 14, window.innerHeight - offsetHeight - 8), 0)}px`;
  }

  private onKey(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || this.points.length === 0) return;
    event.preventDefault();
    const at = this.points.findIndex((point) => point.op.name === this.store.state.selectedOp);
    const next = at < 0 ? 0 : (at + step + this.points.length) % this.points.length;
    this.store.set({ selectedOp: this.points[next].op.name });
  }

  private showSelected(): void {
    const { selectedOp } = this.store.state;
    const point = this.points.find((candidate) => candidate.op.name === selectedOp);
    this.element.dataset.selected = point ? point.op.name : "";
    this.caption.textContent = point ? describe(point) : selectedOp === undefined
      ? "Click a point, or come here with the tab key and use the arrow keys." : `${selectedOp} is no point here.`;
    this.plot?.redraw(false, false);
  }
}
