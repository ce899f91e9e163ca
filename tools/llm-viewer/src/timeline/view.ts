// Says what part of a schedule is shown, and how.

export const gutter = 118; // pixels, for the names of engines
export const axisHeight = 24;
export const layerHeight = 18;

export interface Range {
  from: number; // cycles
  to: number;
}
export interface Theme {
  text: string;
  muted: string;
  line: string;
  background: string;
  selection: string;
}
/// The part of the canvas that is seen, in pixels of CSS. `ratio` is the number of device pixels for each.
export interface View {
  width: number;
  height: number;
  ratio: number;
  scrolled: number; // the height of the rows above it, in pixels
  range: Range;
}
export interface Emphasis {
  selected: number; // an op; -1 for none
  run: number; // a run of the op; -1 for none
  dims: Uint8Array; // by op
  showsPath: boolean; // what is not on the critical path is dimmed, too
  isDimming: boolean;
}

/// Few engines leave room for high rows, in which slices and their names can be seen.
export function rowHeightFor(rows: number): number {
  return rows <= 2 ? 44 : rows <= 4 ? 30 : 22;
}

export function toX(cycle: number, { range, width }: View): number {
  return gutter + ((cycle - range.from) / (range.to - range.from)) * (width - gutter);
}
export function toCycle(x: number, { range, width }: View): number {
  return range.from + ((x - gutter) / (width - gutter)) * (range.to - range.from);
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return { text: read("--text"), muted: read("--muted"), line: read("--line"), background: read("--surface"),
           selection: read("--selection") };
}
