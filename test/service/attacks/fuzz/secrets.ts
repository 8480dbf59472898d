import type { TestService } from '../../support/running-service.js';

/** Something of the victim's, or of the service's, that no answer to the attacker may hold. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** The secrets of the service: password hashes and keys. */
export async function secretsOfService(service: TestService): Promise<Secret[]> {
  const hashes = await service.database.query<{ password_hash: string }>(
    'SELECT password_hash FROM accounts',
  );
  const keys = await service.database.query<{ name: string; value: unknown }>(
    'SELECT name, value FROM service_secrets',
  );
  return [
    ...hashes.map(({ password_hash: value }) => ({ name: 'a password hash', value })),
    ...keys.flatMap(({ name, value }) =>
      privateTexts(value).map((text) => ({ name: `the key ${name}`, value: text })),
    ),
  ];
}

/** The private members of a stored key (RFC 7517). */
function privateTexts(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    return value.length >= 16 && !/^(x|y|kid|kty|crv|alg|use)$/.test(name) ? [value] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => privateTexts(inner, key));
}
