// The clock of the module. An import cannot fail, but a request can be refused: `update` reads the time before each request, and the
// import returns that time until the module returns, or changes the store: in a synchronous store an import makes all its changes before the
// module returns, and renews its lock.
import type { Log } from "./log.js";

const maxMilliseconds = 8.64e15; // the maximum of a Date

export class Clock {
  #time = 0n;
  #current = false;

  constructor(
    private readonly now: () => number,
    private readonly log: Log,
  ) {}

  /** Reads the time. Returns false, and logs the reason, if the host's function fails. */
  update(): boolean {
    try {
      const now: unknown = this.now();
      if (typeof now !== "number" || !(Math.abs(now) <= maxMilliseconds)) throw new TypeError("now gives no milliseconds");
      this.#time = BigInt(Math.round(now * 1000));
      this.#current = true;
      return true;
    } catch (error) {
      this.log("now", error);
      return false;
    }
  }
  /** Returns the microseconds since 1970; if the host's function fails, the last time. */
  read(): bigint {
    if (!this.#current) this.update();
    return this.#time;
  }
  /** The next call reads the time again. */
  invalidate(): void {
    this.#current = false;
  }
}
