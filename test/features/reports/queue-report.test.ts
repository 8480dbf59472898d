import { describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import type { HttpRequest, HttpResponse } from '../../../src/host/http.js';
import {
  queueFacts,
  QueueReports,
  type QueueFacts,
} from '../../../src/features/reports/queue-report.js';
import type { UploadItem } from '../../../src/features/queue/upload-item.js';
import { CwError, type ErrorCode } from '../../../src/util/errors.js';
import { Observable } from '../../../src/util/observable.js';
import { FakeClock } from '../../support/fake-clock.js';

const MINUTE_MS = 60_000;
const ID = 'a3f2'.repeat(8);
const COMPUTER = { id: ID, name: 'Studio laptop', shortId: 'A3F2' };

function setUp({ deviceQueue = true, records = new Map<string, string>() } = {}) {
  const clock = new FakeClock();
  const sent: HttpRequest[] = [];
  const net = { status: 204, isConnected: true, onSend: undefined as (() => void) | undefined };
  const facts = new Observable<QueueFacts>(NOTHING);
  const reports = new QueueReports({
    requests: {
      sendOutOfBand: (request) => {
        sent.push(request);
        net.onSend?.();
        return net.status === 0
          ? Promise.reject(new CwError('CW-301', 'no connection'))
          : Promise.resolve({ status: net.status, header: () => null, text: '' } as HttpResponse);
      },
    },
    capabilities: { get: () => Promise.resolve({ ...BASIC_CAPABILITIES, deviceQueue }) },
    endpoint: 'https://service.example/api/v1/devices',
    clock,
    records: {
      put: (key, value) => {
        records.set(key, value);
        return Promise.resolve();
      },
    },
    device: { identify: () => COMPUTER },
    isConnected: () => net.isConnected,
    facts: () => facts.get(),
    changes: [facts],
  });
  reports.restore(records);
  const wait = (count: number, more: Partial<QueueFacts> = {}): void => {
    const since = count === 0 ? null : clock.now();
    facts.set({ waiting: count, since, state: 'uploading', reason: null, ...more });
  };
  const bodies = (): object[] =>
    sent.map(({ body }) => JSON.parse(typeof body === 'string' ? body : '') as object);
  return { clock, sent, net, reports, records, wait, bodies };
}

const NOTHING: QueueFacts = { waiting: 0, since: null, state: 'uploading', reason: null };

describe('reports of what waits', () => {
  it('have the computer, the count and the age, and no names', async () => {
    const { clock, sent, wait, bodies } = setUp();
    wait(3, { since: clock.now() - 4 * MINUTE_MS, state: 'blocked', reason: 'CW-606' });
    await clock.advance(5_000);
    expect(sent[0]).toMatchObject({
      method: 'PUT',
      url: `https://service.example/api/v1/devices/${ID}/queue`,
    });
    expect(bodies()).toEqual([
      {
        ...{ device_name: 'Studio laptop', waiting: 3, waiting_seconds: 245 },
        ...{ state: 'blocked', reason: 'CW-606' },
      },
    ]);
  });

  it('are sent once a minute at most while the list changes all the time', async () => {
    const { clock, sent, wait } = setUp();
    for (let second = 0; second < 600; second += 1) {
      wait(1000 - second, { since: 0 });
      await clock.advance(1000);
    }
    expect(sent.length).toBeGreaterThan(8);
    expect(sent.length).toBeLessThanOrEqual(11);
  });

  it('are repeated every five minutes while photos wait, then end with an empty one', async () => {
    const { clock, sent, wait, bodies } = setUp();
    wait(2);
    await clock.advance(31 * MINUTE_MS);
    expect(sent).toHaveLength(7);
    wait(0);
    await clock.advance(2 * MINUTE_MS);
    expect(bodies().at(-1)).toMatchObject({ waiting: 0, waiting_seconds: null });
    await clock.advance(60 * MINUTE_MS);
    expect(sent).toHaveLength(8);
  });

  it('end seconds after the last photo, as the app may be closed then', async () => {
    const { clock, net, wait, bodies } = setUp();
    wait(2);
    await clock.advance(6_000);
    // What the list depends on still changes.
    for (let second = 0; second < 6; second += 1) {
      wait(0);
      await clock.advance(1_000);
    }
    expect(bodies()).toMatchObject([{ waiting: 2 }, { waiting: 0 }]);

    // The next ones rest again, and so does a report that failed.
    wait(1);
    await clock.advance(50_000);
    expect(bodies()).toHaveLength(2);
    await clock.advance(20_000);
    net.status = 503;
    wait(0);
    await clock.advance(50_000);
    expect(bodies().slice(2)).toMatchObject([{ waiting: 1 }, { waiting: 0 }]);
  });

  it('end after the last photo has arrived while a report was on its way', async () => {
    const { clock, net, wait, bodies } = setUp();
    net.onSend = () => {
      net.onSend = undefined;
      wait(0);
    };
    wait(1);
    await clock.advance(12_000);
    expect(bodies()).toMatchObject([{ waiting: 1 }, { waiting: 0 }]);
  });

  it('are not sent without waiting photos, without the capability or without a session', async () => {
    const idle = setUp();
    await idle.clock.advance(60 * MINUTE_MS);
    const foreign = setUp({ deviceQueue: false });
    foreign.wait(3);
    await foreign.clock.advance(60 * MINUTE_MS);
    const away = setUp();
    away.net.isConnected = false;
    away.wait(3);
    await away.clock.advance(60 * MINUTE_MS);
    expect([idle.sent, foreign.sent, away.sent]).toEqual([[], [], []]);

    away.net.isConnected = true;
    away.reports.onSignedIn();
    await away.clock.advance(MINUTE_MS);
    expect(away.sent).toHaveLength(1);
  });

  it('are sent again a minute after a failure', async () => {
    const { clock, sent, net, wait } = setUp();
    net.status = 0;
    wait(1);
    await clock.advance(MINUTE_MS);
    net.status = 503;
    await clock.advance(MINUTE_MS);
    net.status = 204;
    await clock.advance(MINUTE_MS);
    expect(sent).toHaveLength(3);
    await clock.advance(MINUTE_MS);
    expect(sent).toHaveLength(3);
  });

  it('end what an earlier run has reported, under the same id', async () => {
    const first = setUp();
    first.wait(4);
    await first.clock.advance(MINUTE_MS);
    const next = setUp({ records: first.records });
    await next.clock.advance(MINUTE_MS);
    expect(next.bodies()).toMatchObject([{ waiting: 0 }]);
    expect(next.sent[0]?.url).toBe(first.sent[0]?.url);
    const last = setUp({ records: next.records });
    await last.clock.advance(MINUTE_MS);
    expect(last.sent).toEqual([]);
  });
});

describe('what waits', () => {
  const item = (phase: UploadItem['phase'], failure: ErrorCode | null = null, queuedAt = 5) =>
    ({ phase, record: { failure, queuedAt } }) as UploadItem;
  const calm = {
    ...{ paused: false, question: null, storageError: null, waitingForPermission: 0 },
    space: { kind: 'closed' },
  } as const;
  const full = { kind: 'waiting', error: new CwError('CW-606', 'full'), until: 9 } as const;

  it.each([
    ['nothing', [], {}, NOTHING],
    [
      'the oldest of all that have not arrived',
      [item('uploaded', null, 1), item('waiting', null, 9), item('uploading', null, 7)],
      {},
      { waiting: 2, since: 7, state: 'uploading', reason: null },
    ],
    ['nothing that the service has already', [item('failed', 'CW-611')], {}, NOTHING],
    [
      'a failure that leaves nothing to upload',
      [item('failed', 'CW-604')],
      {},
      { waiting: 1, since: 5, state: 'blocked', reason: 'CW-604' },
    ],
    [
      'a failure beside other photos',
      [item('failed', 'CW-604'), item('waiting')],
      {},
      { waiting: 2, since: 5, state: 'uploading', reason: null },
    ],
    [
      'a pause',
      [item('waiting')],
      { paused: true },
      { waiting: 1, since: 5, state: 'paused', reason: null },
    ],
    [
      'a workspace that is full',
      [item('waiting'), item('failed', 'CW-604')],
      { space: full },
      { waiting: 2, since: 5, state: 'blocked', reason: 'CW-606' },
    ],
    ['nothing for a workspace that is full', [item('uploaded')], { space: full }, NOTHING],
    [
      'a disk that is full',
      [item('waiting')],
      { storageError: new CwError('CW-703', 'full') },
      { waiting: 1, since: 5, state: 'blocked', reason: 'CW-703' },
    ],
  ] as const)('is %s', (_what, photos, more, facts) => {
    expect(queueFacts(photos, { ...calm, ...more })).toEqual(facts);
  });
});
