// The cost of one answer behind Node's server, in counts that do not depend on the machine: calls of the module, of its imports, of the
// store, of write, and creations of promises, timers and signals.
import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { createServer } from "node:http";
import { connect } from "node:net";
import test from "node:test";
import { createPortail } from "portail";
import { mapStore } from "portail/map";
import { attach } from "portail/node-http";
import { sample } from "./sample.mjs";
import { as, base, newConfiguration, quiet, slow, startPortal } from "./sample_portal.mjs";

const page = "/api/app/objet-courrier";

// Wraps each function of `functions` to report its calls to `count`, as `kind` and its name.
function counted(functions, kind, count) {
  const counting = (name, call) => (...parameters) => (count(`${kind} ${name}`), call(...parameters));
  const members = Object.entries(functions);
  return Object.fromEntries(members.map(([name, it]) => [name, typeof it === "function" ? counting(name, it) : it]));
}

test("a repeated request for a page: one read of the store, one write, no promise, no timer, no signal", async (t) => {
  let calls;
  const count = (name) => calls && (calls[name] = (calls[name] ?? 0) + 1);
  const { instantiate } = WebAssembly;
  t.mock.method(WebAssembly, "instantiate", async (module, { portail }) => {
    const counting = { get: (imports, name) => (...parameters) => (count(`import ${name}`), imports[name](...parameters)) };
    const { exports } = await instantiate(module, { portail: new Proxy(portail, counting) });
    return { exports: counted(exports, "export", count) };
  });
  for (const name of ["AbortController", "DOMException"]) {
    const real = globalThis[name];
    globalThis[name] = new Proxy(real, { construct: (target, parameters) => (count(name), new target(...parameters)) });
    t.after(() => (globalThis[name] = real));
  }
  const store = counted(mapStore(sample.values()), "store", count);
  const settings = { ...sample.settings, PORTAIL_TRANSPORT: "loopback" };
  const server = attach(createServer(), await createPortail({ store, settings, ...quiet }));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  server.on("connection", ({ _handle: handle }) => {
    for (const name of ["writev", "writeBuffer", "writeLatin1String", "writeUtf8String"]) {
      const write = handle[name];
      handle[name] = (...parameters) => (count("write"), write.apply(handle, parameters));
    }
  });
  const hook = createHook({ init: (_, type) => ["PROMISE", "Timeout"].includes(type) && count(type) }).enable();
  t.after(() => hook.disable());

  const request = `GET ${page} HTTP/1.1\r\nHost: portail.exemple.fr\r\nAuthorization: ${as("client").headers.Authorization}\r\n\r\n`;
  const socket = connect(server.address().port, "127.0.0.1");
  t.after(() => socket.destroy());
  // From the request's event until the portal has returned from it: by then the answer is written.
  const answers = [];
  server.prependListener("request", (_, response) => {
    response.sendDate = false; // Node caches the date by a timer of a second
    calls = {};
  });
  server.on("request", () => {
    answers.push(calls);
    calls = undefined;
  });
  for (let i = 0; i < 3; ++i) {
    const received = new Promise((resolve) => socket.once("data", resolve));
    socket.write(request);
    assert.equal(String(await received).split("\r\n", 1)[0], "HTTP/1.1 200 OK");
  }
  assert.deepEqual(answers[2], {
    "export allocate": 2,
    "export begin": 1,
    "export complete": 1,
    "export data": 2,
    "export data_size": 2,
    "export end": 1,
    "export next": 1,
    "export state": 1,
    "import get_many": 1,
    "import now": 1,
    "import random": 1,
    "store get": 2,
    write: 1,
  });
});

const raw = { method: "GET", target: page, headers: Object.entries(as("client").headers), https: true };

test("a request needs no signal, and may ask for bytes", async () => {
  for (const store of [mapStore(sample.values()), slow(mapStore(sample.values()))]) {
    const portail = await startPortal(store);
    for (const more of [{}, { bodyAsText: false }]) {
      const { status, body } = await portail.handle({ ...raw, ...more });
      assert.deepEqual([status, body instanceof Uint8Array], [200, true]);
    }
  }
});

test("the iterator of a body needs no function return", async () => {
  const portail = await startPortal();
  const headers = [...Object.entries(as("administrator").headers), ["Content-Type", "application/json"]];
  for (const more of [{}, { return() {} }, { return: () => Promise.reject(new Error("gone")) }]) {
    const pieces = [newConfiguration.slice(0, 9), newConfiguration.slice(9)];
    const next = async () => (pieces.length > 0 ? { done: false, value: new TextEncoder().encode(pieces.shift()) } : { done: true, value: undefined });
    const body = { [Symbol.asyncIterator]: () => ({ next, ...more }) };
    const answer = await portail.handle({ method: "PUT", target: "/api/app/objet-courrier/1", headers, https: true, body });
    assert.equal(answer.status, 200);
  }
});

test("a store may call the portal while the module calls the store", async () => {
  const working = mapStore(sample.values());
  let inner;
  const store = {
    ...working,
    get(key) {
      inner ??= portail.handle({ method: "GET", target: "/health/live", headers: [], https: true, bodyAsText: true });
      return working.get(key);
    },
  };
  const portail = await startPortal(store);
  assert.equal((await portail.fetch(new Request(`${base}${page}`, as("client")))).status, 200);
  assert.equal((await inner).status, 200);
});
