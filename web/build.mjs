// Bundles vendor.mjs into pdl/play/static/vendor.js, with the licenses of what is in it.
// `node build.mjs --check` builds it again and compares bytes.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = fileURLToPath(new URL("../pdl/play/static/vendor.js", import.meta.url));

const made = await build({
  absWorkingDir: here,
  entryPoints: ["vendor.mjs"],
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  write: false,
});

/** The packages that are in the bundle, by name. */
function packages(inputs) {
  const found = new Set();
  for (const path of Object.keys(inputs)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
    if (name) found.add(name);
  }
  return [...found].sort();
}

/** A comment with the name, version and license of each package. */
function notices(names) {
  const told = names.map((name) => {
    const folder = `${here}node_modules/${name}/`;
    const { version, license } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const text = readFileSync(folder + file, "utf8");
    return { line: `${name} ${version} (${license})`, text: text.replaceAll("*/", "* /") };
  });
  const texts = [...new Set(told.map(({ text }) => text.replaceAll("\r\n", "\n").trim()))];
  const lines = told.map(({ line }) => ` * ${line}`);
  const body = texts.flatMap((text) => ["", ...text.split("\n")]).map((line) => ` * ${line}`.trimEnd());
  return ["/*! Built by web/build.mjs from:", ...lines, ...body, " */", ""].join("\n");
}

const text = notices(packages(made.metafile.inputs)) + made.outputFiles[0].text;
if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== text) {
    console.error("pdl/play/static/vendor.js is not what web/ builds: run `npm run build` in web/");
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}
