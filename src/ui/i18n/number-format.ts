import type { Language } from './language.js';

/** How a language writes numbers. The host documents no `Intl`. */
export interface NumberFormat {
  /** Whether a number takes the form `one` of a plural. */
  readonly isOne: (count: number) => boolean;
  readonly decimal: string;
  readonly group: string;
  /** Numbers with at least this many digits are grouped. */
  readonly groupFrom: number;
  /** The text between a number and `%`. */
  readonly beforePercent: string;
  /** Units of 1, 1000, 1000² and 1000³ bytes. */
  readonly units: readonly [string, string, string, string];
}

const isOne = (count: number): boolean => count === 1;
const isZeroOrOne = (count: number): boolean => count === 0 || count === 1;

const ENGLISH: NumberFormat = {
  isOne,
  decimal: '.',
  group: ',',
  groupFrom: 4,
  beforePercent: '',
  units: ['B', 'kB', 'MB', 'GB'],
};

export const NUMBER_FORMATS: Readonly<Record<Language, NumberFormat>> = {
  en: ENGLISH,
  de: { ...ENGLISH, decimal: ',', group: '.', beforePercent: '\u00a0' },
  es: { ...ENGLISH, decimal: ',', group: '.', groupFrom: 5, beforePercent: '\u00a0' },
  fr: {
    isOne: isZeroOrOne,
    decimal: ',',
    group: '\u202f',
    groupFrom: 4,
    beforePercent: '\u00a0',
    units: ['o', 'ko', 'Mo', 'Go'],
  },
  ja: { ...ENGLISH, isOne: () => false, units: ['B', 'KB', 'MB', 'GB'] },
  'pt-BR': { ...ENGLISH, isOne: isZeroOrOne, decimal: ',', group: '.' },
};
