// The portal where a router mounts it: the path is the router's own.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import test from "node:test";
import { middleware } from "portail/express";
import { plugin } from "portail/fastify";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, startPortal } from "./sample_portal.mjs";

const path = "/api/app/objet-courrier/10";
const start = (more = {}) => startPortal(mapStore(sample.values()), { settings: { ...sample.settings, PORTAIL_TRANSPORT: "loopback" }, ...more });

// Serves by `answer`, and returns a function that sends a request.
async function serve(t, answer) {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return async (target, method = "GET") => {
    const options = { host: "127.0.0.1", port: server.address().port, path: target, method, agent: false, ...as("administrator") };
    const [answered] = await once(ask(options).end(), "response");
    return { status: answered.statusCode, location: answered.headers.location, body: Buffer.concat(await answered.toArray()).toString() };
  };
}
// As Express does: `url` is below the mount path and begins with a slash, `originalUrl` is as received.
function mountedByExpress(portail, base) {
  const answer = middleware(portail);
  return (request, response) => {
    request.originalUrl ??= request.url;
    request.baseUrl = request.url.slice(0, base.length);
    request.url = request.url.slice(base.length);
    if (!request.url.startsWith("/")) request.url = `/${request.url}`;
    answer(request, response);
  };
}
const linkOf = ({ body }) => JSON.parse(body).lienFichier;

test("in Express without basePath", async (t) => {
  const get = await serve(t, mountedByExpress(await start(), "/portail"));
  const found = await get(`/portail${path}`);
  assert.deepEqual([found.status, linkOf(found)], [200, `/portail${path}/fichier-modele`]);
  for (const [target, location] of [["/portail", "/portail/"], ["/portail?a=b", "/portail/?a=b"], ["/portail/", "swagger/index.html"]]) {
    const answer = await get(target);
    assert.deepEqual([answer.status, answer.location], [302, location], target);
  }
  assert.deepEqual((await get("/portail", "PUT")).status, 405);
});

test("in Express with basePath, as before", async (t) => {
  const get = await serve(t, mountedByExpress(await start({ basePath: "/portail" }), "/portail"));
  const found = await get(`/portail${path}`);
  assert.deepEqual([found.status, linkOf(found)], [200, `/portail${path}/fichier-modele`]);
});

test("in Express at its root", async (t) => {
  const get = await serve(t, mountedByExpress(await start(), ""));
  assert.equal(linkOf(await get(path)), `${path}/fichier-modele`);
});

test("in Express behind a middleware that rewrites the target", async (t) => {
  const mounted = mountedByExpress(await start(), "/portail");
  const get = await serve(t, (request, response) => {
    request.originalUrl = request.url;
    request.url = request.url.replace("/fr/", "/");
    mounted(request, response);
  });
  assert.equal(linkOf(await get(`/fr/portail${path}`)), `/portail${path}/fichier-modele`);
});

test("a mount path that would break links is not found", async (t) => {
  const get = await serve(t, mountedByExpress(await start(), '/a"b'));
  assert.deepEqual([(await get(`/a"b${path}`)).status, (await get(`/%22bc${path}`)).status], [404, 404]);
});

test("in Fastify, whose prefix may have parameters", async (t) => {
  for (const [prefix, base] of [["/portail", "/portail"], ["/:tenant/portail", "/a/portail"], ["/portail/", "/portail"], [undefined, ""]]) {
    let [handler, parsers] = [undefined, ["application/json"]];
    const scope = {
      prefix,
      removeAllContentTypeParsers: () => (parsers = []),
      addContentTypeParser: (type) => parsers.push(type),
      all: (_, each) => (handler = each),
    };
    await plugin(scope, { portail: await start() });
    assert.deepEqual(parsers, ["*"]); // a parser that reads would leave the portal an empty body
    const get = await serve(t, (raw, response) => handler({ raw }, { raw: response, hijack() {} }));
    for (const target of [base + path, `http://h${base}${path}`]) assert.equal(linkOf(await get(target)), `${base}${path}/fichier-modele`, target);
  }
});
