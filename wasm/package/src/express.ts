// The portal in a program of Express:
//   app.use("/portail", express(portail));   where createPortail was given basePath: "/portail"
// Before any parser of bodies, as the portal reads them itself.
import type { IncomingMessage, ServerResponse } from "node:http";
import { listener, type AttachOptions, type Handling } from "./node_http.js";

export type Middleware = (request: IncomingMessage, response: ServerResponse, next?: unknown) => void;

/** Answers everything that comes to it. */
export function express(portail: Handling, options: AttachOptions = {}): Middleware {
  const answer = listener(portail, options);
  return (request, response) => answer(request, response);
}
