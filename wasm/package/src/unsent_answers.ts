// What clients leave unread of their answers, bounded in time and in memory: other clients do not pay for one that asks
// for much and takes nothing.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const longestStall = 30_000; // milliseconds in which a client takes nothing
const longestAnswer = 300_000; // milliseconds of a whole answer, however steadily it is taken

interface Customer {
  bytes: number;
  answers: ServerResponse[]; // in the order in which they began
}

export class UnsentAnswers {
  readonly #answers = new Set<ServerResponse>();
  readonly #most: number;

  /** `most`: bytes that all answers together may hold. */
  constructor(most: number) {
    this.#most = most;
  }

  /** From now on until it has ended. */
  watch(answer: ServerResponse): void {
    // An answer behind another one has no socket of its own yet, and would not hear of the connection's end.
    const { socket } = answer.req;
    if (answer.destroyed || socket.destroyed) return;
    const end = setTimeout(() => socket.destroy(), longestAnswer);
    end.unref?.(); // Deno's timers are numbers
    const ended = (): void => {
      clearTimeout(end);
      answer.off("close", ended);
      socket.off("close", ended);
      this.#answers.delete(answer);
    };
    this.#answers.add(answer);
    answer.setTimeout(longestStall, () => socket.destroy());
    answer.once("close", ended);
    socket.setMaxListeners(0).once("close", ended); // as many as requests were sent ahead
  }

  /** More of an answer waits for its client: where that is too much, connections are broken off until a quarter is free. */
  limit(): void {
    let bytes = 0;
    const customers = new Map<string | undefined, Customer>();
    for (const answer of this.#answers) {
      const address = answer.req.socket.remoteAddress;
      const customer = customers.get(address) ?? { bytes: 0, answers: [] };
      customer.bytes += answer.writableLength;
      customer.answers.push(answer);
      customers.set(address, customer);
      bytes += answer.writableLength;
    }
    if (bytes <= this.#most) return;
    while (bytes > (this.#most / 4) * 3) bytes -= this.#breakOff(greediest(customers.values()));
  }

  // Its connection that has waited longest; the bytes that its answers held.
  #breakOff(customer: Customer): number {
    const socket: Socket = customer.answers[0]!.req.socket;
    const answers = customer.answers.filter((answer) => answer.req.socket === socket);
    const bytes = answers.reduce((sum, answer) => sum + answer.writableLength, 0);
    customer.answers = customer.answers.filter((answer) => answer.req.socket !== socket);
    customer.bytes -= bytes;
    for (const answer of answers) this.#answers.delete(answer);
    socket.destroy();
    return bytes;
  }
}

function greediest(customers: Iterable<Customer>): Customer {
  let most: Customer | undefined;
  for (const customer of customers) if (!most || customer.bytes > most.bytes) most = customer;
  return most!;
}
