import { expect } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import fc from '../support/properties.js';
import { ACCOUNTS, textOf, type Account, type Rig } from './fixture.js';
import {
  checkAll,
  noteOwners,
  noteQueued,
  noteRemoval,
  noteUndone,
  others,
  photosOf,
  type Model,
} from './upload-model.js';

type Command = fc.AsyncCommand<Model, Rig>;

function command(
  name: string,
  run: (model: Model, rig: Rig) => Promise<void>,
  canRun: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return {
    check: canRun,
    async run(model, rig) {
      await run(model, rig);
      await rig.clock.settle();
      if (model.account !== null) noteOwners(model, model.account);
      checkAll(model, rig);
    },
    toString: () => name,
  };
}

const queue = (size: number): Command =>
  command(`queue ${size}`, async (model, rig) => {
    const text = `${model.queued} ${'x'.repeat(size)}`;
    model.queued += 1;
    model.photos.add(text);
    noteQueued(model, text);
    await rig.uploader.addPhotos([rig.photo(text)]);
  });

/** The plugin dies while it makes a photo safe: the photo is there whole, or not at all. */
const killWhileQueuing = (steps: number): Command =>
  command(`kill while queuing, after ${steps} steps`, async (model, rig) => {
    const text = `${model.queued} killed`;
    model.queued += 1;
    noteQueued(model, text);
    rig.storage.dieAfter(steps);
    void rig.uploader.addPhotos([rig.photo(text)]);
    await rig.clock.settle();
    await restart(model, rig);
    await rig.clock.settle();
    if (rig.unsent.some((item) => textOf(item) === text)) model.photos.add(text);
    else expect(steps).toBeLessThan(3);
  });

const kill = (): Command =>
  command('kill', async (model, rig) => {
    await restart(model, rig);
  });

/**
 * The plugin starts again; nothing can be undone any more, and what was paused stays so. The person removes photos that
 * were found.
 */
export async function restart(model: Model, rig: Rig): Promise<void> {
  model.removals = [];
  await rig.start();
  if (rig.uploader.state.get().found > 0) {
    await rig.uploader.answerFound(false);
    await rig.start();
  }
}

/** The plugin dies while photos are removed: all of them are, or none. */
const killWhileRemoving = (steps: number): Command =>
  command(`kill while removing all, after ${steps} steps`, async (model, rig) => {
    model.paused = true;
    rig.uploader.pause();
    // What has arrived is cleared away first: the steps are those of the removal.
    await rig.clock.advance(1_000);
    const photos = photosOf(rig.unsent);
    rig.storage.dieAfter(steps);
    void rig.uploader.removeAll();
    await rig.clock.settle();
    await restart(model, rig);
    await rig.clock.settle();
    if (steps === 0) return;
    expect(rig.unsent).toEqual([]);
    noteRemoval(model, rig, photos);
    model.removals = [];
  });

/** The plugin dies while photos are put back: all of them are, or none. */
const killWhileUndoing = (steps: number): Command =>
  command(`kill while undoing, after ${steps} steps`, async (model, rig) => {
    const newest = model.removals[model.removals.length - 1];
    if (!newest) return;
    // They may be sent as soon as the plugin runs again; if they were not put back, they must not.
    for (const id of newest.values()) rig.removed.delete(id);
    rig.storage.dieAfter(steps);
    void rig.uploader.undoRemoval();
    await rig.clock.settle();
    await restart(model, rig);
    await rig.clock.settle();
    const left = new Set(rig.unsent.map(textOf));
    const back = [...newest.keys()].filter((text) => left.has(text)).length;
    if (back === 0) for (const id of newest.values()) rig.removed.add(id);
    if (back > 0) {
      expect(back).toBe(newest.size);
      noteUndone(model, rig, newest);
    }
  });

/** The app is opened anew, and secure storage has lost the session: nobody knows who connects next. */
const loseSession = (): Command =>
  command('secure storage is lost', async (model, rig) => {
    model.own.clear();
    model.account = null;
    model.isEnded = false;
    model.removals = [];
    rig.account = null;
    await rig.start({ signedOut: true });
    await rig.clock.settle();
  });

const answer = (which: number, how: string): Command =>
  command(`${how} ${which}`, async (_model, rig) => {
    const { open } = rig.network;
    const exchange = open[which % Math.max(1, open.length)];
    if (!exchange) return;
    const lost = new CwError('CW-301', 'the connection was lost');
    if (how === 'answer') rig.respond(exchange);
    else if (how === 'refuse') exchange.respond(415, {}, { error: 'refused' });
    else if (how === 'fail') exchange.fail(lost);
    else if (how === 'busy') exchange.respond(503);
    else {
      rig.service.handle(rig.account ?? 'anna', exchange);
      exchange.fail(lost);
    }
    await rig.clock.settle();
  });

const pause = (): Command =>
  command('pause', async (model, rig) => {
    model.paused = true;
    rig.uploader.pause();
    await rig.clock.settle();
  });

const resume = (): Command =>
  command('resume', async (model, rig) => {
    model.paused = false;
    rig.uploader.resume();
    await rig.clock.settle();
  });

const retry = (which: number): Command =>
  command(`retry ${which}`, async (_model, rig) => {
    const item = rig.pick(which);
    if (item) await rig.uploader.retry(item.record.id);
  });

const retryAll = (): Command =>
  command('retry all', async (_model, rig) => {
    await retryFailed(rig);
    expect(rig.list.summary.get().failed).toBe(0);
  });

export async function retryFailed(rig: Rig): Promise<void> {
  for (const code of new Set(rig.unsent.map(({ record }) => record.failure)))
    if (code !== null) await rig.uploader.retryFailed(code);
}

const makeNext = (which: number): Command =>
  command(`make ${which} next`, async (_model, rig) => {
    const item = rig.pick(which);
    if (!item || item.phase === 'uploading') return;
    await rig.uploader.makeNext(item.record.id);
    const chosen = rig.list.get(item.record.id);
    const first = rig.unsent.find(({ phase }) => phase === 'waiting');
    if (chosen?.phase === 'waiting') expect(first?.record.id).toBe(item.record.id);
  });

const remove = (which: number): Command =>
  command(`remove ${which}`, async (model, rig) => {
    const item = rig.pick(which);
    if (!item) return;
    noteRemoval(model, rig, photosOf([item]));
    void rig.uploader.remove(item.record.id);
    await rig.clock.settle();
  });

const removeAll = (): Command =>
  command('remove all', async (model, rig) => {
    noteRemoval(model, rig, photosOf(rig.unsent));
    void rig.uploader.removeAll();
    await rig.clock.settle();
    expect(rig.list.all).toEqual([]);
  });

const removeFailed = (): Command =>
  command('remove all that failed for one reason', async (model, rig) => {
    const failure = rig.unsent.find(({ phase }) => phase === 'failed')?.record.failure ?? null;
    if (failure === null) return;
    noteRemoval(
      model,
      rig,
      photosOf(rig.unsent.filter(({ record }) => record.failure === failure)),
    );
    await rig.uploader.removeFailed(failure);
  });

const clearArrived = (): Command =>
  command('clear what arrived', async (_model, rig) => {
    const unsent = rig.unsent.map(textOf);
    await rig.uploader.clearArrived();
    expect(rig.list.summary.get().uploaded).toBe(0);
    expect(rig.list.slice(0, Infinity).map(textOf)).toEqual(unsent);
  });

const undo = (): Command =>
  command('undo a removal', async (model, rig) => {
    const newest = model.removals.pop();
    if (newest) noteUndone(model, rig, newest);
    await rig.uploader.undoRemoval();
    await rig.clock.settle();
  });

const signOut = (): Command =>
  command(
    'sign out',
    async (model, rig) => {
      model.own.clear();
      model.account = null;
      await rig.signOut();
    },
    ({ account }) => account !== null,
  );

/** The service ends the session by itself. */
const sessionEnds = (): Command =>
  command(
    'the session ends',
    async (model, rig) => {
      model.account = null;
      model.isEnded = true;
      rig.account = null;
      rig.uploader.onSessionEnded();
      await rig.clock.settle();
    },
    ({ account }) => account !== null,
  );

/** Somebody is connected now: another person than before gets nothing of theirs where that can be known. */
function noteConnected(model: Model, rig: Rig, account: Account): void {
  if (rig.reports && account !== model.lastAccount && model.isEnded) model.own.clear();
  model.isEnded = false;
  model.account = account;
  model.lastAccount = account;
  rig.account = account;
}

export const signIn = (account: Account): Command =>
  command(
    `sign in as ${account}`,
    async (model, rig) => {
      // Where nothing tells accounts apart, the same person connects again after a session that ended by itself.
      const next = model.isEnded && !rig.reports ? model.lastAccount : account;
      noteConnected(model, rig, next);
      rig.uploader.onSignedIn();
      await rig.clock.settle();
    },
    ({ account: connected }) => connected === null,
  );

/** The person uses another account, or the same one after all. @param comes  whether it comes to that */
const switchAccount = (account: Account, comes: boolean, dies: boolean): Command =>
  command(
    `${comes ? '' : 'nearly '}switch to ${account}${dies ? ', killed before it is known' : ''}`,
    async (model, rig) => {
      const { ownership } = rig.uploader;
      await ownership.beforeSwitch();
      await rig.clock.settle();
      expect(rig.network.open.filter(({ request }) => request.method !== 'DELETE')).toEqual([]);
      const isSame = rig.reports && (!comes || account === model.lastAccount);
      if (comes) {
        if (!isSame) model.own.clear();
        model.account = account;
        model.lastAccount = account;
        rig.account = account;
      }
      if (dies) await restart(model, rig);
      else if (comes) void ownership.afterSwitch();
      else void ownership.abortSwitch();
      await rig.clock.settle();
    },
    ({ account: connected }) => connected !== null,
  );

export const answerQuestion = (send: boolean): Command =>
  command(
    `answer ${send ? 'yes' : 'no'}`,
    async (model, rig) => {
      const asked = new Set(others(model, rig));
      const photos = new Map([...photosOf(rig.unsent)].filter(([text]) => asked.has(text)));
      await rig.uploader.answerQuestion(send);
      if (!send) {
        noteRemoval(model, rig, photos);
        return;
      }
      for (const text of asked) {
        model.own.add(text);
        if (model.account !== null) model.mayGoTo.get(text)?.add(model.account);
      }
    },
    ({ account }) => account !== null,
  );

const wait = (ms: number): Command =>
  command(`wait ${ms}`, async (_model, rig) => {
    await rig.clock.advance(ms);
  });

const nat = fc.nat(20);
export const commands = [
  fc.integer({ min: 0, max: 25 }).map(queue),
  fc.integer({ min: 0, max: 25 }).map(queue),
  nat.map((which) => answer(which, 'answer')),
  nat.map((which) => answer(which, 'answer')),
  nat.map((which) => answer(which, 'answer')),
  fc
    .tuple(nat, fc.constantFrom('refuse', 'fail', 'busy', 'lose the answer of'))
    .map(([which, how]) => answer(which, how)),
  fc.constant(pause()),
  fc.constant(resume()),
  fc.constant(kill()),
  fc.constant(loseSession()),
  fc.nat(4).map(killWhileQueuing),
  nat.map(retry),
  fc.constant(retryAll()),
  nat.map(makeNext),
  nat.map(remove),
  nat.map(remove),
  fc.constant(removeAll()),
  fc.constant(removeFailed()),
  fc.constant(clearArrived()),
  fc.constant(undo()),
  fc.constant(undo()),
  fc.nat(2).map(killWhileRemoving),
  fc.nat(3).map(killWhileUndoing),
  fc.constant(signOut()),
  fc.constant(sessionEnds()),
  fc.constantFrom(...ACCOUNTS).map(signIn),
  fc.constantFrom(...ACCOUNTS).map(signIn),
  fc
    .tuple(fc.constantFrom(...ACCOUNTS), fc.boolean(), fc.boolean())
    .map(([account, comes, dies]) => switchAccount(account, comes, dies)),
  fc.boolean().map(answerQuestion),
  fc.nat(5000).map(wait),
];
