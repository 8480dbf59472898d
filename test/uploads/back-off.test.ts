import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelSource } from '../../src/base/cancel.js';
import { CwError } from '../../src/base/errors.js';
import { UploadPace } from '../../src/uploads/upload-pace.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf } from '../support/outcome.js';

/** How long one photo waits after trouble, and when it has waited enough. */
let clock: FakeClock;
let pace: UploadPace;

const BUSY = new CwError('CW-303', 'busy');
const DIFFERS = new CwError('CW-603', 'the offsets differ', { status: 409 });
const CHUNK = 1024 * 1024;

function create(random: number): void {
  clock = new FakeClock();
  const { signal } = new CancelSource();
  pace = new UploadPace({ clock, random: () => random, signal });
}

beforeEach(() => create(0));

/** How long it waits after this trouble, in milliseconds; or the code with which it gives up. */
async function after(error: CwError): Promise<number | string> {
  const began = clock.elapsed;
  const outcome = outcomeOf(pace.afterTrouble(error));
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
  pace.took(at, at + CHUNK);
}

describe('an upload in trouble', () => {
  it('waits twice as long each time, up to a quarter of a minute', async () => {
    expect(await times(7, BUSY)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  });

  it('waits up to a quarter less, at random, so that many do not come at once', async () => {
    create(0.8);
    expect(await times(4, BUSY)).toEqual([400, 800, 1_600, 3_200]);
  });

  it('does not wait after something was gained, and from the beginning then', async () => {
    expect(await times(3, BUSY)).toEqual([500, 1_000, 2_000]);
    await gain(0);
    expect(await times(3, BUSY)).toEqual([0, 500, 1_000]);
  });

  it('gives up after nine contradictions in a row, counted anew when something was gained', async () => {
    expect(await times(8, DIFFERS)).not.toContain('CW-603');
    await gain(0);
    expect(await after(DIFFERS)).toBe(0);
    expect(await times(8, DIFFERS)).not.toContain('CW-603');
    expect(await after(DIFFERS)).toBe('CW-603');
  });

  it('goes on as long as what it meets passes', async () => {
    expect(await times(50, BUSY)).not.toContain('CW-303');
  });
});

describe('a service that takes next to nothing', () => {
  async function meagre(at: number): Promise<number> {
    const began = clock.elapsed;
    const outcome = outcomeOf(pace.beforeSending(CHUNK));
    await clock.settle();
    while (outcome.state === 'pending') await clock.advanceToNext();
    pace.took(at, at + 1);
    return clock.elapsed - began;
  }

  it('is given its chunks ever more slowly, and in the end none', async () => {
    const waits: number[] = [];
    for (let at = 0; at < 8; at += 1) waits.push(await meagre(at));
    expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    await expect(meagre(8)).rejects.toMatchObject({ code: 'CW-305' });
  });

  it('is given them at once again when it has taken a whole one', async () => {
    for (let at = 0; at < 8; at += 1) await meagre(at);
    const outcome = outcomeOf(pace.beforeSending(CHUNK));
    while (outcome.state === 'pending') await clock.advanceToNext();
    pace.took(8, 8 + CHUNK);
    expect(await meagre(8 + CHUNK)).toBe(0);
    expect(await meagre(9 + CHUNK)).toBe(500);
  });
});
