// The time, for the module. An import of it cannot be refused, a request can: `tick` is asked before each, and what the
// module is told then holds until it returns.
import type { Log } from "./log.js";

const latest = 8.64e15; // milliseconds: what a Date can hold

export class Clock {
  #time = 0n;
  #current = false;

  constructor(
    private readonly now: () => number,
    private readonly log: Log,
  ) {}

  /** Whether there is a time now; where not, the log says why. */
  tick(): boolean {
    try {
      const now: unknown = this.now();
      if (typeof now !== "number" || !(Math.abs(now) <= latest)) throw new TypeError("now gives no milliseconds");
      this.#time = BigInt(Math.round(now * 1000));
      this.#current = true;
      return true;
    } catch (error) {
      this.log("now", error);
      return false;
    }
  }
  /** Microseconds since 1970; where there is no time now, the last one that there was. */
  read(): bigint {
    if (!this.#current) this.tick();
    return this.#time;
  }
  /** The module has returned: it is another time when it is called again. */
  pass(): void {
    this.#current = false;
  }
}
