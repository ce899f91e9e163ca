// The timeline of a whole model, whose slices are thinner than pixels, against the JSON report.
//
//   timeline.mjs MODEL_PAGE MODEL.json MANY_PAGE MANY.json
//
// MODEL: layers in a loop, on one engine; MANY: on more engines than fit.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, openPage, pixelAt, rangeOf, runChecks, selectedBox, showTab } from "./browser.mjs";

const [modelPage, modelFile, manyPage, manyFile] = process.argv.slice(2);
const [model, many] = [modelFile, manyFile].map((file) => JSON.parse(readFileSync(file, "utf8")));
const gutter = 118, axis = 24, layer = 18, row = 22, highRow = 44; // pixels; few engines have high rows
const canvas = "canvas[data-from]";
const kindOf = (op) => op.op.replace("llm.", "");

/// Start and end of all runs of the op's first slot, by the loop around it.
function runsOf(op) {
  const [slot] = op.slots, loop = model.loops[op.loops?.[0]];
  return Array.from({ length: op.count }, (_, i) =>
    [slot.start_cycle, slot.end_cycle].map((cycle) => cycle + i * (loop?.period_cycles ?? 0)));
}
const inLoop = model.ops.filter((op) => op.loops && op.slots.length > 0);
const longest = inLoop.reduce((most, op) => (op.scheduled_cycles > most.scheduled_cycles ? op : most));
const late = longest.count - 2; // a run

/// Shows the middle of a run of the op in the middle of the timeline, by the address.
async function openAt(run, cycles, options) {
  const [start, end] = runsOf(longest)[run], from = Math.round((start + end - cycles) / 2);
  return openPage(modelPage, options, { hash: `from=${from}&to=${from + cycles}` });
}
const middleOf = async (page) => gutter + ((await page.locator(canvas).boundingBox()).width - gutter) / 2;

/// Cycles of each colour in the row of the only engine, in parts of the area that has one: by the colours of the legend.
async function drawnShares(page) {
  await drawn(page);
  return page.$eval(canvas, (element, [left, top, height]) => {
    const ratio = element.width / element.clientWidth;
    const kindOf = new Map([...document.querySelectorAll(".legend button")].map((button) =>
      [getComputedStyle(button.querySelector(".swatch")).backgroundColor.match(/\d+/g).join(","), button.textContent]));
    const { data } = element.getContext("2d").getImageData(left * ratio, top * ratio, element.width - left * ratio, height * ratio);
    const shares = {};
    let all = 0;
    for (let i = 0; i < data.length; i += 4) {
      const kind = kindOf.get(`${data[i]},${data[i + 1]},${data[i + 2]}`);
      if (kind === undefined) continue;
      shares[kind] = (shares[kind] ?? 0) + 1;
      ++all;
    }
    for (const kind of Object.keys(shares)) shares[kind] /= all;
    return shares;
  }, [gutter, axis + layer, highRow - 1]);
}

await runChecks({
  async "colours have the shares of time that kinds of ops have, however thin slices are"() {
    const cycles = {};
    for (const op of model.ops) // all of it is on one engine, so that slots are all there is in the row
      for (const slot of op.slots) cycles[kindOf(op)] = (cycles[kindOf(op)] ?? 0) + (slot.end_cycle - slot.start_cycle) * op.count;
    assert.ok(model.ops.every((op) => op.slots.every((slot) => slot.engine === model.ops[0].slots[0].engine && !slot.prefetches)));
    const total = Object.values(cycles).reduce((a, b) => a + b);
    for (const [width, deviceScaleFactor] of [[1024, 1], [1600, 1], [390, 2]]) {
      const { page, close } = await openPage(modelPage, { viewport: { width, height: 800 }, deviceScaleFactor });
      const shares = await drawnShares(page);
      for (const [kind, time] of Object.entries(cycles))
        assert.ok(Math.abs((shares[kind] ?? 0) - time / total) < 0.02,
                  `${kind} at ${width}: ${shares[kind]}, not ${time / total}`);
      await close();
    }
  },

  async "a slice that is clicked in a late layer stays where it is, and F goes to it"() {
    const length = Math.round(model.loops[0].period_cycles * 1.2);
    const { page, close } = await openAt(late, length);
    const before = await rangeOf(page);
    await page.click(canvas, { position: { x: await middleOf(page), y: axis + layer + 10 } });
    assert.equal(await page.getAttribute(".details", "data-op"), longest.name);
    assert.deepEqual(await rangeOf(page), before);
    const [start, end] = runsOf(longest)[late];
    const fact = (name) => page.textContent(`.details dd[data-fact="${name}"]`);
    assert.ok((await fact("run")).startsWith(`${late + 1} of ${longest.count}: `));
    assert.ok((await fact("layer")).endsWith(`.${model.loops[0].first_index + late * model.loops[0].index_step}`));
    assert.ok((await fact("from")).includes(`cycle ${start.toLocaleString("en-US")})`));
    assert.ok((await fact("to")).includes(`cycle ${end.toLocaleString("en-US")})`));
    assert.equal(await fact("runs on"), longest.slots[0].engine);
    // The mark of the run is above it, too.
    const [left, top, width] = await selectedBox(page);
    assert.equal(await pixelAt(page, left + width / 2, top + 1), "207,34,46");
    await page.keyboard.press("Home");
    await page.keyboard.press("F"); // with Shift, as with CapsLock
    const [from, to] = await rangeOf(page);
    assert.ok(Math.abs(from - (start - 0.2 * (end - start))) < 1 && Math.abs(to - (end + 0.2 * (end - start))) < 1, `${from} to ${to}`);
    await close();
  },

  async "an op that is chosen elsewhere is shown in its nearest layer"() {
    const [start] = runsOf(longest)[late];
    const { page, close } = await openAt(late, Math.round((runsOf(longest)[late][1] - start) / 4));
    const before = await rangeOf(page);
    await showTab(page, "Table");
    await page.click('button:text("Expand all")');
    const choose = async (op) => {
      await page.click(`tr[data-row="${op.name}"] button`);
      await showTab(page, "Overview");
      const [from, to] = await rangeOf(page);
      await showTab(page, "Table");
      return [from, to];
    };
    assert.deepEqual(await choose(longest), before); // one of its runs is in sight
    const other = inLoop.find((op) => runsOf(op).every(([from, to]) => to <= before[0] || from >= before[1]));
    const gaps = runsOf(other).map(([from, to]) => Math.max(before[0] - to, from - before[1]));
    const nearest = runsOf(other)[gaps.indexOf(Math.min(...gaps))];
    const [from, to] = await choose(other);
    assert.ok(Math.abs((from + to) / 2 - (nearest[0] + nearest[1]) / 2) < 1, `${from} to ${to}: not ${nearest}`);
    await close();
  },

  async "the row of layers has names at each zoom, and ] goes on to the next"() {
    const { page, close } = await openPage(modelPage);
    const box = await page.locator(canvas).boundingBox();
    const tipAt = async (x) => {
      await page.hover(canvas, { position: { x, y: axis + 9 } });
      return page.textContent(".tip:not([hidden])");
    };
    const first = inLoop.find((op) => op.layer !== "").layer, name = (index) => first.replace("{}", index);
    assert.match(await tipAt(gutter + 20), new RegExp(`^${name(0).replaceAll(".", "\\.")} \\.\\. [1-9][0-9]*`));
    // Text in boxes: between their edges something is drawn.
    const ink = await page.$eval(canvas, (element, [top, height]) => {
      const { data, width } = element.getContext("2d").getImageData(118, top, element.width - 118, height);
      const dark = new Set();
      for (let i = 0; i < data.length; i += 4) if (data[i] < 100) dark.add(Math.floor((i / 4 % width) / 100));
      return dark.size;
    }, [axis + 5, layer - 10]);
    assert.ok(ink >= Math.floor((box.width - gutter) / 100) - 1, `${ink} of ${box.width}`);
    await page.locator(canvas).focus();
    const { start_cycle, period_cycles } = model.loops[0];
    for (let index = 0; index < 3; ++index) {
      await page.keyboard.press("]");
      const [from, to] = await rangeOf(page);
      assert.ok(Math.abs(from - start_cycle - index * period_cycles) <= 1 && to - from <= period_cycles + 1, `${index}: ${from} to ${to}`);
    }
    assert.ok((await tipAt(gutter + 200)).startsWith(`${name(2)}`));
    await page.keyboard.press("[");
    assert.ok(Math.abs((await rangeOf(page))[0] - start_cycle - period_cycles) <= 1);
    await close();
  },

  async "layers of one row have labels of one kind, and the axis of a phone has several times"() {
    const { page, close } = await openPage(modelPage);
    await page.evaluate(() => {
      const draw = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        (window.texts ??= []).push(text);
        return draw.call(this, text, ...rest);
      };
    });
    for (const width of [1440, 1250, 1100, 950, 800, 390]) {
      await page.evaluate(() => { window.texts = []; });
      await page.setViewportSize({ width, height: 844 });
      await drawn(page);
      const all = await page.evaluate(() => window.texts);
      const texts = all.slice(all.findLastIndex((text) => /^0 [mµn]?s$/.test(text))); // those of the last frame
      // "model.layers.0 .. 3", "layers 0 .. 3" or "0 .. 3"; what has no room for these is "0 …".
      const kinds = new Set(texts.filter((text) => /\d \.\. \d+$/.test(text)).map((text) => text.replace(/\d+ \.\. \d+$/, "")));
      assert.equal(kinds.size, 1, `${width}: ${texts}`);
      const times = new Set(texts.filter((text) => /^[\d.,]+ [mµn]?s$/.test(text)));
      assert.ok(times.size >= 3, `${width}: ${[...times]}`);
      // No line of the axis is without its time: they are equally far apart, and the next would lie behind the end.
      const [step, last] = [[...times][1], [...times].at(-1)].map((text) => Number(text.split(" ")[0].replaceAll(",", "")));
      const unit = { s: 1e9, ms: 1e6, µs: 1e3, ns: 1 }[[...times][1].split(" ")[1]];
      assert.ok((last + step) * unit > (1e9 * model.makespan_cycles) / model.clock_hz, `${width}: ${[...times]}`);
    }
    await close();
  },

  async "labels of the axis do not touch at the deepest zoom"() {
    // So wide that ticks would be some 90 pixels apart if labels did not count.
    const { page, close } = await openAt(late, 10, { viewport: { width: 1490, height: 800 } });
    // Labels are as far apart as no letters in them are; where they touch, no such gap is left.
    const gaps = await page.$eval(canvas, (element) => {
      const { data, width, height } = element.getContext("2d").getImageData(118, 4, element.width - 118, 14);
      const isDark = (x) => Array.from({ length: height }, (_, y) => data[4 * (y * width + x)]).some((red) => red < 170);
      const found = [];
      let last = -1;
      for (let x = 0; x < width; ++x) {
        if (!isDark(x)) continue;
        if (last >= 0 && x - last > 10) found.push(x - last);
        last = x;
      }
      return found;
    });
    assert.ok(gaps.length >= 2, String(gaps));
    await close();
  },

  async "axis and layers stay while rows are scrolled, and the tip stays in the window"() {
    const { page, close } = await openPage(manyPage, { viewport: { width: 900, height: 500 } });
    const top = () => page.$eval(canvas, (element) =>
      Array.from(element.getContext("2d").getImageData(118, 0, element.width - 118, 40).data).join());
    await page.$eval(canvas, (element) => element.scrollIntoView({ block: "center" }));
    await drawn(page);
    const before = await top();
    const rows = many.engines.reduce((sum, engine) => sum + engine.count, 0);
    const box = await page.locator(canvas).boundingBox();
    assert.ok(rows * row > box.height + 200, "more rows than fit");
    await page.$eval(".timeline .rows", (element) => (element.scrollTop = element.scrollHeight));
    await drawn(page);
    assert.equal(await top(), before);
    const after = await page.locator(canvas).boundingBox();
    assert.ok(Math.abs(after.y - box.y) < 1);
    const engine = many.engines.at(-1);
    // The last row is at the bottom, and what is said of it above the pointer where there is no room below.
    await page.mouse.move(after.x + after.width - 5, after.y + after.height - 6);
    const tip = page.locator(".tip:not([hidden])");
    assert.ok((await tip.textContent()).includes(`${engine.name}[${engine.count - 1}]`), await tip.textContent());
    for (const y of [after.y + after.height - 6, after.y + 60]) {
      await page.mouse.move(after.x + after.width - 5, y);
      const place = await tip.boundingBox();
      assert.ok(place.x >= 0 && place.y >= 0 && place.x + place.width <= 900 && place.y + place.height <= 500, JSON.stringify(place));
    }
    await close();
  },
});
