import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { Plugin } from '../host/host.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { create, locationOf, terminate } from '../service/support/tus-client.js';
import { arrivals } from './arrivals.js';
import { writeFiles } from './files.js';
import { addPhotos, connect, usePlugins } from './fixture.js';

/** The built bundle in the simulated host, and a workspace whose space is taken, then free. */
const QUOTA = 10 * 1024 ** 2;
const COUNT = 20;
const PHOTO_BYTES = 100_000;
/** How much of the quota an upload takes besides its bytes. */
const OVERHEAD = 16_384;

let service: TestService;
const plugins = usePlugins(() => service.baseUrl);

beforeAll(async () => {
  service = await startTestService({
    uploads: { workspaceBytes: QUOTA },
    lifetimes: { pollIntervalSeconds: 1 },
  });
});

afterAll(() => service.close());

const creations = (plugin: Plugin, status: number): number =>
  plugin.requests.filter(
    (request) =>
      request.method === 'POST' &&
      request.url.endsWith('/api/v1/uploads') &&
      request.status === status,
  ).length;

it('keeps 20 files waiting, with few requests, and uploads them without a press once there is space', async () => {
  const { accessToken } = await service.connect();
  const other = await create(service.baseUrl, accessToken, {
    length: QUOTA - OVERHEAD - PHOTO_BYTES,
  });
  expect(other.status).toBe(201);
  const names = Array.from({ length: COUNT }, (_, index) => `coast ${index}.jpg`);
  const photos = await writeFiles(
    plugins.folder,
    Object.fromEntries(names.map((name) => [name, PHOTO_BYTES])),
  );
  const first = await plugins.open('storage');
  await connect(first, service);
  await addPhotos(first, ...photos.map(({ path }) => path));
  await first.waitFor('Workspace full');
  await first.waitFor(/Trying again in \d+ seconds/);
  // Those that were under way or prepared when the first was refused.
  const refusedFirst = creations(first, 507);
  expect(refusedFirst).toBeLessThanOrEqual(11);
  expect(first.text()).not.toContain('Failed');
  first.hurry(20);
  await first.waitFor(() => creations(first, 507) >= refusedFirst + 3);
  first.kill();

  const plugin = await plugins.open('storage');
  await plugin.waitFor('Workspace full');
  await plugin.waitFor(/Trying again in \d+ seconds/);
  // The record of a photo keeps that there was no space.
  const refused = creations(plugin, 507);
  expect(refused).toBe(1);
  await terminate(locationOf(service.baseUrl, other), accessToken);
  plugin.hurry(20);
  await plugin.waitFor(`${COUNT} files uploaded`);
  expect(creations(plugin, 507)).toBeLessThanOrEqual(refused + 2);
  expect(creations(plugin, 201)).toBe(COUNT);
  expect(plugin.text()).toMatch(/^Connected$/m);
  const arrived = await arrivals(service.baseUrl, accessToken);
  expect(arrived.map(({ sha256 }) => sha256).sort()).toEqual(
    photos.map(({ sha256 }) => sha256).sort(),
  );
  expect([...first.uncaught, ...plugin.uncaught]).toEqual([]);
});
