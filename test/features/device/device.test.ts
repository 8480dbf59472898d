import { describe, expect, it } from '@jest/globals';
import { Device } from '../../../src/features/device/device.js';
import { RequestQueue } from '../../../src/api/request-queue.js';
import { CwError } from '../../../src/util/errors.js';
import { signedInSession, testClient } from '../../api/signed-in.js';
import { Conversation } from '../../support/conversation.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memoryRecords, memorySecrets, MemoryStorage } from '../../support/memory-host.js';
import { codeOf } from '../../support/outcome.js';

const ID = 'a3f2'.repeat(8);
const KEY = 'device';

async function setUp(storage = new MemoryStorage(), isConnected = true, newId = ID) {
  const clock = new FakeClock();
  const network = new Conversation();
  const session = await signedInSession({
    send: network.send,
    client: testClient('https://service.example'),
    clock,
    secrets: memorySecrets(new MemoryStorage()),
  });
  const records = memoryRecords(storage);
  const device = new Device({
    records,
    newId: () => newId,
    kind: 'Mac',
    requests: new RequestQueue({ send: network.send, session, clock, random: () => 0 }),
    endpoint: 'https://service.example/api/v1/connection',
    isConnected: () => isConnected,
  });
  const restore = async (): Promise<void> => device.restore(await records.load());
  const name = (): string | undefined => device.state.get()?.name;
  /** Renames, and responds to the request. */
  const rename = async (text: string, status: number): Promise<string> => {
    const code = codeOf(device.rename(text));
    await clock.settle();
    network.only.respond(status, {}, { error: 'no' });
    return code;
  };
  return { clock, network, storage, device, restore, name, rename };
}

describe('this computer', () => {
  it('has the kind of computer and four digits as its first name', async () => {
    const { device, restore } = await setUp();
    expect(device.identify()).toBeNull();
    await restore();
    expect(device.identify()).toEqual({ id: ID, name: 'Mac · A3F2', shortId: 'A3F2' });
  });

  it('keeps the id that it has named to the service', async () => {
    const { storage, device, restore, clock } = await setUp();
    await restore();
    expect(storage.records.get(KEY)).toBeUndefined();
    device.identify();
    await clock.settle();
    const next = await setUp(storage, true, 'b4e1'.repeat(8));
    await next.restore();
    expect(next.device.identify()?.id).toBe(ID);
  });

  it('is renamed at the service first, then here', async () => {
    const { network, device, clock, storage, restore, name } = await setUp();
    await restore();
    const renamed = device.rename('  Studio\u200b  laptop\n');
    await clock.settle();
    expect(name()).toBe('Mac · A3F2');
    expect(network.only.request).toMatchObject({
      method: 'PATCH',
      url: 'https://service.example/api/v1/connection',
      body: '{"device_name":"Studio laptop"}',
    });
    network.only.respond(200, {}, { device_name: 'Studio laptop' });
    await renamed;
    expect(name()).toBe('Studio laptop');
    const next = await setUp(storage);
    await next.restore();
    expect(next.name()).toBe('Studio laptop');
  });

  it.each([
    ['a refused name', 422, 'CW-204'],
    ['a session that may not', 403, 'CW-203'],
    ['a busy service', 503, 'CW-303'],
  ])('keeps its name after %s', async (_case, status, code) => {
    const { restore, rename, name } = await setUp();
    await restore();
    expect(await rename('Studio laptop', status)).toBe(code);
    expect(name()).toBe('Mac · A3F2');
  });

  it('is renamed here where the service has no such address', async () => {
    const { restore, rename, name } = await setUp();
    await restore();
    expect(await rename('Studio laptop', 404)).toBe('no error');
    expect(name()).toBe('Studio laptop');
  });

  it('is renamed without a request before it is connected', async () => {
    const { restore, device, name, network } = await setUp(new MemoryStorage(), false);
    await restore();
    await device.rename('Studio laptop');
    expect(name()).toBe('Studio laptop');
    expect(network.open).toHaveLength(0);
    await device.rename(' \u2060 ');
    expect(name()).toBe('Mac · A3F2');
  });

  it('takes over the name that the service reports, also before storage was read', async () => {
    const { restore, device, name } = await setUp();
    device.onReported('Desk');
    await restore();
    expect(name()).toBe('Desk');
    device.onReported('\u202e');
    expect(name()).toBe('Desk');
    device.onReported('Mac · A3F2');
    expect(name()).toBe('Mac · A3F2');
  });

  it('has its id when storage cannot keep it', async () => {
    const { restore, device, storage, clock } = await setUp();
    await restore();
    storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    expect(device.identify()?.id).toBe(ID);
    await clock.settle();
    device.identify();
    await clock.settle();
    expect(storage.records.get(KEY)).toContain(ID);
  });
});
