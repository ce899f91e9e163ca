// How fluid a page of --llm-export-html is, in headless Chromium without a GPU.
//
//   LLM_VIEWER_PACKAGES=build/test/viewer-packages LLM_CHROMIUM=/usr/bin/chromium node test/benchmark/viewer.mjs PAGE...
//
// Of each page: its size, the slices, milliseconds until the timeline is drawn (from the start of navigation), until
// each other view is drawn when it is first chosen, and until a search is (in the overview and in the table), and frames
// per second while the whole and a tenth of it are panned for three seconds, one step a frame; with it, for machines that
// have other work, the CPU time of a frame in the page's process.
import { statSync } from "node:fs";
import { openPage, showTab, drawn } from "../integration/viewer/browser.mjs";

const canvas = "canvas[data-from]";

/// CPU seconds of the processes that draw pages, so far.
async function cpuSeconds(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function panning(page) {
  const before = await cpuSeconds(page);
  const [frames, milliseconds] = await page.$eval(canvas, async (element) => {
    const start = performance.now();
    let count = 0;
    while (performance.now() - start < 3000) {
      const deltaX = Math.floor(count / 40) % 2 ? -30 : 30; // there and back
      element.dispatchEvent(new WheelEvent("wheel", { deltaX, bubbles: true, cancelable: true }));
      await new Promise((done) => requestAnimationFrame(done));
      ++count;
    }
    return [count, performance.now() - start];
  });
  const cpu = (await cpuSeconds(page)) - before;
  return `${((1000 * frames) / milliseconds).toFixed(0)} fps (${((1000 * cpu) / frames).toFixed(1)} ms of CPU each)`;
}

/// Milliseconds until what is searched is shown.
async function searching(page, query) {
  return page.$eval("input[type=search]", async (field, text) => {
    const start = performance.now();
    field.value = text;
    field.dispatchEvent(new Event("input"));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return (performance.now() - start).toFixed(0);
  }, query);
}

for (const file of process.argv.slice(2)) {
  const { page, close } = await openPage(file, {}, { timeout: 120_000 });
  const paint = await page.evaluate(() =>
    performance.getEntriesByType("paint").find((entry) => entry.name === "first-contentful-paint").startTime);
  const figures = [`${(statSync(file).size / 1e6).toFixed(1)} MB`, `${await page.getAttribute(canvas, "data-slices")} slices`,
                   `first paint ${paint.toFixed(0)} ms`];
  figures.push(`panning all ${await panning(page)}`);
  await page.focus(canvas);
  for (let i = 0; i < 6; ++i) await page.keyboard.press("+"); // 0.7^6 of it
  figures.push(`a tenth ${await panning(page)}`);
  figures.push(`search ${await searching(page, "proj")} ms`);
  for (const tab of ["Graph", "Roofline", "Memory", "Table", "Facts"]) {
    const start = Date.now();
    await showTab(page, tab);
    await drawn(page);
    figures.push(`${tab.toLowerCase()} ${Date.now() - start} ms`);
    if (tab === "Table") figures.push(`search there ${await searching(page, "down")} ms`);
  }
  console.log(`${file}: ${figures.join(", ")}`);
  await close();
}
