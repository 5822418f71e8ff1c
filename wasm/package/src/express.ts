// The portal as a middleware of Express:
//   app.use("/portail", express(portail));   with basePath: "/portail" in the options of createPortail
// It must precede body parsers, as the portal reads bodies itself.
import type { IncomingMessage, ServerResponse } from "node:http";
import { listener, type AttachOptions, type Handling } from "./node_http.js";

export type Middleware = (request: IncomingMessage, response: ServerResponse, next?: unknown) => void;

/** Returns a middleware that answers all requests. */
export function express(portail: Handling, options: AttachOptions = {}): Middleware {
  const answer = listener(portail, options);
  return (request, response) => answer(request, response);
}
