import { isSceneName, type SceneName } from './states/all-scenes.js';

/** The host themes, from dark to light. */
export const THEMES = ['darkest', 'dark', 'light', 'lightest'] as const;
/** One of {@link THEMES}. */
export type Theme = (typeof THEMES)[number];

/** The languages that the preview offers, by the names that a host has for them in `uiLocale`. */
export const LANGUAGES = {
  en_US: 'English',
  de_DE: 'Deutsch',
  es_ES: 'Español',
  fr_FR: 'Français',
  ja_JP: '日本語',
  pt_BR: 'Português (Brasil)',
} as const;

/** Widths of the panel in CSS pixels. */
export const WIDTH = { min: 230, max: 600, initial: 300 } as const;

/** What the preview shows. Each of these can be set in the address of the page. */
export interface PreviewOptions {
  readonly theme: Theme;
  /** CSS pixels. */
  readonly width: number;
  /** The host's `uiLocale`, such as `de_DE`. */
  readonly language: string;
  /** A state to show instead of the running plugin; null for the plugin. */
  readonly state: SceneName | null;
}

/** Reads `theme`, `width`, `lang` and `state` from a query string. What is missing or invalid gets its default. */
export function readOptions(query: string): PreviewOptions {
  const parameters = new URLSearchParams(query);
  const theme = THEMES.find((name) => name === parameters.get('theme')) ?? 'darkest';
  const width = Number(parameters.get('width') ?? Number.NaN);
  const language = parameters.get('lang') ?? '';
  const state = parameters.get('state') ?? '';
  return {
    theme,
    width: Number.isFinite(width)
      ? Math.round(Math.min(Math.max(width, WIDTH.min), WIDTH.max))
      : WIDTH.initial,
    language: /^[a-z]{2,3}_[A-Z]{2}$/.test(language) ? language : 'en_US',
    state: isSceneName(state) ? state : null,
  };
}

/** The query string, with its question mark, that {@link readOptions} reads. */
export function writeOptions({ theme, width, language, state }: PreviewOptions): string {
  return `?${new URLSearchParams({
    theme,
    width: String(width),
    lang: language,
    ...(state === null ? {} : { state }),
  }).toString()}`;
}
