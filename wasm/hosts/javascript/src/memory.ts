// Views of the module's memory, created again only after it has grown: reading its buffer costs a call.

export class Memory {
  #bytes = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);

  constructor(private readonly memory: { readonly buffer: ArrayBufferLike }) {}

  /** The whole memory; valid until the next call of the module. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.length === 0) this.#refresh(); // growing detaches the buffer
    return this.#bytes;
  }
  number(at: number): number {
    if (this.#bytes.length === 0) this.#refresh();
    return this.#view.getUint32(at, true);
  }
  setNumber(at: number, value: number): void {
    if (this.#bytes.length === 0) this.#refresh();
    this.#view.setUint32(at, value, true);
  }

  #refresh(): void {
    const buffer = this.memory.buffer as ArrayBuffer;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }
}
