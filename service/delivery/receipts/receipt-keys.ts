import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose';
import type { Database, Queryable } from '../../kernel/database/database.js';
import { addSecret, changeSecret, storedSecrets } from '../../kernel/database/stored-secrets.js';
import { RECEIPT_ALGORITHM } from './receipt.js';

const PREFIX = 'receipt_key_';

interface KeyRow {
  number: number;
  value: JWK;
}

/** A key that signs receipts. */
export interface ReceiptKey {
  /** Names the key: its JWK thumbprint ([RFC 7638](https://www.rfc-editor.org/rfc/rfc7638)). */
  readonly kid: string;
  readonly key: CryptoKey | Uint8Array;
}

/**
 * The keys that sign receipts, numbered, among the secrets of the service. The newest one signs. The public parts of
 * all others stay, so that old receipts can be verified.
 */
export class ReceiptKeys {
  constructor(private readonly database: Database) {}

  /** Makes the first key, unless there is one. */
  async prepare(): Promise<void> {
    const [newest] = await readKeys(this.database);
    if (newest === undefined) {
      await addKey(this.database, 1);
    }
  }

  /** The key for new receipts. @throws {Error} before {@link ReceiptKeys.prepare}. */
  async current(): Promise<ReceiptKey> {
    const [newest] = await readKeys(this.database);
    if (newest === undefined) {
      throw new Error('there is no key for receipts');
    }
    const { kid = '' } = newest.value;
    return { kid, key: await importJWK(newest.value, RECEIPT_ALGORITHM) };
  }

  /** The public keys of all receipts ([RFC 7517 §5](https://www.rfc-editor.org/rfc/rfc7517#section-5)). */
  async published(): Promise<JSONWebKeySet> {
    const rows = await readKeys(this.database);
    return {
      keys: rows.map(({ value: { kty, crv, x, y, kid } }) => ({
        ...{ kty, crv, x, y, kid },
        ...{ alg: RECEIPT_ALGORITHM, use: 'sig' },
      })),
    } as JSONWebKeySet;
  }
}

/** Makes a new key for receipts, and deletes the private parts of the earlier ones. */
export async function rotateReceiptKey(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    const earlier = await readKeys(transaction);
    const [newest] = earlier;
    await addKey(transaction, (newest?.number ?? 0) + 1);
    for (const { number, value } of earlier) {
      await changeSecret(transaction, PREFIX + number, { ...value, d: undefined });
    }
  });
}

/** The newest first. */
async function readKeys(database: Queryable): Promise<KeyRow[]> {
  const rows = await storedSecrets<JWK>(database, PREFIX);
  return rows
    .map(({ name, value }) => ({ number: Number(name.slice(PREFIX.length)), value }))
    .sort((a, b) => b.number - a.number);
}

/** Another process may have added the same number: the first one wins. */
async function addKey(database: Queryable, number: number): Promise<void> {
  const { privateKey } = await generateKeyPair(RECEIPT_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const value = { ...jwk, kid: await calculateJwkThumbprint(jwk) };
  await addSecret(database, PREFIX + number, value);
}
