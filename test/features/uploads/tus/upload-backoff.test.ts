import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelSource } from '../../../../src/util/cancel.js';
import { CwError } from '../../../../src/util/errors.js';
import { UploadBackoff } from '../../../../src/features/uploads/tus/upload-backoff.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { outcomeOf } from '../../../support/outcome.js';

/** How long one photo waits after trouble, and when it has waited enough. */
let clock: FakeClock;
let pace: UploadBackoff;

const BUSY = new CwError('CW-303', 'busy');
const DIFFERS = new CwError('CW-603', 'the offsets differ', { status: 409 });
const CHUNK = 1024 * 1024;

function create(random: number): void {
  clock = new FakeClock();
  const { signal } = new CancelSource();
  pace = new UploadBackoff({ clock, random: () => random, signal });
}

beforeEach(() => create(0));

/** How long it waits after this trouble, in milliseconds; or the code with which it gives up. */
async function after(error: CwError): Promise<number | string> {
  const began = clock.elapsed;
  const outcome = outcomeOf(pace.delayAfter(error));
  await clock.settle();
  while (outcome.state === 'pending') await clock.advanceToNext();
  return outcome.error instanceof CwError ? outcome.error.code : clock.elapsed - began;
}

async function times(count: number, error: CwError): Promise<(number | string)[]> {
  const found: (number | string)[] = [];
  while (found.length < count) found.push(await after(error));
  return found;
}

/** A chunk that the service takes whole. */
async function gain(at: number): Promise<void> {
  await pace.beforeSending(CHUNK);
  pace.onChunkAccepted(at, at + CHUNK);
}

describe('an upload with errors', () => {
  it('doubles its delay each time, up to 15 seconds', async () => {
    expect(await times(7, BUSY)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  });

  it('shortens its delay by up to a quarter, at random', async () => {
    create(0.8);
    expect(await times(4, BUSY)).toEqual([400, 800, 1_600, 3_200]);
  });

  it('does not wait after progress, and resets its delay', async () => {
    expect(await times(3, BUSY)).toEqual([500, 1_000, 2_000]);
    await gain(0);
    expect(await times(3, BUSY)).toEqual([0, 500, 1_000]);
  });

  it('fails after nine contradictions in a row, counted from the last progress', async () => {
    expect(await times(8, DIFFERS)).not.toContain('CW-603');
    await gain(0);
    expect(await after(DIFFERS)).toBe(0);
    expect(await times(8, DIFFERS)).not.toContain('CW-603');
    expect(await after(DIFFERS)).toBe('CW-603');
  });

  it('continues while its errors are transient', async () => {
    expect(await times(50, BUSY)).not.toContain('CW-303');
  });
});

describe('progress of an upload', () => {
  /** Whether the next trouble finds that something was gained. */
  async function hasGained(): Promise<boolean> {
    return (await after(BUSY)) === 0;
  }

  it('is zero before the first request', async () => {
    pace.onOffset(0);
    expect(await hasGained()).toBe(false);
  });

  it('counts bytes that the service has although no response came', async () => {
    await pace.beforeSending(CHUNK);
    await after(BUSY);
    pace.onOffset(CHUNK);
    expect(await hasGained()).toBe(true);
  });

  it('does not count bytes that the service dropped and accepts again', async () => {
    await gain(0);
    expect(await hasGained()).toBe(true);
    pace.onOffset(0);
    expect(await hasGained()).toBe(false);
    await gain(0);
    expect(await hasGained()).toBe(false);
    await gain(CHUNK);
    expect(await hasGained()).toBe(true);
  });

  it.each([
    { brought: CHUNK, kept: 64 * 1024, counts: true },
    { brought: CHUNK, kept: 64 * 1024 - 1, counts: false },
    { brought: 1000, kept: 500, counts: true },
    { brought: 1000, kept: 499, counts: false },
    { brought: 1, kept: 1, counts: true },
    { brought: 1, kept: 0, counts: false },
  ])('$kept bytes of a request of $brought: $counts', async ({ brought, kept, counts }) => {
    await pace.beforeSending(brought);
    pace.onOffset(kept);
    expect(await hasGained()).toBe(counts);
  });
});

describe('a service that contradicts itself', () => {
  it.each([
    ['offsets that differ', DIFFERS, 'CW-603'],
    ['an upload that is held', new CwError('CW-303', 'locked', { status: 423 }), 'CW-305'],
    ['an upload that is unknown', new CwError('CW-303', 'gone', { status: 404 }), 'CW-305'],
    ['an upload that is gone', new CwError('CW-303', 'gone', { status: 410 }), 'CW-305'],
  ])('gets eight requests and no more: %s', async (_name, error, code) => {
    expect((await times(8, error)).every(Number)).toBe(true);
    const outcome = outcomeOf(pace.delayAfter(error));
    await clock.settle();
    expect(outcome.error).toMatchObject({ code, status: error.status });
  });

  it('has its contradictions counted across other errors', async () => {
    await times(4, DIFFERS);
    await times(4, BUSY);
    await times(4, DIFFERS);
    expect(await after(BUSY)).toBe(15_000);
    expect(await after(DIFFERS)).toBe('CW-603');
  });

  it.each([
    ['for good', new CwError('CW-603', 'refused', { status: 404 })],
    ['for another reason', new CwError('CW-603', 'refused', { status: 400 })],
  ])('gets no retry when it refuses %s', async (_name, error) => {
    expect(await after(error)).toBe('CW-603');
    expect(clock.elapsed).toBe(0);
  });
});

describe('a service that accepts hardly any bytes', () => {
  async function meagre(at: number): Promise<number> {
    const began = clock.elapsed;
    const outcome = outcomeOf(pace.beforeSending(CHUNK));
    await clock.settle();
    while (outcome.state === 'pending') await clock.advanceToNext();
    pace.onChunkAccepted(at, at + 1);
    return clock.elapsed - began;
  }

  it('gets chunks with growing delays, and finally none', async () => {
    const waits: number[] = [];
    for (let at = 0; at < 8; at += 1) waits.push(await meagre(at));
    expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    await expect(meagre(8)).rejects.toMatchObject({ code: 'CW-305' });
  });

  it('gets chunks without delay after it has accepted a whole one', async () => {
    for (let at = 0; at < 8; at += 1) await meagre(at);
    const outcome = outcomeOf(pace.beforeSending(CHUNK));
    while (outcome.state === 'pending') await clock.advanceToNext();
    pace.onChunkAccepted(8, 8 + CHUNK);
    expect(await meagre(8 + CHUNK)).toBe(0);
    expect(await meagre(9 + CHUNK)).toBe(500);
  });

  it('gets requests without a body without delay', async () => {
    for (let at = 0; at < 4; at += 1) await meagre(at);
    const outcome = outcomeOf(pace.beforeSending(0));
    await clock.settle();
    expect(outcome.state).toBe('resolved');
    // The progress of the last chunk still counts.
    pace.onOffset(5);
    expect(await after(BUSY)).toBe(500);
  });
});
