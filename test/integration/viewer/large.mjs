// A page of 20,000 ops: a search finds them all, the table has rows for what is seen, and more come as one scrolls. One of
// 50,000 ops opens, and with LLM_EXHAUSTIVE=1 one of 200,000.
//
//   large.mjs BLOCK_PAGE BLOCK.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clipboard, copiedRows, drawn, editPage, openPage, runChecks, showTab } from "./browser.mjs";

const [blockPage, blockFile] = process.argv.slice(2);
const block = JSON.parse(readFileSync(blockFile, "utf8"));
const copies = Math.ceil(20_000 / block.ops.length), count = copies * block.ops.length;

/// The block again and again, in layers one after the other; each fifth without its last op, so that they do not fold.
function multiply({ report }, copies, block) {
  const at = (text, layer) => text.replaceAll("layers.0", `layers.${layer}`);
  const later = (span, cycles) => ({ ...span, start_cycle: span.start_cycle + cycles, end_cycle: span.end_cycle + cycles });
  report.ops = Array.from({ length: copies }, (_, layer) => layer).flatMap((layer) => block.ops.map((op, index) => ({
    ...op, name: index === 0 && layer % 2 ? `${at(op.name, layer)}_odd` : at(op.name, layer), module: at(op.module, layer), layer: at(op.layer, layer),
    depends_on: op.depends_on.map((name) => at(name, layer)), slots: op.slots.map((slot) => ({
      ...later(slot, layer * block.makespan_cycles),
      prefetches: slot.prefetches?.map((fetch) => later(fetch, layer * block.makespan_cycles)) })) })));
  for (const op of report.ops) op.depends_on = [];
  report.makespan_cycles *= copies;
  report.makespan_us *= copies;
  delete report.memory_over_time;
}
editPage(blockPage, "large.html", (data) => multiply(data, copies, block));

await runChecks({
  async "a search of 20,000 ops finds all of them, with rows for those that are seen"() {
    const { page, close } = await openPage("large.html", clipboard, { timeout: 60_000 });
    await showTab(page, "Table");
    const rows = () => page.locator(".table tbody tr").count();
    assert.ok((await rows()) < 120, String(await rows()));
    await page.fill('input[type="search"]', "proj");
    await drawn(page);
    const found = block.ops.filter(({ name }) => name.includes("proj")).length * copies;
    assert.equal(await page.textContent('[data-role="found"]'), `${found.toLocaleString("en-US")} ops of ${count.toLocaleString("en-US")}.`);
    const few = await rows();
    assert.ok(few > 50 && few < 120, String(few));
    await page.$eval(".table .scroll", (box) => box.scrollTo(0, box.scrollHeight));
    await drawn(page);
    assert.ok((await rows()) > few && (await rows()) < 250);
    // Not by its rows: all that is found is copied, and summed up.
    const copied = await copiedRows(page);
    assert.equal(copied.filter(({ kind }) => kind === "op").length, found);
    const bytes = block.ops.filter(({ name }) => name.includes("proj")).reduce((sum, op) => sum + op.bytes.dram * op.count, 0);
    assert.equal(Number(copied.find(({ kind }) => kind === "total").total_bytes), bytes * copies);
    await close();
  },

  async "an op far behind the rows that are there is shown when it is chosen"() {
    const name = block.ops.at(-1).name.replace("layers.0", `layers.${copies - 2}`);
    const { page, close } = await openPage("large.html", {}, { timeout: 60_000, waitFor: ".table tbody tr", hash: `op=${encodeURIComponent(name)}&tab=Table` });
    await drawn(page);
    const row = page.locator(`tr[data-row="${name}"]`);
    assert.equal(await row.count(), 1);
    const box = await row.boundingBox();
    assert.ok(box.y > 0 && box.y + box.height <= 801, JSON.stringify(box));
    await close();
  },

  async "a page of many more ops opens, and a search finds what it has"() {
    const first = ({ slots: [{ prefetches, with: others, ...slot }], parts: [part], tile_levels, work, ...op }) =>
      ({ ...op, slots: [slot], parts: [part] });
    const small = { ...block, ops: block.ops.map(first) }, times = Math.ceil((process.env.LLM_EXHAUSTIVE ? 200_000 : 50_000) / block.ops.length);
    editPage(blockPage, "huge.html", (data) => multiply(data, times, small));
    const { page, close } = await openPage("huge.html", {}, { timeout: 300_000 });
    assert.equal(Number(await page.getAttribute("canvas[data-from]", "data-slices")), times * block.ops.length);
    await showTab(page, "Table");
    await page.fill('input[type="search"]', "down_proj");
    await drawn(page);
    assert.equal(await page.textContent('[data-role="found"]'),
                 `${times.toLocaleString("en-US")} ops of ${(times * block.ops.length).toLocaleString("en-US")}.`);
    await close();
  },

  async "every view of it opens"() {
    const { page, close } = await openPage("large.html", {}, { timeout: 60_000 });
    assert.equal(Number(await page.getAttribute("canvas[data-from]", "data-slices")),
                 copies * block.ops.reduce((sum, op) => sum + op.slots.reduce((all, slot) =>
                   all + 1 + (slot.prefetches ?? []).length + (slot.with ?? []).length, 0), 0));
    for (const tab of ["Graph", "Roofline", "Memory", "Table", "Facts"]) {
      await showTab(page, tab);
      await drawn(page);
    }
    assert.equal(Number(await page.getAttribute(".roofline", "data-points")),
                 copies * block.ops.filter((op) => Object.keys(op.work).length > 0 && op.bytes.dram > 0).length);
    await close();
  },
});
