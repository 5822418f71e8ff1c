// Takes requests through the module, from the head to the last piece of the answer's body.
import { Flag, State } from "./abi.js";
import { Guest } from "./guest.js";
import { decodeHead, encodeHead, type Chunks, type RawRequest, type RawResponse } from "./messages.js";
import { Operations } from "./operations.js";
import type { PortailOptions } from "./options.js";
import { encodeSettings } from "./settings.js";

const longestPiece = 64 * 1024; // of a request's body, at once: the module's memory grows, and does not shrink

// Bodies that nobody reads any more, and nobody cancelled. Not every platform has a registry.
const forgotten = globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((end) => end());

export class Engine {
  #guest: Promise<Guest> | undefined;
  #disposed = false;
  #flags: number;
  #deadline: number;
  #log: (event: string, detail: string) => void;

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly options: PortailOptions,
  ) {
    for (const name of ["get", "put", "delete"] as const) {
      if (typeof options.store?.[name] !== "function")
        throw new TypeError(`portail: the store has no function ${name}`);
    }
    this.#flags = options.trustForwarding ? Flag.forwardingTrusted : 0;
    this.#deadline = options.deadline ?? 30_000;
    this.#log = options.log ?? ((event, detail) => console.warn(`portail: ${event}: ${detail}`));
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
    this.#guest = undefined;
  }

  async handle(request: RawRequest): Promise<RawResponse> {
    request.signal?.throwIfAborted();
    const guest = await this.#current();
    try {
      return await this.#answer(guest, request);
    } catch (error) {
      if (!(guest.ended instanceof WebAssembly.RuntimeError)) throw error;
      return moduleFailed();
    }
  }

  // A module that trapped is of no use any more; another one takes its place.
  async #current(): Promise<Guest> {
    if (this.#disposed) throw new Error("portail: it was disposed of");
    const guest = await (this.#guest ??= this.#make());
    if (!guest.ended || this.#disposed) return guest;
    this.#log("module", String(guest.ended));
    this.#guest = this.#make();
    return this.#guest;
  }
  #make(): Promise<Guest> {
    return Guest.start(this.module, encodeSettings(this.options.settings), {
      operations: new Operations(this.options.store),
      now: this.options.now ?? Date.now,
      log: this.#log,
    });
  }

  async #answer(guest: Guest, request: RawRequest): Promise<RawResponse> {
    const id = guest.begin(encodeHead(request, this.#flags));
    if (id === 0) return moduleFailed(); // it has no room for another request
    const abort = () => guest.cancel(id, request.signal?.reason);
    request.signal?.addEventListener("abort", abort, { once: true });
    try {
      await this.#within(guest, id, async () => {
        await this.#progress(guest, id);
        if (guest.state(id) === State.wantsBody && request.body) await this.#giveBody(guest, id, request.body);
      });
      request.signal?.throwIfAborted();
      const answer = decodeHead(guest.data(id));
      // What has a length is whole, and is there at once.
      const whole = answer.headers.some(([name]) => name === "Content-Length");
      const state = guest.next(id);
      if (state !== State.end) answer.body = whole ? guest.data(id) : this.#stream(guest, id);
      if (state === State.end || whole) guest.end(id);
      return answer;
    } catch (error) {
      guest.end(id);
      throw error;
    } finally {
      request.signal?.removeEventListener("abort", abort);
    }
  }

  // Until the request waits no more for its store.
  async #progress(guest: Guest, id: number): Promise<void> {
    while (guest.state(id) === State.waiting) await guest.progress(id);
  }

  // `work`, and after the deadline the request expires, which lets `work` go on.
  async #within(guest: Guest, id: number, work: () => Promise<void>): Promise<void> {
    const state = guest.state(id);
    if (state !== State.waiting && state !== State.wantsBody) return;
    const timer = setTimeout(() => guest.expire(id), this.#deadline);
    try {
      await work();
    } finally {
      clearTimeout(timer);
    }
  }

  async #giveBody(guest: Guest, id: number, body: Chunks): Promise<void> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      while (guest.state(id) === State.wantsBody) {
        const expired = guest.progress(id).then(() => undefined);
        const read = await Promise.race([pieces.next(), expired]).catch(() => null);
        if (read === null && guest.ended) throw guest.ended;
        if (read === null) guest.loseBody(id);
        else if (read?.done) guest.giveBody(id, new Uint8Array());
        else if (read) await this.#givePiece(guest, id, read.value);
        await this.#progress(guest, id);
      }
    } finally {
      pieces.return?.()?.catch(() => {});
    }
  }
  async #givePiece(guest: Guest, id: number, piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length && guest.state(id) === State.wantsBody; at += longestPiece) {
      guest.giveBody(id, piece.subarray(at, at + longestPiece));
      await this.#progress(guest, id);
    }
  }

  // `next` was called once already.
  #stream(guest: Guest, id: number): ReadableStream<Uint8Array> {
    let begun = false;
    const end = () => guest.end(id);
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (begun) guest.next(id);
          begun = true;
          await this.#within(guest, id, () => this.#progress(guest, id));
          const state = guest.state(id);
          if (state === State.piece) return controller.enqueue(guest.data(id));
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

// The contract's 500, for when nobody is left who could write it.
function moduleFailed(): RawResponse {
  const message = "Une erreur interne est survenue pendant votre requête !";
  const error = { code: null, message, details: null, data: {}, validationErrors: null };
  const headers: RawResponse["headers"] = [
    ["Content-Type", "application/json; charset=utf-8"],
    ["Content-Language", "fr"],
    ["Cache-Control", "no-store"],
    ["_AbpErrorFormat", "true"],
  ];
  return { status: 500, headers, body: new TextEncoder().encode(JSON.stringify({ error })), close: false };
}
