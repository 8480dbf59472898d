import { Readable } from 'node:stream';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';

import type { Plugin } from '../host/host.js';
import { approveDevice, denyDevice } from '../service/support/browser-client.js';
import { FileStorage } from '../../service/library/uploads/storage/file-storage.js';
import { addUser, addWorkspace } from '../service/support/users.js';
import { listUploads } from '../service/support/oauth-client.js';
import { useService } from '../service/support/use-service.js';
import { arrivals } from './arrivals.js';
import { writeFiles } from './files.js';
import {
  addPhotos,
  askForCode,
  codeIn,
  lastToken,
  press,
  revocation,
  usePlugins,
} from './fixture.js';

const ANNA = { username: 'anna', password: 'the password of Anna Keller' };
const BEN = { username: 'ben', password: 'the password of Ben Mora' };

/** The built bundle in the simulated host, against the real service. */
describe('switching accounts', () => {
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);
  /** Clean-up for a test that fails early. */
  const holds: (() => void)[] = [];

  beforeAll(async () => {
    const users = [
      { ...ANNA, displayName: 'Anna Keller', workspace: 'Studio Keller' },
      { ...BEN, displayName: 'Ben Mora', workspace: 'Mora & Co' },
    ];
    for (const { workspace, ...user } of users)
      await addUser(service, { [await addWorkspace(service, workspace)]: 'owner' }, user);
  });

  afterEach(() => {
    for (const end of holds.splice(0)) end();
  });

  const open = (): Promise<Plugin> => plugins.open('main', { uxpVersion: '9.2.0' });

  const connectAsAnna = async (plugin: Plugin): Promise<string> => {
    await approveDevice(service.baseUrl, await askForCode(plugin), ANNA);
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
    const [big, photo] = await writeFiles(plugins.folder, {
      [`large ${name.replace('.jpg', '')}.psd`]: 1_000_000,
      [name]: 20_000,
    });
    if (!big || !photo) throw new Error('no photos');
    const end = holdUploads();
    await addPhotos(plugin, big.path);
    await press(plugin, 'Pause');
    await plugin.waitFor('Paused');
    end();
    await addPhotos(plugin, photo.path);
    await plugin.waitFor(name);
  };

  it('stays with Anna over a restart until Ben has signed in', async () => {
    const first = await open();
    const token = await connectAsAnna(first);
    expect(first.text()).toMatch(/Connected[^]*Anna Keller[^]*Studio Keller/);
    first.kill();

    const plugin = await open();
    expect(await plugin.waitFor('Anna Keller')).toContain('Connected');
    await addWaiting(plugin, 'of Anna.jpg');

    await press(plugin, 'Account menu');
    await press(plugin, 'Use another account');
    await codeIn(plugin);
    plugin.click('Cancel');
    await plugin.waitFor(() => plugin.labels().includes('Account menu'));
    expect(plugin.text()).not.toContain('You are connected');

    await press(plugin, 'Account menu');
    await press(plugin, 'Use another account');
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
    await revocation(plugin);
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
    const again = await open();
    await again.waitFor('Ben Mora');
    expect(await statusOf(lastToken(plugin))).toBe(200);
  });

  async function statusOf(accessToken: string): Promise<number> {
    return (await listUploads(service.baseUrl, accessToken)).status;
  }
});
