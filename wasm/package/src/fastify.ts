// The portal as a plugin of Fastify:
//   await app.register(fastify, { portail, prefix: "/portail" });   with basePath: "/portail" in the options of createPortail
import type { IncomingMessage, ServerResponse } from "node:http";
import { listener, type AttachOptions, type Handling } from "./node_http.js";

export interface FastifyOptions extends AttachOptions {
  portail: Handling;
}

/** The used members of a FastifyInstance. */
export interface Scope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: string, parser: (request: any, payload: any, done: (error: null) => void) => void): unknown;
  all(path: string, handler: (request: { raw: IncomingMessage }, reply: { raw: ServerResponse; hijack(): unknown }) => void): unknown;
}

/** Answers the prefix and all paths below it. Runs Fastify's hooks before the handler, but not those after it. */
export async function fastify(scope: Scope, { portail, ...options }: FastifyOptions): Promise<void> {
  const answer = listener(portail, options);
  // The portal reads bodies itself.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  for (const path of ["/", "/*"]) {
    scope.all(path, (request, reply) => {
      reply.hijack();
      answer(request.raw, reply.raw);
    });
  }
}
