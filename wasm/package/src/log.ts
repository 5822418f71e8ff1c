// The operator's log: an event and its detail.

export type Log = (event: string, detail: unknown) => void;

/** Wraps `log` to accept any detail, and never to throw. */
export function logTo(log: (event: string, detail: string) => void): Log {
  return (event, detail) => {
    try {
      log(event, textOf(detail));
    } catch {
      // There is no other place to report it.
    }
  };
}

// A store may reject with a value that String() cannot convert.
function textOf(detail: unknown): string {
  try {
    return String(detail);
  } catch {
    return `${typeof detail} without a text`;
  }
}
