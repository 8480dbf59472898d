import { describe, expect, it } from '@jest/globals';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';

describe('a server without the database of DATABASE_URL', () => {
  it.each([
    ['creative-workspce', 'creative-workspce'],
    ['caf%C3%A9', 'café'],
  ])('fails at the start with a message that names %s', async (path, name) => {
    const url = new URL(process.env['TEST_DATABASE_URL'] ?? '');
    url.pathname = `/${path}`;

    await expect(openPostgresDatabase(url.href, () => undefined)).rejects.toMatchObject({
      code: 'database_unavailable',
      message: `Cannot use the database: the server has no database ${name}; check DATABASE_URL and the server.`,
    });
  });
});
