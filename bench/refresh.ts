import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { RequestQueue } from '../src/api/request-queue.js';
import { createTransport } from '../src/api/transport.js';
import { Redactor } from '../src/util/redact.js';
import type { Xhr } from '../src/host/http.js';
import { hostClock } from '../src/host/system.js';
import { Revocations } from '../src/oauth/session/revocations.js';
import { Session } from '../src/oauth/session/session.js';
import { SECRET_KEYS } from '../src/oauth/session/session-codec.js';
import { createClient } from '../src/config.js';
import { startTestService, type TestService } from '../test/service/support/running-service.js';
import { memorySecrets, MemoryStorage } from '../test/support/memory-host.js';
import { NodeXhr } from '../test/support/node-xhr.js';
import type { BenchOptions } from './options.js';
import { report } from './report.js';
import { shiftDate, type ShiftedDate } from './shifted-date.js';
import { median } from './statistics.js';

const LIFETIME_S = 3600;
const LIFETIMES = 10;

interface Run {
  readonly burst: number;
  readonly requests: number;
  readonly refreshes: number;
  readonly mostRefreshesAtOnce: number;
  /** Requests that were given their token only after a refresh that they met or began. */
  readonly delayed: number;
  readonly unauthorized: number;
  /** Milliseconds: a request with no refresh under way, one beside a refresh, and the longest of all. */
  readonly usualMs: number;
  readonly besideMs: number;
  readonly longestMs: number;
}

/** The cost of a fresh access token: 1,000 requests over ten token lifetimes. */
export async function refresh(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const requests = options.scale === 'small' ? 100 : 1000;
  const date = shiftDate();
  const runs: Run[] = [];
  try {
    for (const burst of [1, 10]) {
      const service = await startTestService({
        lifetimes: { accessTokenSeconds: LIFETIME_S, pollIntervalSeconds: 1 },
      });
      try {
        runs.push(await measure(service, date, requests, burst));
      } finally {
        await service.close();
      }
    }
  } finally {
    date.restore();
  }
  report(
    {
      part: 'refresh',
      tables: [
        {
          title: `${requests} requests spread evenly over ${LIFETIMES} lifetimes of the access token`,
          columns: [
            'Requests at once',
            'Refreshes',
            'Refreshes at once',
            'Requests that waited',
            '401s',
            'Usual request, ms',
            'Beside a refresh, ms',
            'Longest, ms',
          ],
          rows: runs.map((run) => [
            String(run.burst),
            String(run.refreshes),
            String(run.mostRefreshesAtOnce),
            String(run.delayed),
            String(run.unauthorized),
            run.usualMs.toFixed(1),
            Number.isNaN(run.besideMs) ? '–' : run.besideMs.toFixed(1),
            run.longestMs.toFixed(1),
          ]),
        },
      ],
      measurements: runs,
      notes: [
        `A lifetime is ${LIFETIME_S} s; the wall clock of the process is moved on between the requests, while service, sockets and timers are real. It does not move during a refresh, which takes a fraction of a second, and the next request is ${(LIFETIME_S * LIFETIMES) / requests} s away.`,
        'Ten at once come six minutes apart: no request comes in the three minutes before the end, in which a token is renewed early. So all ten wait.',
      ],
    },
    startedAt,
  );
}

async function measure(
  service: TestService,
  date: ShiftedDate,
  requests: number,
  burst: number,
): Promise<Run> {
  const wire = { refreshes: 0, open: 0, most: 0, unauthorized: 0 };
  const createXhr = (): Xhr => {
    const xhr = new NodeXhr();
    const send = xhr.send.bind(xhr);
    xhr.send = (body) => {
      const isRefresh = typeof body === 'string' && body.includes('grant_type=refresh_token');
      if (isRefresh) {
        wire.refreshes += 1;
        wire.open += 1;
        wire.most = Math.max(wire.most, wire.open);
      }
      const { onload } = xhr;
      xhr.onload = () => {
        if (isRefresh) {
          wire.open -= 1;
        }
        if (xhr.status === 401) {
          wire.unauthorized += 1;
        }
        onload?.();
      };
      send(body);
    };
    return xhr;
  };
  const client = createClient(service.baseUrl, 'creative-workspace-plugin', 'uploads:write');
  const clock = { ...hostClock, now: () => Date.now() };
  const storage = new MemoryStorage();
  const parts = {
    send: createTransport({ createXhr, clock, origin: client.origin }),
    client,
    secrets: memorySecrets(storage),
    clock,
    random: Math.random,
    randomBytes: (count: number) => randomBytes(count),
    redactor: new Redactor(),
  };
  const session = new Session({
    ...parts,
    revocations: new Revocations(parts),
    instanceId: 'instance-1',
  });
  const now = Date.now();
  await session.adopt({
    ...(await service.connect()),
    obtainedAt: now,
    expiresAt: now + LIFETIME_S * 1000,
  });
  let delayed = 0;
  const askSession = session.accessToken.bind(session);
  const endedRefreshes = (): number => wire.refreshes - wire.open;
  session.accessToken = async () => {
    const before = endedRefreshes();
    const token = await askSession();
    if (endedRefreshes() > before) {
      delayed += 1;
    }
    return token;
  };
  const queue = new RequestQueue({ ...parts, session });
  // From before its first request to after its last: the lease is in storage for all of it.
  const isRefreshing = (): boolean => storage.secrets.has(SECRET_KEYS.refreshLease);

  const usual: number[] = [];
  const beside: number[] = [];
  const one = async (): Promise<void> => {
    const started = performance.now();
    const meetsRefresh = isRefreshing();
    await queue.send({
      method: 'GET',
      url: `${service.baseUrl}/api/v1/uploads`,
      headers: {},
      repeatable: true,
    });
    (meetsRefresh || isRefreshing() ? beside : usual).push(performance.now() - started);
  };
  for (let sent = 0; sent < requests; sent += burst) {
    while (isRefreshing()) {
      await sleep(5);
    }
    date.advance((LIFETIME_S * 1000 * LIFETIMES * burst) / requests);
    await Promise.all(Array.from({ length: burst }, one));
  }
  return {
    burst,
    requests,
    refreshes: wire.refreshes,
    mostRefreshesAtOnce: wire.most,
    delayed,
    unauthorized: wire.unauthorized,
    usualMs: median(usual),
    besideMs: median(beside),
    longestMs: Math.max(...usual, ...beside),
  };
}
