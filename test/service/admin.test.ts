import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService } from '../../service/service.js';
import { TestBrowser } from './browser.js';

// Processes that open a database on disk, one after the other.
jest.setTimeout(90_000);

describe('npm run service:admin', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-admin-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  const admin = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const command = ['--import', 'tsx', 'service/admin.ts', ...args, '--data', dataDir];
      execFile(process.execPath, command, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : 1, stdout, stderr });
      });
    });

  it('adds people and workspaces that the service then knows', async () => {
    const added = await admin('add-person', 'Ada', 'Ada L.');
    const first = /password (\S+)/.exec(added.stdout)?.[1] ?? '';
    expect(added).toMatchObject({ code: 0, stderr: '' });
    await admin('add-workspace', 'North Studio');
    await admin('set-role', 'ada', 'North Studio', 'owner');
    expect((await admin('list')).stdout).toBe('North Studio: ada (owner)\n');
    const twice = await admin('add-person', 'ada');
    expect(twice).toMatchObject({ code: 1, stderr: 'There is a person ada already.\n' });
    const again = await admin('reset-password', 'Ada');
    const password = /password (\S+);/.exec(again.stdout)?.[1] ?? '';

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

  it('ends with one clear line when it cannot do what it is told', async () => {
    const commands = [
      ['bogus'],
      ['add-person', 'ada', 'Ada', 'Lovelace'],
      ['add-person', 'ada', 'Ada\u001b[2J'],
      ['add-workspace', 'North\nStudio'],
      ['list', '--with-uploads'],
      ['list', '--bogus'],
    ];
    const ended: Awaited<ReturnType<typeof admin>>[] = [];
    for (const command of commands) ended.push(await admin(...command));

    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      [
        'There is no command bogus; see --help.',
        'add-person takes fewer words; put names with spaces in quotes.',
        'The display name must not hold control characters.',
        'The name of a workspace must not hold control characters.',
        'list does not know --with-uploads.',
        "Unknown option '--bogus'; see --help.",
      ].map((line) => ({ code: 1, stderr: `${line}\n` })),
    );
  });
});
