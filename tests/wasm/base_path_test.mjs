// A portal below a base path: its requests and its links are below the path. units_test.mjs has the forms of bodies and of targets.
import assert from "node:assert/strict";
import test from "node:test";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, base, startPortal } from "./sample_portal.mjs";

const path = "/api/app/objet-courrier/10";
const link = '"lienFichier":"/api/app/objet-courrier/10/fichier-modele"';
const linkBelow = '"lienFichier":"/portail/api/app/objet-courrier/10/fichier-modele"';
const below = (more = {}) => startPortal(mapStore(sample.values()), { basePath: "/portail", ...more });
const ask = (portail, target, more = {}) => portail.fetch(new Request(base + target, { ...as("administrator"), ...more }));

test("links lead below the path, and nothing else is changed", async () => {
  const [plain, mounted] = [await startPortal(), await below()];
  const expected = await (await ask(plain, path)).text();
  assert.ok(expected.includes(link));
  const response = await ask(mounted, `/portail${path}`);
  assert.equal(response.status, 200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.equal(new TextDecoder().decode(bytes), expected.replace(link, linkBelow));
  assert.equal(response.headers.get("Content-Length"), `${bytes.length}`);
});

test("entity tags are valid, and the answer to HEAD has no wrong length", async () => {
  const mounted = await below();
  const { headers } = await ask(mounted, `/portail${path}`);
  const more = { headers: { ...as("administrator").headers, "If-None-Match": headers.get("ETag") } };
  assert.equal((await ask(mounted, `/portail${path}`, more)).status, 304);
  const head = await ask(mounted, `/portail${path}`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("Content-Length")], [200, null]);
});

test("the server of the interface's description is the base path", async () => {
  const mounted = await below();
  const { servers } = await (await ask(mounted, "/portail/swagger/v1/swagger.json")).json();
  assert.equal(servers[0].url, "/portail");
});
