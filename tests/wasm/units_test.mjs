// The package's modules without WebAssembly: encodings, time, the operations of a store, and conversions of requests and answers.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import test from "node:test";
import { Decoder, Encoder } from "./units/abi.js";
import { mountAt } from "./units/base_path.js";
import { Clock } from "./units/clock.js";
import { settled, Timer } from "./units/deadline.js";
import { fetchThrough } from "./units/fetch.js";
import { fetchDocument } from "./units/key_fetch.js";
import { latin1Of, writeLatin1 } from "./units/latin1.js";
import { logTo } from "./units/log.js";
import { Memory } from "./units/memory.js";
import { headOf, isTextRequest, readHead, writeHead } from "./units/messages.js";
import { Operations } from "./units/operations.js";
import { problem } from "./units/problem.js";
import { fillRandom } from "./units/random.js";
import { encodeSettings } from "./units/settings.js";
import { bytesOf, InvalidValue, isPromise, sameBytes, then, viewOf } from "./units/store.js";
import { InvalidValue as OtherInvalidValue } from "./units/store.js?another";
import { UnsentAnswers } from "./units/unsent_answers.js";

const bytes = (text) => new TextEncoder().encode(text);
const textOf = (value) => new TextDecoder().decode(value);
const turn = () => new Promise(setImmediate);

// A promise, with the functions that settle it.
function pending() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

// A module's memory of one page, and a function that writes bytes into it.
function memoryOf(...numbers) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  new Uint8Array(memory.buffer).set(numbers);
  return { memory, views: new Memory(memory) };
}

test("a text of bytes has one character for each, with and without Node's Buffer", async () => {
  const { Buffer: real } = globalThis;
  globalThis.Buffer = undefined;
  const { latin1Of: portable } = await import("./units/latin1.js?without-buffer");
  globalThis.Buffer = real;
  const long = Uint8Array.from({ length: 10_000 }, (_, i) => (i * 7) % 256);
  const expected = Array.from(long, (byte) => String.fromCharCode(byte)).join("");
  assert.notEqual(portable, latin1Of);
  for (const convert of [latin1Of, portable]) {
    for (const [begin, end] of [[0, 0], [0, 1], [5, 256], [0, 4096], [1, 4097], [3, 4100], [0, 8192], [0, 10_000], [9_999, 10_000]]) {
      assert.equal(convert(long, begin, end), expected.slice(begin, end), `${begin} ${end}`);
    }
  }
});

test("a text is written as bytes, unless it has other characters", () => {
  const into = new Uint8Array(6);
  assert.equal(writeLatin1("a\xff\0", into, 2), true);
  assert.deepEqual([...into], [0, 0, 0x61, 0xff, 0, 0]);
  assert.equal(writeLatin1("", into, 6), true);
  for (const text of ["\u0100", "a\u0100", "\u0100a", "\u2028\0"]) assert.equal(writeLatin1(text, new Uint8Array(4), 0), false, text);
});

test("numbers have four bytes, the lowest first, and texts their length first", () => {
  const encoder = new Encoder();
  encoder.number(0x01020304);
  encoder.text(bytes("é"));
  encoder.number(0xffffffff);
  assert.deepEqual([...encoder.bytes()], [4, 3, 2, 1, 2, 0, 0, 0, 0xc3, 0xa9, 0xff, 0xff, 0xff, 0xff]);
});

test("an encoding grows, and keeps its bytes", () => {
  for (const size of [1019, 1020, 1021, 5000]) {
    const encoder = new Encoder();
    const text = Uint8Array.from({ length: size }, (_, i) => i % 251);
    encoder.text(text);
    for (let i = 0; i < 600; ++i) encoder.number(i);
    const encoded = encoder.bytes();
    assert.equal(encoded.length, 4 + size + 2400);
    assert.deepEqual(encoded.slice(4, 4 + size), text);
    assert.deepEqual([...encoded.slice(-4)], [599 % 256, 2, 0, 0]);
  }
});

test("an encoding grows to twice its size, so that each byte is copied once on average", (t) => {
  const { mock } = t.mock.method(Uint8Array.prototype, "set");
  const encoder = new Encoder();
  for (let i = 0; i < 64 * 1024; ++i) encoder.number(i);
  assert.equal(mock.callCount(), 8); // from 1 KiB to 256 KiB
});

test("output of the module is decoded where it begins", () => {
  const { views } = memoryOf(9, 9, 9, 1, 2, 0, 0, 3, 0, 0, 0, 0x61, 0xe9, 0x62, 5, 0, 0, 0, 0, 0, 0, 0);
  const decoder = new Decoder(views, 3, 19);
  assert.deepEqual([decoder.number(), decoder.text(), decoder.number(), decoder.text()], [513, "a\xe9b", 5, ""]);
});

test("the views of the memory are made once, and again after it has grown", () => {
  const { memory, views } = memoryOf(1, 2, 0, 0);
  let reads = 0;
  const counted = new Memory({ get buffer() { return (++reads, memory.buffer); } });
  assert.equal(counted.number(0), 513);
  counted.setNumber(4, 0x01020304);
  assert.deepEqual([...counted.bytes.subarray(3, 9)], [0, 4, 3, 2, 1, 0]);
  assert.equal(reads, 1);
  for (const use of [(each) => each.number(65_536), (each) => (each.setNumber(65_536, 0), each.number(65_536)), (each) => each.bytes[65_536]]) {
    const each = new Memory(memory);
    assert.equal(each.number(0), 513);
    memory.grow(1);
    assert.equal(use(each), 0);
  }
  assert.equal(views.bytes.length, 4 * 65_536);
});

const head = { method: "GET", target: "/\xff", headers: [["Host", "h"], ["A", ""]], https: false };

test("a head is flags, method, target and headers", () => {
  const { memory, views } = memoryOf();
  const made = headOf(head, 0);
  assert.equal(made.size, 43);
  assert.equal(writeHead(made, views, 8), undefined);
  assert.deepEqual([...new Uint8Array(memory.buffer, 8, 43)], [0, 0, 0, 0, 3, 0, 0, 0, 71, 69, 84, 2, 0, 0, 0, 47, 255, 2, 0, 0, 0, 4, 0, 0, 0, 72, 111, 115, 116,
    1, 0, 0, 0, 104, 1, 0, 0, 0, 65, 0, 0, 0, 0]);
});

test("the flags of a head are those of the portal, of TLS, and of a body", () => {
  const flags = (more, given = 0) => headOf({ ...head, ...more }, given).flags;
  assert.deepEqual([flags({}), flags({ https: true }), flags({ body: [] }), flags({ body: null })], [0, 1, 8, 0]);
  assert.equal(flags({ https: true, body: [] }, 6), 15);
});

test("a head of other values, or of other characters, is refused", () => {
  for (const [more, type] of [[{ method: undefined }, "undefined"], [{ target: 1 }, "number"], [{ headers: [["A", null]] }, "object"]]) {
    assert.throws(() => headOf({ ...head, ...more }, 0), { name: "TypeError", message: `portail: a head is of strings, not ${type}` });
  }
  for (const [more, text] of [[{ method: "\u0100" }, "\u0100"], [{ target: "\u0101" }, "\u0101"], [{ headers: [["A", "b"], ["\u0102", ""]] }, "\u0102"]]) {
    assert.equal(writeHead(headOf({ ...head, ...more }, 0), memoryOf().views, 0), text);
  }
});

test("an answer's head is decoded", () => {
  const encoder = new Encoder();
  for (const part of [200, 1, 1, "A", "b"]) typeof part === "number" ? encoder.number(part) : encoder.text(bytes(part));
  const read = (encoded) => readHead(memoryOf(...encoded).views, 0, encoded.length);
  const encoded = encoder.bytes();
  assert.deepEqual(read(encoded), { status: 200, headers: [["A", "b"]], body: null, close: true });
  encoded[4] = 2; // not a flag
  encoded[8] = 0;
  assert.deepEqual(read(encoded), { status: 200, headers: [], body: null, close: false });
});

test("a request with the member bodyAsText selects the form of its answer", () => {
  assert.deepEqual([isTextRequest(head), isTextRequest({ ...head, bodyAsText: false })], [false, true]);
});

// Of the encoding of encodeSettings.
function settingsOf(encoded) {
  const decoder = new Decoder(memoryOf(...encoded).views, 0, encoded.length);
  return Array.from({ length: decoder.number() }, () => [decoder.text(), decoder.text()]);
}

test("settings are texts; names of others, and absent values, are ignored", () => {
  const given = {
    PATH: "/bin", XPORTAIL_A: "x", portail_lower: "kept", PORTAIL_AUDIENCE: ["a", "b"], PORTAIL_ALLOW_ORIGINS: ["https://a"], PORTAIL_MANAGE_SUBJECTS: ["s", "t"],
    PORTAIL_LEEWAY: 5, PORTAIL_FILTER_LISTS: false, PORTAIL_TENANT: undefined, PORTAIL_LOG_KEY: null, PORTAIL_JWKS: { keys: [] }, PORTAIL_ISSUER: "",
  };
  assert.deepEqual(settingsOf(encodeSettings(given)), [
    ["portail_lower", "kept"], ["PORTAIL_AUDIENCE", "a,b"], ["PORTAIL_ALLOW_ORIGINS", "https://a"], ["PORTAIL_MANAGE_SUBJECTS", "s,t"], ["PORTAIL_LEEWAY", "5"],
    ["PORTAIL_FILTER_LISTS", "false"], ["PORTAIL_JWKS", '{"keys":[]}'], ["PORTAIL_ISSUER", ""],
  ]);
  assert.deepEqual(settingsOf(encodeSettings(undefined)), []);
  assert.deepEqual(settingsOf(encodeSettings(null)), []);
});

test("a clock has microseconds, and is read again when it is not current", () => {
  const times = [1.5, 2, 3];
  const clock = new Clock(() => times.shift(), assert.fail);
  assert.equal(clock.read(), 1500n);
  assert.equal(clock.read(), 1500n);
  clock.invalidate();
  assert.equal(clock.read(), 2000n);
  assert.equal(clock.update(), true);
  assert.equal(clock.read(), 3000n);
});

test("a clock that fails is logged, and the last time stays", () => {
  let now = () => 1000;
  const logged = [];
  const clock = new Clock(() => now(), (...line) => logged.push(line.map(String)));
  assert.equal(clock.update(), true);
  for (const time of [8.64e15 + 2, -8.64e15 - 2, NaN, "5", 5n]) {
    now = () => time;
    assert.equal(clock.update(), false, `${time}`);
    clock.invalidate();
    assert.equal(clock.read(), 1000000n);
  }
  assert.deepEqual(logged[0], ["now", "TypeError: now gives no milliseconds"]);
  assert.equal(logged.length, 10);
  for (const time of [8.64e15, -8.64e15]) {
    now = () => time;
    assert.equal(clock.update(), true);
    assert.equal(clock.read(), BigInt(time) * 1000n);
  }
});

test("a line of the access log, and an event with its detail", () => {
  const [lines, events] = [[], []];
  const log = logTo((...event) => events.push(event), (...line) => lines.push(line));
  log("access", "{}");
  log("store", new Error("x"));
  log("store", Object.create(null));
  assert.deepEqual(lines, [["{}"]]);
  assert.deepEqual(events, [["store", "Error: x"], ["store", "object without a text"]]);
  const fail = () => assert.fail();
  for (const event of ["access", "store"]) logTo(fail, fail)(event, "");
});

test("random bytes come from a pool of 4 KiB, and are returned once", (t) => {
  let drawn = 0;
  const { mock } = t.mock.method(crypto, "getRandomValues", (into) => into.fill(++drawn));
  const draw = (size) => {
    const into = new Uint8Array(size);
    fillRandom(into);
    return new Set(into);
  };
  assert.deepEqual(draw(4097), new Set([1]));
  assert.deepEqual(draw(4096), new Set([2]));
  assert.deepEqual(draw(4000), new Set([3]));
  assert.deepEqual(draw(96), new Set([3]));
  assert.deepEqual(draw(1), new Set([4]));
  assert.deepEqual(draw(4095), new Set([4]));
  assert.deepEqual(draw(10), new Set([5]));
  assert.equal(mock.callCount(), 5);
});

test("the contract's error answers", () => {
  for (const [status, message, more] of [
    [404, "There is no such endpoint!", []],
    [500, "An internal error occurred during your request!", []],
    [503, "The service cannot answer now; try again later!", [["Retry-After", "5"]]],
  ]) {
    const { headers, body, ...rest } = problem(status);
    const identifier = headers.find(([name]) => name === "X-Correlation-Id");
    assert.match(identifier[1], /^[0-9a-f]{32}$/);
    assert.deepEqual(headers, [["Content-Type", "application/json; charset=utf-8"], ["Content-Language", "en"], ["Cache-Control", "no-store"], ["_AbpErrorFormat", "true"],
      ["Vary", "Authorization, Origin, Accept-Encoding, Accept-Language"], ["X-Content-Type-Options", "nosniff"], identifier, ...more]);
    assert.equal(textOf(body), `{"error":{"code":null,"message":"${message}","details":null,"data":{},"validationErrors":null}}`);
    assert.deepEqual(rest, { status, close: false });
  }
});

test("a timer expires once, after its last restart, and never if it is stopped or endless", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let expired = 0;
  const timer = new Timer(100, () => ++expired);
  t.mock.timers.tick(99);
  timer.restart();
  t.mock.timers.tick(99);
  assert.equal(expired, 0);
  t.mock.timers.tick(1);
  assert.equal(expired, 1);
  timer.restart();
  timer.stop();
  new Timer(Infinity, () => ++expired);
  t.mock.timers.tick(1e9);
  assert.equal(expired, 1);
});

test("work is settled when it ends in any way, or after its time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await settled(Promise.resolve(), 100);
  await settled(Promise.reject(new Error("handled")), 100);
  let ended = false;
  const waiting = settled(new Promise(() => {}), 100).then(() => (ended = true));
  t.mock.timers.tick(99);
  await turn();
  assert.equal(ended, false);
  t.mock.timers.tick(1);
  await waiting;
});

test("the timer of settled work is stopped", async (t) => {
  const { mock } = t.mock.method(globalThis, "clearTimeout");
  const set = t.mock.method(globalThis, "setTimeout").mock;
  await settled(Promise.resolve(), 1_000_000);
  assert.equal(mock.calls.at(-1).arguments[0], set.calls[0].result);
});

test("a value is bytes of any kind, or absent", () => {
  const view = new Uint8Array([1, 2, 3, 4]);
  assert.equal(bytesOf(view), view);
  assert.deepEqual(bytesOf("é"), new Uint8Array([0xc3, 0xa9]));
  assert.deepEqual(bytesOf(view.buffer), view);
  assert.deepEqual(bytesOf(new DataView(view.buffer, 1, 2)), new Uint8Array([2, 3]));
  assert.deepEqual([bytesOf(undefined), bytesOf(null)], [undefined, undefined]);
  assert.deepEqual(viewOf(new Uint16Array(view.buffer, 2, 1)), new Uint8Array([3, 4]));
  assert.equal(viewOf(view.buffer), undefined);
  for (const [value, type] of [[1, "number"], [{}, "object"], [[], "object"], [true, "boolean"]]) {
    assert.throws(() => bytesOf(value), { name: "TypeError", message: `a value is a Uint8Array, an ArrayBuffer or a string, not ${type}` });
  }
});

test("an invalid value is recognized from every bundle of the package", () => {
  assert.notEqual(OtherInvalidValue, InvalidValue);
  assert.equal(InvalidValue.is(new OtherInvalidValue("x")), true);
  for (const error of [new TypeError("x"), undefined, null, "x"]) assert.equal(InvalidValue.is(error), false);
});

test("values are compared by their bytes", () => {
  assert.equal(sameBytes(undefined, undefined), true);
  assert.equal(sameBytes(bytes("ab"), bytes("ab")), true);
  for (const [a, b] of [["ab", "abc"], ["abc", "ab"], ["ab", "ac"], ["", undefined], [undefined, ""]]) {
    assert.equal(sameBytes(a === undefined ? a : bytes(a), b === undefined ? b : bytes(b)), false, `${a} ${b}`);
  }
});

test("a function follows a value immediately, and a promise later", async () => {
  assert.equal(then(1, (value) => value + 1), 2);
  const later = then(Promise.resolve(1), (value) => value + 1);
  assert.equal(isPromise(later), true);
  assert.equal(await later, 2);
  for (const value of [undefined, null, 1, {}, { then: 1 }]) assert.equal(isPromise(value), false);
});

const store = (more) => ({ get: (key) => key, put: () => "put", delete: () => "deleted", ...more });

test("reads of keys keep their order; they are immediate unless one waits", async () => {
  assert.deepEqual(new Operations(store()).getMany(["a", "b"]).map(textOf), ["a", "b"]);
  const later = new Operations(store({ get: (key) => (key === "b" ? Promise.resolve("later") : undefined) })).getMany(["a", "b"]);
  assert.equal(isPromise(later), true);
  assert.deepEqual((await later).map((value) => value && textOf(value)), [undefined, "later"]);
  const many = new Operations(store({ get: assert.fail, getMany: async (keys) => keys.map((key) => `${key}${key}`) }));
  assert.deepEqual((await many.getMany(["a", "b"])).map(textOf), ["aa", "bb"]);
});

test("a store's functions that return something else are invalid", async () => {
  for (const values of [["a"], ["a", "b", "c"], undefined, { length: 2 }]) {
    assert.throws(() => new Operations(store({ getMany: () => values })).getMany(["a", "b"]), { message: "getMany gives an array of 2 values here" });
  }
  const swap = { message: "compareAndSwap gives true or false" };
  assert.throws(() => new Operations(store({ compareAndSwap: () => undefined })).compareAndSwap("a", undefined, bytes("b")), swap);
  await assert.rejects(new Operations(store({ compareAndSwap: async () => 1 })).compareAndSwap("a", undefined, bytes("b")), swap);
  assert.throws(() => new Operations(store({ list: () => "ab" })).list("a"), { message: "list gives an array of keys" });
  assert.deepEqual(new Operations(store({ list: (prefix) => [`${prefix}1`, "b"] })).list("a").map(textOf), ["a1", "b"]);
});

test("what a write returns is not passed on", async () => {
  const calls = [];
  const writes = new Operations(store({ put: (...given) => calls.push(given), delete: async (...given) => calls.push(given) }));
  assert.equal(writes.put("a", bytes("b")), undefined);
  assert.equal(await writes.remove("c"), undefined);
  assert.deepEqual(calls, [["a", bytes("b")], ["c"]]);
});

test("a swap of the store gets the key and both values", () => {
  const given = [];
  const swaps = new Operations(store({ compareAndSwap: (...each) => (given.push(each), false) }));
  assert.equal(swaps.compareAndSwap("a", undefined, bytes("b")), false);
  assert.deepEqual(given, [["a", undefined, bytes("b")]]);
});

// Without compareAndSwap; each get waits until it is answered.
function readingStore() {
  const gets = [];
  const puts = [];
  const get = () => (gets.push(pending()), gets.at(-1).promise);
  return { gets, puts, get, put: async (_, value) => void puts.push(textOf(value)), delete() {} };
}

test("without the store's own, a swap reads and writes, one after the other", async () => {
  const values = new Map();
  const immediate = new Operations({ get: (key) => values.get(key), put: (key, value) => values.set(key, value), delete() {} });
  assert.equal(immediate.compareAndSwap("a", undefined, bytes("b")), true);
  assert.equal(immediate.compareAndSwap("a", undefined, bytes("c")), false);
  assert.deepEqual(values, new Map([["a", bytes("b")]]));

  const slow = readingStore();
  const operations = new Operations(slow, 1_000_000);
  const swaps = ["1", "2", "3"].map((value) => operations.compareAndSwap("a", bytes("0"), bytes(value)));
  await turn();
  assert.equal(slow.gets.length, 1);
  slow.gets[0].resolve("0");
  assert.equal(await swaps[0], true);
  await turn();
  assert.equal(slow.gets.length, 2);
  slow.gets[1].reject(new Error("gone"));
  await assert.rejects(swaps[1], { message: "gone" });
  await turn();
  slow.gets[2].resolve("1");
  assert.equal(await swaps[2], false);
  assert.deepEqual(slow.puts, ["1"]);
});

test("a swap that hangs delays the next one until its deadline", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 1000;
  t.mock.method(performance, "now", () => now);
  const hanging = readingStore();
  const operations = new Operations(hanging, 100);
  operations.compareAndSwap("a", undefined, bytes("1"));
  now += 40;
  operations.compareAndSwap("a", undefined, bytes("2"));
  t.mock.timers.tick(59);
  await turn();
  assert.equal(hanging.gets.length, 1);
  t.mock.timers.tick(1);
  await turn();
  assert.equal(hanging.gets.length, 2);
  now += 100; // the deadline of the second one
  operations.compareAndSwap("a", undefined, bytes("3"));
  assert.equal(hanging.gets.length, 3);
});

// The result of fetchDocument: a status and bytes, or 0 and the reason.
async function documentOf(fetch, maxSize = 10, milliseconds = 100_000) {
  const encoded = await fetchDocument(fetch, "https://a/keys", maxSize, milliseconds);
  return [new DataView(encoded.buffer, encoded.byteOffset).getUint32(0, true), textOf(encoded.subarray(4))];
}

test("a document is its status and its bytes, up to a maximum", async () => {
  let request;
  const found = (text) => async (...given) => ((request = given), new Response(text));
  assert.deepEqual(await documentOf(found("0123456789")), [200, "0123456789"]);
  assert.equal(request[0], "https://a/keys");
  assert.deepEqual([request[1].headers, request[1].redirect], [{ accept: "application/json" }, "manual"]);
  assert.deepEqual(await documentOf(found("01234567890")), [200, "0123456789"]);
  assert.deepEqual(await documentOf(found("0")), [200, "0"]);
  let cancelled = 0;
  const source = { pull: (controller) => controller.enqueue(bytes("abcd")), cancel: () => void ++cancelled };
  const endless = (status) => async () => new Response(new ReadableStream(source, { highWaterMark: 0 }), { status });
  assert.deepEqual(await documentOf(endless(200)), [200, "abcdabcdab"]);
  assert.equal(cancelled, 1);
  assert.deepEqual(await documentOf(endless(404)), [404, ""]);
  assert.equal(cancelled, 2);
  assert.deepEqual(await documentOf(async () => new Response(null, { status: 304 })), [304, ""]);
  assert.deepEqual(await documentOf(async () => new Response(null)), [200, ""]);
});

test("a document that cannot be fetched is a reason", async () => {
  const failing = (error) => documentOf(async () => Promise.reject(error));
  assert.deepEqual(await documentOf(undefined), [0, "this platform has no function fetch"]);
  assert.deepEqual(await documentOf(async () => ({ type: "opaqueredirect", status: 0, body: null })), [0, "redirects are not followed"]);
  assert.deepEqual(await failing(new TypeError("fetch failed", { cause: { code: "E1", message: "m" } })), [0, "E1"]);
  assert.deepEqual(await failing(new TypeError("fetch failed", { cause: { message: "the\n  cause" } })), [0, "the cause"]);
  assert.deepEqual(await failing(new TypeError("fetch failed")), [0, "fetch failed"]);
  assert.deepEqual([await failing(undefined), await failing(null), await failing({})], [[0, "failed"], [0, "failed"], [0, "failed"]]);
  const hanging = (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const alive = setTimeout(() => {}, 60_000); // the timer of a signal does not keep Node running
  assert.deepEqual(await documentOf(hanging, 10, 1), [0, "timed out"]);
  clearTimeout(alive);
});

// The request that the portal gets, and the platform's answer.
async function fetched(request, answer = { status: 204, headers: [], body: null }) {
  let given;
  const response = await fetchThrough(async (raw) => ((given = raw), answer), request);
  return { given, response };
}

test("a request of fetch has its target, headers, body and signal", async () => {
  for (const [url, target, https] of [
    ["https://a", "/", true], ["https://a?b", "/?b", true], ["https://a/b%2Fc?d=/?e#f", "/b%2Fc?d=/?e", true], ["http://a:1/b#c?d", "/b", false], ["https://a/#/b", "/", true],
  ]) {
    const { given } = await fetched(new Request(url, { headers: { "X-A": "b" } }));
    assert.deepEqual([given.method, given.target, given.https, given.body, [...given.headers]], ["GET", target, https, null, [["x-a", "b"]]], url);
  }
  // As platforms write URLs that Request would change.
  for (const [url, target] of [["https://a?b", "?b"], ["https://a/../b", "/../b"], ["https://a#b", "/"], ["a", "/"], ["x-1:b://c/d", "/"]]) {
    const { given } = await fetched({ url, method: "GET", headers: [], body: null });
    assert.equal(given.target, target, url);
  }
});

test("an answer of fetch has the portal's status, headers and body", async () => {
  const { response } = await fetched(new Request("https://a"), { status: 201, headers: [["A", "b"], ["A", "c"]], body: bytes("text") });
  assert.deepEqual([response.status, response.headers.get("A"), await response.text()], [201, "b, c", "text"]);
});

const post = (body) => new Request("https://a", { method: "POST", body, duplex: "half" });

test("a body of fetch is read in pieces, and cancelled when its reader stops", async () => {
  let cancelled = false;
  const source = { pull: (controller) => controller.enqueue(bytes("abc")), cancel: () => void (cancelled = true) };
  const { given } = await fetched(post(new ReadableStream(source)));
  for await (const piece of given.body) {
    assert.equal(textOf(piece), "abc");
    break;
  }
  assert.equal(cancelled, true);
  const iterator = (await fetched(post("a"))).given.body[Symbol.asyncIterator]();
  assert.deepEqual(await iterator.return(), { done: true, value: undefined });
});

test("a body that the platform does not show is read, except of GET and HEAD", async () => {
  const hidden = (request) => Object.defineProperty(request, "body", { value: undefined });
  const { given } = await fetched(hidden(post("text")));
  let text = "";
  for await (const piece of given.body) text += textOf(piece);
  assert.equal(text, "text");
  for (const method of ["GET", "HEAD"]) assert.equal((await fetched(hidden(new Request("https://a", { method })))).given.body, null);
  assert.equal((await fetched(new Request("https://a", { method: "POST" }))).given.body, null);
});

test("a signal is the request's; in Deno it is not accessed before it is needed", async () => {
  const request = new Request("https://a");
  assert.equal((await fetched(request)).given.signal, request.signal);
  globalThis.Deno = {};
  const { fetchThrough: inDeno } = await import("./units/fetch.js?deno");
  delete globalThis.Deno;
  const controller = new AbortController();
  let accesses = 0;
  const costly = { url: "https://a/", method: "GET", headers: [], body: null, get signal() { return (++accesses, controller.signal); } };
  let signal;
  await inDeno(async (raw) => (({ signal } = raw), { status: 204, headers: [], body: null }), costly);
  controller.abort(new Error("gone"));
  signal.throwIfAborted();
  signal.removeEventListener("abort", assert.fail);
  assert.deepEqual([signal.aborted, signal.reason, accesses], [false, undefined, 0]);
  signal.addEventListener("abort", () => {});
  assert.deepEqual([signal.aborted, signal.reason.message, accesses], [true, "gone", 1]);
  assert.throws(() => signal.throwIfAborted(), { message: "gone" });
});

test("a listener of a signal in Deno is called, unless it was removed", async () => {
  globalThis.Deno = {};
  const { fetchThrough: inDeno } = await import("./units/fetch.js?deno");
  delete globalThis.Deno;
  const controller = new AbortController();
  let signal;
  await inDeno(async (raw) => (({ signal } = raw), { status: 204, headers: [], body: null }), new Request("https://a", { signal: controller.signal }));
  const calls = [];
  const removed = () => calls.push("removed");
  signal.addEventListener("abort", removed);
  signal.addEventListener("abort", () => calls.push("called"));
  signal.removeEventListener("abort", removed);
  controller.abort();
  assert.deepEqual(calls, ["called"]);
});

// What a portal at "/p" answers.
async function mounted(target, { type = "application/json; charset=utf-8", headers = [], body = null, ...more } = {}) {
  let inner;
  const answer = mountAt("/p", (request) => {
    inner = request;
    return { status: 200, headers: [["Content-Type", type], ...headers], body, close: false };
  })({ method: "GET", target, headers: [], https: true, ...more });
  return { inner, ...(await answer) };
}

test("requests below the base path have the rest as their target, and others are 404", async () => {
  for (const [target, rest] of [["/p", "/"], ["/p/", "/"], ["/p?a", "/?a"], ["/p/a?b", "/a?b"], ["/p/p/a", "/p/a"]]) {
    assert.equal((await mounted(target)).inner.target, rest);
  }
  for (const [target, rest] of [["http://h/p", "/"], ["HTTPS://h:1/p/a?b", "/a?b"], ["*", "*"]]) {
    assert.equal((await mounted(target)).inner.target, rest);
  }
  for (const target of ["http://h", "http://h/", "http://h/a", "http://p/", "ftp://h/p/", "/", "/pp", "/P", "/p%2F", "p/", "/a/p/"]) {
    const { inner, status } = await mounted(target);
    assert.deepEqual([inner, status], [undefined, 404], target);
  }
  const signal = new AbortController().signal;
  const { inner } = await mounted("/p/a", { isBodyConsumed: true, signal, bodyAsText: false });
  assert.deepEqual(inner, { method: "GET", target: "/a", headers: [], https: true, body: undefined, isBodyConsumed: true, signal, bodyAsText: false });
  assert.equal("bodyAsText" in (await mounted("/p/a")).inner, false);
});

const link = '{"lienFichier":"/api/1"},{"lienFichier":"/api/2"},{"lienFichier":"/other"},{"servers": [{"url": "/"}]}';
const linkBelow = '{"lienFichier":"/p/api/1"},{"lienFichier":"/p/api/2"},{"lienFichier":"/other"},{"servers": [{"url": "/p"}]}';

test("links of JSON lead below the base path, in every form of a body", async () => {
  const asText = await mounted("/p/a", { body: link, headers: [["Content-Length", "99"], ["A", "b"]] });
  assert.equal(asText.body, linkBelow);
  assert.deepEqual(asText.headers, [["Content-Type", "application/json; charset=utf-8"], ["Content-Length", String(linkBelow.length)], ["A", "b"]]);
  const asBytes = await mounted("/p/a", { body: bytes(`${link}é`), headers: [["Content-Length", "99"]] });
  assert.equal(textOf(asBytes.body), `${linkBelow}é`);
  assert.deepEqual(asBytes.headers[1], ["Content-Length", String(linkBelow.length + 2)]);
  const ofHead = await mounted("/p/a", { headers: [["Content-Length", "99"], ["A", "b"]] });
  assert.deepEqual([ofHead.body, ofHead.headers.slice(1)], [null, [["A", "b"]]]);
  const other = await mounted("/p/a", { type: "text/html", body: link, headers: [["Content-Length", "99"]] });
  assert.deepEqual([other.body, other.headers[1]], [link, ["Content-Length", "99"]]);
});

test("links of JSON lead below the base path wherever the pieces end", async () => {
  for (let size = 1; size < link.length; ++size) {
    const cut = [...link.matchAll(new RegExp(`.{1,${size}}`, "g"))].map(([piece]) => bytes(piece));
    const { body } = await mounted("/p/a", { body: ReadableStream.from(cut) });
    const received = [];
    for await (const piece of body) received.push(textOf(piece));
    assert.equal(received.join(""), linkBelow, `pieces of ${size}`);
    assert.ok(received.every((piece) => piece !== ""));
  }
  const { body } = await mounted("/p/a", { body: ReadableStream.from([bytes('[1]"lienFichier":"/ap')]) });
  const received = [];
  for await (const piece of body) received.push(textOf(piece));
  assert.deepEqual(received, ["[1]", '"lienFichier":"/ap']);
});

test("redirects lead below the base path", async () => {
  for (const [target, location, expected] of [
    ["/p", "a", "/p/a"], ["/p?b", "a", "/p/a"], ["/p/", "a", "a"], ["/p/b", "a", "a"], ["/p/b", "/a", "/p/a"], ["/p", "/a", "/p/a"],
  ]) {
    const { headers } = await mounted(target, { type: "text/plain", headers: [["Location", location]] });
    assert.deepEqual(headers, [["Content-Type", "text/plain"], ["Location", expected]], target);
  }
});

// An answer to a client of `socket`, of which `bytes` are unread.
function answerTo(socket, unread) {
  return Object.assign(new EventEmitter(), { req: { socket }, writableLength: unread, destroyed: false, setTimeout: (...given) => (socket.stalls = given) });
}
function socketOf(remoteAddress) {
  const socket = Object.assign(new EventEmitter(), { remoteAddress, destroyed: false });
  return Object.assign(socket, { destroy: () => ((socket.destroyed = true), socket.emit("close")) });
}

test("at the limit of unread bytes, connections of the address with most are closed, the oldest first", () => {
  const unsent = new UnsentAnswers(100);
  const sockets = ["a", "a", "a", "b", "c"].map(socketOf);
  const closed = () => sockets.map(({ destroyed }) => destroyed);
  const answers = sockets.map((socket, i) => answerTo(socket, [20, 20, 20, 30, 10][i]));
  for (const answer of answers) unsent.watch(answer);
  unsent.limit();
  assert.deepEqual(closed(), [false, false, false, false, false]); // exactly 100
  answers[4].writableLength = 11;
  unsent.limit();
  assert.deepEqual(closed(), [true, true, false, false, false]); // 71 remain, at most three quarters
  answers[3].writableLength = 70;
  unsent.limit();
  assert.deepEqual(closed(), [true, true, false, true, false]);
});

test("all answers of a connection end with it, and those that have ended do not count", () => {
  const unsent = new UnsentAnswers(100);
  const [pipelined, other] = [socketOf("a"), socketOf("b")];
  const ended = answerTo(other, 1000);
  for (const answer of [answerTo(pipelined, 30), answerTo(pipelined, 40), answerTo(other, 31), ended]) unsent.watch(answer);
  ended.emit("close");
  unsent.limit();
  assert.deepEqual([pipelined.destroyed, other.destroyed], [true, false]);
  other.emit("close");
  unsent.watch(answerTo(socketOf("c"), 90));
  unsent.limit(); // only the last one counts
});

test("an answer to a closed connection is not watched", () => {
  const unsent = new UnsentAnswers(10);
  const [open, closed] = [socketOf("a"), socketOf("b")];
  closed.destroyed = true;
  const destroyed = Object.assign(answerTo(open, 1000), { destroyed: true });
  for (const answer of [destroyed, answerTo(closed, 1000)]) unsent.watch(answer);
  unsent.limit();
  assert.equal(open.destroyed, false);
  assert.deepEqual([open.stalls, closed.stalls], [undefined, undefined]);
});

test("an unread answer has 30 seconds without progress, and 5 minutes in all", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const unsent = new UnsentAnswers(10);
  const [stalled, slow, fast] = [socketOf("a"), socketOf("b"), socketOf("c")];
  const answers = [stalled, slow, fast].map((socket) => answerTo(socket, 1));
  for (const answer of answers) unsent.watch(answer);
  assert.equal(stalled.stalls[0], 30_000);
  stalled.stalls[1]();
  assert.deepEqual([stalled.destroyed, slow.destroyed], [true, false]);
  answers[2].emit("close");
  assert.deepEqual([fast.listenerCount("close"), answers[2].listenerCount("close")], [0, 0]);
  t.mock.timers.tick(299_999);
  assert.equal(slow.destroyed, false);
  t.mock.timers.tick(1);
  assert.deepEqual([slow.destroyed, fast.destroyed], [true, false]);
});
