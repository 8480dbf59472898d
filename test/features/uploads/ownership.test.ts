import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { UploadFixture, type Account } from '../fixture.js';

let fixture: UploadFixture;

beforeEach(async () => {
  fixture = new UploadFixture();
  await fixture.start();
});

async function disconnect(): Promise<void> {
  await fixture.signOut();
}

async function endSession(): Promise<void> {
  fixture.account = null;
  fixture.uploads.onSessionEnded();
  await fixture.clock.settle();
}

async function connect(account: Account): Promise<void> {
  fixture.account = account;
  fixture.uploads.onSignedIn();
  await fixture.clock.settle();
}

describe('after an explicit Disconnect', () => {
  const question = (): unknown => fixture.uploads.state.get().question;

  it('prompts at the next Connect about earlier photos only, and sends nothing until the answer', async () => {
    await fixture.queue('a', 'b', 'c');
    expect(fixture.uploads.state.get().willAsk).toBe(false);
    await disconnect();
    expect(question()).toBeNull();
    expect(fixture.uploads.state.get().willAsk).toBe(true);
    await connect('ben');
    expect(question()).toEqual({ photos: 3 });
    await fixture.queue('of ben');
    expect(fixture.network.open).toEqual([]);
    expect(question()).toEqual({ photos: 3 });
    await fixture.uploads.answerQuestion(true);
    expect(question()).toBeNull();
    await fixture.clock.settle();
    await fixture.finishAll();
    expect([...fixture.service.arrived('ben')].sort()).toEqual(['a', 'b', 'c', 'of ben']);
    expect(fixture.service.arrived('anna')).toEqual([]);
  });

  it('prompts at the next Connect when the queue could not be read', async () => {
    await fixture.queue('a');
    await fixture.start({ restores: false });
    fixture.storage.fail('records.load', new CwError('CW-702', 'refused'));
    void fixture.uploads.restore();
    await fixture.clock.settle();
    expect(fixture.list.all).toEqual([]);
    await disconnect();
    await fixture.start({ signedOut: true });
    await connect('ben');
    expect(question()).toEqual({ photos: 1 });
    expect(fixture.network.open).toEqual([]);
  });

  it('removes only those photos when the answer is no', async () => {
    await fixture.queue('a', 'b', 'c');
    await disconnect();
    await connect('ben');
    await fixture.queue('of ben');
    await fixture.uploads.answerQuestion(false);
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of ben']);
    await fixture.start();
    await fixture.clock.settle();
    expect(fixture.left).toBe(0);
  });

  it('prompts again after a restart, before and after the Connect', async () => {
    await fixture.queue('a');
    await disconnect();
    await fixture.start();
    await connect('ben');
    expect(question()).toEqual({ photos: 1 });
    await fixture.queue('of ben');
    await fixture.start();
    await fixture.clock.settle();
    expect(question()).toEqual({ photos: 1 });
    expect(fixture.network.open).toEqual([]);
    await fixture.uploads.answerQuestion(true);
    await fixture.start();
    await fixture.clock.settle();
    expect(question()).toBeNull();
    await fixture.finishAll();
    expect([...fixture.service.arrived('ben')].sort()).toEqual(['a', 'of ben']);
  });

  it('shows no prompt when no photo waits', async () => {
    await fixture.queue('a');
    await fixture.finishAll();
    await disconnect();
    await connect('ben');
    expect(question()).toBeNull();
    await fixture.queue('b');
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a', 'b']);
  });

  it('shows no prompt once the photos are removed', async () => {
    await fixture.queue('a');
    await disconnect();
    await connect('ben');
    await fixture.queue('of ben');
    await fixture.uploads.remove(fixture.idOf('a'));
    expect(question()).toBeNull();
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of ben']);
  });

  it('shows no prompt for a later photo when the photos were removed while disconnected', async () => {
    await fixture.queue('a');
    await disconnect();
    await connect('ben');
    await endSession();
    await fixture.uploads.remove(fixture.idOf('a'));
    await fixture.start();
    await fixture.queue('of ben');
    await connect('ben');
    expect(question()).toBeNull();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of ben']);
  });

  it('keeps a photo queued after a removal and a restart when the answer is no', async () => {
    await fixture.queue('a', 'b');
    await disconnect();
    await connect('ben');
    await fixture.uploads.remove(fixture.idOf('b'));
    await fixture.start();
    await fixture.queue('of ben');
    expect(question()).toEqual({ photos: 1 });
    await fixture.uploads.answerQuestion(false);
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of ben']);
  });
});

describe('a start without anything known about a session', () => {
  const state = () => fixture.uploads.state.get();

  async function loseSecureStorage(): Promise<void> {
    fixture.account = null;
    await fixture.start({ signedOut: true });
    await fixture.clock.settle();
  }

  it('prompts about photos of an earlier run, as after a Disconnect', async () => {
    await fixture.queue('a', 'b');
    await loseSecureStorage();
    expect(state()).toMatchObject({ willAsk: true, question: null });
    await connect('ben');
    expect(state().question).toEqual({ photos: 2 });
    expect(fixture.network.open).toEqual([]);
    await fixture.uploads.answerQuestion(false);
    await fixture.clock.settle();
    expect(state()).toMatchObject({ willAsk: false, question: null });
    await fixture.queue('of ben');
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of ben']);
  });

  it('prompts when the app is closed before the next Connect', async () => {
    await fixture.queue('a');
    await loseSecureStorage();
    await fixture.start();
    await connect('ben');
    expect(state().question).toEqual({ photos: 1 });
    await fixture.uploads.answerQuestion(true);
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.service.arrived('ben')).toEqual(['a']);
  });

  it('prompts when an account connects before the queue is read', async () => {
    await fixture.queue('a');
    fixture.account = 'ben';
    await fixture.start({ signedOut: true });
    await fixture.clock.settle();
    expect(state().question).toEqual({ photos: 1 });
    expect(fixture.network.open).toEqual([]);
  });

  it('prompts about all waiting photos when a prompt about some was open', async () => {
    await fixture.queue('of anna');
    await disconnect();
    await connect('ben');
    await fixture.queue('of ben');
    expect(state().question).toEqual({ photos: 1 });
    await loseSecureStorage();
    await connect('anna');
    expect(state().question).toEqual({ photos: 2 });
    await fixture.uploads.answerQuestion(false);
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual([]);
  });

  it('shows no prompt for an empty queue or photos added before the first Connect', async () => {
    await loseSecureStorage();
    expect(state().willAsk).toBe(false);
    await fixture.queue('a');
    expect(state().willAsk).toBe(false);
    await connect('ben');
    expect(state().question).toBeNull();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
  });
});

describe('photos uploaded by one account', () => {
  it.each([
    ['after a Disconnect', disconnect],
    ['after the session ended', endSession],
  ])('are not shown as uploaded to the next, %s', async (_name, end) => {
    await fixture.queue('a', 'b');
    await fixture.finishAll();
    const arrived = () => fixture.list.slice(0, 10).filter(({ phase }) => phase === 'uploaded');
    expect(arrived()).toHaveLength(2);
    await end();
    await connect('ben');
    expect(arrived()).toEqual([]);
    expect(fixture.list.summary.get()).toMatchObject({ uploaded: 0, totalBytes: 0, sentBytes: 0 });
  });
});

it('continues without a prompt at the next Connect after an expired session', async () => {
  await fixture.queue('a photo of two chunks', 'b');
  await fixture.respondTo(fixture.network.open[0]);
  await endSession();
  expect(fixture.network.open).toEqual([]);
  await connect('anna');
  expect(fixture.uploads.state.get().question).toBeNull();
  await fixture.finishAll();
  expect([...fixture.arrived()].sort()).toEqual(['a photo of two chunks', 'b']);
});

describe('a service that reports the connected account', () => {
  const question = (): unknown => fixture.uploads.state.get().question;

  beforeEach(async () => {
    fixture.reports = true;
    await fixture.start();
    await fixture.clock.settle();
  });

  /** Before the service reports who it is. */
  async function connectSilently(account: Account): Promise<void> {
    fixture.isSilent = true;
    await connect(account);
  }

  async function report(): Promise<void> {
    fixture.isSilent = false;
    fixture.report();
    await fixture.clock.settle();
  }

  it('continues without a prompt for the same account after an expired session', async () => {
    await fixture.queue('a');
    await endSession();
    await connect('anna');
    expect(question()).toBeNull();
    await fixture.finishAll();
    expect(fixture.service.arrived('anna')).toEqual(['a']);
  });

  it('continues for the same account after several expired sessions and restarts', async () => {
    for (const text of ['a', 'b', 'c']) {
      await fixture.queue(text);
      await endSession();
      await fixture.start();
      await connect('anna');
    }
    expect(question()).toBeNull();
    await fixture.finishAll();
    expect([...fixture.service.arrived('anna')].sort()).toEqual(['a', 'b', 'c']);
  });

  it('assigns photos added without a session to the previous account', async () => {
    await fixture.queue('a');
    await endSession();
    await fixture.queue('b');
    await connect('anna');
    expect(question()).toBeNull();
    await endSession();
    await fixture.queue('c');
    await connect('ben');
    expect(question()).toEqual({ photos: 3 });
  });

  it('prompts when another account connects after an expired session', async () => {
    await fixture.queue('a', 'b');
    await endSession();
    await connect('ben');
    expect(question()).toEqual({ photos: 2 });
    await fixture.queue('of ben');
    expect(fixture.network.open).toEqual([]);
    await fixture.uploads.answerQuestion(false);
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of ben']);
    // From now on ben is the one before.
    await endSession();
    await fixture.queue('of ben, too');
    await connect('ben');
    expect(question()).toBeNull();
  });

  it('prompts the same account after a Disconnect', async () => {
    await fixture.queue('a');
    await disconnect();
    await connect('anna');
    expect(question()).toEqual({ photos: 1 });
    await fixture.queue('b');
    await fixture.uploads.answerQuestion(false);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['b']);
  });

  it('sends photos added after a Disconnect only to the next connected account', async () => {
    await disconnect();
    await fixture.queue('a');
    await connect('ben');
    expect(question()).toBeNull();
    fixture.uploads.pause();
    await endSession();
    await connect('anna');
    expect(question()).toEqual({ photos: 1 });
  });

  it('sends nothing until the account is known, also over restarts, then prompts about waiting photos', async () => {
    await fixture.queue('a');
    await endSession();
    await connectSilently('ben');
    await fixture.queue('of ben');
    await fixture.clock.advance(4_000);
    expect(fixture.network.open).toEqual([]);
    await fixture.start();
    await fixture.clock.advance(4_000);
    expect(fixture.network.open).toEqual([]);
    expect(question()).toBeNull();
    await report();
    expect(question()).toEqual({ photos: 1 });
    expect(fixture.network.open).toEqual([]);
  });

  it('waits five seconds for the account, then assumes the previous one', async () => {
    await fixture.queue('a');
    await endSession();
    await connectSilently('anna');
    await fixture.clock.advance(4_999);
    expect(fixture.network.open).toEqual([]);
    await fixture.clock.advance(1);
    expect(fixture.network.open).toHaveLength(1);
    expect(fixture.clock.pending).toBe(0);
    await report();
    expect(question()).toBeNull();
    expect(fixture.network.open).toHaveLength(1);
  });

  it('stops and prompts when a late response reports another account', async () => {
    await fixture.queue('a photo of two chunks');
    await endSession();
    await connectSilently('ben');
    await fixture.clock.advance(5_000);
    expect(fixture.network.open).toHaveLength(1);
    await fixture.queue('of ben');
    await report();
    expect(fixture.network.open).toEqual([]);
    expect(question()).toEqual({ photos: 1 });
  });

  it('does not wait for the account at a start in the same session', async () => {
    fixture.uploads.pause();
    await fixture.queue('a');
    fixture.isSilent = true;
    await fixture.start();
    fixture.uploads.resume();
    await fixture.clock.settle();
    expect(fixture.network.open).toHaveLength(1);
  });

  it.each([
    ['anna', 'ben', { photos: 1 }],
    ['ben', 'anna', null],
  ] as const)(
    'ignores the account of an ended connection: %s, then %s',
    async (first, second, asked) => {
      await fixture.queue('a');
      await endSession();
      await connectSilently(first);
      await endSession();
      await connect(second);
      await report();
      expect(question()).toEqual(asked);
      expect(fixture.network.open).toHaveLength(asked ? 0 : 1);
    },
  );

  it('prompts before it restores photos that another account removed', async () => {
    await fixture.queue('a');
    await fixture.uploads.removeAll();
    await endSession();
    await connect('ben');
    expect(question()).toBeNull();
    await fixture.uploads.undoRemoval();
    await fixture.clock.settle();
    expect(question()).toEqual({ photos: 1 });
    expect(fixture.network.open).toEqual([]);
  });

  it('prompts about restored photos although the answer about others was yes', async () => {
    await fixture.queue('a', 'b');
    await fixture.uploads.remove(fixture.idOf('b'));
    await endSession();
    await connect('ben');
    await fixture.uploads.answerQuestion(true);
    await fixture.uploads.undoRemoval();
    await fixture.clock.settle();
    expect(question()).toEqual({ photos: 1 });
    expect(fixture.network.open).toEqual([]);
  });

  it('keeps the previous owner while the switch cannot be stored', async () => {
    await fixture.queue('a');
    await endSession();
    fixture.storage.fail('records.put', new CwError('CW-702', 'refused'));
    await connect('ben');
    expect(fixture.network.open).toEqual([]);
    await fixture.start();
    await fixture.clock.settle();
    expect(question()).toEqual({ photos: 1 });
    expect(fixture.network.open).toEqual([]);
  });
});

describe('a record', () => {
  /** Changes the stored records of all photos, and restarts. */
  async function damaged(change: (record: Record<string, unknown>) => object): Promise<void> {
    fixture.uploads.pause();
    await fixture.queue('a');
    for (const [key, text] of fixture.storage.records)
      if (/^[0-9a-f]{32}$/.test(key))
        fixture.storage.records.set(
          key,
          JSON.stringify(change(JSON.parse(text) as Record<string, unknown>)),
        );
    fixture.uploads.resume();
    await fixture.clock.settle();
  }

  it.each([
    ['without an owner', (record: object) => ({ ...record, owner: undefined })],
    ['with a damaged owner', (record: object) => ({ ...record, owner: 7 })],
  ])('%s belongs to the connected account', async (_case, change) => {
    await damaged(change);
    await disconnect();
    await fixture.start();
    await connect('ben');
    expect(fixture.uploads.state.get().question).toBeNull();
    await fixture.finishAll();
    expect(fixture.service.arrived('ben')).toEqual(['a']);
  });

  it.each(['junk', '{"version":2}', '{"version":1,"owners":7}', '{"version":1,"owners":[7]}'])(
    'of the last account that is %s makes the next session prompt about all photos',
    async (text) => {
      fixture.uploads.pause();
      await fixture.queue('a');
      await endSession();
      fixture.storage.records.set('last-account', text);
      await fixture.start();
      await connect('anna');
      expect(fixture.uploads.state.get().question).toEqual({ photos: 1 });
    },
  );
});
