// Turns a counter into lines that are drawn: its steps, or what a column of pixels can show of them.

import { Counter } from "../counters";

/// Times, and the mean, the least and the most from each of them on.
export type Samples = [times: number[], mean: number[], least: number[], most: number[]];

function firstAfter(times: Float64Array, cycle: number): number {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] > cycle) high = middle;
    else low = middle + 1;
  }
  return low;
}

export class Sampler {
  private readonly sum: Float64Array; // value times cycles, up to each change

  constructor(private readonly counter: Counter) {
    const { time, value } = counter;
    this.sum = new Float64Array(time.length);
    for (let i = 1; i < time.length; ++i)
      this.sum[i] = this.sum[i - 1] + value[i - 1] * (time[i] - time[i - 1]);
  }

  /// Returns the steps between two cycles. If they are closer than a line can show, returns the mean, the least and
  /// the most of each column.
  sample(from: number, to: number, columns: number): Samples {
    const { time } = this.counter;
    const first = Math.max(firstAfter(time, from) - 1, 0), end = firstAfter(time, to);
    const samples: Samples = end - first <= columns / 2 ? this.steps(first, end, from)
                                                        : this.ofColumns(first, end, from, to, columns);
    samples[0].push(to);
    for (const values of samples.slice(1)) values.push(values[values.length - 1] ?? 0);
    return samples;
  }

  private steps(first: number, end: number, from: number): Samples {
    const times = Array.from(this.counter.time.subarray(first, end), (cycle) => Math.max(cycle, from));
    const values = () => Array.from(this.counter.value.subarray(first, end));
    return [times, values(), values(), values()];
  }

  private ofColumns(first: number, end: number, from: number, to: number, columns: number): Samples {
    const { time, value } = this.counter;
    const samples: Samples = [[], [], [], []];
    const width = (to - from) / columns;
    let at = first; // what holds at the start of the column
    let sumBefore = this.sumUpTo(from, at);
    for (let column = 0; column < columns; ++column) {
      const start = from + column * width, stop = start + width;
      let least = value[at], most = value[at];
      while (at + 1 < end && time[at + 1] < stop) {
        ++at;
        least = Math.min(least, value[at]);
        most = Math.max(most, value[at]);
      }
      const sum = this.sumUpTo(stop, at);
      [start, (sum - sumBefore) / width, least, most].forEach((number, index) => samples[index].push(number));
      sumBefore = sum;
    }
    return samples;
  }

  /// `at` is the last change up to the cycle.
  private sumUpTo(cycle: number, at: number): number {
    return this.sum[at] + this.counter.value[at] * (cycle - this.counter.time[at]);
  }
}
