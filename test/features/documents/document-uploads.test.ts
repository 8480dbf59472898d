import { beforeEach, describe, expect, it } from '@jest/globals';
import type {
  ExportOffer,
  ExportSettings,
  ExportTarget,
} from '../../../src/host/document-export.js';
import type { OpenDocument } from '../../../src/host/open-document.js';
import type { PhotoSource } from '../../../src/host/photo-source.js';
import {
  DocumentUploads,
  FRONT_DOCUMENT,
} from '../../../src/features/documents/document-uploads.js';
import type { ProjectRef } from '../../../src/api/project.js';
import type { PhotoAnswer } from '../../../src/features/documents/client-answers.js';
import type { UploadedPhoto } from '../../../src/features/history/upload-history.js';
import { NO_CONTEXT } from '../../../src/features/queue/photo-record.js';
import { presetOfFormat, type Preset } from '../../../src/features/presets/preset.js';
import { CwError } from '../../../src/util/errors.js';
import { createMemoryHost, memoryPhoto } from '../../support/memory-host.js';

const OPEN: OpenDocument = {
  key: 'k1',
  name: 'Coast.psd',
  documentId: 'xmp.did:open',
  stateId: 'state 1',
  thumbnail: () => Promise.resolve(null),
};
const SPRING: ProjectRef = { id: 'p1', name: 'Spring' };
const REQUEST = { preset: presetOfFormat('jpg'), target: FRONT_DOCUMENT, title: 'Upload' };
const WEB: Preset = { ...REQUEST.preset, id: 'web', kind: 'web' };

describe('uploading an open document', () => {
  let host: ReturnType<typeof createMemoryHost>;
  let document: string | undefined;
  let current: (() => Promise<OpenDocument | null>) | null;
  let failure: CwError | null;
  let added: { photo: PhotoSource; project: ProjectRef | null | undefined }[];
  let exported: [ExportSettings, string, ExportTarget][];
  let shown: (CwError | null)[];
  let atOnce: number;
  let mostAtOnce: number;
  let documents: DocumentUploads;
  /** The files in the open document, and those that were noted for an export. */
  let placed: readonly string[];
  let noted: (readonly [string, readonly string[]])[];
  let offers: ExportOffer[];
  /** Uploaded photos, what clients said, and the copies that were removed. */
  let photos: UploadedPhoto[];
  let said: readonly PhotoAnswer[] | CwError;
  let asked: string[];
  let removed: string[];
  /** The document in front, as a change during the export leaves it. */
  let changed: OpenDocument | null;

  beforeEach(() => {
    host = createMemoryHost();
    document = 'xmp.did:exported';
    current = () => Promise.resolve(OPEN);
    failure = null;
    added = [];
    exported = [];
    shown = [];
    atOnce = 0;
    mostAtOnce = 0;
    placed = [];
    noted = [];
    offers = [{ format: 'jpg', gives: 'document', choices: ['approved'] }];
    photos = [];
    said = [];
    asked = [];
    removed = [];
    changed = null;
    documents = new DocumentUploads({
      placements: {
        of: (key) => Promise.resolve(key === OPEN.key ? placed : ['of another']),
        note: (id, ids) => {
          noted.push([id, ids]);
          return Promise.resolve();
        },
      },
      host: {
        get openDocument() {
          return (
            current && {
              current,
              find: (key: string) => Promise.resolve(key === OPEN.key ? (changed ?? OPEN) : null),
              onChange: () => () => undefined,
            }
          );
        },
        spool: {
          remove: (...ids) => {
            removed.push(...ids);
            return Promise.resolve([]);
          },
        },
        documentExporter: {
          get offers() {
            return offers;
          },
          documents: () => Promise.resolve([]),
          exportDocument: async (settings, title, target) => {
            exported.push([settings, title, target]);
            atOnce += 1;
            mostAtOnce = Math.max(mostAtOnce, atOnce);
            await Promise.resolve();
            atOnce -= 1;
            if (failure) throw failure;
            return {
              ...memoryPhoto(host.storage, 'Coast.jpg', new Uint8Array([1, 2, 3])),
              ...(document !== undefined && { document }),
              id: 'copy 1',
              length: { kind: 'pages', pages: 24 },
              source: '{"pages":"5k"}',
            };
          },
        },
      },
      importer: {
        addDocument: async (exportDocument, project) => {
          try {
            added.push({ photo: await exportDocument(), project });
            return 'queued';
          } catch (error) {
            return error as CwError;
          }
        },
        showDocumentError: (error) => {
          shown.push(error);
        },
      },
      queue: { all: [], get: () => null },
      history: { photos: () => photos },
      answers: {
        latest: (id) => {
          asked.push(id);
          return said instanceof CwError ? Promise.reject(said) : Promise.resolve(said);
        },
      },
      presetName: ({ id }) => `the ${id}`,
      destination: () => SPRING,
      now: () => new Date(2026, 10, 25, 12).getTime(),
    });
  });

  it('keeps how much the export contains, and where that is in the document', async () => {
    await documents.upload(REQUEST);
    expect(added.map(({ photo: { length, source } }) => ({ length, source }))).toEqual([
      { length: { kind: 'pages', pages: 24 }, source: '{"pages":"5k"}' },
    ]);
  });

  it('keeps which files are placed in the document, when the copy is safe', async () => {
    placed = ['u1', 'u2'];
    await documents.upload(REQUEST);
    placed = ['placed after the export'];
    expect(noted).toEqual([]);
    await added[0]?.photo.copyToSpool('id-1');
    expect(noted).toEqual([['id-1', ['u1', 'u2']]]);
    current = null;
    await documents.upload(REQUEST);
    await added[1]?.photo.copyToSpool('id-2');
    expect(noted[1]).toEqual(['id-2', []]);
  });

  it.each<[string, string | undefined, (() => Promise<OpenDocument | null>) | null, object]>([
    [
      'the identity that the export gives',
      'xmp.did:exported',
      () => Promise.resolve(OPEN),
      { document: 'xmp.did:exported', stateId: 'state 1' },
    ],
    [
      'the identity of the open document',
      undefined,
      () => Promise.resolve(OPEN),
      { document: 'xmp.did:open', stateId: 'state 1' },
    ],
    [
      'no state when the app gives none',
      'xmp.did:exported',
      () => Promise.reject(new CwError('CW-807', 'busy')),
      { document: 'xmp.did:exported', stateId: null },
    ],
    ['neither in an app that reports none', undefined, null, { document: null, stateId: null }],
  ])('adds a photo with %s', async (_name, identity, port, expected) => {
    document = identity;
    current = port;
    expect(await documents.upload(REQUEST)).toBe('queued');
    expect(added).toMatchObject([
      { photo: { name: 'Coast.jpg', type: 'image/jpeg', ...expected }, project: SPRING },
    ]);
    await added[0]?.photo.copyToSpool('id-1');
    expect(host.storage.spool.get('id-1')).toEqual(new Uint8Array([1, 2, 3]));
  });

  it('takes neither identity nor state of the document in front for another one', async () => {
    document = undefined;
    await documents.upload({ ...REQUEST, target: { documentKey: 'k2', partId: null } });
    expect(added).toMatchObject([{ photo: { document: null, stateId: null } }]);
  });

  it('gives the app the settings of the preset, and the photo the name and identity by it', async () => {
    const preset: Preset = { ...WEB, namePattern: '{date} {project} {preset} {name}' };
    const target = { documentKey: 'k1', partId: '7' };
    await documents.upload({ ...REQUEST, preset, target });
    await documents.upload({ ...REQUEST, preset, target, project: null });
    expect(exported[0]).toEqual([preset.settings, 'Upload', target]);
    expect(added).toMatchObject([
      {
        photo: { name: '2026-11-25 Spring the web Coast.jpg', document: 'xmp.did:exported#web' },
        project: SPRING,
      },
      { photo: { name: '2026-11-25 the web Coast.jpg' }, project: null },
    ]);
  });

  it('shows a failure and clears it with the next upload, unless the caller shows it', async () => {
    failure = new CwError('CW-805', 'no');
    expect(await documents.upload(REQUEST)).toBe(failure);
    expect(shown).toEqual([null, failure]);
    expect(await documents.upload({ ...REQUEST, isQuiet: true })).toBe(failure);
    expect(shown).toHaveLength(2);
  });

  it('exports one document at a time', async () => {
    await Promise.all([documents.upload(REQUEST), documents.upload({ ...REQUEST, preset: WEB })]);
    expect(mostAtOnce).toBe(1);
    expect(added.map(({ photo }) => photo.document)).toEqual([
      'xmp.did:exported',
      'xmp.did:exported#web',
    ]);
  });

  describe('with a preset that requires an approval', () => {
    const APPROVED: Preset = { ...WEB, approvedOnly: true };
    const FILE: UploadedPhoto = {
      ...NO_CONTEXT,
      ...{ id: 'p1', name: 'Coast.jpg', size: 3, at: 1, workspace: null, owner: 'anna' },
      ...{ hasMatchingCrc: true, pageUrl: null, uploadId: 'u1' },
      sha256: 'a1',
      document: `${OPEN.documentId}#image/jpeg`,
      stateId: OPEN.stateId,
    };
    const approval = (sha256: string | null, isCurrent = true): PhotoAnswer => ({
      approval: { version: 1, sha256, isCurrent, at: 1 },
      pageUrl: null,
    });
    const upload = (): Promise<unknown> => documents.upload({ ...REQUEST, preset: APPROVED });
    const uploadOnce = async (): Promise<unknown> =>
      documents.uploadOnce({
        ...{ ...REQUEST, preset: APPROVED, project: null },
        open: (await current?.()) ?? null,
      });
    const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['an upload', upload],
      ['an automatic upload', uploadOnce],
    ];

    beforeEach(() => {
      document = OPEN.documentId ?? undefined;
      photos = [FILE];
      said = [approval('a1')];
    });

    it.each(ways)('queues %s of the approved state', async (_way, work) => {
      expect(await work()).toBe('queued');
      expect(added).toHaveLength(1);
      expect({ asked, removed }).toEqual({ asked: [OPEN.documentId], removed: [] });
    });

    it.each(
      ways.flatMap(([way, work]) =>
        (
          [
            ['without an approval', () => (said = []), 'CW-820'],
            [
              'of a state that changed after it',
              () => (photos = [{ ...FILE, stateId: 's0' }]),
              'CW-820',
            ],
            [
              'whose approved file is another version now',
              () => (said = [approval('a1', false)]),
              'CW-820',
            ],
            ['that another computer uploaded', () => (photos = []), 'CW-820'],
            [
              'of a document without an identity',
              () => (current = () => Promise.resolve({ ...OPEN, documentId: null })),
              'CW-820',
            ],
            ['that the app does not report', () => (current = null), 'CW-820'],
            [
              'in an app that reports no changes',
              () => (offers = [{ format: 'jpg', gives: 'document' }]),
              'CW-820',
            ],
            ['while the service is away', () => (said = new CwError('CW-301', 'away')), 'CW-301'],
          ] as const
        ).map(([name, arrange, code]) => ({ way, work, name, arrange, code })),
      ),
    )('refuses $way $name before the export', async ({ work, arrange, code }) => {
      arrange();
      expect(await work()).toMatchObject({ code });
      expect({ added, exported, removed }).toEqual({ added: [], exported: [], removed: [] });
    });

    it.each(
      ways.flatMap(([way, work]) =>
        (
          [
            [
              'of a part that was not approved',
              () => (photos = [{ ...FILE, document: `${OPEN.documentId}#page-2#image/jpeg` }]),
            ],
            ['that changed during the export', () => (changed = { ...OPEN, stateId: 'state 2' })],
          ] as const
        ).map(([name, arrange]) => ({ way, work, name, arrange })),
      ),
    )('removes the copy of $way $name', async ({ work, arrange }) => {
      arrange();
      expect(await work()).toMatchObject({ code: 'CW-820' });
      expect({ added, removed }).toEqual({ added: [], removed: ['copy 1'] });
    });

    it('queues a part of what was approved as a whole, and the approved part', async () => {
      document = `${OPEN.documentId}#page-2`;
      expect(await upload()).toBe('queued');
      photos = [{ ...FILE, document: `${OPEN.documentId}#page-2#web#image/jpeg` }];
      expect(await upload()).toBe('queued');
    });

    it('shows the reason, and asks nothing for another preset', async () => {
      said = [];
      await upload();
      expect(shown).toMatchObject([null, { code: 'CW-820' }]);
      asked = [];
      expect(await documents.upload(REQUEST)).toBe('queued');
      expect(asked).toEqual([]);
    });
  });
});
