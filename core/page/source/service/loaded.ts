// What is loaded for a part of the page, and asked for again as long as the service is away.
import { useEffect, useState } from "preact/hooks";
import { Away, Refusal } from "./ask";

export interface Loaded<T> {
  value: T | null;
  fault: unknown;
  /** Seconds until it is asked for again; null: it is not. */
  wait: number | null;
  again: () => void;
}

const longestWait = 30;

/** `load` is called anew whenever `key` changes; what it was given to say so far counts until it ends. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal, show: (value: T) => void) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; fault: unknown; wait: number | null }>({ value: null, fault: null, wait: null });
  const [attempt, setAttempt] = useState({ number: 0, asked: 0 });

  useEffect(() => setState({ value: null, fault: null, wait: null }), [key]);
  useEffect(() => {
    const control = new AbortController();
    const show = (value: T) => {
      if (!control.signal.aborted) setState({ value, fault: null, wait: null });
    };
    load(control.signal, show).then(show, (fault: unknown) => {
      if (control.signal.aborted) return;
      setState(({ value }) => ({ value, fault, wait: waitAfter(fault, attempt.number) }));
    });
    return () => control.abort();
  }, [key, attempt]);
  useEffect(() => {
    if (state.wait === null) return undefined;
    const next = () => setAttempt(({ number, asked }) => ({ number: number + 1, asked }));
    const timer = setTimeout(() => (state.wait! <= 1 ? next() : setState({ ...state, wait: state.wait! - 1 })), 1000);
    addEventListener("online", next);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", next);
    };
  }, [state]);

  return { ...state, again: () => setAttempt(({ asked }) => ({ number: 0, asked: asked + 1 })) };
}

function waitAfter(fault: unknown, attempt: number): number | null {
  if (fault instanceof Refusal && fault.passes && fault.retryAfter !== null) return Math.max(1, fault.retryAfter);
  if (fault instanceof Away || (fault instanceof Refusal && fault.passes)) return Math.min(2 ** (attempt + 1), longestWait);
  return null;
}
