import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DigestTable } from '../../../service/delivery/digests/digest-table.js';
import { SubscriptionTable } from '../../../service/delivery/replies/subscription-table.js';
import type { Queryable } from '../../../service/kernel/database/database.js';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';
import { addSharedPhotos, shareAs } from '../delivery/shares/sharing.js';
import { startTestService, type TestService } from '../support/running-service.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';

/** Far ahead, so that the jobs of the service take none of them. */
const DUE = new Date('2099-01-01T00:00:00Z');
const clock = (): Date => new Date('2099-01-02T00:00:00Z');

describe('mails that two processes queue at once', () => {
  let databaseUrl: string;
  let service: TestService;

  beforeAll(async () => {
    databaseUrl = await makeDatabaseUrl(SERVER);
    const database = await openPostgresDatabase(databaseUrl, () => undefined);
    service = await startTestService({ database });
    const { member, harbour, night } = await addSharedPhotos(service);
    await shareAs(service, member, { photo: harbour });
    await shareAs(service, member, { photo: night });
    await service.database.query(
      'INSERT INTO share_digests (share_id, since, due_at) SELECT id, $1, $1 FROM shares',
      [DUE],
    );
    await service.database.query(
      `INSERT INTO reply_subscriptions (share_id, guest_id, email, address_key, locale, requested_at,
                                        confirmed_at, since, due_at)
       SELECT id, 'mia', 'mia@client.example', id, 'en', $1, $1, $1, $1 FROM shares`,
      [DUE],
    );
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment,
                                  created_at, reply, replied_at, is_reply_mailed)
       SELECT shares.id, shares.id, $2, 'comment', 'mia', 'Mia', $2, 1, 'ab', 'Dark', $1, 'Yes', $1, false FROM shares`,
      [DUE, harbour],
    );
  });
  afterAll(async () => {
    await service.close();
    await dropDatabase(SERVER, databaseUrl);
  });

  type Take = (
    send: (transaction: Queryable, shareId: string) => Promise<void>,
  ) => Promise<boolean>;

  it.each<[string, () => Take]>([
    [
      'digests',
      () => (send) =>
        new DigestTable(service.database, clock).takeDue((transaction, { shareId }) =>
          send(transaction, shareId),
        ),
    ],
    [
      'replies',
      () => (send) =>
        new SubscriptionTable(service.database, clock).takeDue((transaction, { subscription }) =>
          send(transaction, subscription.shareId),
        ),
    ],
  ])('are different ones, and none waits for the other: %s', async (_what, open) => {
    const take = open();
    const taken: string[] = [];
    let enter = (): void => undefined;
    let leave = (): void => undefined;
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const left = new Promise<void>((resolve) => (leave = resolve));
    const first = take(async (_transaction, shareId) => {
      taken.push(shareId);
      enter();
      await left;
    });
    await entered;
    // It would wait for ever for the row of the first one.
    const second = await take((_transaction, shareId) => {
      taken.push(shareId);
      return Promise.resolve();
    });
    leave();
    expect([await first, second]).toEqual([true, true]);
    expect(new Set(taken).size).toBe(2);
    expect(await take(() => Promise.reject(new Error('a third one')))).toBe(false);
  });
});
