import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import type {
  AppPreset,
  DocumentExporter,
  ExportableDocument,
  ExportSettings,
  PageSelection,
  PdfSettings,
} from '../document-export.js';
import type { FileLength } from '../photo-source.js';
import { placesIn, rangeText } from '../page-range.js';
import {
  exportError,
  fileNameWith,
  identityOfPart,
  MAX_PICTURE_MS,
  notOffered,
  withinLimit,
  writtenFile,
} from './export-file.js';
import {
  inDesignDocumentId,
  openInDesignDocument,
  openInDesignDocuments,
} from './indesign-document.js';
import type {
  INDESIGN_NUMBERS,
  InDesignDocument,
  InDesignModule,
  InDesignPdfPreset,
  InDesignPdfSettings,
} from './indesign-module.js';
import { member } from './indesign-enumeration.js';
import { isAboutParameter } from './indesign-step.js';
import { writeSource } from './file-source.js';
import type { UxpSpool } from './spool.js';
import type { FileEntry, FolderEntry } from './files.js';

/**
 * Pictures show one page. For a range or a whole document InDesign would write a file for each page
 * (JPEGExportPreference and PNGExportPreference pages, `exportingSpread`) without saying which files these are.
 */
const OFFERS = [
  { format: 'pdf', gives: 'document', appPresets: 'list', choices: ['pdf', 'approved'] },
  { format: 'jpg', gives: 'page', choices: ['quality', 'metadata', 'approved'] },
  { format: 'png', gives: 'page', choices: ['metadata', 'approved'] },
] as const;
type Format = (typeof OFFERS)[number]['format'];

/**
 * Pixels per inch of a picture of a page, good enough for print. Set because the app would use the user's last choice.
 */
const RESOLUTION = 300;
/** The same for the small picture of a PDF. */
const PICTURE_RESOLUTION = 72;

/** The preset of one export, made of the user's with other marks or pages. Left behind when the app is killed. */
const VARIANT_NAME = 'Creative Workspace';

/** Without an export preset of the plugin. */
const AS_PRESET: PdfSettings = { pages: { kind: 'all' }, layout: 'preset', marks: 'preset' };

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
  /** Keeps the first page of a PDF as its picture. Never rejects: a PDF needs none. */
  const keepFirstPage = async (
    document: InDesignDocument,
    { pdf }: ExportSettings,
    pictureFolder: () => Promise<FolderEntry>,
  ): Promise<void> => {
    const work = async (): Promise<void> => {
      const [first = 0] = placesOf(document, (pdf ?? AS_PRESET).pages) ?? [];
      const file = await (await pictureFolder()).createFile('page.jpg', { overwrite: true });
      await writeAs.picture(document, file, first);
    };
    await withinLimit(clock, work(), MAX_PICTURE_MS).catch(() => undefined);
  };
  return {
    offers: OFFERS,
    documents: () => Promise.resolve(exportable(indesign)),
    listAppPresets: () => Promise.resolve(pdfPresets(indesign)),
    lengthOf: (settings, { documentKey }) =>
      Promise.resolve().then(() => lengthNow(indesign, settings, documentKey)),
    async exportDocument(settings, _title, { documentKey }) {
      const { format: wanted, metadata } = settings;
      const format = OFFERS.find((offer) => offer.format === wanted)?.format;
      if (format === undefined) {
        throw notOffered(wanted);
      }
      const document = targetOf(indesign, documentKey);
      try {
        const documentId = inDesignDocumentId(document, run);
        const part = format === 'pdf' ? pdfPart(document, settings) : pagePart(document);
        const identity = part === null ? documentId : identityOfPart(documentId, part);
        const length = format === 'pdf' ? pdfLength(indesign, document, settings) : null;
        const source = sourceOf(indesign, document, settings);
        const name = fileNameWith(document.name, format);
        const photo = await spool.importFromHost(
          name,
          async (folder, pictureFolder) => {
            // A generated file name: the document's name may be no valid file name.
            const target = await folder.createFile(`document.${format}`, { overwrite: true });
            await writeAs[format](document, target, settings);
            // Some versions add the page's number to the name of a picture.
            const written = await writtenFile(folder);
            if (!written) {
              throw new Error('InDesign wrote nothing');
            }
            if (format === 'pdf') {
              await keepFirstPage(document, settings, pictureFolder);
            }
            return written.file;
          },
          metadata,
        );
        return { ...photo, document: identity, length, source };
      } catch (error) {
        throw exportError(error);
      }
    },
  };
}

/** @throws {CwError} CW-813 */
function lengthNow(
  indesign: InDesignModule,
  settings: ExportSettings,
  key: string | null,
): FileLength | null {
  try {
    return settings.format === 'pdf'
      ? pdfLength(indesign, targetOf(indesign, key), settings)
      : null;
  } catch (error) {
    if (error instanceof CwError && error.code === 'CW-813') {
      throw error;
    }
    return null;
  }
}

/** The part of the document that a PDF is; null for the whole. @throws {CwError} CW-813 */
function pdfPart(document: InDesignDocument, { pdf }: ExportSettings): string | null {
  const { pages } = pdf ?? AS_PRESET;
  if (pages.kind === 'current') {
    return pagePart(document);
  }
  const places = placesOf(document, pages);
  return places && `pages-${rangeText(places)}`;
}

/** The page in front as a part of its document. @throws {Error} when none is in front */
function pagePart(document: InDesignDocument): string {
  return `page-${frontPageOf(document).id}`;
}

/**
 * How many pages a PDF has: those of the document, or its spreads. Null when InDesign does not give them.
 * @throws {CwError} CW-813
 */
function pdfLength(
  indesign: InDesignModule,
  document: InDesignDocument,
  { appPreset, pdf }: ExportSettings,
): FileLength | null {
  const { pages, layout } = pdf ?? AS_PRESET;
  const chosen = placesOf(document, pages);
  try {
    const isBySpread = isPdfBySpread(indesign, appPreset, layout);
    const { pages: all, spreads } = document;
    if (!chosen) {
      return { kind: 'pages', pages: isBySpread ? spreads.length : all.length };
    }
    const touched = new Set(
      chosen.map((place) => (isBySpread ? all.item(place).parent.id : place)),
    );
    return { kind: 'pages', pages: touched.size };
  } catch {
    return null;
  }
}

function isPdfBySpread(
  indesign: InDesignModule,
  appPreset: AppPreset | null,
  layout: PdfSettings['layout'],
): boolean {
  const { exportReaderSpreads } = pdfSettingsOf(indesign, appPreset);
  return layout === 'spreads' || (layout === 'preset' && exportReaderSpreads);
}

function pdfSettingsOf(
  indesign: InDesignModule,
  appPreset: AppPreset | null,
): Readonly<InDesignPdfSettings> {
  return appPreset ? pdfPreset(indesign, appPreset) : indesign.app.pdfExportPreferences;
}

/**
 * By page of the file, the ids of the pages of the document on it: `5k 5l+5m`, in base 36. `edge` when something is around
 * the pages, so that a spot of the file is not certain. Null when InDesign does not give it.
 */
function sourceOf(
  indesign: InDesignModule,
  document: InDesignDocument,
  { format, appPreset, pdf }: ExportSettings,
): string | null {
  try {
    const { pages: all } = document;
    if (format !== 'pdf') {
      return writeSource({ pages: frontPageOf(document).id.toString(36) });
    }
    const { pages, layout, marks } = pdf ?? AS_PRESET;
    const every = Array.from({ length: all.length }, (_, place) => all.item(place));
    const places = placesOf(document, pages);
    const chosen = places ? places.flatMap((place) => every[place] ?? []) : every;
    const groups = isPdfBySpread(indesign, appPreset, layout)
      ? [...new Set(chosen.map(({ parent }) => parent.id))].map((spread) =>
          every.filter(({ parent }) => parent.id === spread),
        )
      : chosen.map((page) => [page]);
    const text = groups.map((group) => group.map(({ id }) => id.toString(36)).join('+')).join(' ');
    const hasEdge =
      marks === 'preset' ? hasMarks(pdfSettingsOf(indesign, appPreset)) : marks !== 'none';
    return writeSource({ pages: text, ...(hasEdge && { edge: true }) });
  } catch {
    return null;
  }
}

/** Whether a PDF has more than its pages: marks, or the bleed. */
function hasMarks(settings: Readonly<InDesignPdfSettings>): boolean {
  const { bleedTop, bleedBottom, bleedInside, bleedOutside } = settings;
  return (
    settings.cropMarks ||
    settings.bleedMarks ||
    settings.registrationMarks ||
    settings.colorBars ||
    settings.pageInformationMarks ||
    settings.includeSlugWithPDF ||
    settings.useDocumentBleedWithPDF ||
    [bleedTop, bleedBottom, bleedInside, bleedOutside].some(
      (width) => Number.parseFloat(String(width)) !== 0,
    )
  );
}

/**
 * The places of the chosen pages; null for all of them.
 * @throws {CwError} CW-813 when the document does not have them
 * @throws {Error} when no page is in front
 */
function placesOf(document: InDesignDocument, selection: PageSelection): readonly number[] | null {
  const { pages } = document;
  switch (selection.kind) {
    case 'all':
      return null;
    case 'current':
      return [placeInFront(document)];
    case 'range': {
      const names = Array.from({ length: pages.length }, (_, place) => pages.item(place).name);
      const places = placesIn(selection.text, names);
      if (!places) {
        throw new CwError('CW-813', 'the document does not have these pages');
      }
      return places;
    }
  }
}

/** Writes a document to a file. */
type Write = (
  document: InDesignDocument,
  file: FileEntry,
  settings: Pick<ExportSettings, 'quality' | 'appPreset' | 'pdf'>,
) => Promise<void>;

/** How each format is written, and a small picture of one page. */
function writersOf(
  indesign: InDesignModule,
  clock: Clock,
): Readonly<Record<Format, Write>> & {
  readonly picture: (document: InDesignDocument, file: FileEntry, place: number) => Promise<void>;
} {
  const { app } = indesign;
  const exportAs = (
    format: keyof (typeof INDESIGN_NUMBERS)['ExportFormat'],
    document: InDesignDocument,
    file: FileEntry,
    preset?: InDesignPdfPreset,
  ): Promise<void> =>
    withinLimit(clock, exportTo(file, document, member(indesign, 'ExportFormat', format), preset));
  const range = (place: number): { pageString: string; exportingSpread: boolean } => ({
    pageString: rangeText([place], '+'),
    exportingSpread: false,
  });
  const exportJpeg = (
    document: InDesignDocument,
    file: FileEntry,
    place: number,
    quality: keyof (typeof INDESIGN_NUMBERS)['JPEGOptionsQuality'],
    exportResolution: number,
  ): Promise<void> => {
    const wanted = {
      jpegExportRange: member(indesign, 'ExportRangeOrAllPages', 'EXPORT_RANGE'),
      ...range(place),
      jpegQuality: member(indesign, 'JPEGOptionsQuality', quality),
      exportResolution,
    };
    return withPreferences(app.jpegExportPreferences, wanted, () =>
      exportAs('JPG', document, file),
    );
  };
  return {
    async pdf(document, file, { appPreset, pdf = AS_PRESET }) {
      const preset = appPreset ? pdfPreset(indesign, appPreset) : undefined;
      const places = placesOf(document, pdf.pages);
      const changes = pdfChanges(pdf);
      const wanted = {
        pageRange: places ? rangeText(places, '+') : member(indesign, 'PageRange', 'ALL_PAGES'),
        exportAsSinglePages: false,
        viewPDF: false,
        ...(!preset && changes),
      };
      await withPreferences(app.pdfExportPreferences, wanted, () =>
        withVariant(indesign, preset, changes, (using) =>
          exportAs('PDF_TYPE', document, file, using),
        ),
      );
    },
    jpg: (document, file, { quality }) =>
      exportJpeg(document, file, placeInFront(document), qualityOf(quality), RESOLUTION),
    picture: (document, file, place) =>
      exportJpeg(document, file, place, 'MEDIUM', PICTURE_RESOLUTION),
    png(document, file) {
      const wanted = {
        pngExportRange: member(indesign, 'PNGExportRangeEnum', 'EXPORT_RANGE'),
        ...range(placeInFront(document)),
        pngQuality: member(indesign, 'PNGQualityEnum', 'MAXIMUM'),
        exportResolution: RESOLUTION,
      };
      return withPreferences(app.pngExportPreferences, wanted, () =>
        exportAs('PNG_FORMAT', document, file),
      );
    },
  };
}

/** What a preset of the plugin changes in the settings of a PDF. The bleed's widths come after the switch for them. */
function pdfChanges({ layout, marks }: PdfSettings): Partial<InDesignPdfSettings> {
  return {
    ...(layout !== 'preset' && { exportReaderSpreads: layout === 'spreads' }),
    ...(marks !== 'preset' && {
      cropMarks: marks === 'crop-and-bleed',
      bleedMarks: false,
      registrationMarks: false,
      colorBars: false,
      pageInformationMarks: false,
      includeSlugWithPDF: false,
      useDocumentBleedWithPDF: marks !== 'none',
    }),
    ...(marks === 'none' && { bleedTop: 0, bleedBottom: 0, bleedInside: 0, bleedOutside: 0 }),
  };
}

/** Settings that InDesign may refuse: whether they count without the document's bleed is documented in two ways. */
const REFUSABLE: readonly string[] = ['bleedTop', 'bleedBottom', 'bleedInside', 'bleedOutside'];

/**
 * Runs `work` with a preset that has these changes: a copy, because a preset decides over the preferences and belongs to
 * the user. The copy is removed afterwards, and one that was left behind before.
 */
async function withVariant(
  indesign: InDesignModule,
  preset: InDesignPdfPreset | undefined,
  changes: Partial<InDesignPdfSettings>,
  work: (using: InDesignPdfPreset | undefined) => Promise<void>,
): Promise<void> {
  if (!preset || Object.keys(changes).length === 0) {
    await work(preset);
    return;
  }
  findPdfPreset(indesign, VARIANT_NAME)?.remove();
  const variant = preset.duplicate();
  try {
    for (const [name, value] of Object.entries({ ...changes, exportAsSinglePages: false })) {
      unlessRefusable(name, () => Object.assign(variant, { [name]: value }));
    }
    variant.name = VARIANT_NAME;
    await work(variant);
  } finally {
    removeQuietly(variant);
  }
}

function removeQuietly(preset: InDesignPdfPreset): void {
  try {
    preset.remove();
  } catch {
    // The next export tries again.
  }
}

function unlessRefusable(name: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!REFUSABLE.includes(name)) {
      throw error;
    }
  }
}

/** Exports without a dialog. Where InDesign does not take a file entry, gives it the native path. */
async function exportTo(
  file: FileEntry,
  document: InDesignDocument,
  format: unknown,
  preset?: InDesignPdfPreset,
): Promise<void> {
  const using = preset ? [preset] : [];
  try {
    await document.exportFile(format, file.entry, false, ...using);
  } catch (error) {
    if (!isAboutParameter(error)) {
      throw error;
    }
    await document.exportFile(format, file.nativePath, false, ...using);
  }
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
function targetOf(indesign: InDesignModule, key: string | null): InDesignDocument {
  return key === null ? activeDocument(indesign) : documentOf(indesign, key);
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
    return Array.from({ length: presets.length }, (_, index) => presets.item(index).name)
      .filter((name) => name !== VARIANT_NAME)
      .map((name) => ({ id: name, name }));
  } catch {
    return [];
  }
}

/** @throws {CwError} CW-812 when InDesign does not have it, or no longer */
function pdfPreset(indesign: InDesignModule, { id }: AppPreset): InDesignPdfPreset {
  const preset = findPdfPreset(indesign, id);
  if (!preset) {
    throw new CwError('CW-812', 'InDesign has no such PDF preset');
  }
  return preset;
}

function findPdfPreset({ app }: InDesignModule, name: string): InDesignPdfPreset | null {
  const { pdfExportPresets: presets } = app;
  for (let index = 0; index < presets.length; index += 1) {
    const preset = presets.item(index);
    if (preset.name === name) {
      return preset;
    }
  }
  return null;
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
 * The place of the page in front, from 0. Names of pages depend on their sections and may occur twice.
 * @throws {Error} when none is in front: the document has no window, or shows a parent page
 */
function placeInFront(document: InDesignDocument): number {
  const { pages } = document;
  const { id } = frontPageOf(document);
  for (let place = 0; place < pages.length; place += 1) {
    if (pages.item(place).id === id) {
      return place;
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
      unlessRefusable(String(name), () => {
        const before = preferences[name];
        undo.push(() => {
          preferences[name] = before;
        });
        Object.assign(preferences, { [name]: wanted[name] });
      });
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
