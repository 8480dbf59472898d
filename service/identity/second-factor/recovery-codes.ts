import { randomInt } from 'node:crypto';
import type { Queryable } from '../../kernel/database/database.js';
import { sha256 } from '../../kernel/hash.js';
import { foldTyped } from '../../kernel/typed-text.js';

/** How many codes a user gets. */
const RECOVERY_CODES = 10;

/** Letters and digits that nobody confuses: without i, l, o, u, 0 and 1. */
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz';
/** 16 characters have 78 random bits: too many to guess from the stored SHA-256. */
const CHARACTERS = 16;

/**
 * Replaces the recovery codes of an account. Call it in a transaction.
 * @returns the new codes, such as `x7kq-22mn-9pwd-c4hs`. Only their hashes are stored.
 */
export async function makeRecoveryCodes(
  transaction: Queryable,
  accountId: string,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, makeCode);
  await removeRecoveryCodes(transaction, accountId);
  await transaction.query(
    `INSERT INTO recovery_codes (code_sha256, account_id)
     SELECT jsonb_array_elements_text($1::jsonb), $2`,
    [JSON.stringify(codes.map((code) => sha256(plain(code)))), accountId],
  );
  return codes;
}

/** Accepts a recovery code once. The letter case, spaces and hyphens do not matter. */
export async function useRecoveryCode(
  database: Queryable,
  accountId: string,
  typed: string,
): Promise<boolean> {
  const used = await database.query(
    'DELETE FROM recovery_codes WHERE account_id = $1 AND code_sha256 = $2 RETURNING code_sha256',
    [accountId, sha256(plain(typed))],
  );
  return used.length > 0;
}

/** How many codes of an account are left. */
export async function countRecoveryCodes(database: Queryable, accountId: string): Promise<number> {
  const rows = await database.query('SELECT 1 FROM recovery_codes WHERE account_id = $1', [
    accountId,
  ]);
  return rows.length;
}

/** Removes the recovery codes of an account. */
export async function removeRecoveryCodes(
  transaction: Queryable,
  accountId: string,
): Promise<void> {
  await transaction.query('DELETE FROM recovery_codes WHERE account_id = $1', [accountId]);
}

function makeCode(): string {
  const characters = Array.from({ length: CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return characters.join('').replaceAll(/(.{4})(?=.)/g, '$1-');
}

function plain(typed: string): string {
  return foldTyped(typed)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}
