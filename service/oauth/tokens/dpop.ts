import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import type { Queryable } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';
import { sha256 } from '../../kernel/hash.js';
import { epochSeconds } from '../../identity/index.js';

/** Signatures that proofs may have. Without RSA: a stranger chooses the key, and a large one is slow. */
export const DPOP_ALGORITHMS = ['ES256', 'Ed25519', 'EdDSA'] as const;

/** How far the time of a proof may be from now, in seconds, both ways: clocks of computers differ. */
const WINDOW_SECONDS = 300;

/** What a request sends to prove that its sender has a key. */
export interface ProofRequest {
  /** The value of the `DPoP` header. */
  readonly proof: string | undefined;
  /** The method as it was sent. */
  readonly method: string;
  /** The address under the base URL, whatever `Host` is; the query does not count. */
  readonly url: URL;
}

/** A proof with a valid signature for one request. */
export interface DpopProof {
  /** SHA-256 thumbprint of the public key ([RFC 7638](https://www.rfc-editor.org/rfc/rfc7638)), in base64url. */
  readonly thumbprint: string;
  readonly jti: string;
  /** In seconds since 1970. */
  readonly issuedAt: number;
}

/** A proof that is missing, malformed, or for another request. The message is for the response. */
export class InvalidProofError extends Error {
  override readonly name = 'InvalidProofError';
}

/**
 * Checks a proof ([RFC 9449 §4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)), except whether it was used
 * before; see {@link useProof}.
 * @param accessToken the token that the proof must name in `ath`; undefined at the token endpoint.
 * @throws {InvalidProofError}
 */
export async function verifyProof(
  { proof, method, url }: ProofRequest,
  accessToken?: string,
): Promise<DpopProof> {
  if (proof === undefined || proof === '') {
    throw new InvalidProofError('the DPoP header is missing');
  }
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
    algorithms: [...DPOP_ALGORITHMS],
    typ: 'dpop+jwt',
  }).catch((error: unknown) => {
    // Keys that cannot be read are a TypeError or a DOMException.
    throw new InvalidProofError('the DPoP proof is malformed', { cause: error });
  });
  const { iat, jti, htm, htu, ath } = payload;
  if (typeof jti !== 'string' || jti === '') {
    throw new InvalidProofError('the DPoP proof has no jti');
  }
  if (typeof iat !== 'number' || Math.abs(epochSeconds() - iat) > WINDOW_SECONDS) {
    throw new InvalidProofError('the DPoP proof is not recent');
  }
  if (htm !== method) {
    throw new InvalidProofError('the DPoP proof is for another method');
  }
  if (typeof htu !== 'string' || withoutQuery(htu) !== withoutQuery(url.href)) {
    throw new InvalidProofError('the DPoP proof is for another address');
  }
  if (accessToken !== undefined && ath !== sha256(accessToken)) {
    throw new InvalidProofError('the DPoP proof is for another access token');
  }
  const { jwk } = protectedHeader;
  if (jwk === undefined) {
    throw new InvalidProofError('the DPoP proof has no key');
  }
  return { thumbprint: await calculateJwkThumbprint(jwk), jti, issuedAt: iat };
}

const USE = prepared(
  `INSERT INTO dpop_proofs (proof_sha256, expires_at) VALUES ($1, $2)
   ON CONFLICT (proof_sha256) DO NOTHING RETURNING proof_sha256`,
);

/**
 * Records the use of a proof, once for all processes
 * ([RFC 9449 §11.1](https://www.rfc-editor.org/rfc/rfc9449#section-11.1)). Call it after the token or code was checked,
 * so that strangers store nothing.
 * @throws {InvalidProofError} when it was used before.
 */
export async function useProof(
  database: Queryable,
  { thumbprint, jti, issuedAt }: DpopProof,
): Promise<void> {
  const used = await database.query(USE, [
    sha256(`${thumbprint}\0${jti}`),
    new Date((issuedAt + WINDOW_SECONDS + 1) * 1000),
  ]);
  if (used.length === 0) {
    throw new InvalidProofError('the DPoP proof was used before');
  }
}

/** An address for comparison ([RFC 9449 §4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)). */
function withoutQuery(address: string): string | undefined {
  if (!URL.canParse(address)) {
    return undefined;
  }
  const url = new URL(address);
  url.search = '';
  url.hash = '';
  return url.href;
}
