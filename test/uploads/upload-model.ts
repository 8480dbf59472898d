import { expect } from '@jest/globals';
import type { UploadItem } from '../../src/uploads/upload-item.js';
import { ACCOUNTS, CONCURRENCY, textOf, type Account, type Rig } from './rig.js';

/** What must be true, as simple as it can be said. */
export interface Model {
  /** Texts of the photos that must arrive: queued and not taken off the list since. */
  readonly photos: Set<string>;
  paused: boolean;
  account: Account | null;
  /** Whether the service ended the session: it is the same person who connects again. */
  isEnded: boolean;
  /** Who was connected when the person disconnected with photos waiting; nothing goes out until they answer. */
  asksAbout: Account | null;
  /** The photos it is about: all that waited when an account was connected again; null until then. */
  asked: ReadonlySet<string> | null;
  /** Who is connected, or was last. */
  lastAccount: Account;
  queued: number;
  /** What can be put back, the newest last. */
  removals: Removed[];
  /** Whom each photo may go to: who was connected when it was queued, or is next; and whoever said yes to the question. */
  readonly mayGoTo: Map<string, Set<Account>>;
  /** How often the person disconnected, and the photos that were on the list before the account now connected. */
  disconnects: number;
  earlier: ReadonlySet<string>;
}

export interface Removed {
  readonly photos: ReadonlyMap<string, string>;
  /** `disconnects` at that time; null when they were refused to the account connected, or the question was about them. */
  readonly owner: number | null;
}

/** Nothing queued yet, with anna connected. */
export function newModel(): Model {
  return {
    photos: new Set(),
    paused: false,
    account: 'anna',
    isEnded: false,
    asksAbout: null,
    asked: null,
    lastAccount: 'anna',
    queued: 0,
    removals: [],
    mayGoTo: new Map(),
    disconnects: 0,
    earlier: new Set(),
  };
}

/** Photos by their texts, with their ids. */
export function photosOf(items: readonly UploadItem[]): Map<string, string> {
  return new Map(items.map((item) => [textOf(item), item.record.id]));
}

export function everQueued({ queued }: Model): ReadonlySet<string> {
  return new Set(Array.from({ length: queued }, (_, number) => String(number)));
}

function mayGoTo(model: Model, text: string): Account[] {
  return [...(model.mayGoTo.get(text) ?? [])];
}

/** Whether a photo was queued before the account now connected was. */
function isEarlier(model: Model, text: string): boolean {
  return model.earlier.has(text.split(' ')[0] ?? '');
}

/** Whether the open question is about any of these photos; before it is shown, it is about all. */
function isAskedAbout({ asksAbout, asked }: Model, photos: Map<string, string>): boolean {
  return asksAbout !== null && [...photos.keys()].some((text) => asked?.has(text) ?? true);
}

export function noteRemoval(
  model: Model,
  rig: Rig,
  photos: Map<string, string>,
  refused = false,
): void {
  const owner = refused || isAskedAbout(model, photos) ? null : model.disconnects;
  for (const [text, id] of photos) {
    model.photos.delete(text);
    rig.removed.add(id);
  }
  if (photos.size > 0) model.removals.push({ photos, owner });
}

export function noteUndone(model: Model, rig: Rig, { photos, owner }: Removed): void {
  for (const [text, id] of photos) {
    model.photos.add(text);
    rig.removed.delete(id);
  }
  if (model.asksAbout === null && owner !== model.disconnects) {
    model.asksAbout = model.lastAccount;
    model.asked = new Set();
  }
  if (model.asked !== null)
    model.asked = new Set([
      ...model.asked,
      ...[...model.photos].filter((text) => isEarlier(model, text)),
    ]);
}

/** A photo was queued: it is for the account connected, or, while there is none, for the next one. */
export function noteQueued(model: Model, text: string): void {
  model.mayGoTo.set(text, new Set(model.account === null ? [] : [model.account]));
}

/** What waits with nobody to ask about it is for the account connected. */
export function noteOwners(model: Model, account: Account): void {
  for (const text of model.photos) {
    const owners = model.mayGoTo.get(text);
    if (owners?.size === 0) owners.add(account);
  }
}

/** Holds after every command. */
export function checkAll(model: Model, rig: Rig): void {
  const unsent = rig.unsent.map(textOf);
  expect(new Set(unsent).size).toBe(unsent.length);
  for (const account of ACCOUNTS) {
    const arrived = rig.service.arrived(account);
    expect(new Set(arrived).size).toBe(arrived.length);
    for (const photo of arrived) expect([photo, ...mayGoTo(model, photo)]).toContain(account);
  }
  const there = new Set([...unsent, ...rig.arrived()]);
  for (const photo of model.photos) expect([...there]).toContain(photo);
  for (const photo of unsent) expect([...model.photos]).toContain(photo);

  const counts = { waiting: 0, uploading: 0, failed: 0 };
  for (const { phase } of rig.unsent) if (phase !== 'uploaded') counts[phase] += 1;
  expect(rig.list.summary.get()).toMatchObject(counts);
  expect(counts.uploading).toBeLessThanOrEqual(CONCURRENCY);

  const busy = rig.network.open
    .filter(({ request }) => request.method !== 'DELETE')
    .map((exchange) => rig.service.photoOf(exchange) ?? exchange.request.url);
  expect(new Set(busy).size).toBe(busy.length);
  // Nor does any byte of a photo leave for somebody else.
  for (const item of rig.unsent)
    if (busy.includes(item.record.id))
      expect(mayGoTo(model, textOf(item))).toContain(model.account);
  expect(rig.uploader.state.get().paused).toBe(model.paused);
  if (model.paused || model.account === null || model.asksAbout !== null) expect(busy).toEqual([]);
  expect(rig.sentThoughRemoved).toEqual([]);
  expect(rig.droppedThoughKept).toEqual([]);
  expect(rig.uploader.state.get().removal?.photos ?? 0).toBe(
    model.removals[model.removals.length - 1]?.photos.size ?? 0,
  );

  const photoRecords = [...rig.storage.records.keys()].filter((key) => /^[0-9a-f]{32}$/.test(key));
  for (const id of photoRecords) expect(rig.storage.spool.has(id)).toBe(true);
  const question = rig.uploader.state.get().question;
  expect(question !== null).toBe(model.asksAbout !== null && model.account !== null);
}
