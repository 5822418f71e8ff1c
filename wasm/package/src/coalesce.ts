// Coalesces reads of a store: while one is in flight, all callers that arrive wait for the next one and share it. Each caller gets
// the result of a read that began after its call, and the cost of a read for each caller decreases with the load.

interface InFlight<T> {
  current: Promise<T>;
  next?: Promise<T>; // shared by all callers since `current` began
}

/** Returns a function that calls `read` at most once at a time for each name. */
export function coalesce<T>(read: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const reads = new Map<string, InFlight<T>>();

  const start = (name: string): Promise<T> => {
    const entry: InFlight<T> = { current: read(name) };
    reads.set(name, entry);
    const done = () => void (entry.next || reads.delete(name));
    entry.current.then(done, done);
    return entry.current;
  };

  return (name) => {
    const entry = reads.get(name);
    if (!entry) return start(name);
    const startNext = () => start(name);
    return (entry.next ??= entry.current.then(startNext, startNext));
  };
}
