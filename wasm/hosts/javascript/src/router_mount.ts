// The portal at the path at which a router of another program mounts it.
import { mountAt } from "./base_path.js";
import type { TextRequest, TextResponse } from "./messages.js";
import type { Handling } from "./node_http.js";
import { problem } from "./problem.js";
import type { Answer } from "./store.js";

/** The path of a mounted portal in a request, and the request's target, which begins with it. */
export interface Mount {
  base: string;
  target: string;
}

/** Answers a request. "/portail" itself redirects to "/portail/", so that relative links are below the path. */
export function handleMounted(portail: Handling, { base, target }: Mount, request: TextRequest): Answer<TextResponse> {
  if (!/^(\/[\w.~%-]+)+$/.test(base)) return problem(404); // it would be part of links
  const rest = target.slice(base.length);
  if (/^(\?|$)/.test(rest) && /^(GET|HEAD)$/.test(request.method)) {
    const headers: TextResponse["headers"] = [["Location", `${base}/${rest}`], ["Cache-Control", "no-store"], ["Content-Length", "0"]];
    return { status: 302, headers, body: null, close: false };
  }
  return mountAt(base, (inner) => portail.handle(inner as TextRequest))({ ...request, target });
}
