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

  it('asks at the next Connect about earlier photos only, and sends nothing until the answer', async () => {
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

  it('asks at the next Connect when the queue could not be read', async () => {
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

  it('removes only those photos when the answer is no', async () => {
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

  it('asks again after a restart, before and after the Connect', async () => {
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

  it('asks nothing when no photo waits', async () => {
    await rig.queue('a');
    await rig.finishAll();
    await disconnect();
    await connect('ben');
    expect(question()).toBeNull();
    await rig.queue('b');
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a', 'b']);
  });

  it('asks nothing once the photos are removed', async () => {
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

  it('does not ask about a later photo when the photos were removed while disconnected', async () => {
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

  it('keeps a photo queued after a removal and a restart when the answer is no', async () => {
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

  it('asks about photos of an earlier run, as after a Disconnect', async () => {
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

  it('asks when an account connects before the queue is read', async () => {
    await rig.queue('a');
    rig.account = 'ben';
    await rig.start({ signedOut: true });
    await rig.clock.settle();
    expect(state().question).toEqual({ photos: 1 });
    expect(rig.network.open).toEqual([]);
  });

  it('asks about all waiting photos when a question about some was open', async () => {
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

  it('asks nothing about an empty queue or photos added before the first Connect', async () => {
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

it('continues without a question at the next Connect after an expired session', async () => {
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

  it('continues without a question for the same account after an expired session', async () => {
    await rig.queue('a');
    await endSession();
    await connect('anna');
    expect(question()).toBeNull();
    await rig.finishAll();
    expect(rig.service.arrived('anna')).toEqual(['a']);
  });

  it('continues for the same account after several expired sessions and restarts', async () => {
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

  it('assigns photos added without a session to the previous account', async () => {
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

  it('asks when another account connects after an expired session', async () => {
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

  it('asks the same account, too, after a Disconnect', async () => {
    await rig.queue('a');
    await disconnect();
    await connect('anna');
    expect(question()).toEqual({ photos: 1 });
    await rig.queue('b');
    await rig.uploader.answerQuestion(false);
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['b']);
  });

  it('sends photos added after a Disconnect only to the next connected account', async () => {
    await disconnect();
    await rig.queue('a');
    await connect('ben');
    expect(question()).toBeNull();
    rig.uploader.pause();
    await endSession();
    await connect('anna');
    expect(question()).toEqual({ photos: 1 });
  });

  it('sends nothing until the account is known, also over restarts, then asks about waiting photos', async () => {
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

  it('waits five seconds for the account, then assumes the previous one', async () => {
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

  it('stops and asks when a late response reports another account', async () => {
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

  it('does not wait for the account at a start in the same session', async () => {
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

  it('asks before it restores photos that another account removed', async () => {
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

  it('asks about restored photos although the answer about others was yes', async () => {
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

  it('keeps the previous owner while the switch cannot be stored', async () => {
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
