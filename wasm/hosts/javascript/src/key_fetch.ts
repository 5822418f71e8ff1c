// Fetches the documents of a key set for the module.

/** The function of the platform, or one with its interface. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Returns the result of the operation `fetch`: the status and the body, or 0 and a reason. Never rejects. */
export async function fetchDocument(fetch: Fetch | undefined, url: string, maxSize: number, milliseconds: number): Promise<Uint8Array> {
  if (!fetch) return result(0, "this platform has no function fetch");
  const timeout = AbortSignal.timeout(milliseconds);
  try {
    const answer = await fetch(url, { headers: { accept: "application/json" }, redirect: "manual", signal: timeout });
    if (answer.type === "opaqueredirect") return result(0, "redirects are not followed");
    if (answer.status === 200 && answer.body) return result(200, await readBody(answer.body, maxSize));
    await answer.body?.cancel();
    return result(answer.status, "");
  } catch (error) {
    return result(0, timeout.aborted ? "timed out" : reasonOf(error));
  }
}

// Returns the bytes of the body up to `maxSize`.
async function readBody(body: ReadableStream<Uint8Array>, maxSize: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(maxSize);
  let size = 0;
  const reader = body.getReader();
  while (size < maxSize) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, size);
    const piece = value.subarray(0, maxSize - size);
    bytes.set(piece, size);
    size += piece.length;
  }
  await reader.cancel();
  return bytes;
}

// The cause has the reason of Node's "fetch failed".
function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown; message?: unknown } } | undefined)?.cause;
  const reason = cause?.code ?? cause?.message ?? (error as { message?: unknown } | undefined)?.message;
  return String(reason ?? "failed").replace(/\s+/g, " ");
}

function result(status: number, body: string | Uint8Array): Uint8Array {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const encoded = new Uint8Array(4 + bytes.length);
  new DataView(encoded.buffer).setUint32(0, status, true);
  encoded.set(bytes, 4);
  return encoded;
}
