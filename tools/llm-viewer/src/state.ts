// The views share this: the chosen op and part of time, the search, and whether the critical path stands out.

import { Range } from "./timeline/view";

export interface State {
  selectedOp: string | undefined; // by name, so that it holds in the baseline, too
  selectedRun: number | undefined; // of the op, if one was chosen; choosing another op clears it
  selectedRange: Range | undefined; // cycles of the report
  query: string;
  showsCritical: boolean;
  foldsLayers: boolean; // the timeline has one iteration of each loop
}

export class Store {
  private listeners: ((state: State, changed: Set<keyof State>) => void)[] = [];
  state: State = { selectedOp: undefined, selectedRun: undefined, selectedRange: undefined, query: "", showsCritical: false,
                   foldsLayers: false };

  subscribe(listener: (state: State, changed: Set<keyof State>) => void): void {
    this.listeners.push(listener);
  }
  set(values: Partial<State>): void {
    if ("selectedOp" in values && !("selectedRun" in values)) values = { ...values, selectedRun: undefined };
    const changed = new Set<keyof State>();
    for (const key of Object.keys(values) as (keyof State)[])
      if (this.state[key] !== values[key]) changed.add(key);
    if (changed.size === 0) return;
    this.state = { ...this.state, ...values };
    for (const listener of this.listeners) listener(this.state, changed);
  }
}

export function matches(name: string, kind: string, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  return wanted === "" || name.toLowerCase().includes(wanted) || kind.toLowerCase().includes(wanted);
}
