// How fluid a page of --llm-export-html is, in headless Chromium without a GPU.
//
//   LLM_VIEWER_PACKAGES=build/test/viewer-packages LLM_CHROMIUM=/usr/bin/chromium node test/benchmark/viewer.mjs PAGE...
//
// Of each page: its size, the slices, milliseconds until the timeline is drawn (from the start of navigation), until
// each other view is drawn when it is first chosen, and frames per second while the whole and a tenth of it are panned
// for three seconds, one step a frame.
import { statSync } from "node:fs";
import { openPage, showTab, drawn } from "../integration/viewer/browser.mjs";

const canvas = "canvas[data-from]";

async function framesPerSecond(page) {
  return page.$eval(canvas, async (element) => {
    const start = performance.now();
    let frames = 0;
    while (performance.now() - start < 3000) {
      const deltaX = Math.floor(frames / 40) % 2 ? -30 : 30; // there and back
      element.dispatchEvent(new WheelEvent("wheel", { deltaX, bubbles: true, cancelable: true }));
      await new Promise((done) => requestAnimationFrame(done));
      ++frames;
    }
    return (1000 * frames) / (performance.now() - start);
  });
}

for (const file of process.argv.slice(2)) {
  const { page, close } = await openPage(file);
  const paint = await page.evaluate(() =>
    performance.getEntriesByType("paint").find((entry) => entry.name === "first-contentful-paint").startTime);
  const figures = [`${(statSync(file).size / 1e6).toFixed(1)} MB`, `${await page.getAttribute(canvas, "data-slices")} slices`,
                   `first paint ${paint.toFixed(0)} ms`];
  figures.push(`panning all ${(await framesPerSecond(page)).toFixed(0)} fps`);
  await page.focus(canvas);
  for (let i = 0; i < 6; ++i) await page.keyboard.press("+"); // 0.7^6 of it
  figures.push(`a tenth ${(await framesPerSecond(page)).toFixed(0)} fps`);
  for (const tab of ["Graph", "Roofline", "Table", "Summary"]) {
    const start = Date.now();
    await showTab(page, tab);
    await drawn(page);
    figures.push(`${tab.toLowerCase()} ${Date.now() - start} ms`);
  }
  console.log(`${file}: ${figures.join(", ")}`);
  await close();
}
