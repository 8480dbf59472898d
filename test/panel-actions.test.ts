import { describe, expect, it } from '@jest/globals';
import type { OpenDocument, PhotoSource } from '../src/host/host.js';
import { DocumentUploads } from '../src/uploads/document-uploads.js';
import { presetOfFormat } from '../src/uploads/presets/preset.js';
import { createPanelActions } from '../src/panel-actions.js';
import { CwError } from '../src/util/errors.js';
import { testClient } from './api/signed-in.js';
import { createMemoryHost, memoryPhoto } from './support/memory-host.js';

type Parts = Parameters<typeof createPanelActions>[0];

/** The actions over a memory host, with what they have added. */
function createActions(
  change: (host: ReturnType<typeof createMemoryHost>) => object = () => ({}),
): {
  actions: ReturnType<typeof createPanelActions>;
  added: PhotoSource[];
  host: ReturnType<typeof createMemoryHost>;
} {
  const host = createMemoryHost();
  const added: PhotoSource[] = [];
  const withChange = Object.assign(host, change(host));
  const parts = {
    host: withChange,
    client: testClient('https://service.example'),
    documents: new DocumentUploads({
      host: withChange,
      uploads: {
        addDocument: async (exportDocument) => {
          added.push(await exportDocument());
          return 'queued';
        },
        showDocumentError: () => undefined,
      },
      queue: { all: [], get: () => null },
      history: { photos: () => [] },
      presetName: () => '',
      destination: () => null,
      now: () => 0,
    }),
  };
  return { actions: createPanelActions(parts as unknown as Parts), added, host };
}

describe('uploading the open document', () => {
  const open: OpenDocument = {
    key: 'k1',
    name: 'Coast.psd',
    documentId: 'xmp.did:open',
    stateId: 'state 1',
    thumbnail: () => Promise.resolve(null),
  };
  const current = (): Promise<OpenDocument | null> => Promise.resolve(open);

  it.each<[string, string | undefined, (() => Promise<OpenDocument | null>) | null, object]>([
    [
      'the identity that the export gives',
      'xmp.did:exported',
      current,
      { document: 'xmp.did:exported', stateId: 'state 1' },
    ],
    [
      'the identity of the open document',
      undefined,
      current,
      { document: 'xmp.did:open', stateId: 'state 1' },
    ],
    [
      'no state when the app gives none',
      'xmp.did:exported',
      () => Promise.reject(new CwError('CW-807', 'busy')),
      { document: 'xmp.did:exported', stateId: null },
    ],
    ['neither in an app that reports none', undefined, null, { document: null, stateId: null }],
  ])('adds a photo with %s', async (_name, document, port, expected) => {
    const { actions, added, host } = createActions(({ storage }) => ({
      openDocument: port && { current: port, find: port, onChange: () => undefined },
      documentExporter: {
        offers: [],
        documents: () => Promise.resolve([]),
        exportDocument: () =>
          Promise.resolve({
            ...memoryPhoto(storage, 'Coast.jpg', new Uint8Array([1, 2, 3])),
            ...(document !== undefined && { document }),
          }),
      },
    }));
    await actions.uploadDocument(presetOfFormat('jpg'), 'Upload');
    expect(added).toMatchObject([{ name: 'Coast.jpg', type: 'image/jpeg', ...expected }]);
    await added[0]?.copyToSpool('id-1');
    expect(host.storage.spool.get('id-1')).toEqual(new Uint8Array([1, 2, 3]));
  });
});
