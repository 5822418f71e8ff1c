// A portal below a path of its own, as another program's router mounts it: targets come with that path, and what leads back to the
// portal must have it too. The core knows nothing of it.
import { latin1Of, writeLatin1 } from "./latin1.js";
import type { RawRequest, TextRequest, TextResponse } from "./messages.js";
import { problem } from "./problem.js";
import { then, type Answer } from "./store.js";

type Answering = (request: RawRequest | TextRequest) => Answer<TextResponse>;

/** Answers what lies below `base`; elsewhere there is nothing. */
export function below(base: string, answer: Answering): Answering {
  const links = new Links(base);
  return (request) => {
    const target = within(base, request.target);
    if (target === undefined) return problem(404);
    const { method, headers, https, body, signal } = request;
    const { bodyAsText } = request as Partial<TextRequest>;
    const inner = { method, target, headers, https, body, signal, ...(bodyAsText !== undefined && { bodyAsText }) };
    const isBare = !request.target.startsWith(`${base}/`);
    return then(answer(inner), (given) => links.lead(given, isBare));
  };
}

// The rest of the target, which begins with a slash.
function within(base: string, target: string): string | undefined {
  if (!target.startsWith(base)) return undefined;
  const rest = target.slice(base.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : undefined;
}

class Links {
  // As the core writes them. Within a text of JSON no quotation mark stands without a backslash, so these are what they seem.
  readonly #changes: readonly (readonly [from: string, to: string])[];
  constructor(private readonly base: string) {
    this.#changes = [
      ['"lienFichier":"/api/', `"lienFichier":"${base}/api/`],
      ['"servers": [{"url": "/"', `"servers": [{"url": "${base}"`],
    ];
  }

  /** The answer, with what leads to the portal below the base; `isBare`: to a request for the base without a slash at its end. */
  lead(answer: TextResponse, isBare: boolean): TextResponse {
    answer.headers = answer.headers.map(([name, value]) => [name, name === "Location" ? this.#location(value, isBare) : value]);
    const type = answer.headers.find(([name]) => name === "Content-Type")?.[1];
    if (!type?.startsWith("application/json")) return answer;
    const { body } = answer;
    if (typeof body === "string") answer.body = this.#changed(body);
    else if (body instanceof Uint8Array) answer.body = bytesOf(this.#changed(latin1Of(body, 0, body.length)));
    else if (body) answer.body = body.pipeThrough(this.#stream());
    // Of HEAD the body is not known here, nor its length.
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

  #changed(text: string): string {
    return this.#changes.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
  }

  // Piece by piece; what may be the beginning of a link waits for the next piece.
  #stream(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    let kept = "";
    return new TransformStream({
      transform: (piece, controller) => {
        const text = this.#changed(kept + latin1Of(piece, 0, piece.length));
        kept = text.slice(text.length - this.#begun(text));
        if (text.length > kept.length) controller.enqueue(bytesOf(text.slice(0, text.length - kept.length)));
      },
      flush: (controller) => {
        if (kept) controller.enqueue(bytesOf(kept));
      },
    });
  }

  // How many of the last characters may be the beginning of what is changed.
  #begun(text: string): number {
    let longest = 0;
    for (const [from] of this.#changes) {
      for (let size = Math.min(from.length - 1, text.length); size > longest; --size) {
        if (text.endsWith(from.slice(0, size))) longest = size;
      }
    }
    return longest;
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  writeLatin1(text, bytes, 0);
  return bytes;
}
