// Pages of other shapes: a baseline on another clock and with other ops, several functions, many ops side by side.
//
//   compared.mjs COMPARED_PAGE REPORT.json BASELINE.json FUNCTIONS_PAGE FLAT_PAGE FLAT.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clipboard, copiedTable, drawn, editPage, openPage, rangeOf, runChecks, showTab } from "./browser.mjs";
import { elapsedMicroseconds } from "./expected.mjs";

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
    const before = elapsedMicroseconds(baseline, baseline.ops.filter((op) => op.module === "model.layers.0.mlp"));
    assert.ok(Math.abs(Number(row.baseline_elapsed_us) - before) < 1e-6, JSON.stringify(row));
    await showTab(page, "Facts");
    // Every op has its counterpart there: what is fused here is several ops.
    assert.ok(!(await page.textContent('[data-role="comparison"]')).includes("in the baseline only"));
    await close();
  },

  // What a search finds has no sum of llm-opt.
  async "the page adds up modules as llm-opt does"() {
    const tableOf = async (file) => {
      const { page, close } = await openPage(file, clipboard);
      const rows = await copiedTable(page);
      await close();
      return rows;
    };
    let passed;
    editPage(comparedPage, "alone.html", (data) => {
      passed = data.matches[0].modules;
      data.matches[0].modules = [];
    });
    const [rows, added] = [await tableOf(comparedPage), await tableOf("alone.html")];
    const near = (text, number, what) => assert.ok(Math.abs(Number(text) - number) < 1e-6, `${what}: ${text}, not ${number}`);
    for (const all of [rows, added])
      for (const [name, now, before] of passed) {
        const row = all.find((candidate) => candidate.kind === "module" && candidate.name === name);
        near(row.elapsed_us, now, name);
        near(row.baseline_elapsed_us, before, name);
        near(row.difference_percent, (100 * (now - before)) / before, name);
      }
    assert.deepEqual(passed.map(([name]) => name), ["model.layers.0", "model.layers.0.self_attn", "model.layers.0.mlp"]);
    assert.equal(rows.length, added.length);
  },

  async "a small window and a phone show the difference of each row without scrolling"() {
    for (const [width, height] of [[800, 600], [390, 844]]) {
      const { page, close } = await openPage(comparedPage, { viewport: { width, height } });
      await showTab(page, "Table");
      const box = await page.locator("th", { hasText: "Difference (%)" }).boundingBox();
      assert.ok(box.x > 0 && box.x + box.width <= width, `${width}: ${JSON.stringify(box)}`);
      await close();
    }
  },

  async "a fused op is compared with all that it is fused of"() {
    const { page, close } = await openPage(comparedPage, clipboard);
    const rows = await copiedTable(page);
    const fused = report.ops.filter((op) => op.name.includes("+"));
    assert.ok(fused.length >= 2);
    for (const op of fused) {
      // "model.layers.0.self_attn.q_proj+k_proj+v_proj": all in the module of the first.
      const names = op.name.slice(op.module.length + 1).split("+").map((name) => `${op.module}.${name}`);
      const parts = names.map((name) => baseline.ops.find((other) => other.name === name));
      const before = elapsedMicroseconds(baseline, parts);
      const row = rows.find((candidate) => candidate.name === op.name);
      assert.ok(Math.abs(Number(row.baseline_elapsed_us) - before) < 1e-6, JSON.stringify(row));
    }
    await close();
  },

  // Also where none of these has a name that matches, and where the table is not looked at meanwhile.
  async "what is found is compared with all that it is fused of"() {
    const { page, close } = await openPage(comparedPage, clipboard);
    await showTab(page, "Table");
    await showTab(page, "Overview");
    await page.fill('input[type="search"]', "+");
    const total = (await copiedTable(page)).find((row) => row.kind === "total");
    const fused = report.ops.filter((op) => op.name.includes("+"));
    const parts = fused.flatMap((op) => op.name.slice(op.module.length + 1).split("+").map((name) =>
      baseline.ops.find((other) => other.name === `${op.module}.${name}`)));
    assert.equal(Number(total.count), fused.length);
    const before = elapsedMicroseconds(baseline, parts);
    assert.ok(Math.abs(Number(total.baseline_elapsed_us) - before) < 1e-6, JSON.stringify(total));
    await close();
  },

  async "an op of the baseline that is fused here says with what"() {
    const { page, close } = await openPage(comparedPage);
    const op = baseline.ops.find((other) => other.name === "model.layers.0.self_attn.q_proj");
    const canvas = page.locator("canvas[data-from]").nth(1), { width, height } = await canvas.boundingBox();
    await drawn(page);
    const to = Number(await canvas.getAttribute("data-to"));
    const x = 118 + (((op.slots[0].start_cycle + op.slots[0].end_cycle) / 2) / to) * (width - 118);
    const details = page.locator(".details");
    for (let y = 8; y < height && (await details.getAttribute("data-op")) !== op.name; y += 8)
      await canvas.click({ position: { x, y } });
    const text = await details.textContent();
    assert.ok(text.includes("here a part of model.layers.0.self_attn.q_proj+k_proj+v_proj"), text);
    await close();
  },

  async "ops that only the baseline has are rows, in the table and in the CSV"() {
    const lost = "model.layers.0.mlp.swiglu";
    editPage(comparedPage, "lost.html", (data) => {
      const index = data.report.ops.findIndex((op) => op.name === lost);
      data.report.ops[index].name = "model.layers.0.mlp.other";
      data.matches[0].ops = data.matches[0].ops.filter(([here]) => !here.includes(index)); // as llm-opt would say
    });
    const { page, close } = await openPage("lost.html", clipboard);
    const rows = (await copiedTable(page)).filter((row) => row.kind === "baseline_op");
    assert.deepEqual(rows.map((row) => row.name), [lost]);
    const before = elapsedMicroseconds(baseline, baseline.ops.filter((op) => op.name === lost));
    assert.ok(Math.abs(Number(rows[0].baseline_elapsed_us) - before) < 1e-6);
    await page.click(`tr[data-lost="${lost}"] button`);
    assert.ok((await page.textContent(".details")).includes("in the baseline only"));
    await showTab(page, "Facts");
    assert.ok((await page.textContent('[data-role="comparison"]')).includes(`1 op in the baseline only: ${lost}`));
    await close();
  },

  async "runs of other work, and on another target, are compared with a warning"() {
    const notes = async (file) => {
      const { page, close } = await openPage(file);
      const texts = await page.$$eval('.notices [role="note"]', (all) => all.map((note) => note.textContent));
      await close();
      return texts.filter((text) => !(report.remarks ?? []).includes(text)); // those are of this run alone
    };
    const targets = await notes(comparedPage);
    assert.equal(targets.length, 1);
    assert.ok(targets[0].includes(`${report.target} here, ${baseline.target} in the baseline`), targets[0]);
    editPage(comparedPage, "phase.html", ({ baseline: other }) => {
      Object.assign(other.program, { phase: "prefill" });
      other.program.sequences[0].batch = 4;
      other.target = report.target;
    });
    const [text, ...others] = await notes("phase.html");
    assert.deepEqual(others, []);
    assert.ok(text.includes("phase: decode here, prefill in the baseline"), text);
    assert.ok(text.includes("sequences: batch 1, ") && text.includes("here, batch 4, "), text);
    assert.ok(!text.includes("model:") && !text.includes("layers:"), text);
  },

  async "two runs without an op of one name are not said to take equally long, and what each has alone is listed"() {
    editPage(comparedPage, "apart.html", (data) => { data.matches[0].ops = []; });
    const { page, close } = await openPage("apart.html", { viewport: { width: 1400, height: 900 } });
    const text = await page.textContent(".differences");
    assert.ok(text.startsWith("What differsNo op is in both runs, by its name."), text);
    assert.ok(text.includes(`Only here: ${report.ops.length} ops`), text);
    assert.ok(text.includes(`Only in the baseline: ${baseline.ops.length} ops`), text);
    const longest = baseline.ops.map((op) => elapsedMicroseconds(baseline, [op])).sort((a, b) => b - a)[0];
    const [first] = await page.locator('[data-only="in the baseline"] + .only .share-value').allTextContents();
    assert.ok(Math.abs(parseFloat(first.replaceAll(",", "")) - longest) < 0.001 * longest + 0.001, `${first}, ${longest}`);
    await close();
  },

  async "the ops that take longer, and those that take less long, are counted"() {
    const { page, close } = await openPage(comparedPage, { viewport: { width: 1400, height: 900 } });
    const [, all, longer, shorter] = (await page.textContent(".differences")).match(/of (\d+) ops? in both runs, (\d+) take longer and (\d+) less long/);
    // Each op here is beside its parts; the names of parts are in those of the ops.
    assert.equal(Number(all), report.ops.length);
    assert.ok(Number(longer) + Number(shorter) <= Number(all) && Number(longer) + Number(shorter) > 0);
    await close();
  },

  async "the summary sets what both runs did side by side"() {
    const { page, close } = await openPage(comparedPage);
    await showTab(page, "Facts");
    const moved = (of) => of.ops.reduce((sum, op) => sum + op.bytes.dram * op.count, 0);
    const rate = (of) => of.tokens_per_second_if_all_layers;
    const bound = (of) => of.lower_bound_cycles / of.clock_hz;
    for (const [name, of] of [["bytes moved", moved], ["tokens per second", rate], ["lower bound", bound]]) {
      const percent = (100 * (of(report) - of(baseline))) / of(baseline);
      const cells = await page.$$eval(`[data-compared="${name}"] td`, (all) => all.map((cell) => cell.textContent));
      assert.equal(cells[2], `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`, name);
    }
    assert.deepEqual(await page.$$eval('[data-compared="target"] td', (all) => all.map((cell) => cell.textContent)),
                     [baseline.target, report.target, ""]);
    await close();
  },

  async "each of several functions is compared with that of its name only"() {
    const { page, close } = await openPage(functionsPage);
    assert.deepEqual(await page.$$eval(".timeline h3", (all) => all.map((title) => title.textContent)), ["first on npu"]);
    assert.ok((await page.textContent(".notices")).includes("the baseline has no function first, only second"));
    await page.selectOption("header select", "second");
    await drawn(page);
    assert.deepEqual(await page.$$eval(".timeline h3", (all) => all.map((title) => title.textContent)),
                     ["second on npu", "Baseline: second on npu"]);
    // A theme that is chosen there holds when one comes back.
    await page.click('[aria-label="Dark / light"]');
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
      await showTab(page, "Overview");
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
