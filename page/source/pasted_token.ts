// Pasted tokens, which may be a complete header, quoted, or broken over lines, and what their refusal means.

/** Returns the token in `pasted`. */
export function tokenIn(pasted: string): string {
  return pasted
    .replace(/["'`“”„«»‘’]/g, "")
    .trim()
    .replace(/^(Authorization\s*:\s*|Bearer(\s+|$))+/i, "")
    .replace(/\s/g, "");
}

/** Returns the first character that is invalid in a token (RFC 6750, "b64token"). fetch() rejects many of them in a header. */
export function invalidCharacterIn(token: string): string | undefined {
  return [...token].find((character) => !/[\w.~+/=-]/.test(character));
}

export type TokenRefusal = "expired" | "early" | "damaged" | "foreign" | "other";

const refusals = new Map<string | null, TokenRefusal>([
  ["The token has expired", "expired"],
  ["The token is not valid yet (nbf)", "early"],
  ["The token is not a compact JWS of three parts", "damaged"],
  ["The token's header is not base64url", "damaged"],
  ["The token's header is not one JSON object with unique names", "damaged"],
  ["The token's claims are not base64url", "damaged"],
  ["The token's claims are not one JSON object with unique names", "damaged"],
  ["The token's signature is not base64url, or too long", "damaged"],
  ["The token has no signature", "damaged"],
  ["The token's signature is not that of its key", "damaged"],
  ["The token's type (typ) is not accepted", "foreign"],
  ["The token's key (kid) is not known here", "foreign"],
  ["The token's issuer (iss) is not the expected one", "foreign"],
  ["The token is not meant for this service (aud)", "foreign"],
  ["The token's tenant (tenantid) is missing or not the expected one", "foreign"],
  ["The token is an ID or refresh token, not an access token", "foreign"],
  ["The token is an ID token, not an access token", "foreign"],
  ["The token is not an access token (typ, token_use, events)", "foreign"],
]);

/** Returns what the service's reason (docs/reference/refusals.md) means to a user. */
export function refusalOf(reason: string | null): TokenRefusal {
  return refusals.get(reason) ?? "other";
}
