// The other views, as figures that a person reads: units of the table, the graph of a loop, points and ceilings of the
// roofline, and memory over time, against the report.
//
//   views.mjs MODEL_PAGE MODEL.json VIEWER_BUILD
//
// MODEL: a whole model in decode on one engine.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, editPage, openPage, runChecks, showTab } from "./browser.mjs";
import { loadSources } from "./bundle.mjs";

const [modelPage, modelFile, build] = process.argv.slice(2);
const model = JSON.parse(readFileSync(modelFile, "utf8"));
const { unrollSteps, makeTree } = await loadSources(build, "memory", "modules");
const sizes = { ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const attention = "model.layers.{}.self_attn.attn";

await runChecks({
  async "columns of the table have their unit in the head, and numbers alone below"() {
    const { page, close } = await openPage(modelPage);
    await showTab(page, "Table");
    await page.click('button:text("Expand all")');
    const heads = await page.$$eval(".table thead th", (all) => all.map((cell) => cell.textContent));
    const unitOf = (title) => heads.find((head) => head.startsWith(title)).match(/\((.*)\)/)[1];
    assert.equal(unitOf("Share"), "%");
    const values = { total_time_us: ["Engine time", (op) => op.scheduled_cycles / model.clock_hz], total_macs: ["MACs", (op) => op.macs],
                     total_bytes: ["dram", (op) => op.bytes.dram] };
    for (const [column, [title, valueOf]] of Object.entries(values))
      for (const op of model.ops) {
        const text = await page.textContent(`tr[data-row="${op.name}"] [data-column="${column}"]`);
        assert.match(text, /^(?:[\d,]+\.\d+|< 0\.\d+)$/, `${column} of ${op.name}`);
        const size = sizes[unitOf(title)], wanted = valueOf(op) * op.count;
        if (!text.startsWith("<"))
          assert.ok(Math.abs(Number(text.replaceAll(",", "")) * size - wanted) <= 0.06 * size + 1e-6 * wanted, `${column} of ${op.name}: ${text}`);
      }
    await close();
  },

  async "the graph says how often a loop runs, and what it hands on has lines of its own"() {
    const { page, close } = await openPage(modelPage);
    await showTab(page, "Graph");
    const { trips } = model.loops[0];
    const titles = await page.$$eval(".frame-title", (all) => all.map((title) => title.textContent));
    assert.deepEqual(titles.filter((title) => title.includes("runs")), [`model.layers.{} · ${trips} runs`]);
    const lines = await page.$$eval("path.edge", (all) => all.map((line) =>
      [`${line.dataset.from} ${line.dataset.to}`, line.classList.contains("carried"), line.getAttribute("d")]));
    const carried = model.ops.flatMap((op) => (op.depends_on_previous_iteration ?? []).map((from) => `${from} ${op.name}`));
    assert.deepEqual(lines.filter(([, isCarried]) => isCarried).map(([name]) => name).sort(), carried.sort());
    const forward = model.ops.flatMap((op) => [...op.depends_on, ...(op.depends_on_in_first_iteration ?? [])].map((from) => `${from} ${op.name}`));
    assert.deepEqual(lines.filter(([, isCarried]) => !isCarried).map(([name]) => name).sort(), [...new Set(forward)].sort());
    assert.equal(new Set(lines.map(([, , path]) => path)).size, lines.length, "no line lies on another");
    // Beside the layout: right of every node.
    const right = await page.$$eval(".node rect", (all) => Math.max(...all.map((rect) => rect.getBoundingClientRect().right)));
    const back = await page.$$eval("path.edge.carried", (all) => all.map((line) => line.getBoundingClientRect().right));
    assert.ok(back.length > 0 && back.every((x) => x > right), `${back}, ${right}`);
    assert.ok((await page.$$eval("text.back", (all) => all.map((text) => text.textContent))).every((text) => text.startsWith("next run: ")));
    // A closed loop hands on to itself.
    await page.click('button:text("Collapse all")');
    await page.click('.node.module[data-module="model"]');
    assert.equal(await page.locator('path.edge.carried[data-from="model.layers.{}"][data-to="model.layers.{}"]').count(), 1);
    assert.ok((await page.textContent('.node[data-module="model.layers.{}"]')).includes(`${trips} runs`));
    await close();
  },

  async "points of the roofline are as large as their share of time, and named"() {
    const { page, close } = await openPage(modelPage);
    await showTab(page, "Roofline");
    const time = (op) => op.scheduled_cycles * op.count, all = model.ops.reduce((sum, op) => sum + time(op), 0);
    const named = (await page.getAttribute(".roofline", "data-named")).split(" ");
    const longest = model.ops.find(({ name }) => name === attention);
    assert.ok(named.includes("self_attn.attn") && !named.includes("mlp_residual"), String(named));
    // The area of a point: pixels of its colour around its middle.
    await showTab(page, "Table");
    await page.click(`tr[data-row="${attention}"] button`);
    await showTab(page, "Roofline");
    await drawn(page);
    const [x, y] = (await page.getAttribute(".roofline", "data-selected-at")).split(",").map(Number);
    const wide = await page.$eval(".roofline canvas", (canvas, [left, top]) => {
      const over = document.querySelector(".roofline .u-over").getBoundingClientRect(), box = canvas.getBoundingClientRect();
      const ratio = canvas.width / box.width, at = Math.round((over.top - box.top + top) * ratio), middle = Math.round((over.left - box.left + left) * ratio);
      const row = canvas.getContext("2d").getImageData(0, at, canvas.width, 1).data;
      const same = (column) => [0, 1, 2].every((channel) => row[4 * column + channel] === row[4 * middle + channel]);
      let from = middle, to = middle;
      while (same(from - 1)) --from;
      while (same(to + 1)) ++to;
      return (to - from + 1) / ratio;
    }, [x, y]);
    const diameter = 2 * 30 * Math.sqrt(time(longest) / all);
    assert.ok(Math.abs(wide - diameter) < 5, `${wide} pixels, not ${diameter}`);
    await close();
  },

  async "ceilings are those that count, and all where they are asked for"() {
    const { page, close } = await openPage(modelPage);
    await showTab(page, "Roofline");
    await drawn(page);
    const count = async () => Number(await page.getAttribute(".roofline", "data-ceilings"));
    const few = await count();
    assert.ok(few >= 2 && few <= 4, String(few));
    const text = await page.textContent(".roofline .choice"), all = Number(text.match(/\d+/)[0]);
    assert.ok(all > few);
    await page.click(".roofline .choice input");
    await drawn(page);
    assert.equal(await count(), all);
    await close();
  },

  async "what lies in memory over time is that of the capacity, in each run of the loop"() {
    const { memory_over_time: groups } = model, { value_bytes, workspace_bytes, weight_bytes, cache_bytes } = model.capacity;
    const steps = unrollSteps(model, groups), { trips, period_cycles } = model.loops[0];
    assert.equal(Math.max(...steps.map((step) => step.values + step.workspace)), value_bytes + workspace_bytes);
    const inLoop = groups.filter(({ loops }) => loops.length > 0).reduce((sum, { cycle }) => sum + cycle.length, 0);
    const others = groups.filter(({ loops }) => loops.length === 0).reduce((sum, { cycle }) => sum + cycle.length, 0);
    assert.equal(steps.length, others + trips * inLoop);
    assert.ok(steps.every((step, index) => index === 0 || steps[index - 1].cycle <= step.cycle));
    const at = (cycle) => steps.filter((step) => step.cycle <= cycle).at(-1).values;
    const middle = model.loops[0].start_cycle + 0.6 * period_cycles;
    for (let i = 1; i < trips; ++i) assert.equal(at(middle + i * period_cycles), at(middle), `run ${i}`);
    const { page, close } = await openPage(modelPage);
    await showTab(page, "Memory");
    assert.deepEqual(await page.$$eval(".memory-plot", (all) => all.map((plot) => plot.dataset.plot)), ["main", "values", "gpu l2"]);
    const notes = await page.$$eval(".memory p", (all) => all.map((note) => note.textContent));
    for (const part of [`${(model.capacity.needed_bytes / 1e9).toFixed(2)} GB at most of 80 GB`, `weights ${(weight_bytes / 1e9).toFixed(2)} GB`,
                        `KV caches ${(cache_bytes / 1e9).toFixed(2)} GB`])
      assert.ok(notes[0].includes(part), `${notes[0]}: ${part}`);
    // The pointer reads the stack.
    const over = await page.locator('[data-plot="main"] .u-over').boundingBox();
    await page.mouse.move(over.x + over.width / 2, over.y + 40);
    await drawn(page);
    const legend = await page.textContent('[data-plot="main"] .u-legend');
    assert.ok(legend.includes(`${(weight_bytes / 1e9).toFixed(2)} GB`) && legend.includes("values"), legend);
    await close();
  },

  async "a report that does not say what lies in memory when is said to be older"() {
    editPage(modelPage, "older.html", ({ report }) => delete report.memory_over_time);
    const { page, close } = await openPage("older.html");
    await showTab(page, "Memory");
    assert.ok((await page.textContent(".memory")).includes("an older llm-opt wrote it"));
    await close();
  },

  async "layers that are alike fold into one, which opens to each"() {
    const layers = [0, 1, 2, 3, 4];
    const place = (op, layer) => ({ ...op, name: op.name.replace("{}", layer), module: op.module.replace("{}", layer),
                                    layer: op.layer.replace("{}", layer), count: 1, loops: undefined, depends_on: [] });
    editPage(modelPage, "unrolled.html", ({ report }) => {
      const inLoop = report.ops.filter((op) => op.loops);
      report.ops = layers.flatMap((layer) => inLoop.map((op) => place(op, layer)));
      report.ops = report.ops.filter(({ name }) => name !== "model.layers.4.mlp_residual"); // one is not alike
      for (const op of report.ops) for (const key of ["depends_on_previous_iteration", "depends_on_in_first_iteration"]) delete op[key];
      report.loops = [];
      delete report.memory_over_time;
    });
    const { page, close } = await openPage("unrolled.html");
    await showTab(page, "Table");
    await page.click('button:text("Collapse all")');
    const open = (name) => page.click(`tr[data-module="${name}"] button`);
    if (await page.locator('tr[data-module="model"]').count()) await open("model");
    await open("model.layers");
    const folded = "model.layers.0 … 3";
    const texts = await page.$$eval("tr.module button", (all) => all.map((button) => button.textContent));
    assert.ok(texts.some((text) => text.includes("0 … 3 (4 alike)")) && texts.some((text) => /\b4$/.test(text)), String(texts));
    const runs = await page.textContent(`tr[data-module="${folded}"] [data-column="count"]`);
    assert.equal(Number(runs), 4 * model.ops.filter((op) => op.loops).length);
    await open(folded);
    assert.equal(await page.locator('tr[data-module="model.layers.2"]').count(), 1);
    await close();
    // Two are no fold.
    const tree = makeTree({ ...model, loops: [], ops: [0, 1].flatMap((layer) => model.ops.filter((op) => op.loops).map((op) => place(op, layer))) });
    assert.ok(!JSON.stringify(tree.children.map(({ label, children }) => [label, children.map((child) => child.label)])).includes("alike"));
  },
});
