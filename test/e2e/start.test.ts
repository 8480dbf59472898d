import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { layMigratedDatabase } from '../service/support/database-templates.js';
import { FOR_A_MOMENT } from '../support/compiled.js';

const ROOT = join(import.meta.dirname, '..', '..');

/** `npm start`, without npm between us and the process, so that it receives signals. */
describe('npm start', () => {
  let folder: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'start-'));
    await layMigratedDatabase(join(folder, 'data', 'database'));
  });

  // One that a failed test has left would keep the data folder, and Jest, too.
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  function start(...args: string[]): { child: ChildProcess; output: () => string } {
    const places = ['--data', join(folder, 'data'), '--dist', join(folder, 'dist')];
    const child = spawn(
      process.execPath,
      [...FOR_A_MOMENT, '--import', 'tsx', 'scripts/start.ts', ...places, ...args],
      { cwd: ROOT },
    );
    children.push(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { child, output: () => output };
  }

  it('builds, prints the addresses, serves both, and ends cleanly at SIGTERM', async () => {
    const { child, output } = start('--service-port', '0', '--preview-port', '0');
    const exit = once(child, 'exit');
    const ready = new Promise<void>((done) =>
      child.stdout?.on('data', () => output().includes('Ctrl+C') && done()),
    );
    await Promise.race([
      ready,
      exit.then(() => Promise.reject(new Error(`It ended early:\n${output()}`))),
    ]);

    const [, preview = ''] = /Preview +(\S+)/.exec(output()) ?? [];
    const [, service = ''] = /Service +(\S+)/.exec(output()) ?? [];
    const panel = await fetch(`${preview}panel/`);
    expect([panel.status, (await panel.text()).includes('shell.js')]).toEqual([200, true]);
    // The bundle that is served talks to the service that was started, wherever that is.
    expect(await (await fetch(`${preview}panel/main.js`)).text()).toContain(service);
    const page = await fetch(`${service}/oauth/device`);
    expect([page.status, (await page.text()).includes('user_code')]).toEqual([200, true]);
    expect(output()).toMatch(/Sign in +\S+ \/ \S+/);

    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('prints one line when a port is in use, and fails', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const { child, output } = start('--service-port', port);
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(
      output()
        .split('\n')
        .filter((line) => line.includes(port)),
    ).toHaveLength(1);
    expect(output()).not.toMatch(/\n +at /); // no stack trace
    taken.close();
  });

  it('lists the options when one is wrong', async () => {
    const { child, output } = start('--port', '1');
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(output()).toContain('--service-port N');
  });
});
