import { beforeEach, describe, expect, it } from '@jest/globals';
import { CurrentAccount, type Account } from '../../src/account/current-account.js';
import { RequestQueue } from '../../src/api/request-queue.js';
import { CwError } from '../../src/util/errors.js';
import type { Session } from '../../src/oauth/session/session.js';
import { SECRET_KEYS } from '../../src/oauth/session/session-codec.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { FakeClock } from '../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../support/memory-host.js';
import { signedInSession, testClient } from '../api/signed-in.js';

const BASE = 'https://service.example';
const ANSWER = {
  account: { name: 'Anna Keller', username: 'anna' },
  workspace: { id: 'w1', name: 'Studio' },
  client: null,
  scopes: ['uploads:write'],
};
const ANNA: Account = {
  name: 'Anna Keller',
  username: 'anna',
  workspace: ANSWER.workspace,
  scopes: ANSWER.scopes,
};

let clock: FakeClock;
let storage: MemoryStorage;
let network: Conversation;
let session: Session;
let queue: RequestQueue;
let account: CurrentAccount;

beforeEach(async () => {
  clock = new FakeClock();
  storage = new MemoryStorage();
  network = new Conversation();
  session = await signedInSession({
    send: network.send,
    client: testClient(BASE),
    clock,
    secrets: memorySecrets(storage),
  });
  queue = new RequestQueue({ send: network.send, session, clock, random: () => 0 });
  account = nextRun();
});

/** The objects of the next start, on the same storage and session. */
function nextRun(secrets = memorySecrets(storage)): CurrentAccount {
  return new CurrentAccount({ queue, session, secrets, address: `${BASE}/api/v1/me` });
}

/** Requests the account, and returns the request on the wire. */
async function asked(info = account): Promise<PendingExchange> {
  void info.onSignedIn();
  await clock.settle();
  return network.only;
}

async function told(body: object | string, status = 200, info = account): Promise<Account | null> {
  (await asked(info)).respond(status, {}, body);
  await clock.settle();
  return info.state.get();
}

describe('the account of the session', () => {
  it('is requested with the access token', async () => {
    const exchange = await asked();
    expect(exchange).toMatchObject({
      token: 'svc_at_1',
      request: { method: 'GET', url: `${BASE}/api/v1/me` },
    });
    exchange.respond(200, {}, ANSWER);
    await clock.settle();
    expect(account.state.get()).toEqual(ANNA);
  });

  it.each([
    ['the user name where there is no other', { account: { name: '', username: 'anna' } }, 'anna'],
    [
      'one line without anything that turns it round',
      { account: { name: ' Anna\u202e\n\u0007 \u2066Keller\ufeff ', username: 'anna' } },
      'Anna Keller',
    ],
    [
      'whole where signs are made of several',
      { account: { name: '👨‍👩‍👧‍👦 ليلى', username: 'anna' } },
      '👨‍👩‍👧‍👦 ليلى',
    ],
    ['markup as it is', { account: { name: '<b>A</b>', username: 'anna' } }, '<b>A</b>'],
  ])('is shown as %s', async (_case, change, name) => {
    expect((await told({ ...ANSWER, ...change }))?.name).toBe(name);
  });

  it.each([
    ['no JSON', 'Anna'],
    ['no object', '[]'],
    ['an account that is none', { ...ANSWER, account: 'anna' }],
    ['no user name', { ...ANSWER, account: { name: 'Anna' } }],
    ['a user name of signs that are not seen', { ...ANSWER, account: { username: '\u202e\n' } }],
    ['a user name that is too long', { ...ANSWER, account: { username: 'a'.repeat(201) } }],
    ['no workspace', { ...ANSWER, workspace: null }],
    ['a workspace without an id', { ...ANSWER, workspace: { name: 'Studio' } }],
    ['a workspace without a name', { ...ANSWER, workspace: { id: 'w1', name: 7 } }],
  ])('stays unknown when the answer has %s', async (_case, body) => {
    expect(await told(body)).toBeNull();
    expect(storage.secrets.has(SECRET_KEYS.account)).toBe(false);
  });

  it.each([
    ['no list', { ...ANSWER, scopes: 'uploads:write' }],
    ['no text', { ...ANSWER, scopes: ['uploads:write', 7] }],
    ['a scope that cannot be requested', { ...ANSWER, scopes: ['uploads:write x'] }],
    ['too many scopes', { ...ANSWER, scopes: Array.from({ length: 51 }, () => 'x') }],
  ])('has unknown scopes when the answer has %s', async (_case, body) => {
    expect(await told(body)).toEqual({ ...ANNA, scopes: null });
  });

  it.each([401, 403, 404, 429, 500, 503])(
    'stays unknown after a %d, without a refresh, a wait or an error',
    async (status) => {
      expect(await told(ANSWER, status)).toBeNull();
      expect(queue.state.get()).toEqual({ kind: 'closed' });
      expect(network.open).toEqual([]);
      expect(session.state.get()).toEqual({ kind: 'signed-in', trouble: null });
    },
  );

  it('stays unknown without a connection, and delays nothing', async () => {
    (await asked()).fail(new CwError('CW-301', 'no connection'));
    await clock.settle();
    expect(account.state.get()).toBeNull();
    expect(queue.state.get()).toEqual({ kind: 'closed' });
  });

  it('uses no upload slot, and waits while uploads wait', async () => {
    const upload = (): void => {
      void queue.send({ method: 'POST', url: BASE, headers: {}, repeatable: true });
    };
    for (let count = 0; count < 3; count += 1) upload();
    await clock.settle();
    void account.onRefreshed();
    await clock.settle();
    expect(network.open).toHaveLength(4);
    for (const exchange of network.open)
      exchange.respond(exchange.request.url === BASE ? 503 : 500);
    await clock.settle();
    void account.onRefreshed();
    await clock.settle();
    expect(network.open.filter(({ request }) => request.url.endsWith('/me'))).toEqual([]);
    await clock.advance(2_000);
    for (const exchange of [...network.open]) exchange.respond(200);
    await clock.settle();
    expect(network.open.some(({ request }) => request.url.endsWith('/me'))).toBe(true);
  });

  it('is restored at the next start, and requested again', async () => {
    await told(ANSWER);
    const next = nextRun();
    const exchange = await asked(next);
    expect(next.state.get()).toEqual(ANNA);
    exchange.respond(200, {}, { ...ANSWER, workspace: { id: 'w1', name: 'Studio Keller' } });
    await clock.settle();
    expect(next.state.get()?.workspace.name).toBe('Studio Keller');
  });

  it.each([
    ['of another session', (text: string) => text.replace(/"sessionId":"\w+"/, '"sessionId":"x"')],
    ['cut short', (text: string) => text.slice(0, -2)],
    ['of another version', (text: string) => text.replace('"version":1', '"version":2')],
  ])('is unknown at a start when the stored account is %s', async (_case, change) => {
    await told(ANSWER);
    storage.secrets.set(
      SECRET_KEYS.account,
      change(storage.secrets.get(SECRET_KEYS.account) ?? ''),
    );
    const next = nextRun();
    await asked(next);
    expect(next.state.get()).toBeNull();
  });

  describe('when the stored account is read late', () => {
    let letGo: () => void;
    let next: CurrentAccount;

    beforeEach(async () => {
      await told(ANSWER);
      const secrets = memorySecrets(storage);
      const free = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const isRead = new Set<string>();
      // The first response is slow, and has the state at the time of its request.
      next = nextRun({
        ...secrets,
        get: async (key) => {
          const text = await secrets.get(key);
          if (!isRead.has(key)) {
            isRead.add(key);
            await free;
          }
          return text;
        },
      });
      void next.onSignedIn();
      await clock.settle();
    });

    it('is used', async () => {
      expect(next.state.get()).toBeNull();
      letGo();
      await clock.settle();
      expect(next.state.get()).toEqual(ANNA);
    });

    it('is not used for another session', async () => {
      await session.adopt({
        accessToken: 'svc_at_2',
        refreshToken: 'rt_2',
        obtainedAt: 0,
        expiresAt: null,
      });
      void next.onSignedIn();
      await clock.settle();
      letGo();
      await clock.settle();
      expect(next.state.get()).toBeNull();
    });

    it('is replaced by the response of the service', async () => {
      void next.onRefreshed();
      await clock.settle();
      network.only.respond(200, {}, { ...ANSWER, workspace: { id: 'w2', name: 'Other studio' } });
      await clock.settle();
      letGo();
      await clock.settle();
      expect(next.state.get()?.workspace.name).toBe('Other studio');
    });
  });

  it('is requested once in a run and after each refresh, one at a time', async () => {
    const first = await asked();
    void account.onSignedIn();
    void account.onRefreshed();
    void account.onRefreshed();
    await clock.settle();
    expect(network.exchanges).toHaveLength(1);
    first.respond(200, {}, ANSWER);
    await clock.settle();
    expect(network.exchanges).toHaveLength(2);
    network.only.respond(200, {}, ANSWER);
    await account.onSignedIn();
    expect(network.exchanges).toHaveLength(2);
  });

  it('is not requested again from a service without the endpoint, except after a refresh', async () => {
    await told({ error: 'not_found' }, 404);
    await session.adopt({
      accessToken: 'svc_at_2',
      refreshToken: 'rt_2',
      obtainedAt: 0,
      expiresAt: null,
    });
    await clock.settle();
    const before = network.exchanges.length;
    await account.onSignedIn();
    expect(network.exchanges).toHaveLength(before);
    void account.onRefreshed();
    await clock.settle();
    expect(network.exchanges.at(-1)?.token).toBe('svc_at_2');
  });

  it('is requested again after a 404 that is not from the service', async () => {
    await told({}, 404);
    const before = network.exchanges.length;
    await session.adopt({
      accessToken: 'svc_at_2',
      refreshToken: 'rt_2',
      obtainedAt: 0,
      expiresAt: null,
    });
    void account.onSignedIn();
    await clock.settle();
    expect(network.exchanges.length).toBeGreaterThan(before);
  });

  it('is deleted with the session, in memory and in storage, and ignores a later response', async () => {
    await told(ANSWER);
    void account.onRefreshed();
    await clock.settle();
    const late = network.only;
    await session.disconnect();
    await account.clear();
    late.respond(200, {}, ANSWER);
    await clock.settle();
    expect(account.state.get()).toBeNull();
    expect(storage.secrets.has(SECRET_KEYS.account)).toBe(false);
  });

  it('ignores a response to the previous session', async () => {
    const late = await asked();
    await session.adopt({
      accessToken: 'svc_at_2',
      refreshToken: 'rt_2',
      obtainedAt: 0,
      expiresAt: null,
    });
    void account.onSignedIn();
    await clock.settle();
    late.respond(200, {}, ANSWER);
    await clock.settle();
    expect(account.state.get()).toBeNull();
    const ben = { account: { name: 'Ben', username: 'ben' }, workspace: ANSWER.workspace };
    network.open.find(({ request }) => request.url.endsWith('/me'))?.respond(200, {}, ben);
    await clock.settle();
    expect(account.state.get()?.name).toBe('Ben');
  });
});
