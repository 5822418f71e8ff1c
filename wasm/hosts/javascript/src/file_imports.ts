// The module's imports of files (wasm/abi/portail.h) by node:fs, which Deno and Bun have too. Synchronous: the metadata is usually in the page cache,
// and the thread pool costs five to ten times as much.
import * as fs from "node:fs";
import type { Log } from "./log.js";

const Kind = { regular: 0, folder: 1, other: 2 } as const;
const Failed = { missing: -1, occupied: -2, other: -3, otherReason: -4 } as const;
const resultOfCode: Record<string, number> = {
  ENOENT: Failed.missing,
  EEXIST: Failed.occupied,
  ENOTEMPTY: Failed.occupied,
  ENOTDIR: Failed.other,
  EISDIR: Failed.other,
  ELOOP: Failed.other,
  ENXIO: Failed.other,
};
const maxResult = 2 ** 31 - 1;

// Without blocking on a FIFO. Windows has neither FIFOs nor these flags.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants;
const readFlags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW;

interface Status {
  kind: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}
interface DenoStatus {
  isFile: boolean;
  isDirectory: boolean;
  size: number;
  mtime: Date | null;
  ctime: Date | null;
}
const deno = (globalThis as { Deno?: { lstatSync(file: string): DenoStatus } }).Deno;

const kindOf = (isFile: boolean, isFolder: boolean): number => (isFile ? Kind.regular : isFolder ? Kind.folder : Kind.other);
const statusOf = (found: fs.Stats): Status => {
  const { size, mtimeMs, ctimeMs } = found;
  return { kind: kindOf(found.isFile(), found.isDirectory()), size, mtimeMs, ctimeMs };
};
// Undefined if there is no such file. Deno.lstatSync costs a third of Deno's node:fs.
const lstat: (path: string) => Status | undefined = deno
  ? (path) => {
      const { size, mtime, ctime, isFile, isDirectory } = deno.lstatSync(path);
      return { kind: kindOf(isFile, isDirectory), size, mtimeMs: Number(mtime), ctimeMs: Number(ctime) };
    }
  : (path) => {
      const found = fs.lstatSync(path, { throwIfNoEntry: false });
      return found && statusOf(found);
    };

/** Returns the imports for the one folder of an instance. `memory` returns the instance's memory. */
export function fileImports(folder: string, memory: () => Uint8Array, log: Log): WebAssembly.ModuleImports {
  const utf8 = new TextDecoder();
  const bytes = (pointer: number, size: number): Uint8Array => memory().subarray(pointer, pointer + size);
  const path = (pointer: number, size: number): string => (size === 0 ? folder : `${folder}/${utf8.decode(bytes(pointer, size))}`);
  const result = (call: () => number | void): number => {
    try {
      return call() ?? 0;
    } catch (error) {
      const { code = "", syscall, name } = error as NodeJS.ErrnoException;
      const known = resultOfCode[code];
      if (known === undefined) log("store", `${syscall ?? name}: ${code}`); // not the message, which has the path
      return known ?? Failed.otherReason;
    }
  };
  // Undefined if there is no such file.
  const kindAt = (at: string): number | undefined => (at === folder ? Kind.folder : lstat(at)?.kind);

  return {
    file_status: (_folder: number, at: number, atSize: number, status: number) =>
      result(() => {
        const found = atSize === 0 ? statusOf(fs.statSync(folder)) : lstat(path(at, atSize));
        if (!found) return Failed.missing;
        const { buffer, byteOffset } = bytes(status, 32);
        const view = new DataView(buffer, byteOffset);
        view.setUint32(0, found.kind, true);
        view.setUint32(4, 0, true);
        view.setBigUint64(8, BigInt(found.size), true);
        view.setBigInt64(16, nanoseconds(found.mtimeMs), true);
        view.setBigInt64(24, nanoseconds(found.ctimeMs), true);
      }),
    file_read: (_folder: number, at: number, atSize: number, pointer: number, size: number) =>
      result(() => {
        const name = path(at, atSize);
        const found = lstat(name); // an exception of readFileSync costs five times as much
        if (!found) return Failed.missing;
        if (found.kind !== Kind.regular) return Failed.other;
        if (found.size > size) return Math.min(found.size, maxResult);
        const content = fs.readFileSync(name, { flag: readFlags as unknown as string });
        if (content.length <= size) bytes(pointer, size).set(content);
        return content.length;
      }),
    file_create: (_folder: number, at: number, atSize: number, pointer: number, size: number, length: bigint, isDurable: number) =>
      result(() =>
        withFile(path(at, atSize), "wx", (file) => {
          for (let done = 0; done < size; ) done += fs.writeSync(file, bytes(pointer + done, size - done));
          if (Number(length) > size) fs.ftruncateSync(file, Number(length));
          if (isDurable) fs.fsyncSync(file);
        }),
      ),
    file_make_folder: (_folder: number, at: number, atSize: number) => result(() => void fs.mkdirSync(path(at, atSize), { mode: 0o700 })),
    file_rename: (_folder: number, from: number, fromSize: number, to: number, toSize: number) =>
      result(() => fs.renameSync(path(from, fromSize), path(to, toSize))),
    file_remove: (_folder: number, at: number, atSize: number, isFolder: number) =>
      result(() => {
        const file = path(at, atSize);
        if (!isFolder && kindAt(file) === Kind.folder) return Failed.other; // Deno would remove an empty one
        return (isFolder ? fs.rmdirSync : fs.unlinkSync)(file);
      }),
    file_list: (_folder: number, at: number, atSize: number, pointer: number, size: number) =>
      result(() => {
        const listed = path(at, atSize);
        if ((kindAt(listed) ?? Kind.folder) !== Kind.folder) return Failed.other; // a link would be followed
        const names = Buffer.concat(fs.readdirSync(listed, { encoding: "buffer" }).flatMap((name) => [name, Buffer.of(0)]));
        if (names.length <= size) bytes(pointer, size).set(names);
        return names.length;
      }),
    file_sync: (_folder: number, at: number, atSize: number) => result(() => withFile(path(at, atSize), O_RDONLY, fs.fsyncSync)),
    monotonic: () => BigInt(Math.round(performance.now() * 1000)),
    wait: (milliseconds: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
  };
}

function nanoseconds(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1e6) || 0); // NaN: the host has no such time
}

function withFile<T>(path: string, flags: number | string, use: (file: number) => T): T {
  const file = fs.openSync(path, flags, 0o600);
  try {
    return use(file);
  } finally {
    fs.closeSync(file);
  }
}
