// Parts of the page's TypeScript as a module that node loads.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/// What the named sources export; `build` is the folder that the page was built in, which has esbuild.
export function loadSources(build, ...names) {
  const outfile = `${names.join("-")}.bundle.mjs`;
  createRequire(resolve(build, "package.json"))("esbuild").buildSync({
    stdin: { contents: names.map((name) => `export * from "./${name}";`).join("\n"), resolveDir: join(build, "src"), loader: "ts" },
    bundle: true, format: "esm", outfile, logLevel: "error" });
  return import(pathToFileURL(resolve(outfile)).href);
}
