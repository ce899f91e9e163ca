// Shows the keys and gestures of the page in a dialog.

import { h } from "./dom";

const lines: [string, string][] = [
  ["/", "search ops by name or kind"],
  ["?", "this help"],
  ["← →, A D", "timeline: earlier, later"],
  ["+ −, W S", "timeline: zoom in, zoom out"],
  ["Home, End", "timeline: show all, go to the end; among the tabs: the first, the last"],
  ["F", "timeline: go to the chosen op (so does a double click)"],
  ["N P", "timeline: choose the next op, the previous one"],
  ["] [", "timeline: show the next layer, the previous one (as a click on its box)"],
  ["Fold layers", "timeline: one iteration of each loop, so that what is in a layer has room"],
  ["R", "timeline: sum up the part of time that is shown; again: all"],
  ["Esc", "timeline: choose no op and no part of time"],
  ["Wheel", "timeline: zoom at the pointer; with Shift: earlier, later. Where there are more engines than fit it " +
            "scrolls them, and zooms with Ctrl"],
  ["Drag", "timeline: earlier, later; with two fingers: zoom; on the axis, or with Shift: sum up a part of time"],
  ["Pointer", "timeline: what a slice is, and why an engine is idle (idle times have no key)"],
];

export class Help {
  private readonly dialog = h("dialog", { class: "help", "aria-label": "Help" },
    h("h2", {}, "Keys, wheel and pointer"),
    h("p", {}, "The keys of the timeline hold while it has the focus: Tab comes to it, or a click. Where slices are thinner " +
               "than a pixel, each column shows how much of its time goes to each kind of op. A colour of the legend " +
               "searches for its kind; a search may also be kind:matmul. The address holds what is shown: a copy of it opens the same."),
    h("dl", {}, ...lines.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("button", { type: "button", onclick: () => this.dialog.close() }, "Close"));
  readonly elements = [
    h("button", { type: "button", "aria-label": "Help: keys, wheel and pointer", title: "Keys, wheel and pointer (?)",
                  onclick: () => this.toggle() }, "?"),
    this.dialog,
  ];

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
