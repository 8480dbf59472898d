import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ExportableDocument } from '../../../src/host/document-export.js';
import { CwError } from '../../../src/util/errors.js';
import { PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

let fixture: PanelFixture;

beforeEach(async () => {
  fixture = new PanelFixture();
  fixture.connectedWith();
  await fixture.drawn();
});

describe('the open document', () => {
  const document = {
    key: 'd',
    name: 'Lake at dusk.psd',
    documentId: null,
    stateId: '1',
    thumbnail: () => Promise.resolve('data:image/jpeg;base64,AA=='),
  };

  it.each([
    [{ kind: 'not-uploaded' }, 'Not uploaded'],
    [{ kind: 'uploaded', at: new Date(2026, 0, 1, 14, 5).getTime() }, 'Uploaded Jan 1, 2026'],
    [{ kind: 'changed', since: new Date(2026, 0, 1).getTime() }, 'Changed since Jan 1, 2026'],
  ] as const)('shows its picture, its name and its state: %p', async (upload, text) => {
    fixture.openDocument.set({ document, upload, approval: null });
    await fixture.drawn();
    expect(fixture.read()).toEqual(expect.arrayContaining(['Lake at dusk.psd', text]));
    expect(fixture.page.querySelector('.card img')?.getAttribute('src')).toBe(
      'data:image/jpeg;base64,AA==',
    );
    fixture.openDocument.set(null);
    await fixture.drawn();
    expect(fixture.page.querySelector('.card-name')).toBeNull();
  });

  it('shows the picture of its newest state, whichever is made last', async () => {
    const made: ((picture: string) => void)[] = [];
    const thumbnail = (): Promise<string> => new Promise((resolve) => made.push(resolve));
    for (const stateId of ['1', '2']) {
      const open = { ...document, stateId, thumbnail };
      fixture.openDocument.set({
        document: open,
        upload: { kind: 'not-uploaded' },
        approval: null,
      });
      await fixture.drawn();
    }
    made[1]?.('data:image/jpeg;base64,Ag==');
    made[0]?.('data:image/jpeg;base64,AQ==');
    await fixture.drawn();
    expect(fixture.page.querySelector('.card img')?.getAttribute('src')).toBe(
      'data:image/jpeg;base64,Ag==',
    );
  });

  it.each([
    [false, 'Approved v3'],
    [true, 'Approved v3 · you changed it since'],
  ])('shows an approval that is outdated: %s', async (isOutdated, text) => {
    const pageUrl = 'https://service.example/photos/1';
    const upload = { kind: 'uploaded', at: 0 } as const;
    fixture.openDocument.set({ document, upload, approval: { version: 3, isOutdated, pageUrl } });
    await fixture.drawn();
    await fixture.click(text);
    expect(fixture.actions.openPage.mock.calls).toEqual([[pageUrl]]);
  });
});

describe('several documents', () => {
  const DOCUMENTS: readonly ExportableDocument[] = [
    { key: 'a', name: 'Coast.psd', isFront: false, parts: [] },
    {
      key: 'b',
      name: 'Lake.psd',
      isFront: true,
      parts: [
        { id: '1', name: 'Front' },
        { id: '2', name: 'Back' },
      ],
    },
  ];

  it.each<[string, readonly ExportableDocument[], readonly string[]]>([
    ['two documents and artboards', DOCUMENTS, ['All open documents…', 'Artboards…']],
    ['one document without artboards', DOCUMENTS.slice(0, 1), []],
    ['one document with artboards', DOCUMENTS.slice(1), ['Artboards…']],
  ])('are offered as far as there are any: %s', async (_what, documents, entries) => {
    fixture.actions.openDocuments.mockResolvedValue(documents);
    await fixture.click('Print');
    await fixture.drawn();
    expect(fixture.entries().slice(3)).toEqual(['Edit presets…', ...entries]);
  });

  it('are all ticked at first, and uploaded with the chosen preset', async () => {
    fixture.actions.openDocuments.mockResolvedValue(DOCUMENTS);
    await fixture.click('Print');
    await fixture.click('All open documents…');
    await fixture.choose('PresetPrint', 'Web');
    await fixture.drawn();
    await fixture.click('SelectedCoast.psd');
    await fixture.click('Upload 1 document');
    await fixture.drawn();
    expect(fixture.actions.uploadDocuments.mock.calls).toEqual([
      [
        [{ target: { documentKey: 'b', partId: null }, name: 'Lake.psd' }],
        expect.objectContaining({ id: 'web' }),
        'Upload 1 document',
      ],
    ]);
    expect(fixture.buttons()).toContain('Upload this document');
  });

  it('can be the artboards of the one in front', async () => {
    fixture.actions.openDocuments.mockResolvedValue(DOCUMENTS);
    await fixture.click('Print');
    await fixture.click('Artboards…');
    await fixture.click('Upload 2 artboards');
    expect(fixture.actions.uploadDocuments.mock.calls[0]?.[0]).toEqual([
      { target: { documentKey: 'b', partId: '1' }, name: 'Front' },
      { target: { documentKey: 'b', partId: '2' }, name: 'Back' },
    ]);
  });

  it('show how far they are, and which have failed', async () => {
    fixture.batch.set({ done: 2, total: 12, failures: [] });
    await fixture.drawn();
    expect(fixture.read()).toContain('Exporting 3 of 12…');
    await fixture.click('Cancel');
    expect(fixture.actions.cancelDocuments).toHaveBeenCalledTimes(1);
    const failures = ['Coast.psd', 'Lake.psd'].map((name) => ({
      name,
      error: new CwError('CW-805', 'no'),
    }));
    fixture.batch.set({ done: 0, total: 0, failures });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining([
        '2 documents were not uploaded',
        'Coast.psd',
        'Lake.psd',
        en.errors['CW-805'],
      ]),
    );
    await fixture.click('Dismiss');
    expect(fixture.actions.dismissDocuments).toHaveBeenCalledTimes(1);
  });
});
