// Names that would break a page that is not careful: they are text in all views, whole in the details.
//
//   hostile.mjs PAGE REPORT.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, openPage, runChecks, showTab } from "./browser.mjs";

const [file, reportFile] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));

await runChecks({
  async "every name arrives whole, and nothing of it runs"() {
    const { page, close } = await openPage(file);
    for (const tab of ["Table", "Graph", "Roofline", "Facts", "Overview"]) {
      await showTab(page, tab);
      await drawn(page);
    }
    await showTab(page, "Table");
    await page.click('button:text("Expand all")');
    const names = await page.$$eval("tr.op[data-row]", (rows) => rows.map((row) => row.dataset.row).sort());
    assert.deepEqual(names, report.ops.map((op) => op.name).sort());
    for (const op of report.ops) {
      await page.$$eval("tr.op[data-row]", (rows, name) =>
        rows.find((row) => row.dataset.row === name).querySelector("button").click(), op.name);
      assert.equal(await page.textContent(".details h2"), op.name);
    }
    assert.equal(await page.evaluate(() => globalThis.wasRun), undefined);
    assert.equal(await page.textContent(".timeline h3"), `${report.function} on ${report.target}`);
    await close();
  },

  async "without scripts the names are text, too"() {
    const { page, close } = await openPage(file, { javaScriptEnabled: false }, { waitFor: "noscript pre" });
    assert.equal(await page.locator("noscript *").count(), 2); // a line and the figures
    // As on a terminal: wrapped, and bytes above ASCII in the form of MLIR.
    const name = [...Buffer.from(report.function)].map((byte) =>
      byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(16).toUpperCase()}`).join("");
    const text = (await page.textContent("noscript pre")).replace(/\s+/g, " ");
    assert.ok(text.startsWith(`${name} on ${report.target} fits yes: `), text);
    await close();
  },
});
