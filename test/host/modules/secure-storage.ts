import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { types } from 'node:util';
import type { Lifetime } from './lifetime.js';
import { isAtLeast } from '../../../uxp-api/versions.js';

/** The behaviours of `getItem` for a missing key. It is not documented, so a plugin must accept all of them. */
export type MissingKeyAnswer = 'null' | 'undefined' | 'empty' | 'reject';

/** The faults of secure storage. */
export interface SecureStorageControl {
  /** The host forgets everything, as the documents warn it may at any time. */
  loseEverything(): void;
  /** From now on writes (setItem, removeItem, clear) reject with this text; undefined ends it. */
  failWrites(text: string | undefined): void;
  /** From now on reads reject with this text; undefined ends it. */
  failReads(text: string | undefined): void;
  /** The behaviour of `getItem` for a missing key. Default: rejects before UXP 9.0, null from 9.0 on. */
  missingKey: MissingKeyAnswer;
  /** The stored keys and values, for assertions. */
  contents(): ReadonlyMap<string, Uint8Array>;
}

/** `require('uxp').storage.secureStorage`: exactly the members of its page. */
export interface SecureStorage {
  readonly length: number;
  setItem(key: string, value: string | ArrayBuffer | ArrayBufferView): Promise<void>;
  getItem(key: string): Promise<Uint8Array | null | undefined>;
  removeItem(key: string): Promise<void>;
  key(index: number): string | null;
  clear(): Promise<void>;
}

/**
 * A secure storage in one file. Values come back as bytes even when a string was stored; empty values are refused; before
 * UXP 9.0 removing a missing key and clearing an empty store reject.
 */
export function createSecureStorage(
  file: string,
  uxpVersion: string,
  lifetime: Lifetime,
): { secureStorage: SecureStorage; control: SecureStorageControl } {
  const { realm } = lifetime;
  const lenient = isAtLeast(uxpVersion, '9.0');
  let items = load(file);
  let writeFault: string | undefined;
  let readFault: string | undefined;

  const save = (next: Map<string, Uint8Array>): void => {
    const text = JSON.stringify(
      [...next].map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    items = next;
  };
  const checkKey = (key: unknown): void => {
    if (typeof key !== 'string')
      throw new realm.TypeError('secureStorage: the key must be a string');
  };
  const write = (change: (next: Map<string, Uint8Array>) => void): Promise<void> =>
    lifetime.call(() => {
      if (writeFault !== undefined) throw new Error(writeFault);
      const next = new Map(items);
      change(next);
      save(next);
    });

  const control: SecureStorageControl = {
    loseEverything: () => save(new Map()),
    failWrites: (text) => {
      writeFault = text;
    },
    failReads: (text) => {
      readFault = text;
    },
    missingKey: lenient ? 'null' : 'reject',
    contents: () => items,
  };

  const secureStorage: SecureStorage = {
    get length() {
      return items.size;
    },
    setItem(key, value) {
      checkKey(key);
      const bytes = bytesOf(value);
      if (bytes === undefined) {
        throw new realm.TypeError(
          'secureStorage: the value must be a string, an ArrayBuffer or a typed array',
        );
      }
      return write((next) => {
        if (bytes.byteLength === 0)
          throw new Error('secureStorage: an empty value cannot be stored');
        next.set(key, bytes);
      });
    },
    getItem(key) {
      checkKey(key);
      return lifetime.call(() => {
        if (readFault !== undefined) throw new Error(readFault);
        const value = items.get(key);
        if (value !== undefined) return new realm.Uint8Array(value);
        switch (control.missingKey) {
          case 'null':
            return null;
          case 'undefined':
            return undefined;
          case 'empty':
            return new realm.Uint8Array(0);
          case 'reject':
            throw new Error('secureStorage: no such key');
        }
      });
    },
    removeItem(key) {
      checkKey(key);
      return write((next) => {
        if (!next.delete(key) && !lenient) throw new Error('secureStorage: no such key');
      });
    },
    key(index) {
      return [...items.keys()][index] ?? null;
    },
    clear() {
      return write((next) => {
        if (next.size === 0 && !lenient) throw new Error('secureStorage: nothing to clear');
        next.clear();
      });
    },
  };
  return { secureStorage, control };
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return new Uint8Array(Buffer.from(value, 'utf8'));
  if (types.isArrayBuffer(value)) return new Uint8Array(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(
      value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength),
    );
  }
  return undefined;
}

function load(file: string): Map<string, Uint8Array> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return new Map();
  }
  const pairs = JSON.parse(text) as [string, string][];
  return new Map(pairs.map(([key, value]) => [key, new Uint8Array(Buffer.from(value, 'base64'))]));
}
