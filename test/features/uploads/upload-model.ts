import { expect } from '@jest/globals';
import type { UploadItem } from '../../../src/features/queue/upload-item.js';
import { ACCOUNTS, CONCURRENCY, textOf, type Account, type UploadFixture } from '../fixture.js';

/** The expected state, in its simplest form. */
export interface Model {
  /** Texts of the photos that must be uploaded: queued and not removed since. */
  readonly photos: Set<string>;
  paused: boolean;
  account: Account | null;
  /** Whether the service ended the session, so that nobody has signed out. */
  isEnded: boolean;
  /** The connected or last account. */
  lastAccount: Account;
  queued: number;
  /** The removals that can be undone, the newest last. */
  removals: Removed[];
  /**
   * Texts of the photos of the account connected, or of the next one: queued since somebody signed out or another
   * account was connected, or sent by an answer. A question is about all others.
   */
  readonly own: Set<string>;
  /** Where each photo goes: the id of its project, or null. */
  readonly projects: Map<string, string | null>;
  /** What photos with an earlier version at the service replace, by the user's answers. */
  readonly replaces: Map<string, string>;
  /**
   * Project and replaced version of each finished upload, by account and text. They stay: a photo whose answer was lost
   * can get another project for another account.
   */
  readonly finished: Map<string, FinishedUpload>;
  /** The accounts each photo may go to: connected when queued, connected next, or confirmed in the prompt. */
  readonly mayGoTo: Map<string, Set<Account>>;
}

interface FinishedUpload {
  readonly project: string | null;
  readonly replaces: string | null;
}

/** Texts of photos that were taken off the list together, with their ids. */
export type Removed = ReadonlyMap<string, string>;

/** Nothing queued yet, with anna connected. */
export function newModel(): Model {
  return {
    photos: new Set(),
    paused: false,
    account: 'anna',
    isEnded: false,
    lastAccount: 'anna',
    queued: 0,
    removals: [],
    own: new Set(),
    projects: new Map(),
    replaces: new Map(),
    finished: new Map(),
    mayGoTo: new Map(),
  };
}

/** Photos by their texts, with their ids. */
export function photosOf(items: readonly UploadItem[]): Map<string, string> {
  return new Map(items.map((item) => [textOf(item), item.record.id]));
}

function mayGoTo(model: Model, text: string): Account[] {
  return [...(model.mayGoTo.get(text) ?? [])];
}

/** The photos on the list that need an answer. */
export function others(model: Model, fixture: UploadFixture): string[] {
  return fixture.unsent.map(textOf).filter((text) => !model.own.has(text));
}

export function noteRemoval(model: Model, fixture: UploadFixture, photos: Removed): void {
  for (const [text, id] of photos) {
    model.photos.delete(text);
    fixture.removed.add(id);
  }
  if (photos.size > 0) model.removals.push(photos);
}

export function noteUndone(model: Model, fixture: UploadFixture, photos: Removed): void {
  for (const [text, id] of photos) {
    model.photos.add(text);
    fixture.removed.delete(id);
  }
}

/** A photo was queued: it is for the account connected, or, while there is none, for the next one. */
export function noteQueued(model: Model, fixture: UploadFixture, text: string): void {
  model.projects.set(text, fixture.project?.id ?? null);
  model.own.add(text);
  model.mayGoTo.set(text, new Set(model.account === null ? [] : [model.account]));
}

/** Waiting photos without a prompt are for the connected account. */
export function noteOwners(model: Model, account: Account): void {
  for (const text of model.own) {
    const owners = model.mayGoTo.get(text);
    if (owners?.size === 0) owners.add(account);
  }
}

/** Holds after every command. */
export function checkAll(model: Model, fixture: UploadFixture): void {
  const unsent = fixture.unsent.map(textOf);
  expect(new Set(unsent).size).toBe(unsent.length);
  for (const account of ACCOUNTS) {
    const arrived = fixture.service.arrived(account);
    expect(new Set(arrived).size).toBe(arrived.length);
    for (const photo of arrived) expect([photo, ...mayGoTo(model, photo)]).toContain(account);
    for (const [photo, { project, replaces }] of fixture.service.finished(account)) {
      const key = `${account} ${photo}`;
      const expected = model.finished.get(key) ?? {
        project: model.projects.get(photo) ?? null,
        // Without an answer, nothing may be replaced.
        replaces: fixture.hasKnownUploads ? (model.replaces.get(photo) ?? 'none') : null,
      };
      model.finished.set(key, expected);
      expect({ photo, project, replaces }).toEqual({ photo, ...expected });
    }
  }
  for (const item of fixture.unsent)
    expect([textOf(item), item.record.project?.id ?? null]).toEqual([
      textOf(item),
      model.projects.get(textOf(item)),
    ]);
  const there = new Set([...unsent, ...fixture.arrived()]);
  for (const photo of model.photos) expect([...there]).toContain(photo);
  for (const photo of unsent) expect([...model.photos]).toContain(photo);

  const counts = { waiting: 0, uploading: 0, failed: 0 };
  for (const { phase } of fixture.unsent) if (phase !== 'uploaded') counts[phase] += 1;
  expect(fixture.list.summary.get()).toMatchObject(counts);
  expect(counts.uploading).toBeLessThanOrEqual(CONCURRENCY);

  const busy = fixture.network.open
    .filter(({ request }) => request.method !== 'DELETE')
    .map((exchange) => fixture.photoOf(exchange) ?? exchange.request.url);
  expect(new Set(busy).size).toBe(busy.length);
  // Nor does any byte of a photo leave for somebody else.
  for (const item of fixture.unsent)
    if (busy.includes(item.record.id))
      expect(mayGoTo(model, textOf(item))).toContain(model.account);
  expect(fixture.uploads.state.get().paused).toBe(model.paused);
  const asked = others(model, fixture).length;
  if (model.paused || model.account === null || asked > 0) expect(busy).toEqual([]);
  expect(fixture.sentThoughRemoved).toEqual([]);
  expect(fixture.droppedThoughKept).toEqual([]);
  expect(fixture.uploads.state.get().removal?.photos ?? 0).toBe(
    model.removals[model.removals.length - 1]?.size ?? 0,
  );

  const photoRecords = [...fixture.storage.records.keys()].filter((key) =>
    /^[0-9a-f]{32}$/.test(key),
  );
  for (const id of photoRecords) expect(fixture.storage.spool.has(id)).toBe(true);
  const { question, willAsk } = fixture.uploads.state.get();
  expect(willAsk).toBe(asked > 0);
  expect(question?.photos ?? 0).toBe(model.account === null ? 0 : asked);
}
