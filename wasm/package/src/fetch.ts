// Requests and answers as the platform's fetch has them.
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
    signal: signalOf(request),
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

// Not every platform's streams are iterable. A reader that stops early cancels the stream, even while a read is under
// way.
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

// In Deno a request's signal, once it was accessed, is aborted with its answer, by an exception with its stack: so it is
// not accessed before the request waits.
const signalsCost = "Deno" in globalThis;

function signalOf(request: Request): Signal {
  return signalsCost ? new SignalOnDemand(request) : request.signal;
}

class SignalOnDemand implements Signal {
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
