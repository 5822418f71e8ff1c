// Loads a value for a part of the page, and retries while the service does not answer.
import { useEffect, useState } from "preact/hooks";
import { NoAnswerError, ServiceError } from "./ask";

export interface Resource<T> {
  value: T | null;
  fault: unknown;
  /** Seconds until the next attempt; null: none is scheduled. */
  wait: number | null;
  retry: () => void;
}

const maxRetryDelay = 30; // seconds

/** Calls `load` at first and whenever `key` changes. `load` may pass partial values to `show` before it returns the complete one. */
export function useResource<T>(key: string, load: (signal: AbortSignal, show: (value: T) => void) => Promise<T>): Resource<T> {
  const [state, setState] = useState<{ value: T | null; fault: unknown; wait: number | null }>({ value: null, fault: null, wait: null });
  const [attempt, setAttempt] = useState({ number: 0, requested: 0 });

  useEffect(() => setState({ value: null, fault: null, wait: null }), [key]);
  useEffect(() => {
    const control = new AbortController();
    const show = (value: T) => {
      if (!control.signal.aborted) setState({ value, fault: null, wait: null });
    };
    load(control.signal, show).then(show, (fault: unknown) => {
      if (control.signal.aborted) return;
      setState(({ value }) => ({ value, fault, wait: retryDelay(fault, attempt.number) }));
    });
    return () => control.abort();
  }, [key, attempt]);
  useEffect(() => {
    if (state.wait === null) return undefined;
    const next = () => setAttempt(({ number, requested }) => ({ number: number + 1, requested }));
    const timer = setTimeout(() => (state.wait! <= 1 ? next() : setState({ ...state, wait: state.wait! - 1 })), 1000);
    addEventListener("online", next);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", next);
    };
  }, [state]);

  return { ...state, retry: () => setAttempt(({ requested }) => ({ number: 0, requested: requested + 1 })) };
}

/** Returns the seconds until the next attempt, after `attempt` earlier ones; null: none. Retry-After decides, if the answer has it. */
export function retryDelay(fault: unknown, attempt: number): number | null {
  if (fault instanceof ServiceError && fault.isTemporary && fault.retryAfter !== null) return Math.max(1, fault.retryAfter);
  if (fault instanceof NoAnswerError || (fault instanceof ServiceError && fault.isTemporary)) return Math.min(2 ** (attempt + 1), maxRetryDelay);
  return null;
}
