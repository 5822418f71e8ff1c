// The module's memory as views, which are made again only where it has grown: to ask for its buffer costs a call.

export class Memory {
  #bytes = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);

  constructor(private readonly memory: { readonly buffer: ArrayBufferLike }) {}

  /** All of it; of no use once the module was called again. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.length === 0) this.#look(); // growing takes the buffer away from its views
    return this.#bytes;
  }
  number(at: number): number {
    if (this.#bytes.length === 0) this.#look();
    return this.#view.getUint32(at, true);
  }
  setNumber(at: number, value: number): void {
    if (this.#bytes.length === 0) this.#look();
    this.#view.setUint32(at, value, true);
  }

  #look(): void {
    const buffer = this.memory.buffer as ArrayBuffer;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }
}
