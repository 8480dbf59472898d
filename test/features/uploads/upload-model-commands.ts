import { expect } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { hasBegun } from '../../../src/features/queue/photo-record.js';
import type { ProjectRef } from '../../../src/api/project.js';
import type { PreviousAnswer } from '../../../src/features/duplicates/previous-version.js';
import type { PendingExchange } from '../../support/conversation.js';
import fc from '../../support/properties.js';
import { ACCOUNTS, textOf, type Account, type UploadFixture } from '../fixture.js';
import { earlierVersionOf } from './model-service.js';
import { metadataOf } from './upload-metadata.js';
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

type Command = fc.AsyncCommand<Model, UploadFixture>;

function command(
  name: string,
  run: (model: Model, fixture: UploadFixture) => Promise<void>,
  canRun: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return {
    check: canRun,
    async run(model, fixture) {
      await run(model, fixture);
      await fixture.clock.settle();
      if (model.account !== null) noteOwners(model, model.account);
      checkAll(model, fixture);
    },
    toString: () => name,
  };
}

const queue = (size: number): Command =>
  command(`queue ${size}`, async (model, fixture) => {
    const text = `${model.queued} ${'x'.repeat(size)}`;
    model.queued += 1;
    model.photos.add(text);
    noteQueued(model, fixture, text);
    await fixture.uploads.addPhotos([fixture.photo(text)]);
  });

/** The plugin dies while it copies a photo: the copy exists whole or not. */
const killWhileQueuing = (steps: number): Command =>
  command(`kill while queuing, after ${steps} steps`, async (model, fixture) => {
    const text = `${model.queued} killed`;
    model.queued += 1;
    noteQueued(model, fixture, text);
    fixture.storage.dieAfter(steps);
    void fixture.uploads.addPhotos([fixture.photo(text)]);
    await fixture.clock.settle();
    await restart(model, fixture);
    await fixture.clock.settle();
    if (fixture.unsent.some((item) => textOf(item) === text)) model.photos.add(text);
    else expect(steps).toBeLessThan(3);
  });

const kill = (): Command =>
  command('kill', async (model, fixture) => {
    await restart(model, fixture);
  });

/**
 * The plugin starts again; nothing can be undone any more, and what was paused stays so. The user removes photos that
 * were found, and takes note of those that were not added.
 */
export async function restart(model: Model, fixture: UploadFixture): Promise<void> {
  model.removals = [];
  await fixture.start();
  if (fixture.uploads.state.get().orphans > 0) {
    await fixture.uploads.answerOrphans(false);
    await fixture.start();
  }
  await fixture.uploads.dismissNotAdded();
}

/** The plugin dies while photos are removed: all of them are, or none. */
const killWhileRemoving = (steps: number): Command =>
  command(`kill while removing all, after ${steps} steps`, async (model, fixture) => {
    model.paused = true;
    fixture.uploads.pause();
    // Uploaded photos are cleared first, so the steps are those of the removal.
    await fixture.clock.advance(1_000);
    const photos = photosOf(fixture.unsent);
    fixture.storage.dieAfter(steps);
    void fixture.uploads.removeAll();
    await fixture.clock.settle();
    await restart(model, fixture);
    await fixture.clock.settle();
    if (steps === 0) return;
    expect(fixture.unsent).toEqual([]);
    noteRemoval(model, fixture, photos);
    model.removals = [];
  });

/** The plugin dies while photos are put back: all of them are, or none. */
const killWhileUndoing = (steps: number): Command =>
  command(`kill while undoing, after ${steps} steps`, async (model, fixture) => {
    const newest = model.removals[model.removals.length - 1];
    if (!newest) return;
    // They may be sent as soon as the plugin runs again; if they were not put back, they must not.
    for (const id of newest.values()) fixture.removed.delete(id);
    fixture.storage.dieAfter(steps);
    void fixture.uploads.undoRemoval();
    await fixture.clock.settle();
    await restart(model, fixture);
    await fixture.clock.settle();
    const left = new Set(fixture.unsent.map(textOf));
    const back = [...newest.keys()].filter((text) => left.has(text)).length;
    if (back === 0) for (const id of newest.values()) fixture.removed.add(id);
    if (back > 0) {
      expect(back).toBe(newest.size);
      noteUndone(model, fixture, newest);
    }
  });

/** The app is opened again, and secure storage has lost the session: the next account is unknown. */
const loseSession = (): Command =>
  command('secure storage is lost', async (model, fixture) => {
    model.own.clear();
    model.account = null;
    model.isEnded = false;
    model.removals = [];
    fixture.account = null;
    await fixture.start({ signedOut: true });
    await fixture.clock.settle();
  });

const answer = (which: number, how: string): Command =>
  command(`${how} ${which}`, async (_model, fixture) => {
    const { open } = fixture.network;
    const exchange = open[which % Math.max(1, open.length)];
    if (!exchange) return;
    const lost = new CwError('CW-301', 'the connection was lost');
    if (how === 'answer') fixture.respond(exchange);
    else if (how === 'refuse') exchange.respond(415, {}, { error: 'refused' });
    else if (how === 'do not find the project of') {
      if (goesToProject(exchange)) exchange.respond(422, {}, { error: 'unknown_project' });
    } else if (how === 'do not allow the project of') {
      if (goesToProject(exchange)) exchange.respond(403, {}, { error: 'insufficient_scope' });
    } else if (how === 'fail') exchange.fail(lost);
    else if (how === 'busy') exchange.respond(503);
    else if (how === 'have no space for')
      exchange.respond(507, {}, { error: 'insufficient_storage' });
    else if (how === 'lose the answer of') {
      fixture.service.handle(fixture.account ?? 'anna', exchange);
      exchange.fail(lost);
    }
    await fixture.clock.settle();
  });

const goesToProject = (exchange: PendingExchange): boolean =>
  metadataOf(exchange)['project'] !== undefined;

const PROJECTS = [null, { id: 'p-1', name: 'Spring' }, { id: 'p-2', name: 'Autumn' }];

const chooseProject = (project: ProjectRef | null): Command =>
  command(`choose ${project?.name ?? 'no project'}`, (_model, fixture) => {
    fixture.project = project;
    return Promise.resolve();
  });

/** Only before anything of the photo is at the service: an upload that has begun stays in its project. */
const setDestination = (which: number, project: ProjectRef | null): Command =>
  command(`send ${which} to ${project?.name ?? 'no project'}`, async (model, fixture) => {
    const item = fixture.pick(which);
    if (!item) return;
    // A photo whose upload the account holds is recorded as begun.
    const isHeld =
      model.account !== null && fixture.service.hasBegun(model.account, item.record.id);
    expect(isHeld && !hasBegun(item.record)).toBe(false);
    if (item.phase !== 'uploading' && !hasBegun(item.record))
      model.projects.set(textOf(item), project?.id ?? null);
    await fixture.uploads.setDestination([item.record.id], project);
  });

/** Records the answer for the photos of the prompt. */
function noteAnswer(model: Model, fixture: UploadFixture, answer: PreviousAnswer): void {
  for (const { name } of fixture.uploads.state.get().previous) {
    const replaced = answer === 'replace' ? earlierVersionOf(name) : 'none';
    model.replaces.set(name.replace(/\.jpg$/, ''), replaced ?? '');
  }
}

export const answerPrevious = (answer: PreviousAnswer): Command =>
  command(`answer ${answer}`, async (model, fixture) => {
    noteAnswer(model, fixture, answer);
    await fixture.uploads.duplicates.answer(answer);
  });

/** The plugin dies while an answer is stored: unstored answers are requested again. */
const killWhileAnswering = (answer: PreviousAnswer, steps: number): Command =>
  command(`kill while answering ${answer}, after ${steps} steps`, async (model, fixture) => {
    noteAnswer(model, fixture, answer);
    fixture.storage.dieAfter(steps);
    void fixture.uploads.duplicates.answer(answer);
    await fixture.clock.settle();
    await restart(model, fixture);
    await fixture.clock.settle();
    forgetUndecided(model, fixture);
  });

/** Photos without a stored answer have none. */
function forgetUndecided(model: Model, fixture: UploadFixture): void {
  for (const item of fixture.unsent)
    if (item.record.replaces === null) model.replaces.delete(textOf(item));
}

/** The plugin dies while photos get another project: each has the old one or the new one, and stays so. */
const killWhileMoving = (project: ProjectRef | null, steps: number): Command =>
  command(
    `kill while sending all to ${project?.name ?? 'no project'}, after ${steps} steps`,
    async (model, fixture) => {
      model.paused = true;
      fixture.uploads.pause();
      await fixture.clock.advance(1_000);
      const items = fixture.unsent.filter(({ record }) => !hasBegun(record));
      fixture.storage.dieAfter(steps);
      void fixture.uploads.setDestination(
        items.map(({ record }) => record.id),
        project,
      );
      await fixture.clock.settle();
      await restart(model, fixture);
      await fixture.clock.settle();
      for (const item of fixture.unsent) {
        const id = item.record.project?.id ?? null;
        const isMoved = items.some(({ record }) => record.id === item.record.id);
        if (isMoved && id === (project?.id ?? null)) model.projects.set(textOf(item), id);
      }
    },
  );

const pause = (): Command =>
  command('pause', async (model, fixture) => {
    model.paused = true;
    fixture.uploads.pause();
    await fixture.clock.settle();
  });

const resume = (): Command =>
  command('resume', async (model, fixture) => {
    model.paused = false;
    fixture.uploads.resume();
    await fixture.clock.settle();
  });

const retry = (which: number): Command =>
  command(`retry ${which}`, async (_model, fixture) => {
    const item = fixture.pick(which);
    if (item) await fixture.uploads.retry(item.record.id);
  });

const retryAll = (): Command =>
  command('retry all', async (_model, fixture) => {
    await retryFailed(fixture);
    expect(fixture.list.summary.get().failed).toBe(0);
  });

export async function retryFailed(fixture: UploadFixture): Promise<void> {
  for (const code of new Set(fixture.unsent.map(({ record }) => record.failure)))
    if (code !== null) await fixture.uploads.retryFailed(code);
}

const makeNext = (which: number): Command =>
  command(`make ${which} next`, async (_model, fixture) => {
    const item = fixture.pick(which);
    if (!item || item.phase === 'uploading') return;
    await fixture.uploads.makeNext(item.record.id);
    const chosen = fixture.list.get(item.record.id);
    const first = fixture.unsent.find(({ phase }) => phase === 'waiting');
    if (chosen?.phase === 'waiting') expect(first?.record.id).toBe(item.record.id);
  });

const remove = (which: number): Command =>
  command(`remove ${which}`, async (model, fixture) => {
    const item = fixture.pick(which);
    if (!item) return;
    noteRemoval(model, fixture, photosOf([item]));
    void fixture.uploads.remove(item.record.id);
    await fixture.clock.settle();
  });

const removeAll = (): Command =>
  command('remove all', async (model, fixture) => {
    noteRemoval(model, fixture, photosOf(fixture.unsent));
    void fixture.uploads.removeAll();
    await fixture.clock.settle();
    expect(fixture.list.all).toEqual([]);
  });

const removeFailed = (): Command =>
  command('remove all that failed for one reason', async (model, fixture) => {
    const failure = fixture.unsent.find(({ phase }) => phase === 'failed')?.record.failure ?? null;
    if (failure === null) return;
    noteRemoval(
      model,
      fixture,
      photosOf(fixture.unsent.filter(({ record }) => record.failure === failure)),
    );
    await fixture.uploads.removeFailed(failure);
  });

const clearUploaded = (): Command =>
  command('clear what arrived', async (_model, fixture) => {
    const unsent = fixture.unsent.map(textOf);
    await fixture.uploads.clearUploaded();
    expect(fixture.list.summary.get().uploaded).toBe(0);
    expect(fixture.list.slice(0, Infinity).map(textOf)).toEqual(unsent);
  });

const undo = (): Command =>
  command('undo a removal', async (model, fixture) => {
    const newest = model.removals.pop();
    if (newest) noteUndone(model, fixture, newest);
    await fixture.uploads.undoRemoval();
    await fixture.clock.settle();
  });

const signOut = (): Command =>
  command(
    'sign out',
    async (model, fixture) => {
      model.own.clear();
      model.account = null;
      await fixture.signOut();
    },
    ({ account }) => account !== null,
  );

/** The service ends the session. */
const sessionEnds = (): Command =>
  command(
    'the session ends',
    async (model, fixture) => {
      model.account = null;
      model.isEnded = true;
      fixture.account = null;
      fixture.uploads.onSessionEnded();
      await fixture.clock.settle();
    },
    ({ account }) => account !== null,
  );

/** Somebody is connected now: another user than before gets nothing of theirs where that can be known. */
function noteConnected(model: Model, fixture: UploadFixture, account: Account): void {
  if (fixture.reports && account !== model.lastAccount && model.isEnded) model.own.clear();
  model.isEnded = false;
  model.account = account;
  model.lastAccount = account;
  fixture.account = account;
}

export const signIn = (account: Account): Command =>
  command(
    `sign in as ${account}`,
    async (model, fixture) => {
      // Without account ids, the same user reconnects after an expired session.
      const next = model.isEnded && !fixture.reports ? model.lastAccount : account;
      noteConnected(model, fixture, next);
      fixture.uploads.onSignedIn();
      await fixture.clock.settle();
      // Answers were about the uploads of the account before.
      forgetUndecided(model, fixture);
    },
    ({ account: connected }) => connected === null,
  );

/** The user uses another account, or the same one after all. @param comes  whether it comes to that */
const switchAccount = (account: Account, comes: boolean, dies: boolean): Command =>
  command(
    `${comes ? '' : 'nearly '}switch to ${account}${dies ? ', killed before it is known' : ''}`,
    async (model, fixture) => {
      const { ownership } = fixture.uploads;
      await ownership.beforeSwitch();
      await fixture.clock.settle();
      expect(fixture.network.open.filter(({ request }) => request.method !== 'DELETE')).toEqual([]);
      const isSame = fixture.reports && (!comes || account === model.lastAccount);
      if (comes) {
        if (!isSame) model.own.clear();
        model.account = account;
        model.lastAccount = account;
        fixture.account = account;
      }
      if (dies) await restart(model, fixture);
      else if (comes) void ownership.afterSwitch();
      else void ownership.abortSwitch();
      await fixture.clock.settle();
      forgetUndecided(model, fixture);
    },
    ({ account: connected }) => connected !== null,
  );

export const answerQuestion = (send: boolean): Command =>
  command(
    `answer ${send ? 'yes' : 'no'}`,
    async (model, fixture) => {
      const asked = new Set(others(model, fixture));
      const photos = new Map([...photosOf(fixture.unsent)].filter(([text]) => asked.has(text)));
      await fixture.uploads.answerQuestion(send);
      if (!send) {
        noteRemoval(model, fixture, photos);
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
  command(`wait ${ms}`, async (_model, fixture) => {
    await fixture.clock.advance(ms);
  });

const nat = fc.nat(20);
export const commands = [
  fc.integer({ min: 0, max: 25 }).map(queue),
  fc.integer({ min: 0, max: 25 }).map(queue),
  nat.map((which) => answer(which, 'answer')),
  nat.map((which) => answer(which, 'answer')),
  nat.map((which) => answer(which, 'answer')),
  fc
    .tuple(
      nat,
      fc.constantFrom(
        'refuse',
        'fail',
        'busy',
        'have no space for',
        'lose the answer of',
        'do not find the project of',
        'do not allow the project of',
      ),
    )
    .map(([which, how]) => answer(which, how)),
  fc.constantFrom(...PROJECTS).map(chooseProject),
  fc.constantFrom(...PROJECTS).map(chooseProject),
  fc
    .tuple(nat, fc.constantFrom(...PROJECTS))
    .map(([which, project]) => setDestination(which, project)),
  fc
    .tuple(fc.constantFrom(...PROJECTS), fc.nat(4))
    .map(([project, steps]) => killWhileMoving(project, steps)),
  fc.constantFrom<PreviousAnswer[]>('replace', 'keep-both').map(answerPrevious),
  fc.constantFrom<PreviousAnswer[]>('replace', 'keep-both').map(answerPrevious),
  fc
    .tuple(fc.constantFrom<PreviousAnswer[]>('replace', 'keep-both'), fc.nat(3))
    .map(([answer, steps]) => killWhileAnswering(answer, steps)),
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
  fc.constant(clearUploaded()),
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
