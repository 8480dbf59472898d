import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SelectsState } from '../../../src/features/selects/selects-state.js';
import { CwError } from '../../../src/util/errors.js';
import { NO_SELECTS, PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

const LINK = { id: 'l1', name: 'Coast', expires: null };
const RESULT: NonNullable<SelectsState['result']> = {
  kind: 'written',
  total: 4,
  found: 2,
  changed: ['a.xmp'],
  same: 1,
  kept: 1,
  missing: ['b.jpg'],
  ambiguous: ['c.jpg'],
  failed: [{ name: 'd.xmp', reason: 'refused' }],
  stopped: null,
};

let fixture: PanelFixture;

beforeEach(async () => {
  fixture = new PanelFixture();
  fixture.connectedWith();
  fixture.sharing.set('ready');
  await fixture.drawn();
});

async function show(state: Partial<SelectsState>): Promise<void> {
  fixture.selects.set({ ...NO_SELECTS, link: LINK, folder: 'Raw', ...state });
  await fixture.drawn();
}

/** One press of the line in the panel. */
async function pressLine(): Promise<void> {
  fixture.page.querySelector<HTMLElement>('.selects-line')?.click();
  await fixture.drawn();
}

describe('the line of selects', () => {
  it('gets selects with one press', async () => {
    await show({});
    await pressLine();
    expect(fixture.actions.writeSelects).toHaveBeenCalledTimes(1);
    expect(fixture.page.textContent).toContain(en.replaceMarks);
  });

  it.each<[string, Partial<SelectsState>]>([
    ['a link', { link: null }],
    ['a folder', { folder: null }],
    ['a link that works', { link: { ...LINK, expires: 1 } }],
  ])('is missing without %s', async (_what, state) => {
    await show(state);
    expect(fixture.page.querySelector('.selects-line')).toBeNull();
  });

  it('only shows a run that is under way', async () => {
    await show({ steps: 12 });
    await pressLine();
    expect(fixture.actions.writeSelects).not.toHaveBeenCalled();
    expect(fixture.page.textContent).toContain(en.count('selectsSteps', 12));
    await fixture.click(en.cancel);
    expect(fixture.actions.cancelSelects).toHaveBeenCalledTimes(1);
  });
});

describe('the sheet of selects', () => {
  it('opens from the account menu, where the app has folders', async () => {
    await fixture.click(en.accountMenu);
    expect(fixture.entries()).not.toContain(en.getSelects);
    await fixture.click(en.accountMenu);
    fixture.selects.set({ ...NO_SELECTS, isOffered: true });
    await fixture.drawn();
    await fixture.choose(en.accountMenu, en.getSelects);
    await fixture.drawn();
    expect(fixture.page.textContent).toContain(en.chooseLink);
    expect(fixture.buttons()).not.toContain(en.getSelects);
  });

  it('lists the links, those with the newest answers first', async () => {
    const link = {
      url: '',
      created: 1,
      expires: null,
      hasPassword: false,
      photos: 1,
      project: null,
    };
    fixture.actions.shareLinks.mockResolvedValue([
      { ...link, id: 'l1', name: 'Coast' },
      { ...link, id: 'l2', name: 'Dune' },
      { ...link, id: 'l3', name: 'Lake' },
    ]);
    fixture.actions.answeredLinks.mockResolvedValue(
      new Map([
        ['l2', 1],
        ['l3', 2],
      ]),
    );
    await show({});
    await pressLine();
    await fixture.click(`${en.selectsLink}${LINK.name}`);
    await fixture.drawn();
    expect(fixture.entries().map((label) => label.slice(0, 4))).toEqual(['Lake', 'Dune', 'Coas']);
    await fixture.click('Coast');
    expect(fixture.actions.chooseSelectsLink).toHaveBeenCalledWith(LINK);
  });

  it('calls the action of each button', async () => {
    await show({ undoable: 2 });
    await pressLine();
    await fixture.click(en.previewSelects);
    await fixture.click(en.count('undoSelects', 2));
    await fixture.click(en.replaceMarks);
    await fixture.click(`${en.selectsFolder}Raw`);
    expect(fixture.actions.showSelects).toHaveBeenCalledTimes(1);
    expect(fixture.actions.undoSelects).toHaveBeenCalledTimes(1);
    expect(fixture.actions.setReplacing).toHaveBeenCalledWith(true);
    await fixture.click(en.marksIntoFiles);
    expect(fixture.actions.setIntoFiles).toHaveBeenCalledWith(true);
    expect(fixture.actions.chooseSelectsFolder).toHaveBeenCalledTimes(1);
  });

  it('sums up what came of it, with names and reasons', async () => {
    await show({ result: RESULT });
    await pressLine();
    const text = fixture.page.textContent;
    for (const part of [
      en.fill('selectsFound', { found: '2', total: '4' }),
      en.count('selectsChanged', 1),
      en.count('selectsSame', 1),
      en.count('selectsKept', 1),
      `${en.selectsMissing} (1)`,
      'b.jpg',
      `${en.selectsAmbiguous} (1)`,
      `${en.selectsRefused} (1)`,
      'd.xmp',
    ])
      expect(text).toContain(part);
  });

  it.each<[string, Partial<SelectsState>, string]>([
    ['nothing was chosen', { result: { ...RESULT, total: 0 } }, en.noSelects],
    ['it was stopped', { result: { ...RESULT, stopped: 'cancelled' } }, en.selectsCancelled],
    [
      'the records failed',
      { result: { ...RESULT, stopped: new CwError('CW-703', 'full') } },
      en.errors['CW-703'],
    ],
    ['the folder is gone', { error: new CwError('CW-705', 'gone') }, en.errors['CW-705']],
    ['files are back', { result: { ...RESULT, kind: 'undone' } }, en.count('selectsUndone', 1)],
  ])('shows that %s', async (_what, state, text) => {
    await show(state);
    await pressLine();
    expect(fixture.page.textContent).toContain(text);
  });

  it('requests the scopes that are missing', async () => {
    await show({ missingScopes: 'shares:write uploads:read' });
    await pressLine();
    await fixture.click(en.openBrowser);
    expect(fixture.signInCalls.startForScope).toHaveBeenCalledWith('shares:write uploads:read');
  });
});
