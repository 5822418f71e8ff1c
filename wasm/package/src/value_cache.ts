// A bounded cache of the values of a folder at one revision.

const maxFiles = 10_000;
const maxBytes = 32 * 1024 * 1024;

export class ValueCache {
  #revision: string | undefined;
  #entries = new Map<string, Uint8Array | undefined>(); // least recently used first; undefined: the file does not exist
  #bytes = 0;

  /** Called with each revision that a stat found. If it is another one than the last, removes all values. */
  setRevision(revision: string): void {
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#entries.clear();
    this.#bytes = 0;
  }

  /** Returns the value at the revision that was set last; undefined if it is not cached. */
  find(file: string): { value: Uint8Array | undefined } | undefined {
    if (!this.#entries.has(file)) return undefined;
    const value = this.#entries.get(file);
    this.#entries.delete(file);
    this.#entries.set(file, value);
    return { value };
  }

  /** Caches `value`, which was read after the stat that found `revision`, unless another one was set since. */
  insert(file: string, revision: string, value: Uint8Array | undefined): void {
    const size = value?.length ?? 0;
    if (revision !== this.#revision || size > maxBytes) return;
    this.#remove(file);
    for (const other of this.#entries.keys()) {
      if (this.#entries.size < maxFiles && this.#bytes + size <= maxBytes) break;
      this.#remove(other);
    }
    this.#entries.set(file, value);
    this.#bytes += size;
  }

  #remove(file: string): void {
    this.#bytes -= this.#entries.get(file)?.length ?? 0;
    this.#entries.delete(file);
  }
}
