import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose';
import type { Database, Queryable } from '../../kernel/database/database.js';
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
    const [newest] = await readKeys(transaction);
    const number = (newest?.number ?? 0) + 1;
    await addKey(transaction, number);
    await transaction.query(
      `UPDATE service_secrets SET value = value - 'd' WHERE name LIKE $1 AND name <> $2`,
      [`${PREFIX}%`, PREFIX + number],
    );
  });
}

/** The newest first. */
function readKeys(database: Queryable): Promise<KeyRow[]> {
  return database.query<KeyRow>(
    `SELECT substr(name, ${PREFIX.length + 1})::integer AS number, value FROM service_secrets
      WHERE name LIKE $1 ORDER BY number DESC`,
    [`${PREFIX}%`],
  );
}

/** Another process may have added the same number: the first one wins. */
async function addKey(database: Queryable, number: number): Promise<void> {
  const { privateKey } = await generateKeyPair(RECEIPT_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const value = { ...jwk, kid: await calculateJwkThumbprint(jwk) };
  await database.query(
    'INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    [PREFIX + number, JSON.stringify(value)],
  );
}
