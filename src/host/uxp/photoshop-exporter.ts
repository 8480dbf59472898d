import { CancelledError } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { Mutex } from '../../util/mutex.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';
import type {
  DocumentExporter,
  ExportableDocument,
  ExportSettings,
  ExportTarget,
} from '../document-export.js';
import type { PhotoSource } from '../photo-source.js';
import { mediaTypeOf } from '../media-type.js';
import {
  exportError,
  fileNameWith,
  identityOfPart,
  notOffered,
  withinLimit,
} from './export-file.js';
import type { PhotoshopDocument, PhotoshopModule } from './photoshop-module.js';
import { photoshopDocumentId } from './photoshop-document.js';
import {
  duplicateName,
  isDuplicate,
  PhotoshopExport,
  type PhotoshopFormat,
  type PhotoshopTarget,
} from './photoshop-export.js';
import { canvasOf } from './photoshop-canvas.js';
import { PhotoshopFront } from './photoshop-front.js';
import { runModal } from './photoshop-modal.js';
import type { UxpSpool } from './spool.js';
import type { FileSystem } from './files.js';

const OFFERS = [
  {
    format: 'jpg',
    gives: 'document',
    choices: ['quality', 'longEdge', 'profile', 'metadata', 'approved'],
  },
  {
    format: 'png',
    gives: 'document',
    choices: ['longEdge', 'profile', 'bitDepth', 'metadata', 'approved'],
  },
  {
    format: 'tif',
    gives: 'document',
    choices: ['longEdge', 'profile', 'bitDepth', 'metadata', 'approved'],
  },
  { format: 'psd', gives: 'document', choices: ['metadata', 'approved'] },
] as const;

/**
 * Exports Photoshop's open documents into the plugin's data folder, inside a modal scope as `saveAs` demands (Document
 * and executeAsModal pages). The document, its path, its history and its saved state stay as they are.
 * @param run  identifies this run
 * @param front  shared with what watches the document in front
 */
export function createPhotoshopExporter(
  photoshop: PhotoshopModule,
  files: Pick<FileSystem, 'createSessionToken'>,
  spool: UxpSpool,
  clock: Clock,
  run: string,
  front = new PhotoshopFront(photoshop),
): DocumentExporter {
  return new PhotoshopExporter(photoshop, files, spool, clock, run, front);
}

class PhotoshopExporter implements DocumentExporter {
  readonly offers = OFFERS;
  /** Photoshop has one document in front, so exports take turns. */
  private readonly turns = new Mutex();
  private count = 0;

  constructor(
    private readonly photoshop: PhotoshopModule,
    private readonly files: Pick<FileSystem, 'createSessionToken'>,
    private readonly spool: UxpSpool,
    private readonly clock: Clock,
    private readonly run: string,
    private readonly front: PhotoshopFront,
  ) {
    // A run that was killed may have left one.
    void this.turns.run(() => this.tidy(null));
  }

  documents(): Promise<readonly ExportableDocument[]> {
    const { app } = this.photoshop;
    try {
      const front = app.activeDocument;
      return Promise.resolve(
        Array.from(app.documents)
          .filter((document) => !isDuplicate(document))
          .map((document) => ({
            key: String(document.id),
            name: document.name,
            isFront: document.id === front?.id,
            parts: Array.from(document.artboards, ({ id, name }) => ({ id: String(id), name })),
          })),
      );
    } catch {
      return Promise.resolve([]);
    }
  }

  exportDocument(
    settings: ExportSettings,
    title: string,
    target: ExportTarget,
  ): Promise<PhotoSource> {
    return this.turns.run(() => this.exportNow(settings, title, target));
  }

  private async exportNow(
    settings: ExportSettings,
    title: string,
    where: ExportTarget,
  ): Promise<PhotoSource> {
    const { photoshop, clock, run } = this;
    const format = OFFERS.find((offer) => offer.format === settings.format)?.format;
    if (format === undefined) {
      throw notOffered(settings.format);
    }
    const target = findTarget(photoshop, where);
    const { document, artboard } = target;
    try {
      const source = canvasOf(target);
      const documentId = await withinLimit(clock, photoshopDocumentId(photoshop, document, run));
      return {
        ...(await this.import(target, format, settings, title)),
        document: artboard ? identityOfPart(documentId, `artboard-${artboard.id}`) : documentId,
        source,
      };
    } catch (error) {
      throw exportError(error);
    }
  }

  private async import(
    target: PhotoshopTarget,
    format: PhotoshopFormat,
    settings: ExportSettings,
    title: string,
  ): Promise<PhotoSource> {
    const { photoshop, files, spool, clock, run } = this;
    this.count += 1;
    const job = new PhotoshopExport(
      photoshop,
      files,
      target,
      format,
      settings,
      duplicateName(run, this.count),
    );
    const name = nameOf(target, format);
    let written = name;
    const photo = await spool.importFromHost(
      name,
      (folder) =>
        this.front.hold(target.front, async () => {
          let working: ReturnType<PhotoshopExport['run']> = Promise.reject(new CancelledError());
          working.catch(() => undefined);
          try {
            await runModal(photoshop, clock, title, (scope, signal) => {
              working = job.run(scope, signal, folder);
              return working;
            });
          } catch (error) {
            // Photoshop may make the duplicate after the scope has ended.
            void working.catch(() => undefined).then(() => this.turns.run(() => this.tidy(null)));
            throw error;
          } finally {
            await this.tidy(target.front);
          }
          const file = await working;
          written = file.name.endsWith('.psb') ? name.replace(/\.psd$/, '.psb') : name;
          return file;
        }),
      settings.metadata,
    );
    return { ...photo, name: written, type: mediaTypeOf(written) };
  }

  /**
   * Closes duplicates that are still open, and brings a document back to the front. Never rejects.
   * @param front  null for whichever is in front
   */
  private async tidy(front: PhotoshopDocument | null): Promise<void> {
    const { photoshop, clock } = this;
    const { app } = photoshop;
    const isTidy = (): boolean =>
      !Array.from(app.documents).some(isDuplicate) &&
      (!front ||
        app.activeDocument?.id === front.id ||
        !Array.from(app.documents).some(({ id }) => id === front.id));
    try {
      if (isTidy()) {
        return;
      }
      await runModal(photoshop, clock, 'Creative Workspace', async () => {
        for (const document of Array.from(app.documents).filter(isDuplicate)) {
          await document.closeWithoutSaving();
        }
        if (front && !isTidy()) {
          app.activeDocument = front;
        }
      });
    } catch {
      // The next export tries again.
      return;
    }
  }
}

/** @throws {CwError} CW-803 when it is not open, or has no such artboard */
function findTarget(
  { app }: PhotoshopModule,
  { documentKey, partId }: ExportTarget,
): PhotoshopTarget {
  let front: PhotoshopDocument | null;
  let document: PhotoshopDocument | null | undefined;
  try {
    front = app.activeDocument;
    document =
      documentKey === null
        ? front
        : Array.from(app.documents).find(({ id }) => String(id) === documentKey);
  } catch (error) {
    throw new CwError('CW-803', 'no document is open', { cause: error });
  }
  if (!front || !document) {
    throw new CwError('CW-803', 'the document is not open');
  }
  const artboard =
    partId === null ? null : Array.from(document.artboards).find(({ id }) => String(id) === partId);
  if (artboard === undefined) {
    throw new CwError('CW-803', 'the document has no such artboard');
  }
  return { document, artboard, front };
}

/** `Coast.psd` is `Coast.jpg`, its artboard `Story` is `Coast Story.jpg`. */
function nameOf({ document, artboard }: PhotoshopTarget, format: PhotoshopFormat): string {
  const name = fileNameWith(document.name, format);
  const part = artboard && sanitizeDisplayName(artboard.name, 100);
  return part ? name.replace(/\.[a-z]+$/, ` ${part}$&`) : name;
}
