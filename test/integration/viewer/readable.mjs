// Whether a page can be read: contrast of all text in both themes, narrow windows, and what is left without scripts.
//
//   readable.mjs PAGE REPORT.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, openPage, runChecks, selectedBox, showTab } from "./browser.mjs";

const [file, reportFile] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const tabs = ["Overview", "Graph", "Roofline", "Memory", "Table", "Facts"];
const chosen = "model.layers.0.mlp.gate_proj";
const search = 'input[type="search"]';

async function choose(page, name) {
  await showTab(page, "Table");
  await page.click('button:text("Expand all")');
  await page.click(`tr[data-row="${name}"] button`);
}
async function expectContrast(page, where) {
  await drawn(page);
  assert.deepEqual(await page.evaluate(poorContrast), [], where);
}

await runChecks({
  async "text has contrast in all views, in light and dark, with and without a search"() {
    for (const colorScheme of ["light", "dark"]) {
      const { page, close } = await openPage(file, { colorScheme });
      await choose(page, chosen);
      for (const query of ["", "q_proj"]) {
        await page.fill(search, query);
        for (const tab of tabs) {
          await showTab(page, tab);
          await expectContrast(page, `${colorScheme} ${tab} '${query}'`);
          if (tab !== "Graph") continue;
          for (const paint of ["time", "bound", "kind"]) {
            await page.selectOption('[aria-label="Colour"]', paint);
            await expectContrast(page, `${colorScheme} Graph by ${paint} '${query}'`);
          }
        }
      }
      await page.fill(search, "");
      await page.click('button:text("Critical path")');
      for (const tab of tabs) {
        await showTab(page, tab);
        await expectContrast(page, `${colorScheme} ${tab} with the critical path`);
      }
      await close();
    }
  },

  async "the arrow keys go from tab to tab"() {
    const { page, close } = await openPage(file);
    await page.focus("#tab-Overview");
    for (const tab of tabs.slice(1)) {
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.getAttribute(`#tab-${tab}`, "aria-selected"), "true");
    }
    await close();
  },

  async "a slice that is dimmed has no label, which would be faint"() {
    const { page, close } = await openPage(file);
    await choose(page, chosen);
    await showTab(page, "Overview");
    await page.locator("canvas[data-from]").focus();
    await page.keyboard.press("f"); // as wide as the window
    const [left, top] = await selectedBox(page);
    await page.keyboard.press("Escape");
    // The darkest green in the middle of the row, where black letters are on light blue.
    const darkest = async () => {
      await drawn(page);
      return page.$eval("canvas[data-from]", (canvas, [x, y]) => {
        const ratio = canvas.width / canvas.clientWidth;
        const { data } = canvas.getContext("2d").getImageData(x * ratio, y * ratio, 40 * ratio, 1);
        return Math.min(...data.filter((_, at) => at % 4 === 1));
      }, [Math.max(left, 118) + 4, top + 10]);
    };
    assert.ok((await darkest()) < 100, "it has one as long as nothing is searched");
    await page.fill(search, "q_proj");
    assert.ok((await darkest()) > 180, String(await darkest()));
    await close();
  },

  async "a phone shows all of each view, and tables scroll in their box"() {
    const { page, close } = await openPage(file, { viewport: { width: 390, height: 800 } });
    for (const tab of tabs) {
      await showTab(page, tab);
      await drawn(page);
      const [inner, all] = await page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
      assert.ok(all <= inner, `${tab}: ${all} of ${inner} pixels`);
      const cut = await page.$$eval("header *", (elements) => elements.filter((element) =>
        element.checkVisibility() && element.getBoundingClientRect().right > window.innerWidth).length);
      assert.equal(cut, 0, `${tab}: the header is cut off`);
    }
    await showTab(page, "Table");
    const first = page.locator('tbody tr [data-column="share_percent"] >> nth=0');
    assert.ok((await first.boundingBox()).x + (await first.boundingBox()).width <= 390, "the share is seen at once");
    const name = page.locator('tbody tr [data-column="name"] >> nth=0');
    const before = await name.boundingBox();
    await page.$eval(".table .scroll", (box) => box.scrollTo(1000, 0));
    assert.ok((await page.$eval(".table .scroll", (box) => box.scrollLeft)) > 0);
    assert.equal((await name.boundingBox()).x, before.x, "names stay");
    await close();
  },

  async "details take room only when there are some, where there is little"() {
    const { page, close } = await openPage(file, { viewport: { width: 1024, height: 700 } });
    const width = async () => (await page.locator("main.views").boundingBox()).width;
    assert.equal(await page.locator(".details").isVisible(), false);
    assert.equal(await width(), 1024);
    await choose(page, chosen);
    assert.equal(await page.locator(".details").isVisible(), true);
    assert.equal(await width(), 1024);
    await close();
  },

  async "what is focused has a ring that is seen"() {
    const { page, close } = await openPage(file);
    const canvas = page.locator("canvas[data-from]");
    await canvas.focus();
    await page.keyboard.press("Home");
    // Its box is clipped, so the ring is inside.
    const ring = await canvas.evaluate((element) => {
      const style = getComputedStyle(element);
      return [style.outlineStyle, parseFloat(style.outlineWidth), parseFloat(style.outlineOffset)];
    });
    assert.ok(ring[0] !== "none" && ring[1] >= 2 && ring[2] <= -ring[1], String(ring));
    await close();
  },

  async "without scripts the main figures are there"() {
    const { page, close } = await openPage(file, { javaScriptEnabled: false }, { waitFor: "noscript pre" });
    assert.ok(await page.locator("noscript pre").isVisible());
    const text = (await page.textContent("noscript pre")).replace(/\s+/g, " ");
    const { model, phase } = report.program;
    for (const part of [`${report.function} on ${report.target}: ${model}, ${phase}, batch 1`, `Schedule: ${report.policy}`,
                        `makespan ${report.makespan_cycles.toLocaleString("en-US")} cycles`,
                        `tokens/s ${report.tokens_per_second_if_all_layers.toFixed(1)}`])
      assert.ok(text.includes(part), `${part} in: ${text}`);
    await close();
  },
});

/// Texts with a contrast below 4.5 (WCAG 2.1, 1.4.3) against what they stand on. Disabled controls are none (ibid.).
function poorContrast() {
  const parse = (colour) => {
    const [r, g, b, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], alpha };
  };
  const luminance = (rgb) => {
    const [x, y, z] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const over = (front, alpha, back) => front.map((value, at) => value * alpha + back[at] * (1 - alpha));
  const contrastOf = (front, alpha, back) => {
    const [high, low] = [luminance(over(front, alpha, back)), luminance(back)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const { rgb, alpha } = parse(getComputedStyle(at).backgroundColor);
      if (alpha > 0) layers.push([rgb, alpha]);
      if (alpha === 1) break;
    }
    return layers.reverse().reduce((back, [rgb, alpha]) => over(rgb, alpha, back), [255, 255, 255]);
  };
  const opacityOf = (element) => {
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    return opacity;
  };
  // All that a text may stand on: of a node of the graph its fill, in a column of shares the bar, too.
  const backsOf = (element) => {
    const node = element.closest("g.node");
    if (node) return [parse(getComputedStyle(node.querySelector("rect")).fill).rgb];
    const bar = getComputedStyle(element).backgroundImage.match(/rgba?\([^)]*\)/);
    return bar ? [behind(element), parse(bar[0]).rgb] : [behind(element)];
  };
  const poor = [];
  const judge = (what, colour, element) => {
    const { rgb, alpha } = parse(colour);
    for (const back of backsOf(element)) {
      const contrast = contrastOf(rgb, alpha * opacityOf(element), back);
      if (contrast < 4.5) poor.push(`${what.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
    }
  };
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!own || !element.checkVisibility() || element.closest("script, noscript, style, title, option, :disabled")) continue;
    const style = getComputedStyle(element);
    judge(element.textContent, element instanceof SVGElement ? style.fill : style.color, element);
  }
  const field = document.querySelector("input[type=search]"), hint = getComputedStyle(field, "::placeholder");
  const { rgb, alpha } = parse(hint.color);
  judge(field.placeholder, `rgba(${rgb.join()}, ${alpha * Number(hint.opacity)})`, field);
  return poor;
}
