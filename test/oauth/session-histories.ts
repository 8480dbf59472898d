import fc from 'fast-check';
import { CwError } from '../../src/base/errors.js';
import { Redactor } from '../../src/base/redact.js';
import type { SendHttp } from '../../src/host/http.js';
import type { OAuthClient } from '../../src/oauth/client.js';
import { Revocations } from '../../src/oauth/revocations.js';
import { Session } from '../../src/oauth/session.js';
import { SECRET_KEYS, writeSession } from '../../src/oauth/stored-tokens.js';
import type { TokenSet } from '../../src/oauth/token-endpoint.js';
import type { FakeClock } from '../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../support/memory-host.js';

/**
 * Random histories of one sign-in: what callers, the clock, the network and restarts do to a session.
 * A refresh answer that the service has committed and the network then loses is not among them: with
 * rotation and reuse detection nothing on the client's side can save that grant (docs/protocol.md).
 */
export type Step =
  /** Callers of the running copy, all at once; `refused` of them are answered 401. */
  | { readonly kind: 'requests'; readonly count: number; readonly refused: number }
  | { readonly kind: 'pass'; readonly ms: number }
  /** The access token's time runs out. */
  | { readonly kind: 'expire' }
  /** The next so many refreshes fail before the service has seen them. */
  | { readonly kind: 'trouble'; readonly times: number; readonly how: Trouble }
  /** A new copy takes the calls; the old one goes on with what it has begun. */
  | { readonly kind: 'reload' }
  /** The old copy is called once more, though a newer one runs. */
  | { readonly kind: 'old-copy-request' }
  | { readonly kind: 'jump'; readonly ms: number };

export type Trouble = 'cut' | '503' | '429' | 'silence' | 'page';

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('requests' as const),
      count: fc.integer({ min: 1, max: 8 }),
      refused: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 0, max: 3_000 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'expire' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('trouble' as const),
      times: fc.integer({ min: 1, max: 3 }),
      how: fc.constantFrom<Trouble>('cut', '503', '429', 'silence', 'page'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'reload' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'old-copy-request' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('jump' as const),
      ms: fc.integer({ min: -600_000, max: 600_000 }),
    }),
  },
);

export const history = fc.array(step, { minLength: 3, maxLength: 18 });

/** The service's half: the token endpoint, and how time passes while it is asked. */
export interface Peer {
  readonly client: OAuthClient;
  readonly clock: FakeClock;
  /** Sends to the service; must consume the refresh token and answer, or not reach it at all. */
  readonly send: SendHttp;
  /** Tokens to begin with. */
  begin(): TokenSet;
  /** Lets `ms` pass on the clock, with everything on the wire going on meanwhile. */
  pass(ms: number): Promise<void>;
}

export interface HistoryFigures {
  readonly requests: number;
  readonly refreshes: number;
}

interface Copy {
  readonly session: Session;
  /** When each token this copy has handed out was obtained: it must never go back to an older one. */
  newest: number;
}

/** Runs one history. @throws Error naming the law that was broken */
export async function runHistory(peer: Peer, steps: readonly Step[]): Promise<HistoryFigures> {
  const { clock, client } = peer;
  const storage = new MemoryStorage();
  const tokens = peer.begin();
  storage.secrets.set(SECRET_KEYS.session, writeSession(tokens));

  const broken: string[] = [];
  const figures = { requests: 0, refreshes: 0 };
  let refreshesOpen = 0;
  let troubles: Trouble[] = [];

  const send: SendHttp = async (request, signal) => {
    figures.refreshes += 1;
    refreshesOpen += 1;
    if (refreshesOpen > 1) broken.push('two refreshes in flight');
    try {
      const trouble = troubles.shift();
      if (trouble !== undefined) return await fail(trouble, clock);
      const response = await peer.send(request, signal);
      if (response.status === 400 && response.text.includes('invalid_grant'))
        broken.push('the service took a refresh for theft');
      return response;
    } finally {
      refreshesOpen -= 1;
    }
  };

  let copies = 0;
  const open = async (): Promise<Copy> => {
    copies += 1;
    const shared = {
      send,
      client,
      secrets: memorySecrets(storage),
      clock,
      random: () => 0.5,
      redactor: new Redactor(),
    };
    const session = new Session({
      ...shared,
      revocations: new Revocations(shared),
      copyId: `copy-${copies}`,
    });
    await session.load();
    return { session, newest: 0 };
  };

  const work: Promise<void>[] = [];
  const call = (copy: Copy, isRefused: boolean): void => {
    const request = async (): Promise<void> => {
      const token = await copy.session.accessToken();
      use(copy, token);
      if (!isRefused) return;
      await copy.session.rejected(token);
      use(copy, await copy.session.accessToken());
    };
    work.push(
      request().catch((error: unknown) => {
        // Passing trouble is an answer; the end of the session is what must never happen.
        if (!(error instanceof CwError) || !['CW-301', 'CW-302', 'CW-303'].includes(error.code))
          broken.push(`a caller got ${String(error)}`);
      }),
    );
  };
  const use = (copy: Copy, token: string): void => {
    figures.requests += 1;
    const stored = JSON.parse(
      storage.secrets.get(SECRET_KEYS.session) ?? '{}',
    ) as Partial<TokenSet>;
    const known = issued.get(token);
    const entry = stored.accessToken === token ? stored : known;
    if (!entry) {
      broken.push('a token was used that storage had never held');
      return;
    }
    const obtainedAt = entry.obtainedAt ?? 0;
    issued.set(token, { obtainedAt, expiresAt: entry.expiresAt ?? null });
    if ((entry.expiresAt ?? Infinity) <= clock.now()) broken.push('an expired token was sent');
    if (obtainedAt < copy.newest && !jumped) broken.push('a superseded token was sent');
    copy.newest = Math.max(copy.newest, obtainedAt);
  };
  const issued = new Map<string, { obtainedAt: number; expiresAt: number | null }>();
  issued.set(tokens.accessToken, tokens);
  let jumped = false;

  let current = await open();
  let old: Copy | null = null;
  for (const each of steps) {
    switch (each.kind) {
      case 'requests':
        for (let index = 0; index < each.count; index += 1) call(current, index < each.refused);
        break;
      case 'pass':
        await peer.pass(each.ms);
        break;
      case 'expire':
        await peer.pass(LIFETIME_MS);
        break;
      case 'trouble':
        troubles = Array.from({ length: each.times }, () => each.how);
        break;
      case 'reload':
        old = current;
        current = await open();
        break;
      case 'old-copy-request':
        if (old) call(old, false);
        break;
      case 'jump':
        // Not between a token's being handed out and its being sent, which is one instant.
        await peer.pass(0);
        jumped = true;
        clock.jumpWall(each.ms);
        break;
    }
    if (broken.length > 0) break;
  }

  // Whatever happened, the session goes on by itself once the troubles are over.
  troubles = [];
  await peer.pass(120_000);
  await Promise.all(work);
  const answers: string[] = [];
  const last = current.session.accessToken().then(
    (token) => {
      answers.push(token);
      use(current, token);
    },
    (error: unknown) => broken.push(`the session does not go on: ${String(error)}`),
  );
  await peer.pass(60_000);
  await last;
  if (answers.length !== 1) broken.push('the last caller got no token');
  if (broken.length > 0) throw new Error([...new Set(broken)].join('; '));
  return figures;
}

/** How long the peer's access tokens live, in milliseconds. */
export const LIFETIME_MS = 30_000;

async function fail(trouble: Trouble, clock: FakeClock): ReturnType<SendHttp> {
  const answer = (status: number, text: string): Awaited<ReturnType<SendHttp>> => ({
    status,
    text,
    header: () => null,
  });
  await new Promise<void>((resolve) => {
    clock.startTimer(trouble === 'silence' ? 10_000 : 40, resolve);
  });
  switch (trouble) {
    case 'cut':
      throw new CwError('CW-301', 'cut');
    case 'silence':
      throw new CwError('CW-302', 'silence');
    case '503':
      return answer(503, '');
    case '429':
      return answer(429, '');
    case 'page':
      return answer(200, '<html>');
  }
}
