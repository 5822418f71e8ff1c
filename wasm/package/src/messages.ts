// Requests and answers as HTTP has them, for platforms whose servers show them so. Texts are of bytes,
// one to a character; others are refused with a TypeError.
import { closeFlag, Decoder, Encoder, Flag } from "./abi.js";

export type Chunks = AsyncIterable<Uint8Array>;

export interface RawRequest {
  method: string;
  /** The path as it was received, still percent-encoded, with "?" and the query. */
  target: string;
  headers: Iterable<readonly [name: string, value: string]>;
  https: boolean;
  /** Read only where an endpoint wants it, and only as far as it does. */
  body?: Chunks | null | undefined;
  /** Aborted, nobody waits for the answer any more, or for the rest of its body. */
  signal?: AbortSignal | undefined;
}

export interface RawResponse {
  status: number;
  headers: [name: string, value: string][];
  /** Whole, or piece by piece as it is read; null where there is none. */
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** The connection must be closed after this answer. */
  close: boolean;
}

export function encodeHead(request: RawRequest, flags: number): Uint8Array {
  const encoder = new Encoder();
  const headers = [...request.headers];
  encoder.number(flags | (request.https ? Flag.https : 0) | (request.body ? Flag.hasBody : 0));
  encoder.latin1(request.method);
  encoder.latin1(request.target);
  encoder.number(headers.length);
  for (const [name, value] of headers) {
    encoder.latin1(name);
    encoder.latin1(value);
  }
  return encoder.bytes();
}

export function decodeHead(bytes: Uint8Array): RawResponse {
  const decoder = new Decoder(bytes);
  const status = decoder.number();
  const close = (decoder.number() & closeFlag) !== 0;
  const headers: RawResponse["headers"] = [];
  for (let left = decoder.number(); left > 0; --left) headers.push([decoder.latin1(), decoder.latin1()]);
  return { status, headers, body: null, close };
}
