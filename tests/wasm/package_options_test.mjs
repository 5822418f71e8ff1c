// Invalid options and settings of createPortail: one line for the operator each.
import assert from "node:assert/strict";
import test from "node:test";
import { createPortail } from "portail";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { base, expectStatus, list, startPortal } from "./sample_portal.mjs";

test("an invalid setting is reported in one line", async () => {
  const { PORTAIL_ISSUER, ...rest } = sample.settings;
  const createWith = (settings, store = mapStore()) => createPortail({ store, settings });
  await assert.rejects(createWith(rest), { message: "portail: no issuer: set PORTAIL_ISSUER to the iss of the tokens" });
  await assert.rejects(createWith(undefined), /no issuer/);
  await assert.rejects(createWith({ ...sample.settings, PORTAIL_TYPO: "1" }), {
    message: "portail: unknown setting PORTAIL_TYPO",
  });
  await assert.rejects(createWith({ ...rest, PORTAIL_ISUER: "https://identity.example" }), {
    message: "portail: unknown setting PORTAIL_ISUER; did you mean PORTAIL_ISSUER?",
  });
  await assert.rejects(createWith({ ...sample.settings, portail_tenant: "a" }), {
    message: "portail: unknown setting portail_tenant; did you mean PORTAIL_TENANT?",
  });
  await assert.rejects(createWith({ ...sample.settings, PORTAIL_ISSUER: {} }), {
    message: "portail: PORTAIL_ISSUER cannot be of type object",
  });
  await assert.rejects(createWith(sample.settings, {}), { message: "portail: the store has no function get" });
  const typed = {
    ...sample.settings,
    PORTAIL_AUDIENCE: ["portail", "other"],
    PORTAIL_JWKS: JSON.parse(sample.settings.PORTAIL_JWKS),
    PATH: "/bin",
    PORTAIL_PORT: "tcp://10.0.0.1:8443", // a link of Kubernetes
  };
  const portail = await createPortail({ store: mapStore(sample.values()), settings: typed });
  assert.equal((await portail.fetch(list())).status, 200);
});

test("an array is valid only for a setting that is a list", async () => {
  const refused = async (name, value, message) => {
    const settings = { ...sample.settings, [name]: value };
    await assert.rejects(createPortail({ store: mapStore(), settings }), { name: "TypeError", message });
  };
  await refused("PORTAIL_JWKS", [], "portail: PORTAIL_JWKS cannot be this list");
  await refused("PORTAIL_JWKS", { toJSON() {} }, "portail: PORTAIL_JWKS cannot be of type object");
  await refused("PORTAIL_ISSUER", ["a", "b"], "portail: PORTAIL_ISSUER cannot be this list");
  await refused("PORTAIL_AUDIENCE", ["portail", null], "portail: PORTAIL_AUDIENCE cannot be this list");
  await refused("PORTAIL_ALLOW_ORIGINS", [{}], "portail: PORTAIL_ALLOW_ORIGINS cannot be this list");
});

test("an invalid option is reported in one line", async () => {
  const refused = (more, message, store = mapStore()) =>
    assert.rejects(startPortal(store, more), { name: "TypeError", message });
  await assert.rejects(createPortail(), { message: "portail: the store has no function get" });
  const store = mapStore();
  await refused({}, "portail: getMany must be a function", { ...store, getMany: true });
  await refused({}, "portail: compareAndSwap must be a function", { ...store, compareAndSwap: 1 });
  await refused({ now: 5 }, "portail: now must be a function");
  await refused({ log: "console" }, "portail: log must be a function");
  await refused({ accessLog: "console" }, "portail: accessLog must be a function");
  await refused({ trustForwarding: "false" }, "portail: trustForwarding must be true or false");
  for (const deadline of [NaN, 0, 0.5, -1, "x", "5000", null, 2 ** 31]) {
    await refused({ deadline }, "portail: deadline must be 1 to 2147483647 milliseconds or Infinity");
  }
  for (const basePath of ["portail", "/portail/", "/", "/a b", '/"', 5, null]) {
    await refused({ basePath }, 'portail: basePath must be a path such as "/portail"');
  }
  const known = "the options are store, settings, basePath, now, log, accessLog, fetch, deadline, trustForwarding";
  await refused({ basepath: "/portail" }, `portail: unknown option basepath; ${known}`);
  await refused({ toString: undefined }, `portail: unknown option toString; ${known}`);
  const unset = { now: undefined, deadline: undefined, trustForwarding: undefined, basePath: undefined };
  const portail = await startPortal(mapStore(sample.values()), unset);
  await expectStatus(portail.fetch(list()), 200);
});

test("forwarding headers count only with trustForwarding", async () => {
  const headers = { Authorization: `Bearer ${sample.tokens.client}`, "X-Forwarded-Proto": "https" };
  for (const [trustForwarding, status] of [[true, 200], [false, 403], [undefined, 403]]) {
    const portail = await startPortal(undefined, { trustForwarding, settings: { ...sample.settings, PORTAIL_TRANSPORT: "forwarded" } });
    await expectStatus(portail.fetch(new Request("http://portail.exemple.fr/api/app/liasse", { headers })), status);
  }
});

test("with a deadline of Infinity requests do not expire", async () => {
  const working = mapStore(sample.values());
  const get = (key) => new Promise((resolve) => setTimeout(() => resolve(working.get(key)), 20));
  const portail = await startPortal({ ...working, get }, { deadline: Infinity });
  await expectStatus(portail.fetch(list()), 200);
});

test("a refusal is one line of the access log, and none of the log", async () => {
  const [lines, messages] = [[], []];
  const portail = await startPortal(undefined, { log: (event) => messages.push(event), accessLog: (line) => lines.push(line) });
  await expectStatus(portail.fetch(new Request(`${base}/api/app/liasse`)), 401);
  await expectStatus(portail.fetch(list()), 200);
  assert.deepEqual(messages, []);
  assert.equal(lines.length, 1);
  const { level, event, access, route, status, reason, subject } = JSON.parse(lines[0]);
  assert.deepEqual(
    { level, event, access, route, status, reason, subject },
    { level: "info", event: "access", access: "refused", route: "/api/app/liasse", status: 401, reason: "No bearer token was sent", subject: null },
  );
});

test("an access log that throws does not change the answer", async () => {
  let calls = 0;
  const accessLog = () => {
    ++calls;
    throw new Error("the disk is full");
  };
  const portail = await startPortal(undefined, { accessLog });
  await expectStatus(portail.fetch(new Request(`${base}/api/app/liasse`)), 401);
  assert.equal(calls, 1);
});

test("events go to console.warn by default", async (t) => {
  const { mock } = t.mock.method(console, "warn", () => {});
  const get = () => Promise.reject(new Error("down"));
  const portail = await createPortail({ store: { ...mapStore(), get }, settings: sample.settings, accessLog: () => {} });
  await expectStatus(portail.fetch(list()), 503);
  assert.deepEqual(mock.calls[0].arguments, ["portail: store: Error: down"]);
});

test("access lines go to standard error by default", async (t) => {
  const { mock } = t.mock.method(console, "error", () => {});
  const portail = await createPortail({ store: mapStore(sample.values()), settings: sample.settings });
  await expectStatus(portail.fetch(new Request(`${base}/api/app/liasse`)), 401);
  assert.equal(mock.callCount(), 1);
  assert.match(mock.calls[0].arguments[0], /^\{"time":".*"event":"access".*\}$/);
});
