// The files that docs/tutorials/abp-front-end.md shows: their texts by their paths.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export function shownFiles() {
  const page = readFileSync(join(process.env.TEST_DOCUMENTS, "tutorials/abp-front-end.md"), "utf8");
  return new Map([...page.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, path, text]) => [path, text]));
}
