import fs from 'node:fs';
import path from 'node:path';

type FileHandle = fs.promises.FileHandle;
type Data = string | NodeJS.ArrayBufferView;
type Options = { encoding?: string; flag?: string; mode?: fs.Mode } | string | null | undefined;
type Removal = { recursive?: boolean; force?: boolean } | undefined;

/**
 * Functions of `fs` that do several things inside of Node, made of those that do one each, so that these are seen. They
 * call what `fs` holds when they are called. Done at once, they are done without a pause in between.
 * @param plain the functions as Node has them.
 */
export function wholeForms(plain: typeof fs) {
  const writeSync = (file: number, data: Data, options: Options): void => {
    const bytes = bytesOf(data, options);
    for (let at = 0; at < bytes.length;) at += fs.writeSync(file, bytes, at, bytes.length - at);
  };
  const writeFileSync = (place: fs.PathOrFileDescriptor, data: Data, options?: Options): void => {
    if (typeof place === 'number') {
      writeSync(place, data, options);
      return;
    }
    const { flag, mode } = optionsOf(options);
    const file = fs.openSync(place, flag ?? 'w', mode);
    try {
      writeSync(file, data, options);
    } finally {
      fs.closeSync(file);
    }
  };
  const writeHandle = async (file: FileHandle, data: Data, options: Options): Promise<void> => {
    const bytes = bytesOf(data, options);
    for (let at = 0; at < bytes.length;)
      at += (await file.write(bytes, at, bytes.length - at, null)).bytesWritten;
  };
  const writeFile = async (
    place: fs.PathLike | FileHandle,
    data: Data,
    options?: Options,
  ): Promise<void> => {
    if (typeof place === 'object' && 'fd' in place) {
      await writeHandle(place, data, options);
      return;
    }
    const { flag, mode } = optionsOf(options);
    const file = await fs.promises.open(place, flag ?? 'w', mode);
    try {
      await writeHandle(file, data, options);
    } finally {
      await file.close();
    }
  };
  const rmSync = (place: fs.PathLike, options?: Removal): void => {
    if (options?.force === true && !plain.existsSync(place)) return;
    if (!plain.lstatSync(place).isDirectory()) {
      fs.unlinkSync(place);
      return;
    }
    if (options?.recursive !== true) throw new Error('is a folder');
    for (const name of plain.readdirSync(place)) rmSync(path.join(place.toString(), name), options);
    fs.rmdirSync(place);
  };
  const soon = <Args extends unknown[]>(work: (...args: Args) => void) =>
    callbackForm(async (...args: Args) => {
      await Promise.resolve();
      work(...args);
    });
  const appending = (options: Options): Options => ({ flag: 'a', ...optionsOf(options) });
  return {
    forSync: {
      writeFileSync,
      appendFileSync: (place: fs.PathLike, data: Data, options?: Options) => {
        writeFileSync(place, data, appending(options));
      },
      rmSync,
    },
    forPromises: {
      writeFile,
      appendFile: (place: fs.PathLike, data: Data, options?: Options) =>
        writeFile(place, data, appending(options)),
      rm: async (place: fs.PathLike, options?: Removal) => {
        await Promise.resolve();
        rmSync(place, options);
      },
    },
    forCallbacks: { writeFile: callbackForm(writeFile), rm: soon(rmSync) },
    forHandles: {
      writeFile(this: FileHandle, data: Data, options?: Options): Promise<void> {
        return writeHandle(this, data, options);
      },
      appendFile(this: FileHandle, data: Data, options?: Options): Promise<void> {
        return writeHandle(this, data, options);
      },
    },
  };
}

function callbackForm<Args extends unknown[]>(work: (...args: Args) => Promise<unknown>) {
  return (...args: [...Args, (error: unknown) => void]): void => {
    const callback = args.at(-1) as (error: unknown) => void;
    work(...(args.slice(0, -1) as Args)).then(() => {
      callback(null);
    }, callback);
  };
}

function optionsOf(options: Options): { encoding?: string; flag?: string; mode?: fs.Mode } {
  return typeof options === 'string' ? { encoding: options } : (options ?? {});
}

function bytesOf(data: Data, options: Options): Buffer {
  return typeof data === 'string'
    ? Buffer.from(data, optionsOf(options).encoding as BufferEncoding | undefined)
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
