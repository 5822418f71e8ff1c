// The portal behind node:http, which Deno and Bun have too. Unlike a Request, its messages are as they were received:
// the target is not normalised, and repeated headers are repeated.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Portail, RawRequest, RawResponse } from "./portail.js";

/** To be given to createServer of node:http or node:https. */
export function listener(portail: Pick<Portail, "handle">): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const left = new AbortController();
    response.once("close", () => left.abort());
    answer(portail, request, response, left.signal).catch(() => response.destroy());
  };
}

async function answer(
  portail: Pick<Portail, "handle">, request: IncomingMessage, response: ServerResponse, signal: AbortSignal,
): Promise<void> {
  const { status, headers, body, close } = await portail.handle({
    method: request.method ?? "",
    target: request.url ?? "",
    headers: pairs(request.rawHeaders),
    https: "encrypted" in request.socket,
    body: mayHaveBody(request) ? (request as RawRequest["body"]) : null,
    signal,
  });
  response.writeHead(status, [...headers, ...(close ? [["Connection", "close"]] : [])].flat());
  if (body === null || body instanceof Uint8Array) response.end(body ?? undefined);
  else await send(body, response);
}

async function send(body: Exclude<RawResponse["body"], Uint8Array | null>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  response.once("close", () => void reader.cancel().catch(() => {}));
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (!response.write(read.value)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
  }
  response.end();
}

function pairs(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!]);
}

function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}
