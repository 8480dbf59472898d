import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PlacedUpdates } from '../../../src/features/placed-files/placed-updates.js';
import type { FileUpdate } from '../../../src/features/placed-files/placed-row.js';
import type { Host } from '../../../src/host/host.js';
import type { HostModules } from '../../host/modules/index.js';
import { PlacingFixture, digestOf } from '../placing/placing-fixture.js';

const FIRST = new Uint8Array(3_000_000).fill(1);
const SECOND = new Uint8Array(3_000_000).fill(2);

let fixture: PlacingFixture;

beforeEach(() => {
  fixture = new PlacingFixture();
});
afterEach(() => fixture.end());

/** An app with a document into which a file is placed, and updated, through the same folder as in the other app. */
async function app(run: { readonly modules: HostModules; readonly host: Host }): Promise<{
  readonly place: () => Promise<void>;
  readonly update: () => Promise<number | null>;
  readonly shown: () => Promise<readonly string[]>;
}> {
  const { host, modules } = run;
  const { indesign } = modules.control;
  indesign.openDocument({ name: 'Book.indd', pages: ['1'], bytes: {} });
  indesign.enumerations = 'numbers';
  const key = (await host.openDocument?.current())?.key ?? '';
  const folder = await fixture.folder(run);
  const files = fixture.download(host);
  const { placedFiles, placedFileUpdates } = host;
  if (!placedFiles || !placedFileUpdates) throw new Error('no port');
  const updates = new PlacedUpdates({
    host: placedFileUpdates,
    placing: {
      download: (file, size) => files.download(file, size, folder),
      cancel: () => undefined,
    },
    front: () => key,
    stepName: (count) => `Update ${count}`,
    onDone: () => undefined,
  });
  return {
    place: async () => {
      const file = fixture.deliver(FIRST);
      const { file: saved, identity } = await files.download(file, 'original', folder);
      await placedFiles.place(key, saved, identity, 'Place');
    },
    update: async () => {
      const next = fixture.deliver(SECOND, { id: 'u-2' });
      const version = { ...next, version: 2, sha256: digestOf(SECOND) };
      const wanted = (await placedFiles.list(key)).map((link): FileUpdate => ({
        key: link.key,
        name: link.name,
        version,
        size: 'original',
      }));
      await updates.update(wanted);
      return updates.state.get().result?.updated ?? null;
    },
    shown: async () =>
      (await placedFiles.list(key)).map(
        ({ name, identity }) => `${name} ${identity?.uploadId ?? 'none'}`,
      ),
  };
}

it('places and updates one file in two apps of a computer at the same time, with one file for each version', async () => {
  const apps = [await app(fixture), await app(fixture.run('other'))];
  await Promise.all(apps.map(({ place }) => place()));
  expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(FIRST) });
  expect(await Promise.all(apps.map(({ shown }) => shown()))).toEqual([
    ['Coast.jpg u-1'],
    ['Coast.jpg u-1'],
  ]);
  expect(await Promise.all(apps.map(({ update }) => update()))).toEqual([1, 1]);
  // The document of the other app goes on showing the first version until it is updated.
  expect(fixture.content()).toEqual({
    'Coast.jpg': digestOf(FIRST),
    'Coast (2).jpg': digestOf(SECOND),
  });
  expect(await Promise.all(apps.map(({ shown }) => shown()))).toEqual([
    ['Coast (2).jpg u-2'],
    ['Coast (2).jpg u-2'],
  ]);
  expect(fixture.parts()).toEqual([]);
});

it('leaves the link of one app when the other one has the newer version already', async () => {
  const [one, other] = [await app(fixture), await app(fixture.run('other'))];
  await Promise.all([one.place(), other.place()]);
  expect(await one.update()).toBe(1);
  const requests = fixture.service.requests.length;
  expect(await other.shown()).toEqual(['Coast.jpg u-1']);
  // The bytes are there already.
  expect(await other.update()).toBe(1);
  expect(fixture.service.requests).toHaveLength(requests);
  expect(Object.keys(fixture.content())).toHaveLength(2);
});
