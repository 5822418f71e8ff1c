// A bounded cache of the values of files, validated by stat. A cached value is valid while its name refers to the same file, and the
// file's size and times are unchanged. The times must be older than the read by a minimum age, as in Git's index: a file may change
// twice within one tick of its clock.

/** The metadata of a file, as of node:fs. */
export interface FileMetadata {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number; // no process can set it. NaN if the host does not report it
}

/** One instant on two clocks, in milliseconds: the wall clock, which sets the times of files, and a monotonic clock. */
export interface ClockReading {
  wall: number;
  steady: number;
}

interface Entry {
  validFrom: number; // milliseconds on the wall clock from which a stat can validate the value
  cached?: { value: Uint8Array; metadata: FileMetadata; read: ClockReading };
}

const maxFiles = 10_000;
const maxBytes = 32 * 1024 * 1024;
// Minimum age of a file's times when it is read, in milliseconds. Two changes that are this far apart have different times on every
// file system: the coarsest resolution is two seconds. The rest allows for a wall clock that is set back by at most clockTolerance.
const minAge = 4_000;
const clockTolerance = 1_000;

export function now(): ClockReading {
  return { wall: Date.now(), steady: performance.now() };
}

export class ValueCache {
  #entries = new Map<string, Entry>(); // least recently used first
  #bytes = 0;

  /**
   * Returns whether a stat of the file may avoid a read. False for a file's first lookup, and while its last change is too recent to
   * be distinguished from the next one.
   */
  shouldStat(file: string, at: ClockReading): boolean {
    const entry = this.#entries.get(file);
    if (entry) this.#entries.delete(file);
    this.#entries.set(file, entry ?? { validFrom: 0 });
    if (this.#entries.size > maxFiles) this.#evict(this.#entries.keys().next().value!);
    if (!entry) return false;
    if (entry.cached && wasSetBack(entry.cached.read, at)) this.#dropValue(entry);
    return entry.validFrom <= at.wall;
  }

  /** Returns the cached value if it is valid for a file that has `metadata`; undefined on a miss. */
  find(file: string, metadata: FileMetadata): Uint8Array | undefined {
    const cached = this.#entries.get(file)?.cached;
    return cached && isSame(cached.metadata, metadata) ? cached.value : undefined;
  }

  /** Caches `value`, which was read after a stat that began at `before` returned `metadata`, unless it could not be validated later. */
  insert(file: string, metadata: FileMetadata, before: ClockReading, value: Uint8Array): void {
    const entry = this.#entries.get(file);
    if (!entry) return;
    this.#dropValue(entry);
    entry.validFrom = validFromOf(metadata);
    // If the sizes differ, the file changed between the stat and the read.
    if (!(entry.validFrom <= before.wall) || value.length !== metadata.size || value.length > maxBytes) return;
    for (const other of this.#entries.values()) {
      if (this.#bytes + value.length <= maxBytes) break;
      this.#dropValue(other);
    }
    entry.cached = { value, metadata, read: before };
    this.#bytes += value.length;
  }

  #dropValue(entry: Entry): void {
    this.#bytes -= entry.cached?.value.length ?? 0;
    delete entry.cached;
  }
  #evict(file: string): void {
    this.#dropValue(this.#entries.get(file)!);
    this.#entries.delete(file);
  }
}

function isSame(a: FileMetadata, b: FileMetadata): boolean {
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

// The time on the wall clock from which the last change is old enough. Infinity if the host does not report the times.
function validFromOf({ mtimeMs, ctimeMs }: FileMetadata): number {
  const validFrom = Math.max(mtimeMs, ctimeMs) + minAge;
  return Number.isNaN(validFrom) ? Infinity : validFrom;
}

// Returns whether the wall clock was set back between the two readings: a later change could then repeat earlier times.
function wasSetBack(then: ClockReading, at: ClockReading): boolean {
  return at.wall - then.wall < at.steady - then.steady - clockTolerance;
}
