// transpile.mjs COMPONENT FOLDER: JavaScript and core modules of a component of WASI 0.2, in FOLDER/component, by jco.
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [component, folder] = process.argv.slice(2);
const installed = createRequire(pathToFileURL(join(folder, "node_modules/")));
const { transpile } = await import(pathToFileURL(installed.resolve("@bytecodealliance/jco-transpile")));

const { files } = await transpile(component, { name: "portail", emitTypescriptDeclarations: false });
for (const [name, content] of Object.entries(files)) {
  const path = join(folder, "component", name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
