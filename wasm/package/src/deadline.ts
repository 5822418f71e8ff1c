// Timers that may be Infinity, which setTimeout treats as 0.

/** Calls `expire` after `milliseconds`. The returned function cancels it. */
export function after(milliseconds: number, expire: () => void): () => void {
  const timer = milliseconds === Infinity ? undefined : setTimeout(expire, milliseconds);
  return () => clearTimeout(timer);
}

/** Resolves when `work` is settled, or after `milliseconds`. */
export function settled(work: PromiseLike<unknown>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = after(milliseconds, resolve);
    const ended = (): void => {
      stop();
      resolve();
    };
    work.then(ended, ended);
  });
}
