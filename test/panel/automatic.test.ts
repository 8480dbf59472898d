import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { NO_SAVES, type OnSaveState } from '../../src/features/on-save/upload-on-save.js';
import { PanelFixture } from './fixture.js';
import { en } from '../ui/i18n/translations.js';

let fixture: PanelFixture;

beforeEach(async () => {
  fixture = new PanelFixture({ recordsSteps: true });
  fixture.connectedWith();
  openDocument('xmp.did:coast');
  await show({});
});

function openDocument(documentId: string | null): void {
  fixture.openDocument.set({
    document: {
      key: '59',
      name: 'Coast.psd',
      documentId,
      stateId: '1',
      thumbnail: () => Promise.resolve(null),
    },
    upload: { kind: 'not-uploaded' },
  } as never);
}

async function show(change: Partial<OnSaveState>): Promise<void> {
  const preset = fixture.presets.chosen;
  fixture.onSave.set({ ...NO_SAVES, isAvailable: true, preset, ...change });
  await fixture.drawn();
}

const open = (): Promise<void> => fixture.choose(en.accountMenu, en.automatic);

describe('the window of automatic uploads', () => {
  it('shows why the permission was not given that it requested', async () => {
    await open();
    fixture.isForAnother = true;
    fixture.signIn.set({ kind: 'ended', error: new CwError('CW-103', 'denied') });
    await fixture.drawn();
    expect(fixture.read()).toEqual(expect.arrayContaining([en.automatic, en.deniedTitle]));
    fixture.signIn.set({ kind: 'idle' });
    await fixture.drawn();
    expect(fixture.read()).toContain(en.automatic);
    expect(fixture.read()).not.toContain(en.deniedTitle);
  });

  it('is not offered in an app that can do none of it', async () => {
    const other = new PanelFixture();
    other.connectedWith();
    await other.drawn();
    await other.click(en.accountMenu);
    expect(other.entries()).not.toContain(en.automatic);
  });

  it.each([
    ['off', en.onSaveOff],
    ['document', en.onSaveDocument],
    ['all', en.onSaveAll],
  ] as const)('switches upload on save to %s for the document in front', async (mode, label) => {
    await show({ all: mode === 'off' });
    await open();
    await fixture.choose(mode === 'off' ? en.onSaveAll : en.onSaveOff, label);
    expect(fixture.actions.chooseOnSave).toHaveBeenCalledWith(mode, 'xmp.did:coast');
  });

  it('reports a choice that was not stored', async () => {
    const fault = new CwError('CW-702', 'full');
    fixture.actions.chooseOnSave.mockRejectedValueOnce(fault);
    await open();
    await fixture.choose(en.onSaveOff, en.onSaveAll);
    expect(fixture.faults).toEqual([fault]);
  });

  it('offers no single document where none has an identity', async () => {
    openDocument(null);
    await open();
    await fixture.click(en.onSaveOff);
    expect(fixture.entries()).toEqual([en.onSaveOff, en.onSaveAll]);
  });

  it('chooses the preset, and switches other documents off', async () => {
    await show({ documents: ['xmp.did:coast', 'xmp.did:harbour'] });
    await open();
    expect(fixture.read()).toContain(en.count('onSaveOthers', 1));
    await fixture.click(en.onSaveOffForAll);
    expect(fixture.actions.switchOnSaveOff).toHaveBeenCalledTimes(1);
    await fixture.choose(`${en.preset}${en.presetPrint}`, en.presetWeb);
    expect(fixture.actions.chooseOnSavePreset).toHaveBeenCalledWith('web');
  });

  it.each([
    ['exporting', en.fill('onSaveExporting', { name: 'Coast.psd' })],
    ['waiting', en.fill('onSaveWaiting', { name: 'Coast.psd' })],
    ['stopped', en.fill('onSaveStopped', { name: 'Coast.psd' })],
    ['queued', 'Last copy: Coast.psd, '],
  ] as const)('shows that the last save is %s', async (kind, text) => {
    await show({ last: { name: 'Coast.psd', kind, at: fixture.clock.now() } });
    await open();
    expect(fixture.read().join('\n')).toContain(text);
  });

  it('lists saved documents that were not uploaded, with reason, Try again and Dismiss', async () => {
    const since = fixture.clock.now();
    await show({
      missed: [
        { documentId: 'a', name: 'Coast.psd', since, error: new CwError('CW-805', 'failed') },
        { documentId: 'b', name: 'Island.psd', since, error: null },
      ],
    });
    await fixture.click(en.count('onSaveMissed', 2));
    expect(fixture.read()).toContain(`${en.errors['CW-805']} (CW-805)`);
    expect(fixture.read().join('\n')).toContain('but closed before it was copied');
    await fixture.click(en.tryAgain);
    expect(fixture.actions.retrySave).toHaveBeenCalledWith('a');
    await fixture.click(en.dismiss, 1);
    expect(fixture.actions.dismissSave).toHaveBeenCalledWith('b');
  });

  it('records the chosen preset and the destination as a step, and confirms it', async () => {
    fixture.destinations.set({
      ...fixture.destinations.get(),
      selected: { id: 'p1', name: 'Wedding' },
    });
    await fixture.drawn();
    await open();
    await fixture.click(en.recordStep);
    const [[name, preset] = []] = fixture.actions.recordStep.mock.calls;
    expect([name, preset]).toEqual(['Upload: Print, Wedding', fixture.presets.chosen]);
    expect(fixture.read()).toContain(en.stepRecorded);
  });
});

describe('the line below the document', () => {
  it.each<[string, Partial<OnSaveState>, boolean]>([
    ['while it is off', {}, false],
    ['while it is on for another document', { documents: ['xmp.did:harbour'] }, false],
    ['while it is on for this one', { documents: ['xmp.did:coast'] }, true],
    ['while it is on for all', { all: true }, true],
  ])('is there only when saving uploads the document: %s', async (_case, change, isThere) => {
    await show(change);
    expect(fixture.read().includes(en.onSaveIsOn)).toBe(isThere);
  });
});
