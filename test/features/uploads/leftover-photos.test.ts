import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { UploadHistory } from '../../../src/features/history/upload-history.js';
import type { PendingExchange } from '../../support/conversation.js';
import { memoryRecords, MemoryStorage } from '../../support/memory-host.js';
import {
  filesOf,
  isQuestion,
  DuplicateCheckFixture,
} from '../duplicates/duplicate-check-fixture.js';
import { photoRecord } from '../../support/photo-record.js';

describe('the duplicate check after an account switch', () => {
  let fixture: DuplicateCheckFixture;
  beforeEach(async () => {
    fixture = new DuplicateCheckFixture();
    await fixture.begin();
  });

  const changeAccount = (): void => {
    fixture.account = null;
    fixture.uploads.onSessionEnded();
    fixture.account = 'ben';
    fixture.uploads.onSignedIn();
  };
  /** The faults of ben's session. */
  const answered = (exchange: PendingExchange): void => {
    if (isQuestion(exchange)) fixture.answer(exchange, filesOf(exchange));
    else fixture.respond(exchange);
  };
  const unreachable = (exchange: PendingExchange): void => {
    exchange.fail(new CwError('CW-301', 'reset'));
  };
  const failed = (status: number) => (exchange: PendingExchange) => {
    if (isQuestion(exchange)) exchange.respond(status, {}, { error: 'x' });
    else fixture.respond(exchange);
  };

  interface Row {
    readonly before: string;
    readonly meets: (exchange: PendingExchange) => void;
    readonly seconds: number;
  }
  const rows: readonly Row[] = [
    { before: 'was answered', meets: answered, seconds: 5 },
    { before: 'was refused for good', meets: failed(400), seconds: 5 },
    { before: 'met trouble until it was given up', meets: failed(500), seconds: 120 },
    { before: 'was not reached for minutes', meets: unreachable, seconds: 1_200 },
  ];

  it.each(rows)('starts from scratch where it $before', async ({ meets, seconds }) => {
    fixture.network.onRequest = meets;
    await fixture.uploads.addPhotos([fixture.photo('first')]);
    await fixture.clock.advance(seconds * 1_000);
    fixture.network.onRequest = answered;
    fixture.holds('second');
    changeAccount();
    await fixture.uploads.addPhotos(['second', 'third'].map((text) => fixture.photo(text)));
    await fixture.clock.advance(60_000);

    expect(fixture.list.failedFor('CW-611')).toHaveLength(1);
    expect(fixture.service.arrived('ben')).toContain('third');
    expect(fixture.service.arrived('ben')).not.toContain('second');
  });

  it('checks photos again that the previous check released and that have not begun', async () => {
    fixture.network.onRequest = (exchange) => {
      if (isQuestion(exchange)) fixture.answer(exchange, filesOf(exchange));
    };
    const texts = ['first', 'second', 'third', 'fourth', 'last'];
    await fixture.uploads.addPhotos(texts.map((text) => fixture.photo(text)));
    await fixture.clock.advance(5_000);
    fixture.network.onRequest = answered;
    fixture.holds('last');
    changeAccount();
    await fixture.clock.advance(60_000);

    expect(fixture.list.failedFor('CW-611')).toHaveLength(1);
    expect(fixture.service.arrived('ben')).not.toContain('last');
    expect(fixture.service.arrived('ben')).toContain('fourth');
  });

  it('sends only one photo ahead where one went ahead before and only the check fails now', async () => {
    fixture.network.onRequest = unreachable;
    await fixture.uploads.addPhotos(
      ['first', 'second', 'third'].map((text) => fixture.photo(text)),
    );
    await fixture.clock.advance(1_200_000);
    fixture.network.onRequest = (exchange) => {
      if (isQuestion(exchange)) unreachable(exchange);
      else fixture.respond(exchange);
    };
    fixture.holds('third');
    changeAccount();
    await fixture.clock.advance(200_000);
    fixture.network.onRequest = answered;
    await fixture.clock.advance(60_000);

    expect(fixture.service.arrived('ben')).toEqual(['first', 'second']);
    expect(fixture.list.failedFor('CW-611')).toHaveLength(1);
  });
});

describe('an account switch while the history is being written', () => {
  let storage: MemoryStorage;
  let account: string | null;
  let history: UploadHistory;

  const open = (): UploadHistory => {
    const records = memoryRecords(storage);
    void records.load();
    return new UploadHistory({
      records,
      now: () => 1,
      owner: {
        get: () => (account === null ? null : { keys: [account], workspace: `Studio ${account}` }),
      },
      isOwnAddress: () => true,
    });
  };
  const restart = (): void => {
    history = open();
    history.restore(storage.records);
  };
  const arrive = (id: string): void => {
    history.add(photoRecord(id, 1), {
      hasMatchingCrc: true,
      sha256: null,
      pageUrl: null,
      uploadId: null,
    });
  };
  /** Which photos each account sees, with the workspace. */
  const shown = (): Record<string, readonly string[]> =>
    Object.fromEntries(
      [null, 'anna', 'ben'].map((who) => {
        account = who;
        const photos = history.photos().map(({ id, workspace }) => `${id} in ${workspace}`);
        return [String(who), photos];
      }),
    );

  beforeEach(() => {
    storage = new MemoryStorage();
    account = 'anna';
    history = open();
  });

  const HERS = ['of anna in Studio anna'];
  const HIS = ['of ben in Studio ben'];

  it.each<[string, () => Promise<unknown>, Record<string, readonly string[]>]>([
    ['nothing more', () => Promise.resolve(), { anna: HERS, ben: [] }],
    [
      'a photo of the next one arrives',
      async () => {
        arrive('of ben');
        await history.save();
      },
      { anna: HERS, ben: HIS },
    ],
    [
      'the next one clears the history',
      async () => {
        arrive('of ben');
        await history.clear();
      },
      { anna: HERS, ben: [] },
    ],
    [
      'the next one clears it, then a photo arrives',
      async () => {
        const cleared = history.clear();
        await Promise.resolve();
        await cleared;
        arrive('of ben');
        await history.save();
      },
      { anna: HERS, ben: HIS },
    ],
  ])('keeps each entry with its sender: %s', async (_what, happens, expected) => {
    arrive('of anna');
    const letGo = storage.holdBack((operation) => operation === 'records.put');
    const written = history.save();
    await Promise.resolve();
    account = 'ben';
    const more = happens();
    await Promise.resolve();
    // Also while it is being written.
    expect(shown()['null']).toEqual([]);
    account = 'ben';
    letGo();
    await Promise.all([written, more]);

    expect(shown()).toEqual({ null: [], ...expected });
    restart();
    expect(shown()).toEqual({ null: [], ...expected });
  });

  it('writes a photo that is uploaded during the switch with the next page', async () => {
    arrive('of anna');
    const letGo = storage.holdBack((operation) => operation === 'records.put');
    const written = history.save();
    await Promise.resolve();
    arrive('second of anna');
    account = 'ben';
    arrive('of ben');
    letGo();
    await written;
    const expected = {
      null: [],
      anna: ['second of anna in Studio anna', ...HERS],
      ben: HIS,
    };
    expect(shown()).toEqual(expected);
    account = null;
    await history.save();
    restart();
    expect(shown()).toEqual(expected);
  });

  it('clears the history of the requesting account, also when the account changes first', async () => {
    account = 'ben';
    arrive('of ben');
    await history.save();
    account = 'anna';
    arrive('of anna');
    const letGo = storage.holdBack((operation) => operation === 'records.put');
    const written = history.save();
    await Promise.resolve();
    const cleared = history.clear();
    account = 'ben';
    letGo();
    await Promise.all([written, cleared]);
    expect(shown()).toEqual({ null: [], anna: [], ben: HIS });
    restart();
    expect(shown()).toEqual({ null: [], anna: [], ben: HIS });
  });

  it('assigns no owner to a photo that is uploaded while no account is connected', () => {
    account = null;
    arrive('of nobody');
    expect(shown()).toEqual({ null: [], anna: [], ben: [] });
  });
});
