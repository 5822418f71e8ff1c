export class PortailError extends Error {
  constructor(answer, body) {
    super(body?.error?.message ?? answer.statusText);
    this.status = answer.status;
    this.members = (body?.error?.validationErrors ?? []).flatMap((fault) => fault.members);
    this.correlationId = answer.headers.get("X-Correlation-Id");
  }
}

const seconds = (count) => new Promise((resolve) => setTimeout(resolve, 1000 * count));

/** `token` gives the current token; `call` gives { body, tag }, or throws a PortailError. */
export function createClient(base, token, attempts = 4) {
  const cache = new Map(); // target → { body, tag }

  return async function call(target, { method = "GET", body, tag } = {}) {
    const cached = method === "GET" ? cache.get(target) : undefined;
    const headers = { Authorization: `Bearer ${await token()}` };
    if (cached) headers["If-None-Match"] = cached.tag;
    if (tag) headers["If-Match"] = tag;
    if (body) headers["Content-Type"] = "application/json";

    for (let attempt = 1; ; attempt += 1) {
      const answer = await fetch(base + target, {
        method, headers, body: body && JSON.stringify(body), cache: "no-store", signal: AbortSignal.timeout(60_000),
      });
      if (answer.status === 304) return cached;
      if (answer.ok) {
        const read = { body: await answer.json(), tag: answer.headers.get("ETag") };
        if (!answer.headers.get("Cache-Control")?.includes("no-store")) cache.set(target, read);
        return read;
      }
      if ((answer.status === 429 || answer.status === 503) && attempt < attempts) {
        await seconds(Number(answer.headers.get("Retry-After") ?? 1));
        continue;
      }
      throw new PortailError(answer, await answer.json().catch(() => undefined));
    }
  };
}

/** All mail objects, page by page. */
export async function* mailObjects(call, pageSize = 100) {
  for (let skip = 0; ; skip += pageSize) {
    const { body } = await call(`/api/app/objet-courrier?SkipCount=${skip}&MaxResultCount=${pageSize}`);
    yield* body.items;
    if (skip + pageSize >= body.totalCount) return;
  }
}
