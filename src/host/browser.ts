import type { Clock } from '../util/clock.js';
import { CwError } from '../util/errors.js';
import { randomId } from '../util/random-id.js';
import { documentIdOf } from '../util/xmp.js';
import {
  createBrowserRecords,
  createBrowserSecrets,
  createBrowserSpool,
  type BrowserSpool,
} from './browser/database.js';
import {
  offerOf,
  type BrowserFile,
  type CreativeAppPage,
  type PageDocument,
  type PageExportable,
} from './browser/creative-app.js';
import { pickFiles } from './browser/file-input.js';
import { createPictureScaler, type DrawingGlobals } from './browser/picture-scaler.js';
import { DocumentWatch, findInFront } from './document-watch.js';
import type { DocumentExporter } from './document-export.js';
import type { Host } from './host.js';
import type { OpenDocument, OpenDocumentPort } from './open-document.js';
import type { PhotoSource } from './photo-source.js';
import type { Xhr } from './http.js';
import { mediaTypeOf } from './media-type.js';
import { hostClock, hostRandomBytes } from './system.js';

/** The browser's own objects that this host uses, that `detect-host.ts` passes. */
export interface BrowserGlobals {
  readonly creativeApp: CreativeAppPage | undefined;
  readonly language: string;
  readonly body: HTMLElement;
  /** Undefined in a browser without an OffscreenCanvas. */
  readonly drawing?: DrawingGlobals | undefined;
  createXhr(): Xhr;
  openWindow(url: string): unknown;
  writeClipboard(text: string): Promise<unknown>;
  /** `window.addEventListener`. */
  listen(event: 'online', listener: () => void): void;
}

/**
 * The plugin's host in a page that has IndexedDB: the preview, and creative apps built on a browser.
 * @param clock  times the waits; the host's own when left out
 */
export function createBrowserHost(
  globals: BrowserGlobals,
  pluginVersion: string,
  clock: Clock = hostClock,
): Host {
  const spool = createBrowserSpool(clock);
  const placing = globals.creativeApp?.placing;
  return {
    info: {
      appName: globals.creativeApp?.name ?? 'browser',
      appVersion: globals.creativeApp?.version ?? '',
      platform: 'browser',
      os: globals.creativeApp?.os ?? '',
      pluginVersion,
      uiLocale: globals.creativeApp?.uiLocale ?? globals.language.replace('-', '_'),
    },
    clock,
    randomBytes: hostRandomBytes,
    secrets: createBrowserSecrets(clock),
    records: createBrowserRecords(randomId(hostRandomBytes), clock),
    spool,
    documentExporter: exporterOf(globals.creativeApp, spool),
    openDocument: documentsOf(globals.creativeApp, clock),
    documentComments: globals.creativeApp?.comments ?? null,
    placedFiles: placing?.placedFiles ?? null,
    placedFileUpdates: placing?.placedFileUpdates ?? null,
    fileOpener: null,
    documentSaves: null,
    actionSteps: null,
    folders: placing?.folders((file) => toPhotoSource(file, spool)) ?? null,
    downloads: placing?.downloads ?? null,
    pictureScaler: globals.drawing ? createPictureScaler(globals.drawing) : null,

    async pickPhotos() {
      return (await pickFiles(globals.body)).map((file) => toPhotoSource(file, spool));
    },

    // A page cannot open a file again that a picker gave to an earlier one.
    reopenPhoto: () => Promise.resolve(null),

    async saveFile(name, content) {
      const page = globals.creativeApp;
      if (typeof page?.saveFile !== 'function') {
        throw new CwError('CW-802', 'the page saves no files');
      }
      page.saveFile(name, await content());
      return true;
    },

    openInBrowser(url) {
      // With `noopener` a browser returns null whether or not a page opened: a refusal cannot be noticed.
      globals.openWindow(url);
      return Promise.resolve();
    },

    async copyText(text) {
      try {
        await globals.writeClipboard(text);
      } catch (error) {
        throw new CwError('CW-801', 'the clipboard refused the text', { cause: error });
      }
    },

    createXhr: () => globals.createXhr(),

    onAwake(callback) {
      // A page gets no event when the computer wakes, but the network comes back afterwards.
      globals.listen('online', callback);
    },

    readOwnFile: (path) => readText(globals.createXhr(), path),

    showMessage: () => Promise.resolve(),
  };
}

function toPhotoSource(file: BrowserFile, spool: BrowserSpool): PhotoSource {
  return {
    name: file.name,
    type: file.type || mediaTypeOf(file.name),
    copyToSpool: (id) => spool.copy(id, file),
  };
}

function exporterOf(
  page: CreativeAppPage | undefined,
  spool: BrowserSpool,
): DocumentExporter | null {
  if (typeof page?.exportDocument !== 'function') {
    return null;
  }
  /** The documents of the page; none where it has only one. */
  const documents = (): readonly PageExportable[] => {
    try {
      return page.documents?.() ?? [];
    } catch {
      return [];
    }
  };
  return {
    offers: (page.exportFormats ?? []).map(offerOf),
    documents: () =>
      Promise.resolve(
        documents().map(({ key, name, isFront, parts }) => ({ key, name, isFront, parts })),
      ),
    async exportDocument(settings, _title, target) {
      // Read first: a change during the export counts as a change after it.
      const { documentKey, partId } = target;
      const exported =
        documentKey === null
          ? (page.openDocument?.() ?? null)
          : (documents().find(({ key }) => key === documentKey) ?? null);
      let file: BrowserFile | null | undefined;
      try {
        file = await page.exportDocument?.(settings, target);
      } catch (error) {
        throw new CwError('CW-805', 'the page did not export its document', { cause: error });
      }
      if (!file) {
        throw new CwError('CW-803', 'no document is open');
      }
      const documentId = exported && documentIdOf(exported.xmp);
      return {
        ...toPhotoSource(file, spool),
        document:
          documentId === null || partId === null ? documentId : `${documentId}#artboard-${partId}`,
        stateId: exported?.stateId ?? null,
      };
    },
  };
}

function documentsOf(page: CreativeAppPage | undefined, clock: Clock): OpenDocumentPort | null {
  if (typeof page?.openDocument !== 'function') {
    return null;
  }
  const read = (): PageDocument | null => page.openDocument?.() ?? null;
  const watch = new DocumentWatch(clock, () => {
    const document = read();
    return document ? [document.key, document.name, document.stateId].join('\n') : '';
  });
  const current = async (): Promise<OpenDocument | null> => {
    await Promise.resolve();
    try {
      const document = read();
      return document
        ? {
            key: document.key,
            name: document.name,
            documentId: documentIdOf(document.xmp),
            stateId: document.stateId,
            thumbnail: (px) => document.thumbnail(px).catch(() => null),
          }
        : null;
    } catch {
      return null;
    }
  };
  return {
    current,
    find: (key) => findInFront(current, key),
    onChange: (callback) => watch.onChange(callback),
  };
}

/** Reads a file of the package, from the page's folder. Returns null when it cannot be read. */
function readText(xhr: Xhr, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    xhr.onload = () => {
      resolve(xhr.status === 200 ? xhr.responseText : null);
    };
    xhr.onerror = () => {
      resolve(null);
    };
    xhr.open('GET', path, true);
    xhr.send();
  });
}
