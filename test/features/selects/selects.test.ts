import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import type { Account } from '../../../src/account/current-account.js';
import type { ApiRequest } from '../../../src/api/request-queue.js';
import type { FolderPort } from '../../../src/host/folders.js';
import type { RecordStore } from '../../../src/host/storage.js';
import type { Language } from '../../../src/ui/i18n/language.js';
import { Selects } from '../../../src/features/selects/selects.js';
import type { SelectsState } from '../../../src/features/selects/selects-state.js';
import { Observable } from '../../../src/util/observable.js';
import {
  hurriedClock,
  openUxp,
  passUntil,
  type UxpPorts,
} from '../../host-ports/implementations.js';
import { locatedPsd, locatedTiff, noisePixels, tiffFile } from '../../support/located-pictures.js';
import { sleep } from '../../../src/util/clock.js';
import { FakeClock } from '../../support/fake-clock.js';
import { IS_LONG } from '../../support/long-runs.js';
import { accountWith } from '../api-fixture.js';

const BASE = 'https://service.example';
const LINK = { id: 'l1', name: 'Coast', expires: null };

let ports: UxpPorts;
/** The folder with the user's photos. */
let photos: string;
/** What guests answered, and what else the service has. */
let feedback: object[];
let uploads: Map<string, object>;
let documents: Map<string, string>;
let requests: string[];
let stored: Map<string, string>;
let selects: Selects;
let account: Observable<Account | null>;
let language: Language;
let owner: string;

beforeEach(() => {
  ports = openUxp('8.4.0');
  photos = nodePath.join(ports.folder, 'Photos');
  nodeFs.mkdirSync(photos);
  [feedback, requests] = [[], []];
  uploads = new Map();
  documents = new Map();
  stored = new Map();
  [language, owner] = ['en', 'anna'];
  account = new Observable<Account | null>(accountWith(['shares:write', 'uploads:read']));
  start();
});

afterEach(() => ports.dispose());

/** Starts the plugin, as after a restart when there are records. */
function start(folders: FolderPort | null = ports.folders): void {
  selects = new Selects({
    folders,
    records: recordsOf(),
    clock: hurriedClock(),
    requests: { send: (request) => Promise.resolve(answer(request)) },
    api: `${BASE}/api/v1`,
    baseUrl: BASE,
    account: { state: account },
    owner: { get: () => ({ keys: [owner], workspace: null }) },
    language: () => language,
  });
  selects.restore(stored);
}

/** The records of one run: what a killed run still does when its time limits end is not stored for the next one. */
function recordsOf(): Pick<RecordStore, 'put' | 'remove'> {
  const own = stored;
  return {
    put: async (key, value, ...gone) => {
      await Promise.resolve();
      own.set(key, value);
      for (const one of gone) own.delete(one);
    },
    remove: async (...keys) => {
      await Promise.resolve();
      for (const key of keys) own.delete(key);
    },
  };
}

function answer({ url, method, body = '' }: ApiRequest): {
  status: number;
  text: string;
  header: () => null;
} {
  const path = url.replace(`${BASE}/api/v1`, '');
  requests.push(`${method} ${path}`);
  const json = (status: number, content: object): ReturnType<typeof answer> => ({
    status,
    text: JSON.stringify(content),
    header: () => null,
  });
  const id = /^\/uploads\/(.+)$/.exec(path)?.[1];
  if (id !== undefined) {
    const upload = uploads.get(id);
    return upload ? json(200, upload) : json(404, { error: 'not_found' });
  }
  if (path === '/photos/status') {
    const { links } = JSON.parse(typeof body === 'string' ? body : '') as {
      links: { document: string }[];
    };
    return json(200, {
      links: links.map(({ document }) => {
        const photo = documents.get(document);
        return { current: photo === undefined ? null : { photo } };
      }),
    });
  }
  const page = Number(new URL(url).searchParams.get('page') ?? 0);
  const entries = feedback.slice(page * 100, page * 100 + 100);
  const next = { next: `/api/v1/feedback?link=l1&page=${page + 1}` };
  return json(200, { feedback: entries, ...(feedback.length > page * 100 + 100 && next) });
}

/** An answer of a guest. */
function says(photo: string, name: string, kind: string, more: object = {}): void {
  const at = `2026-11-28T12:00:${String(feedback.length % 60).padStart(2, '0')}Z`;
  feedback.push({ kind, photo, name, link: 'l1', sha256: 'f'.repeat(64), at, ...more });
}

function stars(photo: string, name: string, count: number): void {
  says(photo, name, 'stars', { stars: count });
}

function write(path: string, content: string | Uint8Array = ''): void {
  const native = nodePath.join(photos, path);
  nodeFs.mkdirSync(nodePath.dirname(native), { recursive: true });
  nodeFs.writeFileSync(native, content);
}

function read(path: string): string | null {
  const native = nodePath.join(photos, path);
  return nodeFs.existsSync(native) ? nodeFs.readFileSync(native, 'utf8') : null;
}

/** The content of all files. */
function everything(encoding: BufferEncoding = 'utf8'): Readonly<Record<string, string>> {
  const names = nodeFs.readdirSync(photos, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => nodeFs.statSync(nodePath.join(photos, name)).isFile())
      .sort()
      .map((name) => [name, nodeFs.readFileSync(nodePath.join(photos, name), encoding)]),
  );
}

async function choose(isReplacing = false): Promise<void> {
  ports.modules.control.pickers.answer([photos]);
  await selects.chooseFolder();
  await selects.chooseLink(LINK);
  await selects.setReplacing(isReplacing);
}

async function run(isReplacing = false): Promise<NonNullable<SelectsState['result']>> {
  await choose(isReplacing);
  return again();
}

async function again(): Promise<NonNullable<SelectsState['result']>> {
  await selects.write();
  const { result, error, steps } = selects.state.get();
  expect([error, steps]).toEqual([null, null]);
  if (!result) throw new Error('nothing came of it');
  return result;
}

function xmp(attributes: string, more = ''): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"${attributes}>${more}</rdf:Description></rdf:RDF></x:xmpmeta>\r\n`;
}

/** The rating and the label in a file. */
function marks(path: string): string {
  const text = read(path) ?? '';
  const one = (name: string): string => new RegExp(`xmp:${name}="([^"]*)"`).exec(text)?.[1] ?? '-';
  return `${one('Rating')} ${one('Label')}`;
}

describe('get selects', () => {
  it('writes the most stars, the newest label, favourites and decisions', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) write(`${name}.CR3`);
    stars('a', 'a.jpg', 3);
    stars('a', 'a.jpg', 4);
    stars('a', 'a.jpg', 2);
    says('b', 'b.jpg', 'label', { label: 1, at: '2026-11-28T12:00:09Z' });
    says('b', 'b.jpg', 'label', { label: 4, at: '2026-11-28T12:00:08Z' });
    says('c', 'c.jpg', 'favourite');
    says('d', 'd.jpg', 'approval', { withdrawn: null });
    says('e', 'e.jpg', 'approval', { withdrawn: null });
    says('e', 'e.jpg', 'changes', { withdrawn: null });
    says('f', 'f.jpg', 'approval', { withdrawn: '2026-11-28T13:00:00Z' });
    says('f', 'f.jpg', 'changes', { withdrawn: '2026-11-28T13:00:00Z' });
    says('f', 'f.jpg', 'comment', { text: 'Lovely' });
    stars('g', 'g.jpg', 9);
    expect(await run()).toMatchObject({ total: 6, found: 6, missing: [], failed: [] });
    expect(['a', 'b', 'c', 'd', 'e', 'g'].map((name) => marks(`${name}.xmp`))).toEqual([
      '4 -',
      '- Red',
      '5 -',
      '- Green',
      '- Red',
      '5 -',
    ]);
    expect(read('f.xmp')).toBeNull();
  });

  it('uses the words of the app’s language, and takes those of another one for the same', async () => {
    language = 'de';
    write('a.nef');
    write('b.nef');
    write('b.xmp', xmp(' xmp:Label="Red"'));
    says('a', 'a.jpg', 'label', { label: 5 });
    says('b', 'b.jpg', 'label', { label: 1 });
    expect(await run()).toMatchObject({ changed: ['a.xmp'], same: 1, kept: 0 });
    expect(marks('a.xmp')).toBe('- Lila');
  });

  it('keeps higher ratings, rejections and labels of the photographer, unless they are replaced', async () => {
    const before = { a: ' xmp:Rating="5"', b: ' xmp:Rating="-1"', c: ' xmp:Label="Select"' };
    for (const [name, has] of Object.entries(before)) {
      write(`${name}.nef`);
      write(`${name}.xmp`, xmp(has));
      stars(name, `${name}.jpg`, 3);
      says(name, `${name}.jpg`, 'label', { label: 2 });
    }
    expect(await run()).toMatchObject({ changed: ['a.xmp', 'b.xmp', 'c.xmp'], kept: 3 });
    expect(['a', 'b', 'c'].map((name) => marks(`${name}.xmp`))).toEqual([
      '5 Yellow',
      '-1 Yellow',
      '3 Select',
    ]);
    await selects.setReplacing(true);
    expect(await again()).toMatchObject({ changed: ['a.xmp', 'b.xmp', 'c.xmp'], kept: 0 });
    expect(['a', 'b', 'c'].map((name) => marks(`${name}.xmp`))).toEqual([
      '3 Yellow',
      '3 Yellow',
      '3 Yellow',
    ]);
  });

  it('uses English words in sidecars of darktable and digiKam, which know no others', async () => {
    language = 'de';
    write('a.nef');
    write('a.nef.xmp', xmp(''));
    write('a.xmp', xmp(''));
    says('a', 'a.jpg', 'label', { label: 1 });
    expect(await run()).toMatchObject({ changed: ['a.nef.xmp'] });
    expect(marks('a.nef.xmp')).toBe('- Red');
  });

  it('writes beside a DNG file as beside other raw files, and leaves its bytes', async () => {
    write('a.dng', tiffFile({}, true, noisePixels(8, 8)));
    write('a.jpg');
    const before = read('a.dng');
    stars('a', 'a.jpg', 3);
    expect(await run()).toMatchObject({ changed: ['a.xmp'], failed: [] });
    expect([marks('a.xmp'), read('a.dng')]).toEqual(['3 -', before]);
  });

  it('changes nothing the second time, and writes no file', async () => {
    write('a.nef');
    write('b.nef');
    write('b.xmp', xmp(' xmp:Rating="1"', '<xmp:CreateDate>2026</xmp:CreateDate>'));
    stars('a', 'a.jpg', 3);
    stars('b', 'b.jpg', 3);
    await run();
    const after = everything();
    expect(after['b.xmp']).toBe(xmp(' xmp:Rating="3"', '<xmp:CreateDate>2026</xmp:CreateDate>'));
    const touched: string[] = [];
    ports.modules.lifetime.fileFault = ({ name }) => {
      if (['write', 'moveTo', 'createFile', 'delete'].includes(name)) touched.push(name);
      return 'run';
    };
    expect(await again()).toMatchObject({ changed: [], same: 2 });
    expect(touched).toEqual([]);
    expect(everything()).toEqual(after);
    expect(selects.state.get().undoable).toBe(2);
  });

  it('finds names in another case or Unicode form, in subfolders, with and without endings', async () => {
    write('Day 1/KÜSTE 1.CR3');
    write('Day 2/Dune.CR3');
    write('Day 2/Dune.JPG');
    write('Day 2/lake.tif');
    write('Day 2/lake.tif.xmp', xmp(''));
    stars('1', 'küste 1.jpg'.normalize('NFD'), 1);
    stars('2', 'dune.jpg', 2);
    stars('3', 'Lake.TIF', 3);
    write('É.JPG');
    write('Day 2/é.tif');
    stars('4', 'é.jpg'.normalize('NFD'), 4);
    const result = await run();
    expect(result).toMatchObject({ found: 4, missing: [], ambiguous: [] });
    expect([...result.changed].sort()).toEqual([
      'Day 1/KÜSTE 1.xmp',
      'Day 2/Dune.xmp',
      'Day 2/lake.tif.xmp',
      'É.xmp',
    ]);
  });

  it('leaves names that are not there or not the only ones', async () => {
    write('Day 1/a.nef');
    write('Day 2/a.nef');
    write('b.psd');
    write('b.tif');
    stars('1', 'a.jpg', 1);
    stars('2', 'b.jpg', 1);
    stars('3', 'c.jpg', 1);
    expect(await run()).toMatchObject({
      total: 3,
      found: 0,
      changed: [],
      missing: ['c.jpg'],
      ambiguous: ['a.jpg', 'b.jpg'],
    });
  });

  it('gives one file what was answered about several of one photo', async () => {
    write('a.nef');
    stars('1', 'a.jpg', 2);
    stars('2', 'a.tif', 4);
    says('1', 'a.jpg', 'label', { label: 1, at: '2026-11-28T12:00:09Z' });
    says('2', 'a.tif', 'label', { label: 4, at: '2026-11-28T12:00:08Z' });
    expect(await run()).toMatchObject({ found: 2, changed: ['a.xmp'] });
    expect(marks('a.xmp')).toBe('4 Red');
  });

  it('finds 100 of 100 renamed files by their bytes or documents, and reads only files of the same size', async () => {
    for (let index = 0; index < 100; index += 1) {
      const id = `p${index}`;
      stars(id, `IMG_${index}.jpg`, 1 + (index % 5));
      if (index < 50) {
        const bytes = Buffer.from(`photo ${index} `.repeat(20 + index));
        write(`Renamed/${100 + index} coast.jpg`, bytes);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        // The client saw an older version.
        const other = { size: 1, sha256: 'e'.repeat(64) };
        uploads.set(id, { ...other, versions: [{ size: bytes.length, sha256 }] });
      } else {
        const identity = [
          `xmpMM:DocumentID="xmp.did:${index}"`,
          `xmpMM:OriginalDocumentID="xmp.did:${index}" xmpMM:DocumentID="other"`,
        ][index % 2];
        const derived = `<xmpMM:DerivedFrom xmlns:stRef="http://ns.adobe.com/xap/1.0/sType/ResourceRef#" stRef:documentID="xmp.did:${index}"/>`;
        write(`Renamed/${100 + index} coast.nef`, 'raw');
        write(
          `Renamed/${100 + index} coast.xmp`,
          index % 3 === 0 ? xmp('', derived) : xmp(` ${identity}`),
        );
        documents.set(`xmp.did:${index}`, id);
      }
    }
    write('of another size.jpg', 'of no version');
    write('other bytes.jpg', 'x'.repeat('photo 0 '.length * 20));
    const opened: string[] = [];
    ports.modules.lifetime.fileFault = ({ name, on }) => {
      if (name === 'copyTo') opened.push(on);
      return 'run';
    };
    const result = await run();
    expect(result).toMatchObject({
      total: 100,
      found: 100,
      missing: [],
      ambiguous: [],
      failed: [],
    });
    expect(result.changed).toHaveLength(100);
    for (let index = 0; index < 100; index += 1)
      expect(marks(`Renamed/${100 + index} coast.xmp`)).toBe(`${1 + (index % 5)} -`);
    expect(opened.filter((path) => path.endsWith('another size.jpg'))).toHaveLength(1);
    expect(requests.filter((line) => line === 'POST /photos/status')).toHaveLength(1);
  });

  it.each([IS_LONG ? 65 : 3])('finds a renamed file of %p MiB by its bytes', async (megabytes) => {
    const native = nodePath.join(photos, 'renamed.mov');
    const size = megabytes * 1024 * 1024;
    nodeFs.writeFileSync(native, 'film');
    nodeFs.truncateSync(native, size);
    stars('1', 'film.mov', 5);
    const sha256 = createHash('sha256').update(nodeFs.readFileSync(native)).digest('hex');
    uploads.set('1', { size, sha256, versions: [] });
    expect(await run()).toMatchObject({ changed: ['renamed.xmp'] });
  });

  it('finds a photo once whose files have the same bytes', async () => {
    write('x.jpg', 'same');
    write('x.jpeg', 'same');
    stars('1', 'a.jpg', 1);
    const sha256 = createHash('sha256').update('same').digest('hex');
    uploads.set('1', { size: 4, sha256, versions: [] });
    expect(await run()).toMatchObject({ found: 1, ambiguous: [], changed: ['x.xmp'] });
  });

  it('requests 500 documents at a time', async () => {
    const ids = Array.from({ length: 501 }, (_, index) => `xmp.did:${index}`);
    const origins = ids.map((id) => `<stRef:documentID>${id}</stRef:documentID>`).join('');
    write('renamed.nef', 'raw');
    write(
      'renamed.xmp',
      xmp('', `<xmpMM:DerivedFrom xmlns:stRef="urn:r">${origins}</xmpMM:DerivedFrom>`),
    );
    documents.set('xmp.did:500', '1');
    stars('1', 'a.jpg', 2);
    expect(await run()).toMatchObject({ found: 1, changed: ['renamed.xmp'] });
    expect(requests.filter((line) => line === 'POST /photos/status')).toHaveLength(2);
  });

  it('counts two files with the same bytes as ambiguous', async () => {
    write('x.jpg', 'same');
    write('y.jpg', 'same');
    stars('1', 'a.jpg', 1);
    const sha256 = createHash('sha256').update('same').digest('hex');
    uploads.set('1', { size: 4, sha256, versions: [] });
    expect(await run()).toMatchObject({ found: 0, ambiguous: ['a.jpg'], changed: [] });
  });

  it('gives a file that was found by its name or its bytes to no other photo', async () => {
    const upload = (content: string): object => ({
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    write('a.jpg', 'named');
    write('x.jpg', 'renamed');
    write('x.xmp', xmp(' xmpMM:DocumentID="xmp.did:1"'));
    stars('1', 'a.jpg', 1);
    stars('2', 'same bytes.jpg', 2);
    stars('3', 'b.jpg', 3);
    stars('4', 'same document.jpg', 4);
    uploads = new Map([
      ['2', upload('named')],
      ['3', upload('renamed')],
    ]);
    documents.set('xmp.did:1', '4');
    expect(await run()).toMatchObject({
      changed: ['a.xmp', 'x.xmp'],
      missing: ['same bytes.jpg', 'same document.jpg'],
    });
    expect([marks('a.xmp'), marks('x.xmp')]).toEqual(['1 -', '3 -']);
  });

  it('lists files that cannot be changed, with the reason, and changes the others', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      write(`${name}.nef`);
      stars(name, `${name}.jpg`, 3);
    }
    write('a.xmp', xmp(''));
    nodeFs.chmodSync(nodePath.join(photos, 'a.xmp'), 0o444);
    write('b.xmp', '<broken');
    write('c.xmp', xmp(''));
    ports.modules.lifetime.fileFault = ({ name, on }) =>
      name === 'read' && on.endsWith('c.xmp') ? new Error('EIO') : 'run';
    expect(await run()).toMatchObject({
      changed: ['d.xmp'],
      failed: [
        { name: 'a.xmp', reason: 'refused' },
        { name: 'b.xmp', reason: 'unknown-xmp' },
        { name: 'c.xmp', reason: 'unreadable' },
      ],
    });
    expect(read('b.xmp')).toBe('<broken');
    expect(selects.state.get().undoable).toBe(1);
  });

  it('names a full disk, and leaves what was there', async () => {
    write('a.nef');
    write('a.xmp', xmp(''));
    stars('a', 'a.jpg', 3);
    await choose();
    ports.modules.control.disk.fullAfter(0);
    expect(await again()).toMatchObject({ changed: [], failed: [{ reason: 'full' }] });
    expect(everything()).toEqual({ 'a.nef': '', 'a.xmp': xmp('') });
    expect(selects.state.get().undoable).toBe(0);
  });

  it('shows what would change without writing', async () => {
    write('a.nef');
    stars('a', 'a.jpg', 3);
    await choose();
    await selects.show();
    expect(selects.state.get().result).toMatchObject({ kind: 'shown', changed: ['a.xmp'] });
    expect(everything()).toEqual({ 'a.nef': '' });
  });

  it('reads all pages, and ends when it is cancelled', async () => {
    for (let index = 0; index < 250; index += 1) {
      write(`${index}.nef`);
      stars(`p${index}`, `${index}.jpg`, 1);
    }
    await choose();
    const running = selects.write();
    selects.state.subscribe(() => {
      if (selects.state.get().steps === 100) selects.cancel();
    });
    await running;
    const { result } = selects.state.get();
    expect(result).toMatchObject({ total: 250, stopped: 'cancelled' });
    expect(result?.changed).toHaveLength(100);
    expect(selects.state.get().undoable).toBe(100);
  });

  it('changes nothing before an interrupted change is repaired', async () => {
    write('a.nef');
    stars('a', 'a.jpg', 3);
    await run();
    requests = [];
    const { folders } = ports;
    if (!folders) throw new Error('there are no folders');
    start({
      pickFolder: () => folders.pickFolder(),
      openFolder: async (token) => {
        if (requests.length === 0) {
          for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
          requests.push('repair');
        }
        return folders.openFolder(token);
      },
    });
    await again();
    expect(requests).toEqual(['repair', 'GET /feedback?link=l1']);
  });

  it('shows CW-705 when the folder is gone', async () => {
    stars('a', 'a.jpg', 3);
    await choose();
    nodeFs.rmSync(photos, { recursive: true });
    await selects.write();
    expect(selects.state.get()).toMatchObject({ error: { code: 'CW-705' }, result: null });
  });
});

describe('selects in the files themselves', () => {
  const pixels = noisePixels(40, 30);

  beforeEach(async () => {
    write('a.psd', locatedPsd(pixels));
    write('a.nef', 'raw');
    write('b.dng', tiffFile({}, true, pixels));
    write('c.tif', locatedTiff(pixels));
    write('c.xmp', xmp(''));
    write('d.nef', 'raw');
    for (const [photo, name] of [
      ['1', 'a.psd'],
      ['2', 'b.jpg'],
      ['3', 'c.tif'],
      ['4', 'd.jpg'],
    ] as const)
      stars(photo, name, 3);
    await choose();
    await selects.setIntoFiles(true);
  });

  it('are written where a file can carry them, and undone to the former bytes', async () => {
    const before = everything('latin1');
    expect(await again()).toMatchObject({
      changed: ['a.psd', 'b.dng', 'c.tif', 'd.xmp'],
      failed: [],
    });
    for (const path of ['a.psd', 'b.dng', 'c.tif']) expect(marks(path)).toBe('3 -');
    expect(ports.modules.control.openDescriptors()).toBe(0);
    expect([marks('c.xmp'), read('a.xmp')]).toEqual(['- -', null]);
    const after = everything('latin1');
    expect(await again()).toMatchObject({ changed: [], same: 4 });
    expect(everything('latin1')).toEqual(after);
    start();
    await selects.undo();
    expect(selects.state.get().result).toMatchObject({ failed: [], stopped: null });
    expect(everything('latin1')).toEqual(before);
    expect(nodeFs.readdirSync(nodePath.join(ports.dataFolder, 'reading'))).toEqual([]);
  });

  it('leave a file that is no picture, or that another program changes in between', async () => {
    write('a.psd', 'no picture');
    ports.modules.lifetime.fileFault = ({ name, on }) => {
      if (name === 'copyTo' && on.endsWith('b.dng')) write('b.dng', 'changed');
      return 'run';
    };
    expect(await again()).toMatchObject({
      changed: ['c.tif', 'd.xmp'],
      failed: [
        { name: 'a.psd', reason: 'unknown-xmp' },
        { name: 'b.dng', reason: 'unknown-xmp' },
      ],
    });
    expect(read('b.dng')).toBe('changed');
  });

  it('are not written over a file that has changed since it was read', async () => {
    ports.modules.lifetime.fileFault = ({ name, on }) => {
      if (name === 'getMetadata' && on.endsWith('c.tif') && ++calls === 4) write('c.tif', 'new');
      return 'run';
    };
    let calls = 0;
    expect(await again()).toMatchObject({ failed: [{ name: 'c.tif', reason: 'changed' }] });
    expect(read('c.tif')).toBe('new');
  });
});

/** What changes files. */
const RUNS = [
  ['writing sidecars', 'write', false],
  ['writing into files', 'write', true],
  ['undoing sidecars', 'undo', false],
  ['undoing files', 'undo', true],
] as const;

describe('undo', () => {
  beforeEach(() => {
    write('a.nef');
    write('b.nef');
    write('b.xmp', xmp(' xmp:Rating="1"'));
    write('c.nef');
    write('c.xmp', `\ufeff${xmp('')}`);
    for (const name of ['a', 'b', 'c']) {
      stars(name, `${name}.jpg`, 3);
      says(name, `${name}.jpg`, 'label', { label: 3 });
    }
  });

  it('puts back the former bytes after a restart, and removes files that were made', async () => {
    const before = everything();
    await run();
    expect(everything()).not.toEqual(before);
    start();
    expect(selects.state.get()).toMatchObject({ undoable: 3, link: LINK, folder: 'Photos' });
    await selects.undo();
    expect(selects.state.get()).toMatchObject({ undoable: 0, error: null });
    expect(selects.state.get().result).toMatchObject({ kind: 'undone', failed: [] });
    expect(everything()).toEqual(before);
  });

  it('leaves files that have changed since', async () => {
    await run();
    write('b.xmp', xmp(' xmp:Rating="2"'));
    await selects.undo();
    expect(selects.state.get().result).toMatchObject({
      changed: ['c.xmp', 'a.xmp'],
      failed: [{ name: 'b.xmp', reason: 'changed' }],
    });
    expect(read('b.xmp')).toBe(xmp(' xmp:Rating="2"'));
    expect(selects.state.get().undoable).toBe(0);
  });

  it('is about the last run that changed something', async () => {
    await run();
    stars('a', 'a.jpg', 5);
    const between = everything();
    await again();
    await again();
    expect(selects.state.get().undoable).toBe(1);
    await selects.undo();
    expect(everything()).toEqual(between);
  });

  const content = (): Map<string, Buffer> =>
    new Map(
      nodeFs
        .readdirSync(photos)
        // What a move that comes late needs stays for an hour.
        .filter((one) => !one.startsWith('~'))
        .map((one) => [one, nodeFs.readFileSync(nodePath.join(photos, one))]),
    );
  const put = (files: ReadonlyMap<string, Buffer>): void => {
    for (const name of nodeFs.readdirSync(photos)) nodeFs.rmSync(nodePath.join(photos, name));
    for (const [name, bytes] of files) nodeFs.writeFileSync(nodePath.join(photos, name), bytes);
  };

  it.each(RUNS)(
    'puts back all files after a kill at any step of %s',
    async (_, work, isIntoFiles) => {
      if (isIntoFiles) {
        write('d.tif', locatedTiff(noisePixels(40, 30)));
        write('e.psd', locatedPsd(noisePixels(40, 30)));
        stars('d', 'd.tif', 2);
        stars('e', 'e.psd', 4);
      }
      const before = content();
      await choose();
      await selects.setIntoFiles(isIntoFiles);
      if (work === 'undo') {
        await selects.write();
        expect(content()).not.toEqual(before);
      }
      const files = content();
      const chosen = new Map(stored);
      const outcome = { isFinished: false };
      const isOver = (): boolean => outcome.isFinished || left < 0;
      let left = 0;
      for (let step = 0; !outcome.isFinished; step += 1) {
        put(files);
        stored = new Map(chosen);
        left = step;
        ports.modules.lifetime.fileFault = () => ((left -= 1) < 0 ? 'hang' : 'run');
        start();
        void selects[work]().then(() => {
          outcome.isFinished = true;
        });
        while (!isOver()) await new Promise((resolve) => setImmediate(resolve));
        const written = new Map(stored);
        ports = ports.restart();
        stored = written;
        start();
        await selects.undo();
        expect([step, content()]).toEqual([step, before]);
        expect(step).toBeLessThan(600);
      }
    },
  );
});

describe('an app that answers late', () => {
  /** Longer than a run with one operation that is not answered. Milliseconds. */
  const LATE_MS = 120_000;
  let clock: FakeClock;

  beforeEach(async () => {
    await ports.dispose();
    clock = new FakeClock();
    ports = openUxp('8.4.0', undefined, clock);
    photos = nodePath.join(ports.folder, 'Photos');
    nodeFs.mkdirSync(photos);
    start();
    write('a.nef');
    write('b.tif', locatedTiff(noisePixels(8, 8)));
    write('b.xmp', xmp(' xmp:Rating="1"'));
    stars('a', 'a.jpg', 3);
    stars('b', 'b.tif', 4);
    await choose(true);
  });

  const during = (work: Promise<void>): Promise<void> => passUntil(clock, ports.modules, work);
  const reset = (files: Readonly<Record<string, string>>): void => {
    for (const name of Object.keys(everything())) nodeFs.rmSync(nodePath.join(photos, name));
    for (const [name, text] of Object.entries(files)) write(name, Buffer.from(text, 'latin1'));
  };

  it.each(RUNS)(
    'leaves files that Undo puts back, at any step of %s, and none that others changed',
    async (_, work, isIntoFiles) => {
      const before = everything('latin1');
      await selects.setIntoFiles(isIntoFiles);
      if (work === 'undo') await during(selects.write());
      const [files, chosen] = [everything('latin1'), new Map(stored)];
      let isReached = true;
      for (let step = 0; isReached; step += 1) {
        for (const order of ['late, then undone', 'undone, then late', 'changed by others']) {
          reset(files);
          stored = new Map(chosen);
          start();
          await during(Promise.resolve());
          let left = step;
          ports.modules.lifetime.fileFault = () =>
            (left -= 1) === -1 ? sleep(clock, LATE_MS) : 'run';
          await during(selects[work]());
          isReached = left < 0;
          ports.modules.lifetime.fileFault = () => 'run';
          if (order === 'undone, then late' && selects.state.get().undoable > 0)
            await during(selects.undo());
          await clock.advance(LATE_MS);
          for (let turn = 0; turn < 20; turn += 1) await clock.settle();
          const others = xmp(' xmp:Rating="5" xmp:Label="Mine"');
          const changed = isIntoFiles ? 'b.tif' : 'b.xmp';
          if (order === 'changed by others') write(changed, others);
          if (selects.state.get().undoable > 0) await during(selects.undo());
          const expected =
            order === 'changed by others' ? { ...before, [changed]: others } : before;
          expect([step, order, everything('latin1')]).toEqual([step, order, expected]);
          expect(selects.state.get()).toMatchObject({ undoable: 0 });
        }
        expect(step).toBeLessThan(300);
      }
    },
  );
});

describe('another run after an app that did not answer', () => {
  it('leaves Undo for the file that changes later', async () => {
    await ports.dispose();
    const clock = new FakeClock();
    ports = openUxp('8.4.0', undefined, clock);
    photos = nodePath.join(ports.folder, 'Photos');
    nodeFs.mkdirSync(photos);
    start();
    for (const name of ['a', 'b']) write(`${name}.nef`);
    write('a.xmp', xmp(' xmp:Rating="1"'));
    const before = everything();
    stars('a', 'a.jpg', 3);
    await choose(true);
    ports.modules.lifetime.fileFault = ({ name }) =>
      name === 'moveTo' ? sleep(clock, 60_000) : 'run';
    await passUntil(clock, ports.modules, selects.write());
    expect(selects.state.get().result?.failed).toEqual([{ name: 'a.xmp', reason: 'refused' }]);
    ports.modules.lifetime.fileFault = () => 'run';
    await passUntil(clock, ports.modules, sleep(clock, 60_000));
    expect(marks('a.xmp')).toBe('3 -');
    start();
    stars('b', 'b.jpg', 2);
    await passUntil(clock, ports.modules, selects.write());
    expect(selects.state.get().result).toMatchObject({ changed: ['b.xmp'], same: 1 });
    start();
    expect(selects.state.get().undoable).toBe(2);
    await passUntil(clock, ports.modules, selects.undo());
    expect([everything(), selects.state.get().undoable]).toEqual([before, 0]);
  });
});

describe('the choice', () => {
  it('is not shown to another account', async () => {
    await choose();
    owner = 'bert';
    start();
    expect(selects.state.get()).toMatchObject({ link: null, folder: 'Photos' });
    await selects.write();
    expect(requests).toEqual([]);
  });

  it('stays when it was made before the stored one is read', async () => {
    await choose();
    const older = new Map(stored);
    const newer = { ...LINK, id: 'l2' };
    await selects.chooseLink(newer);
    selects.restore(older);
    expect(selects.state.get().link).toEqual(newer);
  });

  it('names the scopes that the session lacks', () => {
    account.set(accountWith(['uploads:write', 'shares:write']));
    expect(selects.state.get().missingScopes).toBe('uploads:read');
    account.set(accountWith(null));
    expect(selects.state.get().missingScopes).toBe('');
  });

  it('has the newest answer of each link', async () => {
    stars('a', 'a.jpg', 3);
    says('b', 'b.jpg', 'favourite', { link: 'l2', at: '2026-11-20T00:00:00Z' });
    says('c', 'c.jpg', 'favourite', { at: '2026-11-29T00:00:00Z' });
    says('d', 'd.jpg', 'favourite', { at: '2026-11-01T00:00:00Z' });
    expect(await selects.answeredLinks()).toEqual(
      new Map([
        ['l1', Date.UTC(2026, 10, 29)],
        ['l2', Date.UTC(2026, 10, 20)],
      ]),
    );
  });
});
