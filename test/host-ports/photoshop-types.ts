/**
 * What Photoshop does not have must not compile; `npm run check` looks. Nothing here runs: each line below an
 * `@ts-expect-error` is an error, or the comment is.
 */
import type { PhotoshopDocument, PhotoshopModule } from '../../src/host/uxp/photoshop-module.js';
import type { UxpFile } from '../../src/host/uxp/uxp-module.js';

type SaveAs = PhotoshopDocument['saveAs'];

// @ts-expect-error -- saveAs has no TIFF
export type SaveAsTiff = SaveAs['tif'];
// @ts-expect-error -- and writes no PDF
export type SaveAsPdf = SaveAs['pdf'];

export async function notThere(
  { app, core }: PhotoshopModule,
  document: PhotoshopDocument,
  file: UxpFile,
): Promise<void> {
  // @ts-expect-error -- the quality is a number
  await document.saveAs.jpg(file, { quality: 'high' }, true);
  // @ts-expect-error -- a PSD has none
  await document.saveAs.psd(file, { quality: 12 }, true);
  // @ts-expect-error -- a path is no file
  await document.saveAs.png('/photo.png', {}, true);
  // @ts-expect-error -- it needs a name to show
  await core.executeAsModal(() => Promise.resolve(), {});
  // @ts-expect-error -- there may be no document
  await app.activeDocument.saveAs.png(file, {}, true);
}

/** What is there compiles. */
export async function there({ saveAs }: PhotoshopDocument, file: UxpFile): Promise<void> {
  await saveAs.jpg(file, { quality: 12, embedColorProfile: true }, true);
  await saveAs.png(file, {}, true);
  await saveAs.psb(file, { embedColorProfile: true }, true);
}
