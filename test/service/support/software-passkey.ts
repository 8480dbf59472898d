import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Page } from './browser-client.js';
import type { TestService } from './running-service.js';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** User present and verified ([WebAuthn §6.1](https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data)). */
const FLAGS = 0b101;
const BACKUP_ELIGIBLE = 0b1000;

/** A passkey whose key is in the test, for pages that are submitted without a real browser. */
export interface SoftwarePasskey {
  /**
   * The value of the field `passkey`, as a browser makes it for the passkey form on this page.
   * @param origin of the site that the user is on; by default that of the page.
   * @param count the signature count.
   */
  respond(page: Page, origin?: string, count?: number): string;
}

/** Adds a passkey to a user. */
export async function addPasskey(
  { database }: Pick<TestService, 'database'>,
  accountId: string,
  /** Whether it may be synced. */
  isBackupEligible = false,
): Promise<SoftwarePasskey> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  // A COSE key as CBOR ([RFC 9053 §7.1](https://www.rfc-editor.org/rfc/rfc9053#section-7.1)): EC2, ES256, P-256.
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  const id = randomBytes(16).toString('base64url');
  await database.query(
    `INSERT INTO passkeys (id, account_id, public_key, counter, transports, name, created_at)
     VALUES ($1, $2, decode($3, 'hex'), 0, '[]', 'Laptop', now())`,
    [id, accountId, cose.toString('hex')],
  );
  return {
    respond: ({ markup, url }, origin = new URL(url).origin, count = 0) => {
      const [, options = '{}'] = /data-options="([^"]*)"/.exec(markup) ?? [];
      const { challenge, rpId } = JSON.parse(options.replaceAll('&quot;', '"')) as {
        challenge: string;
        rpId: string;
      };
      const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin }));
      const flags = isBackupEligible ? FLAGS | BACKUP_ELIGIBLE : FLAGS;
      const authenticator = Buffer.concat([sha256(rpId), Buffer.from([flags, 0, 0, 0, count])]);
      const signature = sign('sha256', Buffer.concat([authenticator, sha256(client)]), privateKey);
      return JSON.stringify({
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authenticator.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      });
    },
  };
}
