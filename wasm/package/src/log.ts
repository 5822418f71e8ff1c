// What an operator is told: an event, and what is known of it.

export type Log = (event: string, detail: unknown) => void;

/** `log` with any detail; it never throws. */
export function logTo(log: (event: string, detail: string) => void): Log {
  return (event, detail) => {
    try {
      log(event, textOf(detail));
    } catch {
      // There is no other place to report it.
    }
  };
}

// A store may reject with something that has no text.
function textOf(detail: unknown): string {
  try {
    return String(detail);
  } catch {
    return `${typeof detail} without a text`;
  }
}
