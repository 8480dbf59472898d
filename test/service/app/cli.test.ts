import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { IS_LONG } from '../../support/long-runs.js';
import { poll, startDevice } from '../support/oauth-client.js';
import { layReadyDatabase } from '../support/database-templates.js';
import { runService } from '../support/service-process.js';

function baseUrlIn(printed: string): string {
  return /http:\/\/localhost:\d+/.exec(printed)?.[0] ?? '';
}

describe('npm run service', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-cli-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** A data folder in which a service has run before; with TEST_SCALE=2 one whose database the first start makes. */
  const dataFolder = async (name: string): Promise<string> => {
    const data = path.join(folder, name);
    if (!IS_LONG) await layReadyDatabase(path.join(data, 'database'));
    return data;
  };

  it('prints its URL and the demo account, locks its data folder, and exits with 0 on SIGTERM', async () => {
    const data = await dataFolder('data');
    const run = () =>
      runService(['--port', '0', '--data', data, '--poll-interval-seconds', '2', '--quiet']);
    const first = run();
    const printed = await first.started();
    expect(printed).toContain('demo / demo-photos');
    expect(printed).toContain(`Version                     ${packageJson.version}\n`);
    expect(printed).toContain(`Database                    embedded, in ${data}/database\n`);
    expect(printed).toContain(`Files                       ${data}/uploads\n`);
    expect(printed).toContain('Trusted proxies             none; X-Forwarded-For is ignored\n');
    const device = await startDevice(baseUrlIn(printed));
    expect(device.body).toMatchObject({ interval: 2 });

    const second = await run().ended;

    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/^The data folder .* is in use by another service.*\n$/);
    first.kill('SIGKILL');
    await first.ended;
    // The lock of a killed service is released.
    const third = run();
    const baseUrl = baseUrlIn(await third.started());
    // Nor is anything lost that it had answered.
    expect((await poll(baseUrl, device.deviceCode)).body).toMatchObject({
      error: 'authorization_pending',
    });
    third.kill('SIGTERM');
    const { code, stderr } = await third.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('exits with one clear line when the port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const data = await dataFolder('port');

    const [service, metrics] = await Promise.all([
      runService(['--port', String(port), '--data', data]).ended,
      runService(['--port', '0', '--data', await dataFolder('metrics')], {
        METRICS_PORT: String(port),
      }).ended,
    ]);

    expect([service.code, metrics.code]).toEqual([1, 1]);
    expect(service.stderr).toBe(`Port ${port} on localhost is in use; choose another port.\n`);
    expect(metrics.stderr).toBe(
      `Port ${port} on localhost (METRICS_PORT) is in use; choose another port.\n`,
    );
    await new Promise((resolve) => other.close(resolve));
  });

  it('exits with one clear line when the data folder is not writable', async () => {
    const file = path.join(folder, 'a-file');
    await writeFile(file, '');

    const { code, stderr } = await runService(['--port', '0', '--data', path.join(file, 'data')])
      .ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Cannot write to the data folder .*a-file\/data \(ENOTDIR\); choose another folder\.\n$/,
    );
  });

  it('exits with one clear line on invalid options', async () => {
    const unused = path.join(folder, 'unused');
    const ended = await Promise.all([
      runService(['--data', unused, '--port', 'many']).ended,
      runService(['--data', unused, '--bogus']).ended,
      runService(['--data', unused, '--access-token-seconds', '0']).ended,
    ]);

    // 78: the unit of systemd does not try again.
    expect(ended).toEqual([
      { code: 78, stdout: '', stderr: '--port must be a whole number; see --help.\n' },
      { code: 78, stdout: '', stderr: "Unknown option '--bogus'; see --help.\n" },
      {
        code: 78,
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
