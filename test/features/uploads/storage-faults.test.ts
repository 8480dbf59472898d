import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sleep, type Clock } from '../../../src/util/clock.js';
import { IS_LONG } from '../../support/long-runs.js';
import { testSeed } from '../../support/seeded-random.js';
import { pass, STORAGES, type Fault, type FaultyStorage } from '../faulty-storage.js';
import { UploadFixture, textOf } from '../fixture.js';

/**
 * Operations on storage fail, once or always. Afterwards a start without faults uploads every photo exactly once, byte for
 * byte. The short suite fails the first operation of each kind in one way, drawn by TEST_SEED; long runs fail every operation
 * in every way.
 */
const seed = testSeed();

/** How an operation fails. */
interface Failure {
  readonly name: string;
  /** Whether the operation fails for the rest of the run, wherever it is the same one. */
  readonly isLasting: boolean;
  readonly give: (clock: Clock) => Error | 'hang' | Promise<void>;
}

/** A minute on the plugin's clock: longer than any of its waits for storage. */
const A_MINUTE = 60_000;
/** An operation takes effect so many milliseconds after it was requested: the plugin has given up after ten seconds. */
const LATE_MS = 15_000;

const busy = (): Error => Object.assign(new Error('EBUSY: resource busy'), { code: 'EBUSY' });
const FAILURES: readonly Failure[] = [
  { name: 'EBUSY once', isLasting: false, give: busy },
  { name: 'an error without a code, always', isLasting: true, give: () => new Error('refused') },
  { name: 'hanging once', isLasting: false, give: () => 'hang' },
  { name: 'late once', isLasting: false, give: (clock) => sleep(clock, LATE_MS) },
  ...(IS_LONG
    ? [
        { name: 'EBUSY always', isLasting: true, give: busy },
        { name: 'an error without a code, once', isLasting: false, give: () => new Error('no') },
        { name: 'hanging always', isLasting: true, give: () => 'hang' as const },
        { name: 'late always', isLasting: true, give: (clock: Clock) => sleep(clock, LATE_MS) },
        // Another start may come in between.
        {
          name: 'very late, once',
          isLasting: false,
          give: (clock: Clock) => sleep(clock, 1.1 * A_MINUTE),
        },
      ]
    : []),
];

describe.each(STORAGES)(`a failing operation on %s (TEST_SEED=${seed})`, (_name, openStorage) => {
  let storage: FaultyStorage;
  let fixture: UploadFixture;
  /** Photos that were deleted permanently, or refused so that the user saw it. */
  let given: Set<string>;
  let expected: Set<string>;

  beforeEach(async () => {
    await begin();
  });
  afterEach(() => storage.dispose());

  async function begin(): Promise<void> {
    storage = await openStorage();
    fixture = new UploadFixture();
    fixture.openPorts = () => storage.open(fixture.clock);
    expected = new Set();
    given = new Set();
  }

  async function start(account: 'anna' | null, fault: Fault = () => 'run'): Promise<void> {
    fixture.account = account;
    await fixture.start({ restores: false });
    storage.setFault(fault);
    void fixture.uploads.restore();
  }

  async function add(...texts: string[]): Promise<void> {
    const photos = [];
    for (const text of texts) photos.push(await storage.photo(text));
    for (const text of texts) expected.add(text);
    void fixture.uploads.addPhotos(photos);
  }

  /** Lets time pass while the service answers everything. */
  async function run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += ms / 8) {
      await pass(fixture.clock, storage, ms / 8);
      for (const exchange of fixture.network.open) fixture.respond(exchange);
    }
    await pass(fixture.clock, storage, 1_000);
  }

  /** The photos that may be missing: refused with an error, or still being added. */
  function noteRefused({ state } = fixture.uploads): void {
    const { rejected: refused, adding } = state.get();
    for (const { name } of refused) given.add(name.replace(/\.jpg$/, ''));
    if (adding === null) return;
    const promised = new Set([...fixture.unsent.map(textOf), ...fixture.arrived()]);
    for (const text of expected) if (!promised.has(text)) given.add(text);
  }

  /** A start without faults, in which the user uploads whatever was found. */
  async function deliver(): Promise<void> {
    noteRefused();
    await start('anna');
    await run(A_MINUTE);
    void fixture.uploads.answerOrphans(true);
    await run(A_MINUTE);
    const wanted = [...expected].filter((text) => !given.has(text));
    const arrived = fixture.arrived();
    expect(arrived).toEqual([...new Set(arrived)]);
    expect(arrived.toSorted()).toEqual(expect.arrayContaining(wanted));
    expect([...expected]).toEqual(expect.arrayContaining(arrived));
    expect(fixture.unsent.map(textOf)).toEqual([]);
  }

  /** The scenarios while operations fail. Each passes the fault to its run. */
  const situations: readonly (readonly [string, (fault: Fault) => Promise<void>])[] = [
    [
      'during a start',
      async (fault) => {
        await start(null);
        await add('one', 'two', 'three', 'removed');
        await run(2_000);
        const removed = fixture.idOf('removed');
        void fixture.uploads.remove(removed);
        await run(2_000);
        expected.delete('removed');
        await start(null, fault);
        await run(A_MINUTE);
      },
    ],
    [
      'while photos are added',
      async (fault) => {
        await start(null);
        await run(2_000);
        storage.setFault(fault);
        await add('one', 'two', 'three');
        await run(A_MINUTE);
      },
    ],
    [
      'while photos are uploaded and cleared away',
      async (fault) => {
        await start(null);
        await add('one', 'a photo of several chunks');
        await run(2_000);
        storage.setFault(fault);
        fixture.account = 'anna';
        fixture.uploads.onSignedIn();
        await run(A_MINUTE);
      },
    ],
    [
      'while another copy takes over',
      async (fault) => {
        await start(null);
        await add('one', 'two');
        await run(2_000);
        const first = fixture.uploads;
        const later = await storage.photo('later');
        fixture.openPorts = () => storage.openSecond(fixture.clock);
        await start(null, fault);
        expected.add('later');
        void first.addPhotos([later]);
        await run(A_MINUTE);
        noteRefused(first);
        fixture.openPorts = () => storage.open(fixture.clock);
      },
    ],
  ];

  it.each(situations)('neither loses nor duplicates a photo %s', async (_when, situation) => {
    const operations: string[] = [];
    await situation((operation) => {
      operations.push(operation);
      return 'run';
    });
    await deliver();
    const kinds = new Set(operations);
    expect(kinds.size).toBeGreaterThan(2);
    const places = IS_LONG
      ? [...operations.keys()]
      : [...kinds].map((kind) => operations.indexOf(kind));
    for (const failure of FAILURES) {
      for (const [index, place] of places.entries()) {
        const isDrawn = FAILURES[(seed + index) % FAILURES.length] === failure;
        if (!IS_LONG && !isDrawn) continue;
        await storage.dispose();
        await begin();
        let count = -1;
        let failing: string | null = null;
        await situation((operation) => {
          count += 1;
          if (count === place) failing = operation;
          const fails = count === place || (failure.isLasting && operation === failing);
          return fails ? failure.give(fixture.clock) : 'run';
        });
        try {
          await deliver();
        } catch (error) {
          throw new Error(`operation ${place} (${String(failing)}), ${failure.name}`, {
            cause: error,
          });
        }
      }
    }
  });
});
