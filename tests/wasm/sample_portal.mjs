// The installed package over the sample's values, and requests of it: what its tests have in common.
import assert from "node:assert/strict";
import { createPortail } from "portail";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";

export const base = "https://portail.exemple.fr";
export const quiet = { log: () => {}, accessLog: () => {} };
export const as = (persona) => ({ headers: { Authorization: `Bearer ${sample.tokens[persona]}` } });
export const list = (more = {}) => new Request(`${base}/api/app/liasse`, { ...as("client"), ...more });
export const change = (body, more = {}) =>
  new Request(`${base}/api/app/objet-courrier/1`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${sample.tokens.administrator}`, "Content-Type": "application/json" },
    body,
    ...more,
  });
export const newConfiguration = '{"utilisablePourLiasse":false,"typeAffectation":"Rien"}';

/** A bundle of an import document, with these members instead of its own. */
export const bundle = (members = {}) => ({
  id: "L-1", nomDossier: "Prêt", creationDate: "2024-01-15T10:30:00+01:00", numeroTiers: "T1", numeroPret: "P-1", montantOpportunite: 1,
  opportuniteMiseEnPlace: false, piecesAttendues: [], ...members,
});

export function startPortal(store = mapStore(sample.values()), more = {}) {
  return createPortail({ store, settings: sample.settings, ...quiet, ...more });
}

/** A store whose dashboard is sent in pieces. */
export const longLists = () => mapStore(sample.valuesWithLongLists());

/** As a store whose answers take a while. */
export function slow(store) {
  const later =
    (call) =>
    async (...parameters) => (await new Promise(setImmediate), call(...parameters));
  return { get: later(store.get), put: later(store.put), delete: later(store.delete) };
}

/** During the test `t`, wraps the exports of each new instance of the module by `wrap`. */
export function wrapExports(t, wrap) {
  const { instantiate } = WebAssembly;
  t.mock.method(WebAssembly, "instantiate", async (...parameters) => {
    const { exports } = await instantiate(...parameters);
    return { exports: { ...exports, ...wrap(exports) } };
  });
}

export async function expectProblem(response, status) {
  assert.equal(response.status, status);
  assert.equal(response.headers.get("Content-Type"), "application/json; charset=utf-8");
  const { error } = await response.json();
  assert.deepEqual(Object.keys(error), ["code", "message", "details", "data", "validationErrors"]);
}
export async function expectStatus(answer, status) {
  assert.equal((await answer).status, status);
}
