// Runs the package's conformance suite over a store of the host that this file runs in (Deno, Bun), named by its
// first argument. Exit status 1 where a case fails.
import process from "node:process";
import { cases } from "portail/conformance";
import { denoKvStore } from "portail/deno-kv";
import { folderStore } from "portail/folder";

const [name, folder] = process.argv.slice(2);
const store = name === "deno-kv" ? denoKvStore(await Deno.openKv(":memory:")) : folderStore(folder, { create: true });
let failed = 0;
for (const { name, check } of cases) {
  try {
    await check(store);
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}: ${error}`);
  }
}
console.log(`${cases.length - failed} of ${cases.length} cases passed`);
process.exit(failed === 0 && cases.length > 0 ? 0 : 1);
