import type { Clock } from '../util/clock.js';
import { CwError } from '../util/errors.js';
import { isOlder } from '../util/version.js';
import type { DocumentComments } from './document-comments.js';
import type { DocumentExporter } from './document-export.js';
import type { DocumentSaves, OpenDocumentPort } from './open-document.js';
import type { Host } from './host.js';
import type { PlacedFiles, PlacedFileUpdates } from './placed-files.js';
import type { Xhr } from './http.js';
import { PHOTO_EXTENSIONS } from './media-type.js';
import { randomId } from '../util/random-id.js';
import { hostClock, hostRandomBytes } from './system.js';
import type { UxpModule } from './uxp/uxp-module.js';
import type { UxpModules } from './uxp/modules.js';
import { createFiles, type FileEntry, type Files, type FileSystem } from './uxp/files.js';
import { createInDesignComments } from './uxp/indesign-comments.js';
import { createInDesignExporter } from './uxp/indesign-exporter.js';
import { createInDesignDocuments } from './uxp/indesign-document.js';
import { createInDesignLinks } from './uxp/indesign-links.js';
import { createInDesignRelinks } from './uxp/indesign-relinks.js';
import { createInDesignSaves } from './uxp/indesign-saves.js';
import { createPhotoshopActionSteps } from './uxp/photoshop-action-steps.js';
import { createPhotoshopComments } from './uxp/photoshop-comments.js';
import { createPhotoshopDocuments } from './uxp/photoshop-document.js';
import { createPhotoshopExporter } from './uxp/photoshop-exporter.js';
import { PhotoshopFront } from './uxp/photoshop-front.js';
import { createPhotoshopLinks } from './uxp/photoshop-links.js';
import { createPhotoshopOpener } from './uxp/photoshop-opener.js';
import { createPhotoshopRelinks } from './uxp/photoshop-relinks.js';
import { createPhotoshopSaves } from './uxp/photoshop-saves.js';
import { createPremiereComments } from './uxp/premiere-comments.js';
import { createPremiereDocuments } from './uxp/premiere-document.js';
import { createPremiereLinks } from './uxp/premiere-links.js';
import { createPremiereRelinks } from './uxp/premiere-relinks.js';
import { createPremiereExporter } from './uxp/premiere-exporter.js';
import { createUxpDownloads } from './uxp/downloads.js';
import { createUxpFolders } from './uxp/folders.js';
import { operatingSystem } from './uxp/operating-system.js';
import { createUxpRecords } from './uxp/records.js';
import { createUxpSecrets } from './uxp/secrets.js';
import { createUxpSpool, type UxpSpool } from './uxp/spool.js';

/** Globals of the host that are not modules. */
export interface UxpGlobals {
  createXhr(): Xhr;
  /** `navigator.clipboard.writeText`, which takes a plain string since UXP 8.0.1. */
  writeClipboard(text: string): Promise<unknown>;
  /** `window.addEventListener`. */
  listen(event: 'awake', listener: () => void): void;
}

/** Since this version the window has the event `awake` (changelog of UXP 9.2). */
const AWAKE_SINCE = '9.2';

const PRODUCT_NAMES = ['Photoshop', 'InDesign', 'Premiere Pro'];

/** The plugin's host in Adobe UXP. @param clock  times the waits for storage; the host's own when left out */
export function createUxpHost(
  modules: UxpModules,
  globals: UxpGlobals,
  clock: Clock = hostClock,
): Host {
  const { uxp, photoshop } = modules;
  const files = createFiles(modules, clock);
  const { fileSystem } = files;
  const spool = createUxpSpool(files, hostRandomBytes, clock);
  const run = `run:${randomId(hostRandomBytes)}`;
  const front = photoshop && new PhotoshopFront(photoshop);
  return {
    info: {
      appName: productName(uxp.host.name),
      appVersion: uxp.host.version,
      platform: uxp.versions.uxp,
      os: operatingSystem(modules.os),
      pluginVersion: uxp.versions.plugin,
      uiLocale: uxp.host.uiLocale,
    },
    clock,
    randomBytes: hostRandomBytes,
    secrets: createUxpSecrets(uxp.storage.secureStorage, clock),
    records: createUxpRecords(files, hostRandomBytes, clock),
    spool,
    documentExporter: exporterOf(modules, fileSystem, spool, run, front),
    openDocument: documentsOf(modules, clock, run, front),
    documentComments: commentsOf(modules, clock),
    placedFiles: placedFilesOf(modules, fileSystem, clock),
    placedFileUpdates: placedFileUpdatesOf(modules, fileSystem, clock),
    fileOpener: photoshop ? createPhotoshopOpener(photoshop, clock) : null,
    documentSaves: savesOf(modules, clock),
    actionSteps: photoshop ? createPhotoshopActionSteps(photoshop, globalThis) : null,
    pictureScaler: null,
    folders: createUxpFolders(files, spool, hostRandomBytes, clock),
    downloads: createUxpDownloads(files, hostRandomBytes, clock),

    async pickPhotos() {
      const picked = await pickFiles(fileSystem);
      return picked.map((file) => spool.toPhotoSource(file));
    },

    reopenPhoto: (token) => spool.reopen(token),

    saveFile: (name, content) => saveFile(files, name, content),

    openInBrowser: (url) => openInBrowser(uxp, url),

    async copyText(text) {
      try {
        await globals.writeClipboard(text);
      } catch (error) {
        throw new CwError('CW-801', 'the clipboard refused the text', { cause: error });
      }
    },

    createXhr: () => globals.createXhr(),

    onAwake(callback) {
      if (!isOlder(uxp.versions.uxp, AWAKE_SINCE)) {
        globals.listen('awake', callback);
      }
    },

    async readOwnFile(path) {
      try {
        const text = await files.fs.readFile(`plugin:/${path}`, { encoding: 'utf-8' });
        return typeof text === 'string' ? text : null;
      } catch {
        return null;
      }
    },

    async showMessage(text) {
      await photoshop?.core.showAlert({ message: text }).catch(() => undefined);
    },
  };
}

/** The app's name for users: some name themselves in small letters, such as "premierepro". */
function productName(name: string): string {
  return (
    PRODUCT_NAMES.find(
      (product) => product.replace(' ', '').toLowerCase() === name.toLowerCase(),
    ) ?? name
  );
}

/** The files that the user picks; none when the picker is cancelled. @throws {CwError} CW-802 */
async function pickFiles(files: FileSystem): Promise<readonly FileEntry[]> {
  try {
    return await files.pickFiles(PHOTO_EXTENSIONS, true);
  } catch (error) {
    throw new CwError('CW-802', 'the file picker failed', { cause: error });
  }
}

/** @throws {CwError} CW-802 when the picker fails, CW-811 when the file cannot be written */
async function saveFile(
  { fileSystem, formats }: Files,
  name: string,
  content: () => Promise<string>,
): Promise<boolean> {
  const types = [name.slice(name.lastIndexOf('.') + 1)];
  let file: FileEntry | null;
  try {
    file = await fileSystem.pickFileToSave(name, types);
  } catch (error) {
    throw new CwError('CW-802', 'the file picker failed', { cause: error });
  }
  if (!file) {
    return false;
  }
  const text = await content();
  try {
    await file.write(text, { format: formats.utf8 });
  } catch (error) {
    throw new CwError('CW-811', 'the chosen file could not be written', { cause: error });
  }
  return true;
}

/** @throws {CwError} CW-105 when the host does not open the address */
async function openInBrowser({ shell }: UxpModule, url: string): Promise<void> {
  let answer: unknown;
  try {
    answer = await shell.openExternal(url);
  } catch (error) {
    throw new CwError('CW-105', 'the system browser could not be opened', { cause: error });
  }
  // The Shell page and the type package promise a text, but nothing relies on it: only a non-empty text is a refusal.
  if (typeof answer === 'string' && answer !== '') {
    throw new CwError('CW-105', 'the host did not open the system browser', { cause: answer });
  }
}

function documentsOf(
  { photoshop, indesign, premierepro }: UxpModules,
  clock: Clock,
  run: string,
  front: PhotoshopFront | undefined,
): OpenDocumentPort | null {
  if (photoshop) {
    return createPhotoshopDocuments(photoshop, hostRandomBytes, clock, run, front);
  }
  if (indesign) {
    return createInDesignDocuments(indesign, clock, run);
  }
  return premierepro ? createPremiereDocuments(premierepro, clock) : null;
}

function commentsOf(
  { photoshop, indesign, premierepro }: UxpModules,
  clock: Clock,
): DocumentComments | null {
  if (photoshop) {
    return createPhotoshopComments(photoshop, clock);
  }
  if (indesign) {
    return createInDesignComments(indesign);
  }
  return premierepro ? createPremiereComments(premierepro, clock) : null;
}

function placedFileUpdatesOf(
  { uxp, photoshop, indesign, premierepro }: UxpModules,
  files: FileSystem,
  clock: Clock,
): PlacedFileUpdates | null {
  if (photoshop) {
    return createPhotoshopRelinks(photoshop, files, uxp, clock);
  }
  if (indesign) {
    return createInDesignRelinks(indesign);
  }
  return premierepro ? createPremiereRelinks(premierepro, uxp, clock) : null;
}

function placedFilesOf(
  { uxp, photoshop, indesign, premierepro }: UxpModules,
  files: FileSystem,
  clock: Clock,
): PlacedFiles | null {
  if (photoshop) {
    return createPhotoshopLinks(photoshop, files, uxp, clock);
  }
  if (indesign) {
    return createInDesignLinks(indesign);
  }
  return premierepro ? createPremiereLinks(premierepro, uxp, clock) : null;
}

function savesOf({ photoshop, indesign }: UxpModules, clock: Clock): DocumentSaves | null {
  if (photoshop) {
    return createPhotoshopSaves(photoshop);
  }
  return indesign ? createInDesignSaves(indesign, clock) : null;
}

function exporterOf(
  { photoshop, indesign, premierepro }: UxpModules,
  files: FileSystem,
  spool: UxpSpool,
  run: string,
  front: PhotoshopFront | undefined,
): DocumentExporter | null {
  if (photoshop) {
    return createPhotoshopExporter(photoshop, files, spool, hostClock, run, front);
  }
  if (indesign) {
    return createInDesignExporter(indesign, spool, hostClock, run);
  }
  if (premierepro) {
    return createPremiereExporter(premierepro, files, spool, hostClock);
  }
  return null;
}
