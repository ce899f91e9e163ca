// A page of --llm-export-html in headless Chromium, and what the checks ask of it.
//
//   LLM_VIEWER_PACKAGES   a folder with the packages of package.json (setup.sh beside it)
//   LLM_CHROMIUM          the browser
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(resolve(process.env.LLM_VIEWER_PACKAGES, "package.json"));
const { chromium } = require("playwright-core");

/// One for all pages, each of which has a context of its own: it takes longer to start than most checks.
let launched;

function browser() {
  launched ??= chromium.launch({ executablePath: process.env.LLM_CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  return launched;
}

export async function closeBrowser() {
  await (await launched)?.close();
}

/// Opens the file from disk. Errors on the console, and requests that leave the page, fail at close().
export async function openPage(file, options = {}, { waitFor = "canvas[data-from]", ignores = /^$/, hash = "", timeout = 20_000 } = {}) {
  const context = await (await browser()).newContext({ viewport: { width: 1400, height: 800 }, colorScheme: "light", ...options });
  context.setDefaultTimeout(timeout); // milliseconds
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    const isKnown = ignores.test(message.text()) || message.text().includes("willReadFrequently"); // pixelAt()
    if (["error", "warning"].includes(message.type()) && !isKnown) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(`${pathToFileURL(resolve(file)).href}${hash && "#"}${hash}`);
  await page.waitForSelector(waitFor, { state: "attached" });
  const close = async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  };
  return { page, close };
}

export const showTab = (page, name) => page.click(`#tab-${name}`);

/// Two frames later everything is drawn.
export const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export async function rangeOf(page) {
  await drawn(page);
  return page.$eval("canvas[data-from]", (canvas) => [Number(canvas.dataset.from), Number(canvas.dataset.to)]);
}

/// [left, top, width, height] of the chosen op's first slice in the canvas, in CSS pixels.
export async function selectedBox(page) {
  await drawn(page);
  const text = await page.getAttribute("canvas[data-from]", "data-selected-box");
  return text ? text.split(",").map(Number) : undefined;
}

/// The colour that a canvas shows at a place in CSS pixels: "r,g,b".
export async function pixelAt(page, x, y) {
  await drawn(page);
  return page.$eval("canvas[data-from]", (canvas, [left, top]) => {
    const ratio = canvas.width / canvas.clientWidth;
    const data = canvas.getContext("2d").getImageData(Math.round(left * ratio), Math.round(top * ratio), 1, 1).data;
    return `${data[0]},${data[1]},${data[2]}`;
  }, [x, y]);
}

/// For openPage(): what copiedTable() needs.
export const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };

/// Rows of CSV with quoted texts.
function parseCsv(text) {
  const [head, ...rows] = text.trim().split("\n").map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      quoted === undefined ? plain : quoted.replace(/""/g, '"')));
  return rows.map((row) => Object.fromEntries(head.map((key, index) => [key, row[index]])));
}

/// The table with all rows, as a person copies it.
export async function copiedTable(page) {
  await showTab(page, "Table");
  await page.click('button:text("Expand all")');
  return copiedRows(page);
}

/// The table as it stands, as a person copies it.
export async function copiedRows(page) {
  await page.click('[data-action="copy"]');
  await page.waitForSelector("text=Copied.");
  return parseCsv(await page.evaluate(() => navigator.clipboard.readText()));
}

/// Writes the page again with its data changed: `edit` is given {report, baseline?}.
export function editPage(from, to, edit) {
  const text = readFileSync(from, "utf8");
  const [, head, data, tail] = text.match(/^([^]*id="reports">)([^]*?)(<\/script>[^]*)$/);
  const changed = JSON.parse(data);
  edit(changed);
  writeFileSync(to, head + JSON.stringify(changed).replaceAll("<", "\\u003c") + tail);
}

/// Named checks in turn: all are run, and any that fails fails the program.
export async function runChecks(checks) {
  let failed = 0;
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`ok: ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
  }
  await closeBrowser();
  process.exitCode = failed ? 1 : 0;
}
