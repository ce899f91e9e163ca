// The graph of a page as a person moves in it, and what its colours and labels say, against the JSON report.
//
//   graph.mjs PAGE REPORT.json VIEWER_BUILD
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, openPage, runChecks, showTab } from "./browser.mjs";
import { loadSources } from "./bundle.mjs";

const [file, reportFile, build] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const { shortShape } = await loadSources(build, "shapes");
const mlp = "model.layers.0.mlp", chosen = `${mlp}.down_proj`;
// Those of --llm-export-dot (lib/Results/OpGraph.cpp).
const boundColours = { memory: "#9ecae1", compute: "#a1d99b", overhead: "#fdd0a2" };

async function open(options) {
  const { page, close } = await openPage(file, options);
  await showTab(page, "Graph");
  await drawn(page);
  return { page, close };
}
const middle = async (locator) => {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};
const isNear = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) < 3;
const legendOf = (page) => page.$$eval(".graph .legend li", (all) => all.map((entry) =>
  [entry.textContent, entry.querySelector(".swatch").style.background]));

await runChecks({
  async "types are short, and whole where the mouse rests"() {
    // By hand from the rules in shapes.ts.
    assert.equal(shortShape("1x2048xbf16"), "1x2048 bf16");
    assert.equal(shortShape("1024x7168x!llm.block_scaled<f8E4M3FN, [128], f32>"), "1024x7168 f8E4M3FN/128");
    assert.equal(shortShape("8x4x!llm.block_scaled<f8E4M3FN, [128, 128], f32>"), "8x4 f8E4M3FN/128x128");
    assert.equal(shortShape("8x4x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>"), "8x4 f4E2M1FN/16/?x?");
    assert.equal(shortShape("!llm.kv_cache<batch = 4, kv_heads = 8, head_dim = 128, capacity = 2048, bf16>"), "kv 4x2048x8x128 bf16");
    assert.equal(shortShape("!llm.kv_cache<batch = ?, kv_heads = 1, head_dim = 576, capacity = 9, bf16 latents>"), "kv ?x9x1x576 bf16 latents");
    assert.equal(shortShape("!llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 32, " +
                            "!llm.block_scaled<f8E4M3FN, [?, ?, ?, ?], f32>, page_size = 16>"), "kv 1x32x8x64 f8E4M3FN/?x?x?x?, page_size = 16");
    assert.equal(shortShape("f32"), "f32");
    assert.equal(shortShape("?x4xi8"), "?x4 i8");
    const { page, close } = await open();
    const labels = await page.$$eval("text.shape", (all) => all.map((label) => [label.firstChild.textContent, label.querySelector("title").textContent]));
    assert.ok(labels.every(([short]) => !short.includes("…") && !short.includes("!llm")), String(labels));
    const cache = report.ops.find((op) => op.op === "llm.kv_write").outputs[0];
    assert.ok(labels.some(([short, whole]) => short === shortShape(cache) && whole === cache));
    assert.ok(report.ops.some((op) => op.outputs.some((shape) => shape.includes("block_scaled"))), "the report has scaled values");
    await close();
  },

  async "lines lie below titles, labels and nodes"() {
    const { page, close } = await open();
    const order = await page.$$eval(".graph svg > *", (all) => all.map((element) => element.getAttribute("class")));
    const last = order.findLastIndex((name) => name?.startsWith("edge"));
    for (const name of ["frame-title", "shape", "node"]) assert.ok(order.findIndex((other) => other?.startsWith(name)) > last, name);
    assert.ok(last > 0);
    await close();
  },

  async "each colouring has a legend, and a closed module is coloured as an op is"() {
    const { page, close } = await open();
    await page.locator(`[data-frame="${mlp}"]`).focus();
    await page.keyboard.press("Enter");
    const ops = report.ops.filter((op) => op.module === mlp || op.module.startsWith(`${mlp}.`));
    const shown = report.ops.filter((op) => !ops.includes(op));
    assert.deepEqual((await legendOf(page)).map(([kind]) => kind).sort(), [...new Set(shown.map((op) => op.op.replace("llm.", "")))].sort());

    await page.selectOption('[aria-label="Colour"]', "bound");
    const cyclesOf = {};
    for (const op of ops) cyclesOf[op.bound] = (cyclesOf[op.bound] ?? 0) + op.scheduled_cycles * op.count;
    const [bound] = Object.entries(cyclesOf).reduce((most, entry) => (entry[1] > most[1] ? entry : most));
    const fillOf = (selector) => page.$eval(`${selector} rect`, (rect) => rect.getAttribute("fill"));
    assert.equal(await fillOf(`[data-module="${mlp}"]`), boundColours[bound]);
    for (const op of shown.slice(0, 4)) assert.equal(await fillOf(`[data-node="${op.name}"]`), boundColours[op.bound]);
    const named = (await legendOf(page)).map(([text]) => text.split(" ")[0]).sort();
    assert.deepEqual(named, [...new Set([bound, ...shown.map((op) => op.bound)])].sort());

    await page.selectOption('[aria-label="Colour"]', "time");
    const legend = await legendOf(page);
    const most = Math.max(...shown.map((op) => op.scheduled_cycles * op.count),
                          ops.reduce((sum, op) => sum + op.scheduled_cycles * op.count, 0));
    // The module takes most of the time, and the legend ends with that.
    assert.equal(most, ops.reduce((sum, op) => sum + op.scheduled_cycles * op.count, 0));
    assert.equal(legend.at(-1)[1], await fillOf(`[data-module="${mlp}"]`));
    const number = parseFloat(legend.at(-1)[0]) * { ns: 1e-3, µs: 1, ms: 1e3 }[legend.at(-1)[0].split(" ")[1]];
    assert.ok(Math.abs(number / ((most * 1e6) / report.clock_hz) - 1) < 0.01, legend.at(-1)[0]);
    await close();
  },

  async "zoom keeps the chosen op where it is, Fit shows all"() {
    const { page, close } = await open();
    await page.click('button:text("Fit")');
    await page.click(`[data-node="${chosen}"]`);
    const node = page.locator(`[data-node="${chosen}"]`);
    const before = await middle(node), { width } = await node.boundingBox();
    for (let click = 0; click < 3; ++click) await page.click('button:text("Zoom in")');
    const grown = await node.boundingBox();
    assert.ok(Math.abs(grown.width / width / 1.25 ** 3 - 1) < 0.02);
    const host = await page.locator(".graph-host").boundingBox();
    const [x, y] = await middle(node);
    assert.ok(x > host.x && x < host.x + host.width && y > host.y && y < host.y + host.height, `${x} ${y}`);
    // As far as the picture's edge allows, at the same place.
    assert.ok(Math.abs(y - before[1]) < 40, `${before} became ${[x, y]}`);
    await page.click('button:text("Fit")');
    const picture = await page.locator(".graph svg").boundingBox(), box = await page.locator(".graph-host").boundingBox();
    assert.ok(picture.width <= box.width && picture.height <= box.height + 1, JSON.stringify([picture, box]));
    await close();
  },

  async "the mouse drags the picture, which is no click, and Ctrl and the wheel zoom where it is"() {
    const { page, close } = await open({ viewport: { width: 900, height: 500 } });
    for (let click = 0; click < 4; ++click) await page.click('button:text("Zoom in")');
    await page.$eval(".graph-host", (host) => host.scrollTo(60, 200));
    const node = page.locator(".node[data-node]").nth(4);
    await node.scrollIntoViewIfNeeded();
    await page.$eval(".graph-host", (host) => host.scrollBy(0, -60));
    const [x, y] = await middle(node);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y + 25, { steps: 4 });
    await page.mouse.up();
    assert.ok(isNear(await middle(node), [x + 30, y + 25]), `${await middle(node)} from ${[x, y]}`);
    assert.equal(await page.getAttribute(".details", "data-op"), "");
    const at = await middle(node);
    await page.mouse.move(...at);
    const wide = (await node.boundingBox()).width;
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    await drawn(page);
    // exp(0.2)
    assert.ok(Math.abs((await node.boundingBox()).width / wide / Math.exp(0.2) - 1) < 0.02);
    assert.ok(isNear(await middle(node), at), `${await middle(node)} from ${at}`);
    await page.mouse.click(...at);
    assert.notEqual(await page.getAttribute(".details", "data-op"), "");
    await close();
  },
});
