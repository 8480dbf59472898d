import { createHmac } from 'node:crypto';
import { equalTexts, newSecret } from '../../kernel/hash.js';

/** Every access token begins with this (interface, section 2). */
export const ACCESS_TOKEN_PREFIX = 'svc_at_';

/** How much of the HMAC a refresh token carries, in base64url: 132 bits. */
const PROOF_LENGTH = 22;

export function newAccessToken(): string {
  return ACCESS_TOKEN_PREFIX + newSecret();
}

/**
 * A refresh token: a secret, the id of its grant and a MAC of the service, separated by dots. The grant of a used token
 * can be found after its row is deleted, so reuse is detected
 * ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)). The id of a grant is not secret.
 * @param secret 256 bits in base64url
 * @param a secret key of the service
 */
export function formatRefreshToken(secret: string, grantId: string, key: string): string {
  return `${secret}.${grantId}.${proofOf(secret, grantId, key)}`;
}

/** The id of the grant in a refresh token; undefined when this service did not make the token. */
export function parseGrantId(refreshToken: string, key: string): string | undefined {
  const [secret, grantId, proof, ...more] = refreshToken.split('.');
  if (secret === undefined || grantId === undefined || proof === undefined || more.length > 0) {
    return undefined;
  }
  return equalTexts(proof, proofOf(secret, grantId, key)) ? grantId : undefined;
}

function proofOf(secret: string, grantId: string, key: string): string {
  return createHmac('sha256', key)
    .update(`refresh token\0${secret}\0${grantId}`)
    .digest('base64url')
    .slice(0, PROOF_LENGTH);
}
