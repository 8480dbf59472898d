/**
 * The names of exported copies: a pattern of text and placeholders, such as `{date} {name}`.
 * @packageDocumentation
 */
import { asFileName, cleanedPart, hasForbidden } from '../../util/file-name.js';

/** The placeholders of a pattern. */
export const PLACEHOLDERS = ['name', 'date', 'preset', 'project'] as const;

export type NameValues = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>;

/** Why a pattern cannot be used. */
export type PatternProblem = 'empty' | 'characters' | 'placeholder' | 'long';

/** Longest pattern, in UTF-16 code units. */
const MAX_PATTERN_LENGTH = 100;
/** Why a pattern cannot be used; null when it can. */
export function patternProblem(pattern: string): PatternProblem | null {
  const parts = partsOf(pattern);
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return 'long';
  }
  if (pattern.trim() === '') {
    return 'empty';
  }
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.some((text) => /[{}]/.test(text))) {
    return 'placeholder';
  }
  return texts.some((text) => hasForbidden(text)) ? 'characters' : null;
}

/**
 * The name that a pattern gives, without an ending. It is a valid file name in every system, whatever the values are. A
 * placeholder without a value takes the separator next to it away.
 */
export function nameFromPattern(pattern: string, values: NameValues): string {
  const parts = partsOf(pattern).map((part) =>
    'text' in part ? part : { ...part, value: cleanedPart(values[part.placeholder]) },
  );
  const isGone = (at: number): boolean => {
    const part = parts[at];
    return part !== undefined && 'value' in part && part.value === '';
  };
  const text = parts
    .map((part, at) => {
      if ('value' in part) {
        return part.value;
      }
      const isSeparator = /^[\s\-_.,·]+$/.test(part.text);
      return isSeparator && (isGone(at - 1) || (isGone(at + 1) && at + 2 >= parts.length))
        ? ''
        : part.text;
    })
    .join('');
  return asFileName(text) || asFileName(values.name) || 'document';
}

/** The day of a moment on this computer, such as `2026-11-25`. @param milliseconds  wall-clock time */
export function dayOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((value) => String(value).padStart(2, '0'))
    .join('-');
}

type Part = { readonly text: string } | { readonly placeholder: keyof NameValues };

function partsOf(pattern: string): readonly Part[] {
  return pattern
    .split(/(\{[a-z]+\})/)
    .filter((text) => text !== '')
    .map((text) => {
      const placeholder = PLACEHOLDERS.find((known) => text === `{${known}}`);
      return placeholder === undefined ? { text } : { placeholder };
    });
}
