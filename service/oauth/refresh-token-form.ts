import { createHmac } from 'node:crypto';
import { equalTexts } from '../hash.js';

/** How much of the HMAC a token carries, in base64url: 132 bits. */
const PROOF_LENGTH = 22;

/**
 * A refresh token: a secret, the id of its grant, and a proof that the service made it, with dots between them. So a
 * used token is recognised although its row is deleted, and whoever shows it holds a copy
 * ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)). The id of a grant is no secret.
 * @param secret 256 bits in base64url
 * @param key known to the service alone
 */
export function refreshTokenOf(secret: string, grantId: string, key: string): string {
  return `${secret}.${grantId}.${proofOf(secret, grantId, key)}`;
}

/** The grant that a refresh token names; undefined where the proof is wrong, and for tokens of older versions. */
export function grantNamedBy(refreshToken: string, key: string): string | undefined {
  const [secret, grantId, proof, ...more] = refreshToken.split('.');
  if (secret === undefined || grantId === undefined || proof === undefined || more.length > 0) {
    return undefined;
  }
  return equalTexts(proof, proofOf(secret, grantId, key)) ? grantId : undefined;
}

/** Whether a refresh token names its grant. Call it only for tokens that this service has made: no proof is checked. */
export function namesGrant(refreshToken: string | undefined): boolean {
  return refreshToken?.includes('.') === true;
}

function proofOf(secret: string, grantId: string, key: string): string {
  return createHmac('sha256', key)
    .update(`refresh token\0${secret}\0${grantId}`)
    .digest('base64url')
    .slice(0, PROOF_LENGTH);
}
