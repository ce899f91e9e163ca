// Shows the trace of another tool: its timeline and, beneath, where the time went.

import { coloursOf } from "../colours";
import { h } from "../dom";
import { formatMicroseconds, formatWhole } from "../format";
import { legend } from "../legend";
import { Store } from "../state";
import { TraceData } from "./data";
import { TraceSlices } from "./slices";
import { TraceTable } from "./table";
import { TraceTimeline } from "./timeline";

export class TracePage {
  private readonly store = new Store();
  private readonly timeline: TraceTimeline;
  private readonly search = h("input", { type: "search", placeholder: "Search names (/)", "aria-label": "Search names" });

  constructor(host: HTMLElement, data: TraceData) {
    const { table } = data, slices = new TraceSlices(data), used = new Set(slices.kinds);
    const colours = coloursOf(data.kinds);
    this.timeline = new TraceTimeline(slices, this.store, colours);
    document.title = table.format;
    host.replaceChildren(
      h("div", { class: "notices" }, ...table.notes.map((note) => h("p", { class: "note", role: "note" }, note))),
      h("header", {}, h("h1", {}, table.format), h("span", { class: "muted" }, factsOf(data)), this.search,
        h("button", { type: "button", class: "theme", "aria-label": "Dark / light", title: "Dark / light",
                      onclick: () => this.switchTheme() }, "◐")),
      h("div", { class: "body alone" }, h("main", { class: "views" },
        legend(...[...colours].filter(([kind]) => used.has(kind))),
        this.timeline.element, new TraceTable(data, this.store).element)));
    this.listen();
  }

  private listen(): void {
    this.search.addEventListener("input", () => this.store.set({ query: this.search.value }));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target === this.search) return;
      event.preventDefault();
      this.search.focus();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.timeline.restyle());
  }

  private switchTheme(): void {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    this.timeline.restyle();
  }
}

function factsOf({ table, lanes }: TraceData): string {
  const threads = lanes.filter((lane) => !lane.is_device).length;
  const count = (number: number, what: string) => `${formatWhole(number)} ${what}${number === 1 ? "" : "s"}`;
  return [table.devices.join(", "), count(table.events, "event"), count(threads, "thread"), count(lanes.length - threads, "stream"),
          formatMicroseconds(table.span_ns / 1000)].filter((fact) => fact !== "").join(" · ");
}
