import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Queryable, SqlValue } from '../../../../service/kernel/database/database.js';
import { IS_LONG } from '../../../support/long-runs.js';
import { connectApp, sendRaw } from '../../attacks/raw.js';
import { DESKTOP_ID } from '../../support/code-flow.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import { addUser, addWorkspace } from '../../support/users.js';
import { startTestService, type TestService } from '../../support/running-service.js';
import { useService } from '../../support/use-service.js';
import { authorization, create, photo, sha256 } from '../../support/tus-client.js';

const PATH = '/api/v1/uploads/known';

interface Known {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly client_upload_id: string | null;
  readonly created_at: string;
}

describe('known files', () => {
  let token: string;

  const service = useService();
  beforeAll(async () => {
    token = (await service.connect()).accessToken;
  });

  const ask = (
    body: unknown,
    as = token,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(service.baseUrl + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization(as), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const known = async (files: unknown, as = token): Promise<Known[]> => {
    const answer = await ask({ files }, as);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { known: Known[] }).known;
  };
  const upload = async (name: string, size: number, as = token, id?: string): Promise<string> => {
    const bytes = photo(size, size);
    const metadata = { filename: name, ...(id !== undefined && { client_upload_id: id }) };
    const answer = await create(service.baseUrl, as, { length: size, metadata, body: bytes });
    expect(answer.status).toBe(201);
    return sha256(bytes);
  };

  it('are found by name and size, with digest, id and time; unfinished ones are not', async () => {
    const hash = await upload('here.jpg', 501, token, 'the-id-of-the-client');
    await create(service.baseUrl, token, { length: 502, metadata: { filename: 'half.jpg' } });

    const found = await known([
      { name: 'half.jpg', size: 502 },
      { name: 'here.jpg', size: 501 },
      { name: 'here.jpg', size: 500 },
      { name: 'Here.jpg', size: 501 },
      { name: 'here.jpg', size: 501, more: 'of a later version' },
    ]);

    expect(found).toEqual([
      {
        name: 'here.jpg',
        size: 501,
        sha256: hash,
        client_upload_id: 'the-id-of-the-client',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ]);
    expect(await known([])).toEqual([]);
  });

  it('are found by their original name, also if the list shows it sanitized', async () => {
    for (const [size, name] of [
      [601, 'Küste 🌊.jpg'],
      [602, 'line\nbreak.jpg'],
      [603, '\u202egpj.exe'],
      [604, 'x'.repeat(255)],
    ] as const) {
      await upload(name, size);
      expect(await known([{ name, size }])).toEqual([expect.objectContaining({ name, size })]);
    }
    await create(service.baseUrl, token, { length: 605, body: photo(605) });
    expect(await known([{ name: '', size: 605 }])).toHaveLength(1);
    expect(await known([{ name: 'untitled', size: 605 }])).toHaveLength(1);
    expect(await known([{ name: 'nul\0.jpg', size: 605 }])).toEqual([]);
    expect(await known([{ name: 'half \ud800.jpg', size: 605 }])).toEqual([]);
  });

  it('are found by their names in the composed and the decomposed form', async () => {
    await upload('Küste.jpg', 611);
    await upload('Ku\u0308ste.jpg', 612);
    const files = [
      { name: 'Ku\u0308ste.jpg', size: 611 },
      { name: 'Küste.jpg', size: 612 },
    ];
    expect(await known(files)).toMatchObject(files);
  });

  it('lists the newest ten copies of a file', async () => {
    for (let count = 0; count < 12; count += 1) await upload('often.jpg', 3);
    const found = await known([{ name: 'often.jpg', size: 3 }]);
    expect(found).toHaveLength(10);
    const times = found.map((one) => one.created_at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('names the photo that a file would replace', async () => {
    const hash = await upload('replaced.jpg', 901);
    const file = { name: 'replaced.jpg', size: 902 };
    const answer = await ask({
      files: [file, { ...file, project: 'another' }, { ...file, size: 3 }],
    });
    const { known: here, previous } = (await answer.json()) as {
      known: unknown[];
      previous: unknown[];
    };
    expect(here).toEqual([]);
    const found = {
      name: 'replaced.jpg',
      document: null,
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      sha256: hash,
      project: null,
      match: 'name',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    };
    expect(previous).toEqual([
      { ...found, size: 902 },
      { ...found, size: 3 },
    ]);
  });

  it('requires the scope of the list', async () => {
    await upload('by-scope.jpg', 7);
    const reader = (await service.connect('uploads:read')).accessToken;
    expect(await known([{ name: 'by-scope.jpg', size: 7 }], reader)).toHaveLength(1);
    expect((await ask({ files: [] }, 'svc_at_unknown')).status).toBe(401);
    expect((await ask({ files: [] }, reader, { 'tus-resumable': '0.2.2' })).status).toBe(412);
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE', 'PUT']) {
      const answer = await fetch(service.baseUrl + PATH, { method, headers: authorization(token) });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      expect(answer.headers.get('tus-resumable')).toBe('1.0.0');
    }
  });

  it('returns known files only to apps that may list them', async () => {
    const [north, south] = [
      await addWorkspace(service, 'North'),
      await addWorkspace(service, 'South'),
    ];
    const one = await addUser(service, { [north]: 'member' });
    const colleague = await addUser(service, { [north]: 'owner' });
    const two = await addUser(service, { [south]: 'member' });
    const app = { clientId: DESKTOP_ID };
    const own = await connectApp(service.baseUrl, one);
    const file = { name: 'private.jpg', size: 701 };
    await upload(file.name, file.size, own);
    expect(await known([file], own)).toHaveLength(1);

    const others = [
      await connectApp(service.baseUrl, colleague),
      await connectApp(service.baseUrl, colleague, { scope: 'uploads:write uploads:read' }),
      await connectApp(service.baseUrl, two, { scope: 'uploads:read' }),
      // Another app of the user, which may read only its own uploads.
      await connectApp(service.baseUrl, one, app),
    ];
    for (const other of others) expect(await known([file], other)).toEqual([]);
    const reader = await connectApp(service.baseUrl, one, { ...app, scope: 'uploads:read' });
    expect(await known([file], reader)).toHaveLength(1);

    // The same user in another workspace.
    await service.database.query(
      `INSERT INTO workspace_members (workspace_id, account_id, role) VALUES ($1, $2, 'member')`,
      [south, one.accountId],
    );
    await service.database.query('UPDATE uploads SET workspace_id = $1 WHERE name = $2', [
      south,
      file.name,
    ]);
    expect(await known([file], own)).toEqual([]);
  });

  it('accepts at most a thousand files, with the longest names', async () => {
    const files = Array.from({ length: 1000 }, (_, size) => ({ name: '写'.repeat(255), size }));
    expect(await known(files)).toEqual([]);
    const answer = await ask({ files: [...files, { name: 'a', size: 1 }] });
    expect(answer.status).toBe(400);
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"files":{}}',
    '{"files":null}',
    '{"files":[null]}',
    '{"files":["a.jpg"]}',
    '{"files":[{"name":"a"}]}',
    '{"files":[{"size":1}]}',
    '{"files":[{"name":1,"size":1}]}',
    '{"files":[{"name":"a","size":"1"}]}',
    '{"files":[{"name":"a","size":-1}]}',
    '{"files":[{"name":"a","size":1.5}]}',
    '{"files":[{"name":"a","size":1,"document":""}]}',
    '{"files":[{"name":"a","size":1,"document":"K\u00fcste"}]}',
    '{"files":[{"name":"a","size":1,"project":"../a"}]}',
    '{"files":[{"name":"a","size":1e300}]}',
    '{"files":[{"name":"a","size":9007199254740992}]}',
    `{"files":[{"name":"${'x'.repeat(256)}","size":1}]}`,
    '{"files":[{"name":"a","size":1}]',
    '['.repeat(100_000),
  ])('rejects the body %.60j', async (body) => {
    const answer = await ask(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('accepts JSON in UTF-8 only', async () => {
    const body = { files: [] };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', ''])
      expect((await ask(body, token, { 'content-type': type })).status).toBe(415);
    const type = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await ask(body, token, type)).status).toBe(200);
    const broken = Buffer.from('{"files":[{"name":"\xff","size":1}]}', 'latin1');
    const answer = await sendRaw(service.baseUrl, {
      method: 'POST',
      target: PATH,
      token,
      headers: { 'content-type': 'application/json' },
      body: broken,
    });
    expect(answer.status).toBe(400);
  });

  it('rejects a body of more than a megabyte, announced or not', async () => {
    const huge = JSON.stringify({ files: [], more: 'x'.repeat(1_100_000) });
    expect((await ask(huge)).status).toBe(413);
    const answer = await sendRaw(service.baseUrl, {
      method: 'POST',
      target: PATH,
      token,
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body: Buffer.from(huge),
    });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'request_too_large' });
  });

  it('returns 404 at other addresses', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const target of [`${PATH}/`, `${PATH}?a=b`, `${PATH}/known`, `${PATH}%20`]) {
      const answer = await sendRaw(service.baseUrl, {
        method: 'POST',
        target,
        token,
        headers,
        body: Buffer.from('{"files":[]}'),
      });
      expect([target, answer.status]).toEqual([target, 404]);
    }
  });

  it('the list can be filtered by sha256', async () => {
    const hash = await upload('by-digest.jpg', 801);
    await upload('by-digest-again.jpg', 801);
    await upload('another.jpg', 802);
    const list = async (query: string): Promise<{ uploads: { name: string }[]; next?: string }> => {
      const answer = await fetch(`${service.baseUrl}/api/v1/uploads?${query}`, {
        headers: authorization(token),
      });
      return (await answer.json()) as Awaited<ReturnType<typeof list>>;
    };
    const names = ['by-digest.jpg', 'by-digest-again.jpg'];
    const all = await list(`sha256=${hash}`);
    expect(all.uploads.map(({ name }) => name)).toEqual(names);
    expect(all.next).toBeUndefined();
    const first = await list(`limit=1&sha256=${hash.toUpperCase()}`);
    const second = await list((first.next ?? '').split('?')[1] ?? '');
    expect([...first.uploads, ...second.uploads].map(({ name }) => name)).toEqual(names);
    expect(second.next).toBeUndefined();
    expect((await list(`sha256=${'0'.repeat(64)}`)).uploads).toEqual([]);
    for (const query of [
      '',
      hash.slice(1),
      `${hash}0`,
      `g${hash.slice(1)}`,
      `${hash}&sha256=${hash}`,
    ])
      expect(await list(`sha256=${query}`)).toMatchObject({ error: 'invalid_request' });
  });
});

interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Enough for an index to be worth while; ten times as many in the long form. */
const MANY = IS_LONG ? 30_000 : 3000;

describe('among very many uploads', () => {
  const heard: Statement[] = [];
  let service: TestService;
  let token: string;

  beforeAll(async () => {
    const database = await openReadyDatabase();
    service = await startTestService({
      database: {
        ...database,
        query: (sql, params) => {
          heard.push({ sql, params: params ?? [] });
          return database.query(sql, params);
        },
      },
    });
    token = (await service.connect()).accessToken;
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            active_at, finished_at, sha256)
       SELECT 'upload-' || n, account_id, workspace_id, n, 'IMG_' || n % 1000 || '.jpg', 'image/jpeg',
              '{}', now(), now(), now(), lpad(to_hex(n), 64, '0')
         FROM generate_series(1, ${MANY}) AS n, (SELECT DISTINCT account_id, workspace_id FROM consents) AS own`,
    );
    await service.database.query('ANALYZE uploads');
  });
  afterAll(() => service.close());

  /** How PostgreSQL answers a statement. */
  const plan = async ({ sql, params }: Statement): Promise<string> => {
    const rows = await service.database.query<Record<string, string>>(`EXPLAIN ${sql}`, params);
    return rows.map((row) => row['QUERY PLAN'] ?? '').join('\n');
  };
  /** The statements about uploads that a request comes to. */
  const statementsOf = async (send: () => Promise<unknown>): Promise<Statement[]> => {
    const before = heard.length;
    await send();
    return heard.slice(before).filter(({ sql }) => sql.includes('FROM uploads'));
  };

  it('a thousand files are looked up by two statements, by index', async () => {
    const files = Array.from({ length: 1000 }, (_, n) => ({
      name: `IMG_${n}.jpg`,
      size: n % 2 === 0 ? n + 2000 : 1,
    }));
    let known: unknown[] = [];
    const asked = await statementsOf(async () => {
      const answer = await fetch(service.baseUrl + PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization(token) },
        body: JSON.stringify({ files }),
      });
      ({ known } = (await answer.json()) as { known: unknown[] });
    });
    expect(known).toHaveLength(501);
    // One for the files that are here, one for the photos that they would replace.
    expect(asked).toHaveLength(2);
    const shown = (await Promise.all(asked.map(plan))).join();
    expect(shown).toContain('uploads_known');
    expect(shown).not.toContain('Seq Scan on uploads');
  });

  it('the photo of an upload that is finished is found by index', async () => {
    const counts = async (
      transaction: Queryable,
    ): Promise<{ scanned: number; fetched: number }> => {
      const [row] = await transaction.query<{ scanned: string; fetched: string }>(
        `SELECT seq_tup_read AS scanned, idx_tup_fetch AS fetched
           FROM pg_stat_xact_user_tables WHERE relname = 'uploads'`,
      );
      return { scanned: Number(row?.scanned), fetched: Number(row?.fetched) };
    };
    const read = await service.database.transaction(async (transaction) => {
      const before = await counts(transaction);
      // Often enough for a plan that is kept.
      for (let n = 0; n < 8; n += 1) {
        await transaction.query(
          `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, document)
           SELECT $1, account_id, workspace_id, 5, 'IMG_1.jpg', '', '{}', now(), 'xmp.did:1' FROM uploads LIMIT 1`,
          [`next-${n}`],
        );
        await transaction.query(`SELECT 1 FROM finish_upload($1, now(), '', '')`, [`next-${n}`]);
      }
      const after = await counts(transaction);
      return { scanned: after.scanned - before.scanned, fetched: after.fetched - before.fetched };
    });
    // One row for each of the statements that copy a user.
    expect(read.scanned).toBeLessThanOrEqual(8);
    expect(read.fetched).toBeLessThan(8 * 20);
  });

  it.each([
    ['have all been made by one person', 'UPDATE pg_statistic SET stadistinct = 1'],
    ['are few', 'UPDATE pg_class SET reltuples = 1, relpages = 1'],
  ])(
    'files are looked up by the same index where statistics claim that uploads %s',
    async (_what, claim) => {
      const shown: string[] = [];
      const files = [{ name: 'IMG_1.jpg', size: 1 }];
      const asked = await statementsOf(() =>
        fetch(service.baseUrl + PATH, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...authorization(token) },
          body: JSON.stringify({ files }),
        }),
      );
      await service.database
        .transaction(async (transaction) => {
          await transaction.query(
            `${claim} WHERE ${claim.includes('pg_class') ? 'oid' : 'starelid'} = 'uploads'::regclass`,
          );
          for (const { sql, params } of asked) {
            const rows = await transaction.query<Record<string, string>>(`EXPLAIN ${sql}`, params);
            shown.push(...rows.map((row) => row['QUERY PLAN'] ?? ''));
          }
          throw new Error('roll back');
        })
        .catch(() => undefined);
      expect(shown.join()).toMatch(/(using|on) uploads_known/);
    },
  );

  it('a digest is looked up by index', async () => {
    const hash = '1'.padStart(64, '0');
    const asked = await statementsOf(() =>
      fetch(`${service.baseUrl}/api/v1/uploads?sha256=${hash}`, { headers: authorization(token) }),
    );
    const shown = (await Promise.all(asked.map(plan))).join();
    expect(shown).toContain('uploads_finished_by_digest');
  });
});
