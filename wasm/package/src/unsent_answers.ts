// What clients leave unread of their answers, bounded in time and in memory: nobody else pays for a client that asks for
// much and takes nothing.
import type { ServerResponse } from "node:http";

const longestStall = 30_000; // milliseconds in which a client takes nothing
const longestAnswer = 300_000; // milliseconds of a whole answer, however steadily it is taken

export class UnsentAnswers {
  // In the order in which they began.
  readonly #answers = new Set<ServerResponse>();
  readonly #most: number;

  /** `most`: bytes that all answers together may hold. */
  constructor(most: number) {
    this.#most = most;
  }

  /** From now on until it has ended. */
  watch(answer: ServerResponse): void {
    if (answer.destroyed) return;
    const end = setTimeout(() => answer.destroy(), longestAnswer);
    end.unref?.(); // Deno's timers are numbers
    this.#answers.add(answer);
    answer.setTimeout(longestStall, () => answer.destroy());
    answer.once("close", () => {
      clearTimeout(end);
      this.#answers.delete(answer);
    });
  }

  /** More of an answer waits for its client: where that is too much, answers are broken off until a quarter is free again. */
  limit(): void {
    if (held(this.#answers) <= this.#most) return;
    while (held(this.#answers) > (this.#most / 4) * 3) this.#next()?.destroy();
  }

  // Of the address whose answers hold the most, the one that began first; it counts no more.
  #next(): ServerResponse | undefined {
    const byAddress = new Map<string | undefined, ServerResponse[]>();
    for (const answer of this.#answers) {
      const address = answer.socket?.remoteAddress;
      byAddress.set(address, [...(byAddress.get(address) ?? []), answer]);
    }
    let greediest: ServerResponse[] = [];
    for (const answers of byAddress.values()) if (held(answers) > held(greediest)) greediest = answers;
    const [first] = greediest;
    if (first) this.#answers.delete(first);
    return first;
  }
}

function held(answers: Iterable<ServerResponse>): number {
  let bytes = 0;
  for (const answer of answers) bytes += answer.writableLength;
  return bytes;
}
