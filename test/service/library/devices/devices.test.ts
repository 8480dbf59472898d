import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeviceTable, MAX_DEVICES } from '../../../../service/library/devices/device-table.js';
import { expiringRows } from '../../../../service/app/modules.js';
import { purgeExpired } from '../../../../service/kernel/database/cleanup.js';
import { addWorkspaceFixture, type WorkspaceFixture } from '../../support/workspace-fixture.js';
import { addUser, connectAs, openSettings } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DEVICE = 'k3vQ9x0bTqmP2cSd';

let nowMs = Date.parse('2026-11-25T18:10:00Z');
const service = useService({ now: () => new Date(nowMs) });

describe('what has not arrived', () => {
  let users: WorkspaceFixture;
  let token: string;

  beforeEach(async () => {
    users = await addWorkspaceFixture(service);
    token = await connectAs(service, users.member);
  });

  const report = (body: object, { id = DEVICE, bearer = token } = {}): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/devices/${id}/queue`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        ...{ device_name: 'Photoshop · A3F2', waiting: 3, waiting_seconds: 480 },
        ...{ state: 'uploading', reason: null, ...body },
      }),
    });
  const stored = (): Promise<object[]> =>
    service.database.query('SELECT 1 FROM device_queues WHERE account_id = $1', [
      users.member.accountId,
    ]);
  const shownTo = async (user: WorkspaceFixture['owner'], path: string): Promise<string> => {
    const browser = await openSettings(service, user, path);
    return (await browser.open(path)).text;
  };

  it('is shown to its user and to owners, with its computer and since when', async () => {
    const colleague = await addUser(service, { [users.workspaceId]: 'member' });
    expect((await report({})).status).toBe(204);

    const since = new Date(nowMs - 480_000).toISOString().slice(11, 16);
    const line = `Photoshop · A3F2: 3 files waiting since Nov 25, 2026, ${since} UTC`;
    for (const path of ['/photos', '/settings/apps', '/settings/people'])
      expect(await shownTo(users.member, path)).toContain(line);
    expect(await shownTo(users.owner, '/settings/people')).toContain(line);
    for (const path of ['/photos', '/settings/apps'])
      expect(await shownTo(users.owner, path)).not.toContain('A3F2');
    expect(await shownTo(colleague, '/settings/people')).not.toContain('A3F2');
  });

  it.each([
    [{ state: 'paused' }, 'paused'],
    [{ state: 'blocked', reason: 'CW-604' }, 'needs attention at that computer (CW-604)'],
    [{ state: 'blocked', reason: 'CW-606' }, 'the workspace is full (CW-606)'],
    [{ state: 'blocked', reason: 'CW-620' }, 'the service is out of space (CW-620)'],
    [{ state: 'blocked' }, 'needs attention at that computer'],
    [{ waiting: 1 }, 'Photoshop · A3F2: 1 file waiting since'],
  ])('names the state of %j', async (body, words) => {
    await report(body);
    expect(await shownTo(users.member, '/photos')).toContain(words);
  });

  it('is offline after eleven minutes without a report, and gone with the next empty one', async () => {
    await report({});
    nowMs += 11 * MINUTE_MS;
    expect(await shownTo(users.member, '/photos')).not.toContain('offline');
    nowMs += 1000;
    const at = new Date(nowMs - 11 * MINUTE_MS - 1000).toISOString().slice(11, 16);
    expect(await shownTo(users.member, '/photos')).toContain(`offline since Nov 25, 2026, ${at}`);
    await report({ waiting: 0, waiting_seconds: null });
    expect(await shownTo(users.member, '/photos')).not.toContain('A3F2');
  });

  // @threat R8
  it('is kept for 90 days, and for the 20 computers that reported last', async () => {
    const devices = new DeviceTable(service.database, () => new Date(nowMs));
    for (let n = 0; n < MAX_DEVICES + 3; n += 1) {
      nowMs += 1000;
      await report({ device_name: `Number ${n}` }, { id: `${DEVICE}-${n}` });
    }
    const kept = await devices.waiting(users.workspaceId, users.member.accountId);
    expect(kept).toHaveLength(MAX_DEVICES);
    expect(kept.map(({ deviceName }) => deviceName)).not.toContain('Number 2');

    await purgeExpired(service.database, new Date(nowMs + 90 * DAY_MS - MINUTE_MS), expiringRows());
    expect(await devices.waiting(users.workspaceId)).toHaveLength(MAX_DEVICES);
    await purgeExpired(service.database, new Date(nowMs + 90 * DAY_MS + 1), expiringRows());
    expect(await devices.waiting(users.workspaceId)).toEqual([]);
  });

  it('ends with the membership', async () => {
    await report({});
    await service.database.query('DELETE FROM workspace_members WHERE account_id = $1', [
      users.member.accountId,
    ]);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['a short id', {}, 'short'],
    ['an empty name', { device_name: '' }, DEVICE],
    ['a name with a line end', { device_name: 'A\nB' }, DEVICE],
    ['a name of 101 characters', { device_name: 'x'.repeat(101) }, DEVICE],
    ['names of photos', { photos: ['Harbour.jpg'] }, DEVICE],
    ['a negative count', { waiting: -1 }, DEVICE],
    ['a fraction', { waiting: 1.5 }, DEVICE],
    ['an age of a century', { waiting_seconds: 4e9 }, DEVICE],
    ['an unknown state', { state: 'asleep' }, DEVICE],
    ['a sentence as the reason', { state: 'blocked', reason: 'The disk is full' }, DEVICE],
  ])('is refused with %s', async (_what, body, id) => {
    expect((await report(body, { id })).status).toBe(400);
    expect(await stored()).toEqual([]);
  });
});
