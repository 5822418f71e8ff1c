// Parses pasted tokens, which may be a complete header, quoted, or broken over lines.

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
