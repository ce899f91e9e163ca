// What a reader must know before the first figures stands on the page: that GPUs share a memory, that a schedule is not
// for its machine, and how long chips exchange.
//
//   headline.mjs FOUR_GPUS_PAGE FOUR_GPUS.json STALE_PAGE STALE.json CHIPS_PAGE CHIPS.json STAGES_PAGE STAGES.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { editPage, openPage, runChecks, showTab } from "./browser.mjs";

const [fourPage, fourFile, stalePage, staleFile, chipsPage, chipsFile, stagesPage, stagesFile] = process.argv.slice(2);
const [four, stale, chips, stages] = [fourFile, staleFile, chipsFile, stagesFile].map((file) => JSON.parse(readFileSync(file, "utf8")));
const figure = (page, name) => page.textContent(`[data-figure="${name}"]`);

await runChecks({
  async "several GPUs on one memory are said to be no machine of chips"() {
    const { page, close } = await openPage(fourPage);
    assert.equal(four.remarks.length, 2);
    assert.deepEqual(await page.locator('.notices [role="note"]').allTextContents(), four.remarks);
    assert.match(four.remarks[0], /^4 x 'gpu' .* no machine of 4 chips/);
    assert.match(four.remarks[1], /^each op is a kernel of its own.*fuse=true/);
    await close();
  },

  async "beside the key figures stands how certain times are, and how far they are from the roofline"() {
    const { page, close } = await openPage(fourPage);
    assert.equal(await page.textContent('[data-role="trust"]'), `How certain: ${four.target_certainty}`);
    const times = four.makespan_us / ((four.roofline_cycles * 1e6) / four.clock_hz);
    const text = await figure(page, "Bound by");
    assert.ok(text.includes(`${times.toFixed(2)} times the roofline`), text);
    await close();
  },

  // Such a run was measured, on a machine whose memory was measured while it was busy.
  async "a run that is faster than its machine's figures is marked, and not above a bound by less than nothing"() {
    editPage(fourPage, "faster.html", ({ report }) => Object.assign(report, { gap_percent: -38.1, mbu_percent: 160.9 }));
    const { page, close } = await openPage("faster.html");
    const bound = await figure(page, "Bound by"), bandwidth = await figure(page, "MBU");
    assert.ok(bound.includes("38.1 % below the lower bound: faster than the figures of the machine"), bound);
    assert.ok(bandwidth.includes("160.9") && bandwidth.includes("more than its figure, see the note"), bandwidth);
    await close();
  },

  async "a schedule that is not for its machine has no key figures but its old time, and no advice"() {
    const { page, close } = await openPage(stalePage);
    assert.ok((await page.textContent('[role="alert"]')).includes(stale.problems[0]));
    assert.equal(await page.locator("[data-figure]").count(), await page.locator('[data-figure="Makespan"], [data-figure="Memory"]').count());
    assert.equal(await page.locator('[data-role="advice"]').count(), 0);
    await close();
  },

  async "a module of a single op has no row of its own, as in the table of the report"() {
    const { page, close } = await openPage(chipsPage);
    await showTab(page, "Table");
    const module = "model.layers.0.self_attn.o_proj"; // the sum behind the product is in it
    assert.equal(chips.ops.filter((op) => op.module === module).length, 1);
    assert.equal(await page.locator(`tr[data-module="${module}"]`).count(), 0);
    const names = await page.locator('tr [data-column="name"]').allTextContents();
    assert.ok(names.includes("o_proj") && names.includes("o_proj.all_reduce"), names.join(" "));
    await close();
  },

  async "the key figures of one of several chips say how long they exchange"() {
    const { page, close } = await openPage(chipsPage);
    const text = await figure(page, "Exchange");
    assert.match(await page.textContent("h1"), /^llama on one of 4 h100-sxm, /); // the parameters of a chip are not those of the model
    assert.ok(chips.exchange_percent > 1, String(chips.exchange_percent));
    assert.ok(text.includes(`${chips.exchange_percent.toFixed(1)} %`), text);
    assert.ok(text.includes(`exposed: ${chips.bound_percent.exchange.toFixed(1)} %`), text);
    const advice = await page.textContent('[data-role="advice"]'), saved = chips.savings_percent.links;
    assert.ok(saved > 1, String(saved));
    assert.ok(advice.includes(`twice the rates of nvlink about ${saved.toFixed(1)} %`), advice);
    await close();
  },

  async "a stage says the period of its pipeline, and how much of it it works"() {
    const { page, close } = await openPage(stagesPage);
    const [{ pipeline, makespan_us, tokens_per_second }] = stages.functions;
    assert.ok(pipeline.period_us >= 2 * makespan_us, JSON.stringify(pipeline));
    const perToken = await figure(page, "Time per token");
    assert.ok(Number(perToken.match(/[\d.]+/)[0]) === Number((pipeline.period_us / 1000).toPrecision(4)) && perToken.includes("2 stages, 2 microbatches"), perToken);
    assert.match(await figure(page, "Makespan"), /stage 0 of 2, one microbatch/);
    assert.ok((await figure(page, "Pipeline")).includes(`${pipeline.stage_busy_percent.toFixed(1)} %`));
    assert.ok(Math.abs(tokens_per_second * pipeline.period_us * 1e-6 - 2 * 2) < 1e-6, String(tokens_per_second)); // microbatches, batch
    assert.match(await figure(page, "Tokens/s"), /2 times batch 2/);
    await close();
  },
});
