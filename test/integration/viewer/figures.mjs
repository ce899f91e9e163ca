// What the page says of a whole function and of one op, against the JSON report.
//
//   figures.mjs PAGE REPORT.json UNITS_PAGE UNITS.json BLOCK_PAGE BLOCK.json
//
// UNITS: a whole model of loops that does not fit its target, on units that share ops. BLOCK: one layer of it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clipboard, copiedTable, editPage, openPage, runChecks, showTab } from "./browser.mjs";
import { elapsedMicroseconds } from "./expected.mjs";

const [file, reportFile, unitsPage, unitsFile, blockPage, blockFile] = process.argv.slice(2);
const [report, units, block] = [reportFile, unitsFile, blockFile].map((name) => JSON.parse(readFileSync(name, "utf8")));
const factOf = (page, name) => page.textContent(`.summary dd[data-fact="${name}"]`);

/// "1.25 ms" in microseconds, as far as it is written.
function parseTime(text) {
  const [, number, unit] = text.match(/^([\d,.]+) (ns|µs|ms|s)\b/);
  return Number(number.replaceAll(",", "")) * { ns: 1e-3, "µs": 1, ms: 1e3, s: 1e6 }[unit];
}
const isNear = (text, wanted) => assert.ok(Math.abs(parseTime(text) - wanted) <= 0.002 * wanted + 1e-3, `${text}, not ${wanted} µs`);

await runChecks({
  async "a broken schedule is said to be broken in every view, and nothing is derived from it"() {
    editPage(file, "broken.html", (data) => {
      data.baseline = structuredClone(data.report);
      data.matches = [{ baseline: 0, ops: data.report.ops.map((_, at) => [[at], [at]]), modules: [] }];
      data.report.problems = ["core[0] runs two parts in cycle 7", "<b>mlp.up_proj</b> is stale"];
    });
    const { page, close } = await openPage("broken.html");
    for (const tab of ["Overview", "Graph", "Roofline", "Memory", "Table", "Facts"]) {
      await showTab(page, tab);
      const alert = page.locator('[role="alert"]');
      assert.ok(await alert.isVisible(), tab);
      const text = await alert.textContent();
      assert.ok(text.includes("core[0] runs two parts in cycle 7") && text.includes("<b>mlp.up_proj</b> is stale"), text);
      const [box, tabs] = [await alert.boundingBox(), await page.locator('[role="tablist"]').boundingBox()];
      assert.ok(box.y + box.height <= tabs.y, "above the tabs");
    }
    const facts = await page.$$eval(".summary dt", (all) => all.map((fact) => fact.textContent));
    assert.ok(facts.includes("makespan") && !facts.includes("tokens per second") && !facts.some((name) => name.endsWith(" idle")), String(facts));
    assert.ok(!(await factOf(page, "lower bound")).includes("above"));
    assert.equal(await page.locator('[data-role="advice"]').count(), 0);
    const tokens = await page.$$eval('[data-compared="tokens per second"] td', (all) => all.map((cell) => cell.textContent));
    assert.ok(tokens[0] !== "" && tokens[1] === "" && tokens[2] === "", String(tokens));
    await close();
  },

  async "a schedule that holds has no notice, and its tokens, gap and idle engines are told"() {
    const { page, close } = await openPage(file);
    assert.equal((await page.textContent(".notices")), "");
    await showTab(page, "Facts");
    const facts = await page.$$eval(".summary dt", (all) => all.map((fact) => fact.textContent));
    assert.ok(facts.includes("tokens per second") && facts.includes("core idle"), String(facts));
    await close();
  },

  async "the summary tells how many devices what all layers hold needs"() {
    const capacity = units.memories.find((memory) => memory.name === "dram").capacity_bytes;
    for (const [name, of, layers] of [[unitsPage, units, 1], [blockPage, block, block.program.model_layers / block.program.layers]]) {
      const { page, close } = await openPage(name);
      await showTab(page, "Facts");
      // All keys are read, so that the caches have room for what is read.
      const need = (of.totals.weight_bytes + of.totals.kv_read_bytes) * layers + of.capacity.value_bytes + of.capacity.workspace_bytes;
      assert.ok(need > capacity);
      const text = await factOf(page, "capacity");
      assert.ok(text.startsWith("does not fit") && text.includes(`need ${(need / 1e9).toFixed(1)} GB`), text);
      assert.ok(text.includes(`has ${capacity / 1e9} GB: at least ${Math.ceil(need / capacity)} of them`), text);
      await close();
    }
    const { page, close } = await openPage(file);
    await showTab(page, "Facts");
    assert.ok((await factOf(page, "capacity")).startsWith("fits: weights, KV caches and values of all 16 layers"), await factOf(page, "capacity"));
    await close();
  },

  async "a program that does not fit is said not to in every view, and its times are told all the same"() {
    const { page, close } = await openPage(unitsPage);
    for (const tab of ["Overview", "Graph", "Roofline", "Memory", "Table", "Facts"]) {
      await showTab(page, tab);
      const alert = page.locator('[role="alert"]');
      assert.equal(await alert.count(), 1);
      const text = await alert.textContent();
      assert.ok(text.startsWith("This program does not fit into memory") && text.includes(units.capacity.problem), text);
    }
    assert.deepEqual(units.problems, [units.capacity.problem]);
    const facts = await page.$$eval(".summary dt", (all) => all.map((fact) => fact.textContent));
    assert.ok(facts.includes("tokens per second") && facts.includes("gpu idle"), String(facts));
    await close();
    // One layer of it does fit, and has no notice.
    const one = await openPage(blockPage);
    assert.doesNotMatch(await one.page.textContent("main, .notices"), /does not fit/);
    assert.equal(await one.page.locator('[role="alert"]').count(), 0);
    await one.close();
  },

  async "the summary tells what its amounts are of, how far figures are to be trusted, and both rates of a memory"() {
    const { page, close } = await openPage(blockPage);
    await showTab(page, "Facts");
    for (const name of ["operations", "weights", "memory footprint", "dram moved"])
      assert.ok((await factOf(page, name)).includes("of 1 layer only"), await factOf(page, name));
    assert.ok((await factOf(page, "tokens per second")).includes(
      `if all ${block.program.model_layers} layers took this long, without embedding, head and sampling`));
    assert.ok((await factOf(page, "trust")).includes("not measured on this device"));
    assert.equal(await factOf(page, "trust"), block.target_certainty);
    const dram = block.memories.find((memory) => memory.name === "dram");
    const text = await factOf(page, "memories");
    assert.ok(text.includes(`${(dram.bytes_per_second / 1e12).toFixed(2)} TB/s peak`) &&
              text.includes(`${(dram.sustained_bytes_per_second / 1e12).toFixed(2)} TB/s sustained`), text);
    const [gpu] = block.engines;
    const peak = (2 * gpu.operations_per_cycle.mac.bf16 * block.clock_hz) / 1e12;
    assert.ok((await factOf(page, "engines")).includes(`of ${gpu.units} units (all at their peak: ${peak.toFixed(1)} TFLOP/s in products of bf16`),
              await factOf(page, "engines"));
    await close();
    const whole = await openPage(unitsPage);
    await showTab(whole.page, "Facts");
    assert.ok((await factOf(whole.page, "weights")).includes("of the whole model"));
    await whole.close();
  },

  async "the title tells models of one family apart"() {
    const { page, close } = await openPage(unitsPage);
    const title = await page.title(), { sequences: [group] } = units.program;
    assert.equal(await page.textContent("h1"), title);
    for (const part of [`${(units.totals.parameters / 1e9).toFixed(1)} B`, `${units.program.layers} layers`, units.program.phase,
                        `batch ${group.batch}`, group.kv_len[0].toLocaleString("en-US"), `on ${units.target}`])
      assert.ok(title.includes(part), `${title}: ${part}`);
    await close();
  },

  async "details show when an op runs, for how long and where, and times that agree with its bound"() {
    for (const [name, of] of [[file, report], [unitsPage, units]]) {
      const { page, close } = await openPage(name);
      await showTab(page, "Table");
      await page.click('button:text("Expand all")');
      const inMicroseconds = (cycles) => (cycles * 1e6) / of.clock_hz;
      for (const op of of.ops) {
        await page.click(`tr[data-row="${op.name}"] button`);
        const fact = (key) => page.textContent(`.details dd[data-fact="${key}"]`);
        isNear(await fact("elapsed"), elapsedMicroseconds(of, [op]));
        isNear(await fact("engine time"), inMicroseconds(op.scheduled_cycles * op.count));
        isNear(await fact("start"), inMicroseconds(Math.min(...op.slots.map((slot) => slot.start_cycle))));
        const used = new Set(op.slots.map((slot) => slot.engine));
        const engines = await fact("engines");
        assert.ok(used.size === 1 ? engines === [...used][0] : engines.includes(`0..${used.size - 1}]`), engines);
        // The largest of the times that are named is that of the bound.
        const bound = await fact("bound");
        const of2 = (what) => Math.max(0, ...[...bound.split(";")[0].matchAll(new RegExp(`${what} ([\\d,.]+ (?:ns|µs|ms|s))`, "g"))]
          .map(([, time]) => parseTime(time)));
        const times = { compute: of2("compute"), memory: of2("(?:memory|of the units)"), overhead: of2("overhead") };
        assert.equal(times[op.bound], Math.max(...Object.values(times)), bound);
        // Its terms are the time of a run.
        const [run, ...terms] = (await fact("one run")).split(";")[0].split(/ [=+] /).map(parseTime);
        assert.ok(Math.abs(run - inMicroseconds(op.cycles)) <= 0.002 * run + 1e-3, op.name);
        assert.ok(Math.abs(terms.reduce((a, b) => a + b) - run) <= 0.002 * run + 3e-3, `${op.name}: ${terms} are not ${run}`);
      }
      await close();
    }
    // There are ops whose streaming takes longer than their memory alone would.
    assert.ok(units.ops.some((op) => op.bound === "memory" && op.compute_cycles > op.memory_cycles));
  },

  async "a search sums up what it finds, says how much that is, and Enter chooses the first of it"() {
    const { page, close } = await openPage(file, clipboard);
    await page.keyboard.press("/");
    await page.keyboard.type("_proj");
    await page.keyboard.press("Enter");
    const found = report.ops.filter((op) => op.name.includes("_proj"));
    assert.equal(await page.getAttribute(".details", "data-op"), found[0].name);
    const rows = await copiedTable(page);
    assert.equal(await page.textContent('[data-role="found"]'), `${found.length} ops of ${report.ops.length}.`);
    assert.deepEqual(rows.filter((row) => row.kind === "op").map((row) => row.name), found.map((op) => op.name));
    const sum = (ops) => ops.reduce((all, op) => all + op.bytes.dram * op.count, 0);
    assert.equal(Number(rows.find((row) => row.kind === "total").total_bytes), sum(found));
    const mlp = rows.find((row) => row.name === "model.layers.0.mlp");
    assert.equal(Number(mlp.total_bytes), sum(found.filter((op) => op.module === "model.layers.0.mlp")));
    await page.fill("input[type=search]", "no such op");
    assert.equal(await page.textContent('[data-role="found"]'), "Nothing found.");
    await page.fill("input[type=search]", "gate_proj");
    assert.equal(await page.textContent('[data-role="found"]'), `1 op of ${report.ops.length}.`);
    assert.equal(await page.textContent('tr[data-module="model.layers.0.mlp"] [data-column="op"]'), "1 op");
    await page.fill("input[type=search]", "");
    assert.equal(await page.textContent('[data-role="found"]'), "");
    await close();
  },
});
