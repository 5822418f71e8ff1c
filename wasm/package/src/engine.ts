// Takes requests through the module, from the head to the last piece of the answer's body.
import { Flag, State } from "./abi.js";
import { Clock } from "./clock.js";
import { after } from "./deadline.js";
import { Guest, type Surroundings } from "./guest.js";
import { logTo } from "./log.js";
import { headOf, isTextRequest } from "./messages.js";
import type { Chunks, Head, RawRequest, Signal, TextRequest, TextResponse } from "./messages.js";
import { Operations } from "./operations.js";
import { checkOptions, type PortailOptions } from "./options.js";
import { problem } from "./problem.js";
import { encodeSettings, type Declared, type Environment } from "./settings.js";
import { viewOf, type Answer } from "./store.js";

const longestPiece = 64 * 1024; // of a request's body, at once: the module's memory grows, and does not shrink

// Answers that are sent piece by piece at a time: until its last piece, each holds in the module all values that it is made of.
const maxStreams = 8;
const minStall = 5_000; // milliseconds without a request for the next piece, before another answer may take its room

interface Stream {
  waitsSince: number; // for its reader; Infinity while a piece is made
  isOver: () => boolean; // however it ended: its signal and a trap do not tell it
  end: () => void;
}

// Bodies that are no longer referenced, and were neither read to the end nor cancelled. Not every platform has a
// registry.
const forgotten = globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((end) => end());

export class Engine {
  #guest: Promise<Guest> | undefined;
  #started: Guest | undefined; // what the promise gave
  #disposed = false;
  #flags: number;
  #deadline: number;
  #settings: Uint8Array;
  #surroundings: Surroundings; // of every instance that there will be
  #streams = new Set<Stream>();

  constructor(
    private readonly module: WebAssembly.Module,
    options: PortailOptions<Declared | Environment>,
  ) {
    checkOptions(options);
    this.#flags = options.trustForwarding ? Flag.forwardingTrusted : 0;
    this.#deadline = options.deadline ?? 30_000;
    this.#settings = encodeSettings(options.settings);
    const log = logTo(options.log ?? ((event, detail) => console.warn(`portail: ${event}: ${detail}`)));
    const clock = new Clock(options.now ?? Date.now, log);
    this.#surroundings = { operations: new Operations(options.store, this.#deadline), clock, log };
  }

  async start(): Promise<void> {
    await this.#current();
  }
  drain(): void {
    this.#flags |= Flag.draining;
  }
  dispose(): void {
    this.#disposed = true;
    this.#guest?.then(
      (guest) => guest.dispose(),
      () => {},
    );
    this.#guest = this.#started = undefined;
  }

  /** At once where the module is free and the store answers at once: it throws then what the promise would reject with. */
  readonly answer = (request: RawRequest | TextRequest): Answer<TextResponse> => {
    const head = headOf(request, this.#flags);
    const guest = this.#started;
    return guest?.isFree ? this.#ask(guest, head, request) : this.#askLater(head, request);
  };

  async #askLater(head: Head, request: RawRequest | TextRequest): Promise<TextResponse> {
    const guest = await this.#current().catch((error) => {
      if (this.#disposed) throw error;
      this.#surroundings.log("module", error);
    });
    if (guest) return this.#ask(guest, head, request);
    request.signal?.throwIfAborted();
    return problem(503);
  }

  // A module that trapped is of no use any more. Who sees it first has another one made, for all.
  async #current(): Promise<Guest> {
    if (this.#disposed) throw new Error("portail: it was disposed of");
    const making = (this.#guest ??= this.#make());
    const guest = await making;
    if (!guest.ended) {
      if (this.#guest === making) this.#started = guest;
      return guest;
    }
    if (this.#guest === making) {
      this.#guest = undefined;
      this.#surroundings.log("module", guest.ended);
    }
    return this.#current();
  }
  // One that could not be made is not kept: the next request tries again.
  #make(): Promise<Guest> {
    const making = Guest.start(this.module, this.#settings, this.#surroundings);
    making.catch(() => (this.#guest = undefined));
    return making;
  }

  #ask(guest: Guest, head: Head, request: RawRequest | TextRequest): Answer<TextResponse> {
    const { signal } = request;
    signal?.throwIfAborted(); // before, or while the module was waited for
    if (!this.#surroundings.clock.tick()) return problem(500);
    try {
      const id = guest.begin(head);
      if (id === 0) return problem(503); // it takes no more requests now
      if (guest.state(id) !== State.answered) return this.#wait(guest, id, request);
      if (!signal?.aborted) return this.#begun(guest, id, request);
      guest.end(id);
      throw signal.reason; // aborted by the store, whose functions were called
    } catch (error) {
      return this.#afterTrap(guest, error);
    }
  }

  #afterTrap(guest: Guest, error: unknown): TextResponse {
    if (this.#disposed || !guest.ended) throw error; // it is none
    return problem(500);
  }

  // For the store, and for the body.
  async #wait(guest: Guest, id: number, request: RawRequest | TextRequest): Promise<TextResponse> {
    const { body, signal } = request;
    const end = hold(guest, id, signal);
    try {
      signal?.throwIfAborted(); // by the store, whose functions were called
      await this.#within(guest, id, async () => {
        await this.#progress(guest, id);
        if (guest.state(id) === State.wantsBody && body) await this.#giveBody(guest, id, body);
      });
      signal?.throwIfAborted();
      return this.#begun(guest, id, request, end);
    } catch (error) {
      end();
      return this.#afterTrap(guest, error);
    }
  }

  // The answer, whose head is there. `end`: the request is held already.
  #begun(guest: Guest, id: number, request: RawRequest | TextRequest, end?: () => void): TextResponse {
    const { signal } = request;
    const { answer, whole } = guest.answer(id, isTextRequest(request) && request.bodyAsText);
    if (!whole && this.#hasRoom()) {
      answer.body = this.#stream(guest, id, end ?? hold(guest, id, signal), signal);
      return answer;
    }
    if (end) end();
    else guest.end(id);
    return whole ? answer : problem(503);
  }

  // Until the request waits no more for its store.
  async #progress(guest: Guest, id: number): Promise<void> {
    while (guest.state(id) === State.waiting) await guest.progress(id);
  }

  // `work`, and after the deadline the request expires, which lets `work` go on.
  async #within(guest: Guest, id: number, work: () => Promise<void>): Promise<void> {
    const state = guest.state(id);
    if (state !== State.waiting && state !== State.wantsBody) return;
    const stop = after(this.#deadline, () => guest.expire(id));
    try {
      await work();
    } finally {
      stop();
    }
  }

  async #giveBody(guest: Guest, id: number, body: Chunks): Promise<void> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      while (guest.state(id) === State.wantsBody) {
        // null where the body breaks off, undefined where the request was given up before.
        const read = await Promise.race([pieces.next().catch(() => null), guest.progress(id)]);
        if (read === null) guest.loseBody(id);
        else if (read?.done) guest.giveBody(id, new Uint8Array());
        else if (read) await this.#givePiece(guest, id, read.value);
        await this.#progress(guest, id);
      }
    } finally {
      pieces.return?.()?.catch(() => {});
    }
  }
  async #givePiece(guest: Guest, id: number, piece: unknown): Promise<void> {
    const bytes = viewOf(piece);
    if (!bytes) throw new TypeError(`portail: a piece of a body is a Uint8Array, not ${typeof piece}`);
    for (let at = 0; at < bytes.length && guest.state(id) === State.wantsBody; at += longestPiece) {
      guest.giveBody(id, bytes.subarray(at, at + longestPiece));
      await this.#progress(guest, id);
    }
  }

  // Whether one more answer may be sent piece by piece. If there are as many as may be, the one whose reader has asked for
  // nothing for longest is cut off, or if none of them stalls, the new one is refused.
  #hasRoom(): boolean {
    if (this.#streams.size < maxStreams) return true;
    let oldest: Stream | undefined;
    for (const stream of this.#streams) {
      if (stream.isOver()) this.#streams.delete(stream);
      else if (!oldest || stream.waitsSince < oldest.waitsSince) oldest = stream;
    }
    if (!oldest || this.#streams.size < maxStreams) return true;
    if (performance.now() - oldest.waitsSince < minStall) return false;
    oldest.end();
    return true;
  }

  // `next` was called once already. `end` knows nothing of the stream, so that the stream can be forgotten.
  #stream(guest: Guest, id: number, ended: () => void, signal?: Signal): ReadableStream<Uint8Array<ArrayBuffer>> {
    const streams = this.#streams;
    const waiting: Stream = {
      waitsSince: performance.now(),
      isOver: () => guest.ended !== undefined || guest.state(id) === State.unknown,
      end: () => {
        streams.delete(waiting);
        ended();
      },
    };
    const { end } = waiting;
    streams.add(waiting);
    let begun = false;
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          signal?.throwIfAborted();
          if (!streams.has(waiting)) throw new Error("portail: the answer was cut off, because its client took nothing of it");
          waiting.waitsSince = Infinity;
          if (begun) guest.next(id);
          begun = true;
          await this.#within(guest, id, () => this.#progress(guest, id));
          const state = guest.state(id);
          if (state === State.piece) {
            waiting.waitsSince = performance.now();
            return controller.enqueue(guest.data(id));
          }
          end();
          if (state === State.end) controller.close();
          else controller.error(new Error("portail: the store failed before the answer was complete"));
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
    forgotten?.register(stream, end);
    return stream;
  }
}

// A request that waits, or whose answer is being read: it ends when its signal is aborted, or by what this returns.
function hold(guest: Guest, id: number, signal?: Signal): () => void {
  let ended = false;
  const end = (): void => {
    if (ended) return; // and the number may be another request's
    ended = true;
    signal?.removeEventListener("abort", abort);
    guest.end(id);
  };
  const abort = (): void => {
    guest.fail(id, signal!.reason);
    end();
  };
  signal?.addEventListener("abort", abort);
  return end;
}
