import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PlacedRow } from '../../../src/features/placed-files/placed-row.js';
import type { LinkedFilesState } from '../../../src/features/placed-files/linked-files.js';
import type { PlacedStatusState } from '../../../src/features/placed-files/placed-status.js';
import { CwError } from '../../../src/util/errors.js';
import { accountWith } from '../api-fixture.js';
import { PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

const NEXT = { id: 'u9', name: 'Lake 2.jpg', version: 3, size: 5, sha256: 'a'.repeat(64) };
const IDENTITY = { origin: 'o', uploadId: 'u1', sha256: NEXT.sha256, size: 'original' } as const;
const NEWER: PlacedRow = {
  key: '1',
  name: 'Lake.jpg',
  identity: IDENTITY,
  placed: { ...NEXT, id: 'u1', name: 'Lake.jpg', version: 1 },
  status: { kind: 'newer', current: NEXT },
  local: 'present',
};
const CURRENT: PlacedRow = {
  ...NEWER,
  status: { kind: 'current', current: NEXT },
  placed: NEXT,
};

let fixture: PanelFixture;

beforeEach(async () => {
  fixture = new PanelFixture();
  fixture.connectedWith();
  await fixture.drawn();
});

async function show(
  rows: readonly PlacedRow[],
  more: Partial<PlacedStatusState> = {},
): Promise<void> {
  fixture.placedStatus.set({
    ...fixture.placedStatus.get(),
    rows: rows.map((row, index) => ({ ...row, key: String(index) })),
    checkedAt: fixture.clock.now(),
    ...more,
  });
  await fixture.drawn();
}

async function list(): Promise<void> {
  fixture.page.querySelector<HTMLElement>('.feedback-line')?.click();
  await fixture.drawn();
}

const lines = (): string[] =>
  [...fixture.page.querySelectorAll('.placed-entry')].map((entry) =>
    [...entry.querySelectorAll('.placed-about > div')]
      .map(({ textContent }) => textContent)
      .filter((text) => text !== '')
      .join('|'),
  );

describe('the placed files of the open document', () => {
  it('are a line with how many have newer versions, and how many are missing', async () => {
    const line = (): string[] =>
      [...fixture.page.querySelectorAll('.feedback-word')].map(({ textContent }) => textContent);
    expect(line()).toEqual([]);
    await show([CURRENT, CURRENT]);
    expect(line()).toEqual(['2 placed files']);
    expect(fixture.page.querySelector('.feedback-line.new')).toBeNull();
    await show([CURRENT, NEWER, { ...CURRENT, local: 'missing' }]);
    expect(line()).toEqual(['1 newer version', '1 missing']);
    expect(fixture.page.querySelector('.feedback-line.new')).not.toBeNull();
  });

  it.each<[Partial<PlacedRow>, string]>([
    [{}, 'Lake 2.jpg|v1 → v3|Newer version'],
    [{ placed: null }, 'Lake 2.jpg|v3|Newer version'],
    [
      { status: { kind: 'newer-approved', current: NEXT } },
      'Lake 2.jpg|v1 → v3|Newer version, approved',
    ],
    [{ identity: { ...IDENTITY, size: 'web' } }, 'Lake 2.jpg|v1 → v3 · Web size|Newer version'],
    [
      { status: { kind: 'other', current: NEXT }, identity: null, placed: null },
      'Lake 2.jpg|v3|Same document, other content',
    ],
    [CURRENT, 'Lake.jpg|v3|Up to date'],
    [{ ...CURRENT, local: 'missing' }, 'Lake.jpg|v3|Up to date|Missing on this computer'],
    [{ ...CURRENT, local: 'changed' }, 'Lake.jpg|v3|Up to date|Changed on this computer'],
    [{ status: { kind: 'gone' } }, 'Lake.jpg|v1|Deleted from the workspace'],
    [{ status: { kind: 'unknown' }, placed: null }, 'Lake.jpg|Not available to you'],
    [{ status: { kind: 'foreign' }, placed: null }, 'Lake.jpg|From another service'],
    [{ status: { kind: 'unchecked' }, placed: null }, 'Lake.jpg|Not checked yet'],
  ])('list %j', async (row, words) => {
    await show([{ ...NEWER, ...row }]);
    await list();
    expect(lines()).toEqual([words]);
  });

  it('have pictures of both versions, and none of another service', async () => {
    fixture.uploadPicture = 'data:image/jpeg;base64,AAAA';
    await show([NEWER, CURRENT, { ...NEWER, status: { kind: 'foreign' } }]);
    await list();
    const pictures = [...fixture.page.querySelectorAll('.placed-entry')].map(
      (entry) => entry.querySelectorAll('img').length,
    );
    expect(pictures).toEqual([2, 1, 0]);
  });

  it('are checked when the list is opened, and on demand', async () => {
    await show([NEWER]);
    await list();
    expect(fixture.actions.checkPlaced).toHaveBeenCalledTimes(1);
    expect(fixture.page.textContent).toContain('Checked ');
    await fixture.click('Check now');
    expect(fixture.actions.checkPlaced).toHaveBeenCalledTimes(2);
    await show([NEWER], { isChecking: true });
    expect(fixture.page.textContent).toContain(en.checkingPlaced);
    await show([NEWER], { isChecking: false, isAway: true });
    expect(fixture.page.textContent).toContain(en.serviceAway);
    await show([], { error: new CwError('CW-815', 'no') });
    expect(fixture.page.textContent).toContain(en.errors['CW-815']);
    expect(fixture.page.textContent).toContain(en.noPlaced);
    await fixture.click('Done');
    expect(fixture.page.textContent).not.toContain(en.noPlaced);
  });

  it('are listed 50 at a time', async () => {
    await show(Array.from({ length: 120 }, () => NEWER));
    await list();
    expect(lines()).toHaveLength(50);
    await fixture.click('Show more');
    await fixture.click('Show more');
    await fixture.drawn();
    expect(lines()).toHaveLength(120);
    expect(fixture.buttons()).not.toContain('Show more');
  });

  it('offer the permission to see files of others where it is missing', async () => {
    const hidden: PlacedRow = { ...NEWER, status: { kind: 'unknown' } };
    fixture.account.set(accountWith(['uploads:write', 'workspace:read']));
    await show([hidden]);
    await list();
    expect(fixture.page.textContent).not.toContain(en.placedPermission);
    await show([hidden], { needsPermission: true });
    expect(fixture.page.textContent).toContain(en.placedPermission);
    await show([hidden], { needsPermission: false });
    fixture.account.set(accountWith(['uploads:write']));
    await fixture.drawn();
    await fixture.click('Open browser');
    expect(fixture.signInCalls.startForScope.mock.calls).toEqual([['workspace:read']]);
    await show([NEWER]);
    expect(fixture.page.textContent).not.toContain(en.placedPermission);
  });
});

describe('files that were placed another way', () => {
  const OTHERS = ['Lake.jpg', 'Film.mov', 'Map.ai'].map((name, index) => ({
    ...{ key: String(index), name, isRead: index === 2, local: 'present' as const },
  }));
  const set = async (more: Partial<LinkedFilesState>): Promise<void> => {
    fixture.linkedFiles.set({ ...fixture.linkedFiles.get(), ...more });
    await fixture.drawn();
  };

  it('are counted, and read when the user asks for it', async () => {
    await show([], { others: OTHERS });
    expect(fixture.page.querySelector('.feedback-word')?.textContent).toBe('3 placed files');
    await list();
    expect(fixture.page.textContent).toContain('3 files placed another way');
    expect(fixture.page.textContent).toContain('1 of them is not in the workspace.');
    await fixture.click('Find in workspace');
    expect(fixture.actions.recogniseLinked.mock.calls).toEqual([[false]]);
    await set({ progress: { done: 1, total: 2 } });
    expect(fixture.page.textContent).toContain('Reading file 2 of 2');
    expect(fixture.bars()).toEqual(['50%']);
    expect(fixture.buttons()).not.toContain('Find in workspace');
    await fixture.click('Cancel');
    expect(fixture.actions.cancelRecognising).toHaveBeenCalledTimes(1);
  });

  it('say why they were not read, and another folder can be chosen', async () => {
    const notRead = { isRead: false, name: 'Hill.jpg' };
    await show([], {
      others: [
        ...OTHERS,
        { ...notRead, key: '3', local: 'missing' },
        { ...notRead, key: '4', local: 'changed' },
      ],
    });
    await list();
    await set({
      unread: new Map([
        ['0', 'outside'],
        ['1', 'too-long'],
        ['gone', 'outside'],
      ]),
    });
    expect(
      [...fixture.page.querySelectorAll('.placed-entry')].map(({ textContent }) => textContent),
    ).toEqual([
      `Lake.jpg${en.unreadOutside}`,
      `Film.mov${en.unreadTooLong}`,
      `Hill.jpg${en.placedMissing}`,
      `Hill.jpg${en.placedChanged}`,
    ]);
    await fixture.click('Choose folder');
    expect(fixture.actions.recogniseLinked.mock.calls).toEqual([[true]]);
    await set({ error: new CwError('CW-703', 'full') });
    expect(fixture.page.textContent).toContain('CW-703');
  });

  it('are not offered when all are known, or the app has no folders', async () => {
    await show([NEWER], { others: OTHERS.slice(2) });
    await list();
    expect(fixture.buttons()).not.toContain('Find in workspace');
    const away = OTHERS.map((one) => ({ ...one, local: 'missing' as const }));
    await show([NEWER], { others: away });
    expect(fixture.buttons()).not.toContain('Find in workspace');
    await show([NEWER], { others: OTHERS });
    expect(fixture.buttons()).toContain('Find in workspace');
    await set({ canRead: false });
    expect(fixture.buttons()).not.toContain('Find in workspace');
  });
});

describe('an update of placed files', () => {
  const buttons = (): readonly string[] =>
    fixture.buttons().filter((label) => /^(Update|Use original)/.test(label));
  const of = (key: string, name = 'Lake.jpg'): object => ({
    ...{ key, name, version: NEXT, size: 'original' },
  });

  it('is offered for newer versions and missing files, and the original for web sizes', async () => {
    const web = { ...CURRENT, identity: { ...IDENTITY, size: 'web' as const } };
    await show([
      NEWER,
      { ...CURRENT, local: 'missing' },
      web,
      CURRENT,
      { ...CURRENT, local: 'changed' },
    ]);
    await list();
    expect(buttons()).toEqual(['Update all', 'Update', 'Update', 'Use original']);
    await fixture.click('Update', 1);
    await fixture.click('Use original');
    expect(fixture.actions.updatePlaced.mock.calls).toEqual([[[of('1')]], [[of('2')]]]);
    fixture.placedUpdates.set({ ...fixture.placedUpdates.get(), canUpdate: false });
    await fixture.drawn();
    expect(buttons()).toEqual([]);
  });

  it('of all files shows what will change first, and leaves what the user changed', async () => {
    fixture.uploadPicture = 'data:image/jpeg;base64,AAAA';
    await show([NEWER, { ...NEWER, local: 'changed' }, { ...NEWER, name: 'Hill.jpg' }]);
    await list();
    await fixture.click('Update all');
    expect(lines()).toEqual(['Lake 2.jpg|v1 → v3', 'Lake 2.jpg|v1 → v3']);
    expect(fixture.page.querySelectorAll('.placed-entry img')).toHaveLength(4);
    await fixture.click('Cancel');
    expect(fixture.actions.updatePlaced).not.toHaveBeenCalled();
    await fixture.click('Update all');
    await fixture.click('Update 2 files', 0);
    expect(fixture.actions.updatePlaced.mock.calls).toEqual([[[of('0'), of('2', 'Hill.jpg')]]]);
    await fixture.drawn();
    expect(lines()).toHaveLength(3);
  });

  it('of many files shows 50 at a time, and updates all', async () => {
    await show(Array.from({ length: 120 }, (_, index) => ({ ...NEWER, name: `${index}.jpg` })));
    await list();
    await fixture.click('Update all');
    expect(lines()).toHaveLength(50);
    await fixture.click('Show more');
    await fixture.click('Show more');
    expect(lines()).toHaveLength(120);
    await fixture.click('Update 120 files', 0);
    expect(fixture.actions.updatePlaced.mock.calls[0]?.[0]).toHaveLength(120);
  });

  it('of a missing file shows its version once, and that it is missing', async () => {
    await show([{ ...CURRENT, local: 'missing' }]);
    await list();
    await fixture.click('Update all');
    expect(lines()).toEqual([`Lake 2.jpg|v3|${en.placedMissing}`]);
  });

  it('is limited to approved versions', async () => {
    await show([NEWER, { ...NEWER, status: { kind: 'newer-approved', current: NEXT } }]);
    await list();
    await fixture.click('Only approved');
    await fixture.click('Update all');
    await fixture.click('Update 1 file');
    expect(fixture.actions.updatePlaced.mock.calls).toEqual([[[of('1')]]]);
    await show([NEWER]);
    expect(buttons()).toEqual(['Update all', 'Update']);
    await fixture.click('Only approved');
    expect(buttons()).toEqual(['Update']);
  });

  it('says where the app cannot undo it', async () => {
    await show([NEWER]);
    await list();
    expect(fixture.page.textContent).not.toContain(en.updateNotUndoable);
    fixture.placedUpdates.set({ ...fixture.placedUpdates.get(), canUndo: false });
    await fixture.drawn();
    expect(fixture.page.textContent).toContain(en.updateNotUndoable);
    await fixture.click('Update all');
    expect(fixture.page.textContent).toContain(en.updateNotUndoable);
  });

  it('has its progress, can be cancelled, and lists what failed', async () => {
    await show([NEWER]);
    await list();
    const set = async (more: object): Promise<void> => {
      fixture.placedUpdates.set({ ...fixture.placedUpdates.get(), ...more });
      await fixture.drawn();
    };
    await set({ progress: { done: 1, total: 4, isChanging: false } });
    expect(fixture.page.textContent).toContain('Downloading file 2 of 4');
    expect(fixture.bars()).toEqual(['25%']);
    expect(buttons()).toEqual([]);
    await fixture.click('Cancel');
    expect(fixture.actions.cancelPlacedUpdate).toHaveBeenCalledTimes(1);
    await set({ progress: { done: 4, total: 4, isChanging: true } });
    expect(fixture.page.textContent).toContain(en.workingInDocument);
    expect(fixture.buttons()).not.toContain('Cancel');
    await set({ progress: null, result: { updated: 3, failures: [] } });
    expect(fixture.page.textContent).toContain('3 files updated');
    const failures = [{ name: 'Hill.jpg', error: new CwError('CW-818', 'no') }];
    await set({ result: { updated: 3, failures } });
    for (const text of ['1 file was not updated', '3 files updated', 'Hill.jpg', 'CW-818']) {
      expect(fixture.page.textContent).toContain(text);
    }
    await fixture.click('Dismiss');
    expect(fixture.actions.dismissPlacedUpdate).toHaveBeenCalledTimes(1);
  });
});
