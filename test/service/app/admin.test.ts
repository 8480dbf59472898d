import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandFor, runCommand } from '../../../service/app/admin-commands.js';
import { openEmbeddedDatabase } from '../../../service/kernel/database/pglite.js';
import { startService } from '../../../service/start.js';
import { compiled, FOR_A_MOMENT } from '../../support/compiled.js';
import { TestBrowser } from '../support/browser-client.js';
import { layMigratedDatabase } from '../support/database-templates.js';

describe('npm run service:admin', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-admin-'));
    await layMigratedDatabase(path.join(dataDir, 'database'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  const admin = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    adminAt(dataDir, ...args);
  const adminAt = (
    folder: string,
    ...args: string[]
  ): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const command = [...FOR_A_MOMENT, compiled('service/admin.ts'), ...args, '--data', folder];
      execFile(process.execPath, command, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : 1, stdout, stderr });
      });
    });

  it('adds users and workspaces that the service accepts', async () => {
    const added = await admin('add-user', 'Ada', 'Ada L.');
    const first = /password (\S+)/.exec(added.stdout)?.[1] ?? '';
    expect(added).toMatchObject({ code: 0, stderr: '' });
    // In this process, to save time.
    const database = await openEmbeddedDatabase(path.join(dataDir, 'database'));
    const run = (name: string, ...args: string[]): Promise<string> =>
      runCommand(
        {
          database,
          storage: () => {
            throw new Error('no uploads here');
          },
          settle: () => Promise.resolve(),
          baseUrl: 'http://localhost',
        },
        name,
        args,
      );
    await run('add-workspace', 'North Studio');
    await run('set-role', 'ada', 'North Studio', 'owner');
    expect(await run('list')).toBe('North Studio: ada (owner)');
    const again = await run('reset-password', 'Ada');
    const password = / is (\S+);/.exec(again)?.[1] ?? '';
    await database.close();
    const twice = await admin('add-user', 'ada');
    expect(twice).toMatchObject({ code: 1, stderr: 'The username ada is taken.\n' });

    const service = await startService({ port: 0, dataDir, demoAccount: false });
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings/developer');
    const old = await browser.submit('Sign in', { username: 'ada', password: first });
    const page = await browser.submit('Sign in', { username: 'ada', password });
    expect(page.text).toContain('In the workspace North Studio');
    const inUse = await admin('list');
    await browser.open('/settings/developer');
    await browser.submit('Sign out');
    const demo = await browser.submit('Sign in', {
      username: service.demo.username,
      password: service.demo.password,
    });
    await service.close();

    expect(old.status).toBe(401);
    expect(inUse.code).toBe(1);
    expect(inUse.stderr).toContain('is in use by another service');
    // Without the demo account its well-known password opens nothing.
    expect(demo.status).toBe(401);
  });

  it('creates no database where none exists', async () => {
    const wrong = path.join(dataDir, 'elsewhere');

    const { code, stderr } = await adminAt(wrong, 'list');

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `There is no database in ${wrong}; set DATABASE_URL or --data as for the service.\n`,
    });
    expect(existsSync(wrong)).toBe(false);
  });

  it('leaves an older database unchanged', async () => {
    const older = path.join(dataDir, 'older');
    await layMigratedDatabase(path.join(older, 'database'));
    const before = await openEmbeddedDatabase(path.join(older, 'database'));
    await before.query(`DELETE FROM schema_migrations WHERE name LIKE '0001_%'`);
    await before.close();

    const { code, stderr } = await adminAt(older, 'list');

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The database is empty or older than this version \(it lacks 0001_\w+\.sql\); start the service .*\n$/,
    );
  });

  it('refuses the database of a later version', async () => {
    const newer = path.join(dataDir, 'newer');
    await layMigratedDatabase(path.join(newer, 'database'));
    const database = await openEmbeddedDatabase(path.join(newer, 'database'));
    await database.query(`INSERT INTO schema_migrations (name) VALUES ('9999_later.sql')`);
    await database.close();

    expect(await adminAt(newer, 'list')).toMatchObject({
      code: 1,
      stderr:
        'The database is newer than this version (it has 9999_later.sql); use the installed version.\n',
    });
  });

  it('exits with one clear line when a command fails', async () => {
    const twice = await Promise.all([admin('bogus'), admin('list', '--bogus')]);

    expect(twice.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 1, stderr: 'There is no command bogus; see --help.\n' },
      { code: 1, stderr: "Unknown option '--bogus'; see --help.\n" },
    ]);
  });

  it.each([
    ['constructor', [], 'There is no command constructor; see --help.'],
    ['end-sessions', [], 'end-sessions needs more arguments; see --help.'],
    ['add-user', ['ada', 'Ada', 'Lovelace'], 'put names with spaces in quotes.'],
    ['add-user', ['ada\n', 'Ada'], 'A username has'],
    ['add-user', ['ada', 'Ada\u001b[2J'], 'The display name must not contain control characters.'],
    ['add-workspace', ['North\nStudio'], 'The name of a workspace must not contain'],
    ['list', ['--with-uploads'], 'list has no option --with-uploads.'],
  ])('refuses %s %j before it opens the database', (name, args, words) => {
    const flags = args.filter((arg) => arg.startsWith('--')).map((flag) => flag.slice(2));
    const rest = args.filter((arg) => !arg.startsWith('--'));

    expect(() => commandFor(name, rest, new Set(flags))).toThrow(words);
  });
});
