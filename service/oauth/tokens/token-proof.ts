import { errors, type TokenEndpointGrantContext } from 'oidc-provider';
import type { Queryable } from '../../kernel/database/database.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';
import { InvalidProofError, useProof, verifyProof, type DpopProof } from './dpop.js';

/**
 * The proof of a token request ([RFC 9449 §5](https://www.rfc-editor.org/rfc/rfc9449#section-5)). Authorization codes
 * are exchanged by oidc-provider, which has a check of the same kind.
 * @returns undefined when the client sent none: it gets Bearer tokens.
 * @throws {InvalidDpopProof}
 */
export async function readTokenProof(
  ctx: Pick<TokenEndpointGrantContext, 'req' | 'method' | 'oidc'>,
): Promise<DpopProof | undefined> {
  const proof = ctx.req.headers['dpop']?.toString();
  if (proof === undefined) {
    return undefined;
  }
  const url = new URL(ROUTES.token, ctx.oidc.provider.issuer);
  return refuseInvalid(verifyProof({ proof, method: ctx.method, url }));
}

/**
 * Records the use of the proof.
 * @throws {InvalidDpopProof} when it was used before.
 */
export async function useTokenProof(
  database: Queryable,
  proof: DpopProof | undefined,
): Promise<void> {
  if (proof !== undefined) {
    await refuseInvalid(useProof(database, proof));
  }
}

async function refuseInvalid<T>(checked: Promise<T>): Promise<T> {
  try {
    return await checked;
  } catch (error) {
    throw error instanceof InvalidProofError ? new errors.InvalidDpopProof(error.message) : error;
  }
}
