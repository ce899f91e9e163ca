// Drives a page as a person does, and holds what it shows against the JSON report.
//
//   gestures.mjs PAGE REPORT.json COMPARED_PAGE BASELINE_PAGE BASELINE.json
//
// The baseline has ops with and without slack; the report has cut ops.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clipboard, copiedRows, copiedTable, drawn, openPage, pixelAt, rangeOf, runChecks, selectedBox, showTab } from "./browser.mjs";
import { elapsedMicroseconds } from "./expected.mjs";

const [file, reportFile, comparedFile, baselinePage, baselineFile] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const baseline = JSON.parse(readFileSync(baselineFile, "utf8"));
const chosen = "model.layers.0.mlp.gate_proj";
const microseconds = (of, op) => (op.scheduled_cycles * op.count * 1e6) / of.clock_hz;

await runChecks({
  async "the timeline has every slot of the report"() {
    const { page, close } = await openPage(file);
    const slots = report.ops.flatMap((op) => op.slots.map((slot) => op.count * (1 + (slot.prefetches ?? []).length)));
    assert.equal(Number(await page.getAttribute("canvas[data-from]", "data-slices")), slots.reduce((a, b) => a + b));
    assert.deepEqual(await rangeOf(page), [0, report.makespan_cycles]);
    await close();
  },

  async "wheel, drag and keys zoom and pan"() {
    const { page, close } = await openPage(file);
    const canvas = page.locator("canvas[data-from]");
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 118 + (box.width - 118) / 2, box.y + 60);
    await page.mouse.wheel(0, -400);
    const [from, to] = await rangeOf(page);
    // exp(-0.8) of it, around the middle.
    assert.ok(Math.abs((to - from) / report.makespan_cycles - Math.exp(-0.8)) < 0.01, `${from} to ${to}`);
    assert.ok(Math.abs((from + to) / 2 / report.makespan_cycles - 0.5) < 0.01);
    await page.mouse.down();
    await page.mouse.move(box.x + 118 + (box.width - 118) / 2 - 100, box.y + 60, { steps: 4 });
    await page.mouse.up();
    const dragged = await rangeOf(page);
    assert.ok(Math.abs(dragged[0] - from - (100 / (box.width - 118)) * (to - from)) < 0.002 * (to - from));
    assert.ok(Math.abs(dragged[1] - dragged[0] - (to - from)) < 1);
    await canvas.focus();
    await page.keyboard.press("ArrowLeft");
    assert.ok((await rangeOf(page))[0] < dragged[0]);
    await page.keyboard.press("+");
    const zoomed = await rangeOf(page);
    assert.ok(Math.abs((zoomed[1] - zoomed[0]) / (to - from) - 0.7) < 0.01);
    await page.keyboard.press("Home");
    assert.deepEqual(await rangeOf(page), [0, report.makespan_cycles]);
    await close();
  },

  async "an op that is clicked in the graph is chosen in the timeline, the table and the roofline"() {
    const { page, close } = await openPage(file);
    await showTab(page, "Graph");
    await page.click(`[data-node="${chosen}"]`);
    assert.equal(await page.getAttribute(".details", "data-op"), chosen);
    assert.ok(await page.$(`[data-node="${chosen}"][data-selected]`));
    await showTab(page, "Overview");
    const [left, top, width, height] = await selectedBox(page);
    // Where the first of its slots is, by the report.
    const slot = report.ops.find((op) => op.name === chosen).slots[0];
    const wide = (await page.locator("canvas[data-from]").boundingBox()).width - 118;
    assert.ok(Math.abs(left - 118 - (slot.start_cycle / report.makespan_cycles) * wide) < 1);
    assert.ok(Math.abs(width - ((slot.end_cycle - slot.start_cycle) / report.makespan_cycles) * wide) < 1);
    // Its mark is red: the --selection of the light theme.
    assert.equal(await pixelAt(page, left + width / 2, top + height - 3), "207,34,46");
    await showTab(page, "Table");
    assert.ok(await page.$(`tr[data-row="${chosen}"][data-selected]`));
    await showTab(page, "Roofline");
    assert.equal(await page.getAttribute(".roofline", "data-selected"), chosen);
    await close();
  },

  async "a click on a slice chooses its op, one beside all slices none"() {
    const { page, close } = await openPage(file);
    await showTab(page, "Table");
    await page.click(`tr[data-row="${chosen}"] button`);
    await showTab(page, "Overview");
    const [left, top, width] = await selectedBox(page);
    await page.click("canvas[data-from]", { position: { x: 200, y: 5 } });
    assert.equal(await page.getAttribute(".details", "data-op"), "");
    await page.click("canvas[data-from]", { position: { x: left + width / 2, y: top + 10 } });
    assert.equal(await page.getAttribute(".details", "data-op"), chosen);
    await close();
  },

  async "hover tells what a slice is"() {
    const { page, close } = await openPage(file);
    await showTab(page, "Table");
    await page.click(`tr[data-row="${chosen}"] button`);
    await showTab(page, "Overview");
    const [left, top, width] = await selectedBox(page);
    await page.hover("canvas[data-from]", { position: { x: left + width / 2, y: top + 10 } });
    const text = await page.textContent(".tip:not([hidden])");
    const { slots } = report.ops.find((op) => op.name === chosen);
    assert.ok(text.includes(chosen) && text.includes(`(${slots[0].end_cycle - slots[0].start_cycle} cycles)`), text);
    await close();
  },

  async "an idle engine says what it waits for, and a click on a layer shows it alone"() {
    const { page, close } = await openPage(file);
    const canvas = page.locator("canvas[data-from]");
    const { height } = await canvas.boundingBox();
    // The last row is a queue that has nothing to do in this block.
    assert.ok(report.engines.at(-1).busy_cycles === 0);
    await canvas.hover({ position: { x: 400, y: height - 11 } });
    const engine = report.engines.at(-1);
    const text = await page.textContent(".tip:not([hidden])");
    assert.ok(text.startsWith(`${engine.name}[${engine.count - 1}] is idle for`) && text.includes("no work is left"), text);
    await canvas.hover({ position: { x: 400, y: 33 } });
    assert.ok((await page.textContent(".tip:not([hidden])")).startsWith("model.layers.0"));
    await canvas.focus();
    await page.keyboard.press("+");
    await canvas.click({ position: { x: 400, y: 33 } });
    const slots = report.ops.filter((op) => op.layer === "model.layers.0").flatMap((op) => op.slots);
    assert.deepEqual(await rangeOf(page), [Math.min(...slots.map((slot) => slot.start_cycle)),
                                           Math.max(...slots.map((slot) => slot.end_cycle))]);
    await close();
  },

  async "a point of the roofline names its op, with its figures"() {
    const { page, close } = await openPage(file);
    await showTab(page, "Table");
    await page.click(`tr[data-row="${chosen}"] button`);
    await showTab(page, "Roofline");
    const [x, y] = (await page.getAttribute(".roofline", "data-selected-at")).split(",").map(Number);
    const over = await page.locator(".roofline .u-over").boundingBox();
    await page.mouse.move(over.x + x, over.y + y);
    const text = await page.textContent(".roofline .tip-line");
    assert.ok(text.includes("operations per byte"), text);
    // By the figures of the report: two operations a MAC over the bytes of DRAM.
    const op = report.ops.find((candidate) => text.startsWith(`${candidate.name}:`));
    const intensity = (2 * op.macs) / op.bytes.dram;
    assert.ok(Math.abs(Number(text.match(/: ([0-9.e+]+) operations/)[1]) / intensity - 1) < 0.01, text);
    const rate = Number(text.match(/byte, ([0-9.]+)/)[1]) * { k: 1e3, M: 1e6, G: 1e9, T: 1e12 }[text.match(/byte, [0-9.]+ (.)op/)[1]];
    const { bytes_per_second } = report.memories.find((memory) => memory.name === "dram");
    assert.ok(rate <= intensity * bytes_per_second * 1.01, text);
    await close();
  },

  async "a search leaves the ops that it finds, in the table and the graph"() {
    const { page, close } = await openPage(file);
    await page.keyboard.press("/");
    await page.keyboard.type("_proj");
    await showTab(page, "Table");
    const rows = await page.$$eval("tr.op[data-row]", (all) => all.map((row) => row.dataset.row).sort());
    assert.deepEqual(rows, report.ops.map((op) => op.name).filter((name) => name.includes("_proj")).sort());
    await showTab(page, "Graph");
    const dimmed = await page.$$eval(".node.dimmed", (all) => all.map((node) => node.dataset.node));
    assert.ok(dimmed.includes("model.layers.0.input_layernorm") && !dimmed.includes(chosen));
    await close();
  },

  async "a click on a column sorts siblings, a second one the other way, a third one not"() {
    const { page, close } = await openPage(file);
    await showTab(page, "Table");
    const timesOf = (module) => page.$$eval("tr.op[data-row]", (rows, prefix) =>
      rows.map((row) => row.dataset.row).filter((name) => name.startsWith(prefix)), module);
    const inOrder = await timesOf("model.layers.0.mlp.");
    await page.click(".table th >> text=Engine time");
    const cycles = (name) => report.ops.find((op) => op.name === name).scheduled_cycles;
    const falling = (await timesOf("model.layers.0.mlp.")).map(cycles);
    assert.ok(falling.length >= 3 && falling.every((value, i) => i === 0 || falling[i - 1] >= value), String(falling));
    assert.equal(await page.getAttribute(".table th >> nth=3", "aria-sort"), "descending");
    await page.click(".table th >> text=Engine time");
    const rising = (await timesOf("model.layers.0.mlp.")).map(cycles);
    assert.ok(rising.every((value, i) => i === 0 || rising[i - 1] <= value), String(rising));
    await page.click(".table th >> text=Engine time");
    assert.deepEqual(await timesOf("model.layers.0.mlp."), inOrder);
    assert.equal(await page.getAttribute(".table th >> nth=3", "aria-sort"), "none");
    await close();
  },

  async "the table copied as CSV has the report's figures, and its sums add up"() {
    const { page, close } = await openPage(file, clipboard);
    const rows = await copiedTable(page);
    const byName = new Map(rows.map((row) => [row.name, row]));
    for (const op of report.ops) {
      const row = byName.get(op.name);
      assert.ok(Math.abs(Number(row.total_time_us) - microseconds(report, op)) < 1e-6, op.name);
      assert.ok(Math.abs(Number(row.elapsed_us) - elapsedMicroseconds(report, [op])) < 1e-6, op.name);
      assert.equal(row.module, op.module);
      assert.equal(Number(row.total_bytes), op.bytes.dram * op.count);
      assert.equal(Number(row.total_macs), op.macs * op.count);
      for (const key of ["tflop_per_second", "gb_per_second", "percent_of_limit", "share_percent"]) // as the table of llm-opt has them
        assert.ok(Math.abs(Number(row[key]) - op[key]) < 1e-6 * op[key] + 1e-9, `${op.name}: ${key} ${row[key]}, not ${op[key]}`);
      assert.equal(row.bound, op.bound);
      assert.equal(Number(row.count), op.count);
    }
    const total = byName.get("total");
    const sum = (value) => report.ops.reduce((all, op) => all + value(op), 0);
    assert.ok(Math.abs(Number(total.total_time_us) - sum((op) => microseconds(report, op))) < 1e-6);
    assert.ok(Math.abs(Number(total.elapsed_us) - report.makespan_us) < 1e-6);
    assert.equal(Number(total.total_bytes), sum((op) => op.bytes.dram * op.count));
    const mlp = byName.get("model.layers.0.mlp");
    const inMlp = report.ops.filter((op) => op.name.startsWith("model.layers.0.mlp."));
    assert.equal(Number(mlp.total_macs), inMlp.reduce((all, op) => all + op.macs, 0));
    assert.ok(Math.abs(Number(mlp.elapsed_us) - elapsedMicroseconds(report, inMlp)) < 1e-6);
    // Who sums up one kind of rows counts nothing twice.
    const ofKind = (kind) => rows.filter((row) => row.kind === kind);
    assert.equal(ofKind("op").reduce((all, row) => all + Number(row.total_macs), 0), sum((op) => op.macs * op.count));
    assert.deepEqual([ofKind("op").length, ofKind("total").length, ofKind("module").length > 0], [report.ops.length, 1, true]);
    // Modules that are closed are no less of it.
    await page.click('button:text("Collapse all")');
    assert.equal(await page.locator("tr.op[data-row]").count(), 0);
    assert.deepEqual(await copiedRows(page), rows);
    await close();
  },

  async "the critical path stands out"() {
    const { page, close } = await openPage(baselinePage);
    const isOnPath = ({ slots }) => slots[0]?.follows_by !== undefined;
    const op = baseline.ops.find((candidate) => candidate.slots.length > 0 && !isOnPath(candidate));
    const critical = baseline.ops.find(isOnPath);
    assert.ok(op && critical, "the baseline has both kinds");
    const placeOf = async (of) => {
      await showTab(page, "Table");
      await page.click('button:text("Expand all")');
      await page.click(`tr[data-row="${of.name}"] button`);
      await showTab(page, "Overview");
      await page.locator("canvas[data-from]").focus();
      await page.keyboard.press("f");
      const [left, top, width] = await selectedBox(page);
      await page.keyboard.press("Escape");
      return [left + width / 2, top + 4];
    };
    for (const [of, changes] of [[op, true], [critical, false]]) {
      const place = await placeOf(of);
      const before = await pixelAt(page, ...place);
      await page.click('button:text("Critical path")');
      const after = await pixelAt(page, ...place);
      await page.click('button:text("Critical path")');
      assert.equal(before !== after, changes, `${of.name}: ${before} ${after}`);
      assert.equal(await pixelAt(page, ...place), before);
    }
    // In the other views, ops without any slot or fetch on it.
    const off = baseline.ops.filter(({ slots }) =>
      slots.flatMap((slot) => [slot, ...(slot.prefetches ?? [])]).every((span) => span.follows_by === undefined));
    assert.ok(off.length > 0);
    await page.click('button:text("Critical path")');
    await showTab(page, "Table");
    const dimmed = (selector, name) => page.$$eval(`${selector}.dimmed`, (all, key) => all.map((each) => each.dataset[key]).filter(Boolean).sort(), name);
    assert.deepEqual(await dimmed("tr.op", "row"), off.map(({ name }) => name).sort());
    await showTab(page, "Graph");
    assert.deepEqual(await dimmed(".node", "node"), off.map(({ name }) => name).sort());
    await close();
  },

  async "a baseline stands beside each op"() {
    const { page, close } = await openPage(comparedFile, clipboard);
    assert.equal(await page.locator("canvas[data-from]").count(), 2);
    const rows = await copiedTable(page);
    const compare = (row, now, before) => {
      assert.ok(Math.abs(Number(row.baseline_elapsed_us) - before) < 1e-6, row.name);
      assert.ok(Math.abs(Number(row.difference_percent) - (100 * (now - before)) / before) < 1e-6, row.name);
    };
    for (const op of report.ops)
      compare(rows.find((row) => row.name === op.name), elapsedMicroseconds(report, [op]),
              elapsedMicroseconds(baseline, [baseline.ops.find((other) => other.name === op.name)]));
    // The table says of the whole what the summary says.
    compare(rows.find((row) => row.kind === "total"), report.makespan_us, baseline.makespan_us);
    await showTab(page, "Facts");
    const text = await page.textContent('[data-role="comparison"]');
    const percent = (100 * (report.makespan_us - baseline.makespan_us)) / baseline.makespan_us;
    assert.ok(text.includes(`${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`), text);
    await close();
  },

  async "the summary has the report's makespan, bound and gap"() {
    const { page, close } = await openPage(file);
    await showTab(page, "Facts");
    const fact = (name) => page.textContent(`.summary dd[data-fact="${name}"]`);
    assert.ok((await fact("makespan")).includes(`(${report.makespan_cycles.toLocaleString("en-US")} cycles)`));
    // The largest one, as the table says; of equal ones the first. Others that are almost as large are named behind it.
    const largest = Math.max(...Object.values(report.bounds));
    const names = Object.keys(report.bounds).sort().filter((name) => report.bounds[name] >= 0.99 * largest);
    const by = names.find((name) => report.bounds[name] === largest);
    assert.deepEqual(names, ["bytes_dram", "stages"]);
    assert.ok((await fact("lower bound")).includes(`by ${by} (within 1 %: ${names.find((name) => name !== by)})`), await fact("lower bound"));
    assert.ok((await fact("lower bound")).includes(`${report.gap_percent.toFixed(1)} % above`));
    assert.equal(await page.locator('.summary dd[data-fact="proven"]').count(), 0);
    await close();
  },

  async "what options forbade stands beside the bound of the machine"() {
    const { page, close } = await openPage(baselinePage);
    await showTab(page, "Facts");
    const fact = (name) => page.textContent(`.summary dd[data-fact="${name}"]`);
    assert.ok((await fact("lower bound")).includes(", with any options ("), await fact("lower bound"));
    // Alone, in parts of no other size, ops take longer than the machine would need.
    assert.ok(baseline.proven_cycles >= baseline.lower_bound_cycles && baseline.proven_cycles <= baseline.makespan_cycles);
    const proven = `(${baseline.proven_cycles.toLocaleString("en-US")} cycles), no schedule with granularity=op is shorter; `;
    assert.ok((await fact("proven")).includes(proven), await fact("proven"));
    await close();
  },

  async "modules of the graph close and open"() {
    const { page, close } = await openPage(file);
    await showTab(page, "Graph");
    await page.locator('[data-frame="model.layers.0.mlp"]').focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(`[data-node="${chosen}"]`).count(), 0);
    const module = '.node[data-module="model.layers.0.mlp"]';
    // What was closed by a key can be opened by the next one.
    assert.ok(await page.$eval(module, (node) => node === document.activeElement));
    await page.click(module);
    assert.equal(await page.locator(`[data-node="${chosen}"]`).count(), 1);
    const edges = await page.$$eval("path.edge", (all) => all.map((edge) => `${edge.dataset.from} ${edge.dataset.to}`).sort());
    assert.deepEqual(edges, report.ops.flatMap((op) => op.depends_on.map((from) => `${from} ${op.name}`)).sort());
    await close();
  },

  async "the tab key comes to everything that can be clicked, and the focus stays where it was"() {
    const { page, close } = await openPage(file);
    for (const tab of ["Overview", "Graph", "Roofline", "Memory", "Table", "Facts"]) {
      await showTab(page, tab);
      await drawn(page);
      // Tabs are one stop, between which the arrow keys go.
      const wanted = await page.$$eval("button, select, input, canvas[tabindex], svg [tabindex], .roofline-host",
        (all) => all.filter((element) => element.checkVisibility() && element.tabIndex >= 0 && !element.disabled).length);
      const reached = new Set();
      await page.evaluate(() => document.activeElement.blur());
      for (let i = 0; i < wanted + 5; ++i) {
        await page.keyboard.press("Tab");
        reached.add(await page.evaluate(() => {
          globalThis.seen ??= new Map();
          const element = document.activeElement;
          if (!globalThis.seen.has(element)) globalThis.seen.set(element, globalThis.seen.size);
          return element === document.body || element.matches("main, .details, .scroll, .graph-host, .rows")
            ? undefined : globalThis.seen.get(element);
        }));
      }
      reached.delete(undefined);
      assert.ok(reached.size >= wanted, `${tab}: ${reached.size} of ${wanted}`);
    }
    await showTab(page, "Table");
    const row = 'tr[data-module="model.layers.0.mlp"] button';
    await page.focus(row);
    await page.keyboard.press("Enter");
    assert.equal(await page.getAttribute(row, "aria-expanded"), "false");
    assert.ok(await page.$eval(row, (button) => button === document.activeElement));
    await showTab(page, "Roofline");
    await page.focus(".roofline-host");
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await page.getAttribute(".details", "data-op"), "");
    await close();
  },
});
