import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LinkedFiles } from '../../../src/features/placed-files/linked-files.js';
import type { ChosenFolder, FolderTree } from '../../../src/host/folders.js';
import type { PlacedFile } from '../../../src/host/placed-files.js';
import { CwError } from '../../../src/util/errors.js';
import { withXmp } from '../../support/camera-files.js';
import { FakeClock } from '../../support/fake-clock.js';

const JPEG = Buffer.from('ffd8ffd9', 'hex');
const FOLDER = '/Users/anna/Pictures';

interface File {
  /** Undefined for a file that cannot be read. */
  readonly bytes?: Uint8Array;
  readonly size?: number;
  readonly modified?: number;
}

let clock: FakeClock;
let stored: Map<string, string>;
/** By the path of the folder, then in it. */
let disk: Map<string, Map<string, File>>;
/** The folders that the user chooses, one after the other; null cancels. */
let picked: (string | null)[];
let opened: string[];
let linked: LinkedFiles;

function chosen(path: string): ChosenFolder {
  const tree: Pick<FolderTree, 'list' | 'stat' | 'open'> = {
    list: () => Promise.resolve([...(disk.get(path)?.keys() ?? [])]),
    stat: (name) => {
      const file = disk.get(path)?.get(name);
      const size = file?.size ?? file?.bytes?.length ?? 0;
      return Promise.resolve(file ? { size, modified: file.modified ?? 1 } : null);
    },
    open: (name) => {
      opened.push(name);
      const bytes = disk.get(path)?.get(name)?.bytes;
      return bytes
        ? Promise.resolve({
            size: bytes.length,
            read: (start, end) => Promise.resolve(bytes.slice(start, end)),
            close: () => Promise.resolve(),
          })
        : Promise.reject(new CwError('CW-602', 'gone'));
    },
  };
  return { token: path, name: path, path, tree } as ChosenFolder;
}

function start(): void {
  linked = new LinkedFiles({
    folders: {
      pickFolder: () => {
        const path = picked.shift() ?? null;
        return Promise.resolve(path === null ? null : chosen(path));
      },
      openFolder: (token) => Promise.resolve(chosen(token)),
    },
    records: {
      put: (key, value) => {
        stored.set(key, value);
        return Promise.resolve();
      },
    },
    clock,
  });
  linked.restore(stored);
}

function link(path: string | null, more: Partial<PlacedFile> = {}): PlacedFile {
  return { key: path ?? 'none', name: 'Lake.jpg', path, identity: null, state: 'present', ...more };
}

const put = (path: string, file: File): void => {
  disk.set(FOLDER, (disk.get(FOLDER) ?? new Map<string, File>()).set(path, file));
};
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function read(files: readonly PlacedFile[], isOther = false): Promise<void> {
  await clock.runUntil(linked.read(files, isOther));
}

beforeEach(() => {
  clock = new FakeClock();
  stored = new Map();
  disk = new Map();
  picked = [FOLDER];
  opened = [];
  start();
});

describe('files that were placed by other means', () => {
  it('are known by digest and documents when their folder was chosen once', async () => {
    const own = 'xmpMM:DocumentID="xmp.did:2" xmpMM:OriginalDocumentID="xmp.did:1"';
    const bytes = withXmp(JPEG, own);
    put('Trip/Lake.jpg', { bytes });
    put('Long.bin', { bytes: new Uint8Array(700_000).fill(7) });
    const lake = link(`${FOLDER}/Trip/Lake.jpg`);
    const long = link(`${FOLDER}/Long.bin`);
    await read([lake, long]);
    const facts = await linked.factsOf([lake, long]);
    expect(facts.get(lake.key)).toMatchObject({
      sha256: digest(bytes),
      documents: ['xmp.did:2', 'xmp.did:1'],
    });
    expect(facts.get(long.key)).toMatchObject({
      sha256: digest(new Uint8Array(700_000).fill(7)),
      documents: [],
    });
    expect(linked.state.get()).toMatchObject({ progress: null, unread: new Map(), error: null });
    // Another run and another press neither choose a folder nor read the files again.
    start();
    await read([lake, long]);
    expect([...(await linked.factsOf([lake, long])).keys()]).toEqual([lake.key, long.key]);
    expect(opened).toHaveLength(2);
  });

  it('are read again when their size or time of change is another one', async () => {
    const lake = link(`${FOLDER}/Lake.jpg`);
    for (const file of [{ bytes: JPEG }, { bytes: JPEG, modified: 2 }]) {
      put('Lake.jpg', file);
      expect((await linked.factsOf([lake])).size).toBe(0);
      await read([lake]);
      expect((await linked.factsOf([lake])).size).toBe(1);
    }
    put('Lake.jpg', { bytes: Buffer.concat([JPEG, JPEG]), modified: 2 });
    expect((await linked.factsOf([lake])).size).toBe(0);
    disk.clear();
    expect((await linked.factsOf([lake])).size).toBe(0);
    expect(opened).toHaveLength(2);
  });

  it.each([
    ['Macintosh HD:Users:anna:Pictures:Trip:Lake.jpg', FOLDER, 'Trip/Lake.jpg'],
    ['Disk:Trip:Lake.jpg', '/Volumes/Disk', 'Trip/Lake.jpg'],
    ['C:\\Users\\Anna\\Lake.jpg', 'C:\\Users\\Anna', 'Lake.jpg'],
    ['c:/users/anna/lake.jpg', 'C:\\Users\\Anna\\', 'Lake.jpg'],
    ['/Users/anna/Pictures/Cafe\u0301.jpg', FOLDER, 'Caf\u00e9.jpg'],
  ])('are found at %s in %s', async (path, folder, name) => {
    disk.set(folder, new Map([[name, { bytes: JPEG }]]));
    picked = [folder];
    await read([link(path)]);
    expect(opened).toEqual([name]);
  });

  it.each([
    '/Users/anna/Pictures 2/Lake.jpg',
    '/Users/anna/Lake.jpg',
    '/Users/anna/Pictures/../Lake.jpg',
    'Disk:anna:Pictures:Lake.jpg',
    '/Users/anna/Pictures',
    '',
  ])('are not taken for others: %s', async (path) => {
    put('Lake.jpg', { bytes: JPEG });
    await read([link(path)]);
    expect(opened).toEqual([]);
    expect(linked.state.get().unread).toEqual(new Map([[path, 'outside']]));
  });

  it('are named when they are in no chosen folder, or too long, and found in another folder', async () => {
    put('Film.mov', { bytes: JPEG, size: 600 * 1024 * 1024 });
    const film = link(`${FOLDER}/Film.mov`);
    const other = link('/Volumes/Card/Lake.jpg');
    await read([film, other]);
    const unread = new Map([[film.key, 'too-long']]);
    expect(linked.state.get().unread).toEqual(new Map([...unread, [other.key, 'outside']]));
    disk.set('/Volumes/Card', new Map([['Lake.jpg', { bytes: JPEG }]]));
    picked = ['/Volumes/Card'];
    await read([film, other], true);
    expect(linked.state.get().unread).toEqual(unread);
    expect(opened).toEqual(['Lake.jpg']);
  });

  it('are not read when they have an identity, are missing or changed, or have no path', async () => {
    put('Lake.jpg', { bytes: JPEG });
    const path = `${FOLDER}/Lake.jpg`;
    const identity = { origin: 'o', uploadId: 'u', sha256: 'a'.repeat(64), size: 'web' } as const;
    await read([
      link(path, { identity }),
      link(path, { state: 'missing' }),
      link(path, { state: 'changed' }),
      link(path, { state: 'embedded' }),
      link(null),
    ]);
    expect([opened, linked.state.get().unread]).toEqual([[], new Map()]);
    await read([link(path, { state: 'unknown' })]);
    expect(opened).toEqual(['Lake.jpg']);
  });

  it('stay unread when the user chooses no folder, and when one cannot be read', async () => {
    picked = [null, FOLDER];
    put('Lake.jpg', { bytes: JPEG });
    const lake = link(`${FOLDER}/Lake.jpg`);
    await read([lake]);
    expect([opened, linked.state.get()]).toMatchObject([[], { progress: null, error: null }]);
    put('Lake.jpg', { size: 9 });
    await read([lake]);
    expect(linked.state.get().unread).toEqual(new Map([[lake.key, 'outside']]));
  });

  it('that were read stay known when the reading is cancelled', async () => {
    const files = ['A.jpg', 'B.jpg', 'C.jpg'].map((name) => {
      put(name, { bytes: JPEG });
      return link(`${FOLDER}/${name}`);
    });
    const reading = linked.read(files, false);
    linked.state.subscribe(({ progress }) => {
      if (progress?.done === 1) linked.cancel();
    });
    await clock.runUntil(reading);
    expect(opened).toEqual(['A.jpg', 'B.jpg']);
    expect((await linked.factsOf(files)).size).toBe(2);
    expect(linked.state.get()).toMatchObject({ progress: null, error: null });
  });

  it('are known as uploads until they change or are none any more, also after a restart', async () => {
    const [lake, coast] = ['Lake.jpg', 'Coast.jpg'].map((name) => {
      put(name, { bytes: JPEG });
      return link(`${FOLDER}/${name}`);
    }) as [PlacedFile, PlacedFile];
    await read([lake, coast]);
    const uploads = async (): Promise<readonly string[]> =>
      [...(await linked.uploadsOf([lake, coast, link('elsewhere')]))].map((one) => one.join(' '));
    expect(await uploads()).toEqual([]);
    await linked.keepUploads(
      new Map([
        [lake.key, 'u1'],
        [coast.key, 'u2'],
        ['elsewhere', 'u3'],
      ]),
    );
    start();
    expect(await uploads()).toEqual([`${lake.key} u1`, `${coast.key} u2`]);
    put('Lake.jpg', { bytes: JPEG, modified: 2 });
    expect(await uploads()).toEqual([`${coast.key} u2`]);
    await read([lake, coast]);
    await linked.keepUploads(new Map([[coast.key, null]]));
    expect(await uploads()).toEqual([]);
  });

  it('stay known over a restart in a document with 2,000 of them', async () => {
    const files = Array.from({ length: 2_001 }, (_, index) => {
      put(`${index}.jpg`, { bytes: JPEG });
      return link(`${FOLDER}/${index}.jpg`);
    });
    await read(files);
    start();
    expect((await linked.factsOf(files)).size).toBe(2_000);
  });

  it.each(['', '[', '{}', '{"folders":5}', '{"folders":[1],"files":[5,{"link":"a"}]}'])(
    'are read in spite of %j in storage',
    async (text) => {
      stored.set('linked-files', text);
      start();
      put('Lake.jpg', { bytes: JPEG });
      await read([link(`${FOLDER}/Lake.jpg`)]);
      expect(opened).toEqual(['Lake.jpg']);
    },
  );
});
