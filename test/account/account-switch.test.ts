import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectedOwner } from '../../src/account/owner.js';
import { AccountSwitch } from '../../src/account/account-switch.js';
import { CurrentAccount } from '../../src/account/current-account.js';
import { RequestQueue } from '../../src/api/request-queue.js';
import { CwError } from '../../src/util/errors.js';
import { randomId } from '../../src/util/random-id.js';
import { Redactor } from '../../src/util/redact.js';
import type { PhotoSource } from '../../src/host/photo-source.js';
import { Revocations } from '../../src/oauth/session/revocations.js';
import { Session } from '../../src/oauth/session/session.js';
import { SECRET_KEYS, writeSession } from '../../src/oauth/session/session-codec.js';
import type { TokenSet } from '../../src/oauth/token-endpoint.js';
import { UploadManager } from '../../src/features/uploads/upload-manager.js';
import { testClient } from '../api/signed-in.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { knownToDo } from '../support/capabilities.js';
import { FakeClock } from '../support/fake-clock.js';
import {
  memoryPhoto,
  memoryRecords,
  memorySecrets,
  memorySpool,
  MemoryStorage,
} from '../support/memory-host.js';
import { rejectionOf } from '../support/outcome.js';
import { seededBytes } from '../support/seeded-random.js';
import { List } from '../features/queue/queue-fixture.js';

const BASE = 'https://service.example';
const ENDPOINT = `${BASE}/api/v1/uploads`;
const LAST_ACCOUNT = 'last-account';

interface Run {
  readonly session: Session;
  readonly account: CurrentAccount;
  readonly uploader: UploadManager;
  readonly list: List;
  readonly change: AccountSwitch;
}

/** The session and the uploads of the plugin over a storage that outlives them, and a service that answers at once. */
class SwitchFixture {
  readonly clock = new FakeClock();
  readonly storage = new MemoryStorage();
  /** Tokens as they were revoked. */
  readonly revoked: string[] = [];
  /** Access tokens that bytes of photos were sent with. */
  readonly senders: string[] = [];
  readonly faults: unknown[] = [];
  /** The service's response for an access token; null if it lacks the endpoint. */
  me: (token: string) => object | 'silent' | null = (token) =>
    meOf(token.includes('ben') ? 'ben' : 'anna', 'w1');
  private network = new Conversation();
  private starts = 0;

  constructor() {
    this.storage.secrets.set(
      SECRET_KEYS.session,
      writeSession(tokens('anna'), { sessionId: 's1' }),
    );
  }

  /** A first start, or a start after a kill. */
  async start(): Promise<Run> {
    const { clock, storage } = this;
    storage.heal();
    this.starts += 1;
    const network = new Conversation();
    this.network = network;
    network.onRequest = (exchange) => {
      if (network === this.network) this.answer(exchange);
    };
    const bytes = seededBytes(this.starts);
    const secrets = memorySecrets(storage);
    const shared = {
      send: network.send,
      client: testClient(BASE),
      secrets,
      clock,
      random: () => 0,
      randomBytes: bytes,
      redactor: new Redactor(),
    };
    const session = new Session({
      ...shared,
      revocations: new Revocations(shared),
      instanceId: `instance-${this.starts}`,
    });
    const queue = new RequestQueue({ send: network.send, session, clock, random: () => 0 });
    const account = new CurrentAccount({ queue, session, secrets, address: `${BASE}/api/v1/me` });
    const records = memoryRecords(storage);
    const spool = memorySpool(storage);
    const newId = (): string => randomId(bytes);
    const list = new List({ records, spool, now: () => clock.now(), newId });
    const uploader = new UploadManager({
      queue: list,
      photoStore: list.store,
      requests: queue,
      records,
      spool,
      clock,
      random: () => 0,
      capabilities: knownToDo(),
      endpoint: ENDPOINT,
      chunkBytes: 10,
      concurrency: 1,
      smallConcurrency: 1,
      detectProblem: () => null,
      account,
      owner: new ConnectedOwner(session, account),
      newId,
    });
    const change = new AccountSwitch({
      session,
      ownership: uploader.ownership,
      onUnexpectedError: (fault) => this.faults.push(fault),
    });
    session.state.subscribe((state) => {
      if (state.kind === 'signed-in') {
        uploader.onSignedIn();
        void account.onSignedIn();
      } else if (state.kind === 'signed-out') {
        void account.clear();
        void uploader.onSignedOut();
      }
    });
    void session.load();
    void uploader.restore();
    await clock.settle();
    return { session, account, uploader, list, change };
  }

  photo(text: string): PhotoSource {
    return memoryPhoto(this.storage, `${text}.jpg`, new Uint8Array(Buffer.from(text)));
  }

  /** The refresh token in storage. */
  get stored(): string {
    const text = this.storage.secrets.get(SECRET_KEYS.session) ?? '{}';
    return (JSON.parse(text) as { refreshToken?: string }).refreshToken ?? 'none';
  }

  /** The last account in storage. */
  get lastAccount(): unknown {
    return JSON.parse(this.storage.records.get(LAST_ACCOUNT) ?? '{}') as unknown;
  }

  private answer(exchange: PendingExchange): void {
    const { request, token } = exchange;
    if (request.url.endsWith('/oauth/revoke')) {
      this.revoked.push(
        /token=([^&]+)/.exec(typeof request.body === 'string' ? request.body : '')?.[1] ?? '',
      );
      exchange.respond(200);
    } else if (request.url.endsWith('/me')) {
      const me = this.me(token ?? '');
      if (me === 'silent') return;
      exchange.respond(me ? 200 : 404, {}, me ?? {});
    } else if (request.method === 'DELETE') {
      exchange.respond(204, { 'Tus-Resumable': '1.0.0' });
    } else {
      // Photos stay on the wire.
      this.senders.push(token ?? '');
    }
  }
}

function meOf(username: string, workspace: string): object {
  return {
    account: { name: username.toUpperCase(), username },
    workspace: { id: workspace, name: 'Studio' },
  };
}

function tokens(who: string): TokenSet {
  return {
    accessToken: `svc_at_${who}`,
    refreshToken: `rt_${who}`,
    obtainedAt: 0,
    expiresAt: null,
  };
}

let fixture: SwitchFixture;

beforeEach(() => {
  fixture = new SwitchFixture();
});

/** Anna is connected, and one photo is on the wire. */
async function uploading(): Promise<Run> {
  const run = await fixture.start();
  await run.uploader.addPhotos([fixture.photo('a')]);
  await fixture.clock.settle();
  expect(fixture.senders).toEqual(['svc_at_anna']);
  return run;
}

async function adopt({ change }: Run, who: string, isAnother = true): Promise<void> {
  const adopting = change.adopt(tokens(who), isAnother);
  await fixture.clock.settle();
  await adopting;
  await fixture.clock.settle();
}

describe('switching to another account', () => {
  it('prompts about waiting photos, sends none before the answer, and replaces the session', async () => {
    const run = await uploading();
    expect(run.account.state.get()?.username).toBe('anna');
    await adopt(run, 'ben');
    expect(run.account.state.get()?.username).toBe('ben');
    expect(run.uploader.state.get().question).toEqual({ photos: 1 });
    expect(fixture.senders).toEqual(['svc_at_anna']);
    expect(fixture.revoked).toEqual(['rt_anna']);
    expect(fixture.stored).toBe('rt_ben');
    await run.uploader.answerQuestion(true);
    await fixture.clock.settle();
    expect(fixture.senders).toEqual(['svc_at_anna', 'svc_at_ben']);
    expect(fixture.faults).toEqual([]);
  });

  it('stores the switch before the new session, and that before the revocation of the old one', async () => {
    const run = await uploading();
    fixture.storage.log.length = 0;
    await adopt(run, 'ben');
    const steps = fixture.storage.log.filter((step) =>
      [
        `records.put ${LAST_ACCOUNT}`,
        `secrets.set ${SECRET_KEYS.session}`,
        `secrets.set ${SECRET_KEYS.revocations}`,
      ].includes(step),
    );
    expect(steps.slice(0, 3)).toEqual([
      `records.put ${LAST_ACCOUNT}`,
      `secrets.set ${SECRET_KEYS.session}`,
      `secrets.set ${SECRET_KEYS.revocations}`,
    ]);
  });

  it('shows no prompt when the account and workspace are the same', async () => {
    const run = await uploading();
    await adopt(run, 'anna-again');
    expect(run.uploader.state.get()).toMatchObject({ question: null, willAsk: false });
    expect(fixture.lastAccount).toMatchObject({ isSwitching: false, next: expect.any(String) });
    expect(fixture.senders).toEqual(['svc_at_anna', 'svc_at_anna-again']);
    expect(fixture.revoked).toEqual(['rt_anna']);
  });

  it.each([
    ['another workspace', (token: string) => meOf('anna', token === 'svc_at_anna' ? 'w1' : 'w2')],
    ['an account of the same workspace', (token: string) => meOf(token, 'w1')],
    ['of an unknown account', () => null],
    ['an answer that is none', () => ({ account: 'anna' })],
    [
      'no answer in time',
      (token: string) => (token === 'svc_at_anna' ? meOf('anna', 'w1') : 'silent'),
    ],
  ] as const)('prompts when the account is %s', async (_case, me) => {
    fixture.me = me;
    const run = await uploading();
    await adopt(run, 'anna-again');
    await fixture.clock.advance(5_000);
    expect(run.uploader.state.get().question).toEqual({ photos: 1 });
    expect(fixture.senders).toEqual(['svc_at_anna']);
  });

  it('prompts at once when the old account was unknown', async () => {
    fixture.me = (token) => (token === 'svc_at_anna' ? { account: 'nobody' } : 'silent');
    const run = await uploading();
    await adopt(run, 'anna-again');
    expect(fixture.clock.elapsed).toBe(0);
    expect(run.uploader.state.get().question).toEqual({ photos: 1 });
  });

  it.each([
    ['the list', 'records.put', 'CW-702'],
    ['secure storage', 'secrets.set', 'CW-701'],
  ] as const)(
    'keeps the old session and revokes the new tokens when %s refuses',
    async (_what, operation, code) => {
      const run = await uploading();
      fixture.storage.fail(operation, new CwError(code, 'refused'));
      const rejection = rejectionOf(run.change.adopt(tokens('ben'), true));
      await fixture.clock.settle();
      expect(await rejection).toMatchObject({ code });
      fixture.storage.heal();
      await fixture.clock.settle();
      expect(fixture.stored).toBe('rt_anna');
      expect(fixture.revoked).toEqual(['rt_ben']);
      expect(fixture.senders).toEqual(['svc_at_anna', 'svc_at_anna']);
      expect(run.uploader.state.get()).toMatchObject({ question: null, willAsk: false });
      expect(fixture.lastAccount).toMatchObject({ isSwitching: false });
      expect(run.account.state.get()?.username).toBe('anna');
    },
  );

  it('prompts about photos that were being added during the switch', async () => {
    const run = await uploading();
    let letGo = (): void => undefined;
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const slow = fixture.photo('slow');
    void run.uploader.addPhotos([
      { ...slow, copyToSpool: (id) => free.then(() => slow.copyToSpool(id)) },
    ]);
    await adopt(run, 'ben');
    letGo();
    await fixture.clock.settle();
    expect(run.uploader.state.get().question).toEqual({ photos: 2 });
    expect(fixture.senders).toEqual(['svc_at_anna']);
  });

  it('keeps an open prompt, also when the account is the same', async () => {
    const run = await uploading();
    await adopt(run, 'ben');
    await run.uploader.addPhotos([fixture.photo('of Ben')]);
    await adopt(run, 'ben-again');
    await fixture.clock.settle();
    // Of Anna's photo alone: the other one is Ben's own.
    expect(run.uploader.state.get().question).toEqual({ photos: 1 });
    expect(fixture.senders).toEqual(['svc_at_anna']);
  });

  it('hides uploaded photos, and restores removed ones only after a prompt', async () => {
    const run = await uploading();
    const [item] = run.list.slice(0, 1);
    await run.uploader.remove(item?.record.id ?? '');
    await adopt(run, 'ben');
    await run.uploader.undoRemoval();
    await fixture.clock.settle();
    expect(run.uploader.state.get().question).toEqual({ photos: 1 });
    expect(fixture.senders).toEqual(['svc_at_anna']);
  });

  // One more than there are changes of storage: the last kill comes after all of them.
  it.each(Array.from({ length: 9 }, (_, steps) => steps + 1))(
    'sends nothing without an answer and leaves no session after a kill at storage change %d',
    async (steps) => {
      const run = await uploading();
      fixture.storage.dieAfter(steps);
      void run.change.adopt(tokens('ben'), true);
      await fixture.clock.settle();
      fixture.senders.length = 0;

      const next = await fixture.start();
      await fixture.clock.advance(60_000);
      const isBens = fixture.stored === 'rt_ben';
      // Anna may continue with her own photo if her session is still in use.
      expect(next.uploader.state.get().question).toEqual(isBens ? { photos: 1 } : null);
      expect(fixture.senders).toEqual(isBens ? [] : ['svc_at_anna']);
      expect(fixture.revoked.includes('rt_anna')).toBe(isBens);
      expect(fixture.revoked).not.toContain(fixture.stored);
      expect(next.account.state.get()?.username).toBe(isBens ? 'ben' : 'anna');
    },
  );
});

describe('a first sign-in', () => {
  it('shows no prompt and revokes nothing', async () => {
    fixture.storage.secrets.clear();
    const run = await fixture.start();
    await adopt(run, 'anna', false);
    await run.uploader.addPhotos([fixture.photo('a')]);
    await fixture.clock.settle();
    expect(fixture.senders).toEqual(['svc_at_anna']);
    expect(fixture.revoked).toEqual([]);
  });
});
