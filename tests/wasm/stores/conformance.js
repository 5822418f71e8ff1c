// Runs the package's conformance suite over Deno's store. Exit status 1 where a case fails.
import process from "node:process";
import { cases } from "portail/conformance";
import { denoKvStore } from "portail/deno-kv";

const store = denoKvStore(await Deno.openKv(":memory:"));
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
