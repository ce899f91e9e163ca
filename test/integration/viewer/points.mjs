// The roofline of a page, as a person finds its points: with the mouse, with keys and with the search.
//
//   points.mjs PAGE REPORT.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, openPage, runChecks, showTab } from "./browser.mjs";

const [file, reportFile] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const withPoint = report.ops.filter((op) => Object.keys(op.work).length > 0 && op.bytes.dram > 0);
const selected = (page) => page.getAttribute(".roofline", "data-selected");

/// Where each point is in the plot, by the arrow key that goes through all of them.
async function placesOf(page) {
  const places = new Map();
  await page.focus(".roofline-host");
  for (let at = 0; at < withPoint.length; ++at) {
    await page.keyboard.press("ArrowRight");
    await drawn(page);
    places.set(await selected(page), (await page.getAttribute(".roofline", "data-selected-at")).split(",").map(Number));
  }
  return places;
}
async function open() {
  const { page, close } = await openPage(file);
  await showTab(page, "Roofline");
  const places = await placesOf(page);
  const over = await page.locator(".roofline .u-over").boundingBox();
  return { page, close, places, onScreen: ([x, y]) => [over.x + x, over.y + y] };
}
const near = (places, [x, y]) => [...places].filter(([, at]) => Math.hypot(at[0] - x, at[1] - y) < 11.5).map(([name]) => name);

await runChecks({
  async "every op is told under the cursor, and chosen by clicks there"() {
    const { page, close, places, onScreen } = await open();
    assert.deepEqual([...places.keys()].sort(), withPoint.map((op) => op.name).sort());
    let most = 0;
    for (const [name, place] of places) {
      const [x, y] = onScreen(place);
      await page.mouse.move(x, y);
      const lines = await page.$$eval(".roofline .tip:not([hidden]) div", (all) => all.map((line) => line.textContent));
      const here = near(places, place);
      for (const other of here) assert.ok(lines.some((line) => line.startsWith(`${other}:`)), `${other} at ${name}`);
      most = Math.max(most, here.length);
      // As many clicks as there are points, and perhaps some on the edge of its reach.
      const chosen = new Set();
      for (let click = 0; click < here.length + 4; ++click) {
        await page.mouse.click(x, y);
        chosen.add(await selected(page));
      }
      for (const other of here) assert.ok(chosen.has(other), `${other} by clicks at ${name}`);
    }
    assert.ok(most > 1, "points lie on each other");
    await page.mouse.move(...onScreen([-30, 10]));
    assert.equal(await page.locator(".roofline .tip:not([hidden])").count(), 0);
    await close();
  },

  async "keys write the figures of the point, and an op without one is said to have none"() {
    const { page, close } = await open();
    const op = report.ops.find((candidate) => candidate.name === "model.layers.0.mlp.down_proj");
    for (let at = 0; (await selected(page)) !== op.name; ++at) {
      assert.ok(at < withPoint.length);
      await page.keyboard.press("ArrowLeft");
    }
    const text = await page.textContent(".roofline .tip-line");
    const work = Object.entries(op.work).reduce((sum, [kind, amount]) => sum + (kind === "mac" ? 2 : 1) * amount, 0);
    assert.ok(text.startsWith(`${op.name}: ${(work / op.bytes.dram).toPrecision(3)} operations per byte, `), text);
    assert.ok(text.endsWith(`, ${op.bound} bound`), text);
    const other = report.ops.find((candidate) => !withPoint.includes(candidate));
    await showTab(page, "Table");
    await page.click('button:text("Expand all")');
    await page.click(`tr[data-row="${other.name}"] button`);
    await showTab(page, "Roofline");
    assert.equal(await page.textContent(".roofline .tip-line"), `${other.name} is no point here.`);
    await page.click(".roofline .left-out summary");
    assert.ok((await page.textContent(".roofline .left-out ul")).includes(`${other.name}: `));
    await close();
  },

  async "a search dims the points of other ops"() {
    const { page, close, places, onScreen } = await open();
    const isAlone = ([, place]) => near(places, place).length === 1;
    const [name, place] = [...places].find((entry) => isAlone(entry) && !entry[0].includes("down_proj"));
    await page.mouse.move(...onScreen([5, 5]));
    const colour = async () => {
      await drawn(page);
      return page.$eval(".roofline canvas", (canvas, [x, y]) => {
        const over = document.querySelector(".roofline .u-over").getBoundingClientRect(), box = canvas.getBoundingClientRect();
        const ratio = canvas.width / box.width;
        const data = canvas.getContext("2d").getImageData(
          Math.round((over.left - box.left + x) * ratio), Math.round((over.top - box.top + y) * ratio), 1, 1).data;
        return data.slice(0, 3).join();
      }, place);
    };
    const other = [...places].find((entry) => near(places, entry[1]).length === 1 && entry[0] !== name);
    await page.mouse.click(...onScreen(other[1])); // the chosen one is never dimmed
    const before = await colour();
    await page.fill('input[type="search"]', "down_proj");
    assert.notEqual(await colour(), before);
    await page.fill('input[type="search"]', name);
    assert.equal(await colour(), before);
    await close();
  },

  async "the colours of kinds are told, and a click on one searches for it"() {
    const { page, close } = await open();
    const kinds = await page.$$eval(".roofline .legend button", (all) => all.map((button) => button.textContent));
    assert.deepEqual([...kinds].sort(), [...new Set(withPoint.map((op) => op.op.replace("llm.", "")))].sort());
    await page.click(`.roofline .legend button >> text=${kinds[0]}`);
    assert.equal(await page.inputValue('input[type="search"]'), `kind:${kinds[0]}`);
    await close();
  },
});
