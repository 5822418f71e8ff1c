// Converts between the Request and Response of the platform's fetch and the portal's types.
import type { Chunks, RawRequest, RawResponse, Signal } from "./messages.js";

export async function fetchThrough(
  answer: (request: RawRequest) => Promise<RawResponse>,
  request: Request,
): Promise<Response> {
  const { url } = request;
  const { status, headers, body } = await answer({
    method: request.method,
    target: targetOf(url),
    headers: request.headers,
    https: url.startsWith("https:"),
    body: bodyOf(request),
    isBodyConsumed: request.bodyUsed,
    signal: signalOf(request),
  });
  return new Response(body, { status, headers });
}

function bodyOf(request: Request): Chunks | null {
  if (request.body) return chunksOf(request.body);
  // In Firefox a request has no `body`; whether it has a body is known only after reading it.
  const hidden = request.body === undefined && !["GET", "HEAD"].includes(request.method);
  return hidden ? hiddenBody(request) : null;
}
// By a blob, which needs no memory for its content.
async function* hiddenBody(request: Request): AsyncGenerator<Uint8Array> {
  yield* chunksOf((await request.blob()).stream());
}

// Returns the part of the URL after the authority, without the fragment.
function targetOf(url: string): string {
  return /^[^:]*:\/\/[^/?#]*([^#]*)/.exec(url)?.[1] || "/";
}

// Streams are not iterable on every platform. A reader that stops early cancels the stream, even while a read is pending.
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

// Deno aborts a request's signal with its answer if the signal was accessed, and creates an exception with a stack. So the signal is
// not accessed before the request waits.
const signalsAreCostly = "Deno" in globalThis;

function signalOf(request: Request): Signal {
  return signalsAreCostly ? new LazySignal(request) : request.signal;
}

class LazySignal implements Signal {
  #signal: AbortSignal | undefined;
  constructor(private readonly request: Request) {}

  get aborted(): boolean {
    return this.#signal?.aborted ?? false;
  }
  get reason(): unknown {
    return this.#signal?.reason;
  }
  throwIfAborted(): void {
    this.#signal?.throwIfAborted();
  }
  addEventListener(type: "abort", listener: () => void): void {
    this.#signal = this.request.signal;
    this.#signal.addEventListener(type, listener);
  }
  removeEventListener(type: "abort", listener: () => void): void {
    this.#signal?.removeEventListener(type, listener);
  }
}
