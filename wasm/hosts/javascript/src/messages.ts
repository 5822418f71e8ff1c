// Requests and answers as received and sent by HTTP, for platforms whose servers provide them. Strings have one character for each
// byte; other characters cause a TypeError.
import { closeFlag, Decoder, Flag } from "./abi.js";
import { writeLatin1 } from "./latin1.js";
import type { Memory } from "./memory.js";

export type Chunks = AsyncIterable<Uint8Array>;

/** The used members of an AbortSignal. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface RawRequest {
  method: string;
  /** The path as received, percent-encoded, with "?" and the query. */
  target: string;
  headers: Iterable<readonly [name: string, value: string]>;
  https: boolean;
  /** Read only if an endpoint needs it, and only as far as it does. */
  body?: Chunks | null | undefined;
  /** Whether the host's program has read the body before. An endpoint that needs it then answers 500. Default is false. */
  isBodyConsumed?: boolean | undefined;
  /** Aborting it ends the request: the caller no longer waits for the answer or the rest of its body. */
  signal?: Signal | undefined;
}

export interface RawResponse {
  status: number;
  headers: [name: string, value: string][];
  /** Whole, or a stream of pieces; null if there is none. */
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** The connection must be closed after this answer. */
  close: boolean;
}

/** Selects the form of a whole body. True: a string with one character for each byte, which node:http sends fastest. */
export interface TextRequest extends RawRequest {
  bodyAsText: boolean;
}

export function isTextRequest(request: RawRequest): request is TextRequest {
  return (request as Partial<TextRequest>).bodyAsText !== undefined;
}

export type TextResponse = Omit<RawResponse, "body"> & { body: RawResponse["body"] | string };

/** A request's head, before it is written into the module's memory. */
export interface Head {
  flags: number;
  method: string;
  target: string;
  headers: string[]; // names and values in turn
  /** Bytes of the encoding. */
  size: number;
}

export function headOf({ method, target, headers, https, body }: RawRequest, flags: number): Head {
  const all = flags | (https ? Flag.https : 0) | (body ? Flag.hasBody : 0);
  const head: Head = { flags: all, method, target, headers: [], size: 8 };
  head.size += sizeOf(method) + sizeOf(target);
  for (const [name, value] of headers) {
    head.size += sizeOf(name) + sizeOf(value);
    head.headers.push(name, value);
  }
  return head;
}
function sizeOf(text: string): number {
  if (typeof text !== "string") throw new TypeError(`portail: a head is of strings, not ${typeof text}`);
  return 4 + text.length;
}

/** Writes the head at address `at`, which must have space for its size. Returns the first text that has characters above 255. */
export function writeHead({ flags, method, target, headers }: Head, memory: Memory, at: number): string | undefined {
  const { bytes } = memory;
  const text = (value: string): boolean => {
    memory.setNumber(at, value.length);
    at += 4 + value.length;
    return writeLatin1(value, bytes, at - value.length);
  };
  memory.setNumber(at, flags);
  at += 4;
  if (!text(method)) return method;
  if (!text(target)) return target;
  memory.setNumber(at, headers.length / 2);
  at += 4;
  for (const header of headers) if (!text(header)) return header;
  return undefined;
}

export function readHead(memory: Memory, at: number, size: number): RawResponse {
  const decoder = new Decoder(memory, at, size);
  const status = decoder.number();
  const close = (decoder.number() & closeFlag) !== 0;
  const headers: RawResponse["headers"] = [];
  for (let left = decoder.number(); left > 0; --left) headers.push([decoder.text(), decoder.text()]);
  return { status, headers, body: null, close };
}
