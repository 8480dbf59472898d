/**
 * The only way to the host's files. An app may answer late, or never, although it does what was requested. So each call has a
 * time limit, after which the change may still be made. The types refuse a call that goes another way.
 * @packageDocumentation
 */
import type { Clock } from '../../util/clock.js';
import { answerOf, StorageTimeoutError } from '../storage-retry.js';
import type { UxpFile, UxpFileSystem, UxpFolder, UxpFs } from './uxp-module.js';
import type { UxpModules } from './modules.js';

/** Bytes per second of a slow drive, such as one that is reached by a mobile connection. */
const SLOWEST_COPY = 256 * 1024;
/** For a drive that has to wake up. Milliseconds. */
const LEAST_COPY_MS = 2 * 60_000;
/** For a file of which the size is not known. Milliseconds. */
const UNKNOWN_COPY_MS = 60 * 60_000;

/** How long the bytes of a file may be under way. Milliseconds. */
function copyMs(size: number): number {
  return LEAST_COPY_MS + (size / SLOWEST_COPY) * 1_000;
}

/** The host's files. Every method that gives a promise throws `StorageTimeoutError` when the host does not answer. */
export interface Files {
  readonly fileSystem: FileSystem;
  readonly fs: PluginFs;
  readonly formats: UxpModules['uxp']['storage']['formats'];
  readonly modes: UxpModules['uxp']['storage']['modes'];
}

export function createFiles({ uxp, fs }: Pick<UxpModules, 'uxp' | 'fs'>, clock: Clock): Files {
  const { localFileSystem, formats, modes } = uxp.storage;
  return {
    fileSystem: new FileSystem(localFileSystem, clock),
    fs: new PluginFs(fs, clock),
    formats,
    modes,
  };
}

/** `localFileSystem`. A picker waits for the user, without a limit. */
export class FileSystem {
  constructor(
    private readonly files: UxpFileSystem,
    private readonly clock: Clock,
  ) {}

  /** The files that the user picks; none when the user cancels. */
  async pickFiles(types: readonly string[], allowMultiple: boolean): Promise<readonly FileEntry[]> {
    const picked = await this.files.getFileForOpening({ types, allowMultiple });
    const files = picked ? ('length' in picked ? picked : [picked]) : [];
    return Array.from(files, (file) => new FileEntry(file, this.clock));
  }

  /** Null when the user cancels. */
  async pickFolder(): Promise<FolderEntry | null> {
    const folder = await this.files.getFolder();
    return folder ? new FolderEntry(folder, this.clock) : null;
  }

  /** Null when the user cancels. */
  async pickFileToSave(name: string, types: readonly string[]): Promise<FileEntry | null> {
    const file = await this.files.getFileForSaving(name, { types });
    return file ? new FileEntry(file, this.clock) : null;
  }

  async getDataFolder(): Promise<FolderEntry> {
    const folder = await answerOf(this.clock, this.files.getDataFolder());
    return new FolderEntry(folder, this.clock);
  }

  createSessionToken({ entry }: FileEntry): string {
    return this.files.createSessionToken(entry);
  }

  createPersistentToken({ entry }: FileEntry | FolderEntry): Promise<string> {
    return answerOf(this.clock, this.files.createPersistentToken(entry));
  }

  async getEntryForPersistentToken(token: string): Promise<FileEntry | FolderEntry> {
    return entryOf(
      await answerOf(this.clock, this.files.getEntryForPersistentToken(token)),
      this.clock,
    );
  }
}

/** A file of the host. */
export class FileEntry {
  readonly isFile = true;

  /** @param entry  for other calls of the host */
  constructor(
    readonly entry: UxpFile,
    private readonly clock: Clock,
  ) {}

  get name(): string {
    return this.entry.name;
  }

  get nativePath(): string {
    return this.entry.nativePath;
  }

  get mode(): symbol {
    return this.entry.mode;
  }

  async copyTo(folder: FolderEntry, options: { readonly overwrite: boolean }): Promise<FileEntry> {
    const limitMs = await this.copyMs();
    const copy = await answerOf(this.clock, this.entry.copyTo(folder.entry, options), limitMs);
    if (!isUxpFile(copy)) {
      throw new Error('the copy is not a file');
    }
    return new FileEntry(copy, this.clock);
  }

  /** In another folder it may be on another drive, to which its bytes are copied. */
  async moveTo(
    folder: FolderEntry,
    options: { readonly overwrite: boolean; readonly newName: string },
  ): Promise<void> {
    const limitMs = folder.has(this) ? undefined : await this.copyMs();
    await answerOf(this.clock, this.entry.moveTo(folder.entry, options), limitMs);
  }

  async delete(): Promise<void> {
    await answerOf(this.clock, this.entry.delete());
  }

  getMetadata(): Promise<{ readonly size: number; readonly dateModified: Date }> {
    return answerOf(this.clock, this.entry.getMetadata());
  }

  read(options: { readonly format: symbol }): Promise<string | ArrayBuffer> {
    return answerOf(this.clock, this.entry.read(options));
  }

  async write(
    data: string | ArrayBuffer,
    options: { readonly format: symbol; readonly append?: boolean },
  ): Promise<void> {
    await answerOf(this.clock, this.entry.write(data, options));
  }

  private copyMs(): Promise<number> {
    return this.getMetadata().then(
      ({ size }) => copyMs(size),
      () => UNKNOWN_COPY_MS,
    );
  }
}

/** A folder of the host. */
export class FolderEntry {
  readonly isFile = false;

  /** @param entry  for other calls of the host */
  constructor(
    readonly entry: UxpFolder,
    private readonly clock: Clock,
  ) {}

  get name(): string {
    return this.entry.name;
  }

  get nativePath(): string {
    return this.entry.nativePath;
  }

  /** Whether a file is directly in this folder, by their paths. */
  has({ name, nativePath }: FileEntry): boolean {
    const own = this.nativePath.replace(/[/\\]$/, '');
    return nativePath === `${own}/${name}` || nativePath === `${own}\\${name}`;
  }

  async delete(): Promise<void> {
    await answerOf(this.clock, this.entry.delete());
  }

  async getEntries(): Promise<readonly (FileEntry | FolderEntry)[]> {
    const entries = await answerOf(this.clock, this.entry.getEntries());
    return Array.from(entries, (entry) => entryOf(entry, this.clock));
  }

  async getEntry(path: string): Promise<FileEntry | FolderEntry> {
    return entryOf(await answerOf(this.clock, this.entry.getEntry(path)), this.clock);
  }

  async createFile(name: string, options: { readonly overwrite: boolean }): Promise<FileEntry> {
    const file = await answerOf(this.clock, this.entry.createFile(name, options));
    return new FileEntry(file, this.clock);
  }

  async createFolder(name: string): Promise<FolderEntry> {
    const folder = await answerOf(this.clock, this.entry.createFolder(name));
    return new FolderEntry(folder, this.clock);
  }
}

/** `require('fs')`, which works in the plugin's own folders. */
export class PluginFs {
  /** By file descriptors, what the host has not answered. */
  private readonly unanswered = new Map<number, Set<Promise<unknown>>>();

  constructor(
    private readonly fs: UxpFs,
    private readonly clock: Clock,
  ) {}

  /** A file that is opened too late is closed. */
  async open(path: string, flag: string): Promise<number> {
    const opening = promiseOf(this.fs.open(path, flag));
    try {
      return await answerOf(this.clock, opening);
    } catch (error) {
      if (error instanceof StorageTimeoutError) {
        opening.then((fd) => this.close(fd)).catch(() => undefined);
      }
      throw error;
    }
  }

  /** Waits for what is under way: the number may become that of another file. */
  close(fd: number): Promise<number> {
    const close = (): Promise<number> => promiseOf(this.fs.close(fd));
    const rest = [...(this.unanswered.get(fd) ?? [])];
    return answerOf(this.clock, rest.length === 0 ? close() : Promise.allSettled(rest).then(close));
  }

  readFile(path: string, options: { readonly encoding: 'utf-8' }): Promise<string | ArrayBuffer> {
    return answerOf(this.clock, this.fs.readFile(path, options));
  }

  read(...call: Parameters<UxpFs['read']>): Promise<{ readonly bytesRead: number }> {
    return this.using(call[0], this.fs.read(...call));
  }

  write(...call: Parameters<UxpFs['write']>): Promise<{ readonly bytesWritten: number }> {
    return this.using(call[0], this.fs.write(...call));
  }

  /** Waits for an answer about an open file. */
  private using<T>(fd: number, answer: Pick<Promise<T>, 'finally'>): Promise<T> {
    const all = this.unanswered.get(fd) ?? new Set();
    const work = answer.finally(() => {
      all.delete(work);
      if (all.size === 0) {
        this.unanswered.delete(fd);
      }
    });
    this.unanswered.set(fd, all.add(work));
    return answerOf(this.clock, work);
  }
}

/** The promise of an answer, for which something else has a time limit. */
function promiseOf<T>(answer: Pick<Promise<T>, 'finally'>): Promise<T> {
  return answer.finally(() => undefined);
}

function entryOf(entry: UxpFile | UxpFolder, clock: Clock): FileEntry | FolderEntry {
  return isUxpFile(entry) ? new FileEntry(entry, clock) : new FolderEntry(entry, clock);
}

function isUxpFile(entry: UxpFile | UxpFolder): entry is UxpFile {
  return entry.isFile;
}

/** Whether an entry is a file, not a folder. */
export function isFileEntry(entry: FileEntry | FolderEntry): entry is FileEntry {
  return entry.isFile;
}
