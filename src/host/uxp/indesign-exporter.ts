import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import type { AppPreset, DocumentExporter, ExportableDocument, ExportSettings } from '../host.js';
import {
  exportError,
  fileNameWith,
  identityOfPart,
  notOffered,
  withinLimit,
  writtenFile,
} from './export-file.js';
import {
  inDesignDocumentId,
  openInDesignDocument,
  openInDesignDocuments,
} from './indesign-document.js';
import {
  INDESIGN_NUMBERS,
  type InDesignDocument,
  type InDesignModule,
  type InDesignPdfPreset,
  type UxpFile,
} from './modules.js';
import type { UxpSpool } from './spool.js';

/**
 * Pictures show one page. For a range or a whole document InDesign would write a file for each page
 * (JPEGExportPreference and PNGExportPreference pages, `exportingSpread`) without saying which files these are.
 */
const OFFERS = [
  { format: 'pdf', gives: 'document', appPresets: 'list' },
  { format: 'jpg', gives: 'page', choices: ['quality', 'metadata'] },
  { format: 'png', gives: 'page', choices: ['metadata'] },
] as const;
type Format = (typeof OFFERS)[number]['format'];

/**
 * Pixels per inch of a picture of a page, good enough for print. Set because the app would use the user's last choice.
 */
const RESOLUTION = 300;

/**
 * Exports the open InDesign document into the plugin's data folder (Document page: `exportFile`), without any dialog.
 * Preferences of the app (Application page) define the exported content and format. They belong to the user, so they are
 * restored. A PDF uses a PDF preset or the user's own preferences, but is one file of all pages, and is not opened
 * afterwards.
 */
export function createInDesignExporter(
  indesign: InDesignModule,
  spool: UxpSpool,
  clock: Clock,
  run: string,
): DocumentExporter {
  const writeAs = writersOf(indesign, clock);
  return {
    offers: OFFERS,
    documents: () => Promise.resolve(exportable(indesign)),
    listAppPresets: () => Promise.resolve(pdfPresets(indesign)),
    async exportDocument(settings, _title, { documentKey }) {
      const { format: wanted, metadata } = settings;
      const format = OFFERS.find((offer) => offer.format === wanted)?.format;
      if (format === undefined) {
        throw notOffered(wanted);
      }
      const document =
        documentKey === null ? activeDocument(indesign) : documentOf(indesign, documentKey);
      try {
        const documentId = inDesignDocumentId(document, run);
        const identity =
          format === 'pdf'
            ? documentId
            : identityOfPart(documentId, `page-${frontPageOf(document).id}`);
        const name = fileNameWith(document.name, format);
        const photo = await spool.importFromHost(
          name,
          async (folder) => {
            // A generated file name: the document's name may be no valid file name.
            const target = await folder.createFile(`document.${format}`, { overwrite: true });
            await writeAs[format](document, target, settings);
            // Some versions add the page's number to the name of a picture.
            const written = await writtenFile(folder);
            if (!written) {
              throw new Error('InDesign wrote nothing');
            }
            return written.file;
          },
          metadata,
        );
        return { ...photo, document: identity };
      } catch (error) {
        throw exportError(error);
      }
    },
  };
}

/** Writes a document to a file. */
type Write = (
  document: InDesignDocument,
  file: UxpFile,
  settings: Pick<ExportSettings, 'quality' | 'appPreset'>,
) => Promise<void>;

/** How each format is written. */
function writersOf(indesign: InDesignModule, clock: Clock): Readonly<Record<Format, Write>> {
  const { app } = indesign;
  const exportAs = (
    format: keyof (typeof INDESIGN_NUMBERS)['ExportFormat'],
    document: InDesignDocument,
    file: UxpFile,
    preset?: InDesignPdfPreset,
  ): Promise<void> =>
    withinLimit(clock, exportTo(file, document, member(indesign, 'ExportFormat', format), preset));
  const range = (document: InDesignDocument): { pageString: string; exportingSpread: boolean } => ({
    pageString: pageInFront(document),
    exportingSpread: false,
  });
  return {
    async pdf(document, file, { appPreset }) {
      const preset = appPreset ? pdfPreset(indesign, appPreset) : undefined;
      const wanted = {
        pageRange: member(indesign, 'PageRange', 'ALL_PAGES'),
        exportAsSinglePages: false,
        viewPDF: false,
      };
      await withPreferences(app.pdfExportPreferences, wanted, () =>
        exportAs('PDF_TYPE', document, file, preset),
      );
    },
    jpg(document, file, { quality }) {
      const wanted = {
        jpegExportRange: member(indesign, 'ExportRangeOrAllPages', 'EXPORT_RANGE'),
        ...range(document),
        jpegQuality: member(indesign, 'JPEGOptionsQuality', qualityOf(quality)),
        exportResolution: RESOLUTION,
      };
      return withPreferences(app.jpegExportPreferences, wanted, () =>
        exportAs('JPG', document, file),
      );
    },
    png(document, file) {
      const wanted = {
        pngExportRange: member(indesign, 'PNGExportRangeEnum', 'EXPORT_RANGE'),
        ...range(document),
        pngQuality: member(indesign, 'PNGQualityEnum', 'MAXIMUM'),
        exportResolution: RESOLUTION,
      };
      return withPreferences(app.pngExportPreferences, wanted, () =>
        exportAs('PNG_FORMAT', document, file),
      );
    },
  };
}

/**
 * A member of an enumeration to be handed to InDesign: what its module has, if that is a number or a word, else the
 * documented number. Some versions give out opaque objects that they do not take back.
 */
function member<Name extends keyof typeof INDESIGN_NUMBERS>(
  indesign: InDesignModule,
  enumeration: Name,
  name: keyof (typeof INDESIGN_NUMBERS)[Name] & string,
): unknown {
  const given = indesign[enumeration]?.[name];
  return typeof given === 'number' || (typeof given === 'string' && given !== '')
    ? given
    : INDESIGN_NUMBERS[enumeration][name];
}

/** Exports without a dialog. Where InDesign does not take a file entry, gives it the native path. */
async function exportTo(
  file: UxpFile,
  document: InDesignDocument,
  format: unknown,
  preset?: InDesignPdfPreset,
): Promise<void> {
  const using = preset ? [preset] : [];
  try {
    await document.exportFile(format, file, false, ...using);
  } catch (error) {
    if (!isAboutParameter(error)) {
      throw error;
    }
    await document.exportFile(format, file.nativePath, false, ...using);
  }
}

/**
 * Whether a call may have been refused because of its arguments. InDesign translates its messages, but these words are in
 * all of them: they name the method (`exportFile`) and the class (`File`).
 */
function isAboutParameter(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    (error instanceof Error && /file|entry|argument|parameter|type/i.test(error.message))
  );
}

/** All open documents; none while one of them is closing. */
function exportable(indesign: InDesignModule): readonly ExportableDocument[] {
  try {
    const front = frontKey(indesign);
    return openInDesignDocuments(indesign).map(({ id, name }) => ({
      key: String(id),
      name,
      isFront: String(id) === front,
      parts: [],
    }));
  } catch {
    return [];
  }
}

/** Null when none has a window. */
function frontKey(indesign: InDesignModule): string | null {
  try {
    return String(activeDocument(indesign).id);
  } catch {
    return null;
  }
}

/** @throws {CwError} CW-803 */
function documentOf(indesign: InDesignModule, key: string): InDesignDocument {
  let document: InDesignDocument | null;
  try {
    document = openInDesignDocument(indesign, key);
  } catch (error) {
    throw new CwError('CW-803', 'the document is closing', { cause: error });
  }
  if (!document) {
    throw new CwError('CW-803', 'the document is not open');
  }
  return document;
}

function pdfPresets({ app }: InDesignModule): readonly AppPreset[] {
  try {
    const { pdfExportPresets: presets } = app;
    return Array.from({ length: presets.length }, (_, index) => {
      const { name } = presets.item(index);
      return { id: name, name };
    });
  } catch {
    return [];
  }
}

/** @throws {CwError} CW-812 when InDesign does not have it, or no longer */
function pdfPreset({ app }: InDesignModule, { id }: AppPreset): InDesignPdfPreset {
  const { pdfExportPresets: presets } = app;
  for (let index = 0; index < presets.length; index += 1) {
    const preset = presets.item(index);
    if (preset.name === id) {
      return preset;
    }
  }
  throw new CwError('CW-812', 'InDesign has no such PDF preset');
}

function activeDocument({ app }: InDesignModule): InDesignDocument {
  if (app.documents.length === 0) {
    throw new CwError('CW-803', 'no document is open');
  }
  try {
    return app.activeDocument;
  } catch (error) {
    // All open documents may be without a window: scripts can open such.
    throw new CwError('CW-803', 'no document is in front', { cause: error });
  }
}

/**
 * The page in front, by its place in the document: `+3` is the third, whatever number is printed on it. Names of pages
 * depend on their sections and may occur twice.
 * @throws {Error} when none is in front: the document has no window, or shows a parent page
 */
function pageInFront(document: InDesignDocument): string {
  const { pages } = document;
  const { id } = frontPageOf(document);
  for (let place = 0; place < pages.length; place += 1) {
    if (pages.item(place).id === id) {
      return `+${place + 1}`;
    }
  }
  throw new Error('the page is not in the document');
}

/** @throws {Error} when the document has no window */
function frontPageOf({ layoutWindows }: InDesignDocument): { readonly id: number } {
  if (layoutWindows.length === 0) {
    throw new Error('the document has no layout window');
  }
  return layoutWindows.item(0).activePage;
}

/** One of four steps for a quality from 0 to 12. */
function qualityOf(quality: number): keyof (typeof INDESIGN_NUMBERS)['JPEGOptionsQuality'] {
  if (quality >= 10) {
    return 'MAXIMUM';
  }
  if (quality >= 7) {
    return 'HIGH';
  }
  return quality >= 4 ? 'MEDIUM' : 'LOW';
}

/**
 * Runs `work` with these preferences set, and always restores them. They are set in order and restored in reverse
 * order, because a page string is valid only while a range is selected.
 */
async function withPreferences<Preferences extends object>(
  preferences: Preferences,
  wanted: Partial<Preferences>,
  work: () => Promise<void>,
): Promise<void> {
  const undo: (() => void)[] = [];
  try {
    for (const name of Object.keys(wanted) as (keyof Preferences)[]) {
      const before = preferences[name];
      undo.push(() => {
        preferences[name] = before;
      });
      Object.assign(preferences, { [name]: wanted[name] });
    }
    await work();
  } finally {
    for (const putBack of undo.reverse()) {
      // If the app refuses one, the others must still be put back.
      try {
        putBack();
      } catch {
        continue;
      }
    }
  }
}
