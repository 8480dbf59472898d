import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { auditInto, type Audit } from '../../../../service/identity/accounts/audit.js';
import { appendEvent } from '../../../../service/app/events.js';
import { LINK_EVENTS } from '../../../../service/delivery/shares/events.js';
import { MEMBER_KIND } from '../../../../service/identity/invitations/events.js';
import type { EventDeclaration } from '../../../../service/kernel/events/event.js';
import { MEMBER_EVENTS } from '../../../../service/workspace/members/events.js';
import { createWorkspace } from '../../../../service/identity/accounts/accounts.js';
import { RETRY_MS, WebhookSender } from '../../../../service/workspace/webhooks/webhook-sender.js';
import { WebhookTable } from '../../../../service/workspace/webhooks/webhook-table.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { NOOP_METRICS } from '../../../../service/kernel/metrics/metrics-port.js';
import { secretKeys } from '../../../../service/kernel/secret-box.js';
import { SECRETS } from '../../../../service/workspace/module.js';
import { startScriptedServer, type ScriptedServer } from '../../../support/http-server.js';
import { addUser, type TestUser } from '../../support/users.js';
import { openMigratedDatabase } from '../../support/database-templates.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Received {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: readonly string[];
  readonly body: string;
}

describe('deliveries to webhooks', () => {
  let database: Database;
  let receiver: ScriptedServer;
  let user: TestUser;
  let workspaceId: string;
  let webhooks: WebhookTable;
  let webhook: { readonly id: string; readonly secret: string };
  let before = 0;
  let status = 200;
  let headers: Readonly<Record<string, string>> = {};
  let nowMs = Date.now();

  const { webhook: key } = secretKeys('a key', SECRETS);
  const now = (): Date => new Date(nowMs);
  const received = (): Received[] =>
    receiver.requests.slice(before).map((request) => ({
      id: request.headers['webhook-id'] ?? '',
      timestamp: request.headers['webhook-timestamp'] ?? '',
      signatures: (request.headers['webhook-signature'] ?? '').split(' '),
      body: request.body.toString(),
    }));
  const nothing = (): Promise<void> => Promise.resolve();
  const audit: Audit = (...event) =>
    auditInto({ log: () => undefined, database, append: appendEvent, addressOf: () => '', now })(
      ...event,
    );
  const sender = (allowsPrivate = true): WebhookSender =>
    new WebhookSender({
      ...{ database, key, policy: { allowsPrivate }, audit, now },
      counts: NOOP_METRICS,
    });

  beforeAll(async () => {
    database = await openMigratedDatabase();
    receiver = await startScriptedServer();
    receiver.otherwise(() => ({ status, headers }));
  });
  afterAll(async () => {
    await receiver.close();
    await database.close();
  });
  beforeEach(async () => {
    before = receiver.requests.length;
    nowMs = Date.now();
    status = 200;
    headers = {};
    // What earlier tests left is not due in this one.
    await database.query('DELETE FROM webhooks');
    workspaceId = await createWorkspace(database, 'North Studio');
    user = await addUser({ database }, { [workspaceId]: 'owner' });
    webhooks = new WebhookTable(database, [MEMBER_KIND], key, now);
    const made = await webhooks.create(
      { url: `${receiver.origin}/hook`, events: [MEMBER_KIND] },
      { workspaceId, accountId: user.accountId },
      nothing,
    );
    if (made === 'full') throw new Error('no room for a webhook');
    webhook = made;
  });

  const happens = (declaration: EventDeclaration = MEMBER_EVENTS.left): Promise<void> =>
    appendEvent(database, {
      happenedAt: now(),
      declaration,
      workspaceId,
      accountId: user.accountId,
      by: user.accountId,
      about: {},
    });
  const signature = (secret: string, { id, timestamp, body }: Received): string =>
    `v1,${createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')}`;

  // @threat R5
  it('are signed, and have the event of a chosen kind', async () => {
    await happens(LINK_EVENTS.created);
    await happens();
    await sender().run();
    expect(received()).toHaveLength(1);
    const [one] = received() as [Received];
    expect(one.signatures).toEqual([signature(webhook.secret, one)]);
    expect(Number(one.timestamp)).toBe(Math.floor(nowMs / 1000));
    const person = { id: user.accountId, username: user.username, name: expect.any(String) };
    expect(JSON.parse(one.body)).toEqual({
      type: 'member.left',
      timestamp: now().toISOString(),
      data: expect.objectContaining({ workspace_id: workspaceId, user: person, by: person }),
    });
  });

  it('are accepted by the verifier of Standard Webhooks, unless one byte or secret is another', async () => {
    await happens();
    await sender().run();
    const [{ id, timestamp, signatures, body }] = received() as [Received];
    const verify = (secret: string, text: string): unknown =>
      new Webhook(secret).verify(text, {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      });
    expect(verify(webhook.secret, body)).toEqual(JSON.parse(body));
    expect(() => verify(webhook.secret, `${body} `)).toThrow('No matching signature');
    expect(() => verify(webhook.secret.replace(/^whsec_./, 'whsec_-'), body)).toThrow();
  });

  it('are not made when the change is rolled back', async () => {
    const change = database.transaction(async (transaction) => {
      await appendEvent(transaction, {
        ...{
          happenedAt: now(),
          declaration: MEMBER_EVENTS.left,
          workspaceId,
          by: undefined,
          about: {},
        },
        accountId: user.accountId,
      });
      throw new Error('the change failed');
    });
    await expect(change).rejects.toThrow('the change failed');
    await sender().run();
    expect(received()).toEqual([]);
  });

  it('carry signatures of the former secret, too, for a day after a change', async () => {
    const secret = await webhooks.rotateSecret(webhook.id, nothing);
    await happens();
    await sender().run();
    nowMs += DAY_MS + 1;
    await happens();
    await sender().run();
    const [during, after] = received() as [Received, Received];
    expect(during.signatures).toEqual([
      signature(secret, during),
      signature(webhook.secret, during),
    ]);
    expect(after.signatures).toEqual([signature(secret, after)]);
  });

  it('are repeated with the same id and a longer wait each, until one succeeds', async () => {
    status = 500;
    await happens();
    await sender().run();
    for (const wait of RETRY_MS.slice(0, 3)) {
      nowMs += wait - 1;
      await sender().run();
      const sent = received().length;
      nowMs += 1;
      if (sent === 3) status = 204;
      await sender().run();
      expect(received()).toHaveLength(sent + 1);
    }
    nowMs += DAY_MS;
    await sender().run();
    expect(received()).toHaveLength(4);
    expect(new Set(received().map(({ id }) => id)).size).toBe(1);
    const [delivery] = await webhooks.deliveriesOf(webhook.id);
    expect(delivery).toMatchObject({ attempts: 4, status: 204, dueAt: undefined });
    expect(delivery?.deliveredAt).toBeDefined();
  });

  it('end after three days of failures, and notify the owners', async () => {
    status = 500;
    const member = await addUser({ database }, { [workspaceId]: 'member' });
    await happens();
    await sender().run();
    for (const wait of RETRY_MS) {
      await happens();
      nowMs += wait;
      await sender().run();
    }
    const [found] = await webhooks.of(workspaceId);
    expect(found?.disabledAt?.getTime()).toBe(nowMs);
    const { host } = new URL(receiver.origin);
    const notices = `SELECT account_id, about FROM notices WHERE kind = 'webhook_turned_off' AND account_id = ANY ($1::text[])`;
    const accounts = `{${user.accountId},${member.accountId}}`;
    expect(await database.query(notices, [accounts])).toEqual([
      { account_id: user.accountId, about: { name: host } },
    ]);
    const events = `SELECT about ->> 'name' AS name FROM audit_events
                     WHERE action = 'webhook_turned_off' AND workspace_id = $1`;
    expect(await database.query(events, [workspaceId])).toEqual([{ name: host }]);
    expect((await webhooks.deliveriesOf(webhook.id)).filter(({ dueAt }) => dueAt)).toEqual([]);
    const sent = received().length;
    await happens();
    nowMs += DAY_MS;
    await sender().run();
    expect(received()).toHaveLength(sent);
  });

  it('are not sent while the webhook is off, not even those that waited', async () => {
    await happens();
    await database.query('UPDATE webhooks SET disabled_at = $2 WHERE id = $1', [webhook.id, now()]);
    await happens();
    const [waiting, ...others] = await webhooks.deliveriesOf(webhook.id);
    expect([waiting?.attempts, others]).toEqual([0, []]);
    await webhooks.sendAgain(webhook.id, waiting?.id ?? '');
    nowMs += DAY_MS;
    await sender().run();
    expect(received()).toEqual([]);
    await webhooks.change(
      webhook.id,
      { url: `${receiver.origin}/hook`, events: [MEMBER_KIND] },
      nothing,
    );
    await sender().run();
    expect(received().map(({ id }) => id)).toEqual([waiting?.id]);
  });

  it('end at once when the receiver is gone, and notify the owners', async () => {
    status = 410;
    await happens();
    await sender().run();
    const [found] = await webhooks.of(workspaceId);
    expect(found?.disabledAt?.getTime()).toBe(nowMs);
    const notices = `SELECT 1 FROM notices WHERE kind = 'webhook_turned_off' AND account_id = $1`;
    expect(await database.query(notices, [user.accountId])).toHaveLength(1);
    nowMs += DAY_MS;
    await sender().run();
    expect(received()).toHaveLength(1);
  });

  it.each([
    ['seconds', () => '3600', HOUR_MS],
    ['a date', () => new Date(nowMs + 2 * HOUR_MS).toUTCString(), 2 * HOUR_MS],
    ['a year, of which a day counts', () => '31536000', DAY_MS],
    ['less than the usual wait', () => '1', RETRY_MS[0] ?? 0],
    ['a time in the past', () => 'Thu, 01 Jan 1970 00:00:00 GMT', RETRY_MS[0] ?? 0],
    ['words', () => 'soon', RETRY_MS[0] ?? 0],
  ])('wait for as long as Retry-After names: %s', async (_what, value, wait) => {
    nowMs = Math.ceil(nowMs / 1000) * 1000;
    [status, headers] = [503, { 'retry-after': value() }];
    await happens();
    await sender().run();
    nowMs += wait - 1;
    await sender().run();
    expect(received()).toHaveLength(1);
    nowMs += 1;
    await sender().run();
    expect(received()).toHaveLength(2);
  });

  it.each([
    [500, undefined, 10_000],
    [429, '3600', HOUR_MS],
  ])('of a webhook wait together after %i with Retry-After %s', async (answer, value, wait) => {
    status = answer;
    headers = value === undefined ? {} : { 'retry-after': value };
    await happens();
    await sender().run();
    for (let count = 0; count < 5; count += 1) {
      nowMs += 1;
      await happens();
    }
    nowMs += wait - 6;
    await sender().run();
    expect(received()).toHaveLength(1);
    const dueAt = nowMs + 1;
    const waiting = await webhooks.deliveriesOf(webhook.id);
    expect(new Set(waiting.map((one) => one.dueAt?.getTime()))).toEqual(new Set([dueAt]));
    nowMs = dueAt;
    [status, headers] = [200, {}];
    await sender().run();
    expect(received()).toHaveLength(7);
    // Those that are due for longest come first.
    const times = received().map(
      ({ body }) => (JSON.parse(body) as { timestamp: string }).timestamp,
    );
    expect(times.slice(1, 5).toSorted()).toEqual(times.toSorted().slice(2, 6));
  });

  it('wait as long as the webhook has failed, an hour at most', async () => {
    status = 500;
    await happens();
    await sender().run();
    const pauses: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      await happens();
      const [newest] = await webhooks.deliveriesOf(webhook.id);
      const dueMs = newest?.dueAt?.getTime() ?? 0;
      pauses.push((dueMs - nowMs) / 1000);
      nowMs = dueMs;
      await sender().run();
    }
    expect(pauses).toEqual([10, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
  });

  it.each([
    [
      'again',
      async () => {
        const [first] = await webhooks.deliveriesOf(webhook.id);
        await webhooks.sendAgain(webhook.id, first?.id ?? '');
      },
    ],
    [
      'to another address',
      () =>
        webhooks.change(
          webhook.id,
          { url: `${receiver.origin}/new`, events: [MEMBER_KIND] },
          nothing,
        ),
    ],
  ])('wait no longer when they are sent %s', async (_how, change) => {
    [status, headers] = [503, { 'retry-after': '3600' }];
    await happens();
    await sender().run();
    await happens();
    await change();
    status = 200;
    await sender().run();
    expect(received().length).toBeGreaterThan(1);
  });

  it('wait for Retry-After also when another one succeeds', async () => {
    await happens();
    await sender().run();
    [status, headers] = [429, { 'retry-after': '60' }];
    await happens();
    await sender().run();
    [status, headers] = [200, {}];
    await database.query('UPDATE webhooks SET failing_since = NULL, failed_at = NULL');
    await happens();
    await sender().run();
    expect(received()).toHaveLength(2);
    nowMs += 60_000;
    await sender().run();
    expect(received()).toHaveLength(4);
  });

  it('end after three days of failures that began while the clock was ahead', async () => {
    const year = 365 * DAY_MS;
    nowMs += year;
    status = 500;
    await happens();
    await sender().run();
    nowMs -= year;
    await sender().run();
    nowMs += 3 * DAY_MS + 1;
    await happens();
    await sender().run();
    const [found] = await webhooks.of(workspaceId);
    expect(found?.disabledAt?.getTime()).toBe(nowMs);
  });

  it('go on when a clock that was ahead is put right', async () => {
    const year = 365 * DAY_MS;
    nowMs += year;
    [status, headers] = [500, { 'retry-after': '60' }];
    await happens();
    await sender().run();
    nowMs -= year;
    status = 200;
    await sender().run();
    expect(received()).toHaveLength(2);
    const [delivery] = await webhooks.deliveriesOf(webhook.id);
    expect(delivery).toMatchObject({ status: 200, dueAt: undefined });
  });

  it('are sent once by two processes', async () => {
    for (let count = 0; count < 10; count += 1) await happens();
    await Promise.all([sender().run(), sender().run()]);
    expect(received()).toHaveLength(10);
    expect(new Set(received().map(({ id }) => id)).size).toBe(10);
  });

  it('are sent by another process when the first one died', async () => {
    await happens();
    await database.query(
      `UPDATE webhook_deliveries SET attempts = 1, due_at = $1 WHERE due_at <= $2`,
      [new Date(nowMs + 60_000), now()],
    );
    await sender().run();
    expect(received()).toEqual([]);
    nowMs += 60_000;
    await sender().run();
    expect(received()).toHaveLength(1);
  });

  // @threat R4
  it('reach no private address', async () => {
    await database.query(`UPDATE webhooks SET url = 'https://localhost:1/' WHERE id = $1`, [
      webhook.id,
    ]);
    await happens();
    await sender(false).run();
    const [delivery] = await webhooks.deliveriesOf(webhook.id);
    expect(delivery).toMatchObject({ status: undefined, failure: 'not_public' });
  });
});
