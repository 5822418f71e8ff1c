// The native server over a folder of files, to compare with.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { start, stop } from "../../support/started.mjs";

/** Writes the values of an export in JSON lines as a dir: store. */
export async function writeStore(folder, lines) {
  await mkdir(folder, { mode: 0o700 });
  for (const line of lines.split("\n").filter(Boolean)) {
    const { key, value } = JSON.parse(line);
    await writeFile(join(folder, key), Buffer.from(value, "base64"));
  }
}

/** `url` and `close`. */
export async function startNative(program, folder, { issuer, audience, keys }) {
  await writeFile(join(folder, "keys.json"), keys);
  const [server, found] = await start(program, ["serve", "--store", `dir:${join(folder, "store")}`, "--listen", "127.0.0.1:0", "--issuer",
    issuer, "--audience", audience, "--jwks", join(folder, "keys.json"), "--transport", "loopback", "--insecure-http"],
    /listening on (http:\S+)/);
  return { url: found[1].replace(/\/$/, ""), close: () => stop(server) };
}
