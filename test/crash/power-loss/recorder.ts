/*
 * Loaded into a process before anything else (`node --import`): writes down what it does to a folder of the file system,
 * by whatever form of Node's `fs`. What happens does not change, but that a few functions that do several things at once
 * (writeFile, rm, …) do them one by one. What it does not know (copies, links) is refused in the folder.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Recording } from './recording.js';
import { wholeForms } from './whole-forms.js';

type Anything = (this: unknown, ...args: unknown[]) => unknown;
type Forms = Record<string, Anything>;
/** Is called before an operation; its result is called after it. */
type Watch = (...args: unknown[]) => ((result: unknown) => void) | undefined;

const plain = { ...fs };
const recording = Recording.fromEnvironment(plain);
const sync = fs as unknown as Forms;
const promised = fs.promises as unknown as Forms;

/** The operations on a path or an open file, by function name; handles have some other names. */
const WATCHES: Readonly<Record<string, Watch>> = {
  open: (path, flags) => recording.opens(path, flags),
  close: (file) => recording.closes(file),
  write: (file, data, ...where) => recording.writes(file, data, where),
  writev: (file, pieces, position) => recording.writesAll(file, pieces, position),
  ftruncate: (file, size) => recording.resizes(file, size),
  truncate: (path, size) => recording.resizesPath(path, size),
  fsync: (file) => recording.flushes(file),
  fdatasync: (file) => recording.flushes(file),
  rename: (from, to) => recording.moves(from, to),
  unlink: (path) => recording.removes(path),
  rmdir: (path) => recording.removes(path),
  mkdir: (path, options) => recording.makesFolder(path, options),
  copyFile: (_from, to) => recording.refuses('copyFile', to),
  cp: (_from, to) => recording.refuses('cp', to),
  link: (_from, to) => recording.refuses('link', to),
  symlink: (_target, path) => recording.refuses('symlink', path),
  mkdtemp: (prefix) => recording.refuses('mkdtemp', prefix),
};
const OF_HANDLES = {
  write: 'write',
  writev: 'writev',
  truncate: 'ftruncate',
  sync: 'fsync',
  datasync: 'fdatasync',
  close: 'close',
};

function watched(name: string): Watch {
  const watch = WATCHES[name];
  if (watch === undefined) throw new Error(`nothing watches ${name}`);
  return watch;
}

for (const [name, watch] of Object.entries(WATCHES)) {
  const plainSync = sync[`${name}Sync`];
  if (plainSync !== undefined)
    sync[`${name}Sync`] = (...args) => {
      const done = watch(...args);
      const result = plainSync(...args);
      done?.(result);
      return result;
    };
  const plainCallback = sync[name];
  if (plainCallback !== undefined)
    sync[name] = (...args) => {
      const callback = args.at(-1);
      if (typeof callback !== 'function') return plainCallback(...args);
      const given = args.slice(0, -1);
      const done = watch(...given);
      return plainCallback(...given, (error: unknown, ...results: unknown[]) => {
        if (error === null || error === undefined) done?.(results[0]);
        (callback as Anything)(error, ...results);
      });
    };
  const plainPromise = promised[name];
  if (plainPromise !== undefined)
    promised[name] = async (...args) => {
      const done = watch(...args);
      const result = await plainPromise(...args);
      done?.(result);
      return result;
    };
}

const probe = await plain.promises.open('/dev/null');
const handles = Object.getPrototypeOf(probe) as Forms;
await probe.close();
for (const [name, as] of Object.entries(OF_HANDLES)) {
  const plainMethod = handles[name];
  const watch = watched(as);
  handles[name] = async function (...args) {
    const done = watch((this as fs.promises.FileHandle).fd, ...args);
    const result = await plainMethod?.apply(this, args);
    done?.(result);
    return result;
  };
}

const whole = wholeForms(plain);
Object.assign(sync, whole.forCallbacks, whole.forSync);
Object.assign(promised, whole.forPromises);
Object.assign(handles, whole.forHandles);
syncBuiltinESMExports();
