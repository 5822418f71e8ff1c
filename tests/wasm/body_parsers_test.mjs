// A body that the program has read before the portal: the answer and the log name the cause. Otherwise the portal reads it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import test from "node:test";
import { middleware } from "portail/express";
import { plugin } from "portail/fastify";
import { createManagement } from "portail/management";
import { mapStore } from "portail/map";
import { listener } from "portail/node-http";
import { sample } from "./sample.mjs";
import { change, newConfiguration, quiet, startPortal } from "./sample_portal.mjs";

const require = createRequire(new URL("../../javascript-hosts/", import.meta.url)); // tools/lib/hosts.sh
const [express, fastify] = [require("express"), require("fastify")];

const reason = "The program read the body before the portal, as express.json() does: mount the portal before it";
const line = `body consumed: ${reason}`;

async function start(more = {}) {
  const logged = [];
  const log = (event, detail) => logged.push(`${event}: ${detail}`);
  const settings = { ...sample.settings, PORTAIL_TRANSPORT: "loopback" };
  return { portail: await startPortal(undefined, { settings, log, ...more }), logged };
}
// Sends a PUT to the server's portal. Returns the status, and the message if there is one.
async function put(server, { path = "", type = "application/json", body = newConfiguration, method = "PUT" } = {}) {
  const { headers } = change(newConfiguration);
  const url = `http://127.0.0.1:${server.address().port}${path}/api/app/objet-courrier/1`;
  headers.set("Content-Type", type);
  const answer = await fetch(url, { method, headers, body });
  return [answer.status, (await answer.json()).error?.message];
}
async function listen(t, server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return server;
}

const parsers = {
  json: { parser: express.json() },
  urlencoded: { parser: express.urlencoded({ type: "*/*", extended: true }) },
  text: { parser: express.text({ type: "*/*" }) },
  raw: { parser: express.raw({ type: "*/*" }) },
  "a stream that is read": { parser: (request, _, next) => request.on("end", next).resume() },
};
for (const [name, { parser }] of Object.entries(parsers)) {
  test(`Express: after ${name}, a PUT names the cause in answer and log, and a GET is answered`, async (t) => {
    const { portail, logged } = await start();
    const server = await listen(t, createServer(express().use(parser).use("/portail", middleware(portail))));
    assert.deepEqual(await put(server, { path: "/portail" }), [500, reason]);
    assert.deepEqual(logged, [line]);
    assert.deepEqual(await put(server, { path: "/portail", method: "GET", body: null }), [200, undefined]);
    assert.deepEqual(logged, [line]);
  });
}

test("Express: before a parser, and after one that did not read the body, the portal reads it", async (t) => {
  const { portail, logged } = await start();
  const setBody = (request, _, next) => ((request.body = {}), next());
  const before = express().use(middleware(portail)).use(express.json());
  const others = express().use(setBody, express.urlencoded(), express.text()).use(middleware(portail));
  for (const app of [before, others]) assert.deepEqual(await put(await listen(t, createServer(app))), [200, undefined]);
  assert.deepEqual(logged, []);
});

test("Fastify: the plugin reads the body beside Fastify's own parsers, but not after a hook that read it", async (t) => {
  const { portail, logged } = await start();
  const plain = fastify();
  const hooked = fastify();
  hooked.addHook("preParsing", async ({ raw }) => void (await raw.toArray()));
  for (const app of [plain, hooked]) {
    await app.register(plugin, { portail, prefix: "/portail" });
    await app.listen({ port: 0, host: "127.0.0.1" });
    t.after(() => app.close());
  }
  assert.deepEqual(await put(plain.server, { path: "/portail" }), [200, undefined]);
  assert.deepEqual(logged, []);
  assert.deepEqual(await put(hooked.server, { path: "/portail" }), [500, reason]);
  assert.deepEqual(logged, [line]);
});

test("Fastify: a handler of its own, after its parser", async (t) => {
  const { portail, logged } = await start();
  const app = fastify();
  const answer = listener(portail);
  app.all("/*", (request, reply) => (reply.hijack(), answer(request.raw, reply.raw)));
  await app.listen({ port: 0, host: "127.0.0.1" });
  t.after(() => app.close());
  assert.deepEqual(await put(app.server), [500, reason]);
  assert.deepEqual(logged, [line]);
});

test("node:http: a server that reads the body first; an empty one is none", async (t) => {
  const { portail, logged } = await start();
  const answer = listener(portail);
  const server = await listen(t, createServer(async (request, response) => (await request.toArray(), answer(request, response))));
  assert.deepEqual(await put(server), [500, reason]);
  assert.deepEqual(await put(server, { type: "text/plain" }), [415, "The body must be JSON in UTF-8!"]);
  assert.deepEqual(logged, [line]);
});

test("a Request whose body was used", async () => {
  for (const basePath of [undefined, "/portail"]) {
    const { portail, logged } = await start({ basePath });
    const { headers } = change(newConfiguration);
    const url = `https://localhost${basePath ?? ""}/api/app/objet-courrier/1`;
    const request = new Request(url, { method: "PUT", headers, body: newConfiguration });
    await request.json();
    const answer = await portail.fetch(request);
    assert.deepEqual([answer.status, (await answer.json()).error.message, logged], [500, reason, [line]]);
  }
});

test("a document of the management interface that was used", async () => {
  const logged = [];
  const settings = { ...sample.settings, PORTAIL_MANAGE_SUBJECTS: "sub-administrateur-1" };
  const log = (event, detail) => logged.push(`${event}: ${detail}`);
  const management = await createManagement({ store: mapStore(sample.values()), settings, ...quiet, log });
  const request = new Request("https://localhost/manage/import", { method: "POST", headers: change("").headers, body: "{}" });
  await request.json();
  const answer = await management.fetch(request);
  assert.deepEqual([answer.status, (await answer.json()).error.message, logged], [500, reason, [line]]);
});
