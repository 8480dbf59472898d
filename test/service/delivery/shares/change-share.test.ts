import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openSettings, type TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, shareAs, statusAt } from './sharing.js';

describe('a link that is changed', () => {
  let owner: TestUser;
  let member: TestUser;
  let harbour: string;
  let path: string;
  let id: string;

  const service = useService();
  beforeAll(async () => {
    ({ owner, member, harbour } = await addSharedPhotos(service));
  });
  beforeEach(async () => {
    await service.database.query('DELETE FROM shares');
    path = await shareAs(service, member, { photo: harbour });
    const [row] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    id = row?.id ?? '';
  });

  const edit = async (values: Readonly<Record<string, string>>): Promise<string> => {
    const browser = await openSettings(service, member, `/shares/${id}`);
    return (await browser.submit('Save changes', values)).text;
  };
  const file = (): string => `${path}/file?photo=${harbour}`;

  it('shows its title and message', async () => {
    await edit({ title: 'For Anna', message: 'Have fun!' });
    const text = await (await getAsAnybody(service, path)).text();
    expect(text).toContain('For Anna');
    expect(text).toContain('Have fun!');
  });

  it('refuses too long a message, and a photo of another link as the cover', async () => {
    expect(await edit({ message: 'x'.repeat(501) })).toContain('500 characters');
    expect(await edit({ cover: 'elsewhere' })).toContain('Choose one of the files');
  });

  it('ends on the chosen day', async () => {
    expect(await edit({ until: '2020-01-01' })).toContain('Choose a day');
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await edit({ until: day, 'until-offset': '-60' });
    const [row] = await service.database.query<{ expires_at: Date }>(
      'SELECT expires_at FROM shares',
    );
    expect(row?.expires_at.toISOString()).toBe(`${day}T22:59:59.000Z`);
  });

  it('gets a password and loses it again', async () => {
    await edit({ password: 'eight characters' });
    expect(await statusAt(service, file())).toBe(303);
    await edit({ 'no-password': '1' });
    expect(await statusAt(service, file())).toBe(200);
  });

  it('refuses downloads that are off, and hides them', async () => {
    await edit({ downloads: 'none' });
    expect(await statusAt(service, file())).toBe(403);
    expect(await statusAt(service, `${path}/zip`)).toBe(403);
    const text = await (await getAsAnybody(service, path)).text();
    expect(text).not.toContain(`${path}/file`);
    expect(text).not.toContain(`${path}/zip`);
  });

  it('never hands out an original in web size', async () => {
    await edit({ downloads: 'web' });
    expect(await statusAt(service, file())).toBe(503);
    expect(await statusAt(service, `${path}/zip`)).toBe(404);
  });

  it('counts a guest once an hour, each download, and not its creator', async () => {
    const mine = await openSettings(service, member, '/shares');
    await getAsAnybody(service, path, { headers: { cookie: `cws_user=${member.accountId}` } });
    await getAsAnybody(service, path);
    await getAsAnybody(service, path);
    await getAsAnybody(service, file());
    await getAsAnybody(service, file(), { headers: { range: 'bytes=5-' } });
    const { text } = await mine.open('/shares');
    expect(text).toContain('Views: 1');
    expect(text).toContain('Downloads: 1');
  });

  it.each([
    ['user-agent', 'WhatsApp/2.23.20.0 A'],
    ['user-agent', 'facebookexternalhit/1.1 Facebot Twitterbot/1.0'],
    ['user-agent', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
    ['user-agent', 'TelegramBot (like TwitterBot)'],
    ['user-agent', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'],
    [
      'user-agent',
      'Mozilla/5.0 (Windows NT 10.0) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    ],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
  ])('is not opened by a fetch that nobody has chosen: %s %s', async (name, value) => {
    const before = await service.database.query('SELECT id FROM audit_events');
    for (const address of [path, file(), `${path}/zip`]) {
      const answer = await getAsAnybody(service, address, { headers: { [name]: value } });
      await answer.arrayBuffer();
      expect([address, answer.status]).toEqual([address, 200]);
    }
    const [share] = await service.database.query(
      'SELECT views, opened_at FROM shares WHERE id = $1',
      [id],
    );
    expect(share).toEqual({ views: 0, opened_at: null });
    expect(await service.database.query('SELECT id FROM audit_events')).toEqual(before);
  });

  it('is opened by the browser of a phone whose maker has a name like a robot', async () => {
    const agent = 'Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/99.0';
    await getAsAnybody(service, path, { headers: { 'user-agent': agent } });
    const [share] = await service.database.query('SELECT views FROM shares WHERE id = $1', [id]);
    expect(share).toEqual({ views: 1 });
  });

  it.each(['.', ')', '%3E', '%22', '/', '%20', '%E2%80%8B', '%E2%80', '_', '.%0A', '*', ',%20'])(
    'leaves off the tail that a program added to its address: %s',
    async (tail) => {
      for (const [address, target] of [
        [path, path],
        [`${path}/photo`, `${path}/photo`],
      ] as const) {
        const answer = await getAsAnybody(service, address + tail);
        expect([answer.status, answer.headers.get('location')]).toEqual([303, target]);
      }
    },
  );

  it.each(['.', ')', '%20', '%E2%80%8B'])('shows a photo with a tail: %s', async (tail) => {
    expect(await statusAt(service, `${path}/photo?photo=${harbour}${tail}`)).toBe(200);
  });

  it.each(['x', '.x', '%41', '/other', '/..'])(
    'is not found with another tail: %s',
    async (tail) => {
      expect(await statusAt(service, path + tail)).toBe(404);
    },
  );

  it('works again at the same address after its revocation is undone', async () => {
    const browser = await openSettings(service, member, `/shares/${id}/revoke`);
    await browser.submit('Revoke');
    expect(await statusAt(service, path)).toBe(404);
    expect(await (await getAsAnybody(service, path)).text()).toContain('no longer works');
    await browser.submit('Undo');
    expect(await statusAt(service, path)).toBe(200);
  });

  it('is changed by its creator and owners only', async () => {
    const own = await shareAs(service, owner, { photo: harbour });
    const [row] = await service.database.query<{ id: string }>(
      'SELECT id FROM shares WHERE created_by = $1',
      [owner.accountId],
    );
    const browser = await openSettings(service, member, '/shares');
    for (const address of [`/shares/${row?.id ?? ''}`, `/shares/${row?.id ?? ''}/revoke`]) {
      expect((await browser.open(address)).status).toBe(404);
    }
    expect(await statusAt(service, own)).toBe(200);
    expect((await openSettings(service, owner, `/shares/${id}`)).page.status).toBe(200);
  });
});
