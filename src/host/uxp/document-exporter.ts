import { CwError } from '../../base/errors.js';
import { randomId } from '../../base/random-id.js';
import type { DocumentExporter, DocumentFormat, PhotoSource } from '../host.js';
import { mediaTypeOf } from '../media-type.js';
import { hostRandomBytes } from '../timers.js';
import { dataSubfolder, isDiskFull } from './data-folder.js';
import type { PhotoshopModule, UxpFile, UxpModule } from './modules.js';
import { INCOMING, moveIntoSpool, removeTree } from './spool.js';

/** What Photoshop shows while its modal scope lasts (executeAsModal page). */
const COMMAND_NAME = 'Upload this document';

/**
 * Exports Photoshop's open document: a copy saved into the plugin's data folder, inside a modal scope
 * as `saveAs` demands (Document and executeAsModal pages). The document, its path and its saved state
 * stay as they are.
 */
export function createPhotoshopExporter(
  photoshop: PhotoshopModule,
  storage: UxpModule['storage'],
): DocumentExporter {
  const files = storage.localFileSystem;

  const activeDocument = (): NonNullable<PhotoshopModule['app']['activeDocument']> => {
    let document: PhotoshopModule['app']['activeDocument'];
    try {
      document = photoshop.app.activeDocument;
    } catch (error) {
      throw new CwError('CW-803', 'no document is open', { cause: error });
    }
    if (!document) throw new CwError('CW-803', 'no document is open');
    return document;
  };

  return {
    async exportDocument(format, quality) {
      const document = activeDocument();
      const name = exportName(document.name, format);
      const incoming = await dataSubfolder(files, INCOMING);
      const folder = await incoming.createFolder(randomId(hostRandomBytes));
      try {
        // A name of our own: what the document is called may be no file name.
        const file = await folder.createFile(`document.${format}`, { overwrite: true });
        await photoshop.core.executeAsModal(() => saveCopy(document, file, format, quality), {
          commandName: COMMAND_NAME,
        });
        return exportedPhoto(name, file, () => removeTree(folder));
      } catch (error) {
        await removeTree(folder).catch(() => undefined);
        throw isDiskFull(error)
          ? new CwError('CW-703', 'no space left to export the document', { cause: error })
          : new CwError('CW-805', 'the document was not exported', { cause: error });
      }
    },
  };

  function exportedPhoto(name: string, file: UxpFile, cleanUp: () => Promise<void>): PhotoSource {
    return {
      name,
      type: mediaTypeOf(name),
      copyToSpool: async (id) => {
        try {
          return await moveIntoSpool(files, file, id);
        } catch (error) {
          throw isDiskFull(error)
            ? new CwError('CW-703', 'no space left to keep the exported document', { cause: error })
            : new CwError('CW-602', 'the exported document cannot be kept', { cause: error });
        } finally {
          await cleanUp().catch(() => undefined);
        }
      },
    };
  }
}

function saveCopy(
  document: NonNullable<PhotoshopModule['app']['activeDocument']>,
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
