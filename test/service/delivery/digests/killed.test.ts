import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { openEmbeddedDatabase } from '../../../../service/kernel/database/pglite.js';
import { TestBrowser } from '../../support/browser-client.js';
import { layReadyDatabase } from '../../support/database-templates.js';
import { startMailServer, type MailServer, type ReceivedMail } from '../../support/mail-server.js';
import { startServiceProcess, type ServiceProcess } from '../../support/service-process.js';
import { create, jpeg, locationOf } from '../../support/tus-client.js';

/** What people did: where it waits, and the mail about it. */
interface Answer {
  readonly table: 'share_digests' | 'reply_subscriptions';
  readonly isOf: (mail: ReceivedMail) => boolean;
}

/** The service as a separate process, which is killed without a warning. */
describe('mails of a service that is killed', () => {
  let folder: string;
  let mail: MailServer;
  let service: ServiceProcess | undefined;
  let token = '';
  let upload = '';

  const offline = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openEmbeddedDatabase(path.join(folder, 'database'));
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  const start = async (): Promise<ServiceProcess> => {
    const environment = { SMTP_URL: mail.url, MAIL_FROM: 'North Studio <mail@studio.example>' };
    service = await startServiceProcess({ dataDir: folder, environment });
    return service;
  };
  const kill = async (): Promise<void> => {
    await service?.kill();
    service = undefined;
  };
  const api = (
    { ownUrl }: ServiceProcess,
    method: string,
    address: string,
    body?: object,
  ): Promise<Response> =>
    fetch(`${ownUrl}/api/v1/${address}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  /** Makes due what waits for silence in a table, and what waits for another attempt. */
  const hurry = (table: Answer['table']): Promise<unknown> =>
    offline(async (database) => {
      for (const one of [table, 'outgoing_mail']) {
        await database.query(
          `UPDATE ${one} SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL`,
        );
      }
    });
  /** How many mails wait to be sent, besides one that was sent to confirm an address. */
  const waiting = (): Promise<number> =>
    offline(async (database) => {
      const sql = `SELECT 1 FROM outgoing_mail WHERE about ->> 'name' <> 'reply_confirmation'`;
      return (await database.query(sql)).length;
    });

  beforeAll(async () => {
    mail = await startMailServer();
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-killed-'));
    await layReadyDatabase(path.join(folder, 'database'));
    const first = await start();
    const { accessToken } = await first.connect();
    const bytes = jpeg(300);
    const made = await create(first.ownUrl, accessToken, { length: bytes.length, body: bytes });
    upload = locationOf(first.ownUrl, made).split('/').at(-1) ?? '';
    await first.stop();
    await offline(async (database) => {
      // Other mails would be refused, too.
      await database.query('UPDATE notices SET mailed_at = now()');
      const [account] = await database.query<{ id: string; workspace_id: string }>(
        `UPDATE accounts SET email = 'demo@studio.example', email_confirmed_at = now()
          WHERE username = 'demo' RETURNING id, (SELECT workspace_id FROM uploads LIMIT 1) AS workspace_id`,
      );
      const scopes = ['shares:write', 'feedback:write', 'uploads:read'] as const;
      const entry = { workspaceId: account?.workspace_id ?? '', name: 'Script', scopes, days: 7 };
      const tokens = new PersonalTokens(database, () => new Date());
      token = (await tokens.create(account?.id ?? '', entry)) ?? '';
    });
  });
  afterAll(async () => {
    await kill();
    await mail.close();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    mail.refuses(undefined);
    mail.beforeAnswer(undefined);
    await kill();
    await offline(async (database) => {
      await database.query('DELETE FROM outgoing_mail');
      await database.query('DELETE FROM share_digests');
    });
  });

  let links = 0;
  const makeLink = async (running: ServiceProcess): Promise<[string, string]> => {
    const made = await api(running, 'POST', 'shares', { uploads: [upload] });
    const { id, url } = (await made.json()) as { id: string; url: string };
    links += 1;
    await api(running, 'PATCH', `shares/${id}`, { title: `Coast ${links}` });
    return [id, new URL(url).pathname];
  };
  const isOf =
    (to: string, subject: string) =>
    (one: ReceivedMail): boolean =>
      one.to[0] === to && one.subject.includes(subject) && one.subject.endsWith(`Coast ${links}`);
  /** A guest finishes, and the studio has to hear it. */
  const finish = async (running: ServiceProcess): Promise<Answer> => {
    const [, link] = await makeLink(running);
    const guest = new TestBrowser(running.ownUrl);
    await guest.open(link);
    await guest.submit('Finish');
    await guest.submit('Finish', { name: 'Mia' });
    expect(guest.page.text).toContain('Thank');
    return { table: 'share_digests', isOf: isOf('demo@studio.example', 'finished') };
  };
  /** The studio replies, and the guest has to hear it. */
  const reply = async (running: ServiceProcess): Promise<Answer> => {
    const [id, link] = await makeLink(running);
    const email = `mia${links}@client.example`;
    const guest = new TestBrowser(running.ownUrl);
    await guest.open(`${link}/photo?photo=${upload}`);
    await guest.submit('Send', { text: 'Too dark.' });
    await guest.submit('Continue', { name: 'Mia' });
    await guest.open(`${link}/replies`);
    await guest.submit('Mail me replies', { email });
    const { source } = await mail.next(isOf(email, 'Do you want'));
    const [address = ''] = /http:[^\s"<>]+\/shares\/confirm-replies[^\s"<>]+/.exec(source) ?? [];
    const { pathname, search } = new URL(address);
    await fetch(running.ownUrl + pathname + search, { method: 'POST', body: '' });
    const list = await api(running, 'GET', `feedback?link=${id}`);
    const { feedback } = (await list.json()) as { feedback: { id: string }[] };
    const sent = await api(running, 'POST', `feedback/${feedback[0]?.id ?? ''}/reply`, {
      text: 'Yes.',
    });
    expect(sent.status).toBe(200);
    return { table: 'reply_subscriptions', isOf: isOf(email, 'New replies') };
  };
  /** The Message-IDs of the mails about an answer: a mail that comes twice has the same. */
  const idsOf = (answer: Answer): string[] =>
    mail.received.filter(answer.isOf).map(({ raw }) => /^Message-ID: (\S+)/im.exec(raw)?.[1] ?? '');

  describe.each([
    ['a guest finishes', finish],
    ['the studio replies', reply],
  ])('after %s', (_what, act) => {
    it('come once, when it was killed behind the answer', async () => {
      const answer = await act(await start());
      await kill();
      expect(idsOf(answer)).toEqual([]);
      await hurry(answer.table);
      await start();
      await mail.next(answer.isOf);
      await service?.stop();
      expect(await waiting()).toBe(0);
      expect(idsOf(answer)).toHaveLength(1);
    });

    it('come once, when it was killed while they waited for the mail server', async () => {
      const answer = await act(await start());
      await kill();
      await hurry(answer.table);
      const refused = new Promise<void>((resolve) => {
        mail.refuses(451, 'later', 'DATA');
        mail.onRefusal(resolve);
      });
      await start();
      await refused;
      await kill();
      mail.refuses(undefined);
      expect(await waiting()).toBe(1);
      await hurry(answer.table);
      await start();
      await mail.next(answer.isOf);
      await service?.stop();
      expect(await waiting()).toBe(0);
      expect(idsOf(answer)).toHaveLength(1);
    });

    it('are one mail, when it was killed before the mail server answered', async () => {
      const answer = await act(await start());
      await kill();
      await hurry(answer.table);
      const killed = new Promise<void>((resolve) => {
        mail.beforeAnswer(async (one) => {
          if (answer.isOf(one)) {
            mail.beforeAnswer(undefined);
            await kill();
            resolve();
          }
        });
      });
      await start();
      await killed;
      expect(await waiting()).toBe(1);
      await hurry(answer.table);
      mail.skip();
      await start();
      await mail.next(answer.isOf);
      await service?.stop();
      expect(await waiting()).toBe(0);
      const ids = idsOf(answer);
      expect(ids).toHaveLength(2);
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toMatch(/^<[\w-]+@studio\.example>$/);
    });
  });
});
