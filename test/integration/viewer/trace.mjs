// The page of a foreign trace, against the JSON table of the same trace.
//
//   trace.mjs PAGE TABLE.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, openPage, pixelAt, rangeOf, runChecks } from "./browser.mjs";

const [file, tableFile] = process.argv.slice(2);
const table = JSON.parse(readFileSync(tableFile, "utf8"));
const gutter = 118, axis = 24, row = 22; // pixels
const canvas = "canvas[data-from]";

const rows = (page) => page.$$eval("tr[data-range]", (lines) =>
  lines.map((line) => [line.dataset.range, ...[...line.cells].slice(1).map((cell) => cell.textContent)]));

/// The place of a time in the timeline, and what the legend calls the colour there.
async function xOf(page, nanoseconds) {
  const { width } = await page.locator(canvas).boundingBox(), [from, to] = await rangeOf(page);
  return gutter + ((nanoseconds - from) / (to - from)) * (width - gutter);
}
async function kindAt(page, nanoseconds, line) {
  const colour = await pixelAt(page, await xOf(page, nanoseconds), axis + row * line + row / 2);
  const kinds = await page.$$eval(".legend li", (entries) => entries.map((entry) =>
    [getComputedStyle(entry.querySelector(".swatch")).backgroundColor.match(/\d+/g).join(","), entry.textContent]));
  return kinds.find(([swatch]) => swatch === colour)?.[1];
}

await runChecks({
  async "the table has the rows, counts and shares of the JSON"() {
    const { page, close } = await openPage(file);
    const found = await rows(page);
    assert.deepEqual(found.map(([range]) => range), table.rows.map(({ range }) => range));
    table.rows.forEach((wanted, index) => {
      const [, calls, kernels, copies, fills, , , , share] = found[index];
      assert.deepEqual([Number(calls), Number(kernels), Number(copies), Number(fills)],
                       [wanted.calls, wanted.kernels, wanted.copies, wanted.fills]);
      assert.equal(share, `${(100 * wanted.share).toFixed(1)} %`);
    });
    assert.equal(found[1][5], `${table.rows[1].time_ns} ns`);
    assert.equal(await page.$eval("tr.total", (line) => line.cells[5].textContent), `${table.total.time_ns} ns`);
    await close();
  },

  async "what was read, and notes, are above"() {
    const { page, close } = await openPage(file);
    assert.equal(await page.textContent("h1"), table.format);
    const facts = await page.textContent("header .muted");
    for (const fact of [...table.devices, `${table.events} events`]) assert.ok(facts.includes(fact), facts);
    assert.deepEqual(await page.$$eval(".note", (notes) => notes.map((note) => note.textContent)), table.notes);
    await close();
  },

  // The passes begin at 0 and 10,000 ns; between them the main thread runs nothing from 5,000 ns on.
  async "the timeline shows every event where and when it was"() {
    const { page, close } = await openPage(file);
    assert.equal(Number(await page.getAttribute(canvas, "data-slices")), table.events);
    assert.deepEqual(await rangeOf(page), [0, table.span_ns]);
    assert.equal(await kindAt(page, 2500, 0), "range");
    assert.equal(await kindAt(page, 12_500, 0), "range");
    assert.equal(await kindAt(page, 7500, 0), undefined);
    assert.equal(await kindAt(page, 140, 10), "kernel"); // of the other process, from 40 to 240 ns
    await page.focus(canvas);
    await page.keyboard.press("+");
    const [from, to] = await rangeOf(page);
    assert.ok(Math.abs(to - from - 0.7 * table.span_ns) < 1);
    await page.keyboard.press("Home");
    assert.deepEqual(await rangeOf(page), [0, table.span_ns]);
    await close();
  },

  async "a tip names an event, and a line's thread"() {
    const { page, close } = await openPage(file);
    const box = await page.locator(canvas).boundingBox();
    await page.mouse.move(box.x + (await xOf(page, 2500)), box.y + axis + row / 2);
    assert.deepEqual(await page.$$eval(".tip div", (lines) => lines.map((line) => line.textContent)),
                     ["fwd", "range on process 100, main", "from 0 ns, 5 µs"]);
    await page.mouse.move(box.x + 20, box.y + axis + row / 2);
    assert.equal(await page.textContent(".tip"), "process 100, main");
    await close();
  },

  async "ranges fold, and a search finds paths"() {
    const { page, close } = await openPage(file);
    await page.click('tr[data-range=":fwd"] button[aria-expanded]');
    assert.deepEqual((await rows(page)).map(([range]) => range), [":fwd", ":load", "(no range)"]);
    await page.fill("input[type=search]", "attn");
    await drawn(page);
    assert.deepEqual((await rows(page)).map(([range]) => range), [":fwd.layer.attn"]);
    assert.equal(await kindAt(page, 2500, 0), undefined); // fwd is dimmed
    await page.fill("input[type=search]", "");
    await page.click('tr[data-range=":load"] button.op');
    assert.equal(await page.getAttribute('tr[data-range=":load"]', "data-selected"), "");
    await close();
  },

  async "both themes show it"() {
    const { page, close } = await openPage(file, { colorScheme: "dark" });
    const dark = await pixelAt(page, gutter + 5, axis / 4);
    await page.click('[aria-label="Dark / light"]');
    assert.notEqual(await pixelAt(page, gutter + 5, axis / 4), dark);
    await close();
  },
});
