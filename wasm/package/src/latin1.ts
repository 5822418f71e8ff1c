// Texts of bytes, one to a character, as HTTP has them. A TextDecoder has no such encoding: its "latin1" is Windows' own.

interface Slicing {
  latin1Slice(begin: number, end: number): string;
}
// Node, Deno and Bun have it; it takes any Uint8Array.
const buffers = (globalThis as { Buffer?: { prototype: Slicing } }).Buffer?.prototype;
const atOnce = 4096; // arguments of one call

export const latin1Of: (bytes: Uint8Array) => string = buffers?.latin1Slice
  ? (bytes) => buffers.latin1Slice.call(bytes as unknown as Slicing, 0, bytes.length)
  : (bytes) => {
      let text = "";
      for (let at = 0; at < bytes.length; at += atOnce) {
        text += String.fromCharCode.apply(null, bytes.subarray(at, at + atOnce) as unknown as number[]);
      }
      return text;
    };

/** Writes `text` at `at`, where there is room. False: it is not of bytes. */
export function writeLatin1(text: string, into: Uint8Array, at: number): boolean {
  let bits = 0;
  for (let i = 0; i < text.length; ++i) {
    const character = text.charCodeAt(i);
    bits |= character;
    into[at + i] = character;
  }
  return bits <= 255;
}
