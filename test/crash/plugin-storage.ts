import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJsonObject, textField, type JsonObject } from '../../src/util/json.js';
import { storageOf } from '../host/manifest.js';

/** A photo in the plugin's storage. */
export interface StoredPhoto {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Name of the project that it goes to; null for none. */
  readonly project: string | null;
  /** Whether the service has given its upload an address. */
  readonly hasBegun: boolean;
}

/**
 * What is in the plugin's data folder, read without the plugin: the photos that its journal holds, by their ids, and the
 * copies. A photo that was being added counts when its copy is complete. `continuing` has the names of the others whose
 * files the plugin opens again by itself.
 */
export function readPluginStorage(storageDir: string): {
  readonly queued: ReadonlyMap<string, StoredPhoto>;
  readonly copies: readonly string[];
  readonly continuing: ReadonlySet<string>;
} {
  const data = join(storageOf(storageDir, { app: 'PS', version: '26.9' }), 'data');
  const { queued, adding } = readJournal(join(data, 'records'));
  const spool = join(data, 'spool');
  const whole = entriesOf(spool);
  const continuing = new Set<string>();
  for (const [id, { photo, canReopen }] of adding) {
    if (queued.has(id)) continue;
    const size = sizeOf(join(spool, id));
    if (size !== null) queued.set(id, { ...photo, size });
    else if (canReopen) continuing.add(photo.name);
  }
  return { queued, copies: [...whole, ...entriesOf(join(data, 'incoming'))], continuing };
}

/** The key of the note of a picked photo, before its id. */
const PICKED = 'picked-';

/** Photos by their ids. */
interface Journal {
  readonly queued: Map<string, StoredPhoto>;
  readonly adding: ReadonlyMap<
    string,
    { readonly photo: StoredPhoto; readonly canReopen: boolean }
  >;
}

function readJournal(folder: string): Journal {
  const journals = entriesOf(folder)
    .map((name) => ({ name, number: Number(/^journal-(\d+)/.exec(name)?.[1]) }))
    .sort((a, b) => b.number - a.number);
  for (const { name } of journals) {
    const text = textOf(join(folder, name));
    // The plugin has just put a new one in its place.
    if (text === null) return readJournal(folder);
    const lines = text.split('\n');
    lines.pop(); // what was cut short
    const entries = lines.map(parseJsonObject);
    if (!entries.some((entry) => entry?.['complete'] === true)) continue;
    const queued = new Map<string, StoredPhoto>();
    const adding = new Map<string, { photo: StoredPhoto; canReopen: boolean }>();
    for (const entry of entries) {
      const { put, remove, value } = entry ?? {};
      if (typeof remove === 'string') {
        queued.delete(remove);
        adding.delete(remove.slice(PICKED.length));
      }
      const body = typeof value === 'string' ? parseJsonObject(value) : null;
      const photo = body && readPhoto(body);
      if (typeof put !== 'string' || !photo) continue;
      if (put.startsWith(PICKED))
        adding.set(put.slice(PICKED.length), {
          photo,
          canReopen: typeof body['token'] === 'string',
        });
      else queued.set(put, photo);
    }
    return { queued, adding };
  }
  return { queued: new Map(), adding: new Map() };
}

function readPhoto(body: JsonObject): StoredPhoto | null {
  const { name, size, project, uploadUrl } = body;
  return typeof name === 'string'
    ? {
        name,
        size: Number(size),
        project: isJsonObject(project) ? textField(project, 'name') : null,
        hasBegun: typeof uploadUrl === 'string',
      }
    : null;
}

/** Null when the file is gone. */
function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

/** Null when the file is gone. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (existsSync(path)) throw error;
    return null;
  }
}

function entriesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
