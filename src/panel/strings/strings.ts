import type { ErrorCode } from '../../base/errors.js';
import type { Catalogue, CountedKey, FilledKey, PlainKey } from './catalogue.js';

/** All words of the panel in one language: texts as they are, and functions that make sentences. */
export interface Strings extends Readonly<Record<PlainKey, string>> {
  /** What happened and what to do, by error code. */
  readonly errors: Readonly<Record<ErrorCode, string>>;
  fill(key: FilledKey, values: Values): string;
  /** The sentence in its form for `count`, with the number in the place of `{count}`. */
  count(key: CountedKey, count: number, values?: Values): string;
  number(value: number): string;
  /** @param percent  whole, from 0 to 100 */
  percent(percent: number): string;
  /** Bytes in units of 1000, as people see them in their file lists. */
  size(bytes: number): string;
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

/** The words and sentences of one catalogue. */
export function createStrings(catalogue: Catalogue): Strings {
  const { plain, filled, counted, numbers, errors } = catalogue;
  const alphabet = catalogue.alphabet.split(' ');

  const number = (value: number): string => {
    const digits = String(Math.round(value));
    return digits.length < numbers.groupFrom
      ? digits
      : digits.replace(/\B(?=(\d{3})+$)/g, numbers.group);
  };
  const fill = (key: FilledKey, values: Values): string => insert(filled[key], values);
  const count = (key: CountedKey, value: number, values: Values = {}): string => {
    const { one, other } = counted[key];
    const takesOne =
      catalogue.one !== 'never' && (value === 1 || (value === 0 && catalogue.one !== 'one'));
    return insert(takesOne ? (one ?? other) : other, { count: number(value), ...values });
  };

  return {
    ...plain,
    errors,
    fill,
    count,
    number,
    percent: (percent) => insert(numbers.percent, { number: number(percent) }),
    size(bytes) {
      // The next unit begins where rounding would give four digits of this one.
      const unit = bytes < 999.5 ? 0 : bytes < 999_500 ? 1 : bytes < 999_950_000 ? 2 : 3;
      const value = bytes / 1000 ** unit;
      const text =
        unit < 2 ? number(value) : withDecimal(Math.round(value * 10), number, numbers.decimal);
      return insert(numbers.size, { number: text, unit: numbers.units[unit] ?? '' });
    },
    timeLeft(milliseconds) {
      if (milliseconds < 5_000) {
        return plain.fewSecondsLeft;
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
        return plain.tryingAgainNow;
      }
      if (seconds <= 90) {
        return count('tryingAgainSeconds', seconds);
      }
      return count('tryingAgainMinutes', Math.ceil(seconds / 60));
    },
    codeTimeLeft(milliseconds) {
      if (milliseconds <= MINUTE) {
        return plain.codeAlmostOver;
      }
      return count('codeMinutes', Math.ceil(milliseconds / MINUTE));
    },
    spell: (code) =>
      Array.from(code).map((sign) => {
        if (sign === '-') {
          return plain.hyphen;
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

/** Puts values into a sentence. Placeholders in a value are not replaced. */
function insert(sentence: string, values: Values): string {
  return sentence.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

function withDecimal(tenths: number, number: (value: number) => string, decimal: string): string {
  return `${number(Math.floor(tenths / 10))}${decimal}${tenths % 10}`;
}
