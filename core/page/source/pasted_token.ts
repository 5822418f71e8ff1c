// Text that a user pasted where a token belongs: possibly a whole header, in quotes, or broken over lines.

/** The token in it. */
export function tokenIn(pasted: string): string {
  return pasted
    .replace(/["'`“”„«»‘’]/g, "")
    .trim()
    .replace(/^(Authorization\s*:\s*|Bearer(\s+|$))+/i, "")
    .replace(/\s/g, "");
}

/** The first character that no token has (RFC 6750, "b64token"): with many of them no request can be sent. */
export function strangerIn(token: string): string | undefined {
  return [...token].find((character) => !/[\w.~+/=-]/.test(character));
}
