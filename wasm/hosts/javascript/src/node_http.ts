// The portal behind a server of node:http or node:https, also in Deno and Bun. Unlike in a Request, the target is not normalised, and
// repeated headers are not joined.
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "./log.js";
import type { RawResponse, Signal, TextRequest, TextResponse } from "./portail.js";
import { handleMounted, type Mount } from "./router_mount.js";
import { isPromise, then, type Answer } from "./store.js";
import { UnsentAnswers } from "./unsent_answers.js";

const maxDiscardedBytes = 1024 * 1024; // bytes of a body that are read after its answer, and discarded
// Node sends a string in one write with the head; Bun converts it to bytes first.
const textIsFaster = !("Bun" in globalThis);

export interface Handling {
  readonly basePath?: string | undefined;
  readonly log?: Log;
  handle(request: TextRequest): Answer<TextResponse>;
}
type Headers = RawResponse["headers"];

export interface AttachOptions {
  /**
   * Maximum total of answer bytes that clients leave unread. Beyond it, answers are cut off, first those of the address with the most
   * bytes. Default is 256 MiB.
   */
  maxUnsentBytes?: number;
}

/**
 * Answers all requests of the server by the portal. After the server is closed, its connections end with their pending answers. A
 * client that reads nothing of its answer for 30 seconds, or not all of it within 5 minutes, is disconnected. Returns the server.
 */
export function attach<S extends Server>(server: S, portail: Handling, options: AttachOptions = {}): S {
  const answer = answererOf(portail, options);
  server.on("request", (request, response) => answer(request, response, false));
  // If nothing listens to this event, Node sends a 100 before the portal has seen the head.
  server.on("checkContinue", (request, response) => answer(request, response, true));
  server.on("clientError", (error: ClientError, socket: Duplex) => {
    refuse(portail, error, socket, "cert" in server).catch(() => socket.destroy());
  });
  return server;
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Returns the handler of one request, for servers of another program. The target is read from `originalUrl` if a router has changed
 * `url`. If the body was read before, an endpoint that needs it answers 500. `mountOf` returns where a router mounts the portal,
 * undefined at its root; it is not called if the portal has a basePath.
 */
export function listener(portail: Handling, options: AttachOptions = {}, mountOf?: (request: IncomingMessage) => Mount | undefined): Listener {
  const answer = answererOf(portail, options, mountOf);
  return (request, response) => answer(request, response, false);
}

// The result's `awaitsContinue`: the client sends the body after a 100.
function answererOf(portail: Handling, options: AttachOptions, mountOf?: (request: IncomingMessage) => Mount | undefined) {
  const unsent = new UnsentAnswers(options.maxUnsentBytes ?? 256 * 1024 * 1024);
  return (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void => {
    const fail = (error: unknown): void => {
      if (!response.destroyed) portail.log?.("request failed", `the connection is closed: ${error}`);
      response.destroy();
    };
    try {
      const textRequest = requestOf(request, response, awaitsContinue);
      const mount = portail.basePath ? undefined : mountOf?.(request);
      const handled = mount ? handleMounted(portail, mount, textRequest) : portail.handle(textRequest);
      const sent = then(handled, (answer) => sendAnswer(answer, textRequest, request, response, unsent));
      if (isPromise(sent)) sent.then(undefined, fail);
    } catch (error) {
      fail(error);
    }
  };
}

function requestOf(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse, awaitsContinue: boolean): TextRequest {
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
    body: mayHaveBody ? { [Symbol.asyncIterator]: () => chunksOf(request, response, awaitsContinue) } : null,
    isBodyConsumed: request.readableDidRead,
    bodyAsText: textIsFaster,
    signal: new ClosingSignal(response),
  };
}

function chunksOf(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): AsyncIterator<Uint8Array> {
  if (awaitsContinue) response.writeContinue();
  return request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
}

// Node and Bun process an object faster than a list.
function fieldsOf(headers: Headers): OutgoingHttpHeaders {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    fields[name] = Object.hasOwn(fields, name) ? [fields[name]!, value].flat() : value;
  }
  return fields;
}

// Synchronous if the answer is whole.
function sendAnswer(
  { status, headers, body, close }: TextResponse,
  textRequest: TextRequest,
  request: IncomingMessage,
  response: ServerResponse,
  unsent: UnsentAnswers,
): Answer<void> {
  if (close || isClosing(request)) headers.push(["Connection", "close"]);
  if (textRequest.body && !request.complete) response.once("finish", () => request.complete || discardRest(request));
  response.writeHead(status, fieldsOf(headers));
  if (body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) {
    unsent.watch(response);
    return send(body, response, unsent);
  }
  response.end(body ?? "", "latin1");
  if (response.writableLength === 0) return; // the system has accepted all of it
  unsent.watch(response);
  unsent.limit();
}

// Returns whether the server of the request no longer accepts connections.
function isClosing(request: IncomingMessage): boolean {
  return (request.socket as { server?: Server }).server?.listening === false;
}

// Aborted when the client has disconnected or received its answer. An AbortSignal for each request, with its DOMException at the end,
// would cost more than most answers.
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

// Rejects if the client disconnects.
async function send(body: AsyncIterable<Uint8Array>, response: ServerResponse, unsent: UnsentAnswers): Promise<void> {
  for await (const piece of body) {
    if (response.write(piece)) continue;
    unsent.limit();
    await drained(response);
  }
  response.end();
}

// Rejects if the client disconnects before.
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

// Reads an unread body after its answer, up to a maximum: a client that still sends reads the answer only afterwards.
function discardRest(request: IncomingMessage): void {
  let left = maxDiscardedBytes;
  const discard = (): void => {
    for (let piece: Buffer | null; (piece = request.read() as Buffer | null); ) left -= piece.length;
    if (left < 0) request.socket.destroy();
  };
  request.on("readable", discard);
  discard();
}

// Compares lengths first: most names have another length.
function announcesBody([name, value]: Headers[0]): boolean {
  if (name.length === "transfer-encoding".length) return name.toLowerCase() === "transfer-encoding";
  return name.length === "content-length".length && value !== "0" && name.toLowerCase() === "content-length";
}

interface ClientError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

// Answers messages that Node rejects. The portal answers requests with methods that Node does not support.
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
  const isForPortal = error.code === "HPE_INVALID_METHOD" && head !== null;
  if (isForPortal) {
    const [, method = "", target = "", lines = ""] = head;
    const headers = lines
      .trimEnd()
      .split("\r\n")
      .map((line): Headers[0] => [line.split(":", 1)[0]!, line.replace(/^[^:]*:/, "")]);
    answer = await portail.handle({ method, target, headers, https, bodyAsText: true });
  }
  if (!socket.writable) return void socket.destroy();
  if (!isForPortal) portail.log?.("request refused", `${answer.status}: ${error.message}`);
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

// In Bun also sockets without TLS have the property.
function isEncrypted(socket: object): boolean {
  return (socket as { encrypted?: unknown }).encrypted === true;
}
