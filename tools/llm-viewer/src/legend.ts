// Shows what colours mean.

import { Colours } from "./colours";
import { h } from "./dom";
import { kindOf, kindQuery } from "./kinds";
import { Op } from "./report";
import { Store } from "./state";

export function legend(...entries: [string, string][]): HTMLElement {
  return h("ul", { class: "legend", "aria-label": "Colours" }, ...entries.map(([text, colour]) =>
    h("li", {}, swatch(colour), text)));
}

/// Lists the kinds of ops. A click searches for one, or ends the search for it.
export function kindLegend(ops: Op[], colours: Colours, store: Store): HTMLElement {
  const used = new Set(ops.map(kindOf));
  const search = (kind: string) => {
    const query = kindQuery(kind);
    store.set({ query: store.state.query === query ? "" : query });
  };
  return h("ul", { class: "legend", "aria-label": "Colours of ops" }, ...[...colours]
    .filter(([kind]) => used.has(kind))
    .map(([kind, colour], index, all) => h("li", { class: colour === all[index - 1]?.[1] ? "same" : "" }, h("button", { type: "button", onclick: () => search(kind) }, swatch(colour), kind))));
}

function swatch(colour: string): HTMLElement {
  return h("span", { class: "swatch", style: `background: ${colour}` });
}
