import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The key of a client that binds its tokens to it (RFC 9449). */
export interface DpopKey {
  readonly thumbprint: string;
  /** A proof for one request. The claims and the header can be changed. */
  proof(
    method: string,
    url: string,
    accessToken?: string,
    changes?: { readonly claims?: object; readonly header?: object },
  ): Promise<string>;
}

export async function makeDpopKey(): Promise<DpopKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    proof: (method, url, accessToken, { claims = {}, header = {} } = {}) =>
      new SignJWT({
        jti: crypto.randomUUID(),
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1000),
        ...(accessToken !== undefined && {
          ath: createHash('sha256').update(accessToken).digest('base64url'),
        }),
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
        .sign(privateKey),
  };
}
