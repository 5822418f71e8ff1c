// The package in a strict program of Node, without the types of browsers.
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createPortail, type CreatePortail, type Portail, type PortailOptions } from "portail";
import type { Answer, Environment, FolderStore, RawRequest, RawResponse, Settings, Signal, Store, StoredValue, TextResponse } from "portail";
import { cases, type Case } from "portail/conformance";
import { createDevelopment, type Development, type DevelopmentClaims, type ImportOptions } from "portail/development";
import { folderStore } from "portail/folder";
import { readJsonLines, type StoredEntry } from "portail/json-lines";
import { createManagement, type CreateManagement, type ListingStore, type Management, type ManagementOptions } from "portail/management";
import { mapStore } from "portail/map";
import { middleware } from "portail/express";
import { plugin } from "portail/fastify";
import { attach } from "portail/node-http";
// @ts-expect-error: it is in portail/module
import { creator } from "portail";

export const make: CreatePortail = createPortail;
export const noCreator = creator;
const store: Store = mapStore(new Map<string, Uint8Array>());

// undefined is valid for an option.
const settings: Settings = { PORTAIL_ISSUER: "https://identity.example", PORTAIL_AUDIENCE: ["a", "b"], PORTAIL_LEEWAY: undefined };
const absent: Required<Omit<PortailOptions, "store" | "settings">> = {
  now: undefined as (() => number) | undefined,
  log: undefined as ((event: string, detail: string) => void) | undefined,
  accessLog: undefined as ((line: string) => void) | undefined,
  fetch: undefined as ((url: string, init: RequestInit) => Promise<Response>) | undefined,
  deadline: undefined as number | undefined,
  trustForwarding: undefined as boolean | undefined,
  basePath: undefined as string | undefined,
};
const portail: Portail = await createPortail({ store, settings, ...absent });
const environment: Environment = process.env;
await createPortail({ store: folderStore("data"), settings: process.env });
const folder: FolderStore = folderStore("data", { create: true });
await createPortail({ store, settings: environment });
// @ts-expect-error: no key set
await createPortail({ store, settings: { PORTAIL_JWKS: [] } });
// @ts-expect-error: a name that is nearly one of the settings'
await createPortail({ store, settings: { PORTAIL_ISSUER: "https://identity.example", PORTAIL_AUDIANCE: "portail" } });
// @ts-expect-error: one that every host would pass over: the tenant would not be looked at
await createPortail({ store, settings: { PORTAL_TENANT: "a" } });
// @ts-expect-error: in small letters
await createPortail({ store, settings: { portail_tenant: "a" } });
// @ts-expect-error: without the beginning
await createPortail({ store, settings: { TENANT: "a" } });
// @ts-expect-error: as JavaScript spells names
await createPortail({ store, settings: { subjectClaim: "oid" } });
// @ts-expect-error: letters that changed places, beside an environment
await createPortail({ store, settings: { ...process.env, PROTAIL_ISSUER: "https://identity.example" } });
// @ts-expect-error: a value that is nearly one of the setting's
await createPortail({ store, settings: { PORTAIL_TRANSPORT: "fowarded" } });
// @ts-expect-error: the same
export const misspeltValue: Settings = { PORTAIL_TRANSPORT: "fowarded" };
// The portal checks values that are known only at run time.
await createPortail({ store, settings: { PORTAIL_TRANSPORT: process.env.TRANSPORT, PORTAIL_TENANT: process.env.TENANT } });
await createPortail({ store, settings: { ...settings, PORTAIL_TRANSPORT: "loopback" } });
// @ts-expect-error: an option that is nearly one
await createPortail({ store, settings, basepath: "/portail" });
// @ts-expect-error: the same, where the options have a name
export const misspelt: PortailOptions = { store, settings: { PORTAIL_ISUER: "https://identity.example" } };
export const wellSpelt: PortailOptions = { store, settings: { PORTAIL_ISSUER: "https://identity.example" } };
export const whole: PortailOptions<Environment> = { store, settings: process.env };
await createPortail({ store, settings: { ...process.env, PORTAIL_ISSUER: "https://identity.example" }, basePath: "/portail" });
// @ts-expect-error: a store puts too
await createPortail({ store: { get: () => undefined, delete: () => undefined }, settings });

const request: RawRequest = { method: "GET", target: "/health/live", headers: [["Host", "localhost"]], https: true };
const raw: RawResponse = await portail.handle(request);
export const answer = new Response(raw.body, { status: raw.status, headers: raw.headers });
await portail.handle({ ...request, headers: answer.headers, body: process.stdin, signal: AbortSignal.timeout(5) });
const text: TextResponse = await portail.handle({ ...request, bodyAsText: true });
export const wholeText: string | false = typeof text.body === "string" && text.body;
export const leaving: Signal = AbortSignal.timeout(5);
const response: Response = await portail.fetch(new Request("https://portal.example/health/live"));
await response.text();
attach(createServer(), portail).listen(8480);
export const mounted = middleware(portail, { maxUnsentBytes: 1024 });
export const registered = plugin;
attach(createSecureServer({}), portail).listen(8443);

for (const { key, value } of readJsonLines("") satisfies Iterable<StoredEntry>) await store.put(key, value);
for (const each of cases satisfies readonly Case[]) await each.check(store);
export const value: Answer<StoredValue> = store.get("format");
portail.drain();
portail.dispose();

export const manage: CreateManagement = createManagement;
const listing: ListingStore = mapStore();
const managed: ManagementOptions<Environment> = { store: listing, settings: process.env, deadline: 60_000 };
const management: Management = await createManagement(managed);
await createManagement({ store: folder, settings: process.env });
await createManagement({ store: listing, settings: { ...settings, PORTAIL_MANAGE_SUBJECTS: ["a", "b"], PORTAIL_MANAGE_MAX_DOCUMENT: 16 } });
attach(createServer(), management, { maxUnsentBytes: 1 });
const development: Development = await createDevelopment();
const claims: DevelopmentClaims = { sub: "a", roles: ["client"], tenant: 1 };
export const token: string = await development.token(claims);
export const sample: ListingStore = development.store;
const options: ImportOptions = { prune: true };
export const report: unknown = (await development.importDocument(management, { droits: [] }, options))["dryRun"];
await createPortail({ store: listing, settings: { ...development.settings, PORTAIL_TENANT: "a" } });
// @ts-expect-error: without a subject
await development.token({ roles: ["client"] });
// @ts-expect-error: it does not list its keys
await createManagement({ store, settings });
// @ts-expect-error: it has no health to report
management.drain();
