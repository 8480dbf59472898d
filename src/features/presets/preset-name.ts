import type { DocumentFormat, PdfSettings } from '../../host/document-export.js';
import type { Preset } from './preset.js';
import type { Translations } from '../../ui/i18n/translations.js';

const FORMAT_NAMES = {
  jpg: 'JPEG',
  png: 'PNG',
  tif: 'TIFF',
  psd: 'PSD',
  pdf: 'PDF',
} as const;

/** The name of a format for users. A preset of the app decides which kind of video it is. */
export function formatName(strings: Translations, format: DocumentFormat): string {
  return format === 'mp4' ? strings.video : FORMAT_NAMES[format];
}

/** The names of what a PDF can be. */
export const PDF_LAYOUT_NAMES = {
  preset: 'asInPdfPreset',
  pages: 'singlePages',
  spreads: 'spreads',
} as const;
export const PDF_MARK_NAMES = {
  preset: 'asInPdfPreset',
  none: 'noMarks',
  bleed: 'bleedOnly',
  'crop-and-bleed': 'cropMarksAndBleed',
} as const;

const KINDS = { original: 'presetOriginal', web: 'presetWeb', print: 'presetPrint' } as const;

/** The name of a preset: the user's, or that of a built-in one in the user's language. */
export function presetName(strings: Translations, { id, name, kind, settings }: Preset): string {
  return name ?? (id === kind ? strings[KINDS[kind]] : formatName(strings, settings.format));
}

/** What a preset makes, in few words: `JPEG · 2,048 px`, `PDF · 3-7, 12 · Spreads`. */
export function presetDetail(strings: Translations, { settings, approvedOnly }: Preset): string {
  const { format, longEdge, bitDepth, appPreset, pdf, inOut } = settings;
  return [
    formatName(strings, format),
    ...(longEdge === null ? [] : [`${longEdge}\u00a0px`]),
    ...(appPreset ? [appPreset.name] : []),
    ...(pdf ? pdfDetail(strings, pdf) : []),
    ...(inOut ? [strings.inToOut] : []),
    ...(format === 'tif' ? [bitsOf(strings, bitDepth)] : []),
    ...(approvedOnly ? [strings.ifApproved] : []),
  ].join(' · ');
}

function pdfDetail(strings: Translations, { pages, layout, marks }: PdfSettings): string[] {
  return [
    ...(pages.kind === 'current' ? [strings.currentPage] : []),
    ...(pages.kind === 'range' ? [pages.text] : []),
    ...(layout === 'preset' ? [] : [strings[PDF_LAYOUT_NAMES[layout]]]),
    ...(marks === 'preset' || marks === 'none' ? [] : [strings[PDF_MARK_NAMES[marks]]]),
  ];
}

/** Bits per channel, for users: `16 bit`. */
export function bitsOf(strings: Translations, bitDepth: 8 | 16): string {
  return strings.fill('bits', { bits: strings.number(bitDepth) });
}
