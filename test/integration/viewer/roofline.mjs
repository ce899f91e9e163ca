// The points of the roofline: what they are of, and that none is above the ceilings of what it does.
//
//   roofline.mjs VIEWER_BUILD REPORT.json...
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { runChecks } from "./browser.mjs";
import { loadSources } from "./bundle.mjs";

const [build, ...files] = process.argv.slice(2);
const { makePoints, makeCeilings } = await loadSources(build, "roofline");

await runChecks(Object.fromEntries(files.map((file) => [file, async () => {
  const report = JSON.parse(readFileSync(file, "utf8"));
  const points = new Map(makePoints(report).map((point) => [point.op.name, point]));
  const ceilings = makeCeilings(report);
  const dram = report.memories.find((memory) => memory.name === "dram");
  const bandwidth = dram.sustained_bytes_per_second ?? dram.bytes_per_second;
  for (const op of report.ops) {
    const amounts = { ...op.work };
    const operations = Object.entries(amounts).reduce((sum, [kind, amount]) => sum + (kind === "mac" ? 2 : 1) * amount, 0);
    if (operations === 0 || op.bytes.dram === 0) {
      assert.ok(!points.has(op.name), op.name);
      continue;
    }
    const point = points.get(op.name);
    assert.ok(Math.abs(point.intensity / (operations / op.bytes.dram) - 1) < 1e-9, op.name);
    assert.ok(point.rate <= point.intensity * bandwidth * (1 + 1e-9), `${op.name} above the slope`);
    // Products alone: the op does other work beside them.
    if (amounts.mac === undefined) continue;
    const engines = report.engines.filter((engine) => engine.operations_per_cycle.mac?.[op.mac_type] !== undefined);
    const peak = engines.reduce((sum, engine) =>
      sum + 2 * engine.operations_per_cycle.mac[op.mac_type] * engine.count * report.clock_hz, 0);
    assert.ok((2 * amounts.mac) / point.seconds <= peak * (1 + 1e-9), `${op.name} above the peak of ${op.mac_type}`);
    assert.ok(ceilings.some((ceiling) => ceiling.label.startsWith(op.mac_type) && Math.abs(ceiling.at(1) / peak - 1) < 1e-9));
  }
  assert.ok(ceilings.some((ceiling) => Math.abs(ceiling.at(2) / (2 * bandwidth) - 1) < 1e-9), "the slope of dram");
  assert.ok(points.size > 5);
}])));
