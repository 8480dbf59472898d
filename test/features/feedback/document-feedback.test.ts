import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import { startFeedback } from '../../../src/features/feedback/index.js';
import type { ShownEntry } from '../../../src/features/feedback/document-feedback.js';
import type { OpenDocumentState } from '../../../src/features/documents/document-state.js';
import type { SessionState } from '../../../src/oauth/session/token-store.js';
import { Observable } from '../../../src/util/observable.js';
import { testClient } from '../../api/signed-in.js';
import type { PendingExchange } from '../../support/conversation.js';
import { accountWith, ApiFixture, BASE } from '../api-fixture.js';

const COMMENT = {
  id: 'c1',
  kind: 'comment',
  link: 'l1',
  photo: 'p1',
  name: 'Lake.jpg',
  guest: { id: 'g', name: 'Mia' },
  version: 1,
  sha256: 'a'.repeat(64),
  is_current: true,
  at: '2026-11-28T12:00:00Z',
  text: 'Too dark',
  done: false,
  reply: null,
};
const LIST = 'GET /api/v1/feedback?document=xmp.did%3A1';
const SCOPES = ['uploads:read', 'feedback:write'];

let fixture: ApiFixture;
let owner: string;
let openDocument: Observable<OpenDocumentState | null>;
let session: Observable<SessionState>;
/** What storage has. It outlives the plugin. */
let stored: Map<string, string>;
let started: ReturnType<typeof startFeedback>;
/** How often the approvals of the document were loaded. */
let approvalLoads: number;

function start(): void {
  session = new Observable<SessionState>({ kind: 'signed-out' });
  openDocument = new Observable<OpenDocumentState | null>(null);
  started = startFeedback(
    {
      clock: fixture.clock,
      documentComments: null,
      records: {
        load: () => Promise.resolve(stored),
        put: (key, value) => {
          stored.set(key, value);
          return Promise.resolve();
        },
        putAll: () => Promise.resolve(),
        remove: () => Promise.resolve(),
        isOwner: () => Promise.resolve(true),
      },
    },
    {
      requests: fixture.requests,
      capabilities: {
        get: () => Promise.resolve({ ...BASIC_CAPABILITIES, photoVersions: true }),
      } as never,
      api: `${BASE}/api/v1`,
      client: testClient(BASE),
      account: { state: fixture.account } as never,
      owner: { get: () => ({ keys: [owner], workspace: null }) } as never,
      session: { state: session } as never,
    },
    {
      state: openDocument,
      loadAnswers: () => {
        approvalLoads += 1;
      },
    },
  );
}

function open(documentId: string | null): void {
  openDocument.set({
    document: {
      key: '1',
      name: 'Lake.psd',
      documentId,
      stateId: '1',
      thumbnail: () => Promise.resolve(null),
    },
    upload: { kind: 'not-uploaded' },
    approval: null,
  });
}

/** Begins a session with the document in front, and answers its list. */
async function begin(feedback: readonly object[], scopes = SCOPES): Promise<void> {
  fixture.account.set(accountWith(scopes));
  open('xmp.did:1');
  session.set({ kind: 'signed-in', trouble: null });
  started.feedback.restore(stored);
  (await on(LIST)).respond(200, {}, { feedback });
  await fixture.clock.settle();
}

const entries = (): readonly ShownEntry[] => started.panel.state.documentFeedback.get().entries;
const actions = () => started.panel.context.actions;

async function answer(line: string, status: number, body: object): Promise<void> {
  (await on(line)).respond(status, {}, body);
  await fixture.clock.settle();
}

beforeEach(async () => {
  fixture = await ApiFixture.create();
  owner = 'anna';
  stored = new Map();
  approvalLoads = 0;
  start();
});

describe('feedback on the open document', () => {
  it('has comments and requests for changes, the newest first', async () => {
    await begin([
      { ...COMMENT, id: 'heart', kind: 'favourite' },
      { ...COMMENT, page: 3, reply: { text: 'Yes', by: 'Anna', at: COMMENT.at } },
      {
        ...COMMENT,
        id: 'c2',
        kind: 'changes',
        text: undefined,
        withdrawn: null,
        version: 1,
        is_current: false,
      },
      { ...COMMENT, id: 'c3', kind: 'changes', withdrawn: COMMENT.at },
      { ...COMMENT, id: 'c4', x: 0.5, y: 0.25, done: true, at: '2026-11-28T12:00:01Z' },
      { ...COMMENT, id: '../x' },
    ]);
    const about = { name: 'Lake.jpg', guest: 'Mia', at: Date.parse(COMMENT.at), version: 1 };
    expect(entries()).toEqual([
      expect.objectContaining({
        ...{
          ...about,
          id: 'c4',
          at: about.at + 1000,
          isDone: true,
          place: { spot: { x: 0.5, y: 0.25 } },
        },
        pageUrl: `${BASE}/photos/p1#pin-c4`,
      }),
      expect.objectContaining({ ...about, id: 'c2', kind: 'changes', text: '', isCurrent: false }),
      expect.objectContaining({
        ...{ ...about, id: 'c1', text: 'Too dark', isCurrent: true, isDone: false, reply: 'Yes' },
        ...{ place: { page: 3 }, pageUrl: `${BASE}/photos/p1?page=3#answers` },
      }),
    ]);
  });

  it('is read again within a minute, and stays while the service does not answer', async () => {
    await begin([COMMENT]);
    await fixture.clock.advance(60_000);
    await answer(LIST, 500, {});
    expect(entries()).toHaveLength(1);
    await fixture.clock.advance(60_000);
    await answer(LIST, 200, { feedback: [COMMENT, { ...COMMENT, id: 'c2' }] });
    expect(entries().map(({ id }) => id)).toEqual(['c2', 'c1']);
  });

  it.each([
    [403, { error: 'insufficient_scope' }, true],
    [403, { error: 'forbidden' }, false],
    [404, { error: 'not_found' }, false],
  ])('is not read again after %s %j', async (status, body, needsPermission) => {
    await begin([COMMENT]);
    await fixture.clock.advance(60_000);
    await answer(LIST, status, body);
    expect(started.panel.state.documentFeedback.get()).toMatchObject({
      entries: [],
      needsPermission,
    });
    await fixture.clock.advance(600_000);
    expect(lines()).toEqual([]);
    fixture.account.set(accountWith([...SCOPES, 'workspace:read']));
    await answer(LIST, 200, { feedback: [COMMENT] });
    expect(entries()).toHaveLength(1);
    expect(started.panel.state.documentFeedback.get().needsPermission).toBe(false);
  });

  it('is read again after a refusal, for another document or session', async () => {
    await begin([]);
    await fixture.clock.advance(60_000);
    await answer(LIST, 404, {});
    open('xmp.did:2');
    await answer('GET /api/v1/feedback?document=xmp.did%3A2', 404, {});
    session.set({ kind: 'signed-out' });
    session.set({ kind: 'signed-in', trouble: null });
    await answer('GET /api/v1/feedback?document=xmp.did%3A2', 200, { feedback: [COMMENT] });
    expect(entries()).toHaveLength(1);
  });

  it('has the approvals of the document loaded when one has come or was withdrawn', async () => {
    const approval = { ...COMMENT, id: 'a1', kind: 'approval', withdrawn: null };
    await begin([COMMENT]);
    expect(approvalLoads).toBe(0);
    for (const [list, loads] of [
      [[COMMENT, { ...COMMENT, id: 'c2' }], 0],
      [[COMMENT, approval], 1],
      [[COMMENT, approval], 1],
      [[COMMENT, { ...approval, withdrawn: COMMENT.at }], 2],
    ] as const) {
      await fixture.clock.advance(60_000);
      await answer(LIST, 200, { feedback: list });
      expect(approvalLoads).toBe(loads);
    }
  });

  it('has approvals loaded again that are in the first list of a document', async () => {
    await begin([COMMENT, { ...COMMENT, id: 'a1', kind: 'approval', withdrawn: null }]);
    expect(approvalLoads).toBe(1);
  });

  it('is read page by page', async () => {
    fixture.account.set(accountWith(SCOPES));
    open('xmp.did:1');
    session.set({ kind: 'signed-in', trouble: null });
    const next = '/api/v1/feedback?limit=1&after=1.c1';
    await answer(LIST, 200, { feedback: [COMMENT], next });
    const elsewhere = { next: 'https://elsewhere.example/api/v1/feedback' };
    await answer(`GET ${next}`, 200, { feedback: [{ ...COMMENT, id: 'c2' }], ...elsewhere });
    expect(lines()).toEqual([]);
    expect(entries().map(({ id }) => id)).toEqual(['c2', 'c1']);
  });

  it('is new until it was seen, also after a restart', async () => {
    await begin([COMMENT]);
    expect(started.panel.state.documentFeedback.get().unseen).toBe(1);
    await actions().markFeedbackSeen();
    expect(entries()[0]?.isNew).toBe(false);
    open('xmp.did:2');
    await answer('GET /api/v1/feedback?document=xmp.did%3A2', 200, { feedback: [COMMENT] });
    await actions().markFeedbackSeen();
    session.set({ kind: 'signed-out' });
    start();
    await begin([COMMENT, { ...COMMENT, id: 'c2', at: '2026-11-28T12:30:00Z' }]);
    expect(entries().map(({ id, isNew }) => [id, isNew])).toEqual([
      ['c2', true],
      ['c1', false],
    ]);
  });

  it('is not that of another document or account', async () => {
    await begin([COMMENT]);
    open('xmp.did:2');
    expect(entries()).toEqual([]);
    await answer('GET /api/v1/feedback?document=xmp.did%3A2', 200, { feedback: [COMMENT] });
    expect(entries()).toHaveLength(1);
    owner = 'ben';
    fixture.account.set(accountWith(SCOPES, 'ben'));
    expect(entries()).toEqual([]);
    session.set({ kind: 'signed-out' });
    await fixture.clock.advance(60_000);
    await fixture.clock.settle();
    expect(lines()).toEqual([]);
  });
});

describe('what the user does about a comment', () => {
  it('is shown at once, sent, and stays when the service has it', async () => {
    await begin([COMMENT]);
    void actions().markFeedback('c1', true);
    expect(entries()[0]).toMatchObject({ isDone: true, isWaiting: true });
    await answer('POST /api/v1/feedback/c1/done', 200, { ...COMMENT, done: true });
    expect(entries()[0]).toMatchObject({ isDone: true, isWaiting: false });
    await answer(LIST, 200, { feedback: [{ ...COMMENT, done: true }] });
    void actions().markFeedback('c1', false);
    await answer('POST /api/v1/feedback/c1/reopen', 200, COMMENT);
    expect(entries()[0]).toMatchObject({ isDone: false, isWaiting: false });
  });

  it('is kept without a connection, and sent once after a restart', async () => {
    await begin([COMMENT]);
    await actions().replyToFeedback('c1', 'Of course');
    await actions().markFeedback('c1', true);
    await fixture.clock.settle();
    session.set({ kind: 'signed-out' });
    start();
    await begin([COMMENT]);
    expect(entries()[0]).toMatchObject({ isDone: true, reply: 'Of course', isWaiting: true });
    const reply = await on('POST /api/v1/feedback/c1/reply');
    expect(reply.request.body).toBe('{"text":"Of course"}');
    await answer('POST /api/v1/feedback/c1/reply', 200, COMMENT);
    await answer('POST /api/v1/feedback/c1/done', 200, { ...COMMENT, done: true });
    expect(entries()[0]?.isWaiting).toBe(false);
    session.set({ kind: 'signed-out' });
    start();
    await begin([COMMENT]);
    expect(lines()).toEqual([]);
  });

  it('is sent as it is at last', async () => {
    await begin([COMMENT]);
    await actions().markFeedback('c1', true);
    await fixture.clock.settle();
    await actions().markFeedback('c1', false);
    await answer('POST /api/v1/feedback/c1/done', 200, COMMENT);
    expect(entries()[0]).toMatchObject({ isDone: false, isWaiting: true });
    await answer('POST /api/v1/feedback/c1/reopen', 200, COMMENT);
    expect(entries()[0]).toMatchObject({ isDone: false, isWaiting: false });
  });

  it('waits for the permission', async () => {
    await begin([COMMENT], ['uploads:read']);
    expect(started.panel.state.documentFeedback.get().needsPermission).toBe(false);
    await actions().markFeedback('c1', true);
    await fixture.clock.settle();
    expect(lines()).toEqual([]);
    expect(started.panel.state.documentFeedback.get().needsPermission).toBe(true);
    fixture.account.set(accountWith(SCOPES));
    await answer('POST /api/v1/feedback/c1/done', 200, { ...COMMENT, done: true });
    expect(started.panel.state.documentFeedback.get().needsPermission).toBe(false);
  });

  it('waits for the permission that only the service misses', async () => {
    await begin([COMMENT]);
    await actions().markFeedback('c1', true);
    await answer('POST /api/v1/feedback/c1/done', 403, { error: 'insufficient_scope' });
    expect(started.panel.state.documentFeedback.get().needsPermission).toBe(true);
    expect(entries()[0]?.isWaiting).toBe(true);
  });

  it('ends with a comment that is gone', async () => {
    await begin([COMMENT]);
    await actions().markFeedback('c1', true);
    await answer('POST /api/v1/feedback/c1/done', 404, { error: 'not_found' });
    expect(entries()[0]).toMatchObject({ isDone: false, isWaiting: false });
  });

  it('is not sent for another account', async () => {
    await begin([COMMENT]);
    await actions().replyToFeedback('c1', 'Of course');
    await actions().markFeedback('c1', true);
    await fixture.clock.settle();
    session.set({ kind: 'signed-out' });
    owner = 'ben';
    start();
    await begin([COMMENT]);
    expect(lines()).toEqual([]);
    expect(entries()[0]).toMatchObject({ isDone: false, isWaiting: false });
    await actions().markFeedback('c1', true);
    await answer('POST /api/v1/feedback/c1/done', 200, { ...COMMENT, done: true });
    expect(entries()[0]).toMatchObject({ isDone: true, reply: null, isWaiting: false });
  });

  it.each(['', '[', '{}', '[[1]]', '[["c1",{}]]', '[["c1",null]]'])(
    'ignores %j in storage',
    async (text) => {
      stored.set('feedback-outbox', text);
      stored.set('feedback-seen', text);
      await begin([COMMENT]);
      expect(entries()[0]).toMatchObject({ isDone: false, isNew: true, isWaiting: false });
    },
  );
});

/** The requests on the wire, by their methods and paths. */
function lines(): string[] {
  return fixture.network.open.map(lineOf);
}

function lineOf({ request }: PendingExchange): string {
  return `${request.method} ${request.url.replace(BASE, '')}`;
}

async function on(line: string): Promise<PendingExchange> {
  await fixture.clock.settle();
  const found = fixture.network.open.find((exchange) => lineOf(exchange) === line);
  if (!found) {
    throw new Error(`not on the wire: ${line}; but: ${lines().join(', ')}`);
  }
  return found;
}
