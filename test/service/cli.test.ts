import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { poll, requestDevice, startDevice } from './client.js';
import { layMigratedDatabase } from './kept-databases.js';
import { runService } from './service-process.js';

function baseUrlIn(printed: string): string {
  return /http:\/\/localhost:\d+/.exec(printed)?.[0] ?? '';
}

describe('npm run service', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-cli-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('prints where it is and the demo sign-in, serves, and ends with 0 on SIGTERM and SIGINT', async () => {
    // The first start makes its database.
    const data = path.join(folder, 'data');
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const cli = runService([
        '--port',
        '0',
        '--data',
        data,
        '--poll-interval-seconds',
        '2',
        '--quiet',
      ]);
      const printed = await cli.started();
      const baseUrl = baseUrlIn(printed);
      expect(printed).toContain('demo / demo-photos');
      expect((await requestDevice(baseUrl)).body).toMatchObject({ interval: 2 });

      cli.kill(signal);

      const { code, stderr } = await cli.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
  });

  it('refuses a data folder that another service uses', async () => {
    const data = path.join(folder, 'in-use');
    await layMigratedDatabase(path.join(data, 'database'));
    const first = runService(['--port', '0', '--data', data, '--quiet']);
    const device = await startDevice(baseUrlIn(await first.started()));

    const second = await runService(['--port', '0', '--data', data]).ended;

    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/^The data folder .* is in use by another service.*\n$/);
    first.kill('SIGKILL');
    await first.ended;
    // The lock of a service that was killed does not stand in the way.
    const third = runService(['--port', '0', '--data', data, '--quiet']);
    const baseUrl = baseUrlIn(await third.started());
    // Nor is anything lost that it had answered.
    expect((await poll(baseUrl, device.deviceCode)).body).toMatchObject({
      error: 'authorization_pending',
    });
    third.kill('SIGTERM');
    expect((await third.ended).code).toBe(0);
  });

  it('ends with one clear line when the port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const data = path.join(folder, 'port');
    await layMigratedDatabase(path.join(data, 'database'));

    const { code, stderr } = await runService(['--port', String(port), '--data', data]).ended;

    expect(code).toBe(1);
    expect(stderr).toBe(`Port ${port} on localhost is in use; choose another port.\n`);
    await new Promise((resolve) => other.close(resolve));
  });

  it('ends with one clear line when the data folder cannot be written', async () => {
    const file = path.join(folder, 'a-file');
    await writeFile(file, '');

    const { code, stderr } = await runService(['--port', '0', '--data', path.join(file, 'data')])
      .ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Cannot write to the data folder .*a-file\/data \(ENOTDIR\); choose another folder\.\n$/,
    );
  });

  it('ends with one clear line on options that are wrong', async () => {
    const unused = path.join(folder, 'unused');
    const ended = await Promise.all([
      runService(['--data', unused, '--port', 'many']).ended,
      runService(['--data', unused, '--bogus']).ended,
      runService(['--data', unused, '--access-token-seconds', '0']).ended,
    ]);

    expect(ended).toEqual([
      { code: 1, stdout: '', stderr: '--port must be a whole number; see --help.\n' },
      { code: 1, stdout: '', stderr: "Unknown option '--bogus'; see --help.\n" },
      {
        code: 1,
        stdout: '',
        stderr:
          'Invalid option: accessTokenSeconds must be a whole number of seconds, at least 1.\n',
      },
    ]);
  });

  it('explains its options on --help', async () => {
    const { code, stdout } = await runService(['--help']).ended;

    expect(code).toBe(0);
    for (const option of [
      '--port',
      '--host',
      '--data',
      '--access-token-seconds',
      '--poll-interval-seconds',
      '--device-code-seconds',
    ]) {
      expect(stdout).toContain(option);
    }
  });
});
