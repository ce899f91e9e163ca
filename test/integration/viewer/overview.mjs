// What a page opens on: the key figures, the timeline, shares of modules, and sums of a part of time, against the report.
//
//   overview.mjs MODEL_PAGE MODEL.json FUSED_PAGE FUSED.json BLOCK_PAGE BLOCK.json
//
// MODEL: a whole model in decode on one engine; FUSED: the same with fused ops, beside MODEL; BLOCK: one layer of prefill
// on several kinds of engines.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, openPage, rangeOf, runChecks, showTab } from "./browser.mjs";

const [modelPage, modelFile, fusedPage, fusedFile, blockPage, blockFile] = process.argv.slice(2);
const [model, fused, block] = [modelFile, fusedFile, blockFile].map((file) => JSON.parse(readFileSync(file, "utf8")));
const canvas = "canvas[data-from]", gutter = 118, axis = 12; // pixels

const figure = (page, name) => page.textContent(`[data-figure="${name}"]`);
const boxOf = (page, selector) => page.locator(selector).first().boundingBox();
const numberIn = (text) => Number(text.match(/[\d,]+(?:\.\d+)?/)[0].replaceAll(",", ""));
const sumOver = (report, value) => report.ops.reduce((sum, op) => sum + value(op) * op.count, 0);

/// Products a second of all engines, in the type of the op's rate, at the fastest clock that an engine keeps.
const peakOf = (report, op) => report.engines.reduce((sum, { count, operations_per_cycle: { mac = {} } }) =>
  sum + 2 * count * (mac[op.mac_rate_type] ?? 0) * report.clock_hz, 0);
/// In percent, of what the machine could do in so many seconds; each byte that an op touches counts once.
function sharesOfPeak(report, seconds, amountOf) {
  const flopSeconds = sumOver(report, (op) => op.macs > 0 ? (2 * op.macs * amountOf(op)) / peakOf(report, op) : 0);
  const dram = report.memories.find(({ name }) => name === "dram");
  return [(100 * flopSeconds) / seconds,
          (100 * sumOver(report, (op) => op.compulsory_bytes * amountOf(op))) / seconds / dram.bytes_per_second];
}

/// "inside" of each run of an op of one engine: how much of its slots lies within two cycles, over all runs.
function coveredShare(report, op, from, to) {
  const loop = report.loops[op.loops?.[0]] ?? { trips: 1, period_cycles: 0 };
  let inside = 0, all = 0;
  for (let i = 0; i < loop.trips; ++i)
    for (const { start_cycle, end_cycle } of op.slots) {
      const shift = i * loop.period_cycles;
      inside += Math.max(0, Math.min(end_cycle + shift, to) - Math.max(start_cycle + shift, from));
      all += end_cycle - start_cycle;
    }
  return inside / all;
}
const rangeText = (page) => page.textContent('[data-role="range-sums"]');
const chosenRange = async (page) => {
  await drawn(page);
  const text = await page.getAttribute(".range-panel", "data-range");
  return text ? text.split(",").map(Number) : undefined;
};
async function drag(page, from, to, y) {
  const box = await boxOf(page, canvas);
  await page.mouse.move(box.x + from, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + to, box.y + y, { steps: 4 });
  await page.mouse.up();
  await drawn(page);
}
/// Whether the sums are those of the part of time, derived from slots.
async function expectSums(page, [from, to]) {
  const text = await rangeText(page), cover = new Map(model.ops.map((op) => [op, coveredShare(model, op, from, to)]));
  const [mfu, mbu] = sharesOfPeak(model, (to - from) / model.clock_hz, (op) => cover.get(op));
  assert.ok(text.includes(`MFU ${mfu.toFixed(1)} %`) && text.includes(`MBU ${mbu.toFixed(1)} %`), `${text}: ${mfu}, ${mbu}`);
  const ops = [...cover.values()].filter((share) => share > 0).length;
  assert.ok(text.startsWith(`${ops} ops · `), text);
  const timeIn = (op) => op.scheduled_cycles * op.count * cover.get(op);
  for (const op of [...model.ops].sort((a, b) => timeIn(b) - timeIn(a)).slice(0, 9)) { // more have a row together
    const name = op.layer === "" ? op.name : op.name.slice(op.layer.length + 1);
    const time = await page.textContent(`tr[data-sum="${name}"] [data-column="time"]`);
    const wanted = timeIn(op) / model.clock_hz;
    const unit = { s: 1, ms: 1e-3, "µs": 1e-6, ns: 1e-9 }[(await page.textContent('.range-panel th[data-column="time"]')).match(/\((.*)\)/)[1]];
    assert.ok(Math.abs(numberIn(time) * unit - wanted) <= 0.01 * wanted + 0.006 * unit, `${name}: ${time}, not ${wanted} s`);
  }
}

await runChecks({
  async "it opens on the key figures, with the timeline under them and shares beside, and fills the window"() {
    const { page, close } = await openPage(modelPage, { viewport: { width: 1400, height: 900 } });
    assert.equal(await page.getAttribute('[role="tab"][aria-selected="true"]', "id"), "tab-Overview");
    const tiles = await boxOf(page, ".tiles"), timeline = await boxOf(page, ".timeline"), shares = await boxOf(page, ".shares");
    assert.ok(tiles.y < timeline.y && timeline.y + timeline.height < 900 && shares.x > timeline.x + timeline.width);
    assert.ok(shares.y < timeline.y, "beside, not beneath");
    // One engine leaves room for what it does.
    const sums = await boxOf(page, ".range-panel");
    assert.ok(sums.y < 700 && sums.y + sums.height > 850, JSON.stringify(sums));
    await close();
  },

  async "the header is one line at 1400 pixels, and names the model"() {
    for (const file of [modelPage, fusedPage, blockPage]) {
      const { page, close } = await openPage(file, { viewport: { width: 1400, height: 900 } });
      const middles = await page.$$eval("header > :not(dialog)", (all) => all.map((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return (top + bottom) / 2;
      }));
      assert.ok(Math.max(...middles) - Math.min(...middles) < 4, String(middles));
      assert.ok((await boxOf(page, "header")).height < 50);
      assert.equal(await page.getAttribute("h1", "title"), await page.title());
      // The machine and the work are not cut off.
      const [seen, all] = await page.$eval("h1", (title) => [title.clientWidth, title.scrollWidth]);
      assert.ok(all <= seen, `${all} of ${seen} pixels`);
      assert.match(await page.textContent("h1"), / on (h100-sxm|npu-mxu-vpu), /);
      await close();
    }
  },

  async "no panel is empty: what is beside other views is there when an op is chosen"() {
    const { page, close } = await openPage(modelPage, { viewport: { width: 1400, height: 900 } });
    for (const tab of ["Graph", "Roofline", "Memory", "Table", "Facts"]) {
      await showTab(page, tab);
      assert.equal(await page.locator(".aside").isVisible(), false, tab);
      assert.equal((await boxOf(page, "main.views")).width, 1400);
    }
    await showTab(page, "Overview");
    await page.click('tr[data-sum="mlp.down_proj"] button');
    assert.equal(await page.locator(".shares").isVisible(), false);
    assert.equal(await page.locator(".details h2").textContent(), "model.layers.{}.mlp.down_proj");
    await page.click('[aria-label="Close the details"]');
    assert.equal(await page.locator(".shares").isVisible(), true);
    await close();
  },

  async "the key figures of a whole model in decode"() {
    const { page, close } = await openPage(modelPage);
    const milliseconds = model.makespan_us / 1000, { sequences: [{ batch }] } = model.program;
    assert.equal(numberIn(await figure(page, "Time per token")), Number(milliseconds.toPrecision(4)));
    assert.ok((await figure(page, "Time per token")).includes("makespan, whole model"));
    assert.equal(numberIn(await figure(page, "Tokens/s")), Math.round((batch * 1e6) / model.makespan_us));
    const [mfu, mbu] = sharesOfPeak(model, model.makespan_us / 1e6, () => 1);
    assert.equal(numberIn((await figure(page, "MFU")).slice(3)), Number(mfu.toFixed(1)));
    assert.equal(numberIn((await figure(page, "MBU")).slice(3)), Number(mbu.toFixed(1)));
    // The same as in the report's table, JSON and CSV.
    assert.ok(Math.abs(model.mfu_percent - mfu) < 1e-6 && Math.abs(model.mbu_percent - mbu) < 1e-6);
    const bar = await page.$eval('[data-figure="MBU"] .tile-bar', (element) =>
      element.firstElementChild.getBoundingClientRect().width / element.getBoundingClientRect().width);
    assert.ok(Math.abs(100 * bar - mbu) < 1, String(bar));
    assert.ok((await figure(page, "Memory")).includes(`fits${(model.capacity.needed_bytes / 1e9).toFixed(2)} GB of 80 GB`), await figure(page, "Memory"));
    const share = model.bound_percent.memory;
    assert.equal(model.bound, "memory");
    assert.ok((await figure(page, "Bound by")).includes(`dram bandwidth${share.toFixed(1)} % of the time`));
    assert.ok((await page.textContent('[data-role="advice"]')).startsWith("What to change first: the bandwidth of dram."));
    await close();
  },

  async "those of one layer of a prompt say what they are of"() {
    const { page, close } = await openPage(blockPage);
    const { layers, model_layers } = block.program;
    assert.ok((await figure(page, "Makespan")).includes(`${layers} of ${model_layers} layers`));
    const all = (block.makespan_us * model_layers) / layers / 1000;
    const text = await figure(page, "Time to first token");
    assert.equal(numberIn(text), Number(all.toPrecision(4)));
    assert.ok(text.includes(`if all ${model_layers} layers are like this; no embedding, no head`));
    assert.ok((await figure(page, "Bound by")).includes("arithmetic"));
    await close();
  },

  async "beside a baseline each figure says how it differs"() {
    const { page, close } = await openPage(fusedPage);
    const percent = (100 * (fused.makespan_us - model.makespan_us)) / model.makespan_us;
    const text = await page.textContent('[data-figure="Time per token"] .tile-change');
    assert.ok(text.startsWith(`${percent.toFixed(1)} %, was `), text);
    assert.equal(await page.textContent('[data-figure="MBU"] .tile-change'), `was ${model.mbu_percent.toFixed(1)} %`);
    assert.equal(await page.locator(canvas).count(), 2);
    await close();
  },

  async "what differs most from the baseline stands beside, matched with the sum of its parts"() {
    const { page, close } = await openPage(fusedPage, { viewport: { width: 1400, height: 900 } });
    const time = (report, op) => (op.scheduled_cycles * op.count * 1e6) / report.clock_hz;
    const partsOf = (op) => (op.fused ?? [op]).flatMap(({ name }) => {
      const [first, ...others] = name.split("+");
      return [first, ...others.map((other) => first.slice(0, first.lastIndexOf(".") + 1) + other)];
    });
    // All is on one engine, where ops run one after the other.
    const differences = fused.ops.map((op) => [op.name, time(fused, op) - partsOf(op).reduce((sum, name) =>
      sum + time(model, model.ops.find((other) => other.name === name)), 0)])
      .filter(([, difference]) => Math.abs(difference) > 1e-6).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    assert.ok(differences.length > 5);
    const rows = page.locator("[data-difference]");
    assert.deepEqual(await rows.evaluateAll((all) => all.map((row) => row.dataset.difference)), differences.map(([name]) => name));
    for (const [index, [, difference]] of differences.entries()) {
      const text = await rows.nth(index).locator(".share-value").first().textContent();
      assert.equal(text, `${difference < 0 ? "-" : "+"}${Math.abs(difference).toFixed(1)}`);
    }
    await rows.first().click();
    assert.equal(await page.getAttribute(".details", "data-op"), differences[0][0]);
    await close();
  },

  async "layers fold: one iteration of the loop, with what follows behind it"() {
    const { page, close } = await openPage(modelPage, { viewport: { width: 1400, height: 900 } });
    const [loop] = model.loops, left = (loop.trips - 1) * loop.period_cycles;
    await page.click("button.fold");
    await page.waitForSelector('button.fold[aria-pressed="true"]');
    const seen = 'div:not([hidden]) > .timeline canvas[data-from]';
    await drawn(page);
    assert.equal(Number(await page.getAttribute(seen, "data-to")), model.makespan_cycles - left);
    assert.equal(Number(await page.getAttribute(seen, "data-slices")), model.ops.reduce((sum, { slots }) => sum + slots.length, 0));
    // The head stands as far behind the layer as it did behind the last one.
    const head = model.ops.find(({ name }) => name === "lm_head");
    await page.locator(seen).click({ position: { x: gutter + ((await boxOf(page, seen)).width - gutter) *
      ((head.slots[0].start_cycle + head.slots[0].end_cycle) / 2 - left) / (model.makespan_cycles - left), y: 24 + 18 + 20 } });
    assert.equal(await page.getAttribute(".details", "data-op"), "lm_head");
    const sums = "div:not([hidden]) > .range-panel";
    assert.equal(await page.textContent(`${sums} h3`), "Each layer once");
    for (const name of ["self_attn.attn", "lm_head"])
      assert.equal(await page.textContent(`${sums} tr[data-sum="${name}"] [data-column="count"]`), "1");
    await page.waitForFunction(() => location.hash.includes("fold=1"));
    await page.reload();
    await page.waitForSelector(seen);
    assert.equal(await page.textContent(`${sums} h3`), "Each layer once");
    await page.click("button.fold");
    await drawn(page);
    assert.deepEqual(await rangeOf(page), [0, model.makespan_cycles]);
    await close();
    const { page: other, close: closeOther } = await openPage(blockPage);
    assert.equal(await other.locator("button.fold").count(), 0, "one layer is no loop");
    await closeOther();
  },

  async "counters of few engines do not say again what rows show, and each has its row"() {
    const labels = (page) => page.$$eval(".counter", (all) => all.map((each) => each.dataset.counter));
    for (const [file, wanted] of [[modelPage, ["dram bandwidth", "gpu l2"]], [blockPage, ["dram bandwidth", "mxu sram", "vpu sram"]],
                                  [fusedPage, ["dram bandwidth", "dram bandwidth"]]]) {
      const { page, close } = await openPage(file);
      await drawn(page);
      assert.deepEqual(await labels(page), wanted);
      await close();
    }
  },

  async "modules have their shares of engine time, all layers together"() {
    const { page, close } = await openPage(modelPage);
    const time = (ops) => ops.reduce((sum, op) => sum + op.scheduled_cycles * op.count, 0);
    for (const module of ["self_attn", "mlp"]) {
      const share = (100 * time(model.ops.filter(({ name }) => name.includes(`.${module}.`)))) / time(model.ops);
      assert.equal(await page.textContent(`[data-share="${module}"] .share-value`), `${share.toFixed(1)} %`);
    }
    await page.click('[data-share="mlp"]');
    assert.equal(await page.inputValue('input[type="search"]'), "mlp");
    await page.click('[data-share="mlp.down_proj"]');
    assert.equal(await page.getAttribute(".details", "data-op"), "model.layers.{}.mlp.down_proj");
    await close();
  },

  async "a part of time that is dragged on the axis, or with Shift, is summed up"() {
    const { page, close } = await openPage(modelPage, { viewport: { width: 1400, height: 900 } });
    const { width } = await boxOf(page, canvas), perPixel = model.makespan_cycles / (width - gutter);
    await drag(page, gutter + 100, gutter + 400, axis);
    const range = await chosenRange(page);
    assert.ok(Math.abs(range[0] - 100 * perPixel) < 2 * perPixel && Math.abs(range[1] - 400 * perPixel) < 2 * perPixel, String(range));
    assert.deepEqual(await rangeOf(page), [0, model.makespan_cycles], "that is no panning");
    await expectSums(page, range);
    await page.keyboard.down("Shift");
    await drag(page, gutter + 500, gutter + 450, 55);
    await page.keyboard.up("Shift");
    const other = await chosenRange(page);
    assert.ok(other[0] > range[1] && other[1] > other[0]);
    await expectSums(page, other);
    await page.click('button:text("Zoom to it")');
    assert.deepEqual(await rangeOf(page), other);
    await page.click('button:text("Clear")');
    assert.equal(await chosenRange(page), undefined);
    await expectSums(page, [0, model.makespan_cycles]);
    await close();
  },

  async "R sums up what is shown, Escape and a click on the axis end it, and the address keeps it"() {
    const { page, close } = await openPage(modelPage);
    await page.focus(canvas);
    await page.keyboard.press("+");
    await page.keyboard.press("r");
    const shown = await rangeOf(page), range = await chosenRange(page);
    assert.ok(Math.abs(range[0] - shown[0]) <= 1 && Math.abs(range[1] - shown[1]) <= 1);
    await page.waitForFunction((to) => location.hash.includes(`sumTo=${to}`), range[1]);
    await page.reload();
    await page.waitForSelector(canvas);
    assert.deepEqual(await chosenRange(page), range);
    await page.focus(canvas);
    await page.keyboard.press("Escape");
    assert.equal(await chosenRange(page), undefined);
    await page.keyboard.press("r");
    await page.click(canvas, { position: { x: gutter + 50, y: axis } });
    assert.equal(await chosenRange(page), undefined);
    await close();
  },

  async "colours are those of kinds, in all views and pages, and a fused op has that of its product"() {
    const coloursOf = (page, where) => page.$$eval(`${where} .legend button`, (all) =>
      Object.fromEntries(all.map((button) => [button.textContent, button.querySelector(".swatch").style.background])));
    const seen = {};
    for (const file of [modelPage, fusedPage, blockPage]) {
      const { page, close } = await openPage(file);
      for (const tab of ["Overview", "Graph", "Roofline"]) {
        await showTab(page, tab);
        for (const [kind, colour] of Object.entries(await coloursOf(page, `#panel-${tab}`))) {
          assert.equal(seen[kind] ?? colour, colour, `${kind} in ${tab} of ${file}`);
          seen[kind] = colour;
        }
      }
      await close();
    }
    assert.ok(Object.keys(seen).length > 12 && !("fused" in seen) && !("llm.fused" in seen), String(Object.keys(seen)));
    const mainOf = (kind) => kind.split("+").find((part) => /matmul|attn/.test(part)) ?? kind.split("+")[0];
    for (const [kind, colour] of Object.entries(seen)) assert.equal(colour, seen[mainOf(kind)] ?? colour, kind);
    const mains = new Set(Object.keys(seen).map(mainOf));
    assert.equal(new Set(Object.values(seen)).size, mains.size, "each main kind has its own");
    assert.ok("rmsnorm+matmul+swiglu" in seen && "matmul+add" in seen, String(Object.keys(seen)));
  },

  async "fused ops are called what they are, in timeline, graph and table"() {
    const { page, close } = await openPage(fusedPage);
    const op = fused.ops.find(({ name }) => name.endsWith("swiglu"));
    assert.deepEqual(op.fused.map((part) => part.op), ["llm.rmsnorm", "llm.matmul", "llm.swiglu"]);
    const label = "post_attention_layernorm+gate_up+swiglu";
    assert.equal(await page.locator(`tr[data-sum="${label}"]`).count(), 1);
    await showTab(page, "Graph");
    const texts = await page.$$eval(`[data-node="${op.name}"] text`, (all) => all.map((text) => text.textContent));
    assert.ok(label.startsWith(texts[0].replace("…", "")) && texts[0].length > 20, texts[0]);
    await showTab(page, "Table");
    assert.equal(await page.textContent(`tr[data-row="${op.name}"] button`), label);
    assert.equal(await page.textContent(`tr[data-row="${op.name}"] [data-column="op"]`), "rmsnorm+matmul+swiglu");
    await close();
  },

  async "what a first window says is whole: what binds, the words of a comparison, where a graph begins"() {
    const words = await openPage(blockPage, { viewport: { width: 1400, height: 900 } });
    const lines = await words.page.$$eval(".tile-value.words", (all) => all.map((each) => {
      each.textContent = "dram bandwidth"; // the longest that it may say
      return [each.scrollWidth - each.clientWidth, Math.round(each.clientHeight / parseFloat(getComputedStyle(each).lineHeight))];
    }));
    assert.ok(lines.length >= 1);
    for (const line of lines) assert.deepEqual(line, [0, 1], String(lines));
    await words.close();
    const facts = await openPage(fusedPage, { viewport: { width: 390, height: 844 } });
    await showTab(facts.page, "Facts");
    const broken = await facts.page.$$eval(".comparison th", (all) => all.flatMap((cell) => {
      const text = cell.firstChild, range = document.createRange();
      return [...(text?.textContent ?? "").matchAll(/\S+/g)].filter(({ 0: word, index }) => {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return range.getClientRects().length > 1;
      }).map(([word]) => word);
    }));
    assert.deepEqual(broken, []);
    assert.ok(await facts.page.$eval(".comparison", (each) => each.scrollWidth <= each.clientWidth), "all columns are seen");
    await facts.close();
    const graph = await openPage(modelPage, { viewport: { width: 800, height: 600 } });
    await showTab(graph.page, "Graph");
    const host = await boxOf(graph.page, ".graph-host"), first = await boxOf(graph.page, `[data-node="${model.ops[0].name}"]`);
    assert.ok(first.x >= host.x && first.x + first.width <= host.x + host.width, JSON.stringify([first, host]));
    await graph.close();
  },

  async "small windows and phones show all of the overview, one under the other"() {
    for (const [width, height, file] of [[800, 600, modelPage], [390, 844, modelPage], [800, 600, blockPage], [390, 844, blockPage]]) {
      const { page, close } = await openPage(file, { viewport: { width, height } });
      await drawn(page);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      const [tiles, timeline, sums, shares] = await Promise.all([".tiles", ".timeline", ".range-panel", ".shares"].map((each) => boxOf(page, each)));
      assert.ok(tiles.y < timeline.y && timeline.y < sums.y && sums.y < shares.y);
      assert.ok(timeline.y < height, "the timeline begins in the first window");
      // No number stands in another line than its unit, and the rows of tiles are full.
      const cells = await page.$$eval(".tile", (all) => all.map((each) => {
        const { top, right } = each.getBoundingClientRect(), value = each.querySelector(".tile-value");
        return { top, right, isWhole: value.scrollWidth <= value.clientWidth && value.clientHeight < 35 };
      }));
      assert.ok(cells.every(({ isWhole }) => isWhole), JSON.stringify(cells));
      const ends = new Map(cells.map(({ top, right }) => [top, right]));
      assert.ok(Math.max(...ends.values()) - Math.min(...ends.values()) < 2, JSON.stringify(cells));
      for (const box of [tiles, timeline, sums, shares]) assert.ok(box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
      await page.locator(".shares").scrollIntoViewIfNeeded();
      assert.ok((await boxOf(page, ".shares")).y < height);
      await close();
    }
  },
});
