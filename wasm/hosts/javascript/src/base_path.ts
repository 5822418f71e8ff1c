// Mounts the portal at a base path, for a router of another program: the path is removed from targets, and added to links to the
// portal in answers. The core is independent of it.
import { latin1Of, writeLatin1 } from "./latin1.js";
import type { RawRequest, TextRequest, TextResponse } from "./messages.js";
import { problem } from "./problem.js";
import { then, type Answer } from "./store.js";

type AnswerFunction = (request: RawRequest | TextRequest) => Answer<TextResponse>;

/** Returns a function that answers requests below `base`, and 404 to others. */
export function mountAt(base: string, answer: AnswerFunction): AnswerFunction {
  const links = new Links(base);
  return (request) => {
    if (request.target === "*") return answer(request);
    const path = request.target.replace(authority, "");
    const rest = path.slice(base.length);
    if (!path.startsWith(base) || /^[^/?]/.test(rest)) return problem(404);
    const isBare = !rest.startsWith("/");
    const { method, headers, https, body, isBodyConsumed, signal, bodyAsText } = request as RawRequest & Partial<TextRequest>;
    const target = isBare ? `/${rest}` : rest;
    const inner = { method, target, headers, https, body, isBodyConsumed, signal, ...(bodyAsText !== undefined && { bodyAsText }) };
    return then(answer(inner), (response) => links.rewrite(response, isBare));
  };
}

/** The scheme and authority of a target in absolute-form (RFC 9112 section 3.2.2). */
export const authority = /^https?:\/\/[^/?]*/i;

class Links {
  // The spelling of the core. JSON strings contain no unescaped quotation marks, so these match only members.
  readonly #replacements: readonly (readonly [from: string, to: string])[];
  constructor(private readonly base: string) {
    this.#replacements = [
      ['"lienFichier":"/api/', `"lienFichier":"${base}/api/`],
      ['"servers": [{"url": "/"', `"servers": [{"url": "${base}"`],
    ];
  }

  /** Adds the base to the links of the answer. `isBare`: the request was for the base without a trailing slash. */
  rewrite(answer: TextResponse, isBare: boolean): TextResponse {
    answer.headers = answer.headers.map(([name, value]) => [name, name === "Location" ? this.#location(value, isBare) : value]);
    const type = answer.headers.find(([name]) => name === "Content-Type")?.[1];
    if (!type?.startsWith("application/json")) return answer;
    const { body } = answer;
    if (typeof body === "string") answer.body = this.#replaceAll(body);
    else if (body instanceof Uint8Array) answer.body = bytesOf(this.#replaceAll(latin1Of(body, 0, body.length)));
    else if (body) answer.body = body.pipeThrough(this.#stream());
    // The body of an answer to HEAD is absent, so its length is unknown.
    answer.headers = answer.headers.flatMap(([name, value]): typeof answer.headers => {
      if (name !== "Content-Length") return [[name, value]];
      return typeof answer.body === "string" || answer.body instanceof Uint8Array ? [[name, `${answer.body.length}`]] : [];
    });
    return answer;
  }

  #location(value: string, isBare: boolean): string {
    if (value.startsWith("/")) return this.base + value;
    return isBare ? `${this.base}/${value}` : value;
  }

  #replaceAll(text: string): string {
    return this.#replacements.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
  }

  // Converts each piece. A possible beginning of a link at its end is kept for the next piece.
  #stream(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    let pending = "";
    return new TransformStream({
      transform: (piece, controller) => {
        const text = this.#replaceAll(pending + latin1Of(piece, 0, piece.length));
        pending = text.slice(text.length - this.#partialLength(text));
        if (text.length > pending.length) controller.enqueue(bytesOf(text.slice(0, text.length - pending.length)));
      },
      flush: (controller) => {
        if (pending) controller.enqueue(bytesOf(pending));
      },
    });
  }

  // Returns the length of the longest suffix that may be the beginning of a link.
  #partialLength(text: string): number {
    let max = 0;
    for (const [from] of this.#replacements) {
      for (let size = Math.min(from.length - 1, text.length); size > max; --size) {
        if (text.endsWith(from.slice(0, size))) max = size;
      }
    }
    return max;
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  writeLatin1(text, bytes, 0);
  return bytes;
}
