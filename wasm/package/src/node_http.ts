// The portal behind a server of node:http or node:https, which Deno and Bun have too. Unlike a Request, its messages are as
// they were received: the target is not normalised, and repeated headers are repeated.
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { RawResponse, Signal, TextRequest, TextResponse } from "./portail.js";
import { isPromise, then, type Answer } from "./store.js";
import { UnsentAnswers } from "./unsent_answers.js";

const longestRest = 1024 * 1024; // bytes of a body that are read after its answer, for nothing
// Node sends a text and the head before it as one; Bun makes bytes of it first.
const textsAreQuick = !("Bun" in globalThis);

export type Handling = { handle(request: TextRequest): Answer<TextResponse> };
type Headers = RawResponse["headers"];

export interface AttachOptions {
  /**
   * Bytes that answers may hold which their clients leave unread, all together; beyond it some are broken off, first of
   * the address that holds the most. 256 MiB.
   */
  mostUnsent?: number;
}

/**
 * Lets the portal answer everything that the server receives. Once the server is closed, its connections end with the
 * answer that they wait for. A client that takes nothing of its answer for 30 seconds, or not all of it in 5 minutes, is
 * broken off. Returns the server.
 */
export function attach<S extends Server>(server: S, portail: Handling, options: AttachOptions = {}): S {
  server.on("request", listener(portail, options));
  server.on("clientError", (error: ClientError, socket: Duplex) => {
    refuse(portail, error, socket, "cert" in server).catch(() => socket.destroy());
  });
  return server;
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * What answers one request: for servers that are another program's. It takes the target as it was received from
 * `originalUrl`, where a router has changed `url`; the body must not have been read.
 */
export function listener(portail: Handling, options: AttachOptions = {}): Listener {
  const unsent = new UnsentAnswers(options.mostUnsent ?? 256 * 1024 * 1024);
  return (request, response) => {
    const fail = (): void => void response.destroy();
    try {
      const asked = requestOf(request, response);
      const given = then(portail.handle(asked), (answer) => give(answer, asked, request, response, unsent));
      if (isPromise(given)) given.then(undefined, fail);
    } catch {
      fail();
    }
  };
}

function requestOf(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse): TextRequest {
  const { rawHeaders } = request;
  const headers: Headers = [];
  let mayHaveBody = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header: Headers[0] = [rawHeaders[i]!, rawHeaders[i + 1]!];
    headers.push(header);
    mayHaveBody ||= announcesBody(header);
  }
  return {
    method: request.method ?? "",
    target: request.originalUrl ?? request.url ?? "",
    headers,
    https: isEncrypted(request.socket),
    body: mayHaveBody ? { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) } : null,
    bodyAsText: textsAreQuick,
    signal: new ClosingSignal(response),
  };
}

// Node and Bun take an object with less ado than a list.
function fieldsOf(headers: Headers): OutgoingHttpHeaders {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    fields[name] = Object.hasOwn(fields, name) ? [fields[name]!, value].flat() : value;
  }
  return fields;
}

// At once where the answer is whole.
function give(
  { status, headers, body, close }: TextResponse,
  asked: TextRequest,
  request: IncomingMessage,
  response: ServerResponse,
  unsent: UnsentAnswers,
): Answer<void> {
  if (close || isClosing(request)) headers.push(["Connection", "close"]);
  if (asked.body && !request.complete) response.once("finish", () => request.complete || discardRest(request));
  response.writeHead(status, fieldsOf(headers));
  if (body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) {
    unsent.watch(response);
    return send(body, response, unsent);
  }
  response.end(body ?? "", "latin1");
  if (response.writableLength === 0) return; // the system has taken all of it
  unsent.watch(response);
  unsent.limit();
}

// Whether the server that the request came to accepts no more.
function isClosing(request: IncomingMessage): boolean {
  return (request.socket as { server?: Server }).server?.listening === false;
}

// Aborted when the client is gone, or has its answer: an AbortSignal for each request, and its DOMException when that ends,
// would cost more than most answers do.
class ClosingSignal implements Signal {
  #reason: unknown;
  constructor(private readonly response: ServerResponse) {}

  get aborted(): boolean {
    return this.response.destroyed;
  }
  get reason(): unknown {
    return this.aborted ? (this.#reason ??= new DOMException("The connection was closed", "AbortError")) : undefined;
  }
  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
  addEventListener(_: "abort", listener: () => void): void {
    this.response.once("close", listener);
  }
  removeEventListener(_: "abort", listener: () => void): void {
    this.response.off("close", listener);
  }
}

// Once the client is gone, there are no more pieces to be had.
async function send(body: AsyncIterable<Uint8Array>, response: ServerResponse, unsent: UnsentAnswers): Promise<void> {
  for await (const piece of body) {
    if (response.write(piece)) continue;
    unsent.limit();
    await drained(response);
  }
  response.end();
}

// Rejects where the client goes before.
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const drain = (): void => {
      response.off("close", close);
      resolve();
    };
    const close = (): void => {
      response.off("drain", drain);
      reject(new Error("the client is gone"));
    };
    if (response.destroyed) close();
    else response.once("drain", drain).once("close", close);
  });
}

// Who still sends a body that was not wanted reads no answer before; but not for ever.
function discardRest(request: IncomingMessage): void {
  let left = longestRest;
  const discard = (): void => {
    for (let piece: Buffer | null; (piece = request.read() as Buffer | null); ) left -= piece.length;
    if (left < 0) request.socket.destroy();
  };
  request.on("readable", discard);
  discard();
}

// Most names are of another length, and need no second look.
function announcesBody([name, value]: Headers[0]): boolean {
  if (name.length === "transfer-encoding".length) return name.toLowerCase() === "transfer-encoding";
  return name.length === "content-length".length && value !== "0" && name.toLowerCase() === "content-length";
}

interface ClientError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

// Node refuses what is no HTTP for it, and methods that it does not know; these the portal answers nevertheless.
async function refuse(portail: Handling, error: ClientError, socket: Duplex, https: boolean): Promise<void> {
  const head = /^([!#-'*+.^-z|~\w-]+) (\S+) HTTP\/1\.[01]\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(
    error.rawPacket?.toString("latin1") ?? "",
  );
  let answer: TextResponse = {
    status: statuses[error.code ?? ""] ?? 400,
    headers: [],
    body: null,
    close: true,
  };
  if (error.code === "HPE_INVALID_METHOD" && head) {
    const [, method = "", target = "", lines = ""] = head;
    const headers = lines
      .trimEnd()
      .split("\r\n")
      .map((line): Headers[0] => [line.split(":", 1)[0]!, line.replace(/^[^:]*:/, "")]);
    answer = await portail.handle({ method, target, headers, https, bodyAsText: true });
  }
  if (!socket.writable) return void socket.destroy();
  const lines = [
    `HTTP/1.1 ${answer.status} `,
    ...answer.headers.map((header) => header.join(": ")),
    "Connection: close",
    "\r\n",
  ];
  socket.write(lines.join("\r\n"), "latin1");
  const { body } = answer;
  socket.end(typeof body === "string" || body instanceof Uint8Array ? body : "", "latin1");
}

// Bun's sockets have the property where they are plain too.
function isEncrypted(socket: object): boolean {
  return (socket as { encrypted?: unknown }).encrypted === true;
}
