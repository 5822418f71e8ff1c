// The package in strict programs of Workers and of Deno, with the types that they need declared here.
import { createPortail, type Portail } from "portail";
import { cloudflareKvStore, type KvNamespace } from "portail/cloudflare-kv";
import { denoKvStore, type DenoKv } from "portail/deno-kv";
import { createManagement } from "portail/management";
import { creator, managementCreator } from "portail/module";

// As wrangler makes it.
interface Env {
  VALUES: KvNamespace;
  PORTAIL_ISSUER: string;
  PORTAIL_TRANSPORT: "forwarded";
  AZURE_TENANT: string;
}
// The same, without the values.
type LooseEnv = Omit<Env, "PORTAIL_TRANSPORT"> & { PORTAIL_TRANSPORT: string };
let portail: Promise<Portail> | undefined;
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    portail ??= createPortail({ store: cloudflareKvStore(env.VALUES), settings: env });
    return (await portail).fetch(request);
  },
};

declare const loose: LooseEnv;
await createPortail({ store: cloudflareKvStore(loose.VALUES), settings: loose });

declare const Deno: {
  env: { toObject(): { [name: string]: string } };
  openKv(): Promise<DenoKv>;
  serve(handler: (request: Request) => Response | Promise<Response>): void;
};
const { fetch } = await createPortail({ store: denoKvStore(await Deno.openKv()), settings: Deno.env.toObject() });
Deno.serve(fetch);

declare const module: WebAssembly.Module;
export const create = creator(() => module);
export const createOther = managementCreator(() => module);
await createManagement({ store: cloudflareKvStore(loose.VALUES), settings: loose });
