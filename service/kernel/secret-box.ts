import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Derives a key for each kind of secrets ([RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)). What was sealed for one purpose
 * does not open for another.
 * @param boxKey `boxKey` of the service's secrets
 * @param purposes `secrets` of a module
 */
export function secretKeys<Purpose extends string>(
  boxKey: string,
  purposes: Readonly<Record<Purpose, string>>,
): Readonly<Record<Purpose, Uint8Array>> {
  const keys = Object.keys(purposes).map((purpose) => [
    purpose,
    new Uint8Array(hkdfSync('sha256', boxKey, '', `secret-box ${purpose}`, 32)),
  ]);
  return Object.fromEntries(keys) as Record<Purpose, Uint8Array>;
}

/**
 * Encrypts a secret that the service must read again, for a column of the type bytea.
 * @param key of {@link secretKeys}
 */
export function sealSecret(key: Uint8Array, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/**
 * Decrypts what {@link sealSecret} returned.
 * @throws {Error} for another key or purpose, and for bytes that were changed.
 */
export function openSecret(key: Uint8Array, sealed: Uint8Array): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}
