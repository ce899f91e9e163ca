// Where the page says that something binds, a target with twice as much of it is faster, as much as the page estimates,
// and faster than one with twice of anything else.
//
//   advice.mjs PAGE REPORT.json MEASURED.json...
//
// MEASURED: reports of the same program on targets that differ in one thing, which their names end in:
// "-bandwidth" (twice), "-arithmetic" (twice the rates or the units), "-launches" (half the overhead), "-power" (twice the power
// above idle).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { openPage, runChecks } from "./browser.mjs";

const [file, reportFile, ...measuredFiles] = process.argv.slice(2);
const read = (name) => JSON.parse(readFileSync(name, "utf8"));
const report = read(reportFile);
const savedPercent = Object.fromEntries(measuredFiles.map(read).map((other) =>
  [other.target.split("-").at(-1), 100 * (1 - other.makespan_us / report.makespan_us)]));
const words = { bandwidth: "the bandwidth of dram", arithmetic: `the arithmetic of ${report.engines[0].name}`, launches: "launch overhead", power: `the power limit of ${report.target}` };
const changes = { bandwidth: "twice the bandwidth", arithmetic: "twice the arithmetic", launches: "half the launch overhead", power: "twice the power above idle" };

await runChecks({
  async "what to change first is what helps most, and by how much"() {
    const { page, close } = await openPage(file);
    const text = await page.textContent('[data-role="advice"]');
    const [best] = Object.entries(savedPercent).reduce((most, entry) => (entry[1] > most[1] ? entry : most));
    console.log(best, savedPercent, text);
    assert.ok(text.startsWith(`What to change first: ${words[best]}. `), text);
    const estimate = Number(text.match(new RegExp(`${changes[best]} (?:about|up to) ([\\d.]+) %`))[1]);
    assert.ok(Math.abs(estimate - savedPercent[best]) < 4, `${estimate} %, measured ${savedPercent[best]} %`);
    // Where most of the time goes: the modules within the layer, summed up anew.
    const time = (ops) => ops.reduce((sum, op) => sum + op.scheduled_cycles * op.count, 0);
    const share = (100 * time(report.ops.filter((op) => /\.mlp\.[^.]*$/.test(op.name)))) / time(report.ops);
    assert.ok(text.includes(`mlp.* ${share.toFixed(1)} %`), text);
    await close();
  },
});
