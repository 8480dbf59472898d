import {
  CancelSource,
  orCancelled,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import { sleep, type Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';
import type { DocumentExporter } from '../host.js';
import { exportError, fileNameWith, notOffered, withinLimit } from './export-file.js';
import type { PhotoshopDocument, PhotoshopModule, PhotoshopScope, UxpFile } from './modules.js';
import { photoshopDocumentId } from './photoshop-document.js';
import type { UxpSpool } from './spool.js';

const OFFERS = [
  { format: 'jpg', gives: 'document', choices: ['quality', 'longEdge', 'profile', 'metadata'] },
  { format: 'png', gives: 'document', choices: ['longEdge', 'profile', 'metadata'] },
  { format: 'psd', gives: 'document', choices: ['metadata'] },
] as const;
type Format = (typeof OFFERS)[number]['format'];

/** How long the plugin waits for another plugin or a dialog, and between two requests. Milliseconds. */
const MOST_BUSY_MS = 20_000;
const ASK_EVERY_MS = 500;

/**
 * How long one request waits inside Photoshop: five seconds, or five milliseconds where practice is right. Either is
 * short, because the plugin retries automatically.
 */
const TIME_OUT = 5;

/** `number` of the error while something else is modal (media/executeasmodal). */
const IS_MODAL = 9;

/**
 * Exports Photoshop's open document: a copy saved into the plugin's data folder, inside a modal scope
 * as `saveAs` demands (Document and executeAsModal pages). The document, its path and its saved state
 * stay as they are.
 */
export function createPhotoshopExporter(
  photoshop: PhotoshopModule,
  spool: UxpSpool,
  clock: Clock,
  run: string,
): DocumentExporter {
  return {
    offers: OFFERS,
    documents: () => Promise.resolve([]),
    async exportDocument(settings, title) {
      const { quality } = settings;
      const format = OFFERS.find((offer) => offer.format === settings.format)?.format;
      if (format === undefined) {
        throw notOffered(settings.format);
      }
      const document = activeDocument(photoshop);
      try {
        const documentId = await withinLimit(clock, photoshopDocumentId(photoshop, document, run));
        const name = fileNameWith(document.name, format);
        const photo = await spool.importFromHost(name, async (folder) => {
          // A generated file name: the document's name may be no valid file name.
          const file = await folder.createFile(`document.${format}`, { overwrite: true });
          await runModal(photoshop, clock, title, () => saveCopy(document, file, format, quality));
          return file;
        });
        return { ...photo, document: documentId };
      } catch (error) {
        throw exportError(error);
      }
    },
  };
}

/**
 * Runs `work` in a modal scope. Waits while another plugin or a dialog is modal.
 * @param title  Photoshop shows this on a window while the work lasts
 * @throws {CwError} CW-807 when something else is modal for too long
 * @throws {CancelledError} as soon as the user presses Escape, whether Photoshop ends the work or not
 */
async function runModal(
  photoshop: PhotoshopModule,
  clock: Clock,
  title: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const escape = new CancelSource();
  let isOver = false;
  const inScope = async (scope: PhotoshopScope): Promise<void> => {
    // Photoshop may grant a request after the plugin has given it up.
    if (isOver) {
      return;
    }
    scope.onCancel = () => {
      escape.cancel();
    };
    try {
      await orCancelled(work(), escape.signal);
    } finally {
      if (scope.isCancelled) {
        escape.cancel();
      }
    }
  };
  const enter = (): Promise<unknown> =>
    photoshop.core.executeAsModal(inScope, { commandName: title, timeOut: TIME_OUT });
  try {
    await withinLimit(clock, untilCancelled(enterWhenFree(clock, enter, escape.signal), escape));
  } finally {
    isOver = true;
  }
}

/** Retries to enter a modal scope while something else is modal. @throws {CwError} CW-807 */
async function enterWhenFree(
  clock: Clock,
  enter: () => Promise<unknown>,
  signal: CancelSignal,
): Promise<void> {
  const wait = { isOver: false };
  const stopTimer = clock.startTimer(MOST_BUSY_MS, () => {
    wait.isOver = true;
  });
  try {
    for (;;) {
      try {
        await enter();
        return;
      } catch (error) {
        if (!isModal(error)) {
          throw error;
        }
        if (wait.isOver) {
          throw busyError(error);
        }
      }
      await sleep(clock, ASK_EVERY_MS, signal);
    }
  } finally {
    stopTimer();
  }
}

/** The result of `work`. Any result after the user has cancelled counts as cancelled. */
async function untilCancelled(work: Promise<void>, { signal }: CancelSource): Promise<void> {
  try {
    await orCancelled(work, signal);
  } finally {
    throwIfCancelled(signal);
  }
}

function isModal(error: unknown): error is { readonly message?: unknown } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'number' in error &&
    Number(error.number) === IS_MODAL
  );
}

/** The error for what keeps Photoshop busy, with the name of the plugin where Photoshop's message has it. */
function busyError(error: { readonly message?: unknown }): CwError {
  const [, name = ''] =
    /plugin:\s*(.+(?=\s+is running)|[\w.-]+)/i.exec(String(error.message)) ?? [];
  return new CwError('CW-807', 'another plugin or a dialog is modal', {
    cause: error,
    busyWith: sanitizeDisplayName(name, 100),
  });
}

function activeDocument(photoshop: PhotoshopModule): PhotoshopDocument {
  let document: PhotoshopDocument | null;
  try {
    document = photoshop.app.activeDocument;
  } catch (error) {
    throw new CwError('CW-803', 'no document is open', { cause: error });
  }
  if (!document) {
    throw new CwError('CW-803', 'no document is open');
  }
  return document;
}

function saveCopy(
  document: PhotoshopDocument,
  file: UxpFile,
  format: Format,
  quality: number,
): Promise<unknown> {
  const asCopy = true;
  switch (format) {
    case 'jpg':
      return document.saveAs.jpg(file, { quality, embedColorProfile: true }, asCopy);
    case 'png':
      return document.saveAs.png(file, {}, asCopy);
    case 'psd':
      return document.saveAs.psd(file, { embedColorProfile: true }, asCopy);
  }
}
