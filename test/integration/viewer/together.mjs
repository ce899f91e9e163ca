// Two runs of which one has fused ops: what is one op there is compared with the sum of its parts here, and the other way.
//
//   together.mjs APART_PAGE APART.json FUSED_PAGE FUSED.json
//
// Each page has the other's report as its baseline. Both are on one engine, where ops run one after the other.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clipboard, copiedTable, openPage, runChecks, showTab } from "./browser.mjs";

const [apartPage, apartFile, fusedPage, fusedFile] = process.argv.slice(2);
const [apart, fused] = [apartFile, fusedFile].map((file) => JSON.parse(readFileSync(file, "utf8")));

/// By the kernels' own lists of what runs in them: "a.q_proj+k_proj" is a.q_proj and a.k_proj.
function partsOf(op) {
  const names = (op.fused ?? [op]).flatMap(({ name }) => {
    const [first, ...others] = name.split("+");
    return [first, ...others.map((other) => first.slice(0, first.lastIndexOf(".") + 1) + other)];
  });
  return names.map((name) => apart.ops.find((other) => other.name === name));
}
const microseconds = (report, ops) => ops.reduce((sum, op) => sum + (op.scheduled_cycles * op.count * 1e6) / report.clock_hz, 0);
const isNear = (found, wanted, what) => assert.ok(Math.abs(Number(found) - wanted) < 1e-6 * wanted + 1e-9, `${what}: ${found}, not ${wanted}`);

await runChecks({
  async "a fused op is compared with the sum of its parts, also of other modules"() {
    const { page, close } = await openPage(fusedPage, clipboard);
    const rows = await copiedTable(page);
    assert.equal(rows.filter(({ kind }) => kind === "baseline_op").length, 0, "nothing is left over");
    for (const op of fused.ops) {
      const row = rows.find(({ kind, name }) => kind === "op" && name === op.name), parts = partsOf(op);
      assert.ok(parts.every((part) => part), op.name);
      isNear(row.baseline_elapsed_us, microseconds(apart, parts), op.name);
    }
    await close();
  },

  async "a module is compared with what its ops are in the baseline, not with what moved out of it"() {
    const { page, close } = await openPage(fusedPage, clipboard);
    const row = (await copiedTable(page)).find(({ kind, name }) => kind === "module" && name === "model.layers.{}.mlp");
    const inside = fused.ops.filter(({ module }) => module === "model.layers.{}.mlp");
    const before = microseconds(apart, inside.flatMap(partsOf)), now = microseconds(fused, inside);
    assert.ok(inside.length < 3, "most of it is fused with what is around it");
    isNear(row.baseline_elapsed_us, before, "mlp");
    assert.ok(Math.abs(Number(row.difference_percent) - (100 * (now - before)) / before) < 1e-6);
    assert.ok(Math.abs(Number(row.difference_percent)) < 20, `no ${row.difference_percent} % because rows moved`);
    await close();
  },

  async "where the baseline has fused, the parts here are compared together"() {
    const { page, close } = await openPage(apartPage, clipboard);
    const rows = await copiedTable(page), kernels = fused.ops.filter((op) => partsOf(op).length > 1);
    const together = rows.filter(({ kind }) => kind === "ops_together");
    assert.equal(together.length, kernels.length);
    for (const op of kernels) {
      const parts = partsOf(op), names = parts.map(({ name }) => name);
      const row = together.find(({ name }) => names.every((each) => name.split("+").includes(each)));
      isNear(row.elapsed_us, microseconds(apart, parts), op.name);
      isNear(row.baseline_elapsed_us, microseconds(fused, [op]), op.name);
      // None of them alone is set beside all of it.
      for (const name of names) assert.equal(rows.find((each) => each.kind === "op" && each.name === name).baseline_elapsed_us, "", name);
    }
    // The modules that hold all of it have a baseline, those that hold a part of an op have none.
    const module = (name) => rows.find((row) => row.kind === "module" && row.name === name);
    assert.equal(module("model.layers.{}.mlp").baseline_elapsed_us, "");
    isNear(module("model.layers.{}").baseline_elapsed_us, microseconds(fused, fused.ops.filter(({ layer }) => layer !== "")), "layers");
    await close();
  },

  async "details say with what an op is compared"() {
    const { page, close } = await openPage(apartPage);
    await showTab(page, "Table");
    await page.click('button:text("Expand all")');
    await page.click('tr[data-row="model.layers.{}.mlp.swiglu"] button');
    const text = await page.textContent('.details dd[data-fact="baseline"]');
    assert.ok(text.includes("model.layers.{}.mlp.gate_proj, model.layers.{}.mlp.up_proj, model.layers.{}.mlp.swiglu as one"), text);
    await close();
  },
});
