import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import { ownerOf } from '../../../src/account/owner.js';
import {
  Library,
  MAX_FILES,
  SEARCH_AFTER_MS,
  type LibraryState,
} from '../../../src/features/library/library.js';
import { readLibraryFile } from '../../../src/features/library/library-file.js';
import { CwError } from '../../../src/util/errors.js';
import { accountWith, ApiFixture, BASE } from '../api-fixture.js';

const PATH = '/api/v1/photos';
/** The request for the first page without filters. */
const FIRST = `GET ${PATH}?limit=100&sort=captured-desc&mine=true`;
const ALL = ['uploads:write', 'uploads:read', 'workspace:read'];

let fixture: ApiFixture;
let library: Library;
let offersList: boolean;
let stored: Map<string, string>;

beforeEach(async () => {
  fixture = await ApiFixture.create();
  offersList = true;
  stored = new Map();
  library = create();
  fixture.account.set(accountWith(ALL));
});

function create(): Library {
  const made = new Library({
    requests: fixture.requests,
    capabilities: {
      get: () => Promise.resolve({ ...BASIC_CAPABILITIES, photoList: offersList }),
    },
    baseUrl: BASE,
    path: PATH,
    account: { state: fixture.account },
    owner: { get: () => ownerOf(fixture.account.get(), 's1') },
    records: {
      put: (key, value) => {
        stored.set(key, value);
        return Promise.resolve();
      },
    },
    clock: fixture.clock,
  });
  made.restore(stored);
  return made;
}

function state(): LibraryState {
  return library.state.get();
}

function names(): string[] {
  return state().files.map(({ name }) => name);
}

/** A file as the service lists it. */
function photo(name: string, more: object = {}): object {
  return { id: `id-${name.replace(/\W/g, '')}`, name, size: 1000, ...more };
}

async function open(): Promise<void> {
  await library.onSignedIn();
  library.open();
  await fixture.clock.settle();
}

/** Answers the only request, which must be this one. */
async function answer(line: string, body: object | string, status = 200): Promise<void> {
  (await fixture.next(line)).respond(status, {}, body);
  await fixture.clock.settle();
}

describe('the list of files', () => {
  it('is loaded when it is opened, and page by page', async () => {
    await open();
    await answer(FIRST, { photos: [photo('a'), photo('b')], next: `${PATH}?after=1` });
    expect(state()).toMatchObject({ hasMore: true, isLoading: false, error: null });
    library.more();
    library.more();
    await answer(`GET ${PATH}?after=1`, { photos: [photo('b'), photo('c')] });
    expect(names()).toEqual(['a', 'b', 'c']);
    expect(state().hasMore).toBe(false);
    library.more();
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
  });

  it('requests nothing before it is opened, and nothing after it was closed', async () => {
    await library.onSignedIn();
    await fixture.clock.advance(60_000);
    expect(fixture.network.exchanges).toEqual([]);
    library.open();
    const exchange = await fixture.next(FIRST);
    library.close();
    expect(exchange.isCancelled).toBe(true);
    expect(state().isLoading).toBe(false);
    library.open();
    library.change({ text: 'x' });
    library.close();
    expect(state().query.text).toBe('');
  });

  it('goes on after a page without files', async () => {
    await open();
    await answer(FIRST, { photos: [], next: `${PATH}?after=1` });
    expect(state()).toMatchObject({ files: [], hasMore: true });
    library.more();
    await answer(`GET ${PATH}?after=1`, { photos: [photo('a')] });
    expect(names()).toEqual(['a']);
  });

  it('keeps the files that it has when the next page fails, and loads that page again', async () => {
    await open();
    await answer(FIRST, { photos: [photo('a')], next: `${PATH}?after=1` });
    library.more();
    await answer(`GET ${PATH}?after=1`, {}, 500);
    expect(state()).toMatchObject({ hasMore: true, error: { code: 'CW-303' } });
    expect(names()).toEqual(['a']);
    library.more();
    await answer(`GET ${PATH}?after=1`, { photos: [photo('b')] });
    expect(names()).toEqual(['a', 'b']);
    expect(state().error).toBeNull();
  });

  it('goes on by itself when the service can be reached again', async () => {
    await open();
    (await fixture.next(FIRST)).fail(new CwError('CW-301', 'no network'));
    await fixture.clock.settle();
    expect(state().error).toMatchObject({ code: 'CW-301' });
    const other = fixture.requests.send({
      method: 'GET',
      url: `${BASE}/api/v1/me`,
      headers: {},
      repeatable: true,
    });
    await fixture.clock.advance(2_000);
    await answer('GET /api/v1/me', {});
    await other;
    await answer(FIRST, { photos: [photo('a')] });
    expect(names()).toEqual(['a']);
  });

  it('keeps at most so many files', async () => {
    await open();
    const size = 3_000;
    for (let page = 0; page * size < MAX_FILES + size; page += 1) {
      const photos = Array.from({ length: size }, (_, index) => photo(`f${page * size + index}`));
      const [exchange] = fixture.network.open;
      exchange?.respond(200, {}, { photos, next: `${PATH}?after=${page + 1}` });
      await fixture.clock.settle();
      library.more();
      await fixture.clock.settle();
    }
    expect(state().files).toHaveLength(MAX_FILES);
    expect(state().hasMore).toBe(false);
    expect(fixture.network.open).toEqual([]);
  });
});

describe('a search', () => {
  async function opened(): Promise<void> {
    await open();
    await answer(FIRST, { photos: [photo('a')], next: `${PATH}?after=1` });
  }
  const searchFor = (text: string): string =>
    `GET ${PATH}?limit=100&sort=captured-desc&q=${text}&mine=true`;

  it('waits until the user has typed, and keeps what is shown until the answer', async () => {
    await opened();
    for (const text of ['h', 'ha', 'har ']) {
      library.change({ text });
      await fixture.clock.advance(SEARCH_AFTER_MS - 1);
      expect(fixture.network.open).toEqual([]);
    }
    await fixture.clock.advance(1);
    expect(names()).toEqual(['a']);
    await answer(searchFor('har'), { photos: [photo('harbour')] });
    expect(names()).toEqual(['harbour']);
  });

  it('cancels the one before it, whose answer changes nothing', async () => {
    await opened();
    library.change({ text: 'one' });
    await fixture.clock.advance(SEARCH_AFTER_MS);
    const first = await fixture.next(searchFor('one'));
    library.change({ text: 'two' });
    expect(first.isCancelled).toBe(true);
    await fixture.clock.advance(SEARCH_AFTER_MS);
    await answer(searchFor('two'), { photos: [photo('two')] });
    expect(names()).toEqual(['two']);
  });

  it('takes no answer that has come just before another key', async () => {
    await opened();
    library.change({ text: 'one' });
    await fixture.clock.advance(SEARCH_AFTER_MS);
    (await fixture.next(searchFor('one'))).respond(200, {}, { photos: [photo('one')] });
    library.change({ text: 'two' });
    await fixture.clock.settle();
    expect(names()).toEqual(['a']);
  });

  it('loads no page of the list before it', async () => {
    await opened();
    library.change({ text: 'two' });
    library.more();
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
    await fixture.clock.advance(SEARCH_AFTER_MS);
    library.more();
    await answer(searchFor('two'), { photos: [] });
    library.more();
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
  });

  it.each([
    ['a & b=c', 'a%20%26%20b%3Dc'],
    ['湖', '%E6%B9%96'],
    ['x'.repeat(300), 'x'.repeat(255)],
  ])('sends %s as it was typed', async (text, sent) => {
    await opened();
    library.change({ text });
    await fixture.clock.advance(SEARCH_AFTER_MS);
    await answer(searchFor(sent), { photos: [] });
  });
});

describe('filters', () => {
  it('are sent at once, and kept for the next run', async () => {
    await open();
    await answer(FIRST, { photos: [] });
    library.change({ text: 'secret' });
    library.change({
      text: '',
      project: { id: 'p1', name: 'Wedding' },
      kind: 'video',
      isApproved: true,
      isMine: false,
      order: 'name-desc',
    });
    const line = `GET ${PATH}?limit=100&sort=name-desc&project=p1&kind=video&approved=true`;
    await answer(line, { photos: [] });
    library.change({ text: 'secret' });
    library.change({ isApproved: true });
    library.close();
    library = create();
    await open();
    await answer(line, { photos: [] });
    expect([...stored.values()].join()).not.toContain('secret');
  });

  it('of another account do not come back', async () => {
    await open();
    library.change({ kind: 'video' });
    fixture.account.set(accountWith(ALL, 'ben'));
    library = create();
    expect(state().query.kind).toBeNull();
  });

  it('are those of the first account no longer, nor its files, when another one connects', async () => {
    await open();
    await answer(FIRST, { photos: [photo('a', { project: { id: 'p1', name: 'Secret' } })] });
    library.change({ kind: 'video' });
    library.close();
    fixture.account.set(accountWith(ALL, 'ben'));
    expect(state()).toMatchObject({ files: [], projects: [], query: { kind: null } });
  });

  it('stay when the same account connects once more', async () => {
    await open();
    library.change({ isMine: false, kind: 'video' });
    library.close();
    fixture.account.set(null);
    fixture.account.set(accountWith(ALL));
    library.open();
    await fixture.next(`GET ${PATH}?limit=100&sort=captured-desc&kind=video`);
  });

  it('are those of the new account when the list is open', async () => {
    await open();
    library.change({ kind: 'video' });
    await fixture.clock.settle();
    fixture.account.set(accountWith(ALL, 'ben'));
    await answer(FIRST, { photos: [photo('b')] });
    expect(names()).toEqual(['b']);
  });

  it.each(['', 'null', '{"version":2}', '{"version":1,"owner":5}', '[]'])(
    'that cannot be read are left out: %s',
    (text) => {
      stored.set('library', text);
      library = create();
      expect(state().query).toMatchObject({ kind: null, isMine: true, order: 'captured-desc' });
    },
  );

  it('of an unknown kind or order are left out', () => {
    const { keys } = ownerOf(fixture.account.get(), 's1');
    stored.set(
      'library',
      JSON.stringify({ version: 1, owner: keys[0], kind: 'x', order: 5, project: { id: '../' } }),
    );
    library = create();
    expect(state().query).toMatchObject({ kind: null, project: null, order: 'captured-desc' });
  });
});

describe('permission', () => {
  it.each<[readonly string[] | null, boolean, string | null]>([
    [['uploads:write'], true, 'uploads:read'],
    [['uploads:write'], false, 'workspace:read'],
    [['uploads:write', 'uploads:read'], true, null],
    [['uploads:write', 'uploads:read'], false, 'workspace:read'],
    [['uploads:write', 'workspace:read'], true, null],
    [['uploads:write', 'workspace:read'], false, null],
    [null, true, null],
    [null, false, null],
  ])('with %j, mine %s: %s is needed', async (scopes, isMine, needed) => {
    fixture.account.set(accountWith(scopes));
    library.change({ isMine });
    await open();
    expect(state()).toMatchObject({
      access: needed === null ? 'ready' : 'needs-permission',
      neededScope: needed,
    });
    expect(fixture.network.open).toHaveLength(needed === null ? 1 : 0);
  });

  it('that the service refuses is asked for, and the files come with the next session', async () => {
    fixture.account.set(accountWith(null));
    await open();
    await answer(FIRST, { error: 'insufficient_scope' }, 403);
    expect(state()).toMatchObject({ access: 'needs-permission', neededScope: 'uploads:read' });
    fixture.account.set(accountWith(ALL));
    await answer(FIRST, { photos: [photo('a')] });
    expect(names()).toEqual(['a']);
  });

  it('for the files of others leaves the own ones reachable', async () => {
    fixture.account.set(accountWith(['uploads:read']));
    await open();
    await answer(FIRST, { photos: [photo('a')] });
    library.change({ isMine: false });
    expect(state()).toMatchObject({ access: 'needs-permission', files: [] });
    library.change({ isMine: true });
    await answer(FIRST, { photos: [photo('a')] });
    expect(state().access).toBe('ready');
  });
});

describe('a service', () => {
  it.each([404, 405])('without the list (%d) is not asked again', async (status) => {
    await open();
    await answer(FIRST, { error: 'not_found' }, status);
    expect(state()).toMatchObject({ access: 'unsupported', error: null });
    library.reload();
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
  });

  it('that does not announce the list is not asked', async () => {
    offersList = false;
    await open();
    expect(state().access).toBe('unsupported');
    expect(fixture.network.exchanges).toEqual([]);
  });

  it.each<[string, number, object | string, string]>([
    ['a list that is none', 200, { photos: 'x' }, 'CW-305'],
    ['no list', 200, {}, 'CW-305'],
    ['a page of a network', 200, '<html>', 'CW-304'],
    ['a refusal', 400, { error: 'invalid_request' }, 'CW-616'],
    ['a failure', 500, { error: 'server_error' }, 'CW-303'],
  ])('that answers with %s is an error', async (_name, status, body, code) => {
    await open();
    await answer(FIRST, body, status);
    expect(state()).toMatchObject({ files: [], isLoading: false, error: { code } });
  });

  it('that refuses a place in the list is asked for the first page next', async () => {
    await open();
    await answer(FIRST, { photos: [photo('a')], next: `${PATH}?after=1` });
    library.more();
    await answer(`GET ${PATH}?after=1`, { error: 'invalid_request' }, 400);
    library.more();
    await answer(FIRST, { photos: [photo('b')] });
    expect(names()).toEqual(['b']);
  });

  it.each([
    'https://elsewhere.example/api/v1/photos?after=1',
    '//elsewhere.example/api/v1/photos?after=1',
    '/api/v1/me?x=1',
    '@elsewhere.example/api/v1/photos?after=1',
    5,
  ])('that sends on to %s is not followed', async (next) => {
    await open();
    await answer(FIRST, { photos: [photo('a')], next });
    expect(state().hasMore).toBe(false);
  });

  it('that repeats a page for ever is read once', async () => {
    await open();
    await answer(FIRST, { photos: [photo('a')], next: `${PATH}?after=1` });
    library.more();
    await answer(`GET ${PATH}?after=1`, { photos: [photo('a')], next: `${PATH}?after=1` });
    expect(state().hasMore).toBe(false);
  });
});

describe('a file of the list', () => {
  const SHA = 'ab'.repeat(32);
  const read = (more: object): unknown => readLibraryFile(photo('a.jpg', more), BASE);

  it('has what the service reports', () => {
    expect(
      read({
        id: 'u1',
        sha256: SHA,
        media_type: 'application/pdf',
        type: 'image/jpeg',
        width: 600,
        height: 400,
        media: { kind: 'document', pages: 24 },
        version: 3,
        project: { id: 'p1', name: 'Wedding' },
        sent_by: { username: 'anna', name: 'Anna' },
        created: '2026-11-22T12:00:00.000Z',
        captured_at: '2026-11-21T12:00:00.000Z',
        approval: { version: 2, is_current: false, by: { name: 'Mia' } },
        comments: 4,
        page: 'https://elsewhere.example/',
      }),
    ).toEqual({
      id: 'u1',
      name: 'a.jpg',
      size: 1000,
      sha256: SHA,
      type: 'application/pdf',
      width: 600,
      height: 400,
      length: { kind: 'pages', pages: 24 },
      version: 3,
      project: { id: 'p1', name: 'Wedding' },
      sender: 'Anna',
      uploadedAt: Date.parse('2026-11-22T12:00:00.000Z'),
      capturedAt: Date.parse('2026-11-21T12:00:00.000Z'),
      approval: { version: 2, isCurrent: false, by: 'Mia' },
      comments: 4,
      pageUrl: `${BASE}/photos/u1`,
    });
  });

  it.each([
    null,
    [],
    'x',
    { id: 'a/b' },
    { id: '../me' },
    { id: 5 },
    { id: 'x'.repeat(65) },
    { name: '' },
    { name: 5 },
    { name: 'x'.repeat(301) },
    { name: '\u202e' },
    { size: -1 },
    { size: 1.5 },
    { size: 1e300 },
    { size: null },
  ])('is left out when it has %j', (more) => {
    const value = typeof more === 'object' && more !== null && !Array.isArray(more);
    expect(value ? read(more) : readLibraryFile(more, BASE)).toBeNull();
  });

  it.each<[object, object]>([
    [{ sha256: 'AB'.repeat(32) }, { sha256: null }],
    [{ sha256: 5 }, { sha256: null }],
    [{ type: 'a b/c', media_type: '<x>/y' }, { type: null }],
    [{ type: 'Image/JPEG' }, { type: 'image/jpeg' }],
    [
      { width: 0, height: -5 },
      { width: null, height: null },
    ],
    [
      { width: 'x', height: {} },
      { width: null, height: null },
    ],
    [{ media: { kind: 'document', pages: 0 } }, { length: null }],
    [{ media: { kind: 'video', duration: -1 } }, { length: null }],
    [{ media: { kind: 'video', duration: 1.5 } }, { length: { kind: 'duration', seconds: 1.5 } }],
    [{ media: [] }, { length: null }],
    [{ version: 0 }, { version: null }],
    [{ project: { id: '..', name: 'x' } }, { project: null }],
    [{ sent_by: { name: 5 } }, { sender: null }],
    [
      { created: 'soon', captured_at: 5 },
      { uploadedAt: null, capturedAt: null },
    ],
    [{ approval: 'yes' }, { approval: null }],
    [{ approval: {} }, { approval: { version: 1, isCurrent: false, by: null } }],
    [{ name: 'a\u202egpj.exe' }, { name: 'a gpj.exe' }],
  ])('that says %j has %j', (more, expected) => {
    expect(read(more)).toMatchObject(expected);
  });
});
