import { beforeAll, describe, expect, it } from '@jest/globals';
import { settleEndedShares } from '../../../../service/delivery/shares/ended-shares.js';
import type { ShareTable } from '../../../../service/delivery/shares/share-table.js';
import { addUser, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { jpeg } from '../../support/tus-client.js';
import { getAsAnybody, shareAs, addSharedPhotos, statusAt } from './sharing.js';
import { useService } from '../../support/use-service.js';

const DAY_MS = 24 * 3_600_000;

describe('links that show photos end', () => {
  let now = Date.parse('2026-11-22T12:00:00Z');
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let harbour: string;
  let night: string;
  let project: string;

  const service = useService({ now: () => new Date(now) });
  beforeAll(async () => {
    ({ workspaceId, owner, member, harbour, night, project } = await addSharedPhotos(service));
  });

  const get = (path: string): Promise<Response> => getAsAnybody(service, path);
  const textOf = async (path: string): Promise<string> => (await get(path)).text();
  const statusOf = (path: string): Promise<number> => statusAt(service, path);
  const isOpen = async (path: string): Promise<boolean> => (await statusOf(path)) === 200;

  it('when they expire, and housekeeping deletes them', async () => {
    const [day, month] = [
      await shareAs(service, member, { photo: harbour }, { days: '1' }),
      await shareAs(service, member, { photo: harbour }),
    ];
    now += DAY_MS + 1;
    expect([await isOpen(day), await isOpen(month)]).toEqual([false, true]);
    now += 29 * DAY_MS;
    expect(await isOpen(month)).toBe(false);
    const list = await openSettings(service, owner, '/shares');
    expect(list.page.text).toContain('No links yet.');
    expect(await textOf(day)).toContain('This link has expired');
    now += 30 * DAY_MS;
    await service.purge();
    expect(await service.database.query('SELECT * FROM shares')).toEqual([]);
  });

  it('in the log on the same day, once for each end', async () => {
    // The newest link: tests of any order share the clock and the log.
    now += 1;
    const path = await shareAs(service, member, { photo: harbour }, { days: '1' });
    const [row] = await service.database.query<{ id: string }>(
      'SELECT id FROM shares ORDER BY created_at DESC LIMIT 1',
    );
    const link = row?.id ?? '';
    const ends = async (): Promise<number> => {
      await service.purge();
      return service.logLines.filter(
        (line) => line.action === 'link_expired' && JSON.stringify(line).includes(link),
      ).length;
    };
    expect(await ends()).toBe(0);
    now += DAY_MS + 1;
    expect([await ends(), await ends()]).toEqual([1, 1]);
    expect(await textOf(path)).toContain('This link has expired');

    const edit = await openSettings(service, member, `/shares/${link}`);
    await edit.submit('Save changes', {
      until: new Date(now + 9 * DAY_MS).toISOString().slice(0, 10),
    });
    expect(await ends()).toBe(1);
    now += 400 * DAY_MS;
    expect(await ends()).toBe(2);
  });

  it('until housekeeping is stopped, after its current batch', async () => {
    const stop = new AbortController();
    let forgotten = 0;
    const shares = {
      recordExpired: async (
        most: number,
        also: Parameters<ShareTable['recordExpired']>[1],
      ): Promise<number> => {
        const target = { kind: 'photos', id: 'photo', chosen: 1 } as const;
        for (let count = 0; count < most; count += 1) {
          await also(service.database, { id: 'link', workspaceId, target });
        }
        forgotten += most;
        if (forgotten >= 3 * most) stop.abort();
        return most;
      },
      removeEnded: (most: number): Promise<number> => Promise.resolve(most),
    };
    let told = 0;
    const audit = (): Promise<void> => {
      told += 1;
      // Nothing else would end it.
      if (told > 10_000) throw new Error('it goes on');
      return Promise.resolve();
    };

    await settleEndedShares({ shares, audit }, stop.signal);

    expect(told).toBe(forgotten);
  });

  it('for as long as the photo is in the trash, and with it', async () => {
    const own = await send(service, await connectAs(service, member), 'Gone.jpg', jpeg(20));
    const path = await shareAs(service, member, { photo: own });
    await service.database.query('UPDATE uploads SET trashed_at = $2 WHERE id = $1', [
      own,
      new Date(now),
    ]);
    expect(await isOpen(path)).toBe(false);
    expect(await statusOf(`${path}/file?photo=${own}`)).toBe(404);
    const list = await openSettings(service, member, '/shares');
    expect(list.page.text).toContain('because its file is in the trash');
    await service.database.query('UPDATE uploads SET trashed_at = NULL WHERE id = $1', [own]);
    expect(await isOpen(path)).toBe(true);
    await service.database.query('DELETE FROM uploads WHERE id = $1', [own]);
    expect(await isOpen(path)).toBe(false);
  });

  it('for as long as the project is in the archive', async () => {
    const path = await shareAs(service, member, { project });
    const browser = await openSettings(service, member, `/projects/${project}`);
    await browser.submit('Archive project');
    expect(await isOpen(path)).toBe(false);
    await browser.submit('Restore project');
    expect(await isOpen(path)).toBe(true);
  });

  it('when their creator leaves the workspace', async () => {
    const user = await addUser(service, { [workspaceId]: 'owner' });
    const path = await shareAs(service, user, { photo: harbour });
    expect(await isOpen(path)).toBe(true);
    await service.database.query('DELETE FROM workspace_members WHERE account_id = $1', [
      user.accountId,
    ]);
    expect(await isOpen(path)).toBe(false);
    await service.database.query(
      `INSERT INTO workspace_members (workspace_id, account_id, role) VALUES ($1, $2, 'owner')`,
      [workspaceId, user.accountId],
    );
    expect(await isOpen(path)).toBe(false);
  });

  it('when their creator can no longer see the photos', async () => {
    const user = await addUser(service, { [workspaceId]: 'owner' });
    const path = await shareAs(service, user, { project });
    expect(await textOf(path)).toContain('Night.jpg');
    await service.database.query(
      `UPDATE workspace_members SET role = 'member' WHERE account_id = $1`,
      [user.accountId],
    );
    expect(await textOf(path)).not.toContain('Night.jpg');
    expect(await statusOf(`${path}/file?photo=${night}`)).toBe(404);
  });
});
