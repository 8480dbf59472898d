import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { accountWith, BASE } from '../api-fixture.js';
import { digestOf, PlacingFixture } from './placing-fixture.js';

const BYTES = new Uint8Array(3000).fill(7);

let fixture: PlacingFixture;
beforeEach(() => {
  fixture = new PlacingFixture();
});
afterEach(() => fixture.end());

function chooses(...paths: string[]): void {
  fixture.modules.control.pickers.answer(paths.length > 0 ? paths : 'cancel');
}

describe('placing a file', () => {
  it('lets the user choose a folder once, and places the file in one step', async () => {
    const file = fixture.deliver(BYTES);
    chooses(fixture.folderPath);
    await fixture.placing.placeFile(file, 'original');
    expect(fixture.placing.state.get().failure).toBeNull();
    expect(fixture.modules.control.indesign.undoSteps()).toEqual(['Place Coast.jpg']);
    expect(await fixture.host.placedFiles?.list('401')).toEqual([
      expect.objectContaining({
        path: join(fixture.folderPath, 'Coast.jpg'),
        identity: {
          origin: BASE,
          uploadId: 'u-1',
          sha256: digestOf(BYTES),
          size: 'original',
        },
      }),
    ]);
    await fixture.placing.placeFile(fixture.deliver(BYTES), 'original');
    expect(fixture.modules.control.indesign.undoSteps()).toHaveLength(2);
    expect(fixture.placing.placed.get()).toBe(2);
    // A later run opens the folder by its token.
    fixture.start();
    await fixture.placing.placeFile(fixture.deliver(BYTES, { id: 'u-2' }), 'original');
    expect(fixture.modules.control.indesign.undoSteps()).toEqual(['Place Coast.jpg']);
    expect(Object.keys(fixture.content())).toEqual(['Coast.jpg']);
  });

  it('places a file entry where InDesign takes no path', async () => {
    fixture.modules.control.indesign.placeTakes = 'entry';
    chooses(fixture.folderPath);
    await fixture.placing.placeFile(fixture.deliver(BYTES), 'original');
    expect(fixture.placing.state.get().failure).toBeNull();
    expect(fixture.modules.control.indesign.undoSteps()).toEqual(['Place Coast.jpg']);
  });

  it('does nothing when the user chooses no folder', async () => {
    chooses();
    await fixture.placing.placeFile(fixture.deliver(BYTES), 'original');
    expect(fixture.service.requests).toEqual([]);
    expect(fixture.placing.state.get()).toMatchObject({ failure: null, current: null });
  });

  it('lets the user choose again when the folder is gone', async () => {
    const file = fixture.deliver(BYTES);
    chooses(fixture.folderPath);
    await fixture.placing.placeFile(file, 'original');
    rmSync(fixture.folderPath, { recursive: true });
    chooses(fixture.root);
    await fixture.placing.placeFile(file, 'original');
    expect(fixture.placing.state.get().failure).toBeNull();
    const links = await fixture.host.placedFiles?.list('401');
    expect(links?.map(({ path }) => path)).toContain(join(fixture.root, 'Coast.jpg'));
  });

  it.each([
    ['no scope', []],
    ['others', ['uploads:write', 'uploads:read']],
  ])('waits for the permission of the user: %s', async (_, scopes) => {
    fixture.account.set(accountWith(scopes));
    await fixture.placing.placeFile(fixture.deliver(BYTES), 'original');
    expect(fixture.placing.state.get().needsPermission).toBe(true);
    expect(fixture.service.requests).toEqual([]);
    fixture.account.set(accountWith(['workspace:read']));
    expect(fixture.placing.state.get().needsPermission).toBe(false);
  });

  it.each([
    [null, { needsPermission: true, failure: null }],
    [['uploads:content'], { needsPermission: false, failure: { error: { code: 'CW-203' } } }],
  ])(
    'takes a refusal as a missing permission only when the scopes are unknown: %j',
    async (scopes, expected) => {
      fixture.account.set(accountWith(scopes));
      fixture.service.tamper = () => ({ status: 403 });
      chooses(fixture.folderPath);
      await fixture.placing.placeFile(fixture.deliver(BYTES), 'original');
      expect(fixture.placing.state.get()).toMatchObject(expected);
    },
  );

  it('fails with CW-817 without a document, and when another one has come to the front', async () => {
    const file = fixture.deliver(BYTES);
    fixture.front = null;
    await fixture.placing.placeFile(file, 'original');
    expect(fixture.placing.state.get().failure?.error.code).toBe('CW-817');
    expect(fixture.service.requests).toEqual([]);
    fixture.front = { key: '401', documentId: null };
    chooses(fixture.folderPath);
    fixture.modules.control.indesign.openDocument({ name: 'Other.indd', pages: ['1'], bytes: {} });
    await fixture.placing.placeFile(file, 'original');
    expect(fixture.placing.state.get().failure).toMatchObject({
      name: 'Coast.jpg',
      wanted: 'place',
      error: { code: 'CW-817' },
    });
    fixture.placing.dismiss();
    expect(fixture.placing.state.get().failure).toBeNull();
  });

  it('shows the file that is being downloaded, and cancels it', async () => {
    const file = fixture.deliver(BYTES);
    chooses(fixture.folderPath);
    const shown: unknown[] = [];
    fixture.placing.state.subscribe(({ current }) => {
      shown.push(current && [current.received, current.total]);
      if (current && current.total > 0) fixture.placing.cancel();
    });
    await fixture.placing.placeFile(file, 'original');
    expect(shown).toContainEqual([0, 0]);
    expect(shown).toContainEqual([0, 3000]);
    expect(fixture.placing.state.get()).toMatchObject({ current: null, failure: null });
    expect(fixture.content()).toEqual({});
    expect(fixture.modules.control.indesign.undoSteps()).toEqual([]);
  });

  it('reports what the app refuses, and keeps the file', async () => {
    chooses(fixture.folderPath);
    fixture.modules.control.indesign.busy = true;
    await fixture.placing.placeFile(fixture.deliver(BYTES), 'original');
    expect(fixture.placing.state.get().failure?.error.code).toBe('CW-815');
    expect(fixture.placing.placed.get()).toBe(0);
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(BYTES) });
  });

  it('places several files one after the other', async () => {
    chooses(fixture.folderPath);
    const first = fixture.placing.placeFile(fixture.deliver(BYTES), 'original');
    await fixture.folder();
    const other = fixture.deliver(
      BYTES.map(() => 8),
      { id: 'u-2', name: 'Lake.jpg' },
    );
    chooses(fixture.folderPath);
    await Promise.all([first, fixture.placing.placeFile(other, 'original')]);
    expect(fixture.modules.control.indesign.undoSteps()).toEqual([
      'Place Coast.jpg',
      'Place Lake.jpg',
    ]);
  });
});

describe('the folder that files go into', () => {
  const place = async (id: string): Promise<void> => {
    const file = fixture.deliver(BYTES, { id, name: `${id}.jpg` });
    await fixture.placing.placeFile(file, 'original');
  };
  const bringToFront = (documentId: string | null): void => {
    fixture.front = { key: '401', documentId };
    fixture.placing.showFolder();
  };
  const other = (): string => {
    const path = join(fixture.root, 'Links');
    mkdirSync(path);
    return path;
  };

  it('is kept for each document, and the last one is that of further ones', async () => {
    const links = other();
    expect(fixture.placing.state.get().folder).toBeNull();
    chooses(fixture.folderPath);
    await place('u-1');
    bringToFront('xmp.did:2');
    expect(fixture.placing.state.get().folder).toBe('Pictures');
    chooses(links);
    await fixture.placing.chooseFolder();
    await place('u-2');
    expect(readdirSync(links)).toEqual(['u-2.jpg']);
    // A later run.
    fixture.start();
    await place('u-3');
    bringToFront('xmp.did:3');
    expect(fixture.placing.state.get().folder).toBe('Links');
    bringToFront('xmp.did:1');
    expect(fixture.placing.state.get().folder).toBe('Pictures');
    await place('u-4');
    expect(readdirSync(links).toSorted()).toEqual(['u-2.jpg', 'u-3.jpg']);
    expect(Object.keys(fixture.content()).toSorted()).toEqual(['u-1.jpg', 'u-4.jpg']);
  });

  it('stays that of a document that has used it, whatever is chosen for another one', async () => {
    chooses(fixture.folderPath);
    await place('u-1');
    bringToFront('xmp.did:2');
    await place('u-2');
    bringToFront('xmp.did:3');
    chooses(other());
    await fixture.placing.chooseFolder();
    bringToFront('xmp.did:2');
    expect(fixture.placing.state.get().folder).toBe('Pictures');
    bringToFront(null);
    expect(fixture.placing.state.get().folder).toBe('Links');
  });

  it('is kept for fifty documents, those that chose last', async () => {
    for (let number = 1; number <= 51; number += 1) {
      bringToFront(`xmp.did:${number}`);
      chooses(fixture.folderPath);
      await fixture.placing.chooseFolder();
    }
    const kept = JSON.parse(fixture.records.get('placing-folder') ?? '') as {
      documents: readonly { id: string }[];
    };
    expect(kept.documents.map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, index) => `xmp.did:${index + 2}`),
    );
  });

  it.each([
    'no JSON',
    '{"token":5}',
    '{"documents":[null,{"id":"xmp.did:1"},7]}',
    '{"documents":{}}',
  ])('is not known after a record like %j', async (text) => {
    fixture.records.set('placing-folder', text);
    fixture.start();
    expect(fixture.placing.state.get().folder).toBeNull();
    chooses(fixture.folderPath);
    await place('u-1');
    expect(fixture.placing.state.get()).toMatchObject({ folder: 'Pictures', failure: null });
  });
});

describe('opening a file as a document', () => {
  it('downloads the original, and opens it', async () => {
    const { photoshop } = fixture.inPhotoshop();
    chooses(fixture.folderPath);
    await fixture.placing.openFile(fixture.deliver(BYTES));
    expect(fixture.placing.state.get()).toMatchObject({ failure: null, canOpen: true });
    expect(photoshop.state()).toMatchObject({ documents: [{ name: 'Coast.jpg' }] });
    expect(photoshop.modalScopes).toEqual(['Open Coast.jpg']);
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(BYTES) });
  });

  it('reports what the app refuses, and keeps the file', async () => {
    const { photoshop } = fixture.inPhotoshop();
    photoshop.stepFault = (step) => (step === 'open' ? 'fail' : 'run');
    chooses(fixture.folderPath);
    await fixture.placing.openFile(fixture.deliver(BYTES));
    expect(fixture.placing.state.get().failure).toMatchObject({
      name: 'Coast.jpg',
      wanted: 'open',
      error: { code: 'CW-819' },
    });
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(BYTES) });
  });

  it('is offered in Photoshop only', () => {
    expect(fixture.placing.state.get().canOpen).toBe(false);
  });
});
