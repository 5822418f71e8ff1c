// What the package offers, as types. creator.ts makes it.
import type { RawRequest, RawResponse, TextRequest, TextResponse } from "./messages.js";
import type { PortailOptions } from "./options.js";
import type { Declared, Environment } from "./settings.js";
import type { Answer } from "./store.js";

export type { RawRequest, RawResponse, Signal, TextRequest, TextResponse } from "./messages.js";
export type { PortailOptions } from "./options.js";
export type { Environment, Settings } from "./settings.js";
export type { Answer, Store, StoredValue } from "./store.js";

export interface Portail {
  /**
   * Answers whatever clients and stores do. Rejects after dispose(), where the request's signal was aborted, and with a
   * TypeError for what is no request: characters or pieces of a body that are no bytes.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * The same for servers that have the target and the headers as they were received: a Request's are normalised. Who says
   * `bodyAsText` has the answer at once where the store answers at once, and what it would reject with is thrown.
   */
  handle(request: TextRequest): Answer<TextResponse>;
  handle(request: RawRequest): Promise<RawResponse>;
  /** From now on /health/ready says that this portal is about to stop. */
  drain(): void;
  /** Ends the requests under way and gives the memory back. */
  dispose(): void;
}

/** Rejects with one line for the operator where the options, or the settings among them, make no sense. */
export type CreatePortail = <const S extends Declared | Environment>(options: PortailOptions<S>) => Promise<Portail>;
