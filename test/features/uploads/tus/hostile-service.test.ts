import { setTimeout as realDelay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RequestQueue } from '../../../../src/api/request-queue.js';
import { createTransport } from '../../../../src/api/transport.js';
import { CancelSource } from '../../../../src/util/cancel.js';
import { CwError } from '../../../../src/util/errors.js';
import type { SendHttp } from '../../../../src/host/http.js';
import { uploadPhoto } from '../../../../src/features/uploads/tus/tus-upload.js';
import type { UploadReceipt } from '../../../../src/features/queue/upload-receipt.js';
import { signedInSession, testClient } from '../../../api/signed-in.js';
import { knownToDo } from '../../../support/capabilities.js';
import { FakeClock } from '../../../support/fake-clock.js';
import {
  startScriptedServer,
  type Answer,
  type RecordedRequest,
  type ScriptedServer,
} from '../../../support/http-server.js';
import { NodeXhr } from '../../../support/node-xhr.js';
import { outcomeOf, type Outcome } from '../../../support/outcome.js';
import fc from '../../../support/properties.js';
import { readerBy } from '../../../support/reader-by.js';
import { testRuns, testSeed } from '../../../support/seeded-random.js';
import { photoRecord } from '../../../support/photo-record.js';

const COLLECTION = '/api/v1/uploads';
const CHUNK_BYTES = 4_096;
const PHOTO_BYTES = 40_000;
const MINUTE_MS = 60_000;
/**
 * Requests about one photo in any minute in which the service confirms nothing: nine tries fit between
 * waits that double from half a second, each checks, creates and sends, and each of these may be refused
 * for its token, which is then renewed: 9 × 3 × 3, and some for repetitions by the queue.
 */
const MAX_PER_MINUTE = 100;
/** More than any bounded run can need: a loop without a pause ends here. */
const MAX_IN_ALL = 3_000;
/**
 * Requests more for each half chunk that it does confirm, for the waits are short again after it: two tries
 * of asking, creating and sending, some of them with a new token.
 */
const PER_HALF_CHUNK = 12;

/** A service's possible reactions to a request about an upload. */
type Mood =
  | 'all'
  | 'half'
  | 'one byte'
  | 'nothing'
  | 'claims more'
  | 'forgets'
  | 'takes back'
  | 'another address'
  | 'cut'
  | 'hang'
  | 'too long'
  | 'take and cut'
  | 401
  | 404
  | 409
  | 410
  | 423
  | 429
  | 500
  | 503;

const MOODS: readonly Mood[] = [
  ...(['all', 'half', 'one byte', 'nothing', 'claims more', 'forgets', 'takes back'] as const),
  ...(['another address', 'cut', 'hang', 'too long', 'take and cut'] as const),
  ...([401, 404, 409, 410, 423, 429, 500, 503] as const),
];

/** The response to any request in some moods. */
const FIXED = new Map<Mood, Answer | 'cut' | 'hang'>([
  ['cut', 'cut'],
  ['take and cut', 'cut'],
  ['hang', 'hang'],
  ['forgets', { status: 404 }],
  ['takes back', { status: 409 }],
  ['too long', { status: 200, body: 'x'.repeat(70_000) }],
  [429, { status: 429, headers: { 'Retry-After': '0' } }],
  ...([401, 404, 409, 410, 423, 500, 503] as const).map((status) => [status, { status }] as const),
]);

/** A tus service that answers in its moods, one after the other and over again. */
class MoodyService {
  /** When each request came, on the fake clock. */
  readonly requests: number[] = [];
  /** When it confirmed bytes that it had been sent or never named before, and how many. */
  readonly confirmed: { readonly at: number; readonly bytes: number }[] = [];
  hanging = 0;
  private held: number | null = null;
  private best = 0;
  private turn = 0;
  private addresses = 0;

  constructor(
    private readonly moods: readonly Mood[],
    private readonly now: () => number,
  ) {}

  answer(request: RecordedRequest): Answer | 'cut' | 'hang' {
    this.requests.push(this.now());
    if (request.path === '/api/oauth/token')
      return {
        status: 200,
        body: { access_token: `svc_at_${this.requests.length}`, token_type: 'Bearer' },
      };
    let mood = this.moods[this.turn % this.moods.length] ?? 'all';
    this.turn += 1;
    // A creation that is refused so ends the upload at once: worth trying, but not always.
    const isAboutOne = mood === 404 || mood === 410 || mood === 'forgets';
    if (request.method === 'POST' && isAboutOne && this.turn % 64 !== 0) mood = 'all';
    if (mood === 'take and cut') this.take(request, request.body.length);
    if (mood === 'hang') this.hanging += 1;
    if (mood === 'forgets') this.held = null;
    if (mood === 'takes back') this.held = Math.floor((this.held ?? 0) / 2);
    return FIXED.get(mood) ?? this.serve(request, mood);
  }

  /** As {@link answer}, with the header that every tus service sends. */
  respond(request: RecordedRequest): Answer | 'cut' | 'hang' {
    const answer = this.answer(request);
    if (typeof answer === 'string') return answer;
    return { ...answer, headers: { 'Tus-Resumable': '1.0.0', ...answer.headers } };
  }

  private serve(request: RecordedRequest, mood: Mood): Answer {
    const length = request.body.length;
    if (request.method === 'HEAD') {
      if (this.held === null) return { status: 404 };
      if (mood === 'claims more') this.confirm(Math.min(this.held + 1, PHOTO_BYTES - 1));
      return {
        status: 200,
        headers: { 'Upload-Offset': String(this.held), 'Upload-Length': String(PHOTO_BYTES) },
      };
    }
    if (request.method === 'PATCH') {
      if (this.held === null) return { status: 404 };
      if (Number(request.headers['upload-offset']) !== this.held) return { status: 409 };
    } else if (request.method !== 'POST') return { status: 405 };
    if (mood === 'nothing') return this.accepted(request);
    const part = mood === 'half' ? Math.ceil(length / 2) : mood === 'one byte' ? 1 : length;
    this.take(request, Math.min(part, length));
    if (mood === 'another address') this.addresses += 1;
    return this.accepted(request);
  }

  private take(request: RecordedRequest, bytes: number): void {
    if (request.method === 'POST') {
      // Half of the creations lose their bytes.
      this.held ??= 0;
      if (this.turn % 2 === 0) return;
    }
    if (this.held === null || request.method === 'HEAD') return;
    const now = Math.min(PHOTO_BYTES, this.held + bytes);
    this.confirmed.push({ at: this.now(), bytes: now - this.held });
    this.held = now;
    this.best = Math.max(this.best, now);
  }

  private confirm(bytes: number): void {
    this.held = bytes;
    if (bytes > this.best) this.confirmed.push({ at: this.now(), bytes: bytes - this.best });
    this.best = Math.max(this.best, bytes);
  }

  private accepted(request: RecordedRequest): Answer {
    const headers = { 'Upload-Offset': String(this.held ?? 0) };
    if (request.method === 'PATCH') return { status: 204, headers };
    return {
      status: 201,
      headers: { ...headers, Location: `${COLLECTION}/u-${this.addresses}` },
    };
  }
}

/** The most requests by which any minute goes beyond its bound; 0 or less when none does. */
function excess({ requests, confirmed }: MoodyService): number {
  let most = -Infinity;
  for (const [index, from] of requests.entries()) {
    const until = from + MINUTE_MS;
    const count = requests.slice(index).filter((at) => at < until).length;
    const bytes = confirmed
      .filter(({ at }) => at >= from && at < until)
      .reduce((sum, one) => sum + one.bytes, 0);
    const bound = MAX_PER_MINUTE + PER_HALF_CHUNK * (bytes / (CHUNK_BYTES / 2));
    most = Math.max(most, count - bound);
  }
  return most;
}

let server: ScriptedServer;

beforeEach(async () => {
  server = await startScriptedServer();
});
afterEach(() => server.close());

interface Run {
  readonly clock: FakeClock;
  readonly service: MoodyService;
  readonly outcome: Outcome<UploadReceipt>;
  readonly source: CancelSource;
  /** Runs the upload for this long on the fake clock, or to its end. @throws Error when it hangs */
  readonly go: (forMs: number) => Promise<void>;
}

/** One photo's upload over real connections, to a service with these moods. */
async function begin(moods: readonly Mood[], photoBytes = PHOTO_BYTES): Promise<Run> {
  const clock = new FakeClock();
  const service = new MoodyService(moods, () => clock.elapsed);
  server.otherwise((request) => service.respond(request));
  const client = testClient(server.origin);
  const overHttp = createTransport({
    createXhr: () => new NodeXhr(),
    clock,
    origin: client.origin,
  });
  let underWay = 0;
  const send: SendHttp = async (request, signal) => {
    underWay += 1;
    try {
      return await overHttp(request, signal);
    } finally {
      underWay -= 1;
      service.hanging = Math.min(service.hanging, underWay);
    }
  };
  const session = await signedInSession({ send, client, clock });
  const source = new CancelSource();
  const outcome = outcomeOf(
    uploadPhoto({
      queue: new RequestQueue({ send, session, clock, random: () => 0.5 }),
      capabilities: knownToDo(),
      endpoint: server.origin + COLLECTION,
      record: photoRecord('id-1', photoBytes),
      reader: readerBy((from, to) => Promise.resolve(new ArrayBuffer(to - from))),
      chunkBytes: CHUNK_BYTES,
      clock,
      random: () => 0.5,
      signal: source.signal,
      onProgress: () => undefined,
      onUploadUrl: () => Promise.resolve(),
      onRestart: () => Promise.resolve(),
    }),
  );
  const isOver = (): boolean => outcome.state !== 'pending';
  const go = async (forMs: number): Promise<void> => {
    const end = clock.elapsed + forMs;
    while (!isOver() && clock.elapsed < end) {
      await clock.settle();
      if (service.requests.length > MAX_IN_ALL) throw new Error('far too many requests');
      // The clock stops while a response is pending, so only other delays count.
      for (let wait = 0; underWay > service.hanging && wait < 5_000; wait += 1) await realDelay(1);
      await clock.settle();
      if (underWay > service.hanging || isOver()) continue;
      if (clock.untilNext === null) throw new Error('nothing is under way and nothing will be');
      await clock.advanceToNext();
    }
  };
  return { clock, service, outcome, source, go };
}

describe('a hostile service', () => {
  const seed = testSeed();

  // @threat H4
  it(`gets few requests unless it confirms many bytes, and blocks nothing (TEST_SEED=${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...MOODS), { minLength: 1, maxLength: 6 }),
        async (moods) => {
          const { clock, service, outcome, source, go } = await begin(moods);
          await go(10 * MINUTE_MS);
          expect(excess(service)).toBeLessThanOrEqual(0);
          if (outcome.state === 'rejected') expect(outcome.error).toBeInstanceOf(CwError);
          source.cancel();
          await clock.settle();
          expect(outcome.state).not.toBe('pending');
        },
      ),
      { seed, numRuns: testRuns(20), endOnFailure: true },
    );
  });

  it.each([
    ['confirms one byte at a time', ['one byte'], 'CW-305'],
    ['confirms one byte and ends the exchange', ['claims more', 'cut'], null],
    ['claims a byte more and then fails', ['claims more', 500], null],
    ['claims a byte more and then disagrees', ['claims more', 409], 'CW-603'],
    ['forgets every upload that it creates', ['all', 'forgets'], 'CW-305'],
    ['creates uploads that it does not know', ['nothing', 404], 'CW-305'],
    ['takes back what it confirmed', ['all', 'takes back'], 'CW-603'],
    ['holds the upload for ever', ['all', 423, 423, 423], 'CW-603'],
    ['fails and recovers in turn', ['all', 500, 503], null],
    ['refuses each token once', [401], null],
    ['requires a wait of no length', [429], null],
    ['never answers', ['hang'], null],
  ] as const)('that %s gets requests with growing delays', async (_name, moods, code) => {
    const { clock, service, outcome, source, go } = await begin(moods);
    await go(30 * MINUTE_MS);
    expect(excess(service)).toBeLessThanOrEqual(0);
    if (code !== null) expect(outcome.error).toMatchObject({ code });
    source.cancel();
    await clock.settle();
    expect(outcome.state).not.toBe('pending');
  });

  it('causes no delay when it correctly accepts half of each chunk', async () => {
    const { clock, outcome, go } = await begin(['half'], 20_000);
    await go(MINUTE_MS);
    expect(outcome.state).toBe('resolved');
    expect(clock.elapsed).toBe(0);
  });
});
