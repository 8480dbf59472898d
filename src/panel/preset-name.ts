import type { DocumentFormat } from '../host/host.js';
import type { Preset } from '../uploads/presets/preset.js';
import type { Translations } from './i18n/translations.js';

export const FORMAT_NAMES: Readonly<Record<DocumentFormat, string>> = {
  jpg: 'JPEG',
  png: 'PNG',
  tif: 'TIFF',
  psd: 'PSD',
  pdf: 'PDF',
  mp4: 'MP4',
};

const KINDS = { original: 'presetOriginal', web: 'presetWeb', print: 'presetPrint' } as const;

/** The name of a preset: the user's, or that of a built-in one in the user's language. */
export function presetName(strings: Translations, { id, name, kind, settings }: Preset): string {
  return name ?? (id === kind ? strings[KINDS[kind]] : FORMAT_NAMES[settings.format]);
}

/** What a preset makes, in few words: `JPEG · 2,048 px`. */
export function presetDetail(strings: Translations, { settings }: Preset): string {
  const { format, longEdge, bitDepth, appPreset } = settings;
  return [
    FORMAT_NAMES[format],
    ...(longEdge === null ? [] : [`${longEdge}\u00a0px`]),
    ...(appPreset ? [appPreset.name] : []),
    ...(format === 'tif' ? [bitsOf(strings, bitDepth)] : []),
  ].join(' · ');
}

/** Bits per channel, for users: `16 bit`. */
export function bitsOf(strings: Translations, bitDepth: 8 | 16): string {
  return strings.fill('bits', { bits: strings.number(bitDepth) });
}
