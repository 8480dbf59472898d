import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bytes, DocumentRig, itTellsTroubles } from './document-fixture.js';

describe('uploading the open document', () => {
  let rig: DocumentRig;

  beforeEach(async () => {
    rig = await DocumentRig.open('photoshop');
  });
  afterEach(() => {
    rig.close();
  });

  it.each([
    ['jpg', 'Coast.jpg', 'image/jpeg', { quality: 12, embedColorProfile: true }],
    ['png', 'Coast.png', 'image/png', {}],
    ['psd', 'Coast.psd', 'image/vnd.adobe.photoshop', { embedColorProfile: true }],
  ] as const)(
    'saves a copy as %s in a modal scope, and queues it',
    async (format, name, type, options) => {
      const { photoshop } = rig.control;
      photoshop.openDocument({ name: 'Coast.psd', bytes: { [format]: bytes('pixels') } });
      await rig.upload(format);
      expect(rig.error()).toBeUndefined();
      expect(rig.queued()).toEqual([`${name} (${type}): pixels`]);
      // As a copy: the document stays where it is, saved or not.
      expect(photoshop.copies).toMatchObject([
        { document: 'Coast.psd', format, options, asCopy: true },
      ]);
      expect(photoshop.modalScopes).toEqual(['Dokument hochladen']);
      expect(rig.leftOver()).toEqual([]);
    },
  );

  it('queues the current document each time', async () => {
    const { photoshop } = rig.control;
    for (const text of ['first', 'second']) {
      photoshop.openDocument({ name: 'Untitled-1', bytes: { jpg: bytes(text) } });
      await rig.upload('jpg');
    }
    expect(rig.queued()).toEqual([
      'Untitled-1.jpg (image/jpeg): first',
      'Untitled-1.jpg (image/jpeg): second',
    ]);
  });

  it('reports no error and can be repeated when the user presses Escape', async () => {
    const { photoshop } = rig.control;
    photoshop.openDocument({ name: 'a.psd', bytes: { jpg: bytes('x') } });
    photoshop.saves = 'go on until Escape';
    const uploading = rig.upload('jpg');
    const pressing = setInterval(() => photoshop.cancelModal(), 1);
    await uploading;
    clearInterval(pressing);
    expect(rig.error()).toBeUndefined();
    expect(rig.queued()).toEqual([]);
    expect(rig.leftOver()).toEqual([]);
    photoshop.saves = 'end';
    await rig.upload('jpg');
    expect(rig.queued()).toEqual(['a.jpg (image/jpeg): x']);
  });

  itTellsTroubles(
    () => rig,
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
      rig.plugin.uploads.dismissRefused();
      photoshop.openDocument({ name: 'b.psd', bytes: { png: bytes('later') } });
      await rig.upload('png');
      expect(rig.error()).toBeUndefined();
      expect(rig.queued()).toEqual(['b.png (image/png): later']);
    },
  );
});
