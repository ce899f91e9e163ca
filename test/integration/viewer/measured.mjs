// The page of llm-prof compare: measured times, the predicted ones beside them, and what must be said of both.
//
//   measured.mjs PAGE ROWS.json PREDICTED_REPORT.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clipboard, copiedTable, openPage, runChecks, showTab } from "./browser.mjs";
import { elapsedMicroseconds } from "./expected.mjs";

const [pageFile, rowsFile, predictedFile] = process.argv.slice(2);
const [rows, predicted] = [rowsFile, predictedFile].map((file) => JSON.parse(readFileSync(file, "utf8")));

await runChecks({
  async "notes say how much is matched, and what is not, as text"() {
    const { page, close } = await openPage(pageFile);
    const notes = await page.$$eval('.notices [role="note"]', (all) => all.map((note) => note.textContent));
    assert.ok(notes[0].includes("What was measured, with what is predicted beside it."), notes[0]);
    assert.ok(notes.some((note) => note.startsWith("Matched: ")), notes.join("\n"));
    assert.ok(notes.some((note) => note.includes("us of '<b>frobnicate</b>'")), notes.join("\n"));
    assert.equal(await page.$$eval(".notices b", (all) => all.filter((b) => b.textContent === "frobnicate").length), 0);
    await close();
  },

  async "both sides are called what they are"() {
    const { page, close } = await openPage(pageFile);
    const wanted = { Overview: ["Measured: ", "Predicted: "], Table: ["Measured", "Predicted"], Facts: ["Against the prediction", "Measured"] };
    for (const [tab, words] of Object.entries(wanted)) {
      await showTab(page, tab);
      const text = await page.innerText("body");
      for (const word of words) assert.ok(text.includes(word), `${tab}: no '${word}'`);
      assert.ok(!/baseline/i.test(text), `${tab}: ${text.match(/.*baseline.*/i)}`);
    }
    await close();
  },

  async "the table has the medians beside the predicted times"() {
    const { page, close } = await openPage(pageFile, clipboard);
    const table = new Map((await copiedTable(page)).map((row) => [row.name, row]));
    for (const { ops, measured_us: measured } of rows.ops) {
      const found = ops.map((name) => table.get(name));
      assert.ok(found.every((row) => row), `${ops}`);
      const sum = found.reduce((all, row) => all + Number(row.elapsed_us), 0);
      // Slots are whole cycles of a clock above 1 GHz.
      assert.ok(Math.abs(sum - measured) < 0.002 * ops.length, `${ops}: ${sum}, expected ${measured}`);
      for (const [index, name] of ops.entries()) {
        const wanted = elapsedMicroseconds(predicted, predicted.ops.filter((op) => op.name === name));
        assert.ok(Math.abs(Number(found[index].predicted_elapsed_us) - wanted) < 1e-6, `${name}: ${found[index].predicted_elapsed_us}`);
      }
    }
    await close();
  },
});
