import type {
  AppPreset,
  DocumentFormat,
  ExportOffer,
  ExportSettings,
  PageSelection,
  PdfSettings,
} from '../../host/document-export.js';
import { isPageRange } from '../../host/page-range.js';
import { isJsonObject, parseJsonObject, textField, type JsonObject } from '../../util/json.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';
import { patternProblem } from './name-pattern.js';

/** A named way to export a document. */
export interface Preset {
  readonly id: string;
  /** Null for a built-in preset, whose name is in the dictionary under its kind. */
  readonly name: string | null;
  readonly kind: PresetKind;
  /** The file name without its ending; `{name}` is the document's name. */
  readonly namePattern: string;
  readonly settings: ExportSettings;
  /** Set when only what a client approved is uploaded with it. */
  readonly approvedOnly?: true;
}

export type PresetKind = (typeof KINDS)[number];

const KINDS = ['original', 'web', 'print'] as const;
const FORMATS: readonly DocumentFormat[] = ['jpg', 'png', 'tif', 'psd', 'pdf', 'mp4'];

/** Longer sides that a preset may ask for, in pixels. The most is what a JPEG and Photoshop hold. */
export const LONG_EDGE = { least: 16, most: 30_000 };
/** The best quality of a JPEG. */
export const BEST_QUALITY = 12;
/** Longest texts in UTF-16 code units: a preset's name, and one line of its metadata. */
export const MAX_NAME_LENGTH = 60;
export const MAX_LINE_LENGTH = 200;

/** Ways in which a PDF is laid out, and its printer's marks. */
export const PDF_LAYOUTS = ['preset', 'pages', 'spreads'] as const;
export const PDF_MARKS = ['preset', 'none', 'bleed', 'crop-and-bleed'] as const;
/** All pages, as the app's own preset has them: not stored, as in presets of earlier versions. */
export const PLAIN_PDF: PdfSettings = {
  pages: { kind: 'all' },
  layout: 'preset',
  marks: 'preset',
};

/** Settings that leave everything as the document has it. */
export function plainSettings(format: DocumentFormat): ExportSettings {
  return {
    format,
    quality: BEST_QUALITY,
    longEdge: null,
    profile: 'document',
    bitDepth: 8,
    appPreset: null,
    metadata: { removeLocation: false, creator: '', copyright: '', contact: '' },
  };
}

/** A preset that only chooses the format. */
export function presetOfFormat(format: DocumentFormat): Preset {
  return {
    id: format,
    name: null,
    kind: 'original',
    namePattern: '{name}',
    settings: plainSettings(format),
  };
}

/**
 * The presets that every user has. An app for pictures has Original, Web and Print; another app has one for each of its
 * formats.
 * @param offers  what the app exports, the best first
 */
export function builtInPresets(offers: readonly ExportOffer[]): readonly Preset[] {
  const isOffered = (wanted: DocumentFormat): boolean =>
    offers.some(({ format }) => format === wanted);
  if (!isOffered('psd') || !isOffered('jpg')) {
    return offers.map(({ format }) => presetOfFormat(format));
  }
  return [
    { ...presetOfFormat('psd'), id: 'original' },
    {
      id: 'web',
      name: null,
      kind: 'web',
      // Its name differs from that of the print file, which has the same ending.
      namePattern: '{name}-web',
      settings: webSettings(),
    },
    { ...presetOfFormat('jpg'), id: 'print', kind: 'print' },
  ];
}

function webSettings(): ExportSettings {
  const plain = plainSettings('jpg');
  return {
    ...plain,
    quality: 10,
    longEdge: 2048,
    profile: 'srgb',
    metadata: { ...plain.metadata, removeLocation: true },
  };
}

/**
 * Identity of the photo that a preset makes of a document. Each preset makes a photo with separate versions: a Web copy
 * never replaces the Print copy, although both are JPEG. Original and Print give the finished picture in full, as does a
 * preset that only chooses the format. They add nothing, so a file that the user saved by hand is a version of the same
 * photo.
 */
export function identityOfPreset(document: string | null, { id }: Preset): string | null {
  const isPlain = ['original', 'print'].includes(id) || FORMATS.some((format) => format === id);
  return document === null || isPlain ? document : `${document}#${id}`;
}

/**
 * Whether a file of a document contains what another one does, by their identities: the same part, or the whole.
 * Preset and format do not count. Only the name of a part has a hyphen and no slash: `ID#page-200#web#image/jpeg`.
 */
export function containsPart(whole: string, part: string): boolean {
  const partOf = (identity: string): string | null =>
    identity
      .split('#')
      .slice(1)
      .find((name) => name.includes('-') && !name.includes('/')) ?? null;
  const named = partOf(whole);
  return named === null || named === partOf(part);
}

/** Whether a text can be the id of a preset: it is part of a record's key and of a document's identity. */
function isPresetId(text: string): boolean {
  return /^[a-z0-9]{1,40}$/.test(text);
}

/** Gives the JSON text that stores a preset. @param position  its place among the user's own, from the first on */
export function writePreset(preset: Preset, position: number): string {
  return JSON.stringify({ version: 1, position, ...preset });
}

/** Reads a stored preset; null for anything that is not one. */
export function readPreset(
  text: string,
): { readonly preset: Preset; readonly position: number } | null {
  const body = parseJsonObject(text);
  const id = body && textField(body, 'id');
  const settings = body && readSettings(body['settings']);
  if (body?.['version'] !== 1 || id === null || !isPresetId(id) || !settings) {
    return null;
  }
  const position = body['position'];
  const kind = KINDS.find((known) => known === body['kind']);
  const namePattern = textField(body, 'namePattern');
  const name = body['name'] === null ? null : readLine(body, 'name', MAX_NAME_LENGTH);
  if (
    kind === undefined ||
    namePattern === null ||
    patternProblem(namePattern) !== null ||
    name === '' ||
    !isWithin(position, 0, Number.MAX_SAFE_INTEGER)
  ) {
    return null;
  }
  const approvedOnly = body['approvedOnly'] === true && ({ approvedOnly: true } as const);
  return { preset: { id, name, kind, namePattern, settings, ...approvedOnly }, position };
}

function readSettings(value: unknown): ExportSettings | null {
  if (!isJsonObject(value) || !isJsonObject(value['metadata'])) {
    return null;
  }
  const { longEdge, quality, profile, bitDepth, metadata } = value;
  const format = FORMATS.find((known) => known === value['format']);
  if (
    format === undefined ||
    !isWithin(quality, 0, BEST_QUALITY) ||
    !(longEdge === null || isWithin(longEdge, LONG_EDGE.least, LONG_EDGE.most)) ||
    !(profile === 'srgb' || profile === 'document') ||
    !(bitDepth === 8 || bitDepth === 16)
  ) {
    return null;
  }
  const hasPdf = value['pdf'] !== undefined;
  const pdf = readPdf(value['pdf']);
  if (hasPdf && !pdf) {
    return null;
  }
  return {
    format,
    quality,
    longEdge,
    profile,
    bitDepth,
    ...(pdf && { pdf }),
    ...(value['inOut'] === true && { inOut: true }),
    appPreset: readAppPreset(value['appPreset']),
    metadata: {
      removeLocation: metadata['removeLocation'] === true,
      creator: readLine(metadata, 'creator', MAX_LINE_LENGTH),
      copyright: readLine(metadata, 'copyright', MAX_LINE_LENGTH),
      contact: readLine(metadata, 'contact', MAX_LINE_LENGTH),
    },
  };
}

/** Null for anything that is not the settings of a PDF. */
function readPdf(value: unknown): PdfSettings | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const pages = readPages(value['pages']);
  const layout = PDF_LAYOUTS.find((known) => known === value['layout']);
  const marks = PDF_MARKS.find((known) => known === value['marks']);
  return pages && layout && marks ? { pages, layout, marks } : null;
}

function readPages(value: unknown): PageSelection | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const { kind } = value;
  const text = textField(value, 'text') ?? '';
  if (kind === 'range') {
    return isPageRange(text) ? { kind, text } : null;
  }
  return kind === 'all' || kind === 'current' ? { kind } : null;
}

function readAppPreset(value: unknown): AppPreset | null {
  const id = isJsonObject(value) ? textField(value, 'id') : null;
  return isJsonObject(value) && id !== null
    ? { id, name: sanitizeDisplayName(textField(value, 'name') ?? '', MAX_LINE_LENGTH) ?? id }
    : null;
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** One line of text; empty when there is none. */
function readLine(body: JsonObject, name: string, longest: number): string {
  return sanitizeDisplayName(textField(body, name) ?? '', longest) ?? '';
}
