// Limits the time and the memory of answers that clients do not read, so that such clients do not affect others.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const stallTimeout = 30_000; // milliseconds without progress
const answerTimeout = 300_000; // milliseconds for a whole answer

interface ClientUsage {
  bytes: number;
  answers: ServerResponse[]; // in the order of their beginning
}

export class UnsentAnswers {
  readonly #answers = new Set<ServerResponse>();
  readonly #maxBytes: number;

  /** `maxBytes`: maximum of the unread bytes of all answers together. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Limits the answer until it has ended. */
  watch(answer: ServerResponse): void {
    // A pipelined answer has no socket yet, and would not emit "close" at the end of the connection.
    const { socket } = answer.req;
    if (answer.destroyed || socket.destroyed) return;
    const timer = setTimeout(() => socket.destroy(), answerTimeout);
    timer.unref?.(); // Deno's timers are numbers
    const ended = (): void => {
      clearTimeout(timer);
      answer.off("close", ended);
      socket.off("close", ended);
      this.#answers.delete(answer);
    };
    this.#answers.add(answer);
    answer.setTimeout(stallTimeout, () => socket.destroy());
    answer.once("close", ended);
    socket.setMaxListeners(0).once("close", ended); // one for each pipelined request
  }

  /** Called when unread bytes are added. If they exceed the maximum, closes connections until a quarter of it is free. */
  limit(): void {
    let bytes = 0;
    const clients = new Map<string | undefined, ClientUsage>();
    for (const answer of this.#answers) {
      const address = answer.req.socket.remoteAddress;
      const client = clients.get(address) ?? { bytes: 0, answers: [] };
      client.bytes += answer.writableLength;
      client.answers.push(answer);
      clients.set(address, client);
      bytes += answer.writableLength;
    }
    if (bytes <= this.#maxBytes) return;
    while (bytes > (this.#maxBytes / 4) * 3) bytes -= this.#breakOff(largestOf(clients.values()));
  }

  // Closes the client's oldest connection. Returns the number of bytes of its answers.
  #breakOff(client: ClientUsage): number {
    const socket: Socket = client.answers[0]!.req.socket;
    const answers = client.answers.filter((answer) => answer.req.socket === socket);
    const bytes = answers.reduce((sum, answer) => sum + answer.writableLength, 0);
    client.answers = client.answers.filter((answer) => answer.req.socket !== socket);
    client.bytes -= bytes;
    for (const answer of answers) this.#answers.delete(answer);
    socket.destroy();
    return bytes;
  }
}

function largestOf(clients: Iterable<ClientUsage>): ClientUsage {
  let largest: ClientUsage | undefined;
  for (const client of clients) if (!largest || client.bytes > largest.bytes) largest = client;
  return largest!;
}
