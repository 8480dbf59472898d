import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { types as nodeTypes } from 'node:util';
import type { Disk } from './disk.js';
import { isNoSpace } from './disk.js';
import type { Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';
import { arrayBufferOf } from './realm.js';
import type { StorageErrorName, StorageErrors } from './storage-errors.js';

/** `storage.formats`, `storage.modes`, `storage.types`: symbols, as their pages say. */
export const formats = { utf8: Symbol('utf8'), binary: Symbol('binary') } as const;
export const modes = { readOnly: Symbol('readOnly'), readWrite: Symbol('readWrite') } as const;
export const types = { file: Symbol('file'), folder: Symbol('folder') } as const;

/** The shared state of all entries of one plugin run. */
export interface EntryContext {
  readonly lifetime: Lifetime;
  readonly disk: Disk;
  readonly errors: StorageErrors;
  /** The `provider` of every entry. */
  readonly provider: () => object;
  readonly urlOf: (nativePath: string) => string;
}

/** How an entry came about, which decides what may be done with it. */
export interface EntryOrigin {
  readonly readOnly: boolean;
  /** From a picker: a folder of this kind cannot be deleted. */
  readonly picked: boolean;
}

export function storageFailure(
  context: EntryContext,
  name: StorageErrorName,
  message: string,
): HostFailure {
  return new HostFailure(new context.errors[name](message));
}

/** `storage.EntryMetadata`. */
export interface EntryMetadata {
  readonly name: string;
  readonly size: number;
  readonly dateCreated: Date;
  readonly dateModified: Date;
  readonly isFile: boolean;
  readonly isFolder: boolean;
}

/** `storage.Entry`: what files and folders have in common. Only documented members are public. */
export abstract class Entry {
  #nativePath: string;
  readonly #context: EntryContext;
  readonly #origin: EntryOrigin;

  constructor(nativePath: string, context: EntryContext, origin: EntryOrigin) {
    // Plugin code sees these classes (for instanceof) but cannot construct them.
    if (typeof nativePath !== 'string') throw new TypeError('Illegal constructor');
    this.#nativePath = nativePath;
    this.#context = context;
    this.#origin = origin;
  }

  readonly isEntry = true;
  abstract readonly isFile: boolean;
  abstract readonly isFolder: boolean;
  get name(): string {
    return nodePath.basename(this.#nativePath);
  }
  get provider(): object {
    return this.#context.provider();
  }
  get url(): string {
    return this.#context.urlOf(this.#nativePath);
  }
  get nativePath(): string {
    return this.#nativePath;
  }
  toString(): string {
    return this.#nativePath;
  }

  copyTo(
    folder: Folder,
    options: { overwrite?: boolean; allowFolderCopy?: boolean } = {},
  ): Promise<File | Folder> {
    const context = this.#context;
    return context.lifetime.callOnFile({ name: 'copyTo', on: this.#nativePath }, async () => {
      const target = this.#targetIn(folder, this.name, options.overwrite === true);
      if (this.isFolder) {
        if (options.allowFolderCopy !== true) {
          throw storageFailure(context, 'PermissionDeniedError', 'allowFolderCopy is not set');
        }
        nodeFs.cpSync(this.#nativePath, target, { recursive: true });
        return new Folder(target, context, writable);
      }
      await this.guardSpace(() =>
        context.disk.copyFile(this.#nativePath, target, () => context.lifetime.alive),
      );
      return new File(target, context, writable);
    });
  }

  moveTo(folder: Folder, options: { overwrite?: boolean; newName?: string } = {}): Promise<void> {
    const { lifetime } = this.#context;
    return lifetime.callOnFile({ name: 'moveTo', on: this.#nativePath }, async () => {
      this.#mustBeWritable();
      const target = this.#targetIn(
        folder,
        options.newName ?? this.name,
        options.overwrite === true,
      );
      if (target !== this.#nativePath && nodeFs.existsSync(target)) {
        // Windows replaces no read-only file. No page says that a file is replaced in one step.
        if (isReadOnly(target)) {
          throw storageFailure(this.#context, 'FileIsReadOnlyError', `${target} is read-only`);
        }
        await lifetime.partOfCall({ name: 'moveTo: remove', on: target }, () => {
          nodeFs.unlinkSync(target);
        });
        await lifetime.partOfCall({ name: 'moveTo: rename', on: target }, () => undefined);
      }
      nodeFs.renameSync(this.#nativePath, target);
      this.#nativePath = target;
    });
  }

  delete(): Promise<number> {
    return this.#context.lifetime.callOnFile({ name: 'delete', on: this.#nativePath }, () => {
      if (this.#origin.picked && this.isFolder) {
        throw storageFailure(
          this.#context,
          'PermissionDeniedError',
          'a folder from a picker cannot be deleted',
        );
      }
      this.#mustBeWritable();
      if (this.isFolder) nodeFs.rmdirSync(this.#nativePath);
      else nodeFs.unlinkSync(this.#nativePath);
      return 0;
    });
  }

  getMetadata(): Promise<EntryMetadata> {
    const { lifetime } = this.#context;
    return lifetime.callOnFile({ name: 'getMetadata', on: this.#nativePath }, () => {
      const stat = nodeFs.statSync(this.#nativePath);
      return {
        name: this.name,
        size: this.isFolder ? 0 : stat.size,
        dateCreated: new lifetime.realm.Date(stat.birthtimeMs),
        dateModified: new lifetime.realm.Date(stat.mtimeMs),
        isFile: this.isFile,
        isFolder: this.isFolder,
      };
    });
  }

  /** Turns a full disk into the documented error class. */
  protected async guardSpace<T>(task: () => Promise<T> | T): Promise<T> {
    try {
      return await task();
    } catch (reason) {
      if (isNoSpace(reason))
        throw storageFailure(this.#context, 'OutOfSpaceError', 'no space left');
      throw reason;
    }
  }

  #mustBeWritable(): void {
    if (this.#origin.readOnly) {
      throw storageFailure(this.#context, 'PermissionDeniedError', `${this.name} is read-only`);
    }
  }

  #targetIn(folder: Folder, name: string, overwrite: boolean): string {
    if (!(folder instanceof Folder)) {
      throw storageFailure(this.#context, 'EntryIsNotAFolderError', 'the target is not a folder');
    }
    return newPathIn(this.#context, folder, name, overwrite);
  }
}

const writable: EntryOrigin = { readOnly: false, picked: false };

/** Whether nobody may write a file. */
function isReadOnly(path: string): boolean {
  const stat = nodeFs.statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (stat.mode & 0o222) === 0;
}

/** `storage.File`. */
export class File extends Entry {
  readonly #context: EntryContext;
  readonly #origin: EntryOrigin;

  constructor(nativePath: string, context: EntryContext, origin: EntryOrigin) {
    super(nativePath, context, origin);
    this.#context = context;
    this.#origin = origin;
  }

  readonly isFile = true;
  readonly isFolder = false;
  get mode(): symbol {
    return this.#origin.readOnly || isReadOnly(this.nativePath) ? modes.readOnly : modes.readWrite;
  }

  /** Reads the whole file: the host has no ranges. */
  read(options: { format?: symbol } = {}): Promise<string | ArrayBuffer> {
    const { lifetime, disk } = this.#context;
    return lifetime.callOnFile({ name: 'read', on: this.nativePath }, () => {
      const bytes = disk.readFile(this.nativePath);
      if (options.format === formats.binary) return arrayBufferOf(lifetime.realm, bytes);
      if (options.format === undefined || options.format === formats.utf8) {
        return Buffer.from(bytes).toString('utf8');
      }
      throw storageFailure(this.#context, 'InvalidFileFormatError', 'unknown format');
    });
  }

  write(
    data: string | ArrayBuffer,
    options: { format?: symbol; append?: boolean } = {},
  ): Promise<number> {
    const context = this.#context;
    return context.lifetime.callOnFile({ name: 'write', on: this.nativePath }, () => {
      if (this.mode === modes.readOnly) {
        throw storageFailure(context, 'FileIsReadOnlyError', `${this.name} is read-only`);
      }
      const binary = nodeTypes.isArrayBuffer(data);
      if (!binary && typeof data !== 'string') {
        throw new HostFailure(
          new context.lifetime.realm.TypeError('File.write takes a string or an ArrayBuffer'),
        );
      }
      if (binary !== (options.format === formats.binary)) {
        throw storageFailure(
          context,
          'DataFileFormatMismatchError',
          'the data does not fit the format',
        );
      }
      const bytes = binary ? new Uint8Array(data) : Buffer.from(data, 'utf8');
      return this.guardSpace(() => {
        context.disk.writeFile(this.nativePath, bytes, options.append === true ? 'a' : 'w');
        return bytes.byteLength;
      });
    });
  }
}

/** `storage.Folder`. */
export class Folder extends Entry {
  readonly #context: EntryContext;
  readonly #origin: EntryOrigin;

  constructor(nativePath: string, context: EntryContext, origin: EntryOrigin) {
    super(nativePath, context, origin);
    this.#context = context;
    this.#origin = origin;
  }

  readonly isFile = false;
  readonly isFolder = true;

  getEntries(): Promise<(File | Folder)[]> {
    return this.#context.lifetime.callOnFile({ name: 'getEntries', on: this.nativePath }, () =>
      nodeFs.readdirSync(this.nativePath).map((name) => this.#open(name)),
    );
  }

  createEntry(
    name: string,
    options: { type?: symbol; overwrite?: boolean } = {},
  ): Promise<File | Folder> {
    return options.type === types.folder ? this.createFolder(name) : this.createFile(name, options);
  }

  /** Nothing is on the disk before the first write. */
  createFile(name: string, options: { overwrite?: boolean } = {}): Promise<File> {
    return this.#context.lifetime.callOnFile(
      { name: 'createFile', on: nodePath.join(this.nativePath, name) },
      () => {
        const path = newPathIn(this.#context, this, name, options.overwrite === true);
        return new File(path, this.#context, this.#inherited());
      },
    );
  }

  createFolder(name: string): Promise<Folder> {
    return this.#context.lifetime.callOnFile(
      { name: 'createFolder', on: nodePath.join(this.nativePath, name) },
      () => {
        const path = newPathIn(this.#context, this, name, false);
        nodeFs.mkdirSync(path);
        return new Folder(path, this.#context, this.#inherited());
      },
    );
  }

  /** @param path a name or a relative path below this folder */
  getEntry(path: string): Promise<File | Folder> {
    return this.#context.lifetime.callOnFile(
      { name: 'getEntry', on: nodePath.join(this.nativePath, path) },
      () => this.#open(path),
    );
  }

  renameEntry(entry: Entry, newName: string, options: { overwrite?: boolean } = {}): Promise<void> {
    return entry.moveTo(this, { newName, overwrite: options.overwrite === true });
  }

  #open(path: string): File | Folder {
    const native = nodePath.resolve(this.nativePath, path);
    if (!native.startsWith(this.nativePath + nodePath.sep)) {
      throw storageFailure(this.#context, 'PermissionDeniedError', `"${path}" leaves the folder`);
    }
    return nodeFs.statSync(native).isDirectory()
      ? new Folder(native, this.#context, this.#inherited())
      : new File(native, this.#context, this.#inherited());
  }

  #inherited(): EntryOrigin {
    return { readOnly: this.#origin.readOnly, picked: false };
  }

  /** Whether entries may be made here; for the functions of this module. */
  static isReadOnly(folder: Folder): boolean {
    return folder.#origin.readOnly;
  }
}

/** The native path of an entry to be made; checks name, permission and existence as the Folder page describes. */
function newPathIn(
  context: EntryContext,
  folder: Folder,
  name: string,
  overwrite: boolean,
): string {
  if (Folder.isReadOnly(folder)) {
    throw storageFailure(context, 'PermissionDeniedError', `${folder.name} is read-only`);
  }
  if (
    typeof name !== 'string' ||
    name === '' ||
    name === '.' ||
    name === '..' ||
    /[/\\\0:]/.test(name)
  ) {
    throw storageFailure(context, 'InvalidFileNameError', 'not a valid file name');
  }
  const path = nodePath.join(folder.nativePath, name);
  if (nodeFs.existsSync(path) && (!overwrite || nodeFs.statSync(path).isDirectory())) {
    throw storageFailure(context, 'EntryExistsError', `${name} exists`);
  }
  return path;
}
