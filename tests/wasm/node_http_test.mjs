// portail/node-http: slow clients, and clients that disconnect.
import assert from "node:assert/strict";
import { createServer, get } from "node:http";
import { connect } from "node:net";
import test from "node:test";
import { attach } from "portail/node-http";

// A server that ends with the test `t`; `handle` is a portal's, and `lines` receives its log.
async function serve(t, handle, options = {}, limits = {}, lines = []) {
  const log = (event, detail) => lines.push(`${event}: ${detail}`);
  const server = attach(createServer(options), { handle, log }, limits);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  return server;
}
const answer = (source) => ({
  status: 200,
  headers: [],
  close: false,
  body: new ReadableStream(source, { highWaterMark: 0 }),
});
const piece = new Uint8Array(32_768); // more than a response buffers in one write

test("a body of many pieces waits for its client with no more than one listener", async (t) => {
  let response;
  const listeners = new Set();
  let pieces = 0;
  const server = await serve(t, async () =>
    answer({
      pull(controller) {
        listeners.add(response.listenerCount("close"));
        if (++pieces > 40) controller.close();
        else controller.enqueue(piece);
      },
    }),
  );
  server.prependListener("request", (_, given) => (response = given));
  const received = await new Promise((resolve) => get({ port: server.address().port, host: "127.0.0.1" }, resolve));
  let size = 0;
  for await (const bytes of received) size += bytes.length;
  assert.equal(size, 40 * piece.length);
  assert.equal(listeners.size, 1, `${[...listeners]}`);
});

test("a client that disconnects ends its answer, while it reads pieces and while it waits for one", async (t) => {
  for (const waits of [false, true]) {
    let end;
    const ended = new Promise((resolve) => (end = resolve));
    const server = await serve(t, async ({ signal }) => {
      signal.addEventListener("abort", () => waits && end(signal.reason.name));
      return answer({
        pull: (controller) => (waits ? new Promise(() => {}) : controller.enqueue(piece)),
        cancel: () => waits || end("cancelled"),
      });
    });
    const socket = connect(server.address().port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: portail.exemple.fr\r\n\r\n");
    await new Promise((resolve) => server.once("request", resolve));
    socket.destroy();
    assert.equal(await ended, waits ? "AbortError" : "cancelled");
  }
});

test("a head that does not end is answered 408", async (t) => {
  const timeouts = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 };
  const lines = [];
  const server = await serve(t, () => assert.fail("there is no request"), timeouts, {}, lines);
  const socket = connect(server.address().port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost:");
  let received = "";
  for await (const bytes of socket) received += bytes;
  assert.equal(received.split("\r\n", 1)[0], "HTTP/1.1 408 ");
  assert.deepEqual(lines, ["request refused: 408: Request timeout"]);
});

test("answers that clients do not read are cut off, and no others", async (t) => {
  const mebibyte = 1024 * 1024;
  const large = { status: 200, headers: [], close: false, body: new Uint8Array(8 * mebibyte) };
  const server = await serve(t, async () => structuredClone(large), {}, { maxUnsentBytes: 64 * mebibyte });
  const stalled = Array.from({ length: 40 }, () => {
    const socket = connect({ port: server.address().port, host: "127.0.0.1", localAddress: "127.0.0.2" });
    socket.on("error", () => {});
    socket.pause().write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    return socket;
  });
  t.after(() => stalled.forEach((socket) => socket.destroy()));
  const responses = [];
  server.on("request", (_, response) => responses.push(response));
  while (responses.length < stalled.length) await new Promise(setImmediate);
  for (let i = 0; i < 3; ++i) {
    const received = await new Promise((resolve) => get({ port: server.address().port, host: "127.0.0.1" }, resolve));
    let size = 0;
    for await (const bytes of received) size += bytes.length;
    assert.equal(size, large.body.length);
  }
  const open = responses.filter((response) => !response.destroyed && !response.writableFinished);
  const unread = open.reduce((sum, response) => sum + response.writableLength, 0);
  assert.ok(unread <= 64 * mebibyte, `${unread} bytes`);
  assert.ok(open.length >= 4 && open.length < 20, `${open.length} answers are open`);
});

test("answers to pipelined requests count, and end with their connection", async (t) => {
  const mebibyte = 1024 * 1024;
  const responses = [];
  const server = await serve(
    t,
    async () => ({ status: 200, headers: [], close: false, body: new Uint8Array(4 * mebibyte) }),
    {},
    { maxUnsentBytes: 32 * mebibyte },
  );
  server.on("request", (_, response) => responses.push(response));
  const ahead = connect(server.address().port, "127.0.0.1").on("error", () => {});
  t.after(() => ahead.destroy());
  ahead.pause().write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".repeat(20));
  const closed = new Promise((resolve) => server.once("connection", (socket) => socket.once("close", resolve)));
  await closed;
  assert.ok(responses.length >= 8, `${responses.length}`);
  const received = await new Promise((resolve) => get({ port: server.address().port, host: "127.0.0.1" }, resolve));
  let size = 0;
  for await (const bytes of received) size += bytes.length;
  assert.equal(size, 4 * mebibyte);
});

test("a client that reads nothing for half a minute is disconnected", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let response;
  const server = await serve(t, async () => ({ status: 200, headers: [], close: false, body: new Uint8Array(50_000_000) }));
  server.prependListener("request", (_, given) => (response = given));
  const socket = connect(server.address().port, "127.0.0.1").on("error", () => {});
  t.after(() => socket.destroy());
  socket.pause().write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  while (!response?.headersSent) await new Promise(setImmediate);
  const connection = response.req.socket;
  assert.equal(connection.timeout, 30_000);
  t.mock.timers.tick(299_999);
  assert.equal(connection.destroyed, false);
  t.mock.timers.tick(1);
  assert.equal(connection.destroyed, true);
});

test("an answer that its client reads creates no signal, exception or timer", async (t) => {
  const created = [];
  for (const name of ["AbortController", "DOMException"]) {
    const real = globalThis[name];
    globalThis[name] = new Proxy(real, { construct: (target, given) => (created.push(name), new target(...given)) });
    t.after(() => (globalThis[name] = real));
  }
  let signal;
  const server = await serve(t, async (request) => {
    ({ signal } = request);
    return { status: 200, headers: [["Content-Length", "2"]], close: false, body: new Uint8Array([104, 105]) };
  });
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const ended = [];
  server.on("request", (_, response) => response.once("close", () => ended.push(timers())));
  const socket = connect(server.address().port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  while (ended.length === 0) await new Promise(setImmediate);
  const before = timers();
  for (let i = 0; i < 100; ++i) {
    socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    while (ended.length === i + 1) await new Promise(setImmediate);
  }
  assert.deepEqual(created, []);
  assert.deepEqual(new Set(ended.slice(1)), new Set([before]));
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason.name, "AbortError");
  assert.throws(() => signal.throwIfAborted(), { name: "AbortError" });
  socket.destroy();
});

test("a request has a body if its headers announce one", async (t) => {
  const requests = [];
  const server = await serve(t, async ({ method, target, headers, https, body }) => {
    let text = null;
    if (body) for await (const bytes of body) text = `${text ?? ""}${bytes}`;
    requests.push([method, target, headers.at(-1), https, text]);
    return { status: 204, headers: [], close: true, body: null };
  });
  const sent = [["Content-Length: 2", "ab"], ["content-length: 2", "ab"], ["Content-Length: 0", ""], ["Transfer-Encoding: chunked", "2\r\nab\r\n0\r\n\r\n"],
    ["X-Header-Of-14", ": 1"], ["X-Header-Of-17-xx", ": 1"]];
  for (const [header, text] of sent) {
    const socket = connect(server.address().port, "127.0.0.1");
    socket.write(`PUT /a?b HTTP/1.1\r\nHost: h\r\n${header}${text.startsWith(":") ? `${text}\r\n\r\n` : `\r\n\r\n${text}`}`);
    assert.match(Buffer.concat(await socket.toArray()).toString(), /^HTTP\/1.1 204 No Content\r\n/);
  }
  assert.deepEqual(requests, [
    ["PUT", "/a?b", ["Content-Length", "2"], false, "ab"], ["PUT", "/a?b", ["content-length", "2"], false, "ab"],
    ["PUT", "/a?b", ["Content-Length", "0"], false, null], ["PUT", "/a?b", ["Transfer-Encoding", "chunked"], false, "ab"],
    ["PUT", "/a?b", ["X-Header-Of-14", "1"], false, null], ["PUT", "/a?b", ["X-Header-Of-17-xx", "1"], false, null],
  ]);
});

test("a 100 is sent when the body is read, and not before", async (t) => {
  const server = await serve(t, async ({ target, body }) => {
    if (target === "/refused") return { status: 413, headers: [], close: false, body: null };
    let text = "";
    for await (const bytes of body) text += bytes;
    return { status: 200, headers: [["Content-Length", "2"]], close: true, body: text };
  });
  const head = (target) => `PUT ${target} HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`;
  const refused = connect(server.address().port, "127.0.0.1");
  refused.write(head("/refused"));
  assert.match(Buffer.concat(await refused.toArray()).toString(), /^HTTP\/1.1 413 .*\r\nConnection: close\r\n/s);
  const accepted = connect(server.address().port, "127.0.0.1");
  accepted.write(head("/accepted"));
  accepted.once("data", (received) => accepted.write(received.toString() === "HTTP/1.1 100 Continue\r\n\r\n" ? "ab" : "cd"));
  assert.match(Buffer.concat(await accepted.toArray()).toString(), /HTTP\/1.1 200 .*\r\n\r\nab$/s);
});

test("a request that the portal rejects ends its connection", { timeout: 10_000 }, async (t) => {
  for (const handle of [() => Promise.reject(new Error("aborted")), () => { throw new TypeError("invalid"); }]) {
    const server = await serve(t, handle);
    const socket = connect(server.address().port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert.deepEqual(await socket.toArray(), []);
  }
});

test("messages that Node rejects are answered", async (t) => {
  const [asked, lines] = [[], []];
  const body = new TextEncoder().encode("body");
  const handle = async (request) => {
    asked.push(request);
    return { status: 405, headers: [["Allow", "GET"]], close: false, body: asked.length === 1 ? "text" : body };
  };
  const server = await serve(t, handle, {}, {}, lines);
  const ask = async (message) => {
    const socket = connect(server.address().port, "127.0.0.1").on("error", () => {});
    socket.write(message);
    return Buffer.concat(await socket.toArray()).toString();
  };
  assert.equal(await ask("BREW /a?b HTTP/1.1\r\nHost: h\r\nX-A:b:c\r\n\r\n"), "HTTP/1.1 405 \r\nAllow: GET\r\nConnection: close\r\n\r\ntext");
  assert.deepEqual(asked, [{ method: "BREW", target: "/a?b", headers: [["Host", " h"], ["X-A", "b:c"]], https: false, bodyAsText: true }]);
  assert.equal(await ask("BREW / HTTP/1.0\r\n\r\n"), "HTTP/1.1 405 \r\nAllow: GET\r\nConnection: close\r\n\r\nbody");
  assert.equal(await ask("BREW / HTTP/2.0\r\n\r\n"), "HTTP/1.1 400 \r\nConnection: close\r\n\r\n");
  assert.equal(await ask("GET / HTTP/1.1\r\nHost h\r\n\r\n"), "HTTP/1.1 400 \r\nConnection: close\r\n\r\n");
  assert.equal(await ask(`GET /${"a".repeat(20_000)} HTTP/1.1\r\n\r\n`), "HTTP/1.1 431 \r\nConnection: close\r\n\r\n");
  assert.equal(asked.length, 2);
  assert.deepEqual(lines, [
    "request refused: 400: Parse Error: Invalid method encountered",
    "request refused: 400: Parse Error: Invalid header token",
    "request refused: 431: Parse Error: Header overflow",
  ]);
});

test("a request whose handler fails is logged, and its connection closed", async (t) => {
  const failures = {
    rejects: () => Promise.reject(new Error("disposed")),
    throws: () => { throw new TypeError("no bytes"); },
    "fails in its body": async () => answer({ pull: () => Promise.reject(new Error("no store")) }),
  };
  const lines = [];
  for (const handle of Object.values(failures)) {
    const server = await serve(t, handle, {}, {}, lines);
    const { port } = server.address();
    await new Promise((resolve) => get({ port, host: "127.0.0.1" }, (response) => response.on("error", resolve)).on("error", resolve));
  }
  const closed = "request failed: the connection is closed:";
  assert.deepEqual(lines, [`${closed} Error: disposed`, `${closed} TypeError: no bytes`, `${closed} Error: no store`]);
});

test("repeated headers are repeated", async (t) => {
  const headers = [["Link", "<a>"], ["Vary", "Accept"], ["Link", "<b>"], ["Link", "<c>"]];
  const server = await serve(t, () => ({ status: 200, headers: [...headers], close: false, body: null }));
  const received = await new Promise((resolve) => get({ port: server.address().port, host: "127.0.0.1" }, resolve));
  assert.deepEqual(await received.toArray(), []);
  assert.deepEqual(received.headers.link, "<a>, <b>, <c>");
  assert.equal(received.rawHeaders.filter((name) => name === "Link").length, 3);
});

test("a whole body may be bytes, or a text with one of them to a character; the client gets the same", async (t) => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  const forms = [];
  const server = await serve(t, async ({ target, bodyAsText }) => {
    forms.push(bodyAsText);
    const body = target === "/text" ? Buffer.from(bytes).toString("latin1") : bytes;
    return { status: 200, headers: [["Content-Length", "256"]], close: true, body };
  });
  for (const path of ["/text", "/bytes"]) {
    const received = await new Promise((resolve) => get({ port: server.address().port, host: "127.0.0.1", path }, resolve));
    assert.deepEqual(Buffer.concat(await received.toArray()), Buffer.from(bytes), path);
  }
  assert.deepEqual(forms, [true, true]);
});
