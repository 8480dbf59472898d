import type { ErrorCode } from '../../util/errors.js';
import type {
  Catalog,
  MessageKey,
  MessageValues,
  PluralArgs,
  PluralKey,
  TextKey,
} from './catalog.js';
import { DATE_FORMATS } from './date-format.js';
import type { Language } from './language.js';
import { NUMBER_FORMATS } from './number-format.js';

/** The texts of the panel in one language: those without placeholders by their keys, the others by functions. */
export interface Translations extends Readonly<Record<TextKey, string>> {
  readonly language: Language;
  /** The text of each error code. */
  readonly errors: Readonly<Record<ErrorCode, string>>;
  fill<K extends MessageKey>(key: K, values: MessageValues<K>): string;
  /** The text in its form for `count`, with the number in the place of `{count}`. */
  count<K extends PluralKey>(key: K, count: number, ...args: PluralArgs<K>): string;
  number(value: number): string;
  /** @param percent  whole, from 0 to 100 */
  percent(percent: number): string;
  /** Bytes in units of 1000, as file lists show them. */
  size(bytes: number): string;
  /** A date on this computer. @param milliseconds  wall-clock time */
  date(milliseconds: number): string;
  /** A sentence: how long the uploads still take. */
  timeLeft(milliseconds: number): string;
  /** A sentence: when the plugin tries again. */
  tryingAgainIn(milliseconds: number): string;
  /** A sentence: how long a code is still valid. */
  codeTimeLeft(milliseconds: number): string;
  /** A code as it is read out on the phone, one line for each of its characters: "A as in Alpha". */
  spell(code: string): readonly string[];
}

type Values = Readonly<Record<string, string>>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The texts of one catalog. */
export function createTranslations(catalog: Catalog, language: Language): Translations {
  const format = NUMBER_FORMATS[language];
  const alphabet = catalog.alphabet.split(' ');

  const number = (value: number): string => {
    const digits = String(Math.round(value));
    return digits.length < format.groupFrom
      ? digits
      : // Short subject: the digits of a number.
        digits.replace(/\B(?=(\d{3})+$)/g, format.group);
  };
  const fill: Translations['fill'] = (key, values) => insert(catalog[key], values);
  const count: Translations['count'] = (key, value, ...[values]) => {
    const { one, other } = catalog[key];
    return insert(format.isOne(value) ? (one ?? other) : other, {
      count: number(value),
      ...values,
    });
  };

  return {
    ...catalog,
    language,
    errors: catalog,
    fill,
    count,
    number,
    percent: (percent) => `${number(percent)}${format.beforePercent}%`,
    size(bytes) {
      // The next unit begins where rounding would give four digits of this one.
      const unit = bytes < 999.5 ? 0 : bytes < 999_500 ? 1 : bytes < 999_950_000 ? 2 : 3;
      const value = bytes / 1000 ** unit;
      const text =
        unit < 2 ? number(value) : withDecimal(Math.round(value * 10), number, format.decimal);
      return `${text}\u00a0${format.units[unit]}`;
    },
    date(milliseconds) {
      const date = new Date(milliseconds);
      return Number.isNaN(date.getTime())
        ? ''
        : DATE_FORMATS[language](date.getFullYear(), date.getMonth() + 1, date.getDate());
    },
    timeLeft(milliseconds) {
      if (milliseconds < 5_000) {
        return catalog.fewSecondsLeft;
      }
      if (milliseconds < MINUTE) {
        return count('secondsLeft', Math.ceil(milliseconds / 5_000) * 5);
      }
      if (milliseconds < HOUR) {
        return count('minutesLeft', Math.ceil(milliseconds / MINUTE));
      }
      return count('hoursLeft', Math.ceil(milliseconds / HOUR));
    },
    tryingAgainIn(milliseconds) {
      const seconds = Math.ceil(milliseconds / 1000);
      if (seconds <= 1) {
        return catalog.tryingAgainNow;
      }
      if (seconds <= 90) {
        return count('tryingAgainSeconds', seconds);
      }
      return count('tryingAgainMinutes', Math.ceil(seconds / 60));
    },
    codeTimeLeft(milliseconds) {
      if (milliseconds <= MINUTE) {
        return catalog.codeAlmostOver;
      }
      return count('codeMinutes', Math.ceil(milliseconds / MINUTE));
    },
    spell: (code) =>
      Array.from(code).map((sign) => {
        if (sign === '-') {
          return catalog.hyphen;
        }
        if (/\d/.test(sign)) {
          return fill('digit', { digit: sign });
        }
        const word = alphabet[sign.toUpperCase().charCodeAt(0) - 65];
        return /[a-z]/i.test(sign) && word !== undefined
          ? fill('letter', { letter: sign, word })
          : fill('sign', { sign });
      }),
  };
}

/** Puts values into a text. Placeholders in a value are not replaced. */
function insert(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

function withDecimal(tenths: number, number: (value: number) => string, decimal: string): string {
  return `${number(Math.floor(tenths / 10))}${decimal}${tenths % 10}`;
}
