// The portal's routes in Node: Fastify, with serializers compiled from schemas, and fast-jwt, with a cache of verified tokens.
// The data is the import document, in memory. The answers have the portal's JSON and headers, their own tags, and 304.
//   server.mjs DOCUMENT KEYS ISSUER AUDIENCE: the import document, and the public key set
import { createHash, createPublicKey, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createVerifier } from "fast-jwt";
import fastify from "fastify";
import { readPortal } from "./portal.mjs";
import { bundle, bundles, mailObject, mailObjectPage } from "./schemas.mjs";

const [document, keys, issuer, audience] = process.argv.slice(2);
const portal = readPortal(JSON.parse(readFileSync(document, "utf8")));
const [key] = JSON.parse(readFileSync(keys, "utf8")).keys;
const verify = createVerifier({
  key: createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" }),
  algorithms: [key.alg],
  allowedIss: issuer,
  allowedAud: audience,
  requiredClaims: ["exp", "sub"],
  cache: true,
});

class Problem extends Error {
  constructor(statusCode, message) {
    super(message);
    this.statusCode = statusCode;
  }
}

const app = fastify();
app.decorateRequest("caller", null);

app.addHook("onRequest", async (request, reply) => {
  reply.header("Vary", "Authorization, Origin, Accept-Encoding, Accept-Language");
  reply.header("X-Content-Type-Options", "nosniff");
  reply.header("X-Correlation-Id", request.headers["x-correlation-id"] ?? randomBytes(16).toString("hex"));
  const [scheme, token] = request.headers.authorization?.split(" ") ?? [];
  if (scheme?.toLowerCase() !== "bearer") throw new Problem(401, "Authentication is required!");
  try {
    request.caller = verify(token);
  } catch {
    reply.header("WWW-Authenticate", 'Bearer error="invalid_token"');
    throw new Problem(401, "The token is not valid!");
  }
});

app.addHook("onSend", async (request, reply, payload) => {
  if (reply.statusCode !== 200) return payload;
  const tag = `"${createHash("sha1").update(payload).digest("base64url")}"`;
  reply.header("ETag", tag);
  if (request.headers["if-none-match"] !== tag) return payload;
  reply.code(304).removeHeader("Content-Length");
  return null;
});

app.setErrorHandler((error, request, reply) => {
  const status = error.statusCode ?? 500;
  if (status !== 401 && status !== 403) reply.header("_AbpErrorFormat", "true");
  reply.code(status).header("Cache-Control", "no-store");
  return { error: { code: null, message: error.message, details: null, data: {}, validationErrors: null } };
});

const paging = {
  type: "object",
  properties: {
    SkipCount: { type: "integer", minimum: 0, default: 0 },
    MaxResultCount: { type: "integer", minimum: 1, maximum: 1000, default: 10 },
  },
};
const answers = (schema) => ({ response: { 200: schema } });
const numbered = { type: "object", properties: { id: { type: "integer" } } };

app.get("/api/app/objet-courrier", { schema: { querystring: paging, ...answers(mailObjectPage) } }, async (request, reply) => {
  reply.header("Cache-Control", "private, no-cache");
  const { SkipCount, MaxResultCount } = request.query;
  return portal.mailObjectPage(SkipCount, MaxResultCount);
});

app.get("/api/app/objet-courrier/:id", { schema: { params: numbered, ...answers(mailObject) } }, async (request, reply) => {
  reply.header("Cache-Control", "private, no-cache");
  const found = portal.mailObject(request.params.id);
  if (!found) throw new Problem(404, `There is no entity ObjetCourrier with id = ${request.params.id}!`);
  return found;
});

app.get("/api/app/liasse", { schema: answers(bundles) }, async (request, reply) => {
  reply.header("Cache-Control", "no-store");
  return portal.bundlesOf(request.caller.sub);
});

app.get("/api/app/liasse/dashboard-list", { schema: answers(bundles) }, async (request, reply) => {
  reply.header("Cache-Control", "no-store");
  if (!portal.may(request.caller, "PortailClients.Dashboard.Host")) throw new Problem(403, "You are not allowed to do this!");
  return portal.managedBundlesOf(request.caller.sub);
});

app.get("/api/app/liasse/:id", { schema: answers(bundle) }, async (request, reply) => {
  reply.header("Cache-Control", "no-store");
  const { id } = request.params;
  if (!portal.hasBundle(id)) throw new Problem(404, `There is no entity Liasse with id = ${id}!`);
  const seen = portal.bundleFor(request.caller, id);
  if (!seen) throw new Problem(403, "You are not allowed to do this!");
  return seen;
});

console.log(`listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}`);
