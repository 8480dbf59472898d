import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { settleEndedShares } from '../../../../service/delivery/shares/ended-shares.js';
import { ENDED_SHARE_DAYS } from '../../../../service/delivery/shares/share.js';
import { ShareTable } from '../../../../service/delivery/shares/share-table.js';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import type { Scope } from '../../../../service/identity/scopes.js';
import { expireGuests, GUEST_DAYS } from '../../../../service/library/feedback/guest-expiry.js';
import { TestBrowser } from '../../support/browser-client.js';
import { addUser, openSettings, type TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, shareAs } from './sharing.js';

const DAY_MS = 24 * 3_600_000;

describe('what a guest types', () => {
  let now = Date.parse('2026-11-28T12:00:00Z');
  let member: TestUser;
  let owner: TestUser;
  let workspaceId: string;
  let harbour: string;
  let link: string;
  let shareId: string;

  const service = useService({ now: () => new Date(now) });
  beforeAll(async () => {
    ({ member, owner, workspaceId, harbour } = await addSharedPhotos(service));
  });
  beforeEach(async () => {
    now += 2 * 3_600_000;
    await service.database.query('DELETE FROM shares');
    await service.database.query('DELETE FROM share_answers');
    await service.database.query(
      `DELETE FROM audit_events WHERE action LIKE 'feedback%' OR action LIKE 'link%'`,
    );
    link = await shareAs(service, member, { photo: harbour });
    const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    shareId = share?.id ?? '';
  });

  const photoPage = (): string => `${link}/photo?photo=${harbour}`;
  const post = async (
    guest: TestBrowser,
    fields: Readonly<Record<string, string>>,
    path = 'answers',
  ): Promise<number> => {
    const answer = await getAsAnybody(service, `${link}/${path}`, {
      method: 'POST',
      headers: { cookie: guest.allCookies },
      body: new URLSearchParams({ csrf: guest.csrf, version: harbour, ...fields }),
    });
    return answer.status;
  };
  /** A guest who has approved, withdrawn, chosen, commented and finished. */
  const answerAs = async (name: string): Promise<TestBrowser> => {
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(photoPage());
    await guest.submit('Request changes');
    await guest.submit('Continue', { name });
    await guest.submit('Approve');
    await guest.submit('Favorite');
    await guest.submit('Send', { text: `Comment of ${name}` });
    await post(guest, { sentence: `Sentence of ${name}` }, 'finish');
    return guest;
  };
  const idOf = async (name: string): Promise<string> => {
    const [row] = await service.database.query<{ guest_id: string }>(
      'SELECT guest_id FROM share_answers WHERE guest_name = $1 LIMIT 1',
      [name],
    );
    return row?.guest_id ?? '';
  };
  const ask = async (
    method: string,
    path: string,
    { user = member, scopes = ['uploads:read', 'feedback:write'] as readonly Scope[] } = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const tokens = new PersonalTokens(service.database, () => new Date(now));
    const token = await tokens.create(user.accountId, {
      ...{ workspaceId, name: 'Script', scopes, days: 7 },
    });
    const answer = await fetch(`${service.baseUrl}/api/v1/guests/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  };
  const answers = (): Promise<Record<string, unknown>[]> =>
    service.database.query(
      'SELECT kind, guest_id, guest_name, version FROM share_answers ORDER BY kind, guest_name',
    );

  it('is exported for one guest, with nothing of another', async () => {
    await answerAs('Mia');
    await answerAs('Noor');
    const id = await idOf('Mia');
    const { status, body } = await ask('GET', `${id}?link=${shareId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ id, name: 'Mia', link: shareId, is_known: false, email: null },
      finished: { at: new Date(now).toISOString(), text: 'Sentence of Mia' },
    });
    const feedback = body['feedback'] as Record<string, unknown>[];
    expect(feedback.map(({ kind }) => kind).toSorted()).toEqual([
      ...['approval', 'changes', 'comment', 'favourite'],
    ]);
    expect(feedback).toContainEqual(
      expect.objectContaining({ text: 'Comment of Mia', file: 'Harbour <b>.jpg' }),
    );
    expect(feedback).toContainEqual(
      expect.objectContaining({ kind: 'changes', withdrawn: expect.any(String) }),
    );
    expect(JSON.stringify(body)).not.toContain('Noor');
  });

  it('is removed for one guest, and restored on the page', async () => {
    await answerAs('Mia');
    await answerAs('Noor');
    const id = await idOf('Mia');
    expect((await ask('DELETE', `${id}?link=${shareId}`)).status).toBe(204);
    expect((await answers()).map(({ guest_name: name }) => name)).not.toContain('Mia');
    expect((await ask('GET', `${id}?link=${shareId}`)).status).toBe(404);
    expect((await ask('DELETE', `${id}?link=${shareId}`)).status).toBe(404);
    const events = await service.database.query(
      `SELECT about FROM audit_events WHERE action LIKE 'feedback%' OR action = 'link_finished'`,
    );
    expect(JSON.stringify(events)).not.toContain('Mia');
    expect(JSON.stringify(events)).toContain('Noor');
    const studio = await openSettings(service, member, `/shares/${shareId}/answers`);
    await studio.submit('Undo');
    expect((await ask('GET', `${id}?link=${shareId}`)).body).toMatchObject({
      ...{ name: 'Mia', finished: { text: 'Sentence of Mia' } },
    });
  });

  it('is for those only who may change the link, with their scopes', async () => {
    await answerAs('Mia');
    const id = await idOf('Mia');
    const path = `${id}?link=${shareId}`;
    expect((await ask('GET', id)).status).toBe(404);
    expect((await ask('GET', `${id}?link=other`)).status).toBe(404);
    expect((await ask('GET', path, { scopes: ['feedback:write'] })).status).toBe(403);
    expect((await ask('DELETE', path, { scopes: ['uploads:read'] })).status).toBe(403);
    const colleague = await addUser(service, { [workspaceId]: 'member' });
    const scopes: readonly Scope[] = ['workspace:read', 'feedback:write'];
    for (const method of ['GET', 'DELETE']) {
      expect((await ask(method, path, { user: colleague, scopes })).status).toBe(404);
    }
    expect((await ask('GET', path, { user: owner, scopes })).status).toBe(200);
  });

  it('ends 90 days after the link, but for approvals without their guests', async () => {
    await answerAs('Mia');
    await answerAs('Noor');
    const guest = new TestBrowser(service.baseUrl);
    expect((await guest.open(photoPage())).text).toContain('deleted 90 days after the link ends');
    const settle = async (days: number): Promise<void> => {
      const clock = (): Date => new Date(now + days * DAY_MS);
      const shares = new ShareTable(service.database, { make: () => '' }, clock);
      await settleEndedShares({ shares, audit: () => Promise.resolve() });
      const deps = { database: service.database, now: clock };
      const keptMs = (GUEST_DAYS - ENDED_SHARE_DAYS) * DAY_MS;
      await Promise.all([expireGuests(deps, keptMs), expireGuests(deps, keptMs)]);
    };
    const named = async (): Promise<number> =>
      (
        await service.database.query(
          `SELECT 1 FROM audit_events WHERE about ->> 'name' IN ('Mia', 'Noor')`,
        )
      ).length;
    const [share] = await service.database.query<{ ends_at: Date }>('SELECT ends_at FROM shares');
    const end = ((share?.ends_at.getTime() ?? 0) - now) / DAY_MS;
    await settle(end + ENDED_SHARE_DAYS - 0.01);
    expect(await named()).toBe(10);
    expect((await answers()).filter(({ guest_name: name }) => name === 'Mia')).toHaveLength(4);
    await settle(end + ENDED_SHARE_DAYS + 0.01);
    expect(await named()).toBe(0);
    expect((await answers()).filter(({ guest_name: name }) => name === 'Mia')).toHaveLength(4);
    await settle(end + GUEST_DAYS);
    expect(await answers()).toHaveLength(8);
    await settle(end + GUEST_DAYS + 0.02);
    const approval = { kind: 'approval', guest_id: '', guest_name: '', version: 1 };
    expect(await answers()).toEqual([approval, approval]);
    await settle(end + 10 * GUEST_DAYS);
    expect(await answers()).toHaveLength(2);
    const studio = await openSettings(service, member, `/photos/${harbour}`);
    expect(studio.page.text).toMatch(/✓ Approved v1 · [0-9a-f]{8}/);
    expect((await studio.open('/photos')).text).toContain('✓ Approved v1');
  });

  it('is not in the log', async () => {
    const words = ['Zwetschge', 'Quitte', 'Mirabelle', 'Holunder', 'Schlehe', 'Kornelle'];
    const guest = await answerAs('Zwetschge');
    await post(guest, { comment: harbour, text: 'Quitte' });
    await post(guest, { comment: harbour, text: `Mirabelle${'x'.repeat(3000)}` });
    await post(guest, { name: 'Holunder' }, 'name');
    await post(guest, { name: `Schlehe${'x'.repeat(100)}` }, 'name');
    await post(guest, { sentence: `Kornelle${'x'.repeat(600)}` }, 'finish');
    await service.database.query('UPDATE shares SET takes_feedback = false');
    await post(guest, { comment: harbour, text: 'Quitte' });
    const [stored] = await service.database.query<{ guest_name: string }>(
      'SELECT guest_name FROM share_answers LIMIT 1',
    );
    expect(stored?.guest_name).toBe('Holunder');
    const log = JSON.stringify(service.logLines);
    expect(log.length).toBeGreaterThan(100);
    expect(words.filter((word) => log.includes(word))).toEqual([]);
  });
});
