// Strings with one character for each byte, as in HTTP. TextDecoder does not support this: its "latin1" is Windows-1252.

interface Slicing {
  latin1Slice(begin: number, end: number): string;
}
// Of Node, Deno and Bun. Accepts any Uint8Array.
const buffers = (globalThis as { Buffer?: { prototype: Slicing } }).Buffer?.prototype;
const maxArguments = 4096; // arguments of one call

/** Returns the string of the bytes in [begin, end). */
export const latin1Of: (bytes: Uint8Array, begin: number, end: number) => string = buffers?.latin1Slice
  ? (bytes, begin, end) => buffers.latin1Slice.call(bytes as unknown as Slicing, begin, end)
  : (bytes, begin, end) => {
      let text = "";
      for (let at = begin; at < end; at += maxArguments) {
        text += String.fromCharCode.apply(null, bytes.subarray(at, Math.min(at + maxArguments, end)) as unknown as number[]);
      }
      return text;
    };

/** Writes `text` at offset `at`, which must have enough space. Returns false if `text` has characters above 255. */
export function writeLatin1(text: string, into: Uint8Array, at: number): boolean {
  let bits = 0;
  for (let i = 0; i < text.length; ++i) {
    const character = text.charCodeAt(i);
    bits |= character;
    into[at + i] = character;
  }
  return bits <= 255;
}
