// The package in a strict program of a browser, without the types of Node.
import { createPortail, type Portail, type RawRequest } from "portail";
import { indexedDbStore } from "portail/indexed-db";
import { creator, type CreatePortail } from "portail/module";

const store = await indexedDbStore("portail");
const keys = (await (await fetch("public.json")).json()) as { keys: object[] };
const settings = { PORTAIL_ISSUER: "https://identity.example", PORTAIL_AUDIENCE: "portail", PORTAIL_JWKS: keys };
const portail: Portail = await createPortail({ store, settings });

const create: CreatePortail = creator(() => WebAssembly.compileStreaming(fetch("portail.wasm")));
const other = await create({ store, settings, deadline: Infinity });
export const page: Response = await other.fetch(new Request("/api/app/liasse", { signal: AbortSignal.timeout(5) }));

const request: RawRequest = { method: "GET", target: "/", headers: new Headers(), https: false };
const { body, status, headers } = await portail.handle(request);
export const answer = new Response(body, { status, headers });
store.close();
