// The portal as a plugin of Fastify:
//   await app.register(plugin, { portail, prefix: "/portail" });
import type { IncomingMessage, ServerResponse } from "node:http";
import { authority } from "./base_path.js";
import { listener, type AttachOptions, type Handling } from "./node_http.js";
import type { Mount } from "./router_mount.js";

export interface PluginOptions extends AttachOptions {
  portail: Handling;
}

/** The used members of a FastifyInstance. */
export interface Scope {
  readonly prefix?: string;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: string, parser: (request: any, payload: any, done: (error: null) => void) => void): unknown;
  all(path: string, handler: (request: { raw: IncomingMessage }, reply: { raw: ServerResponse; hijack(): unknown }) => void): unknown;
}

/** Answers the prefix and all paths below it. Runs Fastify's hooks before the handler, but not those after it. */
export async function plugin(scope: Scope, { portail, ...options }: PluginOptions): Promise<void> {
  const answer = listener(portail, options, ({ url = "" }) => mountOf(scope.prefix ?? "", url));
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

// The prefix may have parameters, so the path has the same number of segments.
function mountOf(prefix: string, target: string): Mount | undefined {
  const segments = prefix.split("/").filter(Boolean);
  const path = target.replace(authority, "");
  const [base] = new RegExp(`^(/[^/?]+){${segments.length}}`).exec(path) ?? [];
  return base ? { base, target: path } : undefined;
}
