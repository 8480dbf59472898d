import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ShownEntry } from '../../../src/features/feedback/document-feedback.js';
import { PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

const COMMENT: ShownEntry = {
  id: 'c1',
  kind: 'comment',
  name: 'Lake.jpg',
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
    [{ place: { hasSpot: true } }, ['Spot']],
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
