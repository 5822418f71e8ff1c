// The development key of this browser, and the tokens that it signs. It is generated at the first use, and valid only for the data in
// this browser.
import { readState, writeStateOnce } from "./state.js";

export const issuer = "https://development.invalid";
export const audience = "portail";

const algorithm = "Ed25519";
const hour = 3600; // seconds

/** Returns the key set with the public key, for a portal. */
export async function keySet() {
  const { kty, crv, x } = await privateKey();
  return { keys: [{ kty, crv, x, kid: "development", alg: "EdDSA", use: "sig" }] };
}

/** Returns a token with the persona's `sub`, `roles`, `permissions` and other `claims`. It is the same within an hour. */
export async function tokenOf({ sub, roles = [], permissions = [], claims = {} }, now = Date.now()) {
  const begin = Math.floor(now / 1000 / hour) * hour;
  const body = { iss: issuer, aud: audience, sub, iat: begin, exp: begin + 2 * hour, role: roles, permissions, ...claims };
  const signed = `${encoded({ alg: "EdDSA", typ: "JWT", kid: "development" })}.${encoded(body)}`;
  const key = await crypto.subtle.importKey("jwk", await privateKey(), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

async function privateKey() {
  const stored = await readState("key");
  if (stored) return stored;
  const created = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty, crv, x, d } = await crypto.subtle.exportKey("jwk", created.privateKey);
  return writeStateOnce("key", { kty, crv, x, d });
}

function encoded(value) {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
