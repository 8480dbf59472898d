import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { setMembersSeeAll } from '../../../../service/identity/accounts/accounts.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';
import type { TestBrowser } from '../../support/browser-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';

const LAST_WEEK = new Date(Date.now() - 7 * 24 * 3_600_000);

type PhotoName =
  /** In North Studio, which the owner owns, and where two others are members. */
  | 'member’s'
  | 'member’s second'
  | 'owner’s'
  /** Has been in the trash for a week. */
  | 'member’s in the trash'
  /** An unfinished upload. */
  | 'member’s unfinished'
  /** In South Studio, which the member owns, and where the owner is a member. */
  | 'member’s in the south'
  | 'owner’s in the south'
  | 'of strangers';

describe('photos selected together', () => {
  let north: string;
  let south: string;
  let users: Readonly<Record<'owner' | 'member', { user: TestUser; browser: TestBrowser }>>;
  let project: string;
  let southProject: string;
  const ids = new Map<PhotoName, string>();

  const service = useService();
  beforeAll(async () => {
    north = await addWorkspace(service, 'North Studio');
    south = await addWorkspace(service, 'South Studio');
    const elsewhere = await addWorkspace(service, 'Elsewhere');
    const owner = await addUser(service, { [north]: 'owner' });
    const member = await addUser(service, { [north]: 'member' });
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const sent: [PhotoName, string][] = [
      ['member’s', await connectAs(service, member)],
      ['member’s second', await connectAs(service, member)],
      ['member’s in the trash', await connectAs(service, member)],
      ['member’s unfinished', await connectAs(service, member)],
      ['member’s in the south', await connectAs(service, member)],
      ['owner’s', await connectAs(service, owner)],
      ['owner’s in the south', await connectAs(service, owner)],
      ['of strangers', await connectAs(service, outsider)],
    ];
    for (const [index, [name, token]] of sent.entries())
      ids.set(name, await send(service, token, `${name}.jpg`, photo(10, index)));
    await service.database.query(
      `UPDATE uploads SET workspace_id = $1 WHERE name LIKE '%in the south.jpg'`,
      [south],
    );
    await service.database.query(
      `UPDATE uploads SET finished_at = NULL, sha256 = NULL, taken_at = NULL WHERE name LIKE '%unfinished.jpg'`,
    );
    await service.database.query(
      `INSERT INTO workspace_members (workspace_id, account_id, role)
       VALUES ($1, $2, 'owner'), ($1, $3, 'member')`,
      [south, member.accountId, owner.accountId],
    );
    const table = new ProjectTable(service.database, () => new Date());
    const make = async (workspace: string): Promise<string> => {
      const made = await table.create(workspace, 'Autumn', member.accountId);
      return typeof made === 'string' ? made : made.id;
    };
    [project, southProject] = [await make(north), await make(south)];
    users = {
      owner: { user: owner, browser: await openSettings(service, owner, '/photos') },
      member: { user: member, browser: await openSettings(service, member, '/photos') },
    };
  });
  beforeEach(async () => {
    await setMembersSeeAll(service.database, north, true);
    await setMembersSeeAll(service.database, south, true);
    await service.database.query(
      `UPDATE uploads SET project_id = NULL, trashed_at = NULL, trashed_by = NULL`,
    );
    await service.database.query(
      `UPDATE uploads SET trashed_at = $1, trashed_by = account_id WHERE name LIKE '%in the trash.jpg'`,
      [LAST_WEEK],
    );
  });

  const idsOf = (names: readonly PhotoName[]): string[] =>
    names.map((name) => ids.get(name) ?? 'not sent');

  const post = (
    who: 'owner' | 'member',
    path: string,
    chosen: readonly string[],
    form: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const { browser } = users[who];
    return fetch(service.baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.sessionCookie },
      body: new URLSearchParams([
        ...Object.entries({ csrf: browser.csrf, ...form }),
        ...chosen.map((id): [string, string] => ['photo', id]),
      ]),
    });
  };

  interface State {
    readonly id: string;
    readonly trashed_at: Date | null;
    readonly trashed_by: string | null;
    readonly project_id: string | null;
  }
  const stateOf = async (): Promise<Map<PhotoName, State>> => {
    const rows = await service.database.query<State & object>(
      'SELECT id, trashed_at, trashed_by, project_id FROM uploads',
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return new Map(
      [...ids].flatMap(([name, id]) => {
        const row = byId.get(id);
        return row === undefined ? [] : [[name, row] as const];
      }),
    );
  };

  /** Does it, and gives the answer's status and the names of the photos that are not as they were before. */
  const changedBy = async (
    action: () => Promise<Response>,
  ): Promise<{ status: number; changed: PhotoName[]; after: Map<PhotoName, State> }> => {
    const before = await stateOf();
    const { status } = await action();
    const after = await stateOf();
    const changed = [...after.keys()].filter(
      (name) => JSON.stringify(after.get(name)) !== JSON.stringify(before.get(name)),
    );
    return { status, changed, after };
  };

  interface Row {
    readonly who: 'owner' | 'member';
    readonly chosen: readonly PhotoName[];
    /** Whether members see all photos of the workspaces. */
    readonly areSeen: boolean;
    /** The photos that go into the trash; undefined when it is refused. */
    readonly trashed: readonly PhotoName[] | undefined;
    /** The photos that are moved into a project of the first photo's workspace. */
    readonly moved: readonly PhotoName[] | undefined;
    readonly zipped: readonly PhotoName[];
  }
  const MEMBERS: readonly PhotoName[] = ['member’s', 'member’s second'];
  const rows: Row[] = [
    {
      who: 'member',
      areSeen: true,
      chosen: MEMBERS,
      trashed: MEMBERS,
      moved: MEMBERS,
      zipped: MEMBERS,
    },
    // A visible photo of another user, first or last: none is changed.
    ...[
      ['member’s', 'owner’s'] as const,
      ['owner’s', 'member’s'] as const,
      ['member’s', 'owner’s', 'member’s second'] as const,
      ['member’s', 'owner’s', 'of strangers'] as const,
    ].map((chosen): Row => {
      const zipped = chosen.filter((name) => name !== 'of strangers');
      return { who: 'member', areSeen: true, chosen, trashed: undefined, moved: undefined, zipped };
    }),
    // Photos that the user cannot see count as not selected.
    ...[
      { areSeen: false, chosen: ['member’s', 'owner’s'] } as const,
      { chosen: ['of strangers', 'member’s'] } as const,
      { chosen: ['member’s', 'member’s unfinished'] } as const,
    ].map((row): Row => {
      const own = ['member’s'] as const;
      return { who: 'member', areSeen: true, ...row, trashed: own, moved: own, zipped: own };
    }),
    {
      who: 'owner',
      areSeen: true,
      chosen: ['member’s', 'owner’s', 'member’s second'],
      trashed: ['member’s', 'member’s second', 'owner’s'],
      moved: ['member’s', 'member’s second', 'owner’s'],
      zipped: ['member’s', 'owner’s', 'member’s second'],
    },
    // To own one workspace gives no right in another.
    {
      who: 'owner',
      areSeen: true,
      chosen: ['member’s', 'member’s in the south'],
      trashed: undefined,
      moved: undefined,
      zipped: ['member’s', 'member’s in the south'],
    },
    // Photos of two workspaces are not changed together.
    ...[
      ['member’s', 'member’s in the south'] as const,
      ['member’s in the south', 'member’s'] as const,
    ].map((chosen): Row => ({
      who: 'member',
      areSeen: true,
      chosen,
      trashed: undefined,
      moved: undefined,
      zipped: chosen,
    })),
    {
      who: 'owner',
      areSeen: false,
      chosen: ['member’s', 'member’s in the south', 'owner’s in the south'],
      trashed: undefined,
      moved: undefined,
      zipped: ['member’s', 'owner’s in the south'],
    },
  ];
  const sorted = (names: readonly string[]): string[] => [...names].sort();

  it.each(rows)(
    'are all changed or none: $chosen, selected by the $who (members see all: $areSeen)',
    async ({ who, chosen, areSeen, trashed, moved, zipped }) => {
      if (!areSeen)
        for (const workspace of [north, south])
          await setMembersSeeAll(service.database, workspace, false);

      const zip = await changedBy(async () => {
        const answer = await post(who, '/photos/zip', idsOf(chosen));
        const files = Object.keys(unzipSync(new Uint8Array(await answer.arrayBuffer())));
        expect(files).toEqual(zipped.map((name) => `${name}.jpg`));
        return answer;
      });
      expect(zip).toMatchObject({ status: 200, changed: [] });

      for (const into of [project, southProject]) {
        const isOfFirst = (chosen[0]?.endsWith('south') ?? false) === (into === southProject);
        const move = await changedBy(() => post(who, '/photos', idsOf(chosen), { move: into }));
        const isMoved = moved !== undefined && isOfFirst;
        expect(sorted(move.changed)).toEqual(isMoved ? sorted(moved) : []);
        expect(move.status).toBe(303);
      }

      const trash = await changedBy(() => post(who, '/photos', idsOf(chosen), { action: 'trash' }));
      expect(trash.status).toBe(303);
      expect(sorted(trash.changed)).toEqual(sorted(trashed ?? []));
      for (const name of trashed ?? [])
        expect(trash.after.get(name)).toMatchObject({
          trashed_by: users[who].user.accountId,
          trashed_at: expect.anything(),
        });
    },
  );

  it('keep the time and user of a photo already in the trash', async () => {
    const chosen = idsOf(['member’s in the trash', 'member’s']);
    const move = await changedBy(() => post('member', '/photos', chosen, { move: project }));
    expect(move.changed).toEqual(['member’s']);
    for (const who of ['member', 'owner'] as const) {
      const trash = await changedBy(() => post(who, '/photos', chosen, { action: 'trash' }));
      expect(trash).toMatchObject({ status: 303, changed: who === 'member' ? ['member’s'] : [] });
      expect(trash.after.get('member’s in the trash')?.trashed_at).toEqual(LAST_WEEK);
    }
  });

  it('move into a project only if they are in its workspace', async () => {
    const table = new ProjectTable(service.database, () => new Date());
    const both = idsOf(['member’s', 'member’s in the south', 'owner’s']);
    expect(sorted(await table.move(north, both, project))).toEqual(
      sorted(idsOf(['member’s', 'owner’s'])),
    );
    for (const [workspace, into] of [
      [north, southProject],
      [south, project],
    ] as const)
      expect(await table.move(workspace, both, into)).toEqual([]);
    expect(await table.move(south, both, '')).toEqual(idsOf(['member’s in the south']));
    expect((await stateOf()).get('member’s')?.project_id).toBe(project);
  });
});
