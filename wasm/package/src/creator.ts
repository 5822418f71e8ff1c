// createPortail for the compiled module of a platform's entry point (entries/).
import { mountAt } from "./base_path.js";
import { Engine } from "./engine.js";
import { fetchThrough } from "./fetch.js";
import { isTextRequest, type RawRequest, type RawResponse } from "./messages.js";
import type { CreatePortail, Portail } from "./portail.js";
import type { Answer } from "./store.js";

/** Calls `compile` for the first portal, and again only after a failure. */
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
    const { basePath } = options;
    const answer = basePath ? mountAt(basePath, engine.answer) : engine.answer;
    // Waits one microtask, so that a request which the caller aborts in the same turn is not sent.
    const answerSoon = async (request: RawRequest): Promise<RawResponse> => {
      await undefined;
      return answer(request) as Answer<RawResponse>;
    };
    return {
      fetch: (request) => fetchThrough(answerSoon, request),
      handle: ((request) => (isTextRequest(request) ? answer(request) : answerSoon(request))) as Portail["handle"],
      idle: () => engine.idle(),
      drain: () => engine.drain(),
      dispose: () => engine.dispose(),
    };
  };
}
