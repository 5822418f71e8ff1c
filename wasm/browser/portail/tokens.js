// The development key of this browser, and the tokens that it signs. It is made at the first use, and is good for nothing
// but the data in this browser.
import { recall, rememberFirst } from "./state.js";

export const issuer = "https://development.invalid";
export const audience = "portail";

const algorithm = "Ed25519";
const hour = 3600; // seconds

/** The public half, as a portal takes it. */
export async function keySet() {
  const { kty, crv, x } = await privateKey();
  return { keys: [{ kty, crv, x, kid: "development", alg: "EdDSA", use: "sig" }] };
}

/** A token for `sub`, `roles`, `permissions` and whatever other `claims` the persona has. The same one within an hour. */
export async function tokenOf({ sub, roles = [], permissions = [], claims = {} }, now = Date.now()) {
  const begin = Math.floor(now / 1000 / hour) * hour;
  const body = { iss: issuer, aud: audience, sub, iat: begin, exp: begin + 2 * hour, role: roles, permissions, ...claims };
  const signed = `${encoded({ alg: "EdDSA", typ: "JWT", kid: "development" })}.${encoded(body)}`;
  const key = await crypto.subtle.importKey("jwk", await privateKey(), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

async function privateKey() {
  const known = await recall("key");
  if (known) return known;
  const made = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty, crv, x, d } = await crypto.subtle.exportKey("jwk", made.privateKey);
  return rememberFirst("key", { kty, crv, x, d });
}

function encoded(value) {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
