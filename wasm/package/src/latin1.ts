// Texts of bytes, one to a character, as HTTP has them. A TextDecoder has no such encoding: its "latin1" is Windows' own.

interface Slicing {
  latin1Slice(begin: number, end: number): string;
}
// Node, Deno and Bun have it; it takes any Uint8Array.
const buffers = (globalThis as { Buffer?: { prototype: Slicing } }).Buffer?.prototype;
const atOnce = 4096; // arguments of one call

/** The text of the bytes from `begin` to before `end`. */
export const latin1Of: (bytes: Uint8Array, begin: number, end: number) => string = buffers?.latin1Slice
  ? (bytes, begin, end) => buffers.latin1Slice.call(bytes as unknown as Slicing, begin, end)
  : (bytes, begin, end) => {
      let text = "";
      for (let at = begin; at < end; at += atOnce) {
        text += String.fromCharCode.apply(null, bytes.subarray(at, Math.min(at + atOnce, end)) as unknown as number[]);
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
