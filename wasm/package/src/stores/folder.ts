// A folder as a store, for Node, Deno and Bun: one file for each key. The layout is that of the native program's dir: store
// (docs/reference/stores.md), which may use the same folder concurrently: `portail import --store dir:FOLDER` fills it. Values are
// cached, and read again if a stat of the file shows that it may have changed.
import { randomBytes } from "node:crypto";
import { constants, existsSync, lstatSync, mkdirSync, readFile as readWhole, statSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { ValueCache, now, type FileMetadata } from "../value_cache.js";
import { coalesce } from "../coalesce.js";
import { InvalidValue, sameBytes, type Answer, type Store } from "../store.js";

const readFile = promisify(readWhole); // in Node and Deno twice as fast as the one of node:fs/promises
const leaseTimeout = 5_000; // milliseconds after which the lease of a writer is revoked: it was killed
const maxBackoff = 16; // milliseconds
const maxValueSize = 256 * 1024; // bytes
// Without blocking, also if the file was replaced by a FIFO after its type was checked. Windows has neither FIFOs nor these flags.
const flag = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

interface FolderFileMetadata extends FileMetadata {
  readonly isRegular: boolean;
}

interface DenoStatus {
  isFile: boolean;
  dev: number;
  ino: number | null;
  size: number;
  mtime: Date | null;
  ctime: Date | null;
}
const deno = (globalThis as { Deno?: { lstatSync(file: string): DenoStatus } }).Deno;

export interface FolderOptions {
  /** Creates the folder if it is missing, and accepts a folder into which nothing was imported. Default is false. */
  create?: boolean;
}

/**
 * Opens `folder` as a store. Values are as durable as the file system makes them, and not copied when they are read: do not change
 * their bytes. Throws if it is not a folder, or, without `create`, if it is missing or holds no portal. The message is one line for
 * the operator.
 */
export function folderStore(folder: string, { create = false }: FolderOptions = {}): Store {
  if (create) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new Error(`portail: ${folder} is not a folder`);
  if (!create && !(found && existsSync(`${folder}/format`))) {
    const what = found ? "holds no portal" : "does not exist";
    throw new Error(`portail: ${folder} ${what}: \`portail import --store dir:${folder} DOCUMENT\` makes one there`);
  }
  // Serializes the writes of this process: waiting for the folder's lease costs more.
  let last: Promise<unknown> = Promise.resolve();
  const serialize = <T>(write: () => Promise<T>): Promise<T> => {
    const written = last.then(write, write);
    last = written;
    return written;
  };
  const cache = new ValueCache();
  const coalescedRead = coalesce(read);
  const coalescedReadAndCache = coalesce((file) => readAndCache(file, cache));
  const current = (file: string): Answer<Uint8Array | undefined> => {
    if (!cache.shouldStat(file, now())) return coalescedRead(file);
    const status = statusOf(file);
    return status && (cache.find(file, status) ?? coalescedReadAndCache(file));
  };
  return {
    get: (key) => current(fileOf(folder, key)),
    put: (key, value) => serialize(() => change(folder, key, value)),
    delete: (key) => serialize(() => change(folder, key, undefined)),
    compareAndSwap: (key, expected, desired) =>
      serialize(() => change(folder, key, desired, (current) => sameBytes(current, expected))),
  };
}

function fileOf(folder: string, key: string): string {
  if (!/^[a-z0-9_=A-F.-]{1,200}$/.test(key)) throw new RangeError(`${JSON.stringify(key)} is not a valid key`);
  return `${folder}/${key === "." || key === ".." ? "~" : ""}${key}`;
}

async function read(file: string, status = statusOf(file)): Promise<Uint8Array | undefined> {
  if (!status) return undefined;
  if (!status.isRegular) throw new InvalidValue(`${file} is not a regular file`);
  if (status.size > maxValueSize) throw new InvalidValue(`${file} is larger than any value`);
  return readFile(file, { flag: flag as unknown as string }).catch(ignoring("ENOENT"));
}

// Like read(), and caches the value if it can be validated later.
async function readAndCache(file: string, cache: ValueCache): Promise<Uint8Array | undefined> {
  const before = now();
  const status = statusOf(file);
  const value = await read(file, status);
  if (status && value) cache.insert(file, status, before, value);
  return value;
}

// Synchronous: the metadata is usually in the page cache, and the thread pool costs five to ten times as much.
// Deno.lstatSync costs a third of Deno's node:fs. Links are not followed.
const statusOf: (file: string) => FolderFileMetadata | undefined = deno
  ? (file) => {
      try {
        const { dev, ino, size, mtime, ctime, isFile } = deno.lstatSync(file);
        const [mtimeMs, ctimeMs] = [Number(mtime), Number(ctime ?? NaN)];
        return { dev, ino: Number(ino), size, mtimeMs, ctimeMs, isRegular: isFile };
      } catch (error) {
        return ignoring("ENOENT")(error);
      }
    }
  : (file) => {
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (!found) return undefined;
      const { dev, ino, size, mtimeMs, ctimeMs } = found;
      return { dev, ino, size, mtimeMs, ctimeMs, isRegular: found.isFile() };
    };

// Makes the change if `precondition` is true for the current value. No other writer of the folder compares or changes meanwhile: a
// writer has its files in a folder of its own, and may rename them to their keys only while that folder is inside the one lease.
async function change(
  folder: string, key: string, value: Uint8Array | undefined, precondition?: (current: Uint8Array | undefined) => boolean,
): Promise<boolean> {
  const file = fileOf(folder, key);
  const token = randomBytes(16).toString("hex");
  const ownFolder = `${folder}/~writers/${token}`;
  const leasedFolder = `${folder}/~writers/lease/${token}`;
  await mkdir(`${ownFolder}/${token}`, { recursive: true, mode: 0o700 });
  try {
    await writeSynced(`${ownFolder}/${token}/0`, value ?? new Uint8Array());
    await acquireLease(folder, ownFolder);
    try {
      if (precondition && !precondition(await read(file))) return false;
      if (value) await rename(`${leasedFolder}/0`, file);
      else await removeInto(file, leasedFolder);
    } finally {
      // If another writer has revoked the lease, the folder has been moved back already.
      await rename(leasedFolder, ownFolder).catch(ignoring("ENOENT"));
    }
  } finally {
    await rm(ownFolder, { recursive: true, force: true });
  }
  await sync(folder);
  return true;
}

async function acquireLease(folder: string, ownFolder: string): Promise<void> {
  const lease = `${folder}/~writers/lease`;
  let lastHolder: string | undefined;
  let since = 0;
  for (let pause = 1; ; pause = Math.min(2 * pause, maxBackoff)) {
    // The rename succeeds only if there is no lease, or an empty one.
    const acquired = await rename(ownFolder, lease).then(() => true, ignoring("ENOTEMPTY", "EEXIST"));
    if (acquired) return;
    const holder = (await readdir(lease).catch(ignoring("ENOENT")))?.[0];
    if (holder !== lastHolder) {
      lastHolder = holder;
      since = performance.now();
    } else if (holder && performance.now() - since >= leaseTimeout) {
      await rename(`${lease}/${holder}`, `${folder}/~writers/${holder}`).catch(ignoring("ENOENT"));
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function removeInto(file: string, leasedFolder: string): Promise<void> {
  try {
    await rename(file, `${leasedFolder}/0`);
  } catch (error) {
    // A missing file is success, unless the lease was revoked.
    if (!hasCode(error, "ENOENT")) throw error;
    await stat(leasedFolder);
  }
}

async function writeSynced(file: string, bytes: Uint8Array): Promise<void> {
  const opened = await open(file, "wx", 0o600);
  try {
    await opened.writeFile(bytes);
    await opened.sync();
  } finally {
    await opened.close();
  }
}

async function sync(folder: string): Promise<void> {
  const opened = await open(folder, "r");
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

// For a promise's catch: failures with these codes become undefined.
function ignoring(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.some((code) => hasCode(error, code))) throw error;
  };
}

function hasCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown } | undefined)?.code === code;
}
