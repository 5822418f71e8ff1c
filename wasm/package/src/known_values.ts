// Values of files that were read before, and when they count as unchanged without being read again: while the name still
// leads to the same file, its size and times are the same, and these times lie safely before the reading. It is the rule
// by which version control tells files that changed within one tick of a clock from those that did not.

/** What a look at a file says without reading it, as node:fs has it. */
export interface FileStatus {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number; // of its bytes
  readonly ctimeMs: number; // of the file itself: no process can set it. NaN where the host does not report it
}

/** The same moment on the clock that files are stamped by, and on one that is never set. In milliseconds. */
export interface Moment {
  wall: number;
  steady: number;
}

interface Entry {
  settles: number; // when a look begins to be of use, by the wall's clock
  known?: { value: Uint8Array; status: FileStatus; read: Moment };
}

const mostFiles = 10_000;
const mostBytes = 32 * 1024 * 1024;
// A change that comes at least this long after the one before has other times than that, on every file system: the coarsest
// has two seconds; the rest is for a clock that is set back by no more than the tolerance.
const margin = 4_000;
const tolerance = 1_000;

export function now(): Moment {
  return { wall: Date.now(), steady: performance.now() };
}

export class KnownValues {
  #entries = new Map<string, Entry>(); // in the order in which they were asked for last
  #bytes = 0;

  /**
   * Whether a look at the file may spare its reading: not where it is asked for the first time, and not so soon after a
   * change that no look can tell it from the next one.
   */
  isWorthALook(file: string, at: Moment): boolean {
    const entry = this.#entries.get(file);
    if (entry) this.#entries.delete(file);
    this.#entries.set(file, entry ?? { settles: 0 });
    if (this.#entries.size > mostFiles) this.#forget(this.#entries.keys().next().value!);
    if (!entry) return false;
    if (entry.known && wasSetBack(entry.known.read, at)) this.#drop(entry);
    return entry.settles <= at.wall;
  }

  /** The value, where the file that a look found to be `status` was read before and has not changed since. */
  find(file: string, status: FileStatus): Uint8Array | undefined {
    const known = this.#entries.get(file)?.known;
    return known && isSame(known.status, status) ? known.value : undefined;
  }

  /** What was read after a look that began at `before` found `status`. */
  keep(file: string, status: FileStatus, before: Moment, value: Uint8Array): void {
    const entry = this.#entries.get(file);
    if (!entry) return;
    this.#drop(entry);
    entry.settles = settlesAt(status);
    // Of another size, it has changed between the look and the reading.
    if (!(entry.settles <= before.wall) || value.length !== status.size || value.length > mostBytes) return;
    for (const other of this.#entries.values()) {
      if (this.#bytes + value.length <= mostBytes) break;
      this.#drop(other);
    }
    entry.known = { value, status, read: before };
    this.#bytes += value.length;
  }

  #drop(entry: Entry): void {
    this.#bytes -= entry.known?.value.length ?? 0;
    delete entry.known;
  }
  #forget(file: string): void {
    this.#drop(this.#entries.get(file)!);
    this.#entries.delete(file);
  }
}

function isSame(a: FileStatus, b: FileStatus): boolean {
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

// When the last change lies far enough back. Where a host does not tell, never.
function settlesAt({ mtimeMs, ctimeMs }: FileStatus): number {
  const settles = Math.max(mtimeMs, ctimeMs) + margin;
  return Number.isNaN(settles) ? Infinity : settles;
}

// The wall's clock has not gone on as long as the other one since then: a change after it was set back could have the times
// of the change before.
function wasSetBack(then: Moment, at: Moment): boolean {
  return at.wall - then.wall < at.steady - then.steady - tolerance;
}
