import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OpenDocument } from '../../../src/host/open-document.js';
import { CwError } from '../../../src/util/errors.js';
import { PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

let fixture: PanelFixture;

/** The labels above the fields and their texts. */
function fields(): Record<string, string> {
  return Object.fromEntries(
    [...fixture.page.querySelectorAll('.labelled')].map((line) => [
      line.querySelector('.field-label')?.textContent ?? '',
      line.querySelector<HTMLElement & { value?: string }>('sp-textfield')?.value ?? '',
    ]),
  );
}

async function type(label: string, text: string): Promise<void> {
  const line = [...fixture.page.querySelectorAll('.labelled')].find(
    (found) => found.querySelector('.field-label')?.textContent === label,
  );
  const field = line?.querySelector<HTMLElement & { value?: string }>('sp-textfield');
  if (!field) throw new Error(`no field ${label}`);
  field.value = text;
  field.dispatchEvent(new Event('input'));
  await fixture.drawn();
}

const example = (): string | undefined =>
  fixture.page.querySelector('.name-example .file-name')?.textContent;

beforeEach(async () => {
  fixture = new PanelFixture();
  fixture.connectedWith();
  await fixture.drawn();
});

describe('the presets in the panel', () => {
  async function edit(row: string): Promise<void> {
    await fixture.choose('Print', 'Edit presets…');
    await fixture.click(row);
  }

  it('take a preset of InDesign, and show one that InDesign no longer has', async () => {
    const offers = [{ format: 'pdf', gives: 'document', appPresets: 'list' } as const];
    fixture = new PanelFixture({ exportOffers: offers });
    const names = ['[High Quality Print]', 'Studio'];
    fixture.actions.appPresets.mockResolvedValue(names.map((name) => ({ id: name, name })));
    fixture.connectedWith();
    await fixture.drawn();
    await fixture.choose('PDF', 'Edit presets…');
    await fixture.click('PDFPDF');
    await fixture.choose(`${en.pdfPreset}${en.lastPdfSettings}`, 'Studio');
    await fixture.click('Save');
    const appPreset = { id: 'Studio', name: 'Studio' };
    expect(fixture.presets.find('pdf')?.settings).toMatchObject({ appPreset });
    fixture.actions.appPresets.mockResolvedValue([]);
    await fixture.click('PDFPDF · Studio');
    await fixture.choose(`${en.pdfPreset}Studio`, en.lastPdfSettings);
    await fixture.click('Save');
    expect(fixture.presets.find('pdf')?.settings).toMatchObject({ appPreset: null });
  });

  it('choose pages, layout and marks of a PDF, and leave them out when all are as before', async () => {
    const offers = [{ format: 'pdf', gives: 'document', choices: ['pdf'] } as const];
    fixture = new PanelFixture({ exportOffers: offers });
    fixture.connectedWith();
    await fixture.drawn();
    await fixture.choose('PDF', 'Edit presets…');
    await fixture.click('PDFPDF');
    await fixture.choose(`${en.pages}${en.allPages}`, en.pageRange);
    expect(fixture.read()).not.toContain('Enter pages as in InDesign, such as 3-7, 12.');
    await fixture.click('Save');
    expect(fixture.read()).toContain('Enter pages as in InDesign, such as 3-7, 12.');
    await type(en.pageRange, '3-7,');
    await fixture.click('Save');
    expect(fixture.actions.savePreset).not.toHaveBeenCalled();
    await type(en.pageRange, '3-7, 12');
    await fixture.choose(`${en.pdfLayout}${en.asInPdfPreset}`, en.spreads);
    await fixture.choose(`${en.marksAndBleed}${en.asInPdfPreset}`, en.cropMarksAndBleed);
    await fixture.click('Save');
    expect(fixture.presets.find('pdf')?.settings.pdf).toEqual({
      pages: { kind: 'range', text: '3-7, 12' },
      layout: 'spreads',
      marks: 'crop-and-bleed',
    });
    await fixture.click(`PDFPDF · 3-7, 12 · ${en.spreads} · ${en.cropMarksAndBleed}`);
    expect(fields()).toMatchObject({ [en.pageRange]: '3-7, 12' });
    await fixture.choose(`${en.pages}${en.pageRange}`, en.allPages);
    await fixture.choose(`${en.pdfLayout}${en.spreads}`, en.asInPdfPreset);
    await fixture.choose(`${en.marksAndBleed}${en.cropMarksAndBleed}`, en.asInPdfPreset);
    await fixture.click('Save');
    expect(fixture.presets.find('pdf')?.settings).not.toHaveProperty('pdf');
  });

  it('choose the whole sequence, or its part from In to Out', async () => {
    const offers = [{ format: 'mp4', gives: 'sequence', choices: ['inOut'] } as const];
    fixture = new PanelFixture({ exportOffers: offers });
    fixture.connectedWith();
    await fixture.drawn();
    await fixture.choose('Video', 'Edit presets…');
    await fixture.click('VideoVideo');
    await fixture.choose(`${en.videoRange}${en.wholeSequence}`, en.inToOut);
    await fixture.click('Save');
    expect(fixture.presets.find('mp4')?.settings.inOut).toBe(true);
    await fixture.click(`VideoVideo · ${en.inToOut}`);
    await fixture.choose(`${en.videoRange}${en.inToOut}`, en.wholeSequence);
    await fixture.click('Save');
    expect(fixture.presets.find('mp4')?.settings).not.toHaveProperty('inOut');
  });

  it('say how much will arrive, follow the document, and why they cannot be used', async () => {
    fixture.actions.lengthOf.mockResolvedValue({ kind: 'pages', pages: 24 });
    const document: OpenDocument = {
      key: 'k1',
      name: 'Book.indd',
      documentId: null,
      stateId: '1',
      thumbnail: () => Promise.resolve(null),
    };
    const open = async (pages: number | CwError): Promise<void> => {
      if (pages instanceof CwError) fixture.actions.lengthOf.mockRejectedValue(pages);
      else fixture.actions.lengthOf.mockResolvedValue({ kind: 'pages', pages });
      fixture.openDocument.set({
        document: { ...document },
        upload: { kind: 'not-uploaded' },
        approval: null,
      });
      await fixture.drawn();
    };
    await open(24);
    expect(fixture.read()).toContain('24 pages');
    await open(25);
    expect(fixture.read()).toContain('25 pages');
    await open(new CwError('CW-813', 'no'));
    expect(fixture.read()).toContain(en.errors['CW-813']);
    expect(fixture.read()).not.toContain('25 pages');
    expect(fixture.actions.lengthOf.mock.lastCall).toEqual([
      expect.objectContaining({ id: 'print' }),
    ]);
    await fixture.choose('Print', 'Web');
    await fixture.drawn();
    expect(fixture.actions.lengthOf.mock.lastCall).toEqual([
      expect.objectContaining({ id: 'web' }),
    ]);
    expect(fixture.faults).toEqual([]);
  });

  it('need a preset file of Premiere for a video', async () => {
    const offers = [{ format: 'mp4', gives: 'sequence', appPresets: 'file' } as const];
    fixture = new PanelFixture({ exportOffers: offers });
    fixture.connectedWith();
    await fixture.drawn();
    expect(fixture.buttons()).toContain('Upload this sequence');
    await fixture.choose('Video', 'Edit presets…');
    await fixture.click('VideoVideo');
    await fixture.click('Save');
    expect(fixture.read()).toContain(en.exportPresetText);
    const appPreset = { id: 'token', name: 'Studio 1080p' };
    fixture.actions.pickAppPreset.mockResolvedValueOnce(null).mockResolvedValueOnce(appPreset);
    for (let press = 0; press < 2; press += 1) await fixture.click(en.chooseFile);
    await fixture.click('Save');
    expect(fixture.presets.find('mp4')?.settings).toMatchObject({ appPreset });
  });

  it('are listed with what they make, and opened by a press', async () => {
    await fixture.choose('Print', 'Edit presets…');
    expect(fixture.buttons()).toEqual([
      en.accountMenu,
      'Done',
      'OriginalPSD',
      'WebJPEG · 2048\u00a0px',
      'PrintJPEG',
      'New preset',
    ]);
    await fixture.click('WebJPEG · 2048\u00a0px');
    expect(fields()).toMatchObject({ Name: 'Web', 'Long edge in pixels': '2048' });
    await fixture.click('Cancel');
    await fixture.click('Done');
    expect(fixture.buttons()).toContain('Upload this document');
  });

  it('are saved with what was changed, and reset', async () => {
    await edit('WebJPEG · 2048\u00a0px');
    await fixture.choose('Quality10', '8');
    await fixture.choose('ColorsRGB', en.documentProfile);
    await type('Long edge in pixels', '1600');
    await type('File name', '{date} {name}');
    await type('Creator', 'Anna');
    await fixture.click('SelectedRemove location');
    await fixture.click('Save');
    expect(fixture.presets.find('web')).toMatchObject({
      name: null,
      namePattern: '{date} {name}',
      settings: {
        quality: 8,
        profile: 'document',
        longEdge: 1600,
        metadata: { removeLocation: false, creator: 'Anna' },
      },
    });
    await fixture.drawn();
    await fixture.click('WebJPEG · 1600\u00a0px');
    await fixture.click('Reset');
    await fixture.drawn();
    expect(fixture.buttons()).toContain('WebJPEG · 2048\u00a0px');
  });

  it('show only what the app can do in their format', async () => {
    await edit('OriginalPSD');
    expect(Object.keys(fields())).toEqual(['Name', 'File name']);
    await fixture.choose('FormatPSD', 'TIFF');
    expect(fixture.buttons()).toEqual(expect.arrayContaining(['FormatTIFF', 'Bit depth8 bit']));
    expect(fixture.buttons()).not.toContain('ColorsRGB');
    await fixture.choose('Bit depth8 bit', '16 bit');
    await fixture.click('Save');
    expect(fixture.presets.find('original')?.settings).toMatchObject({
      format: 'tif',
      bitDepth: 16,
      longEdge: null,
    });
  });

  it('require an approval by a tick, where the app reports changes', async () => {
    await edit('WebJPEG · 2048\u00a0px');
    await fixture.click(en.onlyClientApproved);
    await fixture.click('Save');
    expect(fixture.presets.find('web')?.approvedOnly).toBe(true);
    await fixture.drawn();
    await fixture.click(`WebJPEG · 2048\u00a0px · ${en.ifApproved}`);
    await fixture.click(`Selected${en.onlyClientApproved}`);
    await fixture.click('Save');
    expect(fixture.presets.find('web')).not.toHaveProperty('approvedOnly');
    const offers = [{ format: 'mp4', gives: 'sequence', choices: ['inOut'] } as const];
    fixture = new PanelFixture({ exportOffers: offers });
    fixture.connectedWith();
    await fixture.drawn();
    await fixture.choose('Video', 'Edit presets…');
    await fixture.click('VideoVideo');
    expect(fixture.buttons()).not.toContain(en.onlyClientApproved);
  });

  it('are made new and copied under another name, and deleted after a question', async () => {
    await fixture.choose('Print', 'Edit presets…');
    await fixture.click('New preset');
    await fixture.click('Save');
    expect(fixture.read()).toContain(en.nameMissing);
    await type('Name', ' Instagram ');
    await fixture.click('Save');
    expect(fixture.presets.find('new')).toMatchObject({ name: 'Instagram', kind: 'print' });
    await fixture.drawn();
    await fixture.click('InstagramJPEG');
    await fixture.click('Duplicate');
    expect(fields()).toMatchObject({ Name: 'Instagram 2' });
    await fixture.click('Cancel');
    await fixture.click('InstagramJPEG');
    await fixture.click('Delete');
    await fixture.click('Cancel', 1);
    await fixture.click('Delete');
    await fixture.click('Delete this preset');
    expect(fixture.presets.find('new')).toBeNull();
    await fixture.drawn();
    expect(fixture.buttons()).toContain('New preset');
  });

  it('show the name of the next copy while it is typed, and say what is wrong with it', async () => {
    await edit('WebJPEG · 2048\u00a0px');
    expect(example()).toBe('DSC_0123-web.jpg');
    await type('File name', '{preset}');
    expect(example()).toBe('Web.jpg');
    await fixture.click('{name}');
    expect(example()).toBe('WebDSC_0123.jpg');
    for (const [pattern, problem] of [
      ['', en.patternEmpty],
      ['{title}', en.patternPlaceholder],
      ['x'.repeat(101), en.patternLong],
    ] as const) {
      await type('File name', pattern);
      expect(fixture.read()).toContain(problem);
    }
    await type('File name', 'a/b');
    expect(fixture.read().some((text) => text.startsWith('A file name cannot contain'))).toBe(true);
    await fixture.click('Save');
    expect(fixture.actions.savePreset).not.toHaveBeenCalled();
  });

  it.each(['0', '15', '30001', 'big', '-5', '20.5'])(
    'refuse %s as the long edge',
    async (pixels) => {
      await edit('WebJPEG · 2048\u00a0px');
      await type('Long edge in pixels', pixels);
      expect(fixture.read()).toContain('Enter a number from 16 to 30,000, or leave it empty.');
      await fixture.click('Save');
      expect(fixture.actions.savePreset).not.toHaveBeenCalled();
    },
  );

  it('stay open when they cannot be stored', async () => {
    fixture.actions.savePreset.mockRejectedValueOnce(new CwError('CW-702', 'no'));
    await edit('WebJPEG · 2048\u00a0px');
    await type('Creator', 'Anna');
    await fixture.click('Save');
    expect(fixture.read()).toContain('CW-702');
    expect(fields()).toMatchObject({ Creator: 'Anna' });
  });
});
