import { beforeAll, describe, expect, it } from '@jest/globals';
import { library } from '../../../support/pictures.js';
import { photo } from '../../support/tus-client.js';
import { useService } from '../../support/use-service.js';
import { connectAs, openSettings, send, type TestUser } from '../../support/users.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { getAsAnybody, shareAs } from '../shares/sharing.js';

describe('the logo of a workspace', () => {
  let owner: TestUser;
  let member: TestUser;
  let workspaceId: string;
  let link: string;

  const service = useService();
  beforeAll(async () => {
    ({ owner, member, workspaceId } = await addWorkspaceFixture(service));
    const id = await send(service, await connectAs(service, owner), 'A.jpg', photo(300));
    link = await shareAs(service, owner, { photo: id });
  });

  /** Sends the form as a browser does. */
  const upload = async (
    user: TestUser,
    bytes: Uint8Array,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const browser = await openSettings(service, user, '/settings/people');
    const body = new FormData();
    const all = { csrf: browser.csrf, workspace: workspaceId, ...fields };
    for (const [name, value] of Object.entries(all)) body.append(name, value);
    body.append('logo', new Blob([new Uint8Array(bytes)]), 'logo.png');
    const headers = { cookie: browser.sessionCookie };
    const init = { method: 'POST', headers, body };
    const answer = await getAsAnybody(service, '/settings/people/logo', init);
    return { status: answer.status, text: await answer.text() };
  };
  const address = async (path: string): Promise<string | undefined> =>
    /src="(\/logos\/[\w-]+)"/.exec(await (await getAsAnybody(service, path)).text())?.[1];

  it.each<[string, () => Promise<{ status: number; text: string }>, number, string]>([
    ['no file', () => upload(owner, Buffer.alloc(0)), 400, 'Choose a picture first.'],
    ['a file that is too large', () => upload(owner, photo(2_100_000)), 413, 'larger than 2 MB'],
    [
      'a form of another session',
      () => upload(owner, photo(9), { csrf: 'x' }),
      403,
      'Nothing was changed',
    ],
    ['a form of a member', () => upload(member, photo(9)), 403, 'Only owners'],
    ['another workspace', () => upload(owner, photo(9), { workspace: 'x' }), 403, 'Only owners'],
    library === undefined
      ? ['a picture without a library', () => upload(owner, photo(9)), 503, 'takes no logo']
      : ['a file that is no picture', () => upload(owner, photo(9)), 400, 'not a readable picture'],
  ])('is not made of %s', async (_what, attempt, status, words) => {
    expect(await attempt()).toEqual({ status, text: expect.stringContaining(words) });
    expect(await address(link)).toBeUndefined();
  });

  const sharp = library;
  if (sharp === undefined) return;
  const png = (colour: string): Promise<Buffer> =>
    sharp({ create: { width: 900, height: 300, channels: 3, background: colour } })
      .png()
      .toBuffer();

  it('is shown to guests of links, at another address when it changes, and can be removed', async () => {
    expect((await upload(owner, await png('red'))).status).toBe(303);
    const first = (await address(link)) ?? '';
    const shown = await getAsAnybody(service, first);
    expect([shown.status, Object.fromEntries(shown.headers)]).toMatchObject([
      200,
      {
        'content-type': 'image/webp',
        'cache-control': 'private, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      },
    ]);
    const metadata = await sharp(Buffer.from(await shown.arrayBuffer())).metadata();
    expect(metadata).toMatchObject({ format: 'webp', width: 768, height: 256 });

    expect((await upload(owner, await png('blue'))).status).toBe(303);
    const second = (await address(link)) ?? '';
    expect(second).not.toBe(first);
    expect((await getAsAnybody(service, first)).status).toBe(404);

    const browser = await openSettings(service, owner, '/settings/people');
    expect(browser.page.markup).toContain(second);
    await browser.submit('Remove logo');
    expect(await address(link)).toBeUndefined();
    expect((await getAsAnybody(service, second)).status).toBe(404);
  });
});
