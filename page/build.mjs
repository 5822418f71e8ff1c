// Builds the page from source/.
//
//   node build.mjs PACKAGES FOLDER
//
// PACKAGES is the node_modules directory of package-lock.json. Output in FOLDER: site/, for any web server; files.cpp with the same files,
// for files.hpp; files.js, for the npm package; files.d, the dependencies.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const [packages, folder] = process.argv.slice(2).map((name) => resolve(name));
const source = fileURLToPath(new URL("source", import.meta.url));
const { build } = createRequire(pathToFileURL(`${packages}/`))("esbuild");
const site = join(folder, "site");
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

await rm(site, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ["main.tsx", "icon.svg", "viewer/viewer.ts", "viewer/viewer_redirect.ts"].map((name) => join(source, name)),
  outdir: join(site, "page"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  loader: { ".svg": "copy" },
  nodePaths: [packages],
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

// The page, the OpenAPI viewer and the redirect address of its sign-in, which refer to the other files by names with hashes.
const documents = {
  "/": "index.html",
  "/swagger/index.html": "viewer/index.html",
  "/swagger/oauth2-redirect.html": "viewer/oauth2-redirect.html",
};
const fileNames = await readdir(join(site, "page"));
for (const [path, name] of Object.entries(documents)) {
  const document = await readFile(join(source, name), "utf8");
  await mkdir(dirname(fileOf(path)), { recursive: true });
  await writeFile(fileOf(path), document.replace(/\{([^{}]+)\}/g, (_, entryName) => hashed(entryName)));
}

const files = [];
for (const path of [...Object.keys(documents), ...fileNames.map((name) => `/page/${name}`).sort()]) {
  const bytes = await readFile(fileOf(path));
  files.push({
    path,
    mediaType: types[extname(path) || ".html"],
    tag: `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`,
    bytes,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  });
}
await writeFile(join(folder, "files.cpp"), sourceInCpp());
await writeFile(join(folder, "files.js"), sourceInJavaScript());
const inputs = Object.keys(metafile.inputs).map((name) => resolve(name));
inputs.push(...Object.values(documents).map((name) => join(source, name)));
await writeFile(join(folder, "files.d"), `${escaped(join(folder, "files.cpp"))}: ${inputs.map(escaped).join(" ")}\n`);

function sourceInCpp() {
  const arrays = files.flatMap(({ bytes, brotli }, index) => [array(`bytes_${index}`, bytes), array(`brotli_${index}`, brotli)]);
  const rows = files.map(
    ({ path, mediaType, tag }, index) => `    PageFile{"${path}", "${mediaType}", view(bytes_${index}), view(brotli_${index}), ${JSON.stringify(tag)}},`,
  );
  return `#include <array>
#include <cstddef>

#include "page/files.hpp"

namespace portail {
namespace {

${arrays.join("\n")}

template <std::size_t size>
std::string_view view(const unsigned char (&bytes)[size]) {
  return {reinterpret_cast<const char*>(bytes), size};
}

const std::array files{
${rows.join("\n")}
};

}  // namespace

std::span<const PageFile> page_files() { return files; }

}  // namespace portail
`;
}

// Returns the files of the page, without the viewer.
function filesOfPage() {
  const outputs = new Map(Object.entries(metafile.outputs).map(([name, output]) => [basename(name), output]));
  const names = new Set([hashed("icon.svg"), hashed("main.css")]);
  const visit = (name) => {
    names.add(name);
    for (const each of outputs.get(name).imports.map(({ path }) => basename(path))) if (!names.has(each)) visit(each);
  };
  visit(hashed("main.js"));
  return files.filter(({ path }) => path === "/" || names.has(basename(path)));
}

// The viewer is ten times as large as the page: only the native program embeds it.
function sourceInJavaScript() {
  const rows = filesOfPage().map(({ path, mediaType, tag, bytes, brotli }) => ({
    path,
    mediaType,
    tag,
    text: bytes.toString("utf8"),
    brotli: brotli.toString("base64"),
  }));
  return `export const files = ${JSON.stringify(rows)};\n`;
}

function fileOf(path) {
  return join(site, path === "/" ? "index.html" : path);
}

// Returns the name with a hash: main-4F2A….js for "main.js".
function hashed(entryName) {
  const extension = extname(entryName);
  const found = fileNames.find((name) => name.startsWith(`${basename(entryName, extension)}-`) && name.endsWith(extension));
  if (!found) throw new Error(`unknown file ${entryName}`);
  return found;
}

function array(name, bytes) {
  return `constexpr unsigned char ${name}[] = {${[...bytes].join(",")}};`;
}

// Escapes a name for a make rule.
function escaped(name) {
  return name.replace(/[ #\\]/g, "\\$&").replaceAll("$", "$$$$");
}
