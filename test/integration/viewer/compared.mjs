// Pages of other shapes: a baseline on another clock and with other ops, several functions, many ops side by side.
//
//   compared.mjs COMPARED_PAGE REPORT.json BASELINE.json FUNCTIONS_PAGE FLAT_PAGE FLAT.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clipboard, copiedTable, drawn, openPage, rangeOf, runChecks, showTab } from "./browser.mjs";

const [comparedPage, reportFile, baselineFile, functionsPage, flatPage, flatFile] = process.argv.slice(2);
const [report, baseline, flat] = [reportFile, baselineFile, flatFile].map((file) => JSON.parse(readFileSync(file, "utf8")));

await runChecks({
  async "a baseline of another clock is drawn on the same axis of time"() {
    const { page, close } = await openPage(comparedPage);
    assert.notEqual(report.clock_hz, baseline.clock_hz);
    await rangeOf(page);
    const ends = await page.$$eval("canvas[data-from]", (all) => all.map((canvas) => Number(canvas.dataset.to)));
    const seconds = Math.max(report.makespan_cycles / report.clock_hz, baseline.makespan_cycles / baseline.clock_hz);
    assert.ok(Math.abs(ends[0] / (seconds * report.clock_hz) - 1) < 1e-9 && Math.abs(ends[1] / (seconds * baseline.clock_hz) - 1) < 1e-9,
              String(ends));
    await close();
  },

  async "a module is compared with all of it, also where its ops have other names"() {
    const { page, close } = await openPage(comparedPage, clipboard);
    const row = (await copiedTable(page)).find((candidate) => candidate.name === "model.layers.0.mlp");
    const cycles = baseline.ops.filter((op) => op.module === "model.layers.0.mlp").reduce((sum, op) => sum + op.scheduled_cycles * op.count, 0);
    assert.ok(Math.abs(Number(row.baseline_time_us) - (cycles * 1e6) / baseline.clock_hz) < 1e-6, JSON.stringify(row));
    await showTab(page, "Summary");
    const own = new Set(report.ops.map((op) => op.name));
    const lost = baseline.ops.filter((op) => !own.has(op.name));
    assert.ok(lost.length > 0);
    const text = await page.textContent('[data-role="comparison"]');
    assert.ok(text.includes(`${lost.length} ops are in the baseline only`) && text.includes(lost[0].name), text);
    await close();
  },

  async "each of several functions is compared with that of its name only"() {
    const { page, close } = await openPage(functionsPage);
    assert.deepEqual(await page.$$eval(".timeline h3", (all) => all.map((title) => title.textContent)), ["first on npu"]);
    await page.selectOption("header select", "second");
    await drawn(page);
    assert.deepEqual(await page.$$eval(".timeline h3", (all) => all.map((title) => title.textContent)),
                     ["second on npu", "Baseline: second on npu"]);
    // A theme that is chosen there holds when one comes back.
    await page.click("text=Dark / light");
    await page.selectOption("header select", "first");
    await drawn(page);
    const corner = await page.$eval("canvas[data-from]", (canvas) =>
      [...canvas.getContext("2d").getImageData(2, 2, 1, 1).data].slice(0, 3));
    assert.deepEqual(corner, [0x15, 0x18, 0x1c]); // --surface of the dark theme
    await close();
  },

  async "ops side by side have their edges, and each that is chosen is seen in the timeline"() {
    const { page, close } = await openPage(flatPage);
    await showTab(page, "Graph");
    await drawn(page);
    const edges = await page.$$eval("path.edge", (all) => all.map((edge) => `${edge.dataset.from} ${edge.dataset.to}`).sort());
    assert.deepEqual(edges, flat.ops.flatMap((op) => op.depends_on.map((from) => `${from} ${op.name}`)).sort());
    assert.ok(edges.length > 60);
    await showTab(page, "Table");
    for (const op of flat.ops) {
      await page.click(`tr[data-row="${op.name}"] button`);
      await showTab(page, "Timeline");
      await drawn(page);
      // Its mark, in one pixel at least: red, the --selection of the light theme.
      const red = await page.$eval("canvas[data-from]", (canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) count += data[i] === 207 && data[i + 1] === 34 && data[i + 2] === 46;
        return count;
      });
      assert.ok(red > 0, op.name);
      await showTab(page, "Table");
    }
    await close();
  },
});
