import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import {
  updateOf,
  updatesOf,
  type PlacedRow,
} from '../../../src/features/placed-files/placed-row.js';
import {
  PlacedStatus,
  type PlacedStatusState,
} from '../../../src/features/placed-files/placed-status.js';
import type { FileFacts } from '../../../src/features/selects/index.js';
import type { PlacedFile } from '../../../src/host/placed-files.js';
import { CwError } from '../../../src/util/errors.js';
import type { PendingExchange } from '../../support/conversation.js';
import { accountWith, ApiFixture, BASE } from '../api-fixture.js';

const URL = `${BASE}/api/v1/photos/status`;
const SHA = 'a'.repeat(64);
const FRONT = { key: '1', documentId: 'xmp.did:1' };
const CURRENT = { id: 'u9', photo: 'p', version: 3, name: 'Lake.jpg', size: 5, sha256: SHA };
const NEWER = { state: 'newer', by: 'id', placed: { ...CURRENT, version: 1 }, current: CURRENT };

let fixture: ApiFixture;
let owner: string;
let hasVersions: boolean;
/** The links of each document. */
let documents: Map<string, readonly PlacedFile[]>;
let lists: string[];
/** What storage has. It outlives the plugin. */
let stored: Map<string, string>;
let status: PlacedStatus;
/** What is known about the files of links without an identity, by their paths. */
let facts: Map<string, FileFacts>;
/** The uploads that files were recognised as, by their paths. */
let uploads: ReadonlyMap<string, string | null>;
/** Ends when storage has what was put. */
let storing: Promise<void>;

function start(): void {
  status = new PlacedStatus({
    linked: {
      factsOf: () => Promise.resolve(facts),
      keepUploads: (found) => {
        uploads = found;
        return Promise.resolve();
      },
    },
    host: {
      list: (key) => {
        lists.push(key);
        const files = documents.get(key);
        return files
          ? Promise.resolve(files)
          : Promise.reject(new CwError('CW-803', 'the document is not open'));
      },
    },
    requests: fixture.requests,
    capabilities: {
      get: () => Promise.resolve({ ...BASIC_CAPABILITIES, photoVersions: hasVersions }),
    },
    endpoint: URL,
    origin: BASE,
    owner: { get: () => ({ keys: [owner], workspace: null }) },
    account: { state: fixture.account },
    clock: fixture.clock,
    records: {
      put: (key, value, ...gone) => {
        stored.set(key, value);
        gone.forEach((one) => stored.delete(one));
        return storing;
      },
    },
  });
}

function file(uploadId: string | null, more: Partial<PlacedFile> = {}): PlacedFile {
  return {
    key: uploadId ?? 'other',
    name: 'Lake.jpg',
    path: null,
    state: 'present',
    identity: uploadId === null ? null : { origin: BASE, uploadId, sha256: SHA, size: 'original' },
    ...more,
  };
}

/** Begins a session with these links in the document in front. */
async function begin(...files: readonly PlacedFile[]): Promise<void> {
  documents.set('1', files);
  fixture.account.set(accountWith(['uploads:read']));
  status.restore(stored);
  status.setFront(FRONT);
  status.start();
  await fixture.clock.settle();
}

async function answer(code: number, body: object): Promise<void> {
  (await sent()).respond(code, {}, body);
  await fixture.clock.settle();
}

function sent(): Promise<PendingExchange> {
  return fixture.next('POST /api/v1/photos/status');
}

const bodyOf = ({ request }: PendingExchange): unknown => JSON.parse(request.body as string);
const state = (): PlacedStatusState => status.state.get();
const kinds = (): readonly PlacedRow['status']['kind'][] =>
  state().rows.map((row) => row.status.kind);

beforeEach(async () => {
  fixture = await ApiFixture.create();
  owner = 'anna';
  hasVersions = true;
  documents = new Map();
  lists = [];
  stored = new Map();
  facts = new Map();
  uploads = new Map();
  storing = Promise.resolve();
  start();
});

describe('the status of placed files', () => {
  it('has the state of each link, those with something to do first', async () => {
    await begin(
      file('u1'),
      file('u2', { state: 'missing' }),
      file('u3'),
      file('u4', { state: 'changed' }),
      file(null),
      file('u5'),
      file('u6', {
        identity: { origin: 'https://other.example', uploadId: 'u6', sha256: SHA, size: 'web' },
      }),
    );
    const request = await sent();
    expect(bodyOf(request)).toEqual({
      links: ['u1', 'u2', 'u3', 'u4', 'u5'].map((id) => ({ id, sha256: SHA })),
    });
    const same = { ...NEWER, state: 'current' };
    const links = [same, same, { ...NEWER, state: 'newer_approved' }, NEWER, { state: 'gone' }];
    request.respond(200, {}, { revision: 'r1', links });
    await fixture.clock.settle();
    expect(state().rows.map(({ key, local, status: { kind } }) => [key, kind, local])).toEqual([
      ['u3', 'newer-approved', 'present'],
      ['u4', 'newer', 'changed'],
      ['u2', 'current', 'missing'],
      ['u5', 'gone', 'present'],
      ['u6', 'foreign', 'present'],
      ['u1', 'current', 'present'],
    ]);
    expect(state().rows[0]).toMatchObject({
      placed: { version: 1 },
      status: { current: { id: 'u9', version: 3, name: 'Lake.jpg', size: 5, sha256: SHA } },
    });
    expect(state()).toMatchObject({ checkedAt: fixture.clock.now(), isAway: false });
  });

  it('sends nothing for a document without files of the service', async () => {
    await begin(file(null), file(null, { key: '2' }));
    expect(fixture.network.open).toEqual([]);
    expect(stored.size).toBe(0);
    expect(state()).toMatchObject({ rows: [], isChecking: false });
  });

  it('sends nothing to a service without versions', async () => {
    hasVersions = false;
    await begin(file('u1'));
    await fixture.clock.advance(3_600_000);
    expect(fixture.network.exchanges).toEqual([]);
    expect(kinds()).toEqual(['unchecked']);
  });

  it('sends one request for 500 links, and two for more', async () => {
    const files = Array.from({ length: 501 }, (_, index) => file(`u${index}`));
    await begin(...files.slice(0, 500), file('u0', { key: 'again' }));
    const links = files.map(() => NEWER);
    await answer(200, { revision: 'r1', links: links.slice(0, 500) });
    expect(state().rows).toHaveLength(501);
    expect(fixture.network.exchanges).toHaveLength(1);
    documents.set('1', files);
    status.check();
    await answer(200, { revision: 'r1' });
    await answer(200, { revision: 'r2', links: [NEWER] });
    expect(kinds()).not.toContain('unchecked');
  });

  it('is read again after five minutes with the revision of the last answer', async () => {
    await begin(file('u1'));
    await answer(200, { revision: 'r1', links: [NEWER] });
    await fixture.clock.advance(4 * 60_000);
    expect(fixture.network.open).toEqual([]);
    await fixture.clock.advance(60_000);
    expect(bodyOf(await sent())).toMatchObject({ revision: 'r1' });
    await answer(200, { revision: 'r1' });
    expect(kinds()).toEqual(['newer']);
    expect(state().checkedAt).toBe(fixture.clock.now());
    documents.set('1', [file('u2')]);
    status.check();
    expect(bodyOf(await sent())).not.toHaveProperty('revision');
    await answer(200, { revision: 'r1' });
    expect(kinds()).toEqual(['unchecked']);
    expect(state().isAway).toBe(true);
  });

  it.each([
    [403, { error: 'insufficient_scope' }, true],
    [403, { error: 'forbidden' }, false],
    [404, { error: 'not_found' }, false],
    [405, {}, false],
  ])('is not read again after %s %j', async (code, body, needsPermission) => {
    await begin(file('u1'));
    await answer(code, body);
    expect(state()).toMatchObject({ needsPermission, isAway: false, isChecking: false });
    await fixture.clock.advance(3_600_000);
    expect(fixture.network.open).toEqual([]);
    fixture.account.set(accountWith(['workspace:read']));
    await answer(200, { revision: 'r1', links: [NEWER] });
    expect(state()).toMatchObject({ needsPermission: false });
    expect(kinds()).toEqual(['newer']);
  });

  it.each([
    [500, {}],
    [200, {}],
    [200, { revision: 'r2' }],
    [200, { revision: '<b>', links: [NEWER] }],
    [200, { revision: 'r2', links: [] }],
    [200, { revision: 'r2', links: [NEWER, NEWER] }],
    [200, { revision: 'r2', links: {} }],
  ])('stays with its date after %s %j', async (code, body) => {
    await begin(file('u1'));
    await answer(200, { revision: 'r1', links: [NEWER] });
    const at = fixture.clock.now();
    await fixture.clock.advance(5 * 60_000);
    await answer(code, body);
    expect(kinds()).toEqual(['newer']);
    expect(state()).toMatchObject({ checkedAt: at, isAway: true });
    await fixture.clock.advance(5 * 60_000);
    await answer(200, { revision: 'r1' });
    expect(state().isAway).toBe(false);
  });

  it.each([
    null,
    5,
    { state: 'newest', current: CURRENT },
    { state: 'newer', current: null },
    { state: 'newer', current: { ...CURRENT, id: '../u9' } },
    { state: 'newer', current: { ...CURRENT, sha256: 'A' } },
    { state: 'newer', current: { ...CURRENT, size: -1 } },
    { state: 'newer', current: { ...CURRENT, size: 0.5 } },
    { state: 'newer', current: { ...CURRENT, name: '' } },
    { state: 'newer', current: { ...CURRENT, name: 'x'.repeat(300) } },
  ])('ignores the link %j', async (link) => {
    await begin(file('u1'), file('u2'));
    await answer(200, { revision: 'r1', links: [link, NEWER] });
    expect(kinds()).toEqual(['newer', 'unchecked']);
  });

  it('shows a link that the user does not see, and bytes of no version, as unknown', async () => {
    await begin(file('u1'), file('u2'));
    const links = [{ state: 'unknown', by: null, placed: null, current: null }, NEWER];
    await answer(200, { revision: 'r1', links: [links[0], { ...NEWER, state: 'other_bytes' }] });
    expect(kinds()).toEqual(['other', 'unknown']);
  });

  it('recognises files without an identity by their bytes, then by a document, in the same request', async () => {
    const other = (path: string): PlacedFile => file(null, { key: path, path });
    const sha = (digit: number): string => String(digit).repeat(64);
    facts.set('/bytes', { sha256: sha(1), documents: [] });
    facts.set('/origin', { sha256: sha(2), documents: ['d1', 'd2', 'd3', 'd4'] });
    facts.set('/none', { sha256: sha(3), documents: ['d1'] });
    await begin(
      ...[file('u1'), other('/bytes'), other('/origin'), other('/none')],
      ...[{ ...other('/unread'), state: 'missing' as const }],
      ...[{ ...other('/layer'), state: 'embedded' as const }],
    );
    const request = await sent();
    expect(bodyOf(request)).toEqual({
      links: [
        { id: 'u1', sha256: SHA },
        { sha256: sha(1) },
        { sha256: sha(2), document: 'd1' },
        { document: 'd2' },
        { document: 'd3' },
        { sha256: sha(3), document: 'd1' },
      ],
    });
    const nothing = { state: 'unknown', by: null, placed: null, current: null };
    const byDocument = { ...NEWER, by: 'document', state: 'other_bytes', placed: null };
    const links = [NEWER, NEWER, nothing, byDocument, nothing, nothing];
    // What is shown is known to an upload, too, before storage has it.
    storing = new Promise(() => undefined);
    request.respond(200, {}, { revision: 'r1', links });
    await fixture.clock.settle();
    expect(
      state().rows.map(({ key, status: { kind }, identity }) => [key, kind, identity]),
    ).toEqual([
      ['u1', 'newer', expect.objectContaining({ uploadId: 'u1' })],
      ['/bytes', 'newer', { origin: BASE, uploadId: 'u9', sha256: SHA, size: 'original' }],
      ['/origin', 'other', null],
    ]);
    expect(state().others).toEqual([
      { key: '/none', name: 'Lake.jpg', isRead: true, local: 'present' },
      { key: '/unread', name: 'Lake.jpg', isRead: false, local: 'missing' },
    ]);
    // Only a person can compare the bytes of a document.
    expect(updatesOf(state().rows, false).map(({ key }) => key)).toEqual(['u1', '/bytes']);
    expect(state().rows.map((row) => updateOf(row)?.size)).toEqual(Array(3).fill('original'));
    expect(status.files()).toHaveLength(6);
    expect([...uploads]).toEqual([
      ['/bytes', 'u9'],
      ['/origin', null],
      ['/none', null],
    ]);
  });

  it('keeps what was recognised over a restart without the service', async () => {
    const found = file(null, { path: '/bytes' });
    facts.set('/bytes', { sha256: SHA, documents: [] });
    await begin(found);
    await answer(200, { revision: 'r1', links: [NEWER] });
    status.stop();
    start();
    await begin(found);
    expect(kinds()).toEqual(['newer']);
    // Another file at this path.
    facts.set('/bytes', { sha256: 'b'.repeat(64), documents: [] });
    status.check();
    await fixture.clock.settle();
    expect(kinds()).toEqual([]);
  });

  it('has the last answers with their date after a restart without the service', async () => {
    await begin(file('u1'));
    await answer(200, { revision: 'r1', links: [{ ...NEWER, secret: 'x'.repeat(9_000) }] });
    const at = fixture.clock.now();
    expect([...stored.values()].join('')).not.toContain('xxx');
    status.stop();
    await fixture.clock.advance(600_000);
    start();
    await begin(file('u1'));
    expect(state()).toMatchObject({ checkedAt: at, isChecking: true });
    expect(state().rows[0]).toMatchObject({ placed: { version: 1 }, status: { kind: 'newer' } });
    expect(bodyOf(await sent())).toMatchObject({ revision: 'r1' });
    (await sent()).fail(new CwError('CW-301', 'away'));
    await fixture.clock.settle();
    expect(state()).toMatchObject({ checkedAt: at, isChecking: false, isAway: true });
  });

  it('does not show the answers of another account', async () => {
    await begin(file('u1'));
    await answer(200, { revision: 'r1', links: [NEWER] });
    status.stop();
    owner = 'ben';
    start();
    await begin(file('u1'));
    expect(kinds()).toEqual(['unchecked']);
    expect(bodyOf(await sent())).not.toHaveProperty('revision');
    expect(state().checkedAt).toBeNull();
  });

  it('keeps the answers of the last 20 documents', async () => {
    await begin(file('u1'));
    await answer(200, { revision: 'r1', links: [NEWER] });
    for (let number = 2; number <= 21; number += 1) {
      documents.set(String(number), [file('u1')]);
      status.setFront({ key: String(number), documentId: `xmp.did:${number}` });
      await answer(200, { revision: 'r1', links: [NEWER] });
    }
    expect(stored.size).toBe(20);
    expect([...stored.keys()]).not.toContain('placed-status:xmp.did:1');
  });

  it('writes an unchanged answer to storage only after half an hour', async () => {
    await begin(file('u1'));
    await answer(200, { revision: 'r1', links: [NEWER] });
    const [first] = stored.values();
    for (let look = 0; look < 5; look += 1) {
      await fixture.clock.advance(5 * 60_000);
      await answer(200, { revision: 'r1' });
    }
    expect([...stored.values()]).toEqual([first]);
    await fixture.clock.advance(5 * 60_000);
    await answer(200, { revision: 'r1' });
    expect([...stored.values()]).not.toEqual([first]);
  });

  it.each(['', '[', '{}', '{"owner":"anna","at":1,"parts":[5,{"links":[1]}]}'])(
    'ignores %j in storage',
    async (text) => {
      stored.set('placed-status:xmp.did:1', text);
      await begin(file('u1'));
      expect(kinds()).toEqual(['unchecked']);
      await answer(200, { revision: 'r1', links: [NEWER] });
      expect(kinds()).toEqual(['newer']);
    },
  );

  it('is that of the document in front', async () => {
    await begin(file('u1'));
    const first = await sent();
    documents.set('2', [file('u2')]);
    status.setFront({ key: '2', documentId: 'xmp.did:2' });
    expect(first.isCancelled).toBe(true);
    expect(state().rows).toEqual([]);
    await answer(200, { revision: 'r1', links: [NEWER] });
    expect(state().rows.map(({ key }) => key)).toEqual(['u2']);
    status.setFront({ key: '2', documentId: 'xmp.did:2' });
    expect(lists).toEqual(['1', '2']);
    status.setFront(null);
    expect(state().rows).toEqual([]);
    await fixture.clock.advance(3_600_000);
    expect(lists).toEqual(['1', '2']);
  });

  it('has an error when the app does not give the links', async () => {
    await begin();
    documents.delete('1');
    status.check();
    await fixture.clock.settle();
    expect(state().error?.code).toBe('CW-803');
    documents.set('1', [file('u1')]);
    await fixture.clock.advance(5 * 60_000);
    await answer(200, { revision: 'r1', links: [NEWER] });
    expect(state().error).toBeNull();
  });

  it('ends with the session', async () => {
    await begin(file('u1'));
    const request = await sent();
    status.stop();
    expect(request.isCancelled).toBe(true);
    await fixture.clock.advance(3_600_000);
    expect(fixture.network.open).toEqual([]);
  });
});
