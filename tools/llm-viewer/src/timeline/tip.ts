// Describes, beside the pointer, what stands at a place of the timeline.

import { h } from "../dom";
import { formatMicroseconds } from "../format";
import { kindOf } from "../kinds";
import { nameOfRun } from "../names";
import { toMicroseconds } from "../report";
import { iterationsOf } from "../runs";
import { Schedule } from "../schedule";
import { Painter } from "./painter";
import { View } from "./view";

export class Tip {
  readonly element = h("div", { class: "tip", hidden: true, role: "status" });

  constructor(private readonly schedule: Schedule, private readonly painter: Painter) {}

  hide(): void {
    this.element.hidden = true;
  }

  show(event: PointerEvent, view: View): void {
    const lines = this.describePlace(event.offsetX, event.offsetY, view);
    this.element.hidden = lines.length === 0;
    if (lines.length === 0) return;
    this.element.replaceChildren(...lines.map((line) => h("div", {}, line)));
    // The tip stays in the window, and is not under the pointer.
    const { offsetWidth, offsetHeight } = this.element, space = 14, margin = 8;
    const left = Math.min(event.clientX + space, innerWidth - offsetWidth - margin);
    const below = event.clientY + space, above = event.clientY - space - offsetHeight;
    const top = below + offsetHeight + margin <= innerHeight ? below : above;
    this.element.style.left = `${Math.max(left, margin)}px`;
    this.element.style.top = `${Math.max(top, margin)}px`;
  }

  private describePlace(x: number, y: number, view: View): string[] {
    const layer = this.painter.layers.at(x, y, view);
    if (layer) return [layer.name, `${this.toTime(layer.end - layer.start)}; a click shows it alone`];
    const slice = this.painter.sliceAt(x, y, view);
    if (slice >= 0) return this.describe(slice);
    const idle = this.painter.nextAt(x, y, view);
    if (!idle) return [];
    const { row, since, next } = idle;
    const until = next < 0 ? this.schedule.report.makespan_cycles : this.schedule.start[next];
    const head = `${row.label} is idle for ${this.toTime(until - since)}`;
    if (next < 0) return [`${head}: no work is left for it`];
    const op = this.schedule.report.ops[this.schedule.op[next]];
    return [head, `then ${op.name}${op.held_back_by ? `, which is held back by: ${op.held_back_by}` : ""}`];
  }

  private toTime(cycles: number): string {
    return formatMicroseconds(toMicroseconds(this.schedule.report, cycles));
  }

  private describe(slice: number): string[] {
    const { report } = this.schedule;
    const op = report.ops[this.schedule.op[slice]];
    const name = nameOfRun(report, op, iterationsOf(report, op, this.schedule.run[slice]));
    const part = this.schedule.part[slice], fetch = this.schedule.prefetch[slice];
    const start = this.schedule.start[slice], end = this.schedule.end[slice];
    const slot = op.slots.find((candidate) => candidate.part === part);
    const span = fetch ? slot?.prefetches?.[fetch - 1] : slot;
    return [
      fetch ? `fetch of ${slot?.prefetches?.[fetch - 1]?.buffer} for ${name}` : name,
      `${kindOf(op)}${op.slots.length > 1 ? `, part ${part + 1} of ${op.slots.length}` : ""}`,
      `from ${this.toTime(start)}, ${this.toTime(end - start)} (${end - start} cycles), ${op.bound} bound`,
      ...(span?.follows_by ? [`on the critical path${span.follows_by === "none" ? "" : ` by: ${span.follows_by}`}`] : []),
    ];
  }
}
