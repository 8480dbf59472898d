import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PersonalTokens } from '../../service/identity/accounts/personal-access-tokens.js';
import { approveDevice } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/http-api.md'), 'utf8');
const examples = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
const PHOTO = Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 251));

describe('the examples of docs/http-api.md', () => {
  let service: TestService;
  let folder: string;
  const variables: Record<string, string> = {};

  beforeAll(async () => {
    service = await startTestService();
    folder = await mkdtemp(join(tmpdir(), 'creative-workspace-api-'));
    await writeFile(join(folder, 'Harbour.jpg'), PHOTO);
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the example with these words, with the variables of those before. @returns what it printed. */
  const run = (words: string): Promise<string> => {
    const [example, ...others] = examples.filter((text) => text.includes(words));
    expect([example === undefined, others]).toEqual([false, []]);
    const script = `set -eu; ${example ?? ''}\nset > variables.txt`;
    return new Promise((resolve, reject) => {
      const child = { cwd: folder, env: { PATH: process.env['PATH'], ...variables } };
      execFile('sh', ['-c', script], child, (error, stdout, stderr) => {
        if (error === null && stderr === '') {
          void readVariables().then(() => resolve(stdout));
        } else {
          reject(new Error(`${stderr}${stdout}`, { cause: error }));
        }
      });
    });
  };

  const readVariables = async (): Promise<void> => {
    const lines = await readFile(join(folder, 'variables.txt'), 'utf8');
    for (const name of ['CLIENT', 'DEVICE_CODE', 'TOKEN', 'FILE', 'UPLOAD']) {
      const value = new RegExp(`^${name}='?([^'\n]*)'?$`, 'm').exec(lines)?.[1];
      if (value !== undefined) variables[name] = value;
    }
  };

  it('sign in, upload, list and fetch, in the order of the page', async () => {
    expect(examples[0]).toBe('BASE=https://workspace.example\n');
    variables['BASE'] = service.baseUrl;

    const asked = JSON.parse(await run('device_authorization')) as { user_code: string };
    await approveDevice(service.baseUrl, asked.user_code, service.demo);
    const me = JSON.parse(await run('device_code=$DEVICE_CODE')) as object;
    expect(me).toMatchObject({ account: { username: service.demo.username } });

    await run('-X POST -T');
    const { UPLOAD: upload = '', TOKEN: token = '' } = variables;
    expect(upload).toContain(`${service.baseUrl}/api/v1/uploads/`);
    const page1 = JSON.parse(await run('?limit=10')) as { uploads: object[] };
    expect(page1.uploads).toMatchObject([{ name: 'Harbour.jpg', size: PHOTO.length }]);
    const id = upload.split('/').at(-1) ?? '';

    // An upload that was cut after its first 2,000 bytes.
    const cut = await fetch(`${service.baseUrl}/api/v1/uploads`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Tus-Resumable': '1.0.0',
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Length': String(PHOTO.length),
      },
      body: PHOTO.subarray(0, 2000),
    });
    variables['UPLOAD'] = service.baseUrl + (cut.headers.get('location') ?? '');
    expect(await run('-X PATCH')).toMatch(new RegExp(`^upload-offset: ${PHOTO.length}\r$`, 'im'));

    const [owner] = await service.database.query<{ account_id: string; workspace_id: string }>(
      'SELECT account_id, workspace_id FROM workspace_members LIMIT 1',
    );
    const personal = new PersonalTokens(service.database, () => new Date());
    variables['TOKEN'] =
      (await personal.create(owner?.account_id ?? '', {
        workspaceId: owner?.workspace_id ?? '',
        name: 'By hand',
        scopes: ['uploads:content', 'uploads:read', 'feedback:write'],
        days: 1,
      })) ?? '';
    variables['ID'] = id;
    variables['COMMENT'] = 'comment';
    await service.database.query(
      `INSERT INTO share_answers (id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment, created_at)
       VALUES ('comment', $1, 'comment', 'guest', 'Mia', $1, 1, '', 'Too dark', now())`,
      [id],
    );
    const answers = await run('/api/v1/feedback?');
    expect(answers).toContain('"text":"Too dark"');
    expect(answers).toMatch(/"done":true,.*"text":"Done, see version 2."/);

    const receipt = JSON.parse(await run('/api/v1/receipts')) as { uploads: object[] };
    expect(receipt.uploads).toMatchObject([{ id, name: 'Harbour.jpg', size: PHOTO.length }]);
    const [, check = ''] = /^node -e '([^']*)'$/m.exec(examples.at(-1) ?? '') ?? [];
    const jws = await readFile(join(folder, 'receipt.jws'), 'utf8');
    const statusOf = async (text: string): Promise<number | null> => {
      await writeFile(join(folder, 'receipt.jws'), text);
      return spawnSync(process.execPath, ['-e', check], { cwd: folder }).status;
    };
    expect([await statusOf(jws), await statusOf(jws.replace('.', '.e30'))]).toEqual([0, 1]);
    await rm(join(folder, 'Harbour.jpg'));
    await run('-OJ');
    expect(await readFile(join(folder, 'Harbour.jpg'))).toEqual(PHOTO);
  });

  it('are all covered by the test above', () => {
    expect(examples).toHaveLength(9);
  });
});
