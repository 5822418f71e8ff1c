// Sends requests to the portal's interface with the session's token.
import { language } from "../preferences";
import { endSession, renewToken, session } from "../session";
import { wholeValue } from "./json";

/** An answer with a status other than 2xx, and the service's message. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: string | null,
    /** Retry-After in seconds, or null. */
    readonly retryAfter: number | null,
  ) {
    super(message);
  }

  /** Whether a retry may succeed. */
  get isTemporary(): boolean {
    return [429, 502, 503, 504].includes(this.status);
  }
}

/** The request failed without an answer: network error, timeout or CORS. */
export class NoAnswerError extends Error {}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** Returns a 2xx response to `path`, relative to the page's address. Throws ServiceError for other statuses, or NoAnswerError. */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  let response = await send(path, options);
  if (response.status === 401 && (await renewToken())) response = await send(path, options);
  if (response.ok) return response;
  const error = await errorOf(response);
  if (response.status === 401) endSession(error.message, reasonOf(response.headers.get("WWW-Authenticate")));
  throw error;
}

export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return wholeValue<T>(await request(path, options));
}

async function send(path: string, { headers, ...options }: RequestOptions): Promise<Response> {
  const token = session.peek()?.token;
  try {
    return await fetch(new URL(path, document.baseURI), {
      ...options,
      headers: { "Accept-Language": language.peek(), ...(token && { Authorization: `Bearer ${token}` }), ...headers },
      credentials: "omit",
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new NoAnswerError();
  }
}

/** Returns the error_description of a challenge (RFC 6750, section 3), or null. */
export function reasonOf(challenge: string | null): string | null {
  return /\berror_description="([^"]*)"/.exec(challenge ?? "")?.[1] ?? null;
}

async function errorOf(response: Response): Promise<ServiceError> {
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const body = (await response.json().catch(() => null)) as { error?: { message?: string; details?: string | null } } | null;
  const message = body?.error?.message ?? `${response.status} ${response.statusText}`.trim();
  return new ServiceError(response.status, message, body?.error?.details ?? null, Number.isNaN(seconds) ? null : seconds);
}
