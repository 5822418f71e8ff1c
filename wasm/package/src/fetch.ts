// Requests and answers as the platform's fetch has them.
import type { RawRequest, RawResponse } from "./messages.js";

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

// Not every platform's streams are iterable. Whoever stops in between cancels the stream.
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let whole = false;
  try {
    while (true) {
      const { done, value } = await reader.read();
      whole = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!whole) reader.cancel().catch(() => {});
  }
}
