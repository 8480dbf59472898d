import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonObject } from '../../src/util/json.js';
import { storageOf } from '../host/manifest.js';

/**
 * What is in the plugin's data folder, read without the plugin: the names of the photos its journal
 * holds by their ids, and the copies. A photo that was being added counts when its copy is complete.
 */
export function readPluginStorage(storageDir: string): {
  readonly queued: ReadonlyMap<string, string>;
  readonly copies: readonly string[];
} {
  const data = join(storageOf(storageDir, { app: 'PS', version: '26.9' }), 'data');
  const { queued, adding } = readJournal(join(data, 'records'));
  const whole = entriesOf(join(data, 'spool'));
  for (const id of whole) {
    const name = adding.get(id);
    if (name !== undefined && !queued.has(id)) queued.set(id, name);
  }
  return { queued, copies: [...whole, ...entriesOf(join(data, 'incoming'))] };
}

/** Names of photos by their ids. */
interface Journal {
  readonly queued: Map<string, string>;
  readonly adding: ReadonlyMap<string, string>;
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
    const queued = new Map<string, string>();
    const adding = new Map<string, string>();
    for (const entry of entries) {
      const { put, remove, value } = entry ?? {};
      if (typeof remove === 'string') queued.delete(remove);
      const photo = typeof value === 'string' ? parseJsonObject(value) : null;
      if (typeof put === 'string' && typeof photo?.['name'] === 'string')
        queued.set(put, photo['name']);
      if (typeof put === 'string' && put.startsWith('adding-')) {
        const photos = (photo?.['photos'] ?? []) as { id: string; name: string }[];
        for (const { id, name } of photos) adding.set(id, name);
      }
    }
    return { queued, adding };
  }
  return { queued: new Map(), adding: new Map() };
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
