import { sha256 } from '@noble/hashes/sha2.js';
import type { FileStat } from '../../host/folders.js';
import { hexOf } from '../../util/hex.js';
import {
  isJsonObject,
  numberField,
  parseJsonObject,
  textField,
  type JsonObject,
} from '../../util/json.js';
import { encodeUtf8 } from '../../../packages/utf8/index.js';
import { readProjectRef, type ProjectRef } from '../../api/project.js';
import { readDocumentId } from '../queue/index.js';

/**
 * What has been done with a file. `before`: it was there when the folder was chosen. `taken`: it is on the list, or was. `moved`: it is
 * uploaded, and is moved out of the folder.
 */
const SETTLED = ['before', 'taken', 'moved'] as const;

/** A file of the watched folder as it was last seen. */
interface SeenFile extends FileStat {
  readonly name: string;
  /** Id of its photo; empty for a file that was there before. */
  readonly id: string;
  /** Wall-clock time in milliseconds at which it was taken; 0 for a file that was there before. */
  readonly at: number;
  /** Identity that its versions share; null while it has none. */
  readonly document: string | null;
  /** Digest of parts of its content, see `content-mark.ts`; null when it is not known. */
  readonly mark: string | null;
  /** The project of its first version. */
  readonly project: ProjectRef | null;
}

/** A file with which nothing is being done. */
export interface SettledFile extends SeenFile {
  readonly state: (typeof SETTLED)[number];
}

/** A file that is being copied, and may be on the list already. */
export interface TakingFile extends SeenFile {
  readonly state: 'taking';
  /** What it was before it was taken because its date has changed. The same content is not sent again. */
  readonly was?: SettledFile;
}

export type KnownFile = SettledFile | TakingFile;

/** Prefix of the keys; photos' keys are hexadecimal. */
export const FILE_PREFIX = 'folder-file-';

/** The key of a file's record. */
export function keyOf(name: string): string {
  return FILE_PREFIX + name;
}

/**
 * The id of the photo that a file becomes. The same file in the same state always has the same id. So the service
 * recognises a file that is taken a second time because the record of the first was lost.
 */
export function photoIdOf(folderId: string, name: string, { size, modified }: FileStat): string {
  const text = JSON.stringify([folderId, name, size, modified]);
  return hexOf(sha256(encodeUtf8(text)).subarray(0, 16));
}

export function isSameStat(one: FileStat, other: FileStat): boolean {
  return one.size === other.size && one.modified === other.modified;
}

/** What a known file was, if its size is the same; null for another size, and for a new file. */
export function formerOf(known: KnownFile, { size }: FileStat): SettledFile | null {
  const former = known.state === 'taking' ? known.was : known;
  return former?.size === size ? former : null;
}

/** A file that was there when the folder was chosen. */
export function fileFromBefore(name: string, { size, modified }: FileStat): SettledFile {
  const none = { id: '', at: 0, document: null, mark: null, project: null };
  return { name, size, modified, state: 'before', ...none };
}

export function writeFile(file: KnownFile): string {
  return JSON.stringify({ version: 1, ...file });
}

/** Reads a stored file; null for anything else. */
export function readFile(text: string): KnownFile | null {
  const body = parseJsonObject(text);
  if (body?.['version'] !== 1) {
    return null;
  }
  if (body['state'] !== 'taking') {
    return readSettled(body);
  }
  const file = readSeen(body);
  const was = isJsonObject(body['was']) ? readSettled(body['was']) : null;
  return file && { ...file, state: 'taking', ...(was && { was }) };
}

function readSettled(body: JsonObject): SettledFile | null {
  const file = readSeen(body);
  const state = SETTLED.find((known) => known === body['state']);
  return file && state ? { ...file, state } : null;
}

function readSeen(body: JsonObject): SeenFile | null {
  const name = textField(body, 'name');
  const size = numberField(body, 'size');
  const modified = numberField(body, 'modified');
  if (name === null || size === null || modified === null) {
    return null;
  }
  return {
    name,
    size,
    modified,
    id: textField(body, 'id') ?? '',
    at: numberField(body, 'at') ?? 0,
    document: readDocumentId(textField(body, 'document')),
    mark: textField(body, 'mark'),
    project: readProjectRef(body['project']),
  };
}

/** Gives the text that stores the files that were there before, in one record. */
export function writeBefore(files: readonly KnownFile[]): string {
  return JSON.stringify({
    version: 1,
    files: files.map(({ name, size, modified }) => [name, size, modified]),
  });
}

export function readBefore(text: string): readonly KnownFile[] {
  const body = parseJsonObject(text);
  const files: unknown = body?.['files'];
  if (body?.['version'] !== 1 || !Array.isArray(files)) {
    return [];
  }
  return files.flatMap((entry: unknown): readonly KnownFile[] => {
    const fields: readonly unknown[] = Array.isArray(entry) ? entry : [];
    const [name, size, modified] = fields;
    return typeof name === 'string' && typeof size === 'number' && typeof modified === 'number'
      ? [fileFromBefore(name, { size, modified })]
      : [];
  });
}

/** The folder that the user has chosen. */
export interface FolderChoice {
  /** Chosen at random with the folder. */
  readonly id: string;
  readonly token: string;
  readonly name: string;
  readonly path: string;
  /** Digest of the account or session that has chosen it (`owner.ts`). */
  readonly owner: string;
  /** Where its files go; null for no project. */
  readonly project: ProjectRef | null;
  /** Whether uploaded files are moved into a subfolder. */
  readonly movesUploaded: boolean;
}

export function writeChoice(choice: FolderChoice): string {
  return JSON.stringify({ version: 1, ...choice });
}

export function readChoice(text: string): FolderChoice | null {
  const body = parseJsonObject(text);
  if (!isJsonObject(body) || body['version'] !== 1) {
    return null;
  }
  const [id, token, name, path, owner] = ['id', 'token', 'name', 'path', 'owner'].map((field) =>
    textField(body, field),
  );
  if (!id || !token || !name || path === undefined || path === null || !owner) {
    return null;
  }
  const project = readProjectRef(body['project']);
  return { id, token, name, path, owner, project, movesUploaded: body['movesUploaded'] === true };
}
