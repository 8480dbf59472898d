import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { plainSettings } from '../../../src/features/presets/preset.js';
import { bytes, DocumentFixture, itTellsTroubles } from './document-fixture.js';

describe('uploading the open document', () => {
  let fixture: DocumentFixture;

  beforeEach(async () => {
    fixture = await DocumentFixture.open('photoshop');
  });
  afterEach(() => {
    fixture.close();
  });

  it.each([
    ['jpg', 'Coast.jpg', 'image/jpeg', { quality: 12, embedColorProfile: true }],
    ['png', 'Coast.png', 'image/png', {}],
    ['psd', 'Coast.psd', 'image/vnd.adobe.photoshop', { embedColorProfile: true }],
  ] as const)(
    'saves a copy as %s in a modal scope, and queues it',
    async (format, name, type, options) => {
      const { photoshop } = fixture.control;
      photoshop.openDocument({ name: 'Coast.psd', bytes: { [format]: bytes('pixels') } });
      await fixture.upload(format);
      expect(fixture.error()).toBeUndefined();
      expect(fixture.queued()).toEqual([`${name} (${type}): pixels`]);
      // As a copy: the document stays where it is, saved or not.
      expect(photoshop.copies).toMatchObject([
        { document: 'Coast.psd', format, options, asCopy: true },
      ]);
      expect(photoshop.modalScopes).toEqual(['Dokument hochladen']);
      expect(fixture.leftOver()).toEqual([]);
    },
  );

  it('gives the app the settings of the chosen preset, and the copy the name by its pattern', async () => {
    const { state: stores, context } = fixture.plugin.panel;
    const { actions } = context;
    const web = stores.presets.get().list.find(({ id }) => id === 'web');
    if (!web) throw new Error('no web preset');
    const settings = { ...plainSettings('jpg'), quality: 10 };
    await actions.savePreset({ ...web, settings });
    await actions.choosePreset('web');
    const { chosen } = stores.presets.get();
    if (!chosen) throw new Error('nothing chosen');
    const { photoshop } = fixture.control;
    photoshop.openDocument({ name: 'Coast.psd', bytes: { jpg: bytes('pixels') } });
    await actions.uploadDocument(chosen, 'Dokument hochladen');
    expect(fixture.queued()).toEqual(['Coast-web.jpg (image/jpeg): pixels']);
    expect(photoshop.copies).toMatchObject([{ format: 'jpg', options: { quality: 10 } }]);
  });

  it('queues the current document each time', async () => {
    const { photoshop } = fixture.control;
    for (const text of ['first', 'second']) {
      photoshop.openDocument({ name: 'Untitled-1', bytes: { jpg: bytes(text) } });
      await fixture.upload('jpg');
    }
    expect(fixture.queued()).toEqual([
      'Untitled-1.jpg (image/jpeg): first',
      'Untitled-1.jpg (image/jpeg): second',
    ]);
  });

  it('reports no error and can be repeated when the user presses Escape', async () => {
    const { photoshop } = fixture.control;
    photoshop.openDocument({ name: 'a.psd', bytes: { jpg: bytes('x') } });
    photoshop.saves = 'go on until Escape';
    const uploading = fixture.upload('jpg');
    const pressing = setInterval(() => photoshop.cancelModal(), 1);
    await uploading;
    clearInterval(pressing);
    expect(fixture.error()).toBeUndefined();
    expect(fixture.queued()).toEqual([]);
    expect(fixture.leftOver()).toEqual([]);
    photoshop.saves = 'end';
    await fixture.upload('jpg');
    expect(fixture.queued()).toEqual(['a.jpg (image/jpeg): x']);
  });

  itTellsTroubles(
    () => fixture,
    [
      ['without a document', 'jpg', 'CW-803', () => undefined],
      [
        'in a host that throws without a document',
        'jpg',
        'CW-803',
        ({ photoshop }) => {
          photoshop.withoutDocument = 'throw';
        },
      ],
      [
        'in a format the document cannot be saved in',
        'psd',
        'CW-805',
        ({ photoshop }) => photoshop.openDocument({ name: 'a.psd', bytes: { jpg: bytes('x') } }),
      ],
      [
        'that turns out empty',
        'jpg',
        'CW-601',
        ({ photoshop }) => photoshop.openDocument({ name: 'a.psd', bytes: { jpg: bytes('') } }),
      ],
    ],
    async ({ control: { photoshop } }) => {
      fixture.plugin.uploads.importer.dismissRejected();
      photoshop.openDocument({ name: 'b.psd', bytes: { png: bytes('later') } });
      await fixture.upload('png');
      expect(fixture.error()).toBeUndefined();
      expect(fixture.queued()).toEqual(['b.png (image/png): later']);
    },
  );
});
