// The portal's page of mail objects in Node: Fastify, with serializers compiled from schemas, and fast-jwt, with a cache of verified tokens.
// The data is the import document, in memory. The answers have the portal's JSON and headers, their own tags, and 304.
//   server.mjs DOCUMENT KEYS ISSUER AUDIENCE: the import document, and the public key set
import { createHash, createPublicKey, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createVerifier } from "fast-jwt";
import fastify from "fastify";

const [document, keys, issuer, audience] = process.argv.slice(2);
const mailObjects = JSON.parse(readFileSync(document, "utf8"))
  .objetsCourrier.toSorted((a, b) => a.id - b.id)
  .map(({ fichierModele, ...given }) => ({
    ...given,
    lienFichier: fichierModele ? `/api/app/objet-courrier/${given.id}/fichier-modele` : null,
  }));
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

const text = { type: "string" };
const mailObject = {
  type: "object",
  properties: {
    id: { type: "integer" },
    typeObjet: text,
    description: text,
    utilisablePourLiasse: { type: "boolean" },
    typeAffectation: text,
    lienFichier: { type: ["string", "null"] },
  },
};
const mailObjectPage = {
  type: "object",
  properties: { totalCount: { type: "integer" }, items: { type: "array", items: mailObject } },
};
const paging = {
  type: "object",
  properties: {
    SkipCount: { type: "integer", minimum: 0, default: 0 },
    MaxResultCount: { type: "integer", minimum: 1, maximum: 1000, default: 10 },
  },
};
app.get("/api/app/objet-courrier", { schema: { querystring: paging, response: { 200: mailObjectPage } } }, async (request, reply) => {
  reply.header("Cache-Control", "private, no-cache");
  const { SkipCount, MaxResultCount } = request.query;
  return { totalCount: mailObjects.length, items: mailObjects.slice(SkipCount, SkipCount + MaxResultCount) };
});

console.log(`listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}`);
