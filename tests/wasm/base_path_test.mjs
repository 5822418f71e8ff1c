// A portal below a base path: its requests and its links are below the path.
import assert from "node:assert/strict";
import test from "node:test";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, base, expectProblem, startPortal, slow } from "./sample_portal.mjs";

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

test("the same as a text, and from a store that answers later", async () => {
  const mounted = await below();
  const request = {
    method: "GET",
    target: `/portail${path}`,
    headers: Object.entries(as("administrator").headers),
    https: true,
  };
  const { body, headers } = mounted.handle({ ...request, bodyAsText: true });
  assert.equal(typeof body, "string");
  assert.ok(body.includes(linkBelow));
  assert.deepEqual(headers.find(([name]) => name === "Content-Length"), ["Content-Length", `${body.length}`]);
  const later = await below({ store: slow(mapStore(sample.values())) });
  assert.ok((await (await ask(later, `/portail${path}`)).text()).includes(linkBelow));
});

test("a list that is written piece by piece is the same, wherever its pieces end", async () => {
  const [plain, mounted] = [await startPortal(), await below()];
  const list = "/api/app/liasse/dashboard-list";
  const expected = await (await ask(plain, list, as("manager"))).text();
  assert.ok(expected.length > 100 * 1024);
  const { body } = await ask(mounted, `/portail${list}`, as("manager"));
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of body) text += decoder.decode(piece, { stream: true });
  assert.equal(text, expected.replaceAll('"lienFichier":"/api/', '"lienFichier":"/portail/api/'));
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

test("requests elsewhere are 404", async () => {
  const mounted = await below();
  for (const target of [path, "/", "/portailles/health/live", "/Portail/health/live", "/portail%2Fhealth/live"]) {
    await expectProblem(await ask(mounted, target), 404);
  }
  assert.equal((await ask(mounted, "/portail/health/live")).status, 200);
  const root = await ask(await startPortal(), "/");
  for (const target of ["/portail", "/portail/", "/portail?a=b"]) assert.equal((await ask(mounted, target)).status, root.status);
});

test("the base path redirects to the page of the description, with and without a trailing slash", async () => {
  const mounted = await below();
  for (const [target, location] of [["/portail", "/portail/swagger/index.html"], ["/portail?a=b", "/portail/swagger/index.html"],
    ["/portail/", "swagger/index.html"], ["/portail/swagger", "swagger/index.html"], ["/portail/swagger/", "index.html"]]) {
    const answer = await ask(mounted, target, { redirect: "manual" });
    assert.deepEqual([answer.status, answer.headers.get("Location")], [302, location], target);
  }
});
