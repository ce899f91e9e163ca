// The pictures of pages in docs/images: one for each size and theme.
//
//   LLM_VIEWER_PACKAGES=build/test/viewer-packages LLM_CHROMIUM=/usr/bin/chromium node screens.mjs FOLDER NAME=PAGE[:VIEW][#ADDRESS]...
//
// ADDRESS is what an address of the page has behind its "#". Writes FOLDER/viewer-NAME.png at 1400 x 900 in the light
// theme, and viewer-NAME-SIZE-THEME.png of all others into FOLDER/all, if that is there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { closeBrowser, drawn, openPage, showTab } from "./browser.mjs";

const [folder, ...pages] = process.argv.slice(2);
const sizes = { wide: [1400, 900], small: [800, 600], phone: [390, 844] };

async function shoot(place, hash, [width, height], colorScheme, path) {
  const [file, view] = place.split(":");
  const { page, close } = await openPage(file, { viewport: { width, height }, colorScheme }, { hash });
  if (view) await showTab(page, view);
  await drawn(page);
  await drawn(page); // what comes after the first frame
  await page.screenshot({ path });
  await close();
}

for (const page of pages) {
  const [, name, place, hash] = page.match(/^([^=]+)=([^#]+)#?(.*)$/);
  await shoot(place, hash, sizes.wide, "light", join(folder, `viewer-${name}.png`));
  if (!existsSync(join(folder, "all"))) continue;
  for (const [size, pixels] of Object.entries(sizes))
    for (const theme of ["light", "dark"]) await shoot(place, hash, pixels, theme, join(folder, "all", `viewer-${name}-${size}-${theme}.png`));
}
await closeBrowser();
