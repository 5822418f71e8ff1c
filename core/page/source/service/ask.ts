// Sends requests to the portal's interface, as the user who is signed in.
import { language } from "../preferences";
import { endSession, renewed, session } from "../session";
import { wholeValue } from "./json";

/** The service refused, in its own words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: string | null,
    /** Seconds after which to ask again, where the service said so. */
    readonly retryAfter: number | null,
  ) {
    super(message);
  }

  /** Whether the same question may be answered a little later. */
  get passes(): boolean {
    return [429, 502, 503, 504].includes(this.status);
  }
}

/** No answer came. */
export class Away extends Error {}

export interface Question {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** A 2xx answer to a path below the portal's own address. A Refusal for every other one; Away without one. */
export async function ask(path: string, question: Question = {}): Promise<Response> {
  let answer = await send(path, question);
  if (answer.status === 401 && (await renewed())) answer = await send(path, question);
  if (answer.ok) return answer;
  const refusal = await refusalOf(answer);
  if (answer.status === 401) endSession(refusal.message);
  throw refusal;
}

export async function askJson<T>(path: string, question: Question = {}): Promise<T> {
  return wholeValue<T>(await ask(path, question));
}

async function send(path: string, { headers, ...question }: Question): Promise<Response> {
  const token = session.peek()?.token;
  try {
    return await fetch(new URL(path, document.baseURI), {
      ...question,
      headers: { "Accept-Language": language.peek(), ...(token && { Authorization: `Bearer ${token}` }), ...headers },
      credentials: "omit",
    });
  } catch (error) {
    if (question.signal?.aborted) throw error;
    throw new Away();
  }
}

async function refusalOf(answer: Response): Promise<Refusal> {
  const seconds = Number.parseInt(answer.headers.get("Retry-After") ?? "", 10);
  const body = (await answer.json().catch(() => null)) as { error?: { message?: string; details?: string | null } } | null;
  const message = body?.error?.message ?? `${answer.status} ${answer.statusText}`.trim();
  return new Refusal(answer.status, message, body?.error?.details ?? null, Number.isNaN(seconds) ? null : seconds);
}
