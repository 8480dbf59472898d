import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService } from '../../../service/start.js';
import { compiled, FOR_A_MOMENT } from '../../support/compiled.js';

/** Nothing listens there. */
const NOWHERE = '127.0.0.1:1';
/** Both halves of each password are too long to be in a message by accident. */
const LEFT = '74631';
const RIGHT = '90258';

/** Addresses whose password, `74631?90258`, is not escaped. */
const UNESCAPED = ['#', '/', '?', '%', ' ', '%zz', '@x/', '@x#', '/@', '\n'].map((between) => ({
  between,
  url: `postgres://user:${LEFT}${between}${RIGHT}@${NOWHERE}/workspace`,
}));

const PROGRAMS = ['service/cli.ts', 'service/admin.ts'] as const;

describe('a DATABASE_URL with an unescaped password', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-url-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(UNESCAPED)('refuses the URL without printing any part of it: %j', async ({ url }) => {
    const failure: unknown = await startService({
      port: 0,
      dataDir: folder,
      databaseUrl: url,
    }).catch((error: unknown) => error);

    expect(failure).toMatchObject({ name: 'ServiceStartError', code: 'invalid_option' });
    const { message } = failure as Error;
    expect(message).not.toMatch(new RegExp(`${LEFT}|${RIGHT}`));
    expect(message).toContain('percent-encoded');
  });

  // @threat S8
  it.each(PROGRAMS)('is not printed by %s, whatever it is', async (program) => {
    const urls = [
      `postgres://user:${LEFT}#${RIGHT}@${NOWHERE}/workspace`,
      `postgres://user:p@${LEFT}/${RIGHT}@${NOWHERE}/workspace`,
      // Well-formed, with a host and a port that are parts of a password whose host was forgotten.
      `postgres://user${RIGHT}:${LEFT}`,
    ];
    const printed = await Promise.all(urls.map((url) => run(program, url, folder)));

    for (const output of printed) {
      expect(output).not.toMatch(new RegExp(`${LEFT}|${RIGHT}`));
      expect(output.trim()).not.toBe('');
    }
  });
});

/** Runs a program with this URL until it ends or reports that it waits. Returns its output. */
function run(
  program: (typeof PROGRAMS)[number],
  databaseUrl: string,
  dataDir: string,
): Promise<string> {
  const command = program.includes('admin') ? ['list'] : ['--port', '0'];
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...FOR_A_MOMENT, compiled(program), ...command, '--data', dataDir],
      { env: { ...process.env, DATABASE_URL: databaseUrl } },
      (_error, stdout, stderr) => {
        resolve(stdout + stderr);
      },
    );
    child.stdout?.on('data', (chunk: Buffer | string) => {
      if (chunk.toString().includes('server_error')) child.kill('SIGTERM');
    });
  });
}
