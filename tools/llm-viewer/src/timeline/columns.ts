// Draws the slices of one row as columns of pixels. Each column shows how much of its time goes to each kind of op, so
// that thousands of slices keep their shares even if they are thinner than a pixel.

import { firstEndingAfter, Row, Slices } from "../schedule";
import { Emphasis, Range } from "./view";

/// Says whether a column holds the chosen op, and whether it holds the chosen run.
export enum Mark { None, Op, Run }

export class Columns {
  count = 0;
  mark = new Uint8Array(0);
  /// 0 if nothing is there, 1 if only fetches are there, 2 if other slices are there, too.
  holds = new Uint8Array(0);
  /// The slices that are at least as wide as asked for.
  readonly wide: number[] = [];
  private cover = new Float32Array(0); // by column, then key
  private readonly keys: number; // twice the kinds: plain, then dimmed

  constructor(private readonly slices: Slices, private readonly kindOf: Uint16Array, readonly kinds: number) {
    this.keys = 2 * kinds;
  }

  private reset(count: number): void {
    if (count !== this.count) {
      this.count = count;
      this.mark = new Uint8Array(count);
      this.holds = new Uint8Array(count);
      this.cover = new Float32Array(count * this.keys);
    } else {
      this.mark.fill(0);
      this.holds.fill(0);
      this.cover.fill(0);
    }
    this.wide.length = 0;
  }

  /// Looks at each slice in the range once.
  fill(row: Row, range: Range, count: number, emphasis: Emphasis, leastWide: number): void {
    const { start, end, op, run, prefetch, onPath } = this.slices;
    this.reset(count);
    const perCycle = count / (range.to - range.from), last = count - 1;
    for (let at = firstEndingAfter(this.slices, row, range.from); at < row.end && start[at] < range.to; ++at) {
      const left = Math.max((start[at] - range.from) * perCycle, 0);
      const right = Math.min((end[at] - range.from) * perCycle, count);
      if (right < left) continue;
      const first = Math.min(Math.floor(left), last), behind = Math.min(Math.floor(right), last);
      const isDim = emphasis.dims[op[at]] === 1 || (emphasis.showsPath && onPath[at] === 0);
      const key = this.kindOf[op[at]] + (isDim ? this.kinds : 0);
      if (first === behind) // what takes no time is seen, too
        this.cover[first * this.keys + key] += Math.max(right - left, 1e-6);
      else
        this.addWide(left, right, first, behind, key);
      const kind = prefetch[at] === 0 ? 2 : 1;
      for (let column = first; column <= behind; ++column) this.holds[column] = Math.max(this.holds[column], kind);
      if (op[at] === emphasis.selected)
        this.markAll(first, Math.max(first + 1, Math.ceil(right)), run[at] === emphasis.run ? Mark.Run : Mark.Op);
      if (right - left >= leastWide) this.wide.push(at);
    }
  }

  private addWide(left: number, right: number, first: number, last: number, key: number): void {
    const { cover, keys } = this;
    cover[first * keys + key] += first + 1 - left;
    for (let column = first + 1; column < last; ++column) cover[column * keys + key] += 1;
    cover[last * keys + key] += right - last;
  }

  private markAll(first: number, last: number, mark: Mark): void {
    for (let column = first; column < last; ++column) this.mark[column] = Math.max(this.mark[column], mark);
  }

  /// Fills in what the column shows: keys of the palette, and the share of the height that each has. Returns their
  /// number. If ops are dimmed, the others hide them.
  stack(column: number, isDimming: boolean, least: number, keys: Int32Array, shares: Float64Array): number {
    const { cover, kinds } = this, begin = column * this.keys;
    let count = 0, sum = 0;
    const addKeys = (first: number, end: number) => {
      for (let key = first; key < end; ++key) {
        const share = cover[begin + key];
        if (share === 0) continue;
        sum += share;
        keys[count] = key;
        shares[count++] = share;
      }
    };
    addKeys(0, kinds);
    const hides = isDimming && count > 0;
    if (isDimming && !hides) addKeys(kinds, 2 * kinds);
    // Slices that overlap break the rules; each has its part then.
    const scale = (hides ? 1 : Math.min(Math.max(sum, least), 1)) / sum;
    for (let i = 0; i < count; ++i) shares[i] *= scale;
    return count;
  }
}
