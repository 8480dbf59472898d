import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonObject } from '../../src/base/json.js';
import { storageOf } from '../host/manifest.js';

/**
 * What lies in the plugin's data folder, read without the plugin: the names of the photos its journal
 * holds by their ids, and the copies in the spool.
 */
export function readPluginStorage(storageDir: string): {
  readonly queued: ReadonlyMap<string, string>;
  readonly copies: readonly string[];
} {
  const data = join(storageOf(storageDir, { app: 'PS', version: '26.9' }), 'data');
  return {
    queued: readJournal(join(data, 'records')),
    copies: ['spool', 'incoming'].flatMap((folder) => entriesOf(join(data, folder))),
  };
}

function readJournal(folder: string): ReadonlyMap<string, string> {
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
    const photos = new Map<string, string>();
    for (const entry of entries) {
      const { put, remove, value } = entry ?? {};
      if (typeof remove === 'string') photos.delete(remove);
      const photo = typeof value === 'string' ? parseJsonObject(value) : null;
      if (typeof put === 'string' && typeof photo?.['name'] === 'string')
        photos.set(put, photo['name']);
    }
    return photos;
  }
  return new Map();
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
