// Serves the portal's page at `/`; a portal answers all other requests.
import type { RawRequest, RawResponse, TextRequest, TextResponse } from "./messages.js";
import { authority as targetAuthority } from "./base_path.js";
import { files, type PageFile } from "./page_files.js";
import { checkNames } from "./options.js";
import type { Portail } from "./portail.js";
import { problem } from "./problem.js";
import { then, type Answer } from "./store.js";

/** How users sign in: OpenID Connect, by an authorization code with PKCE. */
export interface PageSignIn {
  /** The issuer: an https URL. */
  authority: string;
  client: string;
  /** Default is `openid`. */
  scope?: string;
  /** Additional parameters of the authorization request. */
  parameters?: Record<string, string>;
}

export interface PageOptions {
  /** If absent, the page asks for a token. */
  signIn?: PageSignIn;
  /** The lender's form for a document: an https URL with {bundle} and {piece} for the identifiers. Default is none. */
  depositUrl?: string;
  /** The lender's contact by language: a text; https URLs, e-mail addresses and telephone numbers become links. Default is none. */
  contacts?: { fr?: string; en?: string };
  /** The currency of amounts (ISO 4217). Default is EUR. */
  currency?: string;
}

interface Content {
  status: 200 | 302;
  headers: RawResponse["headers"];
  tag: string | null;
  plain: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer> | null;
}

// Headers of the portal's answer that the page replaces.
const replacedHeaders = new Set(["location", "content-type", "content-length", "content-language", "cache-control", "_abperrorformat"]);

// Without this option, workerd would compress a body with Content-Encoding again. Other platforms ignore it.
const withoutCompression = { encodeBody: "manual" };

const optionNames: readonly (keyof PageOptions)[] = ["signIn", "depositUrl", "contacts", "currency"];
const signInNames: readonly (keyof PageSignIn)[] = ["authority", "client", "scope", "parameters"];
// Returns whether the portal has no endpoint there, or only the redirect to its description.
const yieldsToPage = (status: number) => status === 404 || status === 302;

/**
 * Returns the portal with its page. With a `basePath` of "/portail" the page is at "/portail/", and "/portail" redirects to it. The
 * portal answers requests for the page first, and may reject them as it rejects any request; otherwise it has no such endpoint. Throws
 * for an unknown option or an invalid value.
 */
export function withPage(portail: Portail, options: PageOptions = {}): Portail {
  const { signIn } = options;
  const { basePath } = portail;
  checkNames(options, optionNames);
  checkNames(signIn ?? {}, signInNames);
  checkTexts(options);
  const contents = contentsFor(options, basePath ?? "");
  const contentOf = (method: string, target: string) => (method === "GET" || method === "HEAD" ? contents.get(pathOf(target)) : undefined);

  function handle(request: TextRequest): Answer<TextResponse>;
  function handle(request: RawRequest): Promise<RawResponse>;
  function handle(request: RawRequest | TextRequest): Answer<TextResponse> {
    const content = contentOf(request.method, request.target);
    const answer = portail.handle(request as TextRequest);
    if (!content) return answer;
    return then(answer, (refused) => (yieldsToPage(refused.status) ? pageAnswer(content, refused, request.method, new Headers([...request.headers] as [string, string][])) : refused));
  }

  return {
    basePath,
    log: portail.log,
    handle,
    async fetch(request) {
      const answer = await portail.fetch(request);
      const content = yieldsToPage(answer.status) && contentOf(request.method, new URL(request.url).pathname);
      if (!content) return answer;
      const { status, headers, body } = pageAnswer(content, { status: 404, headers: [...answer.headers], body: null, close: false }, request.method, request.headers);
      return new Response(body as Uint8Array<ArrayBuffer> | null, { status, headers, ...withoutCompression });
    },
    idle: () => portail.idle(),
    drain: () => portail.drain(),
    dispose: () => portail.dispose(),
  };
}

function pathOf(target: string): string {
  return target.replace(targetAuthority, "").replace(/\?.*/s, "") || "/";
}

function pageAnswer({ status, headers, tag, plain, brotli }: Content, refused: TextResponse, method: string, requestHeaders: Headers): TextResponse {
  const kept = refused.headers.filter(([name]) => !replacedHeaders.has(name.toLowerCase()));
  const fault = tag && ifMatchFault(requestHeaders.get("If-Match"), tag);
  if (fault) {
    const error = problem(412, fault);
    const replaced = error.headers.filter(([name]) => replacedHeaders.has(name.toLowerCase()));
    return { status: 412, headers: [...kept, ...replaced], body: method === "HEAD" ? null : error.body, close: refused.close };
  }
  const matched = tag && ifNoneMatchTag(requestHeaders.get("If-None-Match"), tag);
  if (matched) {
    const conditional = headers.filter(([name]) => name !== "Content-Type");
    return { status: 304, headers: [...kept, ...conditional, ["ETag", matched]], body: null, close: refused.close };
  }
  const brotliTag = tag && tag.replace(/"$/, '-br"');
  const compressed = brotli !== null && acceptsBrotli(requestHeaders.get("Accept-Encoding") ?? "");
  const more: RawResponse["headers"] = tag === null ? [] : [["ETag", compressed ? brotliTag! : tag]];
  if (compressed) more.push(["Content-Encoding", "br"]);
  const body = compressed ? brotli : plain;
  return { status, headers: [...kept, ...headers, ...more], body: method === "HEAD" ? null : body, close: refused.close };
}

// Conditional requests, by the same rules as in core/http/conditional.cpp.

const entityTag = String.raw`(?:W/)?"[^\x00-\x20"\x7f]*"`;
const tagList = new RegExp(`^[ \t,]*(?:${entityTag}[ \t]*(?:,[ \t,]*|$))*$`);

// Returns undefined if the list is malformed.
function tagsOf(list: string): string[] | undefined {
  return tagList.test(list) ? list.match(new RegExp(entityTag, "g")) ?? [] : undefined;
}

// A tag may be that of a compressed answer.
const isCurrent = (each: string, tag: string) => each.replace(/-(?:gzip|br|zstd)"$/, '"') === tag;

// Returns the message of 412 if the condition is false.
function ifMatchFault(header: string | null, tag: string): string | null {
  if (header === null || header === "*") return null;
  const tags = tagsOf(header);
  if (!tags) return "If-Match is not a list of entity tags!";
  if (tags.some((each) => isCurrent(each, tag))) return null;
  if (!tags.some((each) => each.startsWith("W/"))) return "The resource has changed since you read it!";
  return "If-Match has a weak tag (W/), which matches no version: a proxy on the way has weakened the tag!";
}

// Returns the current tag as the header has it.
function ifNoneMatchTag(header: string | null, tag: string): string | undefined {
  if (header === "*") return tag;
  return tagsOf(header ?? "")?.map((each) => each.replace(/^W\//, "")).find((each) => isCurrent(each, tag));
}

function acceptsBrotli(accepted: string): boolean {
  return accepted.split(",").some((each) => /^\s*br\s*(;\s*q\s*=\s*(0\.\d*[1-9]\d*|1(\.0*)?)\s*)?$/i.test(each));
}

// The same rules as in native/settings/page_settings.cpp.
function checkTexts({ depositUrl, contacts = {}, currency = "EUR" }: PageOptions): void {
  checkNames(contacts, ["fr", "en"]);
  if (!/^[A-Z]{3}$/.test(currency)) throw new TypeError(`portail: currency must be a code of ISO 4217, such as EUR, not ${currency}`);
  if (depositUrl === undefined) return;
  const unknown = depositUrl.replace(/\{(bundle|piece)\}/g, "").match(/\{[^}]*\}?|\}/)?.[0];
  if (unknown) throw new TypeError(`portail: depositUrl has the unknown placeholder ${unknown}: use {bundle} and {piece}`);
  const isAllowed = /^(https:\/\/[^\s{}@/?#]+|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?)([/?#][!-~]*)?$/i.test(depositUrl) && !/["<>\\]/.test(depositUrl);
  if (!isAllowed || !URL.canParse(depositUrl)) {
    throw new TypeError(`portail: depositUrl must be an https URL, such as https://deposit.example/?bundle={bundle}&piece={piece}, not ${depositUrl}`);
  }
}

function contentsFor({ signIn, depositUrl, contacts, currency }: PageOptions, basePath: string): Map<string, Content> {
  const contents = new Map(files.map((file) => [basePath + file.path, contentOfFile(file, signIn)]));
  const { authority, client, scope = "openid", parameters = {} } = signIn ?? {};
  const settings = { signIn: signIn ? { authority, client, scope, parameters } : null, depositUrl, contacts, currency, personas: [] };
  contents.set(`${basePath}/page/settings.json`, {
    status: 200,
    headers: [
      ["Content-Type", "application/json; charset=utf-8"],
      ["Cache-Control", "no-store"],
    ],
    tag: null,
    plain: new TextEncoder().encode(JSON.stringify(settings)),
    brotli: null,
  });
  // The page refers to its files by relative paths.
  if (basePath) {
    const headers: Content["headers"] = [["Location", `${basePath}/`], ["Cache-Control", "no-store"]];
    contents.set(basePath, { status: 302, headers, tag: null, plain: new Uint8Array(), brotli: null });
  }
  return contents;
}

function contentOfFile({ path, mediaType, tag, text, brotli }: PageFile, signIn: PageSignIn | undefined): Content {
  const headers: RawResponse["headers"] = [
    ["Content-Type", mediaType],
    ["Cache-Control", path === "/" ? "no-cache" : "public, max-age=31536000, immutable"],
  ];
  if (path === "/") {
    headers.push(["Content-Security-Policy", policyFor(signIn)], ["Referrer-Policy", "no-referrer"], ["Cross-Origin-Opener-Policy", "same-origin"]);
  }
  return { status: 200, headers, tag, plain: new TextEncoder().encode(text), brotli: Uint8Array.from(atob(brotli), (byte) => byte.charCodeAt(0)) };
}

// The same policy as in native/page/page.cpp.
function policyFor(signIn: PageSignIn | undefined): string {
  const provider = signIn ? ` ${originOf(signIn.authority)}` : "";
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'${provider}; ` +
    `frame-src 'self'${provider}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'`
  );
}

function originOf(authority: string): string {
  const { protocol, origin } = new URL(authority);
  if (protocol !== "https:") throw new TypeError(`portail: the authority is an https URL, not ${authority}`);
  return origin;
}
