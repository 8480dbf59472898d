import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { Observable } from '../../../src/util/observable.js';
import type { FolderState, WatchedFolder } from '../../../src/features/folder/folder-watch.js';
import { PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

const AUTUMN = { id: 'p1', name: 'Autumn' };
let folder: Observable<FolderState | null>;
let fixture: PanelFixture;

beforeEach(async () => {
  folder = new Observable<FolderState | null>({ folder: null, isChoosing: false });
  fixture = new PanelFixture({ folder });
  fixture.destinations.set({
    availability: 'ready',
    projects: [{ ...AUTUMN, photos: 3, updated: 1 }],
    selected: null,
    isLoading: false,
    error: null,
  });
  fixture.connectedWith();
  await fixture.drawn();
  await fixture.choose(en.accountMenu, en.automatic);
});

async function show(change: Partial<WatchedFolder>): Promise<void> {
  folder.set({
    isChoosing: false,
    folder: {
      name: 'Exports',
      project: AUTUMN,
      movesUploaded: false,
      takenToday: 0,
      last: null,
      waitsFor: null,
      half: null,
      error: null,
      isForeign: false,
      ...change,
    },
  });
  await fixture.drawn();
}

describe('the watched folder', () => {
  it('is not offered in a host without folders', async () => {
    const other = new PanelFixture();
    other.connectedWith();
    await other.drawn();
    await other.click(en.accountMenu);
    expect(other.entries()).not.toContain(en.automatic);
  });

  it('can be chosen', async () => {
    expect(fixture.read()).toContain(en.folderText);
    await fixture.click(en.chooseFolder);
    expect(fixture.actions.chooseFolder).toHaveBeenCalledTimes(1);
    folder.set({ folder: null, isChoosing: true });
    await fixture.drawn();
    expect(fixture.read()).toContain(en.folderReading);
    await fixture.click(en.done);
    expect(fixture.buttons()).toContain(en.addPhotos);
  });

  it('shows its name, its destination and what was taken', async () => {
    const at = fixture.clock.now();
    await show({ takenToday: 2, last: { name: 'Coast.jpg', at } });
    const text = fixture.read().join('\n');
    expect(text).toContain('Exports');
    expect(text).toContain('2 files added today');
    expect(text).toMatch(/Last: Coast\.jpg, \d/);
    expect(fixture.buttons()).not.toContain(en.chooseFolder);
  });

  it('shows a file whose rest has not come, and one that was taken without it', async () => {
    await show({ waitsFor: 'Coast.jpg', half: 'Dune.jpg' });
    const text = fixture.read().join('\n');
    expect(text).toContain('Waiting for the rest of Coast.jpg');
    expect(text).toContain('Dune.jpg was added but seems incomplete.');
  });

  it('changes its destination, moves uploaded files, and is stopped', async () => {
    await show({});
    await fixture.click('ToAutumn');
    await fixture.click(en.noProject);
    expect(fixture.actions.setFolderProject).toHaveBeenCalledWith(null);
    await fixture.click('Move uploaded files into “Uploaded”');
    expect(fixture.actions.setFolderMoves).toHaveBeenCalledWith(true);
    await fixture.click(en.stopFolder);
    expect(fixture.actions.stopFolder).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Partial<WatchedFolder>, string]>([
    ['is gone', { error: new CwError('CW-705', 'gone') }, en.errors['CW-705']],
    ['is another account’s', { isForeign: true }, en.folderForeign],
  ])('can be chosen again when it %s', async (_what, change, text) => {
    await show(change);
    expect(fixture.read()).toContain(text);
    await fixture.click(en.chooseFolder);
    expect(fixture.actions.chooseFolder).toHaveBeenCalledTimes(1);
  });

  it('is named above the list when it is gone', async () => {
    await fixture.click(en.done);
    await show({ error: new CwError('CW-705', 'gone') });
    expect(fixture.read()).toEqual(
      expect.arrayContaining([en.folderTitle, en.errors['CW-705'], 'CW-705']),
    );
    await fixture.click(en.chooseFolder);
    expect(fixture.actions.chooseFolder).toHaveBeenCalledTimes(1);
  });
});
