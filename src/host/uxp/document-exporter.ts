import { CwError } from '../../base/errors.js';
import type { DocumentExporter, DocumentFormat } from '../host.js';
import { isDiskFull } from './data-folder.js';
import type { PhotoshopDocument, PhotoshopModule, UxpFile } from './modules.js';
import type { UxpSpool } from './spool.js';

/** What Photoshop shows while its modal scope lasts (executeAsModal page). */
const COMMAND_NAME = 'Upload this document';

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
    async exportDocument(format, quality) {
      const document = activeDocument(photoshop);
      const name = exportName(document.name, format);
      try {
        // A file name of our own: what the document is called may be none.
        return await spool.photoWrittenBy(name, `document.${format}`, (file) =>
          photoshop.core.executeAsModal(() => saveCopy(document, file, format, quality), {
            commandName: COMMAND_NAME,
          }),
        );
      } catch (error) {
        throw isDiskFull(error)
          ? new CwError('CW-703', 'no space left to export the document', { cause: error })
          : new CwError('CW-805', 'the document was not exported', { cause: error });
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
  if (!document) throw new CwError('CW-803', 'no document is open');
  return document;
}

function saveCopy(
  document: PhotoshopDocument,
  file: UxpFile,
  format: DocumentFormat,
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

/** The document's name with the ending of the format: `Coast.psd` as JPEG is `Coast.jpg`. */
export function exportName(documentName: string, format: DocumentFormat): string {
  const base = documentName.replace(/\.(psd|psb|jpe?g|png|tiff?|gif|bmp|webp|heic|dng)$/i, '');
  return `${base || 'document'}.${format}`;
}
