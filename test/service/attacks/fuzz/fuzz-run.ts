import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LogLine } from '../../../../service/start.js';
import { PLAIN_CLIENTS } from '../../support/plain-clients.js';
import { startTestService } from '../../support/running-service.js';
import type { TestService } from '../../support/running-service.js';
import { Chance } from './chance.js';
import type { FuzzRequest } from './fuzz-request.js';
import { toWire } from './fuzz-request.js';
import { growthProblems, measureSize } from './growth.js';
import type { Size } from './growth.js';
import { makeRequest } from './mutations.js';
import { problemsOf } from './oracles.js';
import { UsersUnderAttack } from './users-under-attack.js';
import { exchange } from './raw-http.js';
import { VALID_REQUESTS } from './valid-requests.js';

/** The longest time that a control request may take during an attack, in milliseconds. Far more than on a busy machine. */
const CONTROL_LIMIT_MS = 30_000;
const CONTROL_PAUSE_MS = 100;
/** After so many requests the attacker gets new codes, tokens and pages. */
const RENEW_EVERY = 250;
/** The maximum of renewals: each begins sign-ins of one user, of which the service allows 300 in 15 minutes. */
const MAX_RENEWALS = 50;
/** Requests that are held open for seconds, next to the ordinary connections. */
const HELD_AT_ONCE = 16;
/** Allowed growth of the heap by the run, in bytes: pools and caches. */
const HEAP_ROOM = 48 * 1024 * 1024;

/**
 * What a run with held requests begins with: the body of a form, not all of it, at each place, and at the
 * token endpoint more of them than a pool has connections to PostgreSQL.
 */
const HELD_FIRST: readonly FuzzRequest[] = [
  ...Array<string>(12).fill('/api/oauth/token'),
  '/api/oauth/device_authorization',
  '/oauth/device',
  '/settings/sign-in',
].flatMap((path) =>
  VALID_REQUESTS.filter((one) => one.path === path && one.method === 'POST')
    .slice(0, 1)
    .map((one) => ({ ...one, delivery: 'hold' as const, part: 0.95 })),
);

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  readonly connections: number;
  /** Whether some requests are held open for seconds. */
  readonly holds: boolean;
  /** After so long no more requests are made, in milliseconds: for a slow or busy machine. */
  readonly limitMs?: number;
  /** Sends these before it makes requests, one after the other. */
  readonly first?: readonly FuzzRequest[];
  /** Sends these instead of making requests. */
  readonly replay?: readonly FuzzRequest[];
  /** Is called for each new failure. */
  readonly log?: (line: string) => void;
}

/** One way to fail, with the first request that failed so. */
export interface Failure {
  readonly problem: string;
  readonly times: number;
  /** Where the request went: method and path without ids, as a template. */
  readonly where: string;
  /** To be sent again with `--replay`. */
  readonly request: FuzzRequest | undefined;
}

export interface FuzzReport {
  readonly seed: number;
  readonly failures: readonly Failure[];
  /** Answers by status; requests that were rightly not answered count as `none`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The same of the requests that were sent first. */
  readonly firstStatuses: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly controlRequests: number;
  readonly slowestControlMs: number;
  readonly seconds: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly before: Size;
  readonly after: Size;
}

/** Attacks a separate service with seeded random requests, while control users use it. */
export async function fuzzRun(options: FuzzOptions): Promise<FuzzReport> {
  const serverErrors: LogLine[] = [];
  const service = await startTestService({
    platformClients: PLAIN_CLIENTS,
    trustedProxies: 1,
    lifetimes: { pollIntervalSeconds: 1 },
    log: (line) => {
      if (line.event === 'server_error') serverErrors.push(line);
    },
  });
  try {
    return await new Run(service, options, serverErrors).report();
  } finally {
    await service.close();
  }
}

class Run {
  private readonly service: TestService;
  private readonly options: FuzzOptions;
  private readonly serverErrors: LogLine[];
  private readonly failures = new Map<string, Failure>();
  private readonly statuses: Record<string, number> = {};
  /** Ids of responses with 503 and 507: the log may have a server error for them. */
  private readonly excused = new Set<string>();
  private readonly held = new Set<Promise<void>>();
  /** Requests that are not held open. */
  private readonly underWay = new Set<Promise<void>>();
  /** Settles when the attacker has new codes and tokens: no request, which could undo them, is sent before. */
  private renewal = Promise.resolve();
  private renewAt: number;
  private sent = 0;
  private bytesSent = 0;
  private controlRequests = 0;
  private slowestControlMs = 0;
  private stopped = false;

  constructor(service: TestService, options: FuzzOptions, serverErrors: LogLine[]) {
    this.service = service;
    this.options = options;
    this.serverErrors = serverErrors;
    this.renewAt = this.renewEvery;
  }

  private get renewEvery(): number {
    return Math.max(RENEW_EVERY, Math.ceil(this.options.requests / MAX_RENEWALS));
  }

  async report(): Promise<FuzzReport> {
    const { service, options } = this;
    const users = await UsersUnderAttack.settle(service);
    const before = await measureSize(service);
    const heapBefore = await heapBytes();
    const started = performance.now();
    const control = this.beHonest(users);
    const { first = [] } = options;
    for (const request of first) await this.send(request, users);
    const firstStatuses = { ...this.statuses };
    // They use up the attacker's codes and tokens.
    if (first.length > 0) await this.renew(users);
    const connections = options.replay === undefined ? options.connections : 1;
    await Promise.all(Array.from({ length: connections }, () => this.attack(users)));
    await Promise.all(this.held);
    this.stopped = true;
    await control;
    const seconds = (performance.now() - started) / 1000;
    for (const problem of await users.problemsOfVictim().catch(sayError('afterwards'))) {
      this.fail(problem, 'the victim', undefined);
    }
    for (const { message = '', requestId } of this.serverErrors) {
      if (requestId !== undefined && this.excused.has(requestId)) continue;
      this.fail(`server_error in the log: ${message}`, 'the log', undefined);
    }
    const after = await measureSize(service);
    const requests = first.length + this.sent + this.controlRequests;
    const growth = growthProblems(before, after, requests, this.bytesSent, users.ownRows);
    for (const problem of growth) this.fail(problem, 'growth', undefined);
    const heapAfter = await heapBytes();
    if (heapAfter - heapBefore > HEAP_ROOM) {
      this.fail(`the heap grew from ${heapBefore} to ${heapAfter} bytes`, 'growth', undefined);
    }
    return {
      seed: options.seed,
      failures: [...this.failures.values()],
      statuses: this.statuses,
      firstStatuses,
      requests: this.sent,
      controlRequests: this.controlRequests,
      slowestControlMs: Math.round(this.slowestControlMs),
      seconds: Math.round(seconds),
      heapBefore,
      heapAfter,
      before,
      after,
    };
  }

  /** One of the attacker's connections after the other, until all requests are sent. */
  private async attack(users: UsersUnderAttack): Promise<void> {
    const { replay, seed, requests, holds, limitMs = Infinity } = this.options;
    const end = performance.now() + limitMs;
    while (this.sent < (replay?.length ?? requests) && performance.now() < end) {
      if (this.sent >= this.renewAt) {
        this.renewAt += this.renewEvery;
        this.renewal = this.renew(users);
      }
      await this.renewal;
      const index = this.sent;
      this.sent += 1;
      const first = holds ? HELD_FIRST[index] : undefined;
      const made = replay?.[index] ?? first ?? makeRequest(new Chance(seed + index * 7919));
      if (made.delivery !== 'hold') {
        await this.send(made, users);
      } else if (holds && this.held.size < HELD_AT_ONCE) {
        const held: Promise<void> = this.send(made, users).finally(() => this.held.delete(held));
        this.held.add(held);
      } else {
        await this.send({ ...made, delivery: 'cut' }, users);
      }
    }
  }

  private async send(request: FuzzRequest, users: UsersUnderAttack): Promise<void> {
    const copies = Array.from({ length: request.copies }, () => this.sendOnce(request, users));
    const sending = Promise.all(copies).then(() => undefined);
    if (request.delivery === 'hold') return sending;
    this.underWay.add(sending);
    await sending.finally(() => this.underWay.delete(sending));
  }

  private async sendOnce(request: FuzzRequest, users: UsersUnderAttack): Promise<void> {
    const { values, secrets } = users;
    const wire = toWire(request, values);
    for (const { bytes } of wire.pieces) this.bytesSent += bytes.length;
    const port = Number(values['port']);
    const result = await exchange(port, wire.pieces, wire.methods, wire.patienceMs);
    const [answer] = result.answers;
    const status = String(answer?.status ?? 'none');
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const id = answer?.headers.get('x-request-id')?.[0];
    if (id !== undefined && (status === '503' || status === '507')) this.excused.add(id);
    const knowledge = { values, secrets };
    for (const problem of problemsOf(request, result, wire.mustBeAnswered, knowledge)) {
      this.fail(problem, `${request.method} ${request.path}`, request);
    }
  }

  /** Requests of the control users; each must be answered in time. */
  private async beHonest(users: UsersUnderAttack): Promise<void> {
    const steps = [
      (signal: AbortSignal) => users.victimLooks(signal),
      (signal: AbortSignal) => users.strangersBegin(signal),
    ];
    for (let turn = 0; !this.stopped; turn += 1) {
      const started = performance.now();
      const step = steps[turn % steps.length];
      await step?.(AbortSignal.timeout(CONTROL_LIMIT_MS)).catch((error: unknown) => {
        this.fail(`a control request: ${messageOf(error)}`, 'control users', undefined);
      });
      this.controlRequests += 1;
      this.slowestControlMs = Math.max(this.slowestControlMs, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, CONTROL_PAUSE_MS));
    }
  }

  /** New codes and tokens for the attacker, once the requests under way have ended. */
  private async renew(users: UsersUnderAttack): Promise<void> {
    await Promise.all(this.underWay);
    await users.renew().catch((error: unknown) => {
      this.fail(`a control sign-in: ${messageOf(error)}`, 'control users', undefined);
    });
    this.controlRequests += 40;
  }

  private fail(problem: string, where: string, request: FuzzRequest | undefined): void {
    // Ids, numbers and sizes do not make another failure; addresses do.
    const kind = problem.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…').replace(/\d{4,}/g, '…');
    const route = where.replace(/[?#].*$/s, '').slice(0, 100);
    const key = `${kind} | ${route}`;
    const known = this.failures.get(key);
    this.failures.set(key, {
      problem: known?.problem ?? problem,
      times: (known?.times ?? 0) + 1,
      where: known?.where ?? route,
      request: known?.request ?? request,
    });
    if (known === undefined) this.options.log?.(describeFailure({ problem, where, request }));
  }
}

/** A readable failure: its kind, place, and the request to repeat. */
export function describeFailure({
  problem,
  where,
  request,
}: Pick<Failure, 'problem' | 'where' | 'request'>): string {
  const replay = request === undefined ? '' : `\n    --replay '${asArgument(request)}'`;
  return `${problem}\n    ${where}${replay}`;
}

/** JSON that a shell takes between single quotes. */
function asArgument(request: FuzzRequest): string {
  return JSON.stringify(request).replaceAll("'", '\\u0027');
}

/** Errors of Node's own are of another realm in Jest: no `instanceof`. */
function messageOf(error: unknown): string {
  const { name, message, cause } = error as Partial<Error>;
  if (name === 'TimeoutError') return `no answer within ${CONTROL_LIMIT_MS} ms`;
  const because = cause === undefined ? '' : ` (${messageOf(cause)})`;
  return `${message ?? 'unknown error'}${because}`;
}

function sayError(when: string): (error: unknown) => string[] {
  return (error) => [`the control sign-in ${when}: ${messageOf(error)}`];
}

/** The heap after a forced collection, with external buffers. */
async function heapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Sockets release their buffers one tick after their end.
  await new Promise((resolve) => setTimeout(resolve, 100));
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
