// A folder as a store, for Node, Deno and Bun: one file a key. It is the layout of the native program's dir: store
// (docs/reference/stores.md), which may be at work in the same folder at the same time: `portail import --store dir:FOLDER`
// fills it. What was read is kept, and read again once a look at its file says that it may have changed.
import { randomBytes } from "node:crypto";
import { constants, existsSync, lstatSync, mkdirSync, readFile as readWhole, statSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { KnownValues, now, type FileStatus } from "../known_values.js";
import { sharing } from "../shared_looks.js";
import { NoValue, sameBytes, type Answer, type Store } from "../store.js";

const readFile = promisify(readWhole); // in Node and Deno twice as fast as the one of node:fs/promises
const patience = 5_000; // milliseconds for a writer that shows no end: it was killed
const longestPause = 16;
const maxValueSize = 256 * 1024; // bytes
// What is put there after its type was checked is not waited for either: not the writer of a FIFO. Windows has no such
// files, and no such flags.
const flag = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

interface FoundStatus extends FileStatus {
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
  /** Makes a folder that is not there, and takes one that nothing was imported into yet. */
  create?: boolean;
}

/**
 * The values of `folder` are as durable as its file system makes them, and not copied when they are read: do not change
 * their bytes. Throws where it is no folder, and, without
 * `create`, where it is not there or holds no portal, since its name may be a slip: the message is one line for the
 * operator.
 */
export function folderStore(folder: string, { create = false }: FolderOptions = {}): Store {
  if (create) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new Error(`portail: ${folder} is not a folder`);
  if (!create && !(found && existsSync(`${folder}/format`))) {
    const what = found ? "holds no portal" : "does not exist";
    throw new Error(`portail: ${folder} ${what}: \`portail import --store dir:${folder} DOCUMENT\` makes one there`);
  }
  // Writers of one process wait here for one another: to wait at the folder costs more.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(write: () => Promise<T>): Promise<T> => {
    const written = last.then(write, write);
    last = written;
    return written;
  };
  const known = new KnownValues();
  const reading = sharing(read);
  const learning = sharing((file) => learn(file, known));
  const current = (file: string): Answer<Uint8Array | undefined> => {
    if (!known.isWorthALook(file, now())) return reading(file);
    const status = statusOf(file);
    return status && (known.find(file, status) ?? learning(file));
  };
  return {
    get: (key) => current(fileOf(folder, key)),
    put: (key, value) => inTurn(() => change(folder, key, value)),
    delete: (key) => inTurn(() => change(folder, key, undefined)),
    compareAndSwap: (key, expected, desired) =>
      inTurn(() => change(folder, key, desired, (current) => sameBytes(current, expected))),
  };
}

function fileOf(folder: string, key: string): string {
  if (!/^[a-z0-9_=A-F.-]{1,200}$/.test(key)) throw new RangeError(`${JSON.stringify(key)} is no key`);
  return `${folder}/${key === "." || key === ".." ? "~" : ""}${key}`;
}

async function read(file: string, status = statusOf(file)): Promise<Uint8Array | undefined> {
  if (!status) return undefined;
  if (!status.isRegular) throw new NoValue(`${file} is not a regular file`);
  if (status.size > maxValueSize) throw new NoValue(`${file} is larger than any value`);
  return readFile(file, { flag: flag as unknown as string }).catch(unless("ENOENT"));
}

// As read; and the value is known from then on, where it can be.
async function learn(file: string, known: KnownValues): Promise<Uint8Array | undefined> {
  const before = now();
  const status = statusOf(file);
  const value = await read(file, status);
  if (status && value) known.keep(file, status, before, value);
  return value;
}

// At once: the system has it in memory, as a rule, and to wait for a thread that asks costs five to ten times as much.
// Deno's own look costs a third of the one in its node:fs. Links are not followed.
const statusOf: (file: string) => FoundStatus | undefined = deno
  ? (file) => {
      try {
        const { dev, ino, size, mtime, ctime, isFile } = deno.lstatSync(file);
        const [mtimeMs, ctimeMs] = [Number(mtime), Number(ctime ?? NaN)];
        return { dev, ino: Number(ino), size, mtimeMs, ctimeMs, isRegular: isFile };
      } catch (error) {
        return unless("ENOENT")(error);
      }
    }
  : (file) => {
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (!found) return undefined;
      const { dev, ino, size, mtimeMs, ctimeMs } = found;
      return { dev, ino, size, mtimeMs, ctimeMs, isRegular: found.isFile() };
    };

// Makes the change if `may` agrees, while no other writer of this folder is between its own comparison and its change:
// a writer has its files in a folder of its own, and the right to rename them to their keys for as long as that folder
// is inside the one lease.
async function change(
  folder: string, key: string, value: Uint8Array | undefined, may?: (current: Uint8Array | undefined) => boolean,
): Promise<boolean> {
  const file = fileOf(folder, key);
  const token = randomBytes(16).toString("hex");
  const own = `${folder}/~writers/${token}`;
  const held = `${folder}/~writers/lease/${token}`;
  await mkdir(`${own}/${token}`, { recursive: true, mode: 0o700 });
  try {
    await writeSynced(`${own}/${token}/0`, value ?? new Uint8Array());
    await takeLease(folder, own);
    try {
      if (may && !may(await read(file))) return false;
      if (value) await rename(`${held}/0`, file);
      else await removeInto(file, held);
    } finally {
      // Where others have taken the lease away, it is in its place already.
      await rename(held, own).catch(unless("ENOENT"));
    }
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  await sync(folder);
  return true;
}

async function takeLease(folder: string, own: string): Promise<void> {
  const lease = `${folder}/~writers/lease`;
  let seen: string | undefined;
  let since = 0;
  for (let pause = 1; ; pause = Math.min(2 * pause, longestPause)) {
    // The file system lets this happen only where no lease is there, or an empty one.
    const taken = await rename(own, lease).then(() => true, unless("ENOTEMPTY", "EEXIST"));
    if (taken) return;
    const holder = (await readdir(lease).catch(unless("ENOENT")))?.[0];
    if (holder !== seen) {
      seen = holder;
      since = performance.now();
    } else if (holder && performance.now() - since >= patience) {
      await rename(`${lease}/${holder}`, `${folder}/~writers/${holder}`).catch(unless("ENOENT"));
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function removeInto(file: string, held: string): Promise<void> {
  try {
    await rename(file, `${held}/0`);
  } catch (error) {
    // It was not there, which is success; but not where the lease was lost.
    if (!hasCode(error, "ENOENT")) throw error;
    await stat(held);
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

// For a promise's catch: these failures give undefined.
function unless(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.some((code) => hasCode(error, code))) throw error;
  };
}

function hasCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown } | undefined)?.code === code;
}
