// The package's page of the portal, by fetch and by node:http.
import assert from "node:assert/strict";
import { createServer, request as ask } from "node:http";
import { once } from "node:events";
import test from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { attach } from "portail/node-http";
import { mapStore } from "portail/map";
import { withPage } from "portail/page";
import { sample } from "./sample.mjs";
import { as, base, startPortal } from "./sample_portal.mjs";

const signIn = { authority: "https://login.test/realms/a", client: "page", parameters: { audience: "portail" } };

test("the page, its files and its settings", async () => {
  const settings = { ...sample.settings, PORTAIL_ALLOW_ORIGINS: "https://front.exemple.fr" };
  const portail = withPage(await startPortal(undefined, { settings }), { signIn });
  const page = await portail.fetch(new Request(`${base}/?code=1`));
  assert.deepEqual([page.status, page.headers.get("Content-Type"), page.headers.get("Cache-Control")], [200, "text/html; charset=utf-8", "no-cache"]);
  assert.match(page.headers.get("Content-Security-Policy"), /connect-src 'self' https:\/\/login\.test; frame-src 'self' https:\/\/login\.test;/);
  assert.equal(page.headers.get("X-Content-Type-Options"), "nosniff");
  assert.equal(page.headers.get("_AbpErrorFormat"), null);
  assert.equal(page.headers.get("Content-Language"), null);
  const [, name] = /src="(page\/main-\w+\.js)"/.exec(await page.text());
  const plain = await portail.fetch(new Request(`${base}/${name}`));
  assert.deepEqual([plain.status, plain.headers.get("Cache-Control")], [200, "public, max-age=31536000, immutable"]);
  const coded = await portail.fetch(new Request(`${base}/${name}`, { headers: { "Accept-Encoding": "gzip, br" } }));
  assert.equal(coded.headers.get("Content-Encoding"), "br");
  assert.equal(brotliDecompressSync(await coded.arrayBuffer()).toString(), await plain.text());
  for (const tag of [plain.headers.get("ETag"), coded.headers.get("ETag")]) {
    const notModified = await portail.fetch(new Request(`${base}/${name}`, { headers: { "If-None-Match": `"x", W/${tag}` } }));
    assert.deepEqual([notModified.status, notModified.headers.get("ETag"), notModified.headers.get("Content-Type")], [304, tag, null]);
    assert.equal(notModified.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
  }
  assert.notEqual(plain.headers.get("ETag"), coded.headers.get("ETag"));
  const anyTag = { headers: { "If-None-Match": "*" } };
  const any = await portail.fetch(new Request(`${base}/${name}`, anyTag));
  assert.deepEqual([any.status, any.headers.get("ETag")], [304, plain.headers.get("ETag")]);
  const tag = plain.headers.get("ETag");
  const coding = (name) => tag.replace(/"$/, `-${name}"`);
  const [changed, weak, malformed] = [
    "The resource has changed since you read it!", "If-Match has a weak tag (W/), which matches no version: a proxy on the way has weakened the tag!",
    "If-Match is not a list of entity tags!",
  ];
  for (const [condition, message] of [[tag], [`"x" ,, ${tag} ,`], [`"a,b", W/"c", ${tag}`], ["*"], [coding("gzip")], [coding("br")], [coding("zstd")],
    ['"x"', changed], [coding("x"), changed], [`W/${tag}`, weak], [`"x", W/${tag}`, weak], ['"x", *', malformed], ['*, "x"', malformed],
    [tag.slice(1, -1), malformed], [`${tag} "x"`, malformed], [`${tag}, W/`, malformed]]) {
    const headers = { "If-Match": condition, Origin: "https://front.exemple.fr", "X-Correlation-Id": "a-1" };
    const answer = await portail.fetch(new Request(`${base}/${name}`, { headers }));
    assert.deepEqual([answer.status, answer.headers.get("X-Correlation-Id")], [message ? 412 : 200, "a-1"], condition);
    if (!message) continue;
    assert.equal((await answer.json()).error.message, message, condition);
    assert.equal(answer.headers.get("Access-Control-Allow-Origin"), "https://front.exemple.fr");
    assert.equal(answer.headers.get("Strict-Transport-Security"), "max-age=31536000");
    for (const [field, value] of [["Cache-Control", "no-store"], ["Content-Type", "application/json; charset=utf-8"], ["_AbpErrorFormat", "true"]]) {
      assert.equal(answer.headers.get(field), value); // once
    }
    assert.equal(await (await portail.fetch(new Request(`${base}/${name}`, { method: "HEAD", headers }))).text(), "");
  }
  for (const condition of ['"x", *', `${tag} x`]) {
    assert.equal((await portail.fetch(new Request(`${base}/${name}`, { headers: { "If-None-Match": condition } }))).status, 200, condition);
  }
  for (const target of [base, `${base}?code=1`, "/?\\"]) { // of node:http, in absolute-form
    assert.equal((await portail.handle({ method: "GET", target, headers: [], https: true })).status, 200);
  }
  const document = await portail.fetch(new Request(`${base}/page/settings.json`, anyTag)); // it has no tag
  assert.equal(document.headers.get("Cache-Control"), "no-store");
  assert.deepEqual(await document.json(), { signIn: { ...signIn, scope: "openid" }, personas: [] });
  portail.dispose();
});

test("the lender's form, contacts and currency are in the settings", async () => {
  const options = { depositUrl: "https://deposit.test/?b={bundle}&p={piece}#form", contacts: { fr: "Appelez-nous" }, currency: "CHF" };
  const portail = withPage(await startPortal(), options);
  const settings = await portail.fetch(new Request(`${base}/page/settings.json`));
  assert.deepEqual(await settings.json(), { signIn: null, ...options, personas: [] });
  for (const depositUrl of ["http://localhost:8080/{bundle}", "http://127.0.0.1/", "http://[::1]:1/?{piece}"]) withPage(portail, { depositUrl });
  const refused = [
    ["javascript:alert(1)", "must be an https URL"], ["http://deposit.test/", "must be an https URL"], ["https:///deposit.test/", "must be an https URL"], ["//deposit.test/", "must be an https URL"],
    ["https://{bundle}.test/", "must be an https URL"], ["https://x{bundle}/", "must be an https URL"], ["https://user@deposit.test/", "must be an https URL"],
    ["https://deposit.test/ x", "must be an https URL"], ["", "must be an https URL"], ["http://localhost.test/", "must be an https URL"],
    ["https://deposit.test/{id}", "has the unknown placeholder {id}"], ["https://deposit.test/{bundle", "has the unknown placeholder {bundle"],
    ["https://deposit.test/bundle}", "has the unknown placeholder }"],
  ];
  for (const [depositUrl, reason] of refused) {
    assert.throws(() => withPage(portail, { depositUrl }), (error) => error instanceof TypeError && error.message.startsWith(`portail: depositUrl ${reason}`), depositUrl);
  }
  assert.throws(() => withPage(portail, { currency: "eur" }), { message: "portail: currency must be a code of ISO 4217, such as EUR, not eur" });
  assert.throws(() => withPage(portail, { contacts: { de: "x" } }), { message: "portail: unknown option de; the options are fr, en" });
  portail.dispose();
});

test("Brotli only where it is accepted (RFC 9110, sections 12.4.2 and 12.5.3)", async () => {
  const portail = withPage(await startPortal());
  const accepted = [["br", true], ["BR", true], ["gzip, br;q=0.5", true], ["br ; q = 1.000", true], ["br;q=1", true], ["br;q=0.001", true], ["br;q=0.10", true],
    ["br;q=0.5 , gzip", true], ["br;q=0.5x", false], ["br;q=0", false], ["br;q=0.000", false], ["br ;q=0 , gzip", false], ["gzip", false], ["brotli", false], ["x-br", false], ["", false]];
  for (const [value, isCoded] of accepted) {
    const answer = await portail.fetch(new Request(`${base}/`, { headers: { "Accept-Encoding": value } }));
    assert.equal(answer.headers.get("Content-Encoding"), isCoded ? "br" : null, value);
    assert.equal(answer.headers.get("Vary")?.includes("Accept-Encoding"), true, value);
  }
  portail.dispose();
});

test("everything else is the portal's", async () => {
  const portail = withPage(await startPortal());
  for (const [target, method, status] of [["/page", "GET", 404], ["/page/main.js", "GET", 404], ["/", "POST", 405], ["/health/live", "GET", 200]]) {
    assert.equal((await portail.fetch(new Request(base + target, { method }))).status, status, target);
  }
  assert.equal((await portail.fetch(new Request(`${base}/api/app/liasse`, as("client")))).status, 200);
  const statusOf = async (target) => (await portail.handle({ method: "GET", target, headers: [], https: true })).status;
  assert.deepEqual([await statusOf("/?\\"), await statusOf("/?code=1"), await statusOf("/?a\n?b")], [200, 200, 400]);
  assert.throws(() => withPage(portail, { signIn: { authority: "http://login.test", client: "page" } }), /https/);
  assert.throws(() => withPage(portail, { basePath: "/portail" }), { name: "TypeError", message: "portail: unknown option basePath; the options are signIn, depositUrl, contacts, currency" });
  assert.throws(() => withPage(portail, { signIn: { ...signIn, clientId: "page" } }), { message: "portail: unknown option clientId; the options are authority, client, scope, parameters" });
  portail.dispose();
});

test("of a portal below a path", async () => {
  const portail = withPage(await startPortal(mapStore(sample.values()), { basePath: "/portail" }));
  for (const [target, status] of [["/portail/", 200], ["/portail/page/settings.json", 200], ["/", 404], ["/page/settings.json", 404]]) {
    assert.equal((await portail.fetch(new Request(base + target))).status, status, target);
  }
  assert.equal((await portail.fetch(new Request(`${base}/portail/`))).headers.get("Location"), null);
  const leading = await portail.fetch(new Request(`${base}/portail?a=b`));
  assert.deepEqual([leading.status, leading.headers.get("Location"), await leading.text()], [302, "/portail/", ""]);
  assert.equal((await portail.fetch(new Request(`${base}/portail`, { method: "POST" }))).status, 405);
  portail.dispose();
});

test("behind node:http", async () => {
  const portail = withPage(await startPortal());
  const server = attach(createServer(), { handle: (request) => portail.handle({ ...request, https: true }) });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const get = async (method) => {
    const [answer] = await once(ask({ port: server.address().port, host: "127.0.0.1", path: "/", method }).end(), "response");
    const body = Buffer.concat(await answer.toArray()).toString();
    return [answer.statusCode, answer.headers["content-type"], body.slice(0, 15)];
  };
  assert.deepEqual(await get("GET"), [200, "text/html; charset=utf-8", "<!doctype html>"]);
  assert.deepEqual(await get("HEAD"), [200, "text/html; charset=utf-8", ""]);
  server.close();
  portail.dispose();
});
