// The operator's log, an event and its detail, and the access log, lines of JSON.

export type Log = (event: string, detail: unknown) => void;

/** Combines both logs into one, which accepts any detail, and never throws. */
export function logTo(log: (event: string, detail: string) => void, accessLog: (line: string) => void): Log {
  return (event, detail) => {
    try {
      if (event === "access") accessLog(textOf(detail));
      else log(event, textOf(detail));
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
