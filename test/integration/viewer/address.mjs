// What is shown is in the address: a reload, a link and Back show it again. Several functions share what is searched and chosen.
//
//   address.mjs MODEL_PAGE MODEL.json FUNCTIONS_PAGE STALE_PAGE
//
// MODEL: ops in a loop; FUNCTIONS: @first with m.a, @second with m.a and m.b; STALE: of a cost that no longer holds.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, openPage, rangeOf, runChecks, showTab } from "./browser.mjs";

const [modelPage, modelFile, functionsPage, stalePage] = process.argv.slice(2);
const model = JSON.parse(readFileSync(modelFile, "utf8"));
const canvas = "canvas[data-from]";

const chosenTab = (page) => page.$eval('[role="tab"][aria-selected="true"]', (tab) => tab.textContent);
const chosenOp = (page) => page.getAttribute(".details", "data-op");
const hashOf = async (page) => Object.fromEntries(new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)));
/// The address follows some time later, as browsers limit how often it may change.
async function waitForHash(page, key, value) {
  await page.waitForFunction(([wanted, of]) =>
    (new URLSearchParams(location.hash.slice(1)).get(wanted) ?? undefined) === of, [key, value]);
}
async function reload(page) {
  await page.reload();
  await page.waitForSelector('[role="tab"]');
  await drawn(page);
}

await runChecks({
  async "a reload shows the same"() {
    const { page, close } = await openPage(modelPage);
    assert.equal(await page.evaluate(() => location.hash), "");
    await page.click(canvas, { position: { x: 600, y: 52 } });
    const op = await chosenOp(page);
    assert.ok(model.ops.some(({ name }) => name === op));
    const run = await page.textContent('.details dd[data-fact="run"]');
    await page.locator(canvas).focus();
    for (const key of ["+", "+", "ArrowRight"]) await page.keyboard.press(key);
    await page.click('[aria-label="Dark / light"]');
    await page.click('button:text("Critical path")');
    await page.fill('input[type="search"]', "a b&c=#%");
    await waitForHash(page, "q", "a b&c=#%");
    const range = await rangeOf(page), hash = await hashOf(page);
    assert.deepEqual(Object.keys(hash).sort(), ["critical", "from", "op", "q", "run", "theme", "to"]);
    await reload(page);
    const again = await rangeOf(page);
    // Written with two digits behind the point.
    assert.ok(Math.abs(again[0] - range[0]) <= 0.01 && Math.abs(again[1] - range[1]) <= 0.01, `${again}, not ${range}`);
    assert.equal(await chosenOp(page), op);
    assert.equal(await page.textContent('.details dd[data-fact="run"]'), run);
    assert.equal(await page.inputValue('input[type="search"]'), "a b&c=#%");
    assert.equal(await page.getAttribute('button:text("Critical path")', "aria-pressed"), "true");
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    assert.deepEqual(await hashOf(page), hash);
    await close();
  },

  async "Back goes to the tab before, with what was shown there, and never leaves the page"() {
    const { page, close } = await openPage(modelPage);
    const { pathname } = new URL(page.url());
    await page.locator(canvas).focus();
    await page.keyboard.press("+");
    const range = await rangeOf(page);
    await showTab(page, "Table");
    await page.fill('input[type="search"]', "norm");
    await showTab(page, "Facts");
    assert.equal((await hashOf(page)).tab, "Facts");
    await page.goBack();
    assert.equal(await chosenTab(page), "Table");
    assert.equal(await page.inputValue('input[type="search"]'), "norm");
    await page.goBack();
    assert.equal(await chosenTab(page), "Overview");
    assert.equal(await page.inputValue('input[type="search"]'), "");
    const again = await rangeOf(page);
    assert.ok(Math.abs(again[0] - range[0]) <= 0.01 && Math.abs(again[1] - range[1]) <= 0.01, `${again}, not ${range}`);
    await page.goForward();
    assert.equal(await chosenTab(page), "Table");
    await reload(page);
    assert.equal(await chosenTab(page), "Table");
    assert.equal(new URL(page.url()).pathname, pathname);
    await close();
  },

  async "an address of something else shows what there is"() {
    const hash = `fn=none&tab=Nothing&op=no.op&run=x&from=9&to=3&theme=pink&critical=2&other=1`;
    const { page, close } = await openPage(modelPage, {}, { hash });
    assert.equal(await chosenTab(page), "Overview");
    assert.equal(await chosenOp(page), "");
    assert.deepEqual(await rangeOf(page), [0, model.makespan_cycles]);
    await close();
  },

  async "where no critical path is known, the button says why"() {
    const { page, close } = await openPage(stalePage, {}, { hash: "critical=1" });
    const button = page.locator('button:text("Critical path")');
    assert.ok(await button.isDisabled());
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.match(await button.getAttribute("title"), /a cost is stale/);
    await close();
  },

  async "another function has its own heading, and keeps search and choice where it has the op"() {
    const { page, close } = await openPage(functionsPage);
    assert.equal(await page.title(), "first on npu");
    await showTab(page, "Table");
    await page.click('tr[data-row="m.a"] button');
    await page.fill('input[type="search"]', "m.");
    await page.selectOption("header select", "second");
    assert.equal(await page.title(), "second on npu");
    assert.equal(await page.inputValue('input[type="search"]'), "m.");
    assert.equal(await chosenOp(page), "m.a");
    assert.equal(await chosenTab(page), "Table");
    await page.click('tr[data-row="m.b"] button');
    await waitForHash(page, "op", "m.b");
    await reload(page);
    assert.equal(await page.title(), "second on npu");
    assert.equal(await page.$eval("header select", (select) => select.value), "second");
    assert.equal(await chosenOp(page), "m.b");
    await page.selectOption("header select", "first");
    assert.equal(await page.title(), "first on npu");
    assert.equal(await chosenOp(page), ""); // it has no m.b
    await close();
  },

  async "Home and End go to the first and the last tab, and ? names all keys"() {
    const { page, close } = await openPage(modelPage);
    await page.focus("#tab-Overview");
    await page.keyboard.press("End");
    assert.equal(await chosenTab(page), "Facts");
    await page.keyboard.press("Home");
    assert.equal(await chosenTab(page), "Overview");
    const dialog = page.locator("dialog.help");
    assert.equal(await dialog.isVisible(), false);
    await page.keyboard.press("?");
    const text = await dialog.textContent();
    for (const word of ["Home", "F", "N P", "Wheel", "Drag", "two fingers"]) assert.ok(text.includes(word), word);
    await page.keyboard.press("Escape");
    assert.equal(await dialog.isVisible(), false);
    await page.click('button[aria-label^="Help"]');
    assert.equal(await dialog.isVisible(), true);
    await page.click("dialog.help button");
    assert.equal(await dialog.isVisible(), false);
    await page.focus('input[type="search"]');
    await page.keyboard.type("?");
    assert.equal(await dialog.isVisible(), false);
    await close();
  },
});
