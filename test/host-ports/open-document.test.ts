import { FRONT_DOCUMENT } from '../../src/features/documents/document-uploads.js';
import { plainSettings } from '../../src/features/presets/preset.js';
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBrowserHost } from '../../src/host/browser.js';
import type { PageDocument } from '../../src/host/browser/creative-app.js';
import type { DocumentFormat } from '../../src/host/document-export.js';
import type { Host } from '../../src/host/host.js';
import type { OpenDocument, OpenDocumentPort } from '../../src/host/open-document.js';
import { createUxpHost } from '../../src/host/uxp.js';
import type { InDesignModule } from '../../src/host/uxp/indesign-module.js';
import type { PremiereModule } from '../../src/host/uxp/premiere-module.js';
import type { UxpModules } from '../../src/host/uxp/modules.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../host/modules/index.js';
import { FakeClock } from '../support/fake-clock.js';

const ID = 'xmp.did:8f2a61c0-4d5b-4b1c-9b1e-0a1b2c3d4e5f';
const bytes = new TextEncoder().encode('picture');

/** An app with what a user does in it. */
interface AppUnderTest {
  readonly host: Host;
  readonly clock: FakeClock;
  /** Opens a document with this identity in front. */
  open(name: string, id: string | null): void;
  closeAll(): void;
  edit(): void;
  /** Saves the document in front; null where the app does not report that. */
  readonly save: (() => void) | null;
  /** Whatever the app would have to answer fails. */
  breakDown(): void;
  end(): void;
}

/** A UXP app. @param pick  the modules it has */
function openUxpApp(
  uxpVersion: string,
  pick: (modules: HostModules) => UxpModules,
): { modules: HostModules; own: UxpModules; host: Host; clock: FakeClock; end: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'open-document-'));
  const modules = createHostModules({ storageDir: folder, uxpVersion });
  const own = { ...pick(modules) };
  const clock = new FakeClock();
  return {
    modules,
    own,
    clock,
    host: createUxpHost(own, NO_NETWORK, clock),
    end: () => {
      modules.control.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A module whose every member throws, as one that the app's version lacks or that is closing. */
function broken<Module extends object>(module: Module): Module {
  let isBroken = false;
  return new Proxy(module, {
    get(target, member) {
      if (member === 'breakDown') {
        return () => {
          isBroken = true;
        };
      }
      if (isBroken) throw new Error(`no ${String(member)} here`);
      return Reflect.get(target, member) as unknown;
    },
  });
}

function breakDown(module: object | undefined): void {
  (module as { breakDown(): void }).breakDown();
}

function openPhotoshop(uxpVersion: string): AppUnderTest & { readonly modules: HostModules } {
  const app = openUxpApp(uxpVersion, ({ uxp, fs, os, photoshop }) => ({
    uxp,
    fs,
    os,
    photoshop: broken(photoshop),
  }));
  const { photoshop } = app.modules.control;
  return {
    ...app,
    open: (name, documentId) =>
      photoshop.openDocument({ name, documentId, bytes: { jpg: bytes, psd: bytes } }),
    closeAll: () => photoshop.closeDocuments(),
    edit: () => photoshop.edit(),
    save: () => photoshop.save(),
    breakDown: () => breakDown(app.own.photoshop),
  };
}

function openInDesign(): AppUnderTest & { readonly modules: HostModules } {
  const app = openUxpApp('9.3.0', ({ uxp, fs, os, otherApps }) => ({
    uxp,
    fs,
    os,
    indesign: broken(otherApps.indesign as InDesignModule),
  }));
  const { indesign } = app.modules.control;
  return {
    ...app,
    open: (name, documentId) =>
      indesign.openDocument({
        name,
        documentId,
        pages: ['1', '2'],
        bytes: { pdf: bytes, jpg: bytes },
      }),
    closeAll: () => indesign.closeDocuments(),
    edit: () => indesign.edit(),
    save: () => indesign.save(),
    breakDown: () => breakDown(app.own.indesign),
  };
}

function openPremiere(): AppUnderTest & { readonly modules: HostModules } {
  const app = openUxpApp('9.3.0', ({ uxp, fs, os, otherApps }) => ({
    uxp,
    fs,
    os,
    premierepro: broken(otherApps.premierepro as PremiereModule),
  }));
  const { premiere } = app.modules.control;
  return {
    ...app,
    open: (name, id) =>
      premiere.openProject({ name, guid: id ?? '', seconds: 0, bytes: { jpg: bytes } }),
    closeAll: () => premiere.closeProject(),
    edit: () => undefined,
    save: null,
    breakDown: () => breakDown(app.own.premierepro),
  };
}

function openBrowser(): AppUnderTest {
  let document: PageDocument | null = null;
  let changes = 0;
  let isBroken = false;
  const clock = new FakeClock();
  const creativeApp = {
    exportFormats: ['jpg'] as const,
    exportDocument: () => Promise.resolve(new File([bytes], 'Coast.jpg')),
    openDocument: () => {
      if (isBroken) throw new Error('the page is gone');
      return document && { ...document, stateId: `state ${changes}` };
    },
  };
  const page = { creativeApp, language: 'en', body: {} as never, openWindow: () => null };
  return {
    host: createBrowserHost({ ...NO_NETWORK, ...page }, '1.0.0', clock),
    clock,
    open(name, id) {
      document = {
        key: name,
        name,
        xmp: id === null ? '' : `<rdf:RDF><rdf:Description xmpMM:DocumentID="${id}"/></rdf:RDF>`,
        stateId: '',
        thumbnail: (px) => Promise.resolve(`data:image/jpeg;base64,${px}`),
      };
    },
    closeAll: () => {
      document = null;
    },
    edit: () => {
      changes += 1;
    },
    save: null,
    breakDown: () => {
      isBroken = true;
    },
    end: () => undefined,
  };
}

const GUID = '0f4d7a52-8c6e-4c0a-9b4f-2d1e3f4a5b6c';

/** What differs: which identity the app writes and the port gives, and whether changes and pictures are reported. */
const APPS = [
  {
    name: 'Photoshop',
    openApp: () => openPhotoshop('9.2.0'),
    id: ID,
    given: ID,
    changes: true,
    thumbnails: true,
  },
  {
    name: 'Photoshop with UXP 8.4',
    openApp: () => openPhotoshop('8.4.0'),
    id: ID,
    given: ID,
    changes: true,
    thumbnails: true,
  },
  { name: 'InDesign', openApp: openInDesign, id: ID, given: ID, changes: true, thumbnails: false },
  {
    name: 'Premiere',
    openApp: openPremiere,
    id: GUID,
    given: `premiere:${GUID}`,
    changes: false,
    thumbnails: false,
  },
  { name: 'a browser', openApp: openBrowser, id: ID, given: ID, changes: true, thumbnails: true },
] as const;

let app: AppUnderTest;

afterEach(() => {
  app.end();
});

function portOf({ host }: AppUnderTest): OpenDocumentPort {
  if (!host.openDocument) throw new Error('the host watches no document');
  return host.openDocument;
}

/** The document in front. @throws {Error} when there is none */
async function current(): Promise<OpenDocument> {
  const document = await portOf(app).current();
  if (!document) throw new Error('there is no document');
  return document;
}

async function exported(format: DocumentFormat): Promise<string | null | undefined> {
  return (
    await app.host.documentExporter?.exportDocument(plainSettings(format), 'Upload', FRONT_DOCUMENT)
  )?.document;
}

describe.each(APPS)('the open document in $name', (one) => {
  const { name, openApp, id, given, changes, thumbnails } = one;
  beforeEach(() => {
    app = openApp();
  });

  it('is null without a document', async () => {
    expect(await portOf(app).current()).toBeNull();
  });

  it('has its name and its identity', async () => {
    app.open('Coast.psd', id);
    expect(await current()).toMatchObject({ name: 'Coast.psd', documentId: given });
  });

  it('has an identity of this run where its file has none and the app numbers documents', async () => {
    app.open('Untitled-1', null);
    const { documentId } = await current();
    const isNumbered = /Photoshop|InDesign/.test(name);
    expect(documentId ?? 'none').toMatch(isNumbered ? /^run:[0-9a-f]{32}:\d+$/ : /^none$/);
    app.edit();
    expect((await current()).documentId).toBe(documentId);
    app.open('Untitled-2', null);
    expect((await current()).documentId !== documentId).toBe(isNumbered);
  });

  it('keeps its state until it is changed', async () => {
    app.open('Coast.psd', id);
    const { key, stateId } = await current();
    expect(await current()).toMatchObject({ key, stateId });
    app.edit();
    const after = await current();
    expect(after.key).toBe(key);
    expect(after.stateId !== stateId).toBe(changes);
  });

  it('reports another document, a change and closing, while there is a listener', async () => {
    const { clock } = app;
    let calls = 0;
    const stop = portOf(app).onChange(() => (calls += 1));
    const passes = async (): Promise<number> => {
      await clock.advance(1_100);
      await clock.settle();
      await clock.settle();
      return calls;
    };
    expect(await passes()).toBe(0);
    app.open('Coast.psd', id);
    expect(await passes()).toBe(1);
    expect(await passes()).toBe(1);
    app.edit();
    expect(await passes()).toBe(changes ? 2 : 1);
    app.closeAll();
    expect(await passes()).toBe(changes ? 3 : 2);
    stop();
    expect(clock.pending).toBe(0);
    app.open('Lake.psd', id);
    expect(await passes()).toBe(changes ? 3 : 2);
  });

  it('is looked at less often while it is at rest, and as often as before after a change', async () => {
    const { clock } = app;
    const passes = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1_000);
        await clock.settle();
        await clock.settle();
      }
    };
    let calls = 0;
    const stop = portOf(app).onChange(() => (calls += 1));
    await passes(40);
    app.open('Coast.psd', id);
    await passes(1);
    expect(calls).toBe(0);
    await passes(5);
    expect(calls).toBe(1);
    app.closeAll();
    await passes(2);
    expect(calls).toBe(2);
    stop();
  });

  it('has a thumbnail where the app draws one', async () => {
    app.open('Coast.psd', id);
    const thumbnail = await (await current()).thumbnail(200);
    expect(thumbnail?.startsWith('data:image/jpeg;base64,') ?? false).toBe(thumbnails);
  });

  it('is null where the app fails, and nothing is thrown', async () => {
    app.open('Coast.psd', id);
    const document = await current();
    const port = portOf(app);
    const stop = port.onChange(() => undefined);
    app.breakDown();
    expect(await port.current()).toBeNull();
    expect(await document.thumbnail(200)).toBe(
      // The page's own document does not fail with the page.
      app.host.info.platform === 'browser' ? 'data:image/jpeg;base64,200' : null,
    );
    await app.clock.advance(3_000);
    stop();
  });
});

describe.each(APPS.filter(({ name }) => name !== 'Premiere'))(
  'an export from $name',
  ({ openApp, id }) => {
    beforeEach(() => {
      app = openApp();
    });

    it('carries the identity that a document without one has in this run', async () => {
      app.open('Untitled-1', null);
      const { documentId } = await current();
      expect((await exported('jpg'))?.split('#')[0] ?? null).toBe(documentId);
    });

    it('carries the identity of the document, with the page where it is one page', async () => {
      app.open('Coast', id);
      expect(await exported('jpg')).toMatch(id);
    });
  },
);

describe('the sequence in Premiere', () => {
  it('is reported when its length or one of its points has changed', async () => {
    const opened = openPremiere();
    app = opened;
    const { premiere } = opened.modules.control;
    const sequence = { name: 'Coast', guid: GUID, seconds: 0, bytes: {} };
    premiere.openProject(sequence);
    let calls = 0;
    const stop = portOf(app).onChange(() => (calls += 1));
    const seen: number[] = [];
    for (const more of [{}, { length: 95 }, { length: 95, inOut: [3, 60] as const }]) {
      premiere.openProject({ ...sequence, ...more });
      for (let pass = 0; pass < 3; pass += 1) {
        await app.clock.advance(1_100);
        await app.clock.settle();
        await app.clock.settle();
      }
      seen.push(calls);
    }
    stop();
    expect(seen).toEqual([0, 1, 2]);
  });
});

describe('the state of a document in Photoshop', () => {
  let photoshop: HostModules['control']['photoshop'];

  beforeEach(() => {
    const opened = openPhotoshop('9.2.0');
    photoshop = opened.modules.control.photoshop;
    app = opened;
    app.open('Coast.psd', ID);
  });

  it('returns with an undo, and stays when the document is saved', async () => {
    const { stateId: first } = await current();
    photoshop.edit();
    const { stateId: second } = await current();
    photoshop.save();
    expect((await current()).stateId).toBe(second);
    photoshop.undo();
    expect((await current()).stateId).toBe(first);
  });

  it('is the same in another run for a saved document, and another one for an unsaved one', async () => {
    const saved = await current();
    photoshop.edit();
    const unsaved = await current();
    app.end();
    app = openPhotoshop('9.2.0');
    app.open('Coast.psd', ID);
    expect((await current()).stateId).toBe(saved.stateId);
    app.edit();
    expect((await current()).stateId).not.toBe(unsaved.stateId);
  });

  it('changes where a change was saved before it was seen', async () => {
    const { stateId } = await current();
    photoshop.edit();
    photoshop.save();
    expect((await current()).stateId).not.toBe(stateId);
  });

  it('changes its identity with Save As', async () => {
    await current();
    photoshop.save({ name: 'Copy.psd', documentId: 'xmp.did:copy' });
    expect(await current()).toMatchObject({ name: 'Copy.psd', documentId: 'xmp.did:copy' });
  });

  it('is that of the document in front', async () => {
    const coast = await current();
    app.open('Lake.psd', 'xmp.did:lake');
    expect(await current()).toMatchObject({ name: 'Lake.psd', documentId: 'xmp.did:lake' });
    photoshop.select('Coast.psd');
    const { key, documentId, stateId } = coast;
    expect(await current()).toMatchObject({ key, documentId, stateId });
  });
});

describe('a thumbnail from Photoshop', () => {
  let photoshop: HostModules['control']['photoshop'];

  beforeEach(() => {
    const opened = openPhotoshop('9.2.0');
    photoshop = opened.modules.control.photoshop;
    app = opened;
  });
  afterEach(() => {
    expect(photoshop.undisposedImages).toBe(0);
  });

  const drawn = async (size: { width: number; height: number }): Promise<string> => {
    photoshop.openDocument({ name: 'a.psd', ...size, bytes: {} });
    const url = (await (await current()).thumbnail(200)) ?? '';
    return Buffer.from(url.replace('data:image/jpeg;base64,', ''), 'base64').toString('latin1');
  };

  it.each([
    [{ width: 3000, height: 2000 }, '200 x 133'],
    [{ width: 2000, height: 4000 }, '100 x 200'],
    [{ width: 120, height: 80 }, '120 x 80'],
  ])('of a document of %j is a JPEG of %s', async (size, drawnSize) => {
    expect(await drawn(size)).toBe(`\xff\xd8\xff a.psd ${drawnSize}`);
  });

  it('is drawn again only when the document has rested', async () => {
    app.open('Coast.psd', ID);
    const draw = async (): Promise<string | null> => {
      const thumbnail = (await current()).thumbnail(88);
      await app.clock.settle();
      return thumbnail;
    };
    const first = await draw();
    expect(await draw()).toBe(first);
    photoshop.edit();
    const between = (await current()).thumbnail(88);
    await app.clock.advance(1_000);
    photoshop.edit();
    const last = (await current()).thumbnail(88);
    await app.clock.runUntil(Promise.all([between, last]));
    expect(await between).toBeNull();
    expect(await last).toBe(first);
    expect(photoshop.modalScopes).toHaveLength(2);
  });

  it('is null while something else is modal', async () => {
    app.open('Coast.psd', ID);
    const document = await current();
    photoshop.modal = 'dialog';
    expect(await document.thumbnail(200)).toBeNull();
  });

  it('is null after its document was closed', async () => {
    app.open('Coast.psd', ID);
    const document = await current();
    photoshop.closeDocuments();
    expect(await document.thumbnail(200)).toBeNull();
  });
});

describe('the state of a document in InDesign', () => {
  let indesign: HostModules['control']['indesign'];

  beforeEach(() => {
    const opened = openInDesign();
    indesign = opened.modules.control.indesign;
    app = opened;
    app.open('Brochure', ID);
  });

  it('never returns after a save, although typed text goes into the same action', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      seen.add((await current()).stateId);
      indesign.edit(round === 0 ? 'Typing' : 'same');
      seen.add((await current()).stateId);
      indesign.save();
    }
    expect(seen.size).toBe(6);
  });

  it.each(['null', 'throw'] as const)(
    'is there where a missing property gives %s',
    async (missing) => {
      indesign.missingProperty = missing;
      app.open('Untitled-1', null);
      const { documentId, stateId } = await current();
      expect(documentId).toMatch(/^run:/);
      indesign.edit();
      expect((await current()).stateId).not.toBe(stateId);
    },
  );
});

describe('the identity of a part', () => {
  it('is that of the page in front in InDesign, but that of the document in a PDF', async () => {
    app = openInDesign();
    app.open('Brochure', ID);
    expect(await exported('pdf')).toBe(ID);
    expect(await exported('jpg')).toBe(`${ID}#page-200`);
  });

  it('is that of the frame in Premiere', async () => {
    const opened = openPremiere();
    app = opened;
    opened.modules.control.premiere.openProject({
      name: 'Trip',
      guid: GUID,
      seconds: 65.4,
      bytes: { jpg: bytes },
    });
    const exporting = exported('jpg');
    await app.clock.runUntil(exporting);
    expect(await exporting).toBe(`premiere:${GUID}#00-01-05.40`);
  });
});
