// The package: createPortail, given the compiled module by the entry of each platform (entries/).
import { Engine } from "./engine.js";
import { fetchThrough } from "./fetch.js";
import type { RawRequest, RawResponse } from "./messages.js";
import type { PortailOptions } from "./options.js";

export type { RawRequest, RawResponse } from "./messages.js";
export type { PortailOptions } from "./options.js";
export type { Settings } from "./settings.js";
export type { Answer, Store, StoredValue } from "./store.js";

export interface Portail {
  /** Answers every request; rejects only after dispose(), or where the request's signal was aborted. */
  fetch(request: Request): Promise<Response>;
  /** The same for servers that have the target and the headers as they were received: a Request's are normalised. */
  handle(request: RawRequest): Promise<RawResponse>;
  /** From now on /health/ready says that this portal is about to stop. */
  drain(): void;
  /** Ends the requests under way and gives the memory back. */
  dispose(): void;
}

export type CreatePortail = (options: PortailOptions) => Promise<Portail>;

/** Rejects with one line for the operator where the settings or the store make no sense. */
export declare const createPortail: CreatePortail;

/** `compile` is called for the first portal, and again only after it failed. */
export function creator(compile: () => WebAssembly.Module | Promise<WebAssembly.Module>): CreatePortail {
  let compiled: WebAssembly.Module | Promise<WebAssembly.Module> | undefined;
  const compileOnce = async (): Promise<WebAssembly.Module> => {
    try {
      return await (compiled ??= compile());
    } catch (error) {
      compiled = undefined;
      throw error;
    }
  };
  return async (options) => {
    const module = await compileOnce();
    const engine = new Engine(module, options);
    await engine.start();
    const handle = (request: RawRequest) => engine.handle(request);
    return {
      fetch: (request) => fetchThrough(handle, request),
      handle,
      drain: () => engine.drain(),
      dispose: () => engine.dispose(),
    };
  };
}
