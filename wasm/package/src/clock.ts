// The time, for the module. An import of it cannot be refused, a request can: `tick` is asked before each.
import type { Log } from "./log.js";

const latest = 8.64e15; // milliseconds: what a Date can hold

export class Clock {
  #time = 0n;

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
      return true;
    } catch (error) {
      this.log("now", error);
      return false;
    }
  }
  /** Microseconds since 1970; where there is no time now, the last one that there was. */
  read(): bigint {
    this.tick();
    return this.#time;
  }
}
