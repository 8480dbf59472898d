import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { Database } from '../../kernel/database/database.js';
import { addSecret, storedSecrets } from '../../kernel/database/stored-secrets.js';
import { newSecret } from '../../kernel/hash.js';

/** Keys the service made for itself. They live in the database, so that every process shares them. */
export interface ServiceSecrets {
  /** Signs the cookies of the pages. */
  readonly cookieKey: string;
  /** Makes the tokens of forms and cookies (csrf.ts). */
  readonly formKey: string;
  /** The key for the HMAC in refresh tokens and for the successors of repeated refreshes. */
  readonly refreshKey: string;
  /** The key for secrets in the database that the service must read again (secret-box.ts). */
  readonly boxKey: string;
  /** The private signing key (ES256) that oidc-provider requires, as a JSON Web Key. */
  readonly signingKey: JsonWebKey;
}

/** Reads the keys, making those that are missing. The first process to write a key wins. */
export async function loadSecrets(database: Database): Promise<ServiceSecrets> {
  const secret = async <T>(name: string, make: () => T): Promise<T> => {
    await addSecret(database, name, make());
    const row = (await storedSecrets<T>(database, name)).find((stored) => stored.name === name);
    if (row === undefined) {
      throw new Error(`service secret ${name} is missing`);
    }
    return row.value;
  };
  return {
    cookieKey: await secret('cookie_key', newSecret),
    formKey: await secret('form_key', newSecret),
    refreshKey: await secret('refresh_key', newSecret),
    boxKey: await secret('box_key', newSecret),
    signingKey: await secret('signing_key', () =>
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
    ),
  };
}
