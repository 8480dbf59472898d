import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../service/kernel/database/database.js';
import { loadSecrets } from '../../../service/oauth/provider/service-secrets.js';
import { openMigratedDatabase } from '../support/database-templates.js';

describe('the keys of the service', () => {
  let database: Database;

  beforeAll(async () => {
    database = await openMigratedDatabase();
  });
  afterAll(() => database.close());

  it('the keys are created once and shared by all processes and starts', async () => {
    const [one, other] = await Promise.all([loadSecrets(database), loadSecrets(database)]);

    expect(other).toEqual(one);
    expect(await loadSecrets(database)).toEqual(one);
  });

  it('are five different keys of 256 random bits', async () => {
    const { signingKey, ...keys } = await loadSecrets(database);

    expect(Object.keys(keys).sort()).toEqual(['boxKey', 'cookieKey', 'formKey', 'refreshKey']);
    for (const key of Object.values(keys)) expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(new Set(Object.values(keys)).size).toBe(4);
    expect(signingKey).toMatchObject({ kty: 'EC', crv: 'P-256', d: expect.any(String) });
  });

  it('creates missing keys without changing the others', async () => {
    const before = await loadSecrets(database);
    await database.query(`DELETE FROM service_secrets WHERE name = 'refresh_key'`);

    const after = await loadSecrets(database);

    expect(after.refreshKey).not.toBe(before.refreshKey);
    expect({ ...after, refreshKey: before.refreshKey }).toEqual(before);
  });
});
