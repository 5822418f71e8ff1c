// Timers of a deadline, which may be Infinity: setTimeout takes that for no time at all.

/** `expire` is called after `milliseconds`, unless what this returns is called before. */
export function after(milliseconds: number, expire: () => void): () => void {
  const timer = milliseconds === Infinity ? undefined : setTimeout(expire, milliseconds);
  return () => clearTimeout(timer);
}

/** Resolves when `work` has ended in whatever way, or after `milliseconds`. */
export function endOf(work: PromiseLike<unknown>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = after(milliseconds, resolve);
    const ended = (): void => {
      stop();
      resolve();
    };
    work.then(ended, ended);
  });
}
