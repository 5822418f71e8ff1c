// The portal as a middleware of Express:
//   app.use("/portail", middleware(portail));
// It must precede parsers of bodies, as the portal reads bodies itself.
import type { IncomingMessage, ServerResponse } from "node:http";
import { authority } from "./base_path.js";
import { listener, type AttachOptions, type Handling } from "./node_http.js";
import type { Mount } from "./router_mount.js";

export type Middleware = (request: IncomingMessage, response: ServerResponse, next?: unknown) => void;

/** The members of Express's requests that are used. */
interface ExpressRequest extends IncomingMessage {
  baseUrl?: string;
  originalUrl?: string;
}

/** Returns a middleware that answers all requests below the path at which it is mounted. */
export function middleware(portail: Handling, options: AttachOptions = {}): Middleware {
  const answer = listener(portail, options, mountOf);
  return (request, response) => answer(request, response);
}

// Express adds a slash to the path itself.
function mountOf({ baseUrl: base, originalUrl, url }: ExpressRequest): Mount | undefined {
  if (!base) return undefined;
  const isBare = originalUrl?.replace(authority, "").replace(/\?.*/s, "") === base;
  const rest = url!.replace(authority, "");
  return { base, target: base + (isBare ? rest.slice(1) : rest) };
}
