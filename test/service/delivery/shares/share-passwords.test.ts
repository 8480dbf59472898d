import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { hashPassword } from '../../../../service/kernel/password-hash.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { RateLimiter } from '../../../../service/kernel/rate-limit/rate-limiter.js';
import { SharePasswords } from '../../../../service/delivery/shares/share-passwords.js';
import { openMigratedDatabase } from '../../support/database-templates.js';

const NOW = new Date('2026-01-01T00:00:00Z');
let database: Database;

beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterAll(() => database.close());

it('a request aborted before its password check counts as no attempt', async () => {
  const passwords = new SharePasswords(new RateLimiter(database, () => NOW), () => '192.0.2.1');
  const link = { id: 'link', passwordHash: await hashPassword('the right one') };
  const tryOne = (password: string, isGone: boolean): ReturnType<SharePasswords['problemOf']> => {
    const request = new IncomingMessage(new Socket());
    const response = new ServerResponse(request);
    if (isGone) response.destroy();
    return passwords.problemOf(link, password, { request, response });
  };
  for (let count = 0; count < 30; count += 1)
    expect(await tryOne('not this one', true)).not.toMatchObject({ status: 401 });
  expect(await tryOne('not this one', false)).toMatchObject({ status: 401 });
  expect(await tryOne('the right one', false)).toBeUndefined();
});
