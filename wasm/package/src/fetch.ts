// Requests and answers as the platform's fetch has them.
import type { Chunks, RawRequest, RawResponse } from "./messages.js";

export async function fetchThrough(
  handle: (request: RawRequest) => Promise<RawResponse>,
  request: Request,
): Promise<Response> {
  const { status, headers, body } = await handle({
    method: request.method,
    target: targetOf(request.url),
    headers: request.headers,
    https: request.url.startsWith("https:"),
    body: request.body && chunksOf(request.body),
    signal: request.signal,
  });
  return new Response(body as BodyInit | null, { status, headers });
}

// What follows the authority, without a fragment.
function targetOf(url: string): string {
  return /^[^:]*:\/\/[^/?#]*([^#]*)/.exec(url)?.[1] || "/";
}

// Not every platform's streams are iterable. Whoever stops in between cancels the stream, even while a read is under way.
function chunksOf(stream: ReadableStream<Uint8Array>): Chunks {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream.getReader();
      return {
        next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
        async return() {
          await reader.cancel();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
