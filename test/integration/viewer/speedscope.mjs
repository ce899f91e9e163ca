// speedscope, a reader of traces by others, imports each file without a complaint.
//
//   speedscope.mjs TRACE...
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { openPage, runChecks } from "./browser.mjs";

const require = createRequire(resolve(process.env.LLM_VIEWER_PACKAGES, "package.json"));
const release = join(dirname(require.resolve("speedscope/package.json")), "dist", "release", "index.html");

await runChecks(Object.fromEntries(process.argv.slice(2).map((trace) => [basename(trace), async () => {
  // It draws with WebGL, whose driver has remarks of its own.
  const { page, close } = await openPage(release, {}, { waitFor: "input[type=file]", ignores: /GL Driver Message|software WebGL/ });
  await page.setInputFiles("input[type=file]", resolve(trace));
  await page.waitForFunction((name) => document.title.includes(name), basename(trace));
  assert.ok((await page.title()).includes("speedscope"));
  await close();
}])));
