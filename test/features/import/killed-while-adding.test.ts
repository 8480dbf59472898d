import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PhotoSource } from '../../../src/host/photo-source.js';
import { UploadFixture } from '../fixture.js';

const TEXTS = ['a', 'b', 'c', 'd'];

let fixture: UploadFixture;

beforeEach(() => {
  fixture = new UploadFixture();
});

/** Photos whose files a later run can open by their tokens. */
function picked(texts: readonly string[] = TEXTS): PhotoSource[] {
  return texts.map((text) => ({
    ...fixture.photo(text),
    describe: () => Promise.resolve({ token: `token of ${text}`, size: text.length }),
  }));
}

const names = (texts: readonly string[]): string[] => texts.map((text) => `${text}.jpg`);
const notAdded = (): readonly string[] => fixture.uploads.state.get().notAdded;

/** The host opens the files of these tokens. */
function reopens(accepts: (text: string) => boolean): void {
  fixture.reopenPhoto = (token) => {
    const text = token.replace('token of ', '');
    return accepts(text) ? (picked([text])[0] ?? null) : null;
  };
}

/** Adds the photos, and lets the plugin die after so many changes of storage. @returns whether it had ended before */
async function addAndDie(steps: number, texts = TEXTS): Promise<boolean> {
  fixture = new UploadFixture();
  await fixture.start();
  const { storage } = fixture;
  const before = storage.log.filter(isChange).length;
  storage.dieAfter(steps);
  void fixture.uploads.addPhotos(picked(texts));
  await fixture.clock.settle();
  await fixture.finishAll();
  return storage.log.filter(isChange).length - before < steps;
}

/** The notes of photos that are being added. */
function notes(): readonly { readonly name: string; readonly token: string | null }[] {
  return [...fixture.storage.records]
    .filter(([key]) => key.startsWith('picked-'))
    .map(([, text]) => JSON.parse(text) as { name: string; token: string | null });
}

const isChange = (line: string): boolean => /\.(set|put|remove|copy) /.test(`${line} `);

describe('photos that were being added when the plugin was killed', () => {
  it.each<[string, (text: string) => boolean, readonly string[]]>([
    ['goes on by itself', () => true, []],
    ['lists those whose files are gone', (text) => text !== 'b', ['b.jpg']],
    ['lists those that it cannot open', () => false, names(TEXTS)],
  ])('are each uploaded once, or listed: it %s', async (_what, accepts, mayBeListed) => {
    let wereListed = false;
    for (let steps = 1; ; steps += 1) {
      const isOver = await addAndDie(steps);
      const uploadedBefore = fixture.arrived();
      const withoutToken = notes()
        .filter((note) => note.token === null)
        .map(({ name }) => name);
      reopens(accepts);
      await fixture.start();
      await fixture.clock.settle();
      await fixture.finishAll();
      const listed = notAdded();
      // The note of the pick itself is the first change. Before it, nothing was promised.
      const known = steps === 1 && fixture.arrived().length === 0 ? listed : names(TEXTS);
      expect([steps, [...names(fixture.arrived()), ...listed].sort()]).toEqual([
        steps,
        [...known].sort(),
      ]);
      expect(uploadedBefore.every((text) => fixture.arrived().includes(text))).toBe(true);
      expect(listed.every((name) => [...mayBeListed, ...withoutToken].includes(name))).toBe(true);
      expect(fixture.uploads.state.get().orphans).toBe(0);
      wereListed ||= listed.length > 0 && withoutToken.length === 0;
      // What is listed stays listed until it is dismissed, and nothing is sent twice.
      await fixture.start();
      await fixture.finishAll();
      expect(notAdded()).toEqual(listed);
      await fixture.uploads.dismissNotAdded();
      await fixture.start();
      await fixture.finishAll();
      expect(notAdded()).toEqual([]);
      expect(new Set(fixture.arrived()).size).toBe(fixture.arrived().length);
      expect(fixture.left).toBe(0);
      if (isOver) break;
    }
    expect(wereListed).toBe(mayBeListed.length > 0);
  });

  it('are not added after Cancel, nor when they were refused', async () => {
    await fixture.start();
    const adding = fixture.uploads.addPhotos([...picked(['a']), fixture.photo('')]);
    await adding;
    const letGo = fixture.storage.holdBack((operation) => operation === 'spool.copy');
    const cancelled = fixture.uploads.addPhotos(picked(['b', 'c']));
    await fixture.clock.settle();
    fixture.uploads.importer.cancel();
    letGo();
    await cancelled;
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
    expect(fixture.left).toBe(0);
  });

  it.each([
    { name: 'the same name', text: 'a', again: 'a' },
    { name: 'the same name in composed characters', text: 'cafe\u0301', again: 'caf\u00e9' },
  ])('are no longer listed once they are added again: $name', async ({ text, again }) => {
    await addAndDie(2, ['b', text, 'c']);
    await fixture.start();
    await fixture.finishAll();
    expect(notAdded()).toContain(`${text}.jpg`);
    expect(notAdded().length).toBeGreaterThan(1);
    await fixture.queue(again);
    expect(notAdded()).not.toContain(`${text}.jpg`);
    await fixture.finishAll();
    expect(fixture.arrived()).toContain(again);
  });

  it('are uploaded once if the user picks them again while they are copied', async () => {
    await addAndDie(2);
    reopens(() => true);
    await fixture.start();
    const other = { ...fixture.photo('B'), name: 'b.jpg' };
    // Bytes are compared slice by slice.
    await fixture.clock.runUntil(fixture.uploads.addPhotos([...picked(), other]));
    await fixture.finishAll();
    expect([...fixture.arrived()].sort()).toEqual(['B', ...TEXTS].sort());
    expect(fixture.left).toBe(0);
  });

  it('are noted before the photos of an earlier pick are copied', async () => {
    await fixture.start();
    fixture.storage.holdBack((operation) => operation === 'spool.copy');
    void fixture.uploads.addPhotos(picked(['a']));
    void fixture.uploads.addPhotos(picked(['b']));
    await fixture.clock.settle();
    expect(notes()).toHaveLength(2);
  });

  it('keep their project and their owner', async () => {
    fixture.more = { projectDestination: true };
    fixture.project = { id: 'p-1', name: 'Spring' };
    await fixture.start();
    fixture.storage.dieAfter(3);
    void fixture.uploads.addPhotos(picked(['a', 'b']));
    await fixture.clock.settle();
    reopens(() => true);
    fixture.project = null;
    await fixture.start();
    await fixture.clock.settle();
    await fixture.signOut();
    fixture.account = 'ben';
    fixture.uploads.onSignedIn();
    await fixture.clock.settle();
    expect(fixture.uploads.state.get().question).toEqual({ photos: 2 });
    await fixture.uploads.answerQuestion(true);
    await fixture.finishAll();
    expect(fixture.service.arrived('ben')).toEqual(['a', 'b']);
    for (const upload of fixture.service.finished('ben').values())
      expect(upload.project).toBe('p-1');
  });
});
