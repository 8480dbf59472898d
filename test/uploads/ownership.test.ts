import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { Rig, type Account } from './fixture.js';

let rig: Rig;

beforeEach(async () => {
  rig = new Rig();
  await rig.start();
});

async function disconnect(): Promise<void> {
  await rig.signOut();
}

async function endSession(): Promise<void> {
  rig.account = null;
  rig.uploader.onSessionEnded();
  await rig.clock.settle();
}

async function connect(account: Account): Promise<void> {
  rig.account = account;
  rig.uploader.onSignedIn();
  await rig.clock.settle();
}

describe('after an explicit Disconnect', () => {
  const question = (): unknown => rig.uploader.state.get().question;

  it('the next Connect asks, and sends nothing until it is answered; photos queued since are not asked about', async () => {
    await rig.queue('a', 'b', 'c');
    expect(rig.uploader.state.get().willAsk).toBe(false);
    await disconnect();
    expect(question()).toBeNull();
    expect(rig.uploader.state.get().willAsk).toBe(true);
    await connect('ben');
    expect(question()).toEqual({ photos: 3 });
    await rig.queue('of ben');
    expect(rig.network.open).toEqual([]);
    expect(question()).toEqual({ photos: 3 });
    await rig.uploader.answerQuestion(true);
    expect(question()).toBeNull();
    await rig.clock.settle();
    await rig.finishAll();
    expect([...rig.service.arrived('ben')].sort()).toEqual(['a', 'b', 'c', 'of ben']);
    expect(rig.service.arrived('anna')).toEqual([]);
  });

  it('the next Connect asks also where the list could not be read: nobody knows what is on it', async () => {
    await rig.queue('a');
    await rig.start({ restores: false });
    rig.storage.fail('records.load', new CwError('CW-702', 'refused'));
    void rig.uploader.restore();
    await rig.clock.settle();
    expect(rig.list.all).toEqual([]);
    await disconnect();
    await rig.start({ signedOut: true });
    await connect('ben');
    expect(question()).toEqual({ photos: 1 });
    expect(rig.network.open).toEqual([]);
  });

  it('answered with no takes those photos off the list, and leaves the others', async () => {
    await rig.queue('a', 'b', 'c');
    await disconnect();
    await connect('ben');
    await rig.queue('of ben');
    await rig.uploader.answerQuestion(false);
    await rig.clock.settle();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of ben']);
    await rig.start();
    await rig.clock.settle();
    expect(rig.left).toBe(0);
  });

  it('still asks after a restart, before and after the Connect', async () => {
    await rig.queue('a');
    await disconnect();
    await rig.start();
    await connect('ben');
    expect(question()).toEqual({ photos: 1 });
    await rig.queue('of ben');
    await rig.start();
    await rig.clock.settle();
    expect(question()).toEqual({ photos: 1 });
    expect(rig.network.open).toEqual([]);
    await rig.uploader.answerQuestion(true);
    await rig.start();
    await rig.clock.settle();
    expect(question()).toBeNull();
    await rig.finishAll();
    expect([...rig.service.arrived('ben')].sort()).toEqual(['a', 'of ben']);
  });

  it('asks nothing when nothing waits', async () => {
    await rig.queue('a');
    await rig.finishAll();
    await disconnect();
    await connect('ben');
    expect(question()).toBeNull();
    await rig.queue('b');
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a', 'b']);
  });

  it('asks nothing any more when the photos were removed', async () => {
    await rig.queue('a');
    await disconnect();
    await connect('ben');
    await rig.queue('of ben');
    await rig.uploader.remove(rig.idOf('a'));
    expect(question()).toBeNull();
    await rig.clock.settle();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of ben']);
  });

  it('nor about a later photo, when they were removed while nobody was connected', async () => {
    await rig.queue('a');
    await disconnect();
    await connect('ben');
    await endSession();
    await rig.uploader.remove(rig.idOf('a'));
    await rig.start();
    await rig.queue('of ben');
    await connect('ben');
    expect(question()).toBeNull();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of ben']);
  });

  it('answered with no leaves a photo that was queued after some of those were removed and the app restarted', async () => {
    await rig.queue('a', 'b');
    await disconnect();
    await connect('ben');
    await rig.uploader.remove(rig.idOf('b'));
    await rig.start();
    await rig.queue('of ben');
    expect(question()).toEqual({ photos: 1 });
    await rig.uploader.answerQuestion(false);
    await rig.clock.settle();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of ben']);
  });
});

describe('a start without anything known about a session', () => {
  const state = () => rig.uploader.state.get();

  async function loseSecureStorage(): Promise<void> {
    rig.account = null;
    await rig.start({ signedOut: true });
    await rig.clock.settle();
  }

  it('asks about what an earlier run left, as after a Disconnect', async () => {
    await rig.queue('a', 'b');
    await loseSecureStorage();
    expect(state()).toMatchObject({ willAsk: true, question: null });
    await connect('ben');
    expect(state().question).toEqual({ photos: 2 });
    expect(rig.network.open).toEqual([]);
    await rig.uploader.answerQuestion(false);
    await rig.clock.settle();
    expect(state()).toMatchObject({ willAsk: false, question: null });
    await rig.queue('of ben');
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of ben']);
  });

  it('still asks when the app is closed before the next Connect', async () => {
    await rig.queue('a');
    await loseSecureStorage();
    await rig.start();
    await connect('ben');
    expect(state().question).toEqual({ photos: 1 });
    await rig.uploader.answerQuestion(true);
    await rig.clock.settle();
    await rig.finishAll();
    expect(rig.service.arrived('ben')).toEqual(['a']);
  });

  it('asks also when somebody connects before the list was read', async () => {
    await rig.queue('a');
    rig.account = 'ben';
    await rig.start({ signedOut: true });
    await rig.clock.settle();
    expect(state().question).toEqual({ photos: 1 });
    expect(rig.network.open).toEqual([]);
  });

  it('asks about all that waits also where a question about some of it was still open', async () => {
    await rig.queue('of anna');
    await disconnect();
    await connect('ben');
    await rig.queue('of ben');
    expect(state().question).toEqual({ photos: 1 });
    await loseSecureStorage();
    await connect('anna');
    expect(state().question).toEqual({ photos: 2 });
    await rig.uploader.answerQuestion(false);
    await rig.clock.settle();
    await rig.finishAll();
    expect(rig.arrived()).toEqual([]);
  });

  it('asks nothing where nothing waits, nor about what is added before the first Connect', async () => {
    await loseSecureStorage();
    expect(state().willAsk).toBe(false);
    await rig.queue('a');
    expect(state().willAsk).toBe(false);
    await connect('ben');
    expect(state().question).toBeNull();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a']);
  });
});

describe('what one account got', () => {
  it.each([
    ['after a Disconnect', disconnect],
    ['after the session ended', endSession],
  ])('is not said to have arrived for the next, %s', async (_name, end) => {
    await rig.queue('a', 'b');
    await rig.finishAll();
    const arrived = () => rig.list.slice(0, 10).filter(({ phase }) => phase === 'uploaded');
    expect(arrived()).toHaveLength(2);
    await end();
    await connect('ben');
    expect(arrived()).toEqual([]);
    expect(rig.list.summary.get()).toMatchObject({ uploaded: 0, totalBytes: 0, sentBytes: 0 });
  });
});

it('a session that ended by itself goes on with the next Connect, and asks nothing', async () => {
  await rig.queue('a photo of two chunks', 'b');
  await rig.respondTo(rig.network.open[0]);
  await endSession();
  expect(rig.network.open).toEqual([]);
  await connect('anna');
  expect(rig.uploader.state.get().question).toBeNull();
  await rig.finishAll();
  expect([...rig.arrived()].sort()).toEqual(['a photo of two chunks', 'b']);
});

describe('where the service reports who is connected', () => {
  const question = (): unknown => rig.uploader.state.get().question;

  beforeEach(async () => {
    rig.reports = true;
    await rig.start();
    await rig.clock.settle();
  });

  /** Before the service reports who it is. */
  async function connectSilently(account: Account): Promise<void> {
    rig.isSilent = true;
    await connect(account);
  }

  async function report(): Promise<void> {
    rig.isSilent = false;
    rig.report();
    await rig.clock.settle();
  }

  it('goes on without a word after a session that ended by itself, for the same person', async () => {
    await rig.queue('a');
    await endSession();
    await connect('anna');
    expect(question()).toBeNull();
    await rig.finishAll();
    expect(rig.service.arrived('anna')).toEqual(['a']);
  });

  it('goes on so also after several such sessions, and restarts in between', async () => {
    for (const text of ['a', 'b', 'c']) {
      await rig.queue(text);
      await endSession();
      await rig.start();
      await connect('anna');
    }
    expect(question()).toBeNull();
    await rig.finishAll();
    expect([...rig.service.arrived('anna')].sort()).toEqual(['a', 'b', 'c']);
  });

  it('takes photos that were chosen while the session had ended for those of the account before', async () => {
    await rig.queue('a');
    await endSession();
    await rig.queue('b');
    await connect('anna');
    expect(question()).toBeNull();
    await endSession();
    await rig.queue('c');
    await connect('ben');
    expect(question()).toEqual({ photos: 3 });
  });

  it('asks when another person connects after a session that ended by itself', async () => {
    await rig.queue('a', 'b');
    await endSession();
    await connect('ben');
    expect(question()).toEqual({ photos: 2 });
    await rig.queue('of ben');
    expect(rig.network.open).toEqual([]);
    await rig.uploader.answerQuestion(false);
    await rig.clock.settle();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of ben']);
    // From now on ben is the one before.
    await endSession();
    await rig.queue('of ben, too');
    await connect('ben');
    expect(question()).toBeNull();
  });

  it('asks the same person, too, after a Disconnect', async () => {
    await rig.queue('a');
    await disconnect();
    await connect('anna');
    expect(question()).toEqual({ photos: 1 });
    await rig.queue('b');
    await rig.uploader.answerQuestion(false);
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['b']);
  });

  it('sends what was chosen after a Disconnect to whoever connects next, and to nobody after them', async () => {
    await disconnect();
    await rig.queue('a');
    await connect('ben');
    expect(question()).toBeNull();
    rig.uploader.pause();
    await endSession();
    await connect('anna');
    expect(question()).toEqual({ photos: 1 });
  });

  it('sends nothing until it is known, also over restarts, and asks about what waited then', async () => {
    await rig.queue('a');
    await endSession();
    await connectSilently('ben');
    await rig.queue('of ben');
    await rig.clock.advance(4_000);
    expect(rig.network.open).toEqual([]);
    await rig.start();
    await rig.clock.advance(4_000);
    expect(rig.network.open).toEqual([]);
    expect(question()).toBeNull();
    await report();
    expect(question()).toEqual({ photos: 1 });
    expect(rig.network.open).toEqual([]);
  });

  it('waits five seconds for it, and takes the account for the one before then', async () => {
    await rig.queue('a');
    await endSession();
    await connectSilently('anna');
    await rig.clock.advance(4_999);
    expect(rig.network.open).toEqual([]);
    await rig.clock.advance(1);
    expect(rig.network.open).toHaveLength(1);
    expect(rig.clock.pending).toBe(0);
    await report();
    expect(question()).toBeNull();
    expect(rig.network.open).toHaveLength(1);
  });

  it('stops and asks when it is known later that it is another one', async () => {
    await rig.queue('a photo of two chunks');
    await endSession();
    await connectSilently('ben');
    await rig.clock.advance(5_000);
    expect(rig.network.open).toHaveLength(1);
    await rig.queue('of ben');
    await report();
    expect(rig.network.open).toEqual([]);
    expect(question()).toEqual({ photos: 1 });
  });

  it('waits for nothing at a start in the same session', async () => {
    rig.uploader.pause();
    await rig.queue('a');
    rig.isSilent = true;
    await rig.start();
    rig.uploader.resume();
    await rig.clock.settle();
    expect(rig.network.open).toHaveLength(1);
  });

  it.each([
    ['anna', 'ben', { photos: 1 }],
    ['ben', 'anna', null],
  ] as const)(
    'forgets what it learns of a connection that has ended meanwhile: %s, then %s',
    async (first, second, asked) => {
      await rig.queue('a');
      await endSession();
      await connectSilently(first);
      await endSession();
      await connect(second);
      await report();
      expect(question()).toEqual(asked);
      expect(rig.network.open).toHaveLength(asked ? 0 : 1);
    },
  );

  it('asks before it puts back what another person removed', async () => {
    await rig.queue('a');
    await rig.uploader.removeAll();
    await endSession();
    await connect('ben');
    expect(question()).toBeNull();
    await rig.uploader.undoRemoval();
    await rig.clock.settle();
    expect(question()).toEqual({ photos: 1 });
    expect(rig.network.open).toEqual([]);
  });

  it('asks about what comes back although the answer about others was yes', async () => {
    await rig.queue('a', 'b');
    await rig.uploader.remove(rig.idOf('b'));
    await endSession();
    await connect('ben');
    await rig.uploader.answerQuestion(true);
    await rig.uploader.undoRemoval();
    await rig.clock.settle();
    expect(question()).toEqual({ photos: 1 });
    expect(rig.network.open).toEqual([]);
  });

  it('takes the person before for the one before as long as the change cannot be kept', async () => {
    await rig.queue('a');
    await endSession();
    rig.storage.fail('records.put', new CwError('CW-702', 'refused'));
    await connect('ben');
    expect(rig.network.open).toEqual([]);
    await rig.start();
    await rig.clock.settle();
    expect(question()).toEqual({ photos: 1 });
    expect(rig.network.open).toEqual([]);
  });
});

describe('a record', () => {
  /** Changes what is stored of all photos, and starts again. */
  async function damaged(change: (record: Record<string, unknown>) => object): Promise<void> {
    rig.uploader.pause();
    await rig.queue('a');
    for (const [key, text] of rig.storage.records)
      if (/^[0-9a-f]{32}$/.test(key))
        rig.storage.records.set(
          key,
          JSON.stringify(change(JSON.parse(text) as Record<string, unknown>)),
        );
    rig.uploader.resume();
    await rig.clock.settle();
  }

  it.each([
    ['without an owner', (record: object) => ({ ...record, owner: undefined })],
    ['with a damaged owner', (record: object) => ({ ...record, owner: 7 })],
  ])('%s is of whoever is connected', async (_case, change) => {
    await damaged(change);
    await disconnect();
    await rig.start();
    await connect('ben');
    expect(rig.uploader.state.get().question).toBeNull();
    await rig.finishAll();
    expect(rig.service.arrived('ben')).toEqual(['a']);
  });

  it.each(['junk', '{"version":2}', '{"version":1,"owners":7}', '{"version":1,"owners":[7]}'])(
    'of the last account that is %s leaves all photos to be asked about in the next session',
    async (text) => {
      rig.uploader.pause();
      await rig.queue('a');
      await endSession();
      rig.storage.records.set('last-account', text);
      await rig.start();
      await connect('anna');
      expect(rig.uploader.state.get().question).toEqual({ photos: 1 });
    },
  );
});
