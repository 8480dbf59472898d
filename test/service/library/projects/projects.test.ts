import { beforeAll, describe, expect, it } from '@jest/globals';
import type { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';

describe('projects', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let colleague: TestUser;
  let harbour: string;
  let night: string;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    colleague = await addUser(service, { [workspaceId]: 'member' });
    const token = await connectAs(service, member);
    harbour = await send(service, token, 'Harbour.jpg', photo(100));
    night = await send(service, token, 'Night.jpg', photo(100, 2));
  });

  /** Makes a project by its page; returns its id. */
  const make = async (browser: TestBrowser, name: string): Promise<string> => {
    await browser.open(`/projects?workspace=${workspaceId}`);
    const page = await browser.submit('Create project', { name });
    expect(page.text).toContain('Project created.');
    return new URL(page.url).pathname.split('/').at(-1) ?? '';
  };

  it('are created by any member, and visible only in the workspace', async () => {
    const browser = await openSettings(service, member, '/projects');
    const id = await make(browser, 'Wedding <b>“Küste”</b>');
    const seen = await openSettings(service, colleague, '/projects');
    expect(seen.page.text).toContain('Wedding <b>“Küste”</b>');
    expect(seen.page.markup).not.toContain('<b>');
    expect((await seen.open(`/projects/${id}`)).status).toBe(200);

    const elsewhere = await addWorkspace(service, 'South Studio');
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const theirs = await openSettings(service, outsider, `/projects?workspace=${workspaceId}`);
    expect(theirs.page.text).toContain('No projects yet.');
    expect(theirs.page.text).not.toContain('Wedding');
    expect((await theirs.open(`/projects/${id}`)).status).toBe(404);
    expect((await theirs.open('/projects/nothing')).status).toBe(404);
  });

  it('have a cover at an address that names the version of the picture', async () => {
    const browser = await openSettings(service, member, '/projects');
    const id = await make(browser, 'Covered');
    const [plain, made] = [`/photos/${night}/thumbnail"`, `/photos/${night}/thumbnail?v=7"`];
    const cover = async (): Promise<boolean[]> => {
      const { markup } = await browser.open('/projects');
      return [markup.includes(plain), markup.includes(made)];
    };
    const change = (set: string): Promise<unknown> =>
      service.database.query(`UPDATE uploads SET ${set} WHERE id = $1`, [night]);
    await change(`project_id = '${id}', preview_version = NULL`);
    expect(await cover()).toEqual([true, false]);
    await change('preview_version = 7');
    expect(await cover()).toEqual([false, true]);
    await change('project_id = NULL, preview_version = NULL');
  });

  it('are not created with a bad or taken name, a forged form, or in a foreign workspace', async () => {
    const browser = await openSettings(service, member, '/projects');
    await make(browser, 'Taken');
    for (const [name, problem] of [
      ['   ', 'it must not be empty'],
      ['a\u202eb', 'change the direction of text'],
      ['x'.repeat(81), 'at most 80 characters'],
      ['tAKEN', 'A project with this name already exists.'],
    ] as const) {
      await browser.open('/projects');
      const page = await browser.submit('Create project', { name });
      expect([name, page.status]).toEqual([name, 400]);
      expect(page.text).toContain(problem);
    }
    await browser.open('/projects');
    expect((await browser.submit('Create project', { name: 'x', csrf: 'forged' })).status).toBe(
      403,
    );
    const elsewhere = await addWorkspace(service, 'West Studio');
    await browser.open('/projects');
    const foreign = await browser.submit('Create project', { name: 'x', workspace: elsewhere });
    expect(foreign.status).toBe(403);
    const rows = await service.database.query(
      `SELECT 1 FROM projects WHERE name = 'x' OR workspace_id = $1`,
      [elsewhere],
    );
    expect(rows).toEqual([]);
  });

  it('are renamed and archived only by their creator and by owners', async () => {
    const maker = await openSettings(service, member, '/projects');
    const id = await make(maker, 'Autumn');
    const other = await openSettings(service, colleague, `/projects/${id}`);
    expect(other.page.text).toContain('The creator of the project and the owners');
    const csrf = other.csrf;
    const forced = await fetch(`${service.baseUrl}/projects/${id}`, {
      method: 'POST',
      headers: {
        cookie: other.sessionCookie,
      },
      body: new URLSearchParams({ csrf, action: 'rename', name: 'Stolen' }),
    });
    expect(forced.status).toBe(403);

    await maker.open(`/projects/${id}`);
    expect((await maker.submit('Rename', { name: 'Autumn 2026' })).text).toContain('Changes saved');
    const byOwner = await openSettings(service, owner, `/projects/${id}`);
    expect(byOwner.page.text).toContain('Autumn 2026');
    expect((await byOwner.submit('Archive project')).text).toContain('Project archived.');
    expect((await byOwner.open('/projects')).text).toMatch(/Archive .*Autumn 2026/);

    // Another project takes the name first.
    await make(maker, 'autumn 2026');
    await byOwner.open(`/projects/${id}`);
    expect((await byOwner.submit('Restore project')).text).toContain('with this name already');
    await byOwner.submit('Rename', { name: 'Autumn, again' });
    expect((await byOwner.submit('Restore project')).text).toContain('Project restored.');
  });

  it('accept one or several photos, and filter the list', async () => {
    const browser = await openSettings(service, member, '/projects');
    const id = await make(browser, 'Harbours');
    await browser.open(`/photos/${harbour}`);
    expect(browser.page.text).toContain('Project No project');
    const moved = await browser.submit('Move to project', { project: id });
    expect(moved.text).toContain('1 file moved to “Harbours”.');
    expect(moved.text).toContain('Project Harbours');

    const list = await browser.open(`/photos?project=${id}`);
    expect(list.text).toContain('Harbours 1 file ');
    expect(list.text).toContain('Harbour.jpg');
    expect(list.text).not.toContain('Night.jpg');
    const none = await browser.open('/photos?project=none');
    expect(none.text).toContain('Night.jpg');
    expect(none.text).not.toContain('Harbour.jpg');

    await browser.open('/photos?q=night');
    const several = await browser.submit('Harbours', { photo: night });
    // One is back where one was.
    expect(new URL(several.url).searchParams.get('q')).toBe('night');
    expect(several.text).toContain('1 file moved to “Harbours”.');
    expect((await browser.open(`/photos?project=${id}`)).text).toContain('Night.jpg');
    await browser.submit('No project', { photo: night });
    expect((await browser.open(`/photos?project=${id}`)).text).not.toContain('Night.jpg');
    await browser.open(`/photos/${harbour}`);
    await browser.submit('Move to project', { project: '' });
  });

  it('link to their photos and share link, and accept no photo while archived', async () => {
    const browser = await openSettings(service, member, '/projects');
    const id = await make(browser, 'Winter & snow');
    const another = await make(browser, 'Zebra');
    const hrefs = (): string[] =>
      [...browser.page.markup.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      );
    const photos = `/projects/${id}`;
    const choices = async (path: string): Promise<(string | undefined)[]> =>
      [...(await browser.open(path)).markup.matchAll(/<option value="([^"]*)"\s*(selected)?/g)]
        .filter(([, value]) => value === id || value === another)
        .map(([, value, isChosen]) => (isChosen === undefined ? value : `${value} chosen`));
    const snow = await send(service, await connectAs(service, member), 'Snow.jpg', photo(100, 3));
    await browser.open(`/photos/${snow}`);
    await browser.submit('Move to project', { project: id });

    await browser.open('/projects');
    expect(hrefs()).toContain(photos);
    expect(browser.page.text.split('Winter & snow')).toHaveLength(2);
    await browser.open(`/projects/${id}`);
    expect(hrefs()).toContain(`/shares/new?project=${id}`);
    expect(browser.page.text).toContain('1 file');
    expect(browser.page.text).toContain('Snow.jpg');
    expect(await choices(`/photos/${snow}`)).toEqual([`${id} chosen`, another]);
    expect(await choices(`/photos/${harbour}`)).toEqual([id, another]);

    await browser.open(`/projects/${id}`);
    expect((await browser.submit('Archive project')).text).toContain('Project archived.');
    expect(hrefs()).not.toContain(`/shares/new?project=${id}`);
    const list = await browser.open('/projects');
    expect(list.text.split('Winter & snow')).toHaveLength(2);
    expect(list.text).toMatch(/Zebra.* Archive .*Winter & snow/);
    // Its photos stay, and no photo can be added.
    expect(await choices(`/photos/${snow}`)).toEqual([`${id} chosen`, another]);
    expect(await choices(`/photos/${harbour}`)).toEqual([another]);
    expect((await browser.open(photos)).text).toContain('Snow.jpg');
  });

  it('reject photos of another workspace or user', async () => {
    const elsewhere = await addWorkspace(service, 'East Studio');
    const both = await addUser(service, { [workspaceId]: 'owner', [elsewhere]: 'owner' });
    const browser = await openSettings(service, both, `/projects?workspace=${elsewhere}`);
    await browser.open(`/projects?workspace=${elsewhere}`);
    await browser.submit('Create project', { name: 'Foreign' });
    const foreign = new URL(browser.page.url).pathname.split('/').at(-1) ?? '';
    const archived = await make(browser, 'Old');
    const open = await make(browser, 'Open');
    await browser.open(`/projects/${archived}`);
    await browser.submit('Archive project');

    const projectOf = async (): Promise<string | null> => {
      const [row] = await service.database.query<{ project_id: string | null }>(
        'SELECT project_id FROM uploads WHERE id = $1',
        [harbour],
      );
      return row?.project_id ?? null;
    };
    for (const project of [foreign, archived, 'nothing']) {
      await browser.open(`/photos/${harbour}`);
      expect((await browser.submit('Move to project', { project })).text).not.toContain('moved to');
      await browser.open(`/photos?workspace=${workspaceId}&q=harbour`);
      const several = await fetch(browser.page.url, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: browser.sessionCookie },
        body: new URLSearchParams({ csrf: browser.csrf, photo: harbour, move: project }),
      });
      await several.arrayBuffer();
      expect(await projectOf()).toBeNull();
    }
    const other = await openSettings(service, colleague, '/photos');
    expect((await other.open(`/photos/${harbour}`)).status).toBe(404);

    await browser.open(`/photos/${harbour}`);
    await browser.submit('Move to project', { project: open });
    expect(await projectOf()).toBe(open);
  });

  it('end with their workspace, and stay when their creator is removed', async () => {
    const gone = await addWorkspace(service, 'Gone Studio');
    const user = await addUser(service, { [gone]: 'owner', [workspaceId]: 'member' });
    const id = await make(await openSettings(service, user, '/projects'), 'Of nobody');
    const browser = await openSettings(service, user, `/projects?workspace=${gone}`);
    await browser.submit('Create project', { name: 'Gone' });
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, project_id)
       SELECT 'in-a-project', $1, $2, 10, 'x', '', '{}', now(), id FROM projects WHERE name = 'Gone'`,
      [member.accountId, gone],
    );
    await service.database.query('DELETE FROM workspaces WHERE id = $1', [gone]);
    expect(await service.database.query(`SELECT 1 FROM projects WHERE name = 'Gone'`)).toEqual([]);
    await service.database.query('DELETE FROM accounts WHERE id = $1', [user.accountId]);
    const seen = await openSettings(service, member, `/projects/${id}`);
    expect(seen.page.text).toContain('Of nobody');
  });
});
