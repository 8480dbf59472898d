import { CwError } from '../../base/errors.js';
import type { DocumentExporter } from '../host.js';
import { exportError, fileNameWith, notOffered } from './export-file.js';
import type { PhotoshopDocument, PhotoshopModule, UxpFile } from './modules.js';
import type { UxpSpool } from './spool.js';

const OFFERS = [
  { format: 'jpg', gives: 'document' },
  { format: 'png', gives: 'document' },
  { format: 'psd', gives: 'document' },
] as const;
type Format = (typeof OFFERS)[number]['format'];

/**
 * Exports Photoshop's open document: a copy saved into the plugin's data folder, inside a modal scope
 * as `saveAs` demands (Document and executeAsModal pages). The document, its path and its saved state
 * stay as they are.
 */
export function createPhotoshopExporter(
  photoshop: PhotoshopModule,
  spool: UxpSpool,
): DocumentExporter {
  return {
    offers: OFFERS,
    async exportDocument(wanted, quality, title) {
      const format = OFFERS.find((offer) => offer.format === wanted)?.format;
      if (format === undefined) {
        throw notOffered(wanted);
      }
      const document = activeDocument(photoshop);
      try {
        return await spool.photoWrittenBy(fileNameWith(document.name, format), async (folder) => {
          // A file name of our own: the document's name may be no valid file name.
          const file = await folder.createFile(`document.${format}`, { overwrite: true });
          await photoshop.core.executeAsModal(() => saveCopy(document, file, format, quality), {
            // Photoshop shows this on a window while the export lasts.
            commandName: title,
          });
          return file;
        });
      } catch (error) {
        throw exportError(error);
      }
    },
  };
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
