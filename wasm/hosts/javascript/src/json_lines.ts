// Reads the output of `portail export --format json-lines`, for programs that fill a store themselves.

export interface StoredEntry {
  key: string;
  value: Uint8Array;
}

/** Throws a SyntaxError with the line number for an invalid line. */
export function* readJsonLines(text: string): Generator<StoredEntry> {
  let number = 0;
  for (const line of text.split("\n")) {
    ++number;
    if (line === "") continue;
    try {
      const { key, value } = (JSON.parse(line) ?? {}) as { key?: unknown; value?: unknown };
      if (typeof key !== "string" || typeof value !== "string") throw new SyntaxError("no key or no value");
      yield { key, value: Uint8Array.from(atob(value), (character) => character.charCodeAt(0)) };
    } catch (error) {
      throw new SyntaxError(`line ${number} is not a line of portail export --format json-lines: ${error}`);
    }
  }
}
