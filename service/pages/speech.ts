import { Html, markup } from './html.js';
import type { Language } from './language.js';
import type { Duration, Filling, Key, PlainKey, Sentence, Value, Words } from './sentence.js';
import { de } from './words/de.js';
import { en } from './words/en.js';
import { es } from './words/es.js';
import { fr } from './words/fr.js';
import { ja } from './words/ja.js';
import { ptBR } from './words/pt-br.js';

const CATALOGUES: Readonly<Record<Language, Words>> = { de, en, es, fr, ja, 'pt-BR': ptBR };

/** The form of a time: exact to the minute. */
const MINUTE_IN_UTC = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
} as const;

/** The words of the pages in one language. */
export class Speech {
  private readonly words: Words;

  constructor(readonly language: Language) {
    this.words = CATALOGUES[language];
  }

  /** An entry of the dictionary as text. */
  text<K extends Key>(key: K, ...[values]: Filling<K, Value>): string {
    return this.tell({ key, values: values ?? {} });
  }

  /** A sentence as text. */
  tell({ key, values }: Sentence): string {
    return pieces(this.words[key])
      .map(({ text, blank }) => text + (blank === undefined ? '' : this.value(values[blank])))
      .join('');
  }

  /** An entry as markup: the values may be markup themselves. */
  html<K extends Key>(key: K, ...[values]: Filling<K, Value | Html>): Html {
    return this.fill(this.words[key], values ?? {});
  }

  /** An entry that has a link in it: the part in square brackets leads to `address`. */
  linked(key: PlainKey, address: string): Html {
    const [, before = '', link = '', after = ''] = LINK.exec(this.words[key]) ?? [];
    return markup`${before}<a href="${address}">${link}</a>${after}`;
  }

  /** A time in UTC: without scripts the reader's time zone is not known. */
  time(date: Date): Html {
    const text = new Intl.DateTimeFormat(this.language, {
      ...MINUTE_IN_UTC,
      timeZoneName: 'short',
    }).format(date);
    return markup`<time datetime="${date.toISOString()}">${text}</time>`;
  }

  /** A time as a clock showed it, `YYYY-MM-DDThh:mm:ss`, with `+hh:mm` if the time zone of the clock is known. */
  localTime(clock: string): Html {
    const digits = clock.slice(0, 19);
    const text = new Intl.DateTimeFormat(this.language, MINUTE_IN_UTC).format(
      new Date(`${digits}Z`),
    );
    const zone = clock.slice(19);
    return markup`<time datetime="${clock}">${text}${zone === '' ? '' : ` UTC${zone}`}</time>`;
  }

  /** A span of time, such as "5 minutes". */
  duration({ amount, unit }: Duration): string {
    const form = { style: 'unit', unit, unitDisplay: 'long' } as const;
    return new Intl.NumberFormat(this.language, form).format(amount);
  }

  /** A number of bytes as people say it, such as "3.2 MB". */
  bytes(count: number): string {
    // As it is shown: what is rounded up to a thousand of a unit is one of the next.
    const rounded = Math.max(Number(count.toPrecision(3)), 1);
    const step = Math.min(Math.floor(Math.log10(rounded) / 3), BYTE_UNITS.length - 1);
    return new Intl.NumberFormat(this.language, {
      style: 'unit',
      unit: BYTE_UNITS[step] ?? 'byte',
      unitDisplay: step === 0 ? 'long' : 'short',
      maximumSignificantDigits: 3,
    }).format(count / 1000 ** step);
  }

  /** A number of bytes, also exactly, such as "3.2 MB (3,200,104 bytes)". */
  exactBytes(count: number): string {
    const form = { style: 'unit', unit: 'byte', unitDisplay: 'long' } as const;
    const exact = new Intl.NumberFormat(this.language, form).format(count);
    return count < 1000 ? exact : `${this.bytes(count)} (${exact})`;
  }

  private fill(text: string, values: Readonly<Record<string, Value | Html>>): Html {
    return markup`${pieces(text).map((piece) => {
      const value = piece.blank === undefined ? undefined : values[piece.blank];
      return markup`${piece.text}${isMarkup(value) ? value : this.value(value)}`;
    })}`;
  }

  private value(value: Value | undefined): string {
    if (value === undefined) {
      return '';
    }
    if (typeof value === 'string') {
      return value;
    }
    if (typeof value === 'number') {
      return new Intl.NumberFormat(this.language).format(value);
    }
    return 'unit' in value ? this.duration(value) : this.tell(value);
  }
}

/** A sentence in English, for programs, command lines and logs. */
export function inEnglish(sentence: Sentence): string {
  return ENGLISH.tell(sentence);
}

const ENGLISH = new Speech('en');

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

const LINK = /^([^[]*)\[([^\]]*)\](.*)$/s;

/** A text split at its blanks, each piece with the blank that follows it. */
function pieces(text: string): { text: string; blank: string | undefined }[] {
  return [...text.matchAll(/([^{]*)(?:\{(\w+)\}|$)/g)].map(([, before = '', blank]) => ({
    text: before,
    blank,
  }));
}

function isMarkup(value: Value | Html | undefined): value is Html {
  return value instanceof Html;
}
