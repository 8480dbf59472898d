import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A credential that nobody can guess: 256 random bits in base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * SHA-256 in base64url: how every credential of 256 random bits is stored. A slow hash is for
 * passwords, which can be guessed.
 */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Whether two texts are equal; takes the same time wherever they differ. */
export function equalTexts(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));
}
