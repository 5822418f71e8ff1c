// Runs requests in the module, from the head to the last piece of the answer's body.
import { Flag, State } from "./abi.js";
import { Clock } from "./clock.js";
import { Timer } from "./deadline.js";
import { Guest, type Services } from "./guest.js";
import { isFolder } from "./host_folder.js";
import { logTo, type Log } from "./log.js";
import { headOf, isTextRequest } from "./messages.js";
import type { Chunks, Head, RawRequest, Signal, TextRequest, TextResponse } from "./messages.js";
import { Operations } from "./operations.js";
import { checkOptions, type UncheckedOptions } from "./options.js";
import { problem } from "./problem.js";
import { encodeSettings } from "./settings.js";
import { viewOf, type Answer } from "./store.js";

const bodyConsumed = "The program read the body before the portal, as express.json() does: mount the portal before it";

const maxPieceSize = 64 * 1024; // bytes of a request's body in one call: the module's memory grows, and does not shrink

// Maximum number of concurrent answers in pieces. Until its last piece, each keeps all its values in the module's memory.
const maxStreams = 8;
const minStallMilliseconds = 5_000; // without a read of the next piece, before another answer may replace this one

interface Stream {
  idleSince: number; // performance.now() of the last read; Infinity while a piece is produced
  hasEnded: () => boolean; // in any way: abort signals and traps do not notify the stream
  end: () => void;
}

// Ends requests whose body is no longer referenced, and was neither read to the end nor cancelled. Not every platform has a
// FinalizationRegistry.
const abandonedStreams = globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((end) => end());

export class Engine {
  #guest: Promise<Guest> | undefined;
  #started: Guest | undefined; // the resolved value of the promise
  #disposed = false;
  #flags: number;
  #deadline: number;
  #settings: Uint8Array;
  #services: Services; // of all instances
  #streams = new Set<Stream>();

  constructor(
    private readonly module: WebAssembly.Module,
    options: UncheckedOptions,
    private readonly isManagement: boolean, // a request has thousands of operations, each of which has the deadline
  ) {
    checkOptions(options, isManagement);
    this.#flags = options.trustForwarding ? Flag.forwardingTrusted : 0;
    this.#deadline = options.deadline ?? 30_000;
    this.#settings = encodeSettings(options.settings);
    const log = logTo(
      options.log ?? ((event, detail) => console.warn(`portail: ${event}: ${detail}`)),
      options.accessLog ?? ((line) => console.error(line)),
    );
    const clock = new Clock(options.now ?? Date.now, log);
    const { store, fetch = globalThis.fetch?.bind(globalThis) } = options;
    this.#services = { store: isFolder(store) ? store : new Operations(store, this.#deadline), clock, log, fetch };
  }

  get log(): Log {
    return this.#services.log;
  }
  async start(): Promise<void> {
    await this.#current();
  }
  drain(): void {
    this.#flags |= Flag.draining;
  }
  async idle(): Promise<void> {
    await this.#started?.idle();
  }
  dispose(): void {
    this.#disposed = true;
    this.#guest?.then(
      (guest) => guest.dispose(),
      () => {},
    );
    this.#guest = this.#started = undefined;
  }

  /** Answers a request. If the module is idle and the store is synchronous, returns the answer itself, and throws instead of rejecting. */
  readonly answer = (request: RawRequest | TextRequest): Answer<TextResponse> => {
    const head = headOf(request, this.#flags);
    const guest = this.#started;
    return guest?.isIdle ? this.#beginRequest(guest, head, request) : this.#beginLater(head, request);
  };

  async #beginLater(head: Head, request: RawRequest | TextRequest): Promise<TextResponse> {
    const guest = await this.#current().catch((error) => {
      this.#services.log("module", error);
      if (this.#disposed) throw error;
    });
    if (guest) return this.#beginRequest(guest, head, request);
    request.signal?.throwIfAborted();
    return problem(503);
  }

  // Returns the instance. If the last one has trapped, the first caller starts a new one, which all share.
  async #current(): Promise<Guest> {
    if (this.#disposed) throw new Error("portail: it is disposed");
    const starting = (this.#guest ??= this.#startGuest());
    const guest = await starting;
    if (!guest.ended) {
      if (this.#guest === starting) this.#started = guest;
      return guest;
    }
    if (this.#guest === starting) this.#guest = undefined;
    return this.#current();
  }
  // If the start fails, the next request retries.
  #startGuest(): Promise<Guest> {
    const starting = Guest.start(this.module, this.#settings, this.#services);
    starting.catch(() => (this.#guest = undefined));
    return starting;
  }

  #beginRequest(guest: Guest, head: Head, request: RawRequest | TextRequest): Answer<TextResponse> {
    const { signal } = request;
    signal?.throwIfAborted(); // before the request, or while the module started
    if (!this.#services.clock.update()) return problem(500);
    try {
      const id = guest.begin(head);
      if (id === 0) return problem(503); // the module logs that its memory is full
      if (guest.state(id) !== State.answered) return this.#awaitAnswer(guest, id, request);
      if (!signal?.aborted) return this.#respond(guest, id, request);
      guest.end(id);
      throw signal.reason; // aborted by a function of the store
    } catch (error) {
      return this.#afterTrap(guest, error);
    }
  }

  #afterTrap(guest: Guest, error: unknown): TextResponse {
    if (this.#disposed || !guest.ended) throw error; // not a trap
    return problem(500);
  }

  // Waits for the store and the body.
  async #awaitAnswer(guest: Guest, id: number, request: RawRequest | TextRequest): Promise<TextResponse> {
    const { body, isBodyConsumed, signal } = request;
    const end = holdRequest(guest, id, signal);
    try {
      signal?.throwIfAborted(); // by a function of the store
      await this.#withDeadline(guest, id, async (deadline) => {
        await this.#progress(guest, id, deadline);
        if (guest.state(id) === State.wantsBody && body && !isBodyConsumed) await this.#sendBody(guest, id, body, deadline);
      });
      signal?.throwIfAborted();
      if (isBodyConsumed && guest.state(id) === State.wantsBody) {
        end();
        this.#services.log("body consumed", bodyConsumed);
        return problem(500, bodyConsumed);
      }
      return this.#respond(guest, id, request, end);
    } catch (error) {
      end();
      return this.#afterTrap(guest, error);
    }
  }

  // Returns the answer, whose head is available. `end` is the result of holdRequest(), if it was called.
  #respond(guest: Guest, id: number, request: RawRequest | TextRequest, end?: () => void): TextResponse {
    const { signal } = request;
    const { answer, whole } = guest.answer(id, isTextRequest(request) && request.bodyAsText);
    if (!whole && this.#hasFreeStream()) {
      answer.body = this.#stream(guest, id, end ?? holdRequest(guest, id, signal), signal);
      return answer;
    }
    if (end) end();
    else guest.end(id);
    if (whole) return answer;
    this.#services.log("request refused", `${maxStreams} long answers are being sent`);
    return problem(503);
  }

  // Resolves when the request no longer waits for its store.
  async #progress(guest: Guest, id: number, deadline: Timer): Promise<void> {
    while (guest.state(id) === State.waiting) {
      await guest.progress(id);
      if (this.isManagement) deadline.restart();
    }
  }

  // Runs `work`. After the deadline the request expires, so `work` continues.
  async #withDeadline(guest: Guest, id: number, work: (deadline: Timer) => Promise<void>): Promise<void> {
    const state = guest.state(id);
    if (state !== State.waiting && state !== State.wantsBody) return;
    const deadline = new Timer(this.#deadline, () => guest.expire(id));
    try {
      await work(deadline);
    } finally {
      deadline.stop();
    }
  }

  async #sendBody(guest: Guest, id: number, body: Chunks, deadline: Timer): Promise<void> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      while (guest.state(id) === State.wantsBody) {
        // null if the body fails, undefined if the request ended before.
        const read = await Promise.race([pieces.next().catch(() => null), guest.progress(id)]);
        if (read === null) guest.loseBody(id);
        else if (read?.done) guest.giveBody(id, new Uint8Array());
        else if (read) await this.#sendPiece(guest, id, read.value, deadline);
        if (this.isManagement) deadline.restart();
        await this.#progress(guest, id, deadline);
      }
    } finally {
      pieces.return?.()?.catch(() => {});
    }
  }
  async #sendPiece(guest: Guest, id: number, piece: unknown, deadline: Timer): Promise<void> {
    const bytes = viewOf(piece);
    if (!bytes) throw new TypeError(`portail: a piece of a body is a Uint8Array, not ${typeof piece}`);
    for (let offset = 0; offset < bytes.length && guest.state(id) === State.wantsBody; offset += maxPieceSize) {
      guest.giveBody(id, bytes.subarray(offset, offset + maxPieceSize));
      await this.#progress(guest, id, deadline);
    }
  }

  // Returns whether one more answer may be sent in pieces. At the limit, the answer with the longest idle reader is cut off; if no
  // reader stalls, the new answer is refused.
  #hasFreeStream(): boolean {
    if (this.#streams.size < maxStreams) return true;
    let oldest: Stream | undefined;
    for (const stream of this.#streams) {
      if (stream.hasEnded()) this.#streams.delete(stream);
      else if (!oldest || stream.idleSince < oldest.idleSince) oldest = stream;
    }
    if (!oldest || this.#streams.size < maxStreams) return true;
    if (performance.now() - oldest.idleSince < minStallMilliseconds) return false;
    oldest.end();
    return true;
  }

  // `next` was called once before. `end` does not reference the stream, so the stream can be garbage-collected.
  #stream(guest: Guest, id: number, ended: () => void, signal?: Signal): ReadableStream<Uint8Array<ArrayBuffer>> {
    const streams = this.#streams;
    const waiting: Stream = {
      idleSince: performance.now(),
      hasEnded: () => guest.ended !== undefined || guest.state(id) === State.unknown,
      end: () => {
        streams.delete(waiting);
        ended();
      },
    };
    const { end } = waiting;
    streams.add(waiting);
    let started = false;
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          signal?.throwIfAborted();
          if (!streams.has(waiting)) throw new Error("portail: the answer was cut off, because its client did not read it");
          waiting.idleSince = Infinity;
          if (started) guest.next(id);
          started = true;
          await this.#withDeadline(guest, id, (deadline) => this.#progress(guest, id, deadline));
          const state = guest.state(id);
          if (state === State.piece) {
            waiting.idleSince = performance.now();
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
    abandonedStreams?.register(stream, end);
    return stream;
  }
}

// Ends a request when its signal is aborted, or when the returned function is called.
function holdRequest(guest: Guest, id: number, signal?: Signal): () => void {
  let ended = false;
  const end = (): void => {
    if (ended) return; // the handle may be reused
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
