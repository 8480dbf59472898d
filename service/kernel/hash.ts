import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Makes an unguessable secret: 256 random bits in base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * SHA-256 in base64url. Every credential of 256 random bits is stored in this form: it needs no slow hash, which is for
 * passwords, because they can be guessed.
 */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Whether two texts are equal. The time it takes does not tell where they differ. */
export function equalTexts(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));
}
