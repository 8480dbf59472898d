import { createHash, timingSafeEqual } from 'node:crypto';

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
