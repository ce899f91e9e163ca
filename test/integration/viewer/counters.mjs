// Counters, and what of them is drawn, against an evaluation of the report by hand: slot by slot, at each cycle asked for.
//
//   counters.mjs VIEWER_BUILD REPORT.json...
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { runChecks } from "./browser.mjs";
import { loadSources } from "./bundle.mjs";

const [build, ...files] = process.argv.slice(2);
const { makeCounters, Sampler, Schedule } = await loadSources(build, "counters", "timeline/sampler", "schedule");

/// All runs of an op: what their slots are later by.
function shiftsOf(report, op) {
  return (op.loops ?? []).reduce((shifts, index) => {
    const { trips, period_cycles } = report.loops[index];
    return shifts.flatMap((shift) => Array.from({ length: trips }, (_, i) => shift + i * period_cycles));
  }, [0]);
}

/// Spans [start, end, amount] of a counter by its label.
function spansOf(report, label) {
  const spans = [];
  const [engine, what] = label.split(" ");
  for (const op of report.ops) {
    const records = op.parts.flatMap((part) => Array(part.count).fill(part));
    for (const shift of shiftsOf(report, op))
      for (const slot of op.slots) {
        const add = (start, end, amount) => spans.push([start + shift, end + shift, amount]);
        const fetches = slot.prefetches ?? [];
        const { sources, working_set_bytes } = records[slot.part];
        if (what === "bandwidth") {
          // Bytes per cycle; what was fetched for the slot does not move again.
          const traffic = records[slot.part].traffic_bytes[engine] ?? {};
          const moves = (span, bytes) => add(span.start_cycle, span.end_cycle, bytes / (span.end_cycle - span.start_cycle || 1));
          let own = Object.values(traffic).reduce((sum, bytes) => sum + bytes, 0);
          for (const fetch of fetches) {
            moves(fetch, traffic[fetch.buffer] ?? 0);
            own -= traffic[fetch.buffer] ?? 0;
          }
          moves(slot, own);
        }
        else if (what === "busy")
          for (const span of [slot, ...fetches].filter((candidate) => candidate.engine.startsWith(`${engine}[`)))
            add(span.start_cycle, span.end_cycle, 1);
        else if (slot.engine.startsWith(`${engine}[`)) {
          add(slot.start_cycle, slot.end_cycle,
              fetches.reduce((bytes, fetch) => bytes - sources[fetch.buffer].staging_bytes, working_set_bytes));
          for (const fetch of fetches) add(fetch.start_cycle, slot.end_cycle, sources[fetch.buffer].slice_bytes);
        }
      }
  }
  return spans;
}

const valueAt = (spans, cycle) =>
  spans.reduce((sum, [start, end, amount]) => sum + (start <= cycle && cycle < end ? amount : 0), 0);

/// The mean of a sum of spans between two cycles.
const meanOf = (spans, from, to) => spans.reduce((sum, [start, end, amount]) =>
  sum + amount * Math.max(0, Math.min(end, to) - Math.max(start, from)), 0) / (to - from);

await runChecks(Object.fromEntries(files.map((file) => [file, async () => {
  const report = JSON.parse(readFileSync(file, "utf8"));
  const memory = Object.fromEntries(report.memories.map((of) => [of.name, of]));
  const counters = makeCounters(new Schedule(report));
  assert.ok(counters.length >= 3, "bandwidth, busy engines and private memory");
  for (const counter of counters) {
    const spans = spansOf(report, counter.label);
    const [name, what] = counter.label.split(" ");
    const unit = what === "bandwidth" ? report.clock_hz / 1e9
                 : what === "busy" ? 1 : 1e-6;
    const near = (found, expected, where) =>
      assert.ok(Math.abs(found - expected * unit) <= 1e-9 * Math.max(1, counter.most), `${counter.label} ${where}: ${found}, not ${expected * unit}`);
    if (what === "bandwidth") {
      // The area under it is the bytes of all ops, and it is never above what the memory gives.
      const area = counter.time.reduce((sum, time, i) => sum + counter.value[i] * ((counter.time[i + 1] ?? time) - time), 0);
      const bytes = report.ops.reduce((sum, op) => sum + op.count * (op.bytes[name] ?? 0), 0);
      assert.ok(Math.abs((area * 1e9) / report.clock_hz - bytes) <= 1e-9 * bytes, `${counter.label}: ${area}, ${bytes} bytes`);
      const rate = memory[name].sustained_bytes_per_second ?? memory[name].bytes_per_second;
      const most = counter.value.reduce((a, b) => Math.max(a, b));
      assert.ok(most <= (rate / 1e9) * (1 + 1e-9), `${counter.label}: ${most}`);
    }
    // Every 97th change, so that a whole model takes seconds.
    const stride = Math.max(1, Math.floor(counter.time.length / 97));
    for (let i = 0; i < counter.time.length; i += stride) near(counter.value[i], valueAt(spans, counter.time[i]), counter.time[i]);
    // Zoomed out to fewer columns than changes: of each, the mean, and the least and the most that it holds.
    for (const columns of [20, 133]) {
      const end = report.makespan_cycles, [times, mean, least, most] = new Sampler(counter).sample(0, end, columns);
      if (counter.time.length <= columns / 2) {
        assert.deepEqual(times, [...counter.time, end]);
        for (const values of [mean, least, most]) assert.deepEqual(values.slice(0, -1), [...counter.value]);
        continue;
      }
      assert.equal(times.length, columns + 1);
      for (let column = 0; column < columns; ++column) {
        const from = (column * end) / columns, to = ((column + 1) * end) / columns, where = `column ${column} of ${columns}`;
        near(mean[column], meanOf(spans, from, to), `mean of ${where}`);
        const margin = 1e-6 * (to - from); // a change at an edge belongs to either
        const isNear = (time) => Math.abs(time - from) < margin || Math.abs(time - to) < margin;
        if (counter.time.some((time) => time > 0 && isNear(time))) continue;
        const inside = [valueAt(spans, from), ...Array.from(counter.time).filter((time) => time > from && time < to)
          .map((time) => counter.value[counter.time.indexOf(time)] / unit)];
        near(least[column], Math.min(...inside), `least of ${where}`);
        near(most[column], Math.max(...inside), `most of ${where}`);
      }
    }
  }
}])));
