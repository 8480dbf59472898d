import { beforeEach, describe, expect, it } from '@jest/globals';
import { CommentsInDocument } from '../../../src/features/feedback/comments-in-document.js';
import type { FeedbackEntry } from '../../../src/features/feedback/feedback-entry.js';
import type { DocumentComment, DocumentComments } from '../../../src/host/document-comments.js';
import { CwError } from '../../../src/util/errors.js';

const ENTRY: FeedbackEntry = {
  ...{ id: 'c1', kind: 'comment', name: 'Lake.jpg', link: 'l1', upload: 'u1', source: '{}' },
  ...{ guest: 'Mia', at: 1, version: 1, isCurrent: true, text: 'Too dark', isDone: false },
  ...{ reply: null, pageUrl: '', place: { page: 2, start: 1, end: 2, spot: { x: 0.5, y: 0.25 } } },
};
const WORDS = { titleOf: ({ guest }: FeedbackEntry) => guest, nameOf: () => 'Comments' };
const PLACE = { page: 2, start: 1, end: 2, spot: { x: 0.5, y: 0.25 }, source: '{}' };

let stored: Map<string, string>;
let shown: readonly DocumentComment[];
let given: ReadonlyMap<string, string>;
let answer: Promise<unknown>;
let front: CommentsInDocument;

const host: DocumentComments = {
  canGoTo: true,
  goTo: (key, place) => Promise.resolve(key === '7' && place.page === 2),
  async show(_, comments, marks) {
    [shown, given] = [comments, marks];
    await answer;
    return {
      marks: new Map(comments.slice(0, 2).map(({ id }) => [id, `m${id}`])),
      uncertain: ['c1'],
      unplaced: comments.slice(2).map(({ id }) => id),
    };
  },
  async remove(_, comments, marks) {
    [shown, given] = [comments, marks];
    await answer;
  },
};

function start(on: DocumentComments | null = host): void {
  const put = (key: string, value: string): Promise<void> => {
    stored.set(key, value);
    return Promise.resolve();
  };
  front = new CommentsInDocument({ host: on, records: { put } });
  front.restore(stored);
  front.setFront({ key: '7', documentId: 'xmp.did:1' });
}

beforeEach(() => {
  stored = new Map();
  answer = Promise.resolve();
  start();
});

describe('the comments in the document', () => {
  const entries = ['c1', 'c2', 'c3'].map((id) => ({ ...ENTRY, id }));
  const others = [
    { ...ENTRY, id: 'd', isDone: true },
    { ...ENTRY, id: 'w', kind: 'changes' as const },
  ];

  it('are those that are open, with their numbers', async () => {
    await front.show([...entries, ...others], WORDS);
    expect(shown.map(({ id }) => id)).toEqual(['c1', 'c2', 'c3']);
    expect(shown[0]).toEqual({ id: 'c1', place: PLACE, title: 'Mia', text: 'Too dark' });
    expect(front.state.get()).toMatchObject({
      ...{ isWorking: false, last: 'shown', uncertain: 1, unplaced: 1, error: null },
      numbers: new Map([
        ['c1', 1],
        ['c2', 2],
      ]),
    });
  });

  it('are found again after a restart, for their document only', async () => {
    await front.show(entries, WORDS);
    start();
    expect(front.state.get()).toMatchObject({ last: 'shown' });
    await front.show(entries, WORDS);
    expect(given).toEqual(
      new Map([
        ['c1', 'mc1'],
        ['c2', 'mc2'],
      ]),
    );
    front.setFront({ key: '8', documentId: 'xmp.did:2' });
    expect(front.state.get()).toMatchObject({ last: null, numbers: new Map() });
    await front.show(entries, WORDS);
    expect(given).toEqual(new Map());
    front.setFront({ key: '9', documentId: 'xmp.did:1' });
    await front.remove(entries, WORDS);
    expect(given.size).toBe(2);
    expect(front.state.get()).toMatchObject({ last: 'removed', numbers: new Map() });
    start();
    expect(front.state.get().last).toBeNull();
  });

  it('are found again in the 50 documents that had some last', async () => {
    for (let number = 1; number <= 51; number += 1) {
      front.setFront({ key: String(number), documentId: `xmp.did:${number}` });
      await front.show(entries, WORDS);
    }
    start();
    const knows = (number: number): boolean => {
      front.setFront({ key: '1', documentId: `xmp.did:${number}` });
      return front.state.get().last === 'shown';
    };
    expect([1, 2, 51].map(knows)).toEqual([false, true, true]);
  });

  it('stay as they were when the app refuses', async () => {
    await front.show(entries, WORDS);
    answer = Promise.reject(new CwError('CW-807', 'busy'));
    answer.catch(() => undefined);
    await front.remove(entries, WORDS);
    expect(front.state.get()).toMatchObject({ last: 'shown', error: { code: 'CW-807' } });
    answer = Promise.resolve();
    await front.show(entries, WORDS);
    expect(given.size).toBe(2);
    expect(front.state.get().error).toBeNull();
  });

  it('are changed once at a time, and for the document that was in front', async () => {
    let end = (): void => undefined;
    answer = new Promise<void>((resolve) => (end = resolve));
    const work = front.show(entries, WORDS);
    expect(front.state.get().isWorking).toBe(true);
    await front.remove([], WORDS);
    expect(shown).toHaveLength(3);
    front.setFront({ key: '8', documentId: null });
    end();
    await work;
    expect(front.state.get()).toMatchObject({ isWorking: false, last: null });
    front.setFront({ key: '7', documentId: 'xmp.did:1' });
    expect(front.state.get()).toMatchObject({ last: 'shown' });
  });

  it('go to their place where the app can', async () => {
    expect(await front.goTo(ENTRY)).toBe(true);
    front.setFront(null);
    expect(await front.goTo(ENTRY)).toBe(false);
    start({ ...host, canGoTo: false });
    expect(await front.goTo(ENTRY)).toBe(false);
    start(null);
    expect(await front.goTo(ENTRY)).toBe(false);
    await front.show(entries, WORDS);
    expect(front.state.get()).toMatchObject({ canShow: false, last: null });
  });

  it.each(['', '[]', '{"xmp.did:1":5}', '{"xmp.did:1":{"c1":5}}'])(
    'ignore %j in storage',
    async (text) => {
      stored.set('feedback-in-document', text);
      start();
      expect(front.state.get().last).toBeNull();
      await front.show(entries, WORDS);
      expect(given.size).toBe(0);
    },
  );
});
