// The package's store over a folder: what it takes for one. What it then does is in the conformance suite.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { createPortail } from "portail";
import { folderStore } from "portail/folder";
import { sample } from "./sample.mjs";

function inFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), "portail-folder-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "tpyo");
}
const makesOne = (folder) => `\`portail import --store dir:${folder} DOCUMENT\` makes one there`;
async function readiness(store) {
  const portail = await createPortail({ store, settings: sample.settings });
  const response = await portail.fetch(new Request("https://portail.example/health/ready"));
  portail.dispose();
  return response.status;
}

test("a folder that is not there is refused, and not made", (t) => {
  const folder = inFolder(t);
  for (const options of [undefined, {}, { create: false }]) {
    assert.throws(() => folderStore(folder, options), {
      message: `portail: ${folder} does not exist: ${makesOne(folder)}`,
    });
  }
  assert.equal(existsSync(folder), false);
});

test("a folder that holds no portal is refused: a volume that is not mounted, somebody's files", (t) => {
  const folder = inFolder(t);
  mkdirSync(folder);
  const message = `portail: ${folder} holds no portal: ${makesOne(folder)}`;
  assert.throws(() => folderStore(folder), { message });
  assert.deepEqual(readdirSync(folder), []);
  writeFileSync(join(folder, "notes"), "");
  assert.throws(() => folderStore(folder), { message });
});

test("what is no folder is refused", (t) => {
  const file = inFolder(t);
  writeFileSync(file, "");
  assert.throws(() => folderStore(file), { message: `portail: ${file} is not a folder` });
  assert.throws(() => folderStore(file, { create: true }));
});

test("with create it is made, for its owner, and served while it is empty", async (t) => {
  const folder = join(inFolder(t), "below");
  const store = folderStore(folder, { create: true });
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(await readiness(store), 200);
  assert.equal(await readiness(folderStore(folder, { create: true })), 200);
});

test("a folder that holds a portal is taken", async (t) => {
  const folder = inFolder(t);
  mkdirSync(folder);
  for (const [key, value] of sample.values()) writeFileSync(join(folder, key), value);
  assert.equal(await readiness(folderStore(folder)), 200);
});
