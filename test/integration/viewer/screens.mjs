// The pictures of pages in docs/images: one for each size and theme.
//
//   LLM_VIEWER_PACKAGES=build/test/viewer-packages LLM_CHROMIUM=/usr/bin/chromium node screens.mjs FOLDER NAME=PAGE[:VIEW]...
//
// Writes FOLDER/viewer-NAME.png at 1400 x 900 in the light theme, and viewer-NAME-SIZE-THEME.png of all others into
// FOLDER/all, if that is there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { drawn, openPage, showTab } from "./browser.mjs";

const [folder, ...pages] = process.argv.slice(2);
const sizes = { wide: [1400, 900], small: [800, 600], phone: [390, 844] };

async function shoot(file, view, [width, height], colorScheme, path) {
  const { page, close } = await openPage(file, { viewport: { width, height }, colorScheme });
  if (view) await showTab(page, view);
  await drawn(page);
  await drawn(page); // what comes after the first frame
  await page.screenshot({ path });
  await close();
}

for (const [name, place] of pages.map((page) => page.split("="))) {
  const [file, view] = place.split(":");
  await shoot(file, view, sizes.wide, "light", join(folder, `viewer-${name}.png`));
  if (!existsSync(join(folder, "all"))) continue;
  for (const [size, pixels] of Object.entries(sizes))
    for (const theme of ["light", "dark"]) await shoot(file, view, pixels, theme, join(folder, "all", `viewer-${name}-${size}-${theme}.png`));
}
