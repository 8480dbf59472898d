import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { setMembersSeeAll } from '../../../../service/identity/accounts/accounts.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';
import type { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a selection in a list', () => {
  let clock = Date.now();
  let north: string;
  let owner: TestUser;
  let member: TestUser;
  const browsers = new Map<TestUser, TestBrowser>();
  const tokens = new Map<TestUser, string>();
  let spring: string;
  let autumn: string;

  const service = useService({ now: () => new Date(clock) });
  beforeAll(async () => {
    north = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [north]: 'owner' });
    member = await addUser(service, { [north]: 'member' });
    [spring, autumn] = [await project('Spring wedding'), await project('Autumn')];
  });
  beforeEach(async () => {
    clock = Date.now();
    await setMembersSeeAll(service.database, north, true);
    for (const table of ['photo_changes', 'uploads'])
      await service.database.query(`DELETE FROM ${table}`);
    for (const user of [owner, member]) {
      const browser = await openSettings(service, user, '/settings/account');
      browsers.set(user, browser);
      tokens.set(user, browser.csrf);
    }
  });

  const project = async (name: string): Promise<string> => {
    const table = new ProjectTable(service.database, () => new Date(clock));
    const made = await table.create(north, name, owner.accountId);
    return typeof made === 'string' ? made : made.id;
  };
  const browserOf = (user: TestUser): TestBrowser => {
    const browser = browsers.get(user);
    if (browser === undefined) throw new Error('This user has no browser.');
    return browser;
  };
  /** Makes photos named `NAME-1` and so on. */
  const make = async (user: TestUser, name: string, count: number): Promise<string[]> => {
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            finished_at, sha256, taken_at, search_text)
       SELECT $1 || '-' || n, $2, $3, 10, $1 || '-' || n, '', '{}', $4, $4, repeat('a', 64), $4, $1 || '-' || n
         FROM generate_series(1, $5::int) AS n`,
      [name, user.accountId, north, new Date(clock), count],
    );
    return Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
  };
  const post = async (
    user: TestUser,
    address: string,
    form: Readonly<Record<string, string>>,
    ids: readonly string[] = [],
  ): Promise<{ readonly location: string; readonly text: string }> => {
    const browser = browserOf(user);
    const answer = await fetch(new URL(address, service.baseUrl), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.sessionCookie },
      body: new URLSearchParams([
        ...Object.entries({ csrf: tokens.get(user) ?? '', ...form }),
        ...ids.map((id): [string, string] => ['photo', id]),
      ]),
    });
    const location = answer.headers.get('location') ?? '';
    const text = location === '' ? await answer.text() : (await browser.open(location)).text;
    return { location, text };
  };
  const states = async (): Promise<Record<string, string>> => {
    const rows = await service.database.query<{
      id: string;
      project_id: string | null;
      trashed_at: Date | null;
    }>('SELECT id, project_id, trashed_at FROM uploads ORDER BY id');
    return Object.fromEntries(
      rows.map(({ id, project_id: projectId, trashed_at: at }) => [
        id,
        at === null
          ? ({ [spring]: 'Spring', [autumn]: 'Autumn' }[projectId ?? ''] ?? '-')
          : 'trash',
      ]),
    );
  };
  const undo = (user: TestUser, location: string) => post(user, location, { action: 'undo' });

  it.each<{ action: Record<string, string>; becomes: string; text: string }>([
    { action: { action: 'trash' }, becomes: 'trash', text: '2 files moved to trash. Undo' },
    {
      action: { move: 'autumn' },
      becomes: 'Autumn',
      text: '2 files moved to “Autumn”. Undo',
    },
    { action: { move: 'none' }, becomes: '-', text: '2 files removed from their projects. Undo' },
  ])('is changed, and as before after Undo: $text', async ({ action, becomes, text }) => {
    const ids = await make(member, 'one', 3);
    await service.database.query(`UPDATE uploads SET project_id = $1 WHERE id = 'one-1'`, [spring]);
    const before = await states();
    const form = action['move'] === 'autumn' ? { move: autumn } : action;

    const done = await post(member, `/photos?workspace=${north}&q=one`, form, ids.slice(0, 2));

    expect(done.text).toContain(text);
    expect(done.location).toMatch(/^\/photos\?workspace=[^&]+&q=one&change=/);
    expect(await states()).toEqual({ ...before, 'one-1': becomes, 'one-2': becomes });

    const back = await undo(member, done.location);
    expect(back.text).toMatch(/2 files (restored|moved back)\./);
    expect(back.text).not.toContain('Undo');
    expect(await states()).toEqual(before);
  });

  it('is restored from the trash, and is there as long as before after Undo', async () => {
    const ids = await make(member, 'one', 2);
    await post(member, '/photos', { action: 'trash' }, ids);
    clock += 10 * DAY_MS;
    const done = await post(member, '/photos/trash', { action: 'restore' }, ids);
    expect(done.location).toMatch(/^\/photos\/trash\?/);
    expect(done.text).toContain('2 files restored. Undo');
    expect(await states()).toEqual({ 'one-1': '-', 'one-2': '-' });
    await undo(member, done.location);
    const rows = await service.database.query<{ at: Date; by: string }>(
      'SELECT DISTINCT trashed_at AS at, trashed_by AS by FROM uploads',
    );
    expect(rows).toEqual([{ at: new Date(clock - 10 * DAY_MS), by: member.accountId }]);
  });

  it('is undone once, and only as far as nothing else has changed since', async () => {
    const ids = await make(member, 'one', 4);
    const moved = await post(member, '/photos', { move: spring }, ids);
    await post(member, '/photos', { move: autumn }, ['one-1']);
    await post(member, '/photos', { action: 'trash' }, ['one-2']);
    expect((await undo(member, moved.location)).text).toContain('2 files moved back.');
    expect(await states()).toEqual({
      ...{ 'one-1': 'Autumn', 'one-2': 'trash', 'one-3': '-', 'one-4': '-' },
    });
    await post(member, '/photos', { move: spring }, ['one-3']);
    expect((await undo(member, moved.location)).text).toContain('2 files moved back.');
    expect((await states())['one-3']).toBe('Spring');

    // A photo that was restored and put into the trash again does not come back.
    const trashed = await post(member, '/photos', { action: 'trash' }, ['one-3', 'one-4']);
    await post(member, '/photos/trash', { action: 'restore' }, ['one-3']);
    clock += 1000;
    await post(member, '/photos', { action: 'trash' }, ['one-3']);
    expect((await undo(member, trashed.location)).text).toContain('1 file restored.');
    expect(await states()).toMatchObject({ 'one-3': 'trash', 'one-4': '-' });
  });

  it('does not go back into an archived project, and a new version does not go into the trash', async () => {
    const former = await project('Former');
    const ids = await make(member, 'one', 1);
    await post(member, '/photos', { move: former }, ids);
    const moved = await post(member, '/photos', { move: spring }, ids);
    await service.database.query('UPDATE projects SET archived_at = now() WHERE id = $1', [former]);
    expect((await undo(member, moved.location)).text).toContain('Nothing was undone');
    expect(await states()).toEqual({ 'one-1': 'Spring' });
    expect((await post(member, '/photos', { move: former }, ids)).text).toContain(
      'This project is archived or no longer exists.',
    );

    await post(member, '/photos', { action: 'trash' }, ids);
    const restored = await post(member, '/photos/trash', { action: 'restore' }, ids);
    clock += 1000;
    await service.database.query('UPDATE uploads SET is_current = false');
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            finished_at, sha256, version_of)
       VALUES ('new', $1, $2, 10, 'one', '', '{}', $3, $3, repeat('b', 64), 'one-1')`,
      [member.accountId, north, new Date(clock)],
    );
    expect((await undo(member, restored.location)).text).toContain('Nothing was undone');
    expect(await states()).toMatchObject({ new: '-' });
  });

  it('is undone by its user only, within an hour, and while they may change it', async () => {
    await make(member, 'one', 1);
    const done = await post(member, '/photos', { action: 'trash' }, ['one-1']);
    expect((await browserOf(owner).open(done.location)).text).not.toContain('Undo');
    expect((await undo(owner, done.location)).text).toContain('This can no longer be undone.');
    expect((await post(member, done.location, { action: 'undo', csrf: 'forged' })).text).toContain(
      'Show files',
    );
    for (const change of ['', 'nothing', "' OR true --"])
      expect(
        (
          await post(member, `/photos?${new URLSearchParams({ change }).toString()}`, {
            action: 'undo',
          })
        ).text,
      ).toContain('This can no longer be undone.');
    // The owner's change of another user's photo cannot be undone by a member whom the owner has become.
    const byOwner = await post(owner, '/photos/trash', { action: 'restore' }, ['one-1']);
    await service.database.query(`UPDATE workspace_members SET role = 'member'`);
    expect((await undo(owner, byOwner.location)).text).toContain('Nothing was undone');
    await service.database.query(
      `UPDATE workspace_members SET role = 'owner' WHERE account_id = $1`,
      [owner.accountId],
    );
    expect(await states()).toEqual({ 'one-1': '-' });

    const late = await post(member, '/photos', { action: 'trash' }, ['one-1']);
    clock += HOUR_MS + 1;
    expect((await undo(member, late.location)).text).toContain('This can no longer be undone.');
    expect(await states()).toEqual({ 'one-1': 'trash' });
    await service.purge();
    expect(await service.database.query('SELECT 1 FROM photo_changes')).toEqual([]);
  });

  it('can be a whole list, except for some photos', async () => {
    await make(member, 'one', 1203);
    await make(member, 'other', 2);
    const list = `/photos?workspace=${north}&q=one`;
    const page = await browserOf(member).open(list);
    // Counted up to a thousand.
    expect(page.text).toMatch(/Select all (?!\d)/);

    const moved = await post(member, list, { all: 'yes', except: 'one-7', move: spring });
    expect(moved.text).toContain('1,202 files moved to “Spring wedding”. Undo');
    const after = await states();
    expect([after['one-7'], after['one-1203'], after['other-1']]).toEqual(['-', 'Spring', '-']);
    expect((await undo(member, moved.location)).text).toContain('1,202 files moved back.');
    expect(new Set(Object.values(await states()))).toEqual(new Set(['-']));

    expect((await post(member, list, { all: 'yes', action: 'trash' })).text).toContain(
      '1,203 files moved to trash.',
    );
    expect((await post(member, list, { all: 'yes', action: 'trash' })).text).toContain(
      'Select at least one file.',
    );
    const back = await post(member, '/photos/trash', { all: 'yes', action: 'restore' });
    expect(back.text).toContain('1,203 files restored.');
  });

  it('of a whole list has no photos of others for those who may not change them', async () => {
    const ids = await make(member, 'one', 2);
    await make(owner, 'own', 1);
    expect((await browserOf(member).open('/photos')).text).toContain('Select all 3 ');
    expect((await browserOf(member).open('/photos?q=one')).text).toContain('Select all 2 ');
    const all = { all: 'yes', action: 'trash' };
    const answer = await post(member, '/photos', all);
    expect(answer.text).toContain('You can delete and move your own files.');
    expect(Object.values(await states())).toEqual(['-', '-', '-']);
    await post(member, '/photos?q=one', all);
    expect(await states()).toEqual({ 'one-1': 'trash', 'one-2': 'trash', 'own-1': '-' });
    // A member sees only their part of the trash; the owner all of it.
    await post(owner, '/photos', all);
    await post(member, '/photos/trash', { all: 'yes', action: 'restore' });
    expect(await states()).toEqual({ 'one-1': '-', 'one-2': '-', 'own-1': 'trash' });
    await setMembersSeeAll(service.database, north, false);
    await post(owner, '/photos/trash', { all: 'yes', action: 'restore' });
    await post(member, '/photos', all);
    expect(await states()).toEqual({ 'one-1': 'trash', 'one-2': 'trash', 'own-1': '-' });
    expect(ids).toHaveLength(2);
  });

  it('has a limit of 1,000 named photos', async () => {
    const ids = await make(member, 'one', 1001);
    expect((await post(member, '/photos', { action: 'trash' }, ids)).text).toContain(
      'Select at most 1,000 files at once.',
    );
    expect(new Set(Object.values(await states()))).toEqual(new Set(['-']));
    // One that is named twice counts once.
    const done = await post(member, '/photos', { action: 'trash' }, [...ids.slice(1), 'one-2']);
    expect(done.text).toContain('1,000 files moved to trash.');
  });

  it('goes into a new project', async () => {
    const ids = await make(member, 'one', 2);
    const form = { move: 'new', newProject: ' Winter ' };
    const done = await post(member, '/photos', form, ids);
    expect(done.text).toContain('2 files moved to “Winter”.');
    for (const [newProject, problem] of [
      ['winter', 'A project with this name already exists.'],
      ['', 'Give the project another name: it must not be empty.'],
      ['x'.repeat(81), 'it must have at most 80 characters.'],
    ] as const)
      expect((await post(member, '/photos', { ...form, newProject }, ids)).text).toContain(problem);
    // Nothing is made for an empty selection.
    const { text } = await post(member, '/photos', { ...form, newProject: 'Never' });
    expect(text).toContain('Select at least one file.');
    expect((await browserOf(member).open('/projects')).text).not.toContain('Never');
    // Enter in a form without a name does nothing.
    const enter = await post(member, '/photos', { move: 'named', newProject: '' }, ids);
    expect(enter.location).toBe(`/photos?workspace=${north}`);
  });

  it('is downloaded and shared, also as a whole list', async () => {
    const token = await connectAs(service, member);
    const ids = [];
    for (const [index, name] of ['A.jpg', 'B.jpg', 'C.jpg'].entries())
      ids.push(await send(service, token, name, photo(10, index), { replaces: 'none' }));
    const browser = browserOf(member);
    const zip = await fetch(`${service.baseUrl}/photos/zip?workspace=${north}&q=.jpg`, {
      method: 'POST',
      headers: { cookie: browser.sessionCookie },
      body: new URLSearchParams({
        csrf: tokens.get(member) ?? '',
        all: 'yes',
        except: ids[1] ?? '',
      }),
    });
    const files = Object.keys(unzipSync(new Uint8Array(await zip.arrayBuffer())));
    expect(files.sort()).toEqual(['A.jpg', 'C.jpg']);

    const share = `/shares/new?workspace=${north}`;
    expect((await post(member, share, {}, ids.slice(0, 2))).text).toContain('these 2 files');
    expect((await post(member, share, { all: 'yes' })).text).toContain('these 3 files');
    for (const address of [share, `/photos/zip?workspace=${north}`])
      expect((await post(member, address, {})).text).toContain('Select at least one file.');
  });

  it('is deleted permanently after a question, as is the whole trash', async () => {
    const ids = await make(member, 'one', 5);
    await post(member, '/photos', { action: 'trash' }, ids.slice(0, 4));
    const asked = await post(member, '/photos/trash', { action: 'remove' }, ids.slice(0, 2));
    expect(asked.text).toContain('Delete 2 files permanently?');
    expect(asked.text).toContain('This cannot be undone.');
    expect(Object.values(await states())).toEqual(['trash', 'trash', 'trash', 'trash', '-']);
    const browser = browserOf(member);
    await browser.open(`/photos/trash?workspace=${north}`);
    const confirm = { action: 'remove', confirm: 'yes' };
    // A photo outside the trash stays.
    const removed = await post(member, '/photos/trash', confirm, ['one-1', 'one-5']);
    expect(removed.text).toContain('1 file deleted permanently.');
    expect(removed.text).not.toContain('Undo');
    expect((await undo(member, removed.location)).text).toContain('This can no longer be undone.');

    await browser.open(`/photos/trash?workspace=${north}`);
    const question = await browser.submit('Empty trash');
    expect(question.text).toContain('Delete 3 files permanently?');
    // What comes into the trash after the question is not meant.
    clock += 1000;
    await post(member, '/photos', { action: 'trash' }, ['one-5']);
    browser.show(question);
    const emptied = await browser.submit('Delete permanently');
    expect(emptied.text).toContain('3 files deleted permanently.');
    expect(emptied.text).toContain('one-5');
    clock += HOUR_MS;
    await service.purge();
    expect(Object.keys(await states())).toEqual(['one-5']);
  });
});
