// The types of the package's interface, which creator.ts implements.
import type { Log } from "./log.js";
import type { RawRequest, RawResponse, TextRequest, TextResponse } from "./messages.js";
import type { ManagementOptions, PortailOptions } from "./options.js";
import type { Answer } from "./store.js";

export type { RawRequest, RawResponse, Signal, TextRequest, TextResponse } from "./messages.js";
export type { ManagementOptions, PortailOptions } from "./options.js";
export type { Environment, Settings } from "./settings.js";
export type { Answer, FolderStore, ListingStore, Store, StoredValue } from "./store.js";

export interface Portail {
  /** The option of this name. If it is absent, a router's own path is used (portail/express, portail/fastify). */
  readonly basePath?: string | undefined;
  /** The option of this name, for what is refused before the portal (portail/node-http). Never throws. */
  readonly log: Log;
  /**
   * Answers a request. Errors of clients and stores do not reject. Rejects after dispose(), if the request's signal was aborted, and
   * with a TypeError for an invalid request: characters above 255, or pieces of a body that are not bytes.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * The same for servers that keep the target and the headers as received: those of a Request are normalised. With `bodyAsText` and a
   * synchronous store, returns the answer itself, and throws instead of rejecting.
   */
  handle(request: TextRequest): Answer<TextResponse>;
  handle(request: RawRequest): Promise<RawResponse>;
  /**
   * Resolves when the portal does no work beside requests. After an answer it may fetch keys: a platform that ends such work, as Workers
   * do, must be given this promise, `ctx.waitUntil(portal.idle())`.
   */
  idle(): Promise<void>;
  /** From now on /health/ready reports that this portal is shutting down. */
  drain(): void;
  /** Ends pending requests, and frees the memory. */
  dispose(): void;
}

/** Rejects with one line for the operator if the options or settings are invalid. */
export type CreatePortail = <const S extends object>(options: PortailOptions<S>) => Promise<Portail>;

/** The management interface of a portal. It has a module of its own, so no handler of a Portail reaches it. */
export type Management = Omit<Portail, "drain">;

/** Rejects with one line for the operator if the options or settings are invalid. */
export type CreateManagement = <const S extends object>(options: ManagementOptions<S>) => Promise<Management>;
