// Timers that may be Infinity, which setTimeout treats as 0.

/** Calls `expire` after `milliseconds` without a restart, unless it is stopped. */
export class Timer {
  #timer: ReturnType<typeof setTimeout> | undefined;
  constructor(
    private readonly milliseconds: number,
    private readonly expire: () => void,
  ) {
    this.restart();
  }
  restart(): void {
    this.stop();
    if (this.milliseconds !== Infinity) this.#timer = setTimeout(this.expire, this.milliseconds);
  }
  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Resolves when `work` is settled, or after `milliseconds`. */
export function settled(work: PromiseLike<unknown>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = new Timer(milliseconds, resolve);
    const ended = (): void => {
      timer.stop();
      resolve();
    };
    work.then(ended, ended);
  });
}
