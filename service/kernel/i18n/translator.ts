import { Html, html, verbatim } from '../html-tag.js';
import type { Language } from './locale-negotiation.js';
import type { Catalog, Duration, Key, Message, MessageArgs, PlainKey, Value } from './message.js';
import de from '../../locales/de.json' with { type: 'json' };
import en from '../../locales/en.js';
import es from '../../locales/es.json' with { type: 'json' };
import fr from '../../locales/fr.json' with { type: 'json' };
import ja from '../../locales/ja.json' with { type: 'json' };
import ptBR from '../../locales/pt-BR.json' with { type: 'json' };

const CATALOGS: Readonly<Record<Language, Catalog>> = { de, en, es, fr, ja, 'pt-BR': ptBR };

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

/** Formats the texts, times and numbers of the pages in one language. */
export class Translator {
  private readonly catalog: Catalog;

  constructor(readonly language: Language) {
    this.catalog = CATALOGS[language];
  }

  /** An entry of the catalog as text. */
  t<K extends Key>(key: K, ...[values]: MessageArgs<K, Value>): string {
    return this.format({ key, values: values ?? {} });
  }

  /** A message as text. */
  format({ key, values }: Message): string {
    return pieces(this.catalog[key])
      .map(
        ({ text, placeholder }) =>
          text + (placeholder === undefined ? '' : this.value(values[placeholder])),
      )
      .join('');
  }

  /** An entry as markup. Values are markup or {@link verbatim}: a text among them is a name, an address or a code. */
  html<K extends Key>(key: K, ...[values]: MessageArgs<K, Value | Html>): Html {
    return this.fill(this.catalog[key], values ?? {});
  }

  /** A message as markup, as {@link html} writes it. */
  markup({ key, values }: Message): Html {
    return this.fill(this.catalog[key], values);
  }

  /** An entry that has a link in it: the part in square brackets leads to `address`. */
  withLink(key: PlainKey, address: string): Html {
    const [, before = '', link = '', after = ''] = LINK.exec(this.catalog[key]) ?? [];
    return html`${before}<a href="${address}">${link}</a>${after}`;
  }

  /** A time in UTC. `service/client/times.ts` writes it in the reader's time zone, which only the browser has. */
  time(date: Date): Html {
    const text = new Intl.DateTimeFormat(this.language, {
      ...MINUTE_IN_UTC,
      timeZoneName: 'short',
    }).format(date);
    return html`<time datetime="${date.toISOString()}" data-style="minute">${text}</time>`;
  }

  /** The day of a time in UTC, with its year unless that is the present one. `service/client/times.ts` writes it like {@link time}. */
  day(date: Date, now: Date): Html {
    const isThisYear = date.getUTCFullYear() === now.getUTCFullYear();
    const text = new Intl.DateTimeFormat(this.language, {
      ...(!isThisYear && { year: 'numeric' }),
      month: 'short',
      day: 'numeric',
      timeZone: 'UTC',
    }).format(date);
    return html`<time datetime="${date.toISOString()}" data-style="day">${text}</time>`;
  }

  /** A day, or its month, such as "June 2026". @param day `YYYY-MM-DD`, in any time zone. */
  calendar(day: string, unit: 'day' | 'month'): string {
    const form = { year: 'numeric', month: 'long', timeZone: 'UTC' } as const;
    return new Intl.DateTimeFormat(
      this.language,
      unit === 'day' ? { ...form, day: 'numeric' } : form,
    ).format(new Date(`${day}T00:00:00Z`));
  }

  /** A time as a clock showed it, `YYYY-MM-DDThh:mm:ss`, with `+hh:mm` if the time zone of the clock is known. */
  localTime(clock: string): Html {
    const digits = clock.slice(0, 19);
    const text = new Intl.DateTimeFormat(this.language, MINUTE_IN_UTC).format(
      new Date(`${digits}Z`),
    );
    const zone = clock.slice(19);
    return html`<time datetime="${clock}">${text}${zone === '' ? '' : ` UTC${zone}`}</time>`;
  }

  /** A span of time, such as "5 minutes". */
  duration({ amount, unit }: Duration): string {
    const form = { style: 'unit', unit, unitDisplay: 'long' } as const;
    return new Intl.NumberFormat(this.language, form).format(amount);
  }

  /** A readable number of bytes, such as "3.2 MB". */
  bytes(count: number): string {
    // By the displayed value: a value rounded up to 1000 uses the next unit.
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
    return html`${pieces(text).map((piece) => {
      const value = piece.placeholder === undefined ? undefined : values[piece.placeholder];
      return html`${piece.text}${this.valueMarkup(value)}`;
    })}`;
  }

  private valueMarkup(value: Value | Html | undefined): Html | string {
    if (typeof value === 'string') {
      return verbatim(value);
    }
    if (typeof value === 'object' && 'key' in value) {
      return this.markup(value);
    }
    return isMarkup(value) ? value : this.value(value);
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
    return 'unit' in value ? this.duration(value) : this.format(value);
  }
}

/** A message in English, for programs, command lines and logs. */
export function formatEnglish(message: Message): string {
  return ENGLISH.format(message);
}

const ENGLISH = new Translator('en');

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

const LINK = /^([^[]*)\[([^\]]*)\](.*)$/s;

/** A text split at its placeholders, each piece with the placeholder that follows it. */
function pieces(text: string): { text: string; placeholder: string | undefined }[] {
  // Short subject: a text of our own.
  return [...text.matchAll(/([^{]*)(?:\{(\w+)\}|$)/g)].map(([, before = '', placeholder]) => ({
    text: before,
    placeholder,
  }));
}

function isMarkup(value: Value | Html | undefined): value is Html {
  return value instanceof Html;
}
