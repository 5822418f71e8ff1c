// Requests and answers as the platform's fetch has them.
import type { Chunks } from "./messages.js";
import type { Portail } from "./portail.js";

export async function fetchThrough(
  handle: Portail["handle"],
  request: Request,
): Promise<Response> {
  const { status, headers, body } = await handle({
    method: request.method,
    target: targetOf(request.url),
    headers: request.headers,
    https: request.url.startsWith("https:"),
    body: bodyOf(request),
    signal: request.signal,
  });
  return new Response(body, { status, headers });
}

function bodyOf(request: Request): Chunks | null {
  if (request.body) return chunksOf(request.body);
  // In Firefox no request shows its body; whether it has one is known when it was read.
  const hidden = request.body === undefined && !["GET", "HEAD"].includes(request.method);
  return hidden ? hiddenBody(request) : null;
}
// A blob, which may be of any size without being in memory.
async function* hiddenBody(request: Request): AsyncGenerator<Uint8Array> {
  yield* chunksOf((await request.blob()).stream());
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
