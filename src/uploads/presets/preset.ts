import type { DocumentFormat, ExportSettings } from '../../host/host.js';

/** A named way to export a document. */
export interface Preset {
  readonly id: string;
  /** Null for a built-in preset, whose name is in the dictionary under its kind. */
  readonly name: string | null;
  readonly kind: 'original' | 'web' | 'print';
  /** The file name without its ending; `{name}` is the document's name. */
  readonly namePattern: string;
  readonly settings: ExportSettings;
}

/** Settings that leave everything as the document has it. */
export function plainSettings(format: DocumentFormat): ExportSettings {
  return {
    format,
    quality: 12,
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
