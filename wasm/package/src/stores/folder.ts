// A folder as a store, for Node, Deno and Bun: one file for each key. The layout is that of the native program's dir: store
// (docs/reference/stores.md), which may use the same folder concurrently: `portail import --store dir:FOLDER` fills it. Values are
// cached until a stat of the file ~revision shows that a writer has changed one.
import { randomBytes } from "node:crypto";
import { constants, lstatSync, mkdirSync, readdirSync, readFile as readWhole, statSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { ValueCache } from "../value_cache.js";
import { coalesce } from "../coalesce.js";
import { InvalidValue, isPromise, sameBytes, then, type Answer, type ListingStore } from "../store.js";

const readFile = promisify(readWhole); // in Node and Deno twice as fast as the one of node:fs/promises
const leaseTimeout = 5_000; // milliseconds after which the lease of a writer is revoked: it was killed
const maxBackoff = 16; // milliseconds
const maxValueSize = 256 * 1024; // bytes
const maxRefusals = 100;
// Keys that reading changes, key sets and locks: they have no revision, and each read reads their current value.
const volatileKey = /^(consultation|audit|config)\./;
// Without blocking, also if the file was replaced by a FIFO after its type was checked. Windows has neither FIFOs nor these flags.
const flag = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

interface FileStatus {
  readonly isRegular: boolean;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number; // NaN if the host does not report it
}

interface DenoStatus {
  isFile: boolean;
  size: number;
  mtime: Date | null;
  ctime: Date | null;
}
const deno = (globalThis as { Deno?: { lstatSync(file: string): DenoStatus } }).Deno;

export interface FolderOptions {
  /** Creates the folder if it is missing, and accepts an empty one. Default is false. */
  create?: boolean;
}

const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
  }
}

/**
 * Opens `folder` as a store. Values are as durable as the file system makes them, and not copied when they are read: do not change
 * their bytes. Throws if it is not a folder, or, without `create`, if it is missing or holds no portal. The message is one line for
 * the operator.
 */
export function folderStore(folder: string, { create = false }: FolderOptions = {}): ListingStore {
  if (create) makeFolder(folder);
  const found = statOf(folder);
  if (found && !found.isDirectory()) throw new Error(`portail: ${folder} is not a folder`);
  const isPortal = found !== undefined && statOf(`${folder}/format`) !== undefined;
  const names = found && !isPortal ? readdirSync(folder).sort() : [];
  const other = names.find((name) => !name.startsWith("~") && name !== "lost+found");
  if (other && !names.includes("~writers")) {
    throw new Error(`portail: ${folder} holds other files and no store (${other}): name an empty or a new folder`);
  }
  if (!create && !isPortal) {
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
  const coalescedRead = coalesce((file) => read(file));
  const find = (key: string, revision: string | undefined): Answer<Uint8Array | undefined> => {
    const file = fileOf(folder, key);
    if (revision === undefined || volatileKey.test(key)) return coalescedRead(file);
    const cached = cache.find(file);
    if (cached) return cached.value;
    return coalescedRead(file).then((value) => {
      cache.insert(file, revision, value);
      return value;
    });
  };
  const getMany = (keys: string[]): Answer<(Uint8Array | undefined)[]> => {
    const revision = revisionOf(folder);
    if (revision !== undefined) cache.setRevision(revision);
    const values = keys.map((key) => find(key, revision));
    return values.some(isPromise) ? Promise.all(values) : (values as (Uint8Array | undefined)[]);
  };
  return {
    get: (key) => then(getMany([key]), ([value]) => value),
    getMany,
    put: (key, value) => serialize(() => change(folder, key, value)),
    delete: (key) => serialize(() => change(folder, key, undefined)),
    compareAndSwap: (key, expected, desired) =>
      serialize(() => change(folder, key, desired, (current) => sameBytes(current, expected))),
    list: async (prefix) => (await readdir(folder)).map(keyOf).filter((key) => isKey(key) && key.startsWith(prefix)),
  };
}

function fileOf(folder: string, key: string): string {
  if (!isKey(key)) throw new RangeError(`${JSON.stringify(key)} is not a valid key`);
  return `${folder}/${key === "." || key === ".." ? "~" : ""}${key}`;
}
function keyOf(file: string): string {
  return file === "~." || file === "~.." ? file.slice(1) : file;
}
function isKey(key: string): boolean {
  return /^[a-z0-9_=A-F.-]{1,200}$/.test(key);
}

async function read(file: string, status = statusOf(file)): Promise<Uint8Array | undefined> {
  if (!status) return undefined;
  if (!status.isRegular) throw new InvalidValue(`${file} is not a regular file`);
  if (status.size > maxValueSize) throw new InvalidValue(`${file} is larger than any value`);
  return readFile(file, { flag: flag as unknown as string }).catch(ignoring("ENOENT"));
}

// Returns what differs after each write, or undefined: there is no revision, or a writer is at work (core/files/revision.hpp).
function revisionOf(folder: string): string | undefined {
  const status = statusOf(`${folder}/~revision`);
  return status?.isRegular && status.size % 2 === 0 ? `${status.size} ${status.mtimeMs} ${status.ctimeMs}` : undefined;
}

// Synchronous: the metadata is usually in the page cache, and the thread pool costs five to ten times as much.
// Deno.lstatSync costs a third of Deno's node:fs. Links are not followed.
const statusOf: (file: string) => FileStatus | undefined = deno
  ? (file) => {
      try {
        const { size, mtime, ctime, isFile } = deno.lstatSync(file);
        return { size, mtimeMs: Number(mtime), ctimeMs: Number(ctime ?? NaN), isRegular: isFile };
      } catch (error) {
        return ignoring("ENOENT")(error);
      }
    }
  : (file) => {
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (!found) return undefined;
      const { size, mtimeMs, ctimeMs } = found;
      return { size, mtimeMs, ctimeMs, isRegular: found.isFile() };
    };

// Makes the change if `precondition` is true for the current value. No other writer of the folder compares or changes meanwhile: a
// writer has its files in a folder of its own, and may rename them to their keys only while that folder is inside the one lease.
async function change(
  folder: string, key: string, value: Uint8Array | undefined, precondition?: (current: Uint8Array | undefined) => boolean,
): Promise<boolean> {
  const file = fileOf(folder, key);
  const token = randomBytes(16).toString("hex");
  const ownFolder = `${folder}/~writers/${token}`;
  const leasedFolder = `${folder}/~writers/holder/${token}`;
  let revision: number | undefined; // the odd one, while the change is made
  await mkdir(`${ownFolder}/${token}`, { recursive: true, mode: 0o700 });
  try {
    await writeSynced(`${ownFolder}/${token}/0`, value ?? new Uint8Array());
    await acquireLease(folder, ownFolder);
    try {
      await refuseOlderPrograms(folder);
      if (precondition && !precondition(await read(file))) return false;
      if (!volatileKey.test(key)) revision = await beginRevision(folder, leasedFolder);
      if (value) await rename(`${leasedFolder}/0`, file);
      else await removeInto(file, leasedFolder);
    } finally {
      // Without the lease the revision is another writer's. If it stays odd, readers read each file until the next write.
      await endRevision(folder, leasedFolder, revision).catch(() => {});
      // If another writer has revoked the lease, the folder is gone.
      await rename(leasedFolder, ownFolder).catch(ignoring("ENOENT"));
    }
  } finally {
    await rm(ownFolder, { recursive: true, force: true });
  }
  await sync(folder);
  return true;
}

async function acquireLease(folder: string, ownFolder: string): Promise<void> {
  const lease = `${folder}/~writers/holder`;
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
      await revoke(`${lease}/${holder}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

// Removes the folder of a holder, or its lease, with its files: each of its remaining renames fails. They are removed where they are, since a rename
// that the holder's host has begun with the open folder would succeed if it were moved.
async function revoke(holder: string): Promise<void> {
  await rm(holder, { recursive: true, force: true });
}

// Replaces the lease of programs that do not know revisions by a file. A holder of theirs loses it.
async function refuseOlderPrograms(folder: string): Promise<void> {
  const lease = `${folder}/~writers/lease`;
  for (let attempt = 0; attempt < maxRefusals; ++attempt) {
    const found = lstatSync(lease, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) return;
    await revoke(lease).catch(ignoring("ENOTEMPTY")); // a writer came in between
    await writeFile(lease, "", { flag: "wx", mode: 0o600 }).catch(ignoring("EEXIST"));
  }
  throw new Error(`an older program keeps ${lease}: stop it`);
}

// Makes the revision odd, and returns it.
async function beginRevision(folder: string, leasedFolder: string): Promise<number> {
  const status = statusOf(`${folder}/~revision`);
  const size = status?.isRegular ? status.size : 0;
  if (size % 2 !== 0) return size; // of a writer that was killed
  await setRevision(folder, leasedFolder, size + 1);
  return size + 1;
}

// Makes an odd revision even, also one that a killed writer left. `begun`: the odd one of this writer.
async function endRevision(folder: string, leasedFolder: string, begun: number | undefined): Promise<void> {
  const odd = begun ?? statusOf(`${folder}/~revision`)?.size;
  if (odd !== undefined && odd % 2 !== 0) await setRevision(folder, leasedFolder, odd + 1);
}

// Replaces ~revision by a file of that size. Fails if another writer has revoked the lease.
async function setRevision(folder: string, leasedFolder: string, size: number): Promise<void> {
  const made = await open(`${leasedFolder}/revision`, "wx", 0o600);
  try {
    await made.truncate(size);
  } finally {
    await made.close();
  }
  await rename(`${leasedFolder}/revision`, `${folder}/~revision`);
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
