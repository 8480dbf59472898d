import * as nodeFs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { types as nodeTypes } from 'node:util';
import type { Disk } from './disk.js';
import { noSpace } from './disk.js';
import type { FileOperation, Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';
import { arrayBufferOf } from './realm.js';
import type { ResolvedPath, Sandbox } from './sandbox.js';

/** The last argument of every asynchronous function; without it a promise is returned. */
type Callback<T> = (error: Error | null, result?: T) => void;

/** Node-like, but only the parts every platform gives. */
interface Stats {
  readonly size: number;
  readonly birthtime: Date;
  readonly mtime: Date;
  isFile(): boolean;
  isDirectory(): boolean;
}

interface EncodingOptions {
  encoding?: string;
}

interface WriteFileOptions extends EncodingOptions {
  flag?: string;
  mode?: number;
}

/** `require('fs')`: exactly the members of its page (createReadStream, of which only the name is known, is left out). */
export interface FsModule {
  readFile(
    path: string,
    options?: EncodingOptions | Callback<string | ArrayBuffer>,
    callback?: Callback<string | ArrayBuffer>,
  ): Promise<string | ArrayBuffer>;
  readFileSync(path: string, options?: EncodingOptions): string | ArrayBuffer;
  writeFile(
    path: string,
    data: string | ArrayBuffer | ArrayBufferView,
    options?: WriteFileOptions | Callback<number>,
    callback?: Callback<number>,
  ): Promise<number>;
  writeFileSync(
    path: string,
    data: string | ArrayBuffer | ArrayBufferView,
    options?: WriteFileOptions,
  ): number;
  open(
    path: string,
    flag?: string | Callback<number>,
    mode?: number | Callback<number>,
    callback?: Callback<number>,
  ): Promise<number>;
  close(fd: number, callback?: Callback<number>): Promise<number>;
  read(
    fd: number,
    buffer: ArrayBuffer,
    offset: number,
    length: number,
    position: number,
    callback?: Callback<ReadResult>,
  ): Promise<ReadResult>;
  write(
    fd: number,
    buffer: ArrayBuffer,
    offset: number,
    length: number,
    position: number,
    callback?: Callback<WriteResult>,
  ): Promise<WriteResult>;
  lstat(path: string, callback?: Callback<Stats>): Promise<Stats>;
  lstatSync(path: string): Stats;
  rename(oldPath: string, newPath: string, callback?: Callback<number>): Promise<number>;
  copyFile(
    src: string,
    dest: string,
    flags?: number | Callback<number>,
    callback?: Callback<number>,
  ): Promise<number>;
  unlink(path: string, callback?: Callback<number>): Promise<number>;
  mkdir(
    path: string,
    options?: { recursive?: boolean } | Callback<number>,
    callback?: Callback<number>,
  ): Promise<number>;
  rmdir(path: string, callback?: Callback<number>): Promise<number>;
  readdir(path: string, callback?: Callback<string[]>): Promise<string[]>;
  readdirSync(path: string): string[];
}

interface ReadResult {
  readonly bytesRead: number;
  readonly buffer: ArrayBuffer;
}

interface WriteResult {
  readonly bytesWritten: number;
  readonly buffer: ArrayBuffer;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly nativePath: string;
  /** Where position -1 reads and writes. */
  position: number;
}

const openFlags = ['r', 'r+', 'w', 'wx', 'w+', 'wx+', 'a', 'ax', 'a+', 'ax+'];

/** Documented functions that a build lacks. */
export type Unimplemented = Set<keyof FsModule>;

/**
 * @returns the module; how many file descriptors stand open (a test for leaks); and which functions throw
 *   "Unimplemented method", as `lstatSync` does in Premiere 26.3: at first all synchronous ones
 */
export function createFsModule(
  sandbox: Sandbox,
  disk: Disk,
  lifetime: Lifetime,
): { fs: FsModule; openDescriptors: () => number; unimplemented: Unimplemented } {
  const { realm } = lifetime;
  const files = new Map<number, OpenFile>();
  /** A system gives the lowest number that is free. */
  const freeDescriptor = (): number => {
    let fd = 3;
    while (files.has(fd)) fd += 1;
    return fd;
  };
  lifetime.onEnd(() => {
    for (const { handle } of files.values()) handle.close().catch(() => undefined);
    files.clear();
  });

  /** A promise, or with a callback as last argument that callback. */
  const answer = <T>(
    operation: FileOperation,
    task: () => Promise<T> | T,
    args: readonly unknown[],
  ): Promise<T> => {
    const promise = lifetime.callOnFile(operation, task);
    const callback = args.findLast((arg) => typeof arg === 'function') as Callback<T> | undefined;
    if (callback !== undefined) {
      promise.then(
        (result) => callback(null, result),
        (error: unknown) => callback(lifetime.errorOf(error)),
      );
    }
    return promise;
  };
  const readable = (path: string): string => sandbox.resolve(path).nativePath;
  const writable = (path: string): string => {
    const resolved: ResolvedPath = sandbox.resolve(path);
    if (resolved.readOnly) {
      throw Object.assign(new Error(`Permission denied: "${path}" is read-only`), {
        code: 'EACCES',
      });
    }
    return resolved.nativePath;
  };
  const fileOf = (fd: number): OpenFile => {
    const file = files.get(fd);
    if (file === undefined) {
      throw Object.assign(new Error('EBADF: bad file descriptor'), { code: 'EBADF' });
    }
    return file;
  };
  const slice = (buffer: ArrayBuffer, offset: number, length: number): Uint8Array => {
    if (!nodeTypes.isArrayBuffer(buffer)) {
      throw new HostFailure(
        new realm.TypeError('fs: the buffer must be an ArrayBuffer, not a view'),
      );
    }
    if (!isCount(offset) || !isCount(length) || offset + length > buffer.byteLength) {
      throw new HostFailure(new realm.Error('fs: offset and length must lie inside the buffer'));
    }
    return new Uint8Array(buffer, offset, length);
  };
  const place = (position: number): number | undefined => {
    if (position === -1) return undefined;
    if (!isCount(position))
      throw new HostFailure(new realm.Error('fs: position must be -1 or more'));
    return position;
  };

  const readFileSync: FsModule['readFileSync'] = (path, options) => {
    const bytes = disk.readFile(readable(path));
    const encoding = encodingOf(options);
    return encoding === undefined ? arrayBufferOf(realm, bytes) : decode(bytes, encoding);
  };
  const writeFileSync: FsModule['writeFileSync'] = (path, data, options) => {
    const bytes =
      typeof data === 'string' ? encode(data, encodingOf(options) ?? 'utf-8') : bytesOf(data);
    const flag = options?.flag ?? 'w';
    if (!openFlags.includes(flag) || flag.startsWith('r'))
      throw new Error(`fs: unknown flag "${flag}"`);
    disk.writeFile(writable(path), bytes, flag, options?.mode);
    return bytes.byteLength;
  };
  const lstatSync: FsModule['lstatSync'] = (path) => {
    const stat = nodeFs.lstatSync(readable(path));
    return {
      size: stat.size,
      birthtime: new realm.Date(stat.birthtimeMs),
      mtime: new realm.Date(stat.mtimeMs),
      isFile: () => stat.isFile(),
      isDirectory: () => stat.isDirectory(),
    };
  };
  const sync = <Args extends unknown[], T>(task: (...args: Args) => T) => {
    return (...args: Args): T => {
      try {
        return task(...args);
      } catch (reason) {
        throw lifetime.errorOf(reason);
      }
    };
  };
  const optionsOf = <T extends object, R>(value: T | Callback<R> | undefined): T | undefined =>
    typeof value === 'function' ? undefined : value;

  const fs: FsModule = {
    readFile: (path, options, callback) =>
      answer({ name: 'fs.readFile', on: path }, () => readFileSync(path, optionsOf(options)), [
        options,
        callback,
      ]),
    readFileSync: sync(readFileSync),
    writeFile(path, data, options, callback) {
      // The host takes the bytes when it is called: later changes of the buffer have no effect.
      const copy =
        typeof data === 'string'
          ? data
          : nodeTypes.isArrayBuffer(data) || ArrayBuffer.isView(data)
            ? bytesOf(data)
            : data;
      return answer(
        { name: 'fs.writeFile', on: path },
        () => writeFileSync(path, copy, optionsOf(options)),
        [options, callback],
      );
    },
    writeFileSync: sync(writeFileSync),
    open: (path, flag, mode, callback) =>
      answer(
        { name: 'fs.open', on: path },
        async () => {
          const how = typeof flag === 'string' ? flag : 'r';
          if (!openFlags.includes(how)) throw new Error(`fs: unknown flag "${how}"`);
          const nativePath = how === 'r' ? readable(path) : writable(path);
          const handle = await nodeFs.promises.open(
            nativePath,
            how,
            typeof mode === 'number' ? mode : 0o666,
          );
          const position = how.startsWith('a') ? (await handle.stat()).size : 0;
          const fd = freeDescriptor();
          files.set(fd, { handle, nativePath, position });
          return fd;
        },
        [flag, mode, callback],
      ),
    close: (fd, callback) =>
      answer(
        { name: 'fs.close', on: String(fd) },
        async () => {
          const { handle } = fileOf(fd);
          files.delete(fd);
          await handle.close();
          return 0;
        },
        [callback],
      ),
    read: (fd, buffer, offset, length, position, callback) =>
      answer(
        { name: 'fs.read', on: String(fd) },
        async () => {
          const file = fileOf(fd);
          const target = slice(buffer, offset, length);
          const at = place(position);
          disk.checkReadable(file.nativePath);
          const { bytesRead } = await file.handle.read(target, 0, length, at ?? file.position);
          if (at === undefined) file.position += bytesRead;
          return { bytesRead, buffer };
        },
        [callback],
      ),
    write: (fd, buffer, offset, length, position, callback) =>
      answer(
        { name: 'fs.write', on: String(fd) },
        async () => {
          const file = fileOf(fd);
          const source = slice(buffer, offset, length);
          const at = place(position);
          const granted = disk.take(length);
          const { bytesWritten } = await file.handle.write(source, 0, granted, at ?? file.position);
          if (at === undefined) file.position += bytesWritten;
          if (granted < length) throw noSpace();
          return { bytesWritten, buffer };
        },
        [callback],
      ),
    lstat: (path, callback) =>
      answer({ name: 'fs.lstat', on: path }, () => lstatSync(path), [callback]),
    lstatSync: sync(lstatSync),
    rename: (oldPath, newPath, callback) =>
      answer(
        { name: 'fs.rename', on: oldPath },
        async () => {
          await nodeFs.promises.rename(writable(oldPath), writable(newPath));
          return 0;
        },
        [callback],
      ),
    copyFile: (src, dest, flags, callback) =>
      answer(
        { name: 'fs.copyFile', on: src },
        async () => {
          await disk.copyFile(readable(src), writable(dest), () => lifetime.alive);
          return 0;
        },
        [flags, callback],
      ),
    unlink: (path, callback) =>
      answer(
        { name: 'fs.unlink', on: path },
        async () => {
          await nodeFs.promises.unlink(writable(path));
          return 0;
        },
        [callback],
      ),
    mkdir: (path, options, callback) =>
      answer(
        { name: 'fs.mkdir', on: path },
        async () => {
          const recursive = optionsOf(options)?.recursive === true;
          await nodeFs.promises.mkdir(writable(path), { recursive });
          return 0;
        },
        [options, callback],
      ),
    rmdir: (path, callback) =>
      answer(
        { name: 'fs.rmdir', on: path },
        async () => {
          await nodeFs.promises.rmdir(writable(path));
          return 0;
        },
        [callback],
      ),
    readdir: (path, callback) =>
      answer({ name: 'fs.readdir', on: path }, () => nodeFs.promises.readdir(readable(path)), [
        callback,
      ]),
    readdirSync: sync((path) => nodeFs.readdirSync(readable(path))),
  };
  const unimplemented: Unimplemented = new Set([
    'readFileSync',
    'writeFileSync',
    'lstatSync',
    'readdirSync',
  ]);
  for (const name of Object.keys(fs) as (keyof FsModule)[]) {
    const implemented = fs[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        if (unimplemented.has(name)) throw new realm.Error('Unimplemented method');
        return implemented(...args);
      },
    });
  }
  return { fs, openDescriptors: () => files.size, unimplemented };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

type Encoding = 'utf-8' | 'utf-16be' | 'utf-16le';

/** Only the documented encodings, only as `{ encoding }`. */
function encodingOf(options: unknown): Encoding | undefined {
  if (options === undefined) return undefined;
  if (typeof options !== 'object' || options === null)
    throw new TypeError('fs: options must be an object');
  const { encoding } = options as { encoding?: unknown };
  if (encoding === undefined) return undefined;
  if (encoding === 'utf-8' || encoding === 'utf-16be' || encoding === 'utf-16le') return encoding;
  throw new Error('fs: unknown encoding; utf-8, utf-16be and utf-16le are documented');
}

function decode(bytes: Uint8Array, encoding: Encoding): string {
  const copy = Buffer.from(bytes);
  if (encoding === 'utf-8') return copy.toString('utf8');
  return (encoding === 'utf-16be' ? copy.swap16() : copy).toString('utf16le');
}

function encode(text: string, encoding: Encoding): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (nodeTypes.isArrayBuffer(data)) return new Uint8Array(data.slice(0));
  if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  }
  throw new TypeError('fs: the data must be a string, an ArrayBuffer or a view');
}
