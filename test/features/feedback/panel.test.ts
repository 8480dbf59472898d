import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OpenDocumentState } from '../../../src/features/documents/document-state.js';
import type { ShownEntry } from '../../../src/features/feedback/document-feedback.js';
import { CwError } from '../../../src/util/errors.js';
import { NOT_IN_DOCUMENT, PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

const COMMENT: ShownEntry = {
  id: 'c1',
  kind: 'comment',
  name: 'Lake.jpg',
  link: 'l1',
  upload: 'u1',
  source: null,
  guest: 'Mia',
  at: Date.UTC(2026, 0, 15, 11),
  version: 2,
  isCurrent: true,
  text: 'Too dark',
  place: {},
  isDone: false,
  reply: null,
  pageUrl: 'https://service.example/photos/1#answers',
  isNew: false,
  isWaiting: false,
};

const OPEN: OpenDocumentState = {
  document: {
    key: '1',
    name: 'Lake.psd',
    documentId: 'xmp.did:1',
    stateId: '1',
    thumbnail: () => Promise.resolve(null),
  },
  upload: { kind: 'not-uploaded' },
  approval: null,
};

let fixture: PanelFixture;

beforeEach(async () => {
  fixture = new PanelFixture();
  fixture.connectedWith();
  await fixture.drawn();
});

async function show(
  entries: readonly Partial<ShownEntry>[],
  needsPermission = false,
): Promise<void> {
  const all = entries.map((entry, index) => ({ ...COMMENT, id: `c${index}`, ...entry }));
  const unseen = all.filter(({ isNew }) => isNew).length;
  fixture.documentFeedback.set({ entries: all, unseen, needsPermission });
  await fixture.drawn();
}

async function list(): Promise<void> {
  fixture.page.querySelector<HTMLElement>('.feedback-line')?.click();
  await fixture.drawn();
}

describe('what clients said about the open document', () => {
  it('is a line with what is open, wanted and new', async () => {
    const line = (): string[] =>
      [...fixture.page.querySelectorAll('.feedback-word')].map(({ textContent }) => textContent);
    expect(line()).toEqual([]);
    await show([{}, { isDone: true }, { kind: 'changes', isCurrent: false }]);
    expect(line()).toEqual(['1 open comment']);
    await show([{ isNew: true }, {}, { kind: 'changes' }]);
    expect(line()).toEqual(['2 open comments', 'Changes requested', '1 new']);
  });

  it.each([
    [{ place: { page: 3 } }, ['Page 3', 'v2', 'Too dark']],
    [{ place: { start: 62.5 } }, ['1:02']],
    [{ place: { start: 4502 } }, ['1:15:02']],
    [{ place: { spot: { x: 0.5, y: 0.5 } } }, ['Spot']],
    [{}, ['Show in browser', 'Mia', 'Lake.jpg']],
    [{ isCurrent: false, version: 1 }, ['About v1']],
    [{ reply: 'Of course', isWaiting: true }, ['Of course', 'Not sent yet']],
  ])('lists %j', async (entry, words) => {
    await show([entry]);
    await list();
    for (const word of words) {
      expect(fixture.page.textContent).toContain(word);
    }
  });

  it('is marked as done, answered, and shown at its place', async () => {
    await show([{}, { isDone: true }, { kind: 'changes' }]);
    await list();
    await fixture.click('Mark as done');
    await fixture.click('Reopen');
    expect(fixture.actions.markFeedback.mock.calls).toEqual([
      ['c0', true],
      ['c1', false],
    ]);
    await fixture.click('Show in browser');
    expect(fixture.actions.openPage.mock.calls).toEqual([[COMMENT.pageUrl]]);
    expect(fixture.page.querySelectorAll('.feedback-entry')).toHaveLength(3);
    await fixture.click('Reply');
    await fixture.type(' Of course ');
    await fixture.click('Send');
    expect(fixture.actions.replyToFeedback.mock.calls).toEqual([['c0', 'Of course']]);
    await fixture.click('Done');
    expect(fixture.page.querySelector('.feedback-entry')).toBeNull();
  });

  it('stays marked as new while the list is open', async () => {
    await show([{ isNew: true }]);
    await list();
    await fixture.drawn();
    expect(fixture.actions.markFeedbackSeen).toHaveBeenCalledTimes(1);
    await show([{ isNew: false }]);
    expect(fixture.page.querySelectorAll('.feedback-new')).toHaveLength(1);
    await show([{ isNew: true, id: 'later' }, {}]);
    await fixture.drawn();
    expect(fixture.actions.markFeedbackSeen).toHaveBeenCalledTimes(2);
  });

  it('goes to its place in the document, or to the browser', async () => {
    fixture.openDocument.set(OPEN);
    await show([{ place: { page: 3 } }, {}]);
    await list();
    fixture.actions.goToFeedback.mockResolvedValue(true);
    await fixture.click('Page 3');
    expect(fixture.actions.goToFeedback.mock.calls).toMatchObject([[{ id: 'c0' }]]);
    expect(fixture.actions.openPage).not.toHaveBeenCalled();
    fixture.actions.goToFeedback.mockResolvedValue(false);
    await fixture.click('Page 3');
    expect(fixture.actions.openPage).toHaveBeenCalledTimes(1);
    await fixture.click('Show in browser');
    expect(fixture.actions.openPage).toHaveBeenCalledTimes(2);
    fixture.inDocument.set({ ...NOT_IN_DOCUMENT, canGoTo: false });
    await fixture.drawn();
    await fixture.click('Page 3');
    expect(fixture.actions.openPage).toHaveBeenCalledTimes(3);
    expect(fixture.actions.goToFeedback).toHaveBeenCalledTimes(2);
  });

  it('has the picture of its file', async () => {
    fixture.uploadPicture = 'data:image/jpeg;base64,AAAA';
    await show([{}]);
    await list();
    expect(fixture.page.querySelector('.feedback-picture img')?.getAttribute('src')).toBe(
      'data:image/jpeg;base64,AAAA',
    );
  });

  it('is shown in the document and removed from it', async () => {
    fixture.openDocument.set(OPEN);
    await show([{}, {}]);
    await list();
    expect(fixture.buttons()).not.toContain(en.removeFromDocument);
    await fixture.click(en.showInDocument);
    expect(fixture.actions.showInDocument).toHaveBeenCalledTimes(1);
    const [words] = fixture.actions.showInDocument.mock.calls[0] ?? [];
    expect(words?.titleOf(COMMENT)).toBe('Mia · v2');
    expect(words?.titleOf({ ...COMMENT, version: 1, isCurrent: false })).toBe('Mia · About v1');
    expect(words?.nameOf([COMMENT, { ...COMMENT, version: 1 }])).toBe(
      'Client comments · v1 v2 · l1',
    );
    const numbers = new Map([['c1', 1]]);
    fixture.inDocument.set({
      ...{ ...NOT_IN_DOCUMENT, last: 'shown', numbers },
      ...{ uncertain: 1, unplaced: 2 },
    });
    await fixture.drawn();
    expect(fixture.page.textContent).toContain('1 comment in the document');
    expect(fixture.page.textContent).toContain('1 comment may be in the wrong place');
    expect(fixture.page.textContent).toContain('2 comments have no place');
    expect(
      [...fixture.page.querySelectorAll('.feedback-number')].map(({ textContent }) => textContent),
    ).toEqual(['1']);
    await fixture.click(en.removeFromDocument);
    expect(fixture.actions.removeFromDocument).toHaveBeenCalledTimes(1);
    fixture.inDocument.set({ ...NOT_IN_DOCUMENT, last: 'removed' });
    await fixture.drawn();
    expect(fixture.page.textContent).toContain(en.removedFromDocument);
    fixture.inDocument.set({ ...NOT_IN_DOCUMENT, error: new CwError('CW-814', 'no') });
    await fixture.drawn();
    expect(fixture.page.textContent).toContain(en.errors['CW-814']);
    fixture.inDocument.set({ ...NOT_IN_DOCUMENT, isWorking: true });
    await fixture.drawn();
    expect(fixture.page.textContent).toContain(en.workingInDocument);
    expect(fixture.buttons()).not.toContain(en.showInDocument);
  });

  it('has no such buttons where the app cannot, nothing is open, or all is done', async () => {
    await show([{}]);
    await list();
    expect(fixture.buttons()).not.toContain(en.showInDocument);
    fixture.openDocument.set(OPEN);
    fixture.inDocument.set({ ...NOT_IN_DOCUMENT, canShow: false });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain(en.showInDocument);
    fixture.inDocument.set(NOT_IN_DOCUMENT);
    await show([{ isDone: true }, { kind: 'changes' }]);
    expect(fixture.buttons()).not.toContain(en.showInDocument);
  });

  it('offers the permission without a list', async () => {
    await show([], true);
    await list();
    expect(fixture.page.textContent).toContain(en.feedbackPermission);
  });

  it('requests the permission when it is needed', async () => {
    await show([{}]);
    await list();
    expect(fixture.page.textContent).not.toContain(en.feedbackPermission);
    await show([{}], true);
    expect(fixture.page.textContent).toContain(en.feedbackPermission);
    await fixture.click('Open browser');
    expect(fixture.signInCalls.startForScope.mock.calls).toEqual([['feedback:write']]);
  });
});
