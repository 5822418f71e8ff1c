// portail/development: a first portal without the native program.
import assert from "node:assert/strict";
import test from "node:test";
import { createPortail } from "portail";
import { createDevelopment } from "portail/development";
import { createManagement } from "portail/management";
import { mapStore } from "portail/map";
import { bundle, quiet } from "./sample_portal.mjs";

const document = {
  objetsCourrier: [{ id: 1, typeObjet: "CNI", description: "Carte d'identité", utilisablePourLiasse: true, typeAffectation: "Obligatoire" }],
  tiers: [{ numeroTiers: "T1", nomTiers: "Durand", prenomTiers: "Chloé", utilisateurs: ["chloe"], gestionnaires: [] }],
  liasses: [bundle()],
};

async function start(development, more = {}) {
  const store = mapStore();
  const options = { store, settings: development.settings, ...quiet, ...more };
  const [management, portail] = await Promise.all([createManagement(options), createPortail({ ...options, basePath: undefined })]);
  const get = async (target, claims) => {
    const headers = { Authorization: `Bearer ${await development.token(claims)}` };
    return portail.fetch(new Request(`http://localhost${target}`, { headers }));
  };
  return { management, get };
}

test("its store has a small portal, and belongs to it", async () => {
  const [one, other] = [await createDevelopment(), await createDevelopment()];
  const { store, settings, token } = one;
  const portail = await createPortail({ store, settings, ...quiet });
  const get = async (target, claims) => {
    const headers = { Authorization: `Bearer ${await token(claims)}` };
    return (await portail.fetch(new Request(`http://localhost${target}`, { headers }))).json();
  };
  const bundle = await get("/api/app/liasse/L-2024-0002", { sub: "sub-client-1" });
  assert.deepEqual([bundle.id, bundle.statut, bundle.completion], ["L-2024-0002", "En cours", 66.66666666666667]);
  assert.equal((await get("/api/app/liasse", { sub: "sub-client-1" })).length, 6);
  assert.equal((await get("/api/app/objet-courrier", { sub: "sub-administrateur-1", roles: ["administrateur"] })).totalCount, 40);
  await store.delete("catalogue.0");
  assert.notEqual(await other.store.get("catalogue.0"), undefined);
});

test("a document is imported, and a token reads it", async () => {
  const development = await createDevelopment();
  const { management, get } = await start(development);
  const report = await development.importDocument(management, document);
  assert.deepEqual([report.dryRun, report.faults], [false, []]);
  const bundles = await (await get("/api/app/liasse", { sub: "chloe" })).json();
  assert.deepEqual(bundles.map(({ id }) => id), ["L-1"]);
  assert.deepEqual(await (await get("/api/app/liasse", { sub: "other" })).json(), []);
});

test("a document as text, into a management interface below a path; what it does not name is pruned on request", async () => {
  const development = await createDevelopment();
  const { management, get } = await start(development, { basePath: "/operators" });
  await development.importDocument(management, JSON.stringify(document));
  const { tiers, liasses } = document;
  await development.importDocument(management, { tiers, liasses: [{ ...liasses[0], id: "L-2" }] }, { prune: true });
  assert.deepEqual((await (await get("/api/app/liasse", { sub: "chloe" })).json()).map(({ id }) => id), ["L-2"]);
});

test("the claims of a token are those given", async () => {
  const development = await createDevelopment();
  const [head, body] = (await development.token({ sub: "a", roles: ["r"], permissions: ["p"], tenant: "t", exp: 5 }))
    .split(".")
    .map((part) => Buffer.from(part, "base64url"));
  assert.deepEqual(JSON.parse(head), { alg: "ES256", typ: "JWT", kid: "development" });
  const { iat, ...claims } = JSON.parse(body);
  assert.deepEqual(claims, { iss: "https://development.invalid", aud: "portail", sub: "a", exp: 5, role: ["r"], permissions: ["p"], tenant: "t" });
  assert.equal(typeof iat, "number");
});

test("two keys do not accept each other's tokens", async () => {
  const [one, other] = [await createDevelopment(), await createDevelopment()];
  const { management, get } = await start(one);
  assert.equal((await get("/api/app/liasse", { sub: "a" })).status, 200);
  await assert.rejects(other.importDocument(management, document), /^Error: portail: the import was refused: /);
});

test("a refused document is reported by its first fault", async () => {
  const development = await createDevelopment();
  const { management } = await start(development);
  await assert.rejects(development.importDocument(management, { droits: [{ permission: "x", role: "r" }] }), {
    message: "portail: the import was refused: droits[0].permission: unknown permission",
  });
});
