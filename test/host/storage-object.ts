import { readFileSync, writeFileSync } from 'node:fs';

/** `localStorage` (kept in a file) and `sessionStorage` (file undefined): the listed members only. */
export function createWebStorage(file: string | undefined): object {
  let items = new Map<string, string>();
  if (file !== undefined) {
    try {
      items = new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, string][]);
    } catch {
      // Nothing stored yet.
    }
  }
  const save = (): void => {
    if (file !== undefined) writeFileSync(file, JSON.stringify([...items]));
  };
  return {
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: unknown) => {
      items.set(key, String(value));
      save();
    },
    removeItem: (key: string) => {
      items.delete(key);
      save();
    },
    clear: () => {
      items.clear();
      save();
    },
  };
}
