// createPortail and createManagement for the compiled module of a platform's entry point (entries/).
import { mountAt } from "./base_path.js";
import { Engine } from "./engine.js";
import { fetchThrough } from "./fetch.js";
import { isTextRequest, type RawRequest, type RawResponse } from "./messages.js";
import type { UncheckedOptions } from "./options.js";
import type { CreateManagement, CreatePortail, Portail } from "./portail.js";
import type { Answer } from "./store.js";

type Compile = () => WebAssembly.Module | Promise<WebAssembly.Module>;

/** `compile` returns the module portail.wasm. It is called for the first portal, and again only after a failure. */
export function creator(compile: Compile): CreatePortail {
  const compileOnce = once(compile);
  return async (options) => serve(new Engine(await compileOnce(), options, false), options);
}

/** The same for the management interface: `compile` returns the module portail-manage.wasm. */
export function managementCreator(compile: Compile): CreateManagement {
  const compileOnce = once(compile);
  return async (options) => {
    const { drain: _, ...management } = await serve(new Engine(await compileOnce(), options, true), options);
    return management;
  };
}

function once(compile: Compile): () => Promise<WebAssembly.Module> {
  let compiled: WebAssembly.Module | Promise<WebAssembly.Module> | undefined;
  return async () => {
    try {
      return await (compiled ??= compile());
    } catch (error) {
      compiled = undefined;
      throw error;
    }
  };
}

async function serve(engine: Engine, { basePath }: UncheckedOptions): Promise<Portail> {
  await engine.start();
  const answer = basePath ? mountAt(basePath, engine.answer) : engine.answer;
  // Waits one microtask, so that a request which the caller aborts in the same turn is not sent.
  const answerSoon = async (request: RawRequest): Promise<RawResponse> => {
    await undefined;
    return answer(request) as Answer<RawResponse>;
  };
  return {
    basePath,
    log: engine.log,
    fetch: (request) => fetchThrough(answerSoon, request),
    handle: ((request) => (isTextRequest(request) ? answer(request) : answerSoon(request))) as Portail["handle"],
    idle: () => engine.idle(),
    drain: () => engine.drain(),
    dispose: () => engine.dispose(),
  };
}
