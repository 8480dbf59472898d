import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { photoshop } from '../../build/hosts.js';
import { openPlugin, type Plugin } from '../host/host.js';
import { approveDevice, denyDevice } from '../service/support/browser-client.js';
import { FileStorage } from '../../service/library/uploads/storage/file-storage.js';
import { addUser, addWorkspace } from '../service/support/users.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { arrivals } from './arrivals.js';
import { writeFiles } from './files.js';

const ANNA = { username: 'anna', password: 'the password of Anna Keller' };
const BEN = { username: 'ben', password: 'the password of Ben Mora' };

/** The built bundle in the simulated host, against the real service. */
describe('switching accounts', () => {
  let folder: string;
  let service: TestService;
  const opened: Plugin[] = [];
  /** Clean-up for a test that fails early. */
  const holds: (() => void)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'another-'));
    service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
    const users = [
      { ...ANNA, displayName: 'Anna Keller', workspace: 'Studio Keller' },
      { ...BEN, displayName: 'Ben Mora', workspace: 'Mora & Co' },
    ];
    for (const { workspace, ...user } of users)
      await addUser(service, { [await addWorkspace(service, workspace)]: 'owner' }, user);
    await buildPlugin(service.baseUrl, join(folder, 'dist'), photoshop);
  });

  afterEach(() => {
    for (const plugin of opened.splice(0)) plugin.kill();
    for (const end of holds.splice(0)) end();
  });

  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (storage: string): Promise<Plugin> => {
    const plugin = await openPlugin({
      dist: join(folder, 'dist'),
      storageDir: join(folder, storage),
      uxpVersion: '9.2.0',
      allowLoopbackHttp: true,
    });
    opened.push(plugin);
    return plugin;
  };

  const connectAsAnna = async (plugin: Plugin): Promise<string> => {
    await plugin.waitFor('Connect once.');
    plugin.click('Connect');
    await approveDevice(service.baseUrl, await codeIn(plugin), ANNA);
    await plugin.waitFor('Anna Keller');
    return lastToken(plugin);
  };

  /** Holds each upload after its first bytes until its sender has disconnected. */
  const holdUploads = (): (() => void) => {
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    holds.push(end);
    async function* firstOf(pieces: Readable): AsyncGenerator {
      for await (const piece of pieces) {
        yield piece;
        await held;
        return;
      }
    }
    // oxlint-disable-next-line typescript/unbound-method -- called with its object below
    const { write } = FileStorage.prototype;
    const holding = jest.spyOn(FileStorage.prototype, 'write').mockImplementation(function (
      this: FileStorage,
      pieces,
      ...rest
    ) {
      return write.call(this, Readable.from(firstOf(pieces)), ...rest);
    });
    return () => {
      holding.mockRestore();
      end();
    };
  };

  /** Adds a photo that has to wait. */
  const addWaiting = async (plugin: Plugin, name: string): Promise<void> => {
    // A unique name, so that no duplicate check matches a photo of another test. And one without the
    // other's name in it, which is waited for.
    const [big, photo] = await writeFiles(folder, {
      [`large ${name.replace('.jpg', '')}.psd`]: 1_000_000,
      [name]: 20_000,
    });
    if (!big || !photo) throw new Error('no photos');
    plugin.click('Add photos');
    await plugin.waitFor(() => plugin.control.pickers.open > 0);
    const end = holdUploads();
    plugin.control.pickers.answer([big.path]);
    await plugin.waitFor(() => plugin.labels().includes('Pause'));
    plugin.click('Pause');
    await plugin.waitFor('Paused');
    end();
    plugin.click('Add photos');
    await plugin.waitFor(() => plugin.control.pickers.open > 0);
    plugin.control.pickers.answer([photo.path]);
    await plugin.waitFor(name);
  };

  it('stays with Anna over a restart until Ben has signed in', async () => {
    const first = await open('main');
    const token = await connectAsAnna(first);
    expect(first.text()).toMatch(/Connected[^]*Anna Keller[^]*Studio Keller/);
    first.kill();

    const plugin = await open('main');
    expect(await plugin.waitFor('Anna Keller')).toContain('Connected');
    await addWaiting(plugin, 'of Anna.jpg');

    plugin.click('Account menu');
    await plugin.waitFor(() => plugin.labels().includes('Use another account'));
    plugin.click('Use another account');
    await codeIn(plugin);
    plugin.click('Cancel');
    await plugin.waitFor(() => plugin.labels().includes('Account menu'));
    expect(plugin.text()).not.toContain('You are connected');

    plugin.click('Account menu');
    await plugin.waitFor(() => plugin.labels().includes('Use another account'));
    plugin.click('Use another account');
    await denyDevice(service.baseUrl, await codeIn(plugin), BEN);
    await plugin.waitFor('CW-103');
    expect(plugin.text()).toContain('Anna Keller');
    expect(await statusOf(token)).toBe(200);

    await plugin.invokeMenu('another-account');
    const code = await codeIn(plugin);
    expect(await statusOf(token)).toBe(200);
    await approveDevice(service.baseUrl, code, BEN);
    await plugin.waitFor('Ben Mora');
    await plugin.waitFor('under an earlier connection');
    expect(plugin.text()).not.toContain('Anna Keller');
    await plugin.waitFor(() => revocations(plugin) > 0);
    expect(await statusOf(token)).toBe(401);
    expect(await arrivals(service.baseUrl, lastToken(plugin))).toEqual([]);

    plugin.click('Resume');
    plugin.click('Upload');
    await plugin.waitFor('2 files uploaded');
    const arrived = await arrivals(service.baseUrl, lastToken(plugin));
    expect(arrived.map(({ name }) => name)).toEqual(['large of Anna.psd', 'of Anna.jpg']);
    expect(plugin.uncaught).toEqual([]);
    expect(plugin.console).toEqual([]);

    // The stored session is Ben's.
    plugin.kill();
    const again = await open('main');
    await again.waitFor('Ben Mora');
    expect(await statusOf(lastToken(plugin))).toBe(200);
  });

  function revocations(plugin: Plugin): number {
    return plugin.requests.filter(
      ({ url, status }) => url.endsWith('/oauth/revoke') && status === 200,
    ).length;
  }

  async function statusOf(accessToken: string): Promise<number> {
    const response = await fetch(`${service.baseUrl}/api/v1/me`, {
      headers: { Authorization: `Bearer ${accessToken}` },
    });
    await response.arrayBuffer();
    return response.status;
  }
});

async function codeIn(plugin: Plugin): Promise<string> {
  await plugin.waitFor('Your code');
  const code = plugin.root.querySelector('#user-code')?.textContent ?? '';
  expect(code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
  return code;
}

function lastToken(plugin: Plugin): string {
  const headers = plugin.requests.map(({ headers }) => headers['authorization'] ?? '');
  const token = headers.map((header) => /^Bearer (svc_at_.+)$/.exec(header)?.[1]).findLast(Boolean);
  if (token === undefined) throw new Error('no request bore an access token');
  return token;
}
