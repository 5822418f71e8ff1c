// A portal for development: a key, tokens, data and imports, without an identity provider and the native program. Not for production: the
// program that has the object can sign a token for any user.
import values from "./development.jsonl";
import { readJsonLines } from "./json_lines.js";
import type { Management } from "./portail.js";
import type { ListingStore } from "./store.js";
import { mapStore } from "./stores/map.js";

const issuer = "https://development.invalid";
const audience = "portail";
const lifetime = 12 * 3600; // seconds
const algorithm = { name: "ECDSA", namedCurve: "P-256" };

/** The claims of a token: others are added as they are. */
export interface DevelopmentClaims {
  sub: string;
  roles?: readonly string[];
  permissions?: readonly string[];
  [claim: string]: unknown;
}

export interface ImportOptions {
  /** Whether what the document's sections do not name is removed. Default is false. */
  prune?: boolean;
}

export interface Development {
  /** A store in memory with a small portal: its client is `sub-client-1`, one of its bundles `L-2024-0002`. */
  readonly store: ListingStore;
  /** The settings of a portal and of its management that accept these tokens, also without TLS from this machine. */
  readonly settings: {
    readonly PORTAIL_ISSUER: string;
    readonly PORTAIL_AUDIENCE: string;
    readonly PORTAIL_JWKS: { readonly keys: readonly object[] };
    readonly PORTAIL_TRANSPORT: "loopback";
  };
  /** Returns a token, valid for twelve hours. */
  token(claims: DevelopmentClaims): Promise<string>;
  /** Imports a document (docs/how-to/import.md), and returns the report. Rejects with the first fault if nothing was imported. */
  importDocument(management: Pick<Management, "fetch" | "basePath">, document: object | string, options?: ImportOptions): Promise<Record<string, unknown>>;
}

/** Generates a key, and fills a store. Both are lost with the object. */
export async function createDevelopment(): Promise<Development> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  const keys = [{ kty, crv, x, y, kid: "development", alg: "ES256", use: "sig" }];

  const token = async ({ sub, roles = [], permissions = [], ...claims }: DevelopmentClaims): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const body = { iss: issuer, aud: audience, sub, iat: now, exp: now + lifetime, role: roles, permissions, ...claims };
    const signed = `${encoded({ alg: "ES256", typ: "JWT", kid: "development" })}.${encoded(body)}`;
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, new TextEncoder().encode(signed));
    return `${signed}.${base64url(new Uint8Array(signature))}`;
  };

  return {
    store: mapStore(new Map(Array.from(readJsonLines(values), ({ key, value }) => [key, value]))),
    settings: { PORTAIL_ISSUER: issuer, PORTAIL_AUDIENCE: audience, PORTAIL_JWKS: { keys }, PORTAIL_TRANSPORT: "loopback" },
    token,
    async importDocument({ fetch, basePath = "" }, document, { prune = false } = {}) {
      const bearer = await token({ sub: "development", permissions: ["PortailClients.Administration"] });
      const answer = await fetch(
        new Request(`https://localhost${basePath}/manage/import?prune=${prune}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" },
          body: typeof document === "string" ? document : JSON.stringify(document),
        }),
      );
      const report = await answer.json();
      if (answer.status === 200) return report;
      throw new Error(`portail: the import was refused: ${report.faults?.[0] ?? report.error?.message ?? answer.status}`);
    },
  };
}

function encoded(value: unknown): string {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
