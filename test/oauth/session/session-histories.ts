import { CwError } from '../../../src/util/errors.js';
import { Redactor } from '../../../src/util/redact.js';
import type { SendHttp } from '../../../src/host/http.js';
import type { OAuthClient } from '../../../src/oauth/client.js';
import { Revocations } from '../../../src/oauth/session/revocations.js';
import { Session } from '../../../src/oauth/session/session.js';
import { SECRET_KEYS, writeSession } from '../../../src/oauth/session/session-codec.js';
import type { TokenSet } from '../../../src/oauth/token-endpoint.js';
import type { FakeClock } from '../../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../../support/memory-host.js';
import { seededBytes } from '../../support/seeded-random.js';
import type { Step, Trouble } from './history-steps.js';

/** The service: the token endpoint, and the time that passes during a request. */
export interface Peer {
  readonly client: OAuthClient;
  readonly clock: FakeClock;
  /** Sends to the service; must consume the refresh token and answer, or not reach it at all. */
  readonly send: SendHttp;
  /** Tokens to begin with. */
  begin(): TokenSet;
  /** Sends an access token to the data API and returns whether it is accepted. */
  use(accessToken: string): Promise<boolean>;
  /** Advances the clock by `ms`, while requests continue. */
  pass(ms: number): Promise<void>;
}

export interface HistoryFigures {
  readonly requests: number;
  readonly refreshes: number;
}

/** One running instance of the plugin. */
interface Instance {
  readonly session: Session;
  /** When each token this instance has handed out was obtained: it must never go back to an older one. */
  newest: number;
  /** Calls of this instance that are not over. An instance that was killed never ends them. */
  work: Promise<void>[];
  refreshesOpen: number;
  /** Steps of storage and network until it dies. */
  stepsLeft: number;
}

/** Runs one history. @throws Error naming the law that was broken */
export async function runHistory(peer: Peer, steps: readonly Step[]): Promise<HistoryFigures> {
  const run = new HistoryRun(peer);
  await run.start();
  for (const step of steps) {
    await run.take(step);
    if (run.isBroken) break;
  }
  return run.finish();
}

export class HistoryRun {
  private readonly storage = new MemoryStorage();
  /** All that the record of the session has ever been in storage. */
  readonly records: string[] = [];
  private readonly broken: string[] = [];
  private readonly figures = { requests: 0, refreshes: 0 };
  private readonly issued = new Map<string, { obtainedAt: number; expiresAt: number | null }>();
  private troubles: (Trouble | 'lost')[] = [];
  private duplicates: number[] = [];
  /** Requests that a proxy still delays. */
  private delayed: (() => Promise<void>)[] = [];
  private refreshesOpen = 0;
  private instances = 0;
  private jumped = false;
  /** Two instances were given tokens for the same refresh: their order is unknown. */
  private overlapped = false;
  private current: Instance | null = null;
  private old: Instance | null = null;

  constructor(private readonly peer: Peer) {}

  get isBroken(): boolean {
    return this.broken.length > 0;
  }

  async start(): Promise<void> {
    const tokens = this.peer.begin();
    this.issued.set(tokens.accessToken, tokens);
    this.storage.secrets.set(SECRET_KEYS.session, writeSession(tokens));
    this.records.push(writeSession(tokens));
    this.current = await this.open();
  }

  async take(step: Step): Promise<void> {
    const { peer, current } = this;
    if (current === null) throw new Error('not started');
    switch (step.kind) {
      case 'requests':
        for (let index = 0; index < step.count; index += 1)
          this.call(current, index < step.refused);
        break;
      case 'pass':
        await peer.pass(step.ms);
        break;
      case 'expire':
        await peer.pass(LIFETIME_MS);
        break;
      case 'trouble':
        this.troubles = Array.from({ length: step.times }, () => step.how);
        break;
      case 'lost':
        this.troubles = Array.from({ length: step.times }, () => 'lost' as const);
        break;
      case 'duplicate':
        this.duplicates.push(step.ms);
        break;
      case 'reload':
        this.old = current;
        this.current = await this.open();
        break;
      case 'kill':
        current.stepsLeft = step.after;
        await peer.pass(LIFETIME_MS / 2);
        current.stepsLeft = 0;
        this.current = await this.open();
        break;
      case 'old-instance-request':
        if (this.old) this.call(this.old, false);
        break;
      case 'jump':
        // Not between a token's being handed out and its being sent, which is one instant.
        await peer.pass(0);
        this.jumped = true;
        peer.clock.jumpWall(step.ms);
        break;
    }
  }

  /** The session must continue automatically after the faults. */
  async finish(): Promise<HistoryFigures> {
    const { peer, broken } = this;
    this.troubles = [];
    await peer.pass(120_000);
    const last = this.current;
    if (last === null) throw new Error('not started');
    const living = [last, ...(this.old !== null && this.old.stepsLeft > 0 ? [this.old] : [])];
    for (const instance of living) {
      const work: { isOver: boolean } = { isOver: false };
      void Promise.all(instance.work).then(() => (work.isOver = true));
      for (let tries = 0; tries < 20 && !work.isOver; tries += 1) await peer.pass(15_000);
      if (!work.isOver) broken.push('a caller waits for ever');
    }
    const before = this.figures.requests;
    this.call(last, false);
    for (let tries = 0; tries < 8 && this.figures.requests === before; tries += 1)
      await peer.pass(15_000);
    if (this.figures.requests === before) broken.push('the last caller got no token');
    if (broken.length > 0) throw new Error([...new Set(broken)].join('; '));
    return this.figures;
  }

  /** The user works on after a while. Gives whether the session still does. */
  async worksOn(): Promise<boolean> {
    const { current, peer } = this;
    if (current === null) throw new Error('not started');
    await peer.pass(LIFETIME_MS);
    const tryOnce = async (): Promise<boolean> => {
      const token = await current.session.accessToken();
      if (await peer.use(token)) return true;
      await current.session.rejected(token);
      return peer.use(await current.session.accessToken());
    };
    const outcome: { works: boolean | null } = { works: null };
    void tryOnce()
      .catch(() => false)
      .then((works) => (outcome.works = works));
    for (let tries = 0; tries < 20 && outcome.works === null; tries += 1) await peer.pass(5_000);
    return outcome.works === true;
  }

  private async open(): Promise<Instance> {
    const { peer, storage } = this;
    this.instances += 1;
    const kept = memorySecrets(storage);
    const alive = <T>(work: () => Promise<T>): Promise<T> => this.whileAlive(instance, work);
    const shared = {
      send: ((request, signal) => this.send(instance, request, signal)) satisfies SendHttp,
      client: peer.client,
      secrets: {
        get: (key: string) => alive(() => kept.get(key)),
        set: (key: string, value: string) =>
          alive(() => {
            if (key === SECRET_KEYS.session) this.records.push(value);
            return kept.set(key, value);
          }),
        remove: (key: string) => alive(() => kept.remove(key)),
      },
      clock: peer.clock,
      random: () => 0.5,
      randomBytes: seededBytes(this.instances),
      redactor: new Redactor(),
    };
    const session: Session = new Session({
      ...shared,
      revocations: new Revocations(shared),
      instanceId: `instance-${this.instances}`,
      onRefreshed: () => {
        this.call(instance, false);
      },
    });
    const instance: Instance = {
      session,
      newest: 0,
      work: [],
      refreshesOpen: 0,
      stepsLeft: Infinity,
    };
    await session.load();
    return instance;
  }

  /** Does a step unless the instance is dead; the answer to a step in which it dies never comes. */
  private async whileAlive<T>(instance: Instance, work: () => Promise<T>): Promise<T> {
    if (instance.stepsLeft <= 0) return new Promise(() => undefined);
    instance.stepsLeft -= 1;
    const result = await work();
    return instance.stepsLeft <= 0 ? new Promise(() => undefined) : result;
  }

  private send(
    instance: Instance,
    ...[request, signal]: Parameters<SendHttp>
  ): ReturnType<SendHttp> {
    return this.whileAlive(instance, async () => {
      const { peer, broken, figures } = this;
      figures.refreshes += 1;
      this.refreshesOpen += 1;
      instance.refreshesOpen += 1;
      if (instance.refreshesOpen > 1) broken.push('two refreshes of one instance in flight');
      if (this.refreshesOpen > 1) this.overlapped = true;
      try {
        // Requests of one token stay in their order on the way.
        for (const deliver of this.delayed.splice(0)) await deliver();
        const trouble = this.troubles.shift();
        if (trouble !== undefined && trouble !== 'lost') return await fail(trouble, peer.clock);
        const answered = peer.send(request, signal);
        this.repeat(() => peer.send(request));
        const response = await answered;
        if (trouble === 'lost') return await fail('cut', peer.clock);
        return response;
      } finally {
        this.refreshesOpen -= 1;
        instance.refreshesOpen -= 1;
      }
    });
  }

  /** A proxy that repeats a request after a lost response. */
  private repeat(send: () => ReturnType<SendHttp>): void {
    const ms = this.duplicates.shift();
    if (ms === undefined) return;
    let isDone = false;
    const deliver = async (): Promise<void> => {
      if (isDone) return;
      isDone = true;
      await send().catch(() => undefined);
    };
    if (ms === 0) {
      void deliver();
      return;
    }
    this.delayed.push(deliver);
    this.peer.clock.startTimer(ms, () => void deliver());
  }

  private call(instance: Instance, isRefused: boolean): void {
    const request = async (): Promise<void> => {
      let refuse = isRefused;
      for (let tries = 0; tries < 4; tries += 1) {
        const token = await instance.session.accessToken();
        if ((await this.use(instance, token)) && !refuse) return;
        refuse = false;
        await instance.session.rejected(token);
      }
    };
    instance.work.push(
      request().catch((error: unknown) => {
        // A transient error is allowed; the end of the session is not.
        if (!(error instanceof CwError) || !['CW-301', 'CW-302', 'CW-303'].includes(error.code))
          this.broken.push(`a caller got ${String(error)}`);
      }),
    );
  }

  private async use(instance: Instance, token: string): Promise<boolean> {
    const { storage, issued, broken, peer } = this;
    if (instance.stepsLeft <= 0) return new Promise(() => undefined);
    this.figures.requests += 1;
    const text = storage.secrets.get(SECRET_KEYS.session) ?? '{}';
    const stored = JSON.parse(text) as Partial<TokenSet>;
    const entry = stored.accessToken === token ? stored : issued.get(token);
    if (!entry) {
      broken.push('a token was used that storage had never held');
      return true;
    }
    const obtainedAt = entry.obtainedAt ?? 0;
    issued.set(token, { obtainedAt, expiresAt: entry.expiresAt ?? null });
    if ((entry.expiresAt ?? Infinity) <= peer.clock.now()) broken.push('an expired token was sent');
    if (obtainedAt < instance.newest && !this.jumped && !this.overlapped)
      broken.push('a superseded token was sent');
    instance.newest = Math.max(instance.newest, obtainedAt);
    return peer.use(token);
  }
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
